package provider

import (
	"context"
	"net/url"
	"slices"
	"testing"

	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
)

// listed is a connector that only lists institutions.
type listed []sources.Institution

func (l listed) Institutions() []sources.Institution { return l }

func (listed) Authorize(context.Context, string, sources.AuthorizeRequest) (a sources.Authorization, err error) {
	return a, err
}
func (listed) Complete(context.Context, string, []byte, url.Values) (g sources.Grant, err error) {
	return g, err
}
func (listed) Renew(_ context.Context, _ string, g sources.Grant) (sources.Grant, error) {
	return g, nil
}
func (listed) Fetch(context.Context, string, sources.Grant, report.Date, report.Date) (f sources.Fetched, err error) {
	return f, err
}
func (listed) Revoke(context.Context, string, sources.Grant) error { return nil }

func TestInstitutionsOfConnectorsAreOffered(t *testing.T) {
	sandbox := Sources{
		Visits:     visits.Catalogue{Banks: []visits.Bank{{ID: "tern", Name: "Tern"}}, Employers: []visits.Bank{{ID: "acme", Name: "Acme"}}},
		Banks:      []bankaccounts.Bank{{Name: "Tern"}},
		Connectors: []sources.Connector{suppliers.Bureaus{}},
	}
	operator := listed{
		{ID: "tern", Name: "Tern Bank", OAuth: []string{"login.tern.example"}},
		{ID: "wide", Name: "Wide Bank", Large: true},
		{ID: "acme", Kind: sources.Payroll, Name: "Acme Payroll", Place: "Online"},
		{ID: "MEX_CDC", Kind: sources.Supplier, Name: "Bureau of the operator"},
	}
	got := sandbox.with([]sources.Connector{operator})
	if !slices.Equal(got.Visits.Banks, []visits.Bank{{ID: "wide", Name: "Wide Bank", Large: true, Authorize: true},
		{ID: "tern", Name: "Tern Bank", Authorize: true}}) {
		t.Errorf("banks %+v", got.Visits.Banks)
	}
	if !slices.Equal(got.Visits.Employers, []visits.Bank{{ID: "acme", Name: "Acme Payroll", Place: "Online", Authorize: true}}) {
		t.Errorf("payroll providers %+v", got.Visits.Employers)
	}
	all := got.Visits.Suppliers
	if len(all) != len(report.Suppliers()) || all[len(all)-1].ID != report.DocumentSupplier ||
		!slices.ContainsFunc(all, func(b visits.Bank) bool { return b.Name == "Bureau of the operator" }) {
		t.Errorf("suppliers %+v", all)
	}
	if empty := (Sources{}).with(nil).Visits; len(empty.Banks)+len(empty.Employers)+len(empty.Suppliers) != 0 {
		t.Errorf("without connectors, %+v are offered", empty)
	}
}

// Suppliers are found by their country, in both languages and in the country's own.
func TestFindSuppliersByCountry(t *testing.T) {
	all := Sources{Connectors: []sources.Connector{suppliers.Bureaus{}}}.with(nil).Visits.Suppliers
	for _, query := range []string{"Germany", "alemania", "Deutschland", "Reino Unido", "united kingdom",
		"Filipinas", "Corea", "Suiza", "Schweiz", "China", "中国"} {
		if found, _ := visits.FindBanks(all, query); len(found) == 0 {
			t.Errorf("%s finds nothing", query)
		}
	}
}
