package sandbox

import (
	"cmp"
	"context"
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sandbox/stubs"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Sources returns the generated data sources for customers of the sandbox environment.
func (s *Sandbox) Sources(of provider.Services) provider.Sources {
	prepared := preparedReports{s.prepared, of.Reports, of.Customers}
	out := provider.Sources{
		Visits: visits.Catalogue{Banks: bankList(), Bank: profiles.Bank{}, Employers: employerList(), Payroll: payroll.Providers{},
			Prepared: prepared, Scenarios: true},
		Reports:     reports.Sources{Bank: profiles.Bank{}, Payroll: payroll.Providers{}, Stubs: stubs.Files{}},
		Submissions: submissionSandbox{prepared},
		Connectors:  slices.Concat(s.banks.connectors(), []sources.Connector{suppliers.Bureaus{}}),
	}
	for _, b := range banks.All() {
		out.Banks = append(out.Banks, bankaccounts.Bank{Name: b.Name, OAuth: b.OAuth, Homepage: b.Homepage, Tokens: b.Tokens})
	}
	return out
}

// bankList returns the mock banks in the form of the widget.
func bankList() (out []visits.Bank) {
	for _, b := range banks.All() {
		out = append(out, visits.Bank{ID: b.ID, Name: b.Name, Place: b.Place, Large: b.Large})
	}
	return out
}

// employerList returns the payroll providers in the form of the widget.
func employerList() (out []visits.Bank) {
	for _, p := range payroll.All() {
		out = append(out, visits.Bank{ID: p.ID, Name: p.Name, Place: p.Hint, PlaceES: p.HintES})
	}
	return out
}

// preparedReports serves prepared reports to visits and submissions.
type preparedReports struct {
	prepared  *Prepared
	reports   *reports.Service
	customers *customers.Service
}

// Lookup returns the kind of a prepared report that the customer may use.
func (p preparedReports) Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error) {
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
func (p preparedReports) Attach(ctx context.Context, tx *store.Tx, customerID, id, publicToken string, in reports.Input) error {
	c, err := p.prepared.Contents(ctx, tx, customerID, id)
	if err != nil {
		return err
	}
	if in.Consumer == nil && c.Consumer != nil {
		in.Consumer, in.Source, in.Born = c.Consumer, report.CustomerInput, reports.Born(c.Born)
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

// submissionSandbox provides the sandbox's data in place of submitted data.
type submissionSandbox struct{ prepared preparedReports }

func (submissionSandbox) Profile(firstName string) string { return profiles.Bank{}.Of(firstName) }

func (s submissionSandbox) Prepared(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error) {
	return s.prepared.Lookup(ctx, q, customerID, id)
}

func (s submissionSandbox) Fill(ctx context.Context, q store.Queryer, customerID, id string, in *reports.Input) error {
	c, err := s.prepared.prepared.Contents(ctx, q, customerID, id)
	if err == nil {
		in.Profile, in.Data, in.At = c.Profile, c.Data, c.At
	}
	return err
}
