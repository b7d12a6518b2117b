package svcapi

import (
	"context"

	"vestibule/internal/report"
)

// EligibilityReport calls GET /connect/affordable-housing-verification/v1/json (API
// reference: Reports). Results and errors are as for CashflowReport.
func (c *Client) EligibilityReport(ctx context.Context, ref Ref) ([]byte, *report.Eligibility, error) {
	a, err := c.get(ctx, "eligibility report", "/connect/affordable-housing-verification/v1/json", ref, maxReport, reportTimeout,
		report.IncludePositions)
	if err != nil {
		return nil, nil, err
	}
	body, err := report.ParseEligibility(a.body)
	if err != nil {
		return nil, nil, badAnswer(a.op, a.status, "the answer is not an eligibility report")
	}
	if err := ref.answered(a, body.Meta); err != nil {
		return nil, nil, err
	}
	return a.body, body, nil
}
