package svcapi

import (
	"context"
	"errors"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Report fetches the report of a product's kind by the call of its own, and
// returns the body as it came with its meta. It refuses as that call does; a kind
// without a call gives an *Error with INVALID_PRODUCT, and nothing is sent.
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

// Files lists the files of a report of a product's kind. A passport has one: itself,
// as a PDF.
func (c *Client) Files(ctx context.Context, product contract.Product, ref Ref) ([]File, error) {
	if list, ok := fileLists[product]; ok {
		return c.files(ctx, list, ref)
	}
	if product == contract.Passport {
		return []File{{DocumentType: PassportDocument, Path: passportPath}}, nil
	}
	return nil, noSuchProduct("files")
}

// File fetches one of them. It fails like CashflowFile.
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

// PassportDocument is the document type of a passport as a PDF, in Files only.
const PassportDocument = "PASSPORT_PDF"

const passportPath = "passport.pdf"

var fileLists = map[contract.Product]string{contract.Cashflow: cashflowFiles, contract.Income: incomeFiles, contract.Eligibility: eligibilityFiles}

func noSuchProduct(op string) error {
	return &Error{Op: op, Code: contract.CodeInvalidProduct, Err: errors.New("no call for this product")}
}
