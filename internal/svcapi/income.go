package svcapi

import (
	"context"

	"vestibule/internal/report"
)

// IncomeReport calls GET /connect/income/v2/json (API reference: Reports). Results and
// errors are as for CashflowReport.
func (c *Client) IncomeReport(ctx context.Context, ref Ref) ([]byte, *report.Income, error) {
	a, err := c.get(ctx, "income report", "/connect/income/v2/json", ref, maxReport, reportTimeout,
		report.IncludePositions)
	if err != nil {
		return nil, nil, err
	}
	body, err := report.ParseIncome(a.body)
	if err != nil {
		return nil, nil, badAnswer(a.op, a.status, "the answer is not an income report")
	}
	if err := ref.answered(a, body.Meta); err != nil {
		return nil, nil, err
	}
	return a.body, body, nil
}
