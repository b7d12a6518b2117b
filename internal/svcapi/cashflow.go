package svcapi

import (
	"context"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// CashflowReport calls GET /connect/cashflow/v2/json (API reference: Reports). It
// returns the body as received, for storing, and parsed. A report that is not ready
// gives an *Error with REPORT_NOT_READY. It refuses a body of another report than
// requested.
func (c *Client) CashflowReport(ctx context.Context, ref Ref) ([]byte, *report.Cashflow, error) {
	a, err := c.get(ctx, "cashflow report", "/connect/cashflow/v2/json", ref, maxReport, reportTimeout)
	if err != nil {
		return nil, nil, err
	}
	// The parser's error may quote the body, so it is not passed on.
	body, err := report.ParseCashflow(a.body)
	if err != nil {
		return nil, nil, badAnswer(a.op, a.status, "the answer is not a cashflow report")
	}
	if err := ref.answered(a, body.Meta); err != nil {
		return nil, nil, err
	}
	return a.body, body, nil
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
