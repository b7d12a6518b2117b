package provider

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/invites"
	"vestibule/internal/provider/redirects"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// visitCustomers tells visits about customers.
type visitCustomers struct{ customers *customers.Service }

func (v visitCustomers) Name(ctx context.Context, q store.Queryer, customerID string) (string, error) {
	a, err := v.customers.ByID(ctx, q, customerID)
	return a.Shown(), err
}

func (v visitCustomers) Product(ctx context.Context, q store.Queryer, customerID, productID string) (visits.Product, error) {
	p, err := v.customers.Product(ctx, q, customerID, productID)
	return visits.Product{Kind: p.Kind, Name: p.Name, InquiryType: p.InquiryType,
		AssetsOnly: p.Configuration.EligibilityKind == report.AssetsOnly, IncomeOnly: p.Configuration.EligibilityKind == report.IncomeOnly}, err
}

// Consumer leaves out consumers that withdrew their consent: nothing new is
// begun for them.
func (v visitCustomers) Consumer(ctx context.Context, q store.Queryer, customerID, consumerID string) (visits.Consumer, error) {
	c, err := v.customers.Consumer(ctx, q, customerID, consumerID)
	if err == nil && c.ConsentWithdrawn {
		err = store.ErrNotFound
	}
	return visits.Consumer{ID: c.ID, ExternalID: c.ExternalID, KeyID: c.KeyID, Prefill: c.Prefill}, err
}

func (v visitCustomers) CreateConsumer(ctx context.Context, tx *sql.Tx, customerID string, prefill json.RawMessage) (visits.Consumer, error) {
	c, err := v.customers.CreateConsumer(ctx, tx, customerID, "", prefill)
	return visits.Consumer{ID: c.ID, KeyID: c.KeyID, Prefill: c.Prefill}, err
}

func (v visitCustomers) WidgetOrigins(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	return v.customers.WidgetOrigins(ctx, q, customerID)
}

// visitReports makes the reports of visits.
type visitReports struct{ reports *reports.Service }

func (v visitReports) Create(ctx context.Context, tx *sql.Tx, n visits.NewReport) (string, error) {
	r, err := v.reports.Create(ctx, tx, reports.New{CustomerID: n.Caller.CustomerID, ProductID: n.ProductID, Kind: n.Product.Kind,
		ExternalID: n.ExternalID, UserArgs: n.UserArgs, ConsumerID: n.Consumer.ID, KeyID: n.Consumer.KeyID})
	return r.PublicToken, visitError(err)
}

func (v visitReports) Label(ctx context.Context, tx *sql.Tx, publicToken, externalID, userArgs string) error {
	return visitError(v.reports.Label(ctx, tx, publicToken, externalID, userArgs))
}

func visitError(err error) error {
	if errors.Is(err, reports.ErrDuplicateExternalID) {
		return visits.ErrDuplicateExternalID
	}
	return err
}

func (v visitReports) Attach(ctx context.Context, tx *sql.Tx, publicToken string, from visits.Source) error {
	in := InputOf(from)
	in.Banks, in.SignIns, in.Documents, in.Supplier = signIns(from.Banks), signIns(from.Payroll), from.Documents, from.Supplier
	if from.Skipped != nil {
		in.Gathered = &eligibility.Gathered{Skipped: from.Skipped}
	}
	return v.reports.Attach(ctx, tx, publicToken, in)
}

// InputOf is an input with what the consumer typed, and nothing else yet.
func InputOf(from visits.Source) reports.Input {
	known := reports.Given{DOB: from.DOB != "", State: from.State, Employers: from.Employers, AnnualIncome: from.AnnualIncome}.OrNil()
	if from.FirstName == "" && from.LastName == "" {
		return reports.Input{Given: known}
	}
	p := &bankdata.Person{FirstName: from.FirstName, LastName: from.LastName}
	if from.Email != "" {
		p.Emails = []string{from.Email}
	}
	return reports.Input{Consumer: p, Source: report.ConsumerInput, Born: Born(from.DOB), Given: known}
}

// Born is a date of birth that was checked when it came; zero for none.
func Born(dob string) report.Date {
	day, _ := time.Parse(time.DateOnly, dob)
	return report.Date{Time: day}
}

func (v visitReports) SetStatus(ctx context.Context, tx *sql.Tx, publicToken string, status contract.Status, sub contract.Substatus) error {
	_, err := v.reports.SetStatus(ctx, tx, publicToken, status, sub)
	return err
}

func (v visitReports) Status(ctx context.Context, q store.Queryer, publicToken string) (contract.Status, contract.Substatus, error) {
	r, err := v.reports.Get(ctx, q, publicToken)
	return r.Status, r.Substatus, err
}

// visitReturns tells visits the way back of a redirect.
type visitReturns struct {
	redirects *redirects.Service
	invites   *invites.Service
}

