package reports

import (
	"context"
	"fmt"

	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
)

// subject returns the product of a report with its effective configuration, and the
// customer's id of the consumer, or "".
func (s *Service) subject(ctx context.Context, r Report) (p customers.Product, consumerExternalID string, err error) {
	if p, err = s.Customers.Product(ctx, s.DB.SQL, r.CustomerID, r.ProductID); err == nil && r.ConsumerID != "" {
		var c customers.Consumer
		c, err = s.Customers.Consumer(ctx, s.DB.SQL, r.CustomerID, r.ConsumerID)
		consumerExternalID = c.ExternalID
	}
	if err != nil {
		return p, "", fmt.Errorf("reports: subject: %w", err)
	}
	return p, consumerExternalID, nil
}

// productOf returns a product in the form used in reports.
func productOf(p customers.Product) report.Product {
	return report.Product{Name: p.Name, ProductID: p.ID, InquiryType: p.InquiryType}
}

// compute returns the status of a report for its input and, if that is SUCCESS, its
// body, by its kind and effective configuration.
func (s *Service) compute(ctx context.Context, r Report, in Input) (status contract.Status, sub contract.Substatus, body any, err error) {
	switch r.Kind {
	case contract.Eligibility:
		return s.eligibility(ctx, r, in)
	case contract.Income:
		of := income.Input{Bank: *in.Data, Payroll: in.Payroll, Paystubs: in.Paystubs}
		status, sub = of.Outcome(r.Retrieved)
	default:
		status, sub = in.Data.Outcome(r.Retrieved)
	}
	if status != contract.StatusSuccess {
		return status, sub, nil, nil
	}
	product, consumerExternalID, err := s.subject(ctx, r)
	if err != nil {
		return "", "", nil, err
	}
	configured := product.Configuration
	if r.Kind == contract.Income {
		var given Given
		if in.Given != nil {
			given = *in.Given
		}
		return status, sub, income.Build(income.Input{
			PublicToken: r.PublicToken, ExternalID: r.ExternalID, UserArgs: r.UserArgs,
			ConsumerID: r.ConsumerID, ConsumerExternalID: consumerExternalID,
			Product: productOf(product), InputSource: in.Source, InputRecordID: derivedID(r.PublicToken, "input-record"),
			Consumer: in.Consumer, State: given.State, StatedEmployers: given.Employers, StatedAnnualIncome: given.AnnualIncome,
			Bank: *in.Data, Payroll: in.Payroll, Paystubs: in.Paystubs, Failed: in.Failed,
			Options: income.Options{Suite: configured.IncomeModelSuite, Inflows: configured.IncomeInflows},
			Notices: incomeNotices(in),
		}, r.Retrieved), nil
	}
	return status, sub, cashflow.Build(cashflow.Input{
		PublicToken: r.PublicToken, ExternalID: r.ExternalID, UserArgs: r.UserArgs,
		ConsumerID: r.ConsumerID, ConsumerExternalID: consumerExternalID,
		Product: productOf(product), InputSource: in.Source, InputUUID: derivedID(r.PublicToken, "input"),
		InputRecordID: derivedID(r.PublicToken, "input-record"), Consumer: in.Consumer, Bank: *in.Data, Failed: in.Failed,
		Options: cashflow.Options{Attributes: true, Deprecated: configured.DeprecatedAttributes,
			ScoreV1: configured.ScoreV1, ScoreV21: configured.ScoreV21},
	}, r.Retrieved), nil
}
