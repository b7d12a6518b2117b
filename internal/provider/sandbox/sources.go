package sandbox

import (
	"cmp"
	"context"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sandbox/stubs"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Sources returns what the sandbox adds to visits, reports, and submissions.
func (s *Sandbox) Sources(of provider.Services) provider.Sources {
	data := testData{s.prepared, of.Reports, of.Customers}
	return provider.Sources{
		Connectors:  append(s.banks.connectors(), bankForms(), payrollForms(), suppliers.Bureaus{}),
		Visits:      data,
		Reports:     reports.Sandbox{Stubs: stubs.Files{}, Data: profiles.Bank{}.Fetch},
		Submissions: data,
	}
}

// testData serves prepared reports and test profiles to visits and submissions.
type testData struct {
	prepared  *Prepared
	reports   *reports.Service
	customers *customers.Service
}

// Lookup returns the kind of a prepared report that the customer may use.
func (p testData) Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error) {
	ok, err := p.customers.Entitled(ctx, q, customerID, customers.PreparedReports)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", store.ErrNotFound
	}
	return p.prepared.Lookup(ctx, q, customerID, id)
}

// Attach sets the prepared contents as the report's input. Other data on the consumer
// are those that were typed, or else those uploaded.
func (p testData) Attach(ctx context.Context, tx *store.Tx, customerID, id, publicToken string, in reports.Input) error {
	c, err := p.prepared.Contents(ctx, tx, customerID, id)
	if err != nil {
		return err
	}
	if in.Consumer == nil && c.Consumer != nil {
		in.Consumer, in.Source, in.Born = c.Consumer, report.CustomerInput, reports.BirthDate(c.Born)
	}
	var known reports.Given
	if in.Given != nil {
		known = *in.Given
	}
	known.DOB, known.State = known.DOB || c.Born != "", cmp.Or(known.State, c.State)
	if len(known.Employers) == 0 {
		known.Employers = c.Employers
	}
	in.Given, in.Supplier = known.OrNil(), c.Supplier
	in.Profile, in.Data, in.At = c.Profile, c.Data, c.At
	for _, s := range c.Payroll {
		in.SignIns = append(in.SignIns, reports.SignIn{Provider: s.Provider, Profile: s.Username})
		if c.Data != nil { // nothing is retrieved beside data that are there
			at := c.At
			if at.IsZero() {
				at = p.reports.Now()
			}
			in.Payroll = append(in.Payroll, payroll.Providers{}.Fetch(s.Provider, s.Username, publicToken, at))
		}
	}
	return p.reports.Attach(ctx, tx, publicToken, in)
}

// Profile returns the profile that a submission's first name selects.
func (testData) Profile(firstName string) string { return profiles.Bank{}.Of(firstName) }

// Fill adds the data of a prepared report to the input of a submission, which has the rest.
func (p testData) Fill(ctx context.Context, q store.Queryer, customerID, id string, in *reports.Input) error {
	c, err := p.prepared.Contents(ctx, q, customerID, id)
	if err == nil {
		in.Profile, in.Data, in.At = c.Profile, c.Data, c.At
	}
	return err
}