func (v visitReturns) Return(ctx context.Context, q store.Queryer, e visits.Ended) (visits.Return, bool, error) {
	back, ok, err := v.redirects.Return(ctx, q, redirects.Ended(e))
	return visits.Return(back), ok, err
}

func (v visitReturns) Origin(ctx context.Context, q store.Queryer, visitID string) (string, error) {
	return v.redirects.Origin(ctx, q, visitID)
}

// Visit also finds the visit of an invite, by the handle of its link.
func (v visitReturns) Visit(ctx context.Context, q store.Queryer, token string) (string, error) {
	id, err := v.redirects.Visit(ctx, q, token)
	if errors.Is(err, store.ErrNotFound) {
		id, err = v.invites.Visit(ctx, q, token)
	}
	return id, err
}

// inviteVisits makes the visits of invites.
type inviteVisits struct {
	visits  *visits.Service
	reports *reports.Service
}

func (i inviteVisits) Begin(ctx context.Context, tx *sql.Tx, caller auth.Caller, members map[string]json.RawMessage, handle string) (invites.Begun, error) {
	id, publicToken, err := i.visits.Begin(ctx, tx, caller, members, handle)
	if err != nil {
		return invites.Begun{}, err
	}
	v, err := i.visits.Summary(ctx, tx, publicToken)
	if err != nil {
		return invites.Begun{}, err
	}
	r, err := i.reports.Get(ctx, tx, publicToken)
	return invites.Begun{VisitID: id, PublicToken: publicToken, KeyID: r.KeyID, Expires: v.Expires}, err
}

// redirectAccounts tells redirects how an account wants its outcomes.
type redirectAccounts struct{ customers *customers.Service }

func (r redirectAccounts) Account(ctx context.Context, q store.Queryer, customerID string) (redirects.Account, error) {
	a, err := r.customers.ByID(ctx, q, customerID)
	return redirects.Account{PublicID: a.PublicID, Post: a.ReturnMode == "post", FormOnly: a.RequireForm, CompleteURLs: a.CompleteURLs}, err
}

// submissionAccounts tells submissions about products.
type submissionAccounts struct{ customers *customers.Service }

func (s submissionAccounts) Kind(ctx context.Context, q store.Queryer, customerID, productID string) (contract.Product, error) {
	p, err := s.customers.Product(ctx, q, customerID, productID)
	return p.Kind, err
}

// submissionReports makes the reports of submissions.
type submissionReports struct {
	reports  *reports.Service
	prepared func(ctx context.Context, q store.Queryer, customerID, sandboxReportID string, in *reports.Input) error
}

func (s submissionReports) Prepare(n submissions.New) (func(context.Context, *sql.Tx) error, error) {
	in := reports.Input{Consumer: &n.Person, Source: report.CustomerInput, Profile: n.Profile, Data: n.Data, At: n.At,
		Given: reports.Given{DOB: n.DOB, State: n.State}.OrNil()}
	var packed reports.Packed
	if !n.Failed && n.SandboxReportID == "" {
		var err error
		if packed, err = reports.Pack(in); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := s.reports.Create(ctx, tx, reports.New{PublicToken: n.PublicToken, CustomerID: n.CustomerID, ProductID: n.ProductID,
			Kind: contract.Cashflow, ExternalID: n.ExternalID, UserArgs: n.UserArgs})
		switch {
		case errors.Is(err, reports.ErrDuplicateExternalID):
			return submissions.ErrDuplicateExternalID
		case err != nil:
			return err
		case n.Failed:
			_, err = s.reports.SetStatus(ctx, tx, n.PublicToken, contract.StatusError, n.Substatus)
			return err
		case n.SandboxReportID != "":
			if err := s.prepared(ctx, tx, n.CustomerID, n.SandboxReportID, &in); err != nil {
				return err
			}
			return s.reports.Attach(ctx, tx, n.PublicToken, in)
		}
		return s.reports.AttachPacked(ctx, tx, n.PublicToken, packed, jobs.Behind()) // an applicant waits for theirs
	}, nil
}

// accountCustomers tells bankaccounts what was agreed to.
type accountCustomers struct{ customers *customers.Service }

func (a accountCustomers) Entitled(ctx context.Context, q store.Queryer, customerID string) (bool, error) {
	return a.customers.Entitled(ctx, q, customerID, customers.AccountNumbers)
}

func (a accountCustomers) Withdrawn(ctx context.Context, q store.Queryer, customerID, consumerID string) (bool, error) {
	return a.customers.ConsentWithdrawn(ctx, q, customerID, consumerID)
}

// accountReports finds the accounts behind reports.
type accountReports struct{ reports *reports.Service }

func (a accountReports) Named(r *http.Request) (bankaccounts.Report, error) {
	rep, err := a.reports.Named(r)
	if err == nil && rep.Status != contract.StatusSuccess {
		err = reports.NotReady(rep)
	}
	return bankaccounts.Report{PublicToken: rep.PublicToken, CustomerID: rep.CustomerID, ConsumerID: rep.ConsumerID}, err
}
