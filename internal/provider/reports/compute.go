package reports

import (
	"context"
	"fmt"

	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/analysis/income"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

// Configured knows what the configuration in force has reports made with.
type Configured interface {
	Cashflow(ctx context.Context, q store.Queryer, customerID, productID string) (cashflow.Options, error)
	Income(ctx context.Context, q store.Queryer, customerID, productID string) (income.Options, error)
	Eligibility(ctx context.Context, q store.Queryer, customerID, productID string) (report.Workflow, error)
}

// compute returns the status of a report for what it is made from, and its body
// where that is SUCCESS: by its kind, and as the configuration in force has it.
func (s *Service) compute(ctx context.Context, r Report, in Input) (status svc.Status, sub svc.Substatus, body any, err error) {
	switch r.Kind {
	case svc.Eligibility:
		return s.eligibility(ctx, r, in)
	case svc.Income:
		of := income.Input{Bank: *in.Data, Payroll: in.Payroll, Paystubs: in.Paystubs}
		status, sub = of.Outcome(r.Retrieved)
	default:
		status, sub = cashflow.Outcome(*in.Data, r.Retrieved)
	}
	if status != svc.StatusSuccess {
		return status, sub, nil, nil
	}
	product, consumerExternalID, err := s.Subjects.Subject(ctx, s.DB.SQL, r.CustomerID, r.ProductID, r.ConsumerID)
	if err != nil {
		return "", "", nil, fmt.Errorf("reports: subject: %w", err)
	}
	if r.Kind == svc.Income {
		options := income.Options{}
		if s.Configured != nil {
			if options, err = s.Configured.Income(ctx, s.DB.SQL, r.CustomerID, r.ProductID); err != nil {
				return "", "", nil, fmt.Errorf("reports: configuration: %w", err)
			}
		}
		var given Given
		if in.Given != nil {
			given = *in.Given
		}
		return status, sub, income.Build(income.Input{
			PublicToken: r.PublicToken, ExternalID: r.ExternalID, UserArgs: r.UserArgs,
			ConsumerID: r.ConsumerID, ConsumerExternalID: consumerExternalID,
			Product: product, InputSource: in.Source, InputRecordID: derived(r.PublicToken, "input-record"),
			Consumer: in.Consumer, State: given.State, StatedEmployers: given.Employers, StatedAnnualIncome: given.AnnualIncome,
			Bank: *in.Data, Payroll: in.Payroll, Paystubs: in.Paystubs, Failed: in.Failed, Options: options,
			Notices: incomeNotices(in),
		}, r.Retrieved), nil
	}
	options := cashflow.Options{Attributes: true}
	if s.Configured != nil {
		if options, err = s.Configured.Cashflow(ctx, s.DB.SQL, r.CustomerID, r.ProductID); err != nil {
			return "", "", nil, fmt.Errorf("reports: configuration: %w", err)
		}
	}
	return status, sub, cashflow.Build(cashflow.Input{
		PublicToken: r.PublicToken, ExternalID: r.ExternalID, UserArgs: r.UserArgs,
		ConsumerID: r.ConsumerID, ConsumerExternalID: consumerExternalID,
		Product: product, InputSource: in.Source, InputUUID: derived(r.PublicToken, "input"),
		InputRecordID: derived(r.PublicToken, "input-record"), Consumer: in.Consumer, Bank: *in.Data,
		Options: options,
	}, r.Retrieved), nil
}
