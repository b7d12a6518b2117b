package svcapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// reportCall is the call that fetches the report of a product.
type reportCall struct {
	path, files string // files is empty for a report whose only file is its PDF
	include     []string
	meta        func(body []byte) (*report.Meta, error) // parses the report
}

var reportCalls = map[contract.Product]reportCall{
	contract.Cashflow: {"/connect/cashflow/v2/json", "/connect/cashflow/v2/files", nil,
		metaOf(report.ParseCashflow, func(r *report.Cashflow) *report.Meta { return r.Meta })},
	contract.Income: {"/connect/income/v2/json", "/connect/income/v2/files", []string{report.IncludePositions},
		metaOf(report.ParseIncome, func(r *report.Income) *report.Meta { return r.Meta })},
	contract.Eligibility: {"/connect/affordable-housing-verification/v1/json", "/connect/affordable-housing-verification/v1/files",
		[]string{report.IncludePositions}, metaOf(report.ParseEligibility, func(r *report.Eligibility) *report.Meta { return r.Meta })},
	contract.Passport: {"/connect/passport/v4/json", "", nil,
		metaOf(report.ParsePassport, func(r *report.Passport) *report.Meta { return r.Meta })},
}

func metaOf[R any](parse func([]byte) (*R, error), meta func(*R) *report.Meta) func([]byte) (*report.Meta, error) {
	return func(body []byte) (*report.Meta, error) {
		r, err := parse(body)
		if err != nil {
			return nil, err
		}
		return meta(r), nil
	}
}

// Report fetches a report with the call for its product's kind (API reference: Reports). It
// returns the body as received, which is a valid report, and its meta. A report that is not
// ready gives an *Error with REPORT_NOT_READY, and an unknown kind one with INVALID_PRODUCT
// without a request. It refuses a body of another report than requested.
func (c *Client) Report(ctx context.Context, product contract.Product, ref Ref) ([]byte, *report.Meta, error) {
	k, ok := reportCalls[product]
	if !ok {
		return nil, nil, noSuchProduct("report")
	}
	a, err := c.get(ctx, string(product)+" report", k.path, ref, maxReport, reportTimeout, k.include...)
	if err != nil {
		return nil, nil, err
	}
	// The parser's error may quote the body, so it is not passed on.
	meta, err := k.meta(a.body)
	if err != nil {
		return nil, nil, badAnswer(a.op, a.status, "the answer is not a report of the product")
	}
	if err := ref.answered(a, meta); err != nil {
		return nil, nil, err
	}
	return a.body, meta, nil
}

// answered checks that a report's meta names the requested report.
func (r Ref) answered(a answer, meta *report.Meta) error {
	if r.PublicToken != "" && !strings.EqualFold(meta.PublicToken, r.PublicToken) ||
		r.ExternalID != "" && report.Text(meta.ExternalID) != r.ExternalID {
		return badAnswer(a.op, a.status, "the answer is another report than the one asked for")
	}
	if meta.Status != contract.StatusSuccess {
		return badAnswer(a.op, a.status, "the report's status is not SUCCESS")
	}
	return nil
}

// Files lists the files of a report with the call for its product's kind. A passport
// has one file, its PDF.
func (c *Client) Files(ctx context.Context, product contract.Product, ref Ref) ([]File, error) {
	if list := reportCalls[product].files; list != "" {
		return c.files(ctx, list, ref)
	}
	if product == contract.Passport {
		return []File{{DocumentType: PassportDocument, Path: passportPath}}, nil
	}
	return nil, noSuchProduct("files")
}

// File fetches one file that Files listed. A file past its retention gives an *Error with
// GONE.
func (c *Client) File(ctx context.Context, product contract.Product, ref Ref, path string) (Content, error) {
	if list := reportCalls[product].files; list != "" {
		return c.file(ctx, list, ref, path)
	}
	if product == contract.Passport && path == passportPath {
		body, err := c.passportPDF(ctx, ref)
		return Content{"application/pdf", body}, err
	}
	return Content{}, noSuchProduct("file")
}

// PassportDocument is the document type of a passport's PDF, used only in Files.
const PassportDocument = "PASSPORT_PDF"

const passportPath = "passport.pdf"

// passportPDF calls GET /connect/passport/v4/pdf. It refuses content that is not a PDF;
// treat the bytes as untrusted all the same.
func (c *Client) passportPDF(ctx context.Context, ref Ref) ([]byte, error) {
	const op = "passport as PDF"
	h, err := ref.headers(op)
	if err != nil {
		return nil, err
	}
	a, err := c.do(ctx, call{op: op, method: http.MethodGet, path: "/connect/passport/v4/pdf", header: h,
		auth: byToken, repeatable: true, anyType: true, limit: maxReport, timeout: reportTimeout})
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(a.body, []byte("%PDF-")) {
		return nil, badAnswer(op, a.status, "the answer is not a PDF")
	}
	return a.body, nil
}

func noSuchProduct(op string) error {
	return &Error{Op: op, Code: contract.CodeInvalidProduct, Err: errors.New("no call for this product")}
}
