package svcapi

import (
	"bytes"
	"context"
	"net/http"

	"vestibule/internal/report"
)

// Passport calls GET /connect/passport/v4/json (document 3, Endpoints). It returns and
// refuses as CashflowReport does.
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

// PassportPDF calls GET /connect/passport/v4/pdf. What is no PDF is refused; its bytes
// are somebody else's all the same.
func (c *Client) PassportPDF(ctx context.Context, ref Ref) ([]byte, error) {
	const op = "passport as PDF"
	h, err := ref.headers(op)
	if err != nil {
		return nil, err
	}
	a, err := c.do(ctx, call{op: op, method: http.MethodGet, path: "/connect/passport/v4/pdf", header: h,
		auth: byToken, repeat: true, anyType: true, limit: maxReport, timeout: reportTimeout})
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(a.body, []byte("%PDF-")) {
		return nil, badAnswer(op, a.status, "the answer is not a PDF")
	}
	return a.body, nil
}

// maxSuppliers bounds a list: there are not as many countries.
const maxSuppliers = 1000

// Suppliers calls GET /connect/suppliers: where passports come from, and what each
// supplier provides of an identity.
func (c *Client) Suppliers(ctx context.Context) ([]report.Supplier, error) {
	a, err := c.do(ctx, call{op: "suppliers", method: http.MethodGet, path: "/connect/suppliers",
		auth: basic, repeat: true, limit: maxAnswer, timeout: answerTimeout})
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
