package reports

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
	compute  func(subject, Report, Input) (contract.Status, contract.Substatus, any)
	files    bool // has a list of files; otherwise its only file is its PDF
	analysis bool // has a file that explains its figures
	payroll  bool // has a file for each payroll connection
	verifies bool // lists its files in its body, lists what failed, and uses accounts of every type
}

// subject is what a report is computed with besides its input.
type subject struct {
	report.Envelope
	configured customers.Configuration
	files      []report.EligibilityDocument
	notices    []report.ConsumerNotice // of a fraud alert, of carried corrections, and the consumer's statements
}

// kinds has all kinds of reports. A passport is computed from a supplier's file, by
// generatePassport.
var kinds = map[contract.Product]kind{
	contract.Cashflow:    {compute: computeCashflow, files: true, analysis: true},
	contract.Income:      {compute: computeIncome, files: true, payroll: true},
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
		InputSource: in.Source, InputUUID: DerivedID(r.PublicToken, "input"), InputRecordID: DerivedID(r.PublicToken, "input-record"),
	}, p.Configuration, nil
}

// subjectOf returns what a new report is computed with.
func (s *Service) subjectOf(ctx context.Context, r Report, in Input) (of subject, err error) {
	if of.Envelope, of.configured, err = s.envelope(ctx, r, in); err == nil && kinds[r.Kind].verifies {
		of.files, err = s.eligibilityDocuments(ctx, r, in, cmp.Or(of.configured.EligibilityKind, report.IncomeAndAssets))
	}
	if err == nil {
		of.notices, err = s.notices(ctx, r, in)
		of.notices = withStatements(of.notices, in.Corrections)
	}
	return of, err
}

// subjectOfBody returns what the next revision of a report is computed with: labels, product,
// options and files as in its body, whatever they are now.
func (s *Service) subjectOfBody(ctx context.Context, r Report, in Input, body any) (of subject, err error) {
	if of.Envelope, of.configured, err = s.envelope(ctx, r, in); err != nil {
		return of, err
	}
	if of.notices, err = s.notices(ctx, r, in); err != nil {
		return of, err
	}
	var meta *report.Meta
	var product *report.Product
	c := &of.configured
	switch b := body.(type) {
	case *report.Cashflow:
		meta, product = b.Meta, b.Product
		c.DeprecatedAttributes = len(b.Attributes) > 0 && cashflow.HasDeprecated(b.Attributes)
		c.ScoreV1 = slices.ContainsFunc(b.Scores, func(x report.Score) bool { return x.ScoreVersion == "v1.0" })
		c.ScoreV21 = slices.ContainsFunc(b.Scores, func(x report.Score) bool { return x.ScoreVersion == "v2.1" })
	case *report.Income:
		meta, product = b.Meta, b.Product
		if b.Income != nil && len(b.Income.FinancialAccounts) > 0 {
			a := b.Income.FinancialAccounts[0]
			c.IncomeModelSuite, c.IncomeInflows = a.ModelVersion, a.IncomeSuite2 != nil
		}
	case *report.Eligibility:
		meta, product, of.files = b.Meta, b.Product, b.Documents
		switch {
		case b.Assets == nil:
			c.EligibilityKind = report.IncomeOnly
		case b.Employment == nil && b.StatedEmployers == nil && b.Income == nil && b.Notices == nil:
			c.EligibilityKind = report.AssetsOnly
		default:
			c.EligibilityKind = report.IncomeAndAssets
		}
	}
	if meta != nil {
		of.ExternalID, of.UserArgs = report.Text(meta.ExternalID), report.Text(meta.UserArgs)
		of.ConsumerID, of.ConsumerExternalID = report.Text(meta.ConsumerID), report.Text(meta.ConsumerExternalID)
	}
	if product != nil {
		of.Product = *product
	}
	return of, nil
}

// compute returns the status of a report for its input with its corrections and, if that is
// SUCCESS, its body. It waits for the turn of a computation.
func (s *Service) compute(ctx context.Context, of subject, r Report, in Input) (contract.Status, contract.Substatus, any, error) {
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-ctx.Done():
		return "", "", nil, ctx.Err()
	}
	status, sub, body := kinds[r.Kind].compute(of, r, in.corrected(r))
	return status, sub, body, nil
}

func computeCashflow(of subject, r Report, in Input) (contract.Status, contract.Substatus, any) {
	status, sub := in.Data.Outcome(r.Retrieved)
	if status != contract.StatusSuccess {
		return status, sub, nil
	}
	body := cashflow.Build(cashflow.Input{Envelope: of.Envelope, Consumer: in.Consumer, Bank: *in.Data, Failed: in.Failed,
		Options: cashflow.Options{Attributes: true, Deprecated: of.configured.DeprecatedAttributes,
			ScoreV1: of.configured.ScoreV1, ScoreV21: of.configured.ScoreV21},
	}, r.Retrieved)
	body.Notices = of.notices
	return status, sub, &body
}

// incomeInput returns the input of an income report without envelope and options.
func incomeInput(in Input) income.Input {
	out := income.Input{Consumer: in.Consumer, Bank: *in.Data, Payroll: in.Payroll, Paystubs: in.Paystubs, Failed: in.Failed,
		Notices: incomeNotices(in)}
	if g := in.Given; g != nil {
		out.State, out.StatedEmployers, out.StatedAnnualIncome = g.State, g.Employers, g.AnnualIncome
	}
	return out
}

func computeIncome(of subject, r Report, in Input) (contract.Status, contract.Substatus, any) {
	from := incomeInput(in)
	status, sub := from.Outcome(r.Retrieved)
	if status != contract.StatusSuccess {
		return status, sub, nil
	}
	from.Envelope, from.Notices = of.Envelope, append(from.Notices, of.notices...)
	from.Options = income.Options{Suite: of.configured.IncomeModelSuite, Inflows: of.configured.IncomeInflows}
	body := income.Build(from, r.Retrieved)
	return status, sub, &body
}

// computeEligibility leaves out what the configuration does not verify, even if it was
// retrieved.
func computeEligibility(of subject, r Report, in Input) (contract.Status, contract.Substatus, any) {
	of.InputSource = cmp.Or(in.Source, report.ConsumerInput) // employers may be stated without a name
	from := eligibility.Input{Envelope: of.Envelope, Workflow: cmp.Or(of.configured.EligibilityKind, report.IncomeAndAssets),
		Consumer: in.Consumer, Bank: *in.Data, Gathered: gathered(in), Notices: append(eligibilityNotices(), of.notices...), Files: of.files}
	if in.Given != nil {
		from.StatedEmployers = in.Given.Employers
	}
	status, sub := eligibility.Outcome(from, r.Retrieved)
	if status != contract.StatusSuccess {
		return status, sub, nil
	}
	return status, sub, new(eligibility.Build(from, r.Retrieved))
}

func (k kind) uses(accountType string) bool {
	return k.verifies || accountType == report.CashEquivalent
}
