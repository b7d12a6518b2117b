package sandbox

import (
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
		Prepared:    s.prepared,
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

// Attach sets the prepared contents as the report's input. Data on the consumer that the
// contents lack are those that were typed.
func (p testData) Attach(ctx context.Context, tx *store.Tx, customerID, id, publicToken string, in reports.Input) error {
	c, err := p.prepared.Contents(ctx, tx, customerID, id)
	if err != nil {
		return err
	}
	c.identify(&in)
	in.Supplier = c.Supplier
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

// identify replaces a consumer by that of the contents, if they have one.
func (c Contents) identify(in *reports.Input) {
	var known reports.Given
	switch {
	case c.Consumer != nil:
		in.Consumer, in.Source, in.Born = c.Consumer, report.CustomerInput, reports.BirthDate(c.Born)
		known.DOB, known.State = c.Born != "", c.State
	case in.Given != nil:
		known = *in.Given
	}
	if len(c.Employers) > 0 {
		known.Employers = c.Employers
	} else if in.Given != nil {
		known.Employers, known.AnnualIncome = in.Given.Employers, in.Given.AnnualIncome
	}
	in.Given = known.OrNil()
}

// Fill makes a prepared report the input of a submission. What it lacks is the
// submission's.
func (p testData) Fill(ctx context.Context, q store.Queryer, customerID, id string, in *reports.Input) error {
	c, err := p.prepared.Contents(ctx, q, customerID, id)
	if err == nil {
		c.identify(in)
		in.Profile, in.Data, in.At = c.Profile, c.Data, c.At
	}
	return err
}
