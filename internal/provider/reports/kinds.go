package reports

import (
	"cmp"
	"context"
	"fmt"

	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
)

// kind is what differs between the kinds of reports.
type kind struct {
	// compute returns the status of a report for its input and, if that is SUCCESS, its body.
	compute    func(context.Context, *Service, Report, Input) (contract.Status, contract.Substatus, any, error)
	files      bool // has a list of files; otherwise its only file is its PDF
	analysis   bool // has a file that explains its figures
	payroll    bool // has a file for each payroll connection
	verifies   bool // lists its files in its body, lists what failed, and uses accounts of every type
	correction bool // its figures may be corrected
}

// kinds has all kinds of reports. A passport is computed from a supplier's file, by
// generatePassport.
var kinds = map[contract.Product]kind{
	contract.Cashflow:    {compute: computeCashflow, files: true, analysis: true},
	contract.Income:      {compute: computeIncome, files: true, payroll: true, correction: true},
	contract.Eligibility: {compute: computeEligibility, files: true, payroll: true, verifies: true},
	contract.Passport:    {},
}

// envelope returns what a report has in common with reports of every kind, and the
// effective configuration of its product.
func (s *Service) envelope(ctx context.Context, r Report, in Input) (report.Envelope, customers.Configuration, error) {
	p, err := s.Customers.Product(ctx, s.DB.SQL, r.CustomerID, r.ProductID)
	var c customers.Consumer
	if err == nil && r.ConsumerID != "" {
		c, err = s.Customers.Consumer(ctx, s.DB.SQL, r.CustomerID, r.ConsumerID)
	}
	if err != nil {
		return report.Envelope{}, customers.Configuration{}, fmt.Errorf("reports: subject: %w", err)
	}
	return report.Envelope{PublicToken: r.PublicToken, ExternalID: r.ExternalID, UserArgs: r.UserArgs,
		ConsumerID: r.ConsumerID, ConsumerExternalID: c.ExternalID,
		Product:     report.Product{Name: p.Name, ProductID: p.ID, InquiryType: p.InquiryType},
		InputSource: in.Source, InputUUID: derivedID(r.PublicToken, "input"), InputRecordID: derivedID(r.PublicToken, "input-record"),
	}, p.Configuration, nil
}

func computeCashflow(ctx context.Context, s *Service, r Report, in Input) (contract.Status, contract.Substatus, any, error) {
	status, sub := in.Data.Outcome(r.Retrieved)
	if status != contract.StatusSuccess {
		return status, sub, nil, nil
	}
	envelope, configured, err := s.envelope(ctx, r, in)
	if err != nil {
		return "", "", nil, err
	}
	body := cashflow.Build(cashflow.Input{Envelope: envelope, Consumer: in.Consumer, Bank: *in.Data, Failed: in.Failed,
		Options: cashflow.Options{Attributes: true, Deprecated: configured.DeprecatedAttributes,
			ScoreV1: configured.ScoreV1, ScoreV21: configured.ScoreV21},
	}, r.Retrieved)
	body.Notices, err = s.alertNotices(ctx, r)
	return status, sub, body, err
}

func computeIncome(ctx context.Context, s *Service, r Report, in Input) (contract.Status, contract.Substatus, any, error) {
	from := income.Input{Consumer: in.Consumer, Bank: *in.Data, Payroll: in.Payroll, Paystubs: in.Paystubs, Failed: in.Failed,
		Notices: incomeNotices(in)}
	if g := in.Given; g != nil {
		from.State, from.StatedEmployers, from.StatedAnnualIncome = g.State, g.Employers, g.AnnualIncome
	}
	status, sub := from.Outcome(r.Retrieved)
	if status != contract.StatusSuccess {
		return status, sub, nil, nil
	}
	envelope, configured, err := s.envelope(ctx, r, in)
	if err != nil {
		return "", "", nil, err
	}
	alert, err := s.alertNotices(ctx, r)
	if err != nil {
		return "", "", nil, err
	}
	from.Notices = append(from.Notices, alert...)
	from.Envelope = envelope
	from.Options = income.Options{Suite: configured.IncomeModelSuite, Inflows: configured.IncomeInflows}
	return status, sub, income.Build(from, r.Retrieved), nil
}

// computeEligibility leaves out what the configuration does not verify, even if it was
// retrieved.
func computeEligibility(ctx context.Context, s *Service, r Report, in Input) (contract.Status, contract.Substatus, any, error) {
	envelope, configured, err := s.envelope(ctx, r, in)
	if err != nil {
		return "", "", nil, err
	}
	envelope.InputSource = cmp.Or(in.Source, report.ConsumerInput) // employers may be stated without a name
	from := eligibility.Input{Envelope: envelope, Workflow: cmp.Or(configured.EligibilityKind, report.IncomeAndAssets),
		Consumer: in.Consumer, Bank: *in.Data, Gathered: gathered(in), Notices: eligibilityNotices()}
	if in.Given != nil {
		from.StatedEmployers = in.Given.Employers
	}
	alert, err := s.alertNotices(ctx, r)
	if err != nil {
		return "", "", nil, err
	}
	from.Notices = append(from.Notices, alert...)
	if from.Files, err = s.eligibilityDocuments(ctx, r, in, from.Workflow); err != nil {
		return "", "", nil, err
	}
	status, sub := eligibility.Outcome(from, r.Retrieved)
	if status != contract.StatusSuccess {
		return status, sub, nil, nil
	}
	return status, sub, eligibility.Build(from, r.Retrieved), nil
}

// uses reports whether reports of a kind use accounts of a type.
func (k kind) uses(accountType string) bool {
	return k.verifies || accountType == report.CashEquivalent
}
