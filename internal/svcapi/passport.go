package svcapi

import (
	"bytes"
	"context"
	"net/http"

	"vestibule/internal/report"
)

// Passport calls GET /connect/passport/v4/json (API reference: Reports). Results and
// errors are as for CashflowReport.
func (c *Client) Passport(ctx context.Context, ref Ref) ([]byte, *report.Passport, error) {
	a, err := c.get(ctx, "passport", "/connect/passport/v4/json", ref, maxReport, reportTimeout)
	if err != nil {
		return nil, nil, err
	}
	body, err := report.ParsePassport(a.body)
	if err != nil {
		return nil, nil, badAnswer(a.op, a.status, "the answer is not a passport")
	}
	if err := ref.answered(a, body.Meta); err != nil {
		return nil, nil, err
	}
	return a.body, body, nil
}

// PassportPDF calls GET /connect/passport/v4/pdf. It refuses content that is not a PDF;
// treat the bytes as untrusted all the same.
func (c *Client) PassportPDF(ctx context.Context, ref Ref) ([]byte, error) {
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

// maxSuppliers bounds the list; it exceeds the number of countries.
const maxSuppliers = 1000

// Suppliers calls GET /connect/suppliers: the sources of passports, and the parts of an
// identity that each provides.
func (c *Client) Suppliers(ctx context.Context) ([]report.Supplier, error) {
	a, err := c.do(ctx, call{op: "suppliers", method: http.MethodGet, path: "/connect/suppliers",
		auth: basic, repeatable: true, limit: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return nil, err
	}
	var out []report.Supplier
	if err := a.decode(&out); err != nil {
		return nil, err
	}
	if len(out) > maxSuppliers {
		return nil, badAnswer(a.op, a.status, "the list is too long")
	}
	for _, s := range out {
		if s.Code == "" {
			return nil, badAnswer(a.op, a.status, "a supplier has no code")
		}
	}
	return out, nil
}
