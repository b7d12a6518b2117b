package svcapi

import (
	"context"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// CashflowReport calls GET /connect/cashflow/v2/json (document 1, endpoint 4). It
// returns the body as it came, for keeping and handing out, and as a value. A
// report that is not ready gives an *Error with REPORT_NOT_READY; a body that
// belongs to another report than the one asked for is refused.
func (c *Client) CashflowReport(ctx context.Context, ref Ref) ([]byte, *report.Cashflow, error) {
	a, err := c.get(ctx, "cashflow report", "/connect/cashflow/v2/json", ref, maxReport, reportTimeout)
	if err != nil {
		return nil, nil, err
	}
	// The parser's error may repeat what it could not read, so it goes no further.
	body, err := report.ParseCashflow(a.body)
	if err != nil {
		return nil, nil, badAnswer(a.op, a.status, "the answer is not a cashflow report")
	}
	if err := ref.answered(a, body.Meta); err != nil {
		return nil, nil, err
	}
	return a.body, body, nil
}

// answered holds a report's meta to what was asked for.
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
