package svcapi

import (
	"context"
	"errors"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Report fetches a report with the call for its product's kind, and returns the body as
// received and its meta. Errors are that call's; an unknown kind gives an *Error with
// INVALID_PRODUCT without a request.
func (c *Client) Report(ctx context.Context, product contract.Product, ref Ref) ([]byte, *report.Meta, error) {
	switch product {
	case contract.Cashflow:
		raw, body, err := c.CashflowReport(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		return raw, body.Meta, nil
	case contract.Income:
		raw, body, err := c.IncomeReport(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		return raw, body.Meta, nil
	case contract.Eligibility:
		raw, body, err := c.EligibilityReport(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		return raw, body.Meta, nil
	case contract.Passport:
		raw, body, err := c.Passport(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		return raw, body.Meta, nil
	}
	return nil, nil, noSuchProduct("report")
}

// Files lists the files of a report with the call for its product's kind. A passport
// has one file, its PDF.
func (c *Client) Files(ctx context.Context, product contract.Product, ref Ref) ([]File, error) {
	if list, ok := fileLists[product]; ok {
		return c.files(ctx, list, ref)
	}
	if product == contract.Passport {
		return []File{{DocumentType: PassportDocument, Path: passportPath}}, nil
	}
	return nil, noSuchProduct("files")
}

// File fetches one file that Files listed. Errors are as for CashflowFile.
func (c *Client) File(ctx context.Context, product contract.Product, ref Ref, path string) (Content, error) {
	if list, ok := fileLists[product]; ok {
		return c.file(ctx, list, ref, path)
	}
	if product == contract.Passport && path == passportPath {
		body, err := c.PassportPDF(ctx, ref)
		return Content{"application/pdf", body}, err
	}
	return Content{}, noSuchProduct("file")
}

// PassportDocument is the document type of a passport's PDF, used only in Files.
const PassportDocument = "PASSPORT_PDF"

const passportPath = "passport.pdf"

var fileLists = map[contract.Product]string{contract.Cashflow: cashflowFiles,
	contract.Income: incomeFiles, contract.Eligibility: eligibilityFiles}

func noSuchProduct(op string) error {
	return &Error{Op: op, Code: contract.CodeInvalidProduct, Err: errors.New("no call for this product")}
}
