package provider

import (
	"context"
	"net/url"
	"slices"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
)

// listed is a connector that only lists institutions.
type listed []sources.Institution

func (l listed) Institutions() []sources.Institution { return l }

// authorizing is a connector to institutions with their own pages that only lists them.
type authorizing struct{ listed }

func (authorizing) Authorize(context.Context, string, sources.AuthorizeRequest) (a sources.Authorization, err error) {
	return a, err
}
func (authorizing) Complete(context.Context, string, []byte, url.Values) (g sources.Grant, err error) {
	return g, err
}
func (authorizing) Renew(_ context.Context, _ string, g sources.Grant) (sources.Grant, error) {
	return g, nil
}
func (authorizing) Fetch(context.Context, string, sources.Grant, report.Date, report.Date) (f sources.Fetched, err error) {
	return f, err
}
func (authorizing) Revoke(context.Context, string, sources.Grant) error { return nil }

func TestInstitutionsOfConnectorsAreOffered(t *testing.T) {
	operator := authorizing{listed{
		{ID: "tern", Name: "Tern Bank"},
		{ID: "wide", Name: "Wide Bank", Large: true},
		{ID: "acme", Kind: sources.Payroll, Name: "Acme Payroll", Place: "Online"},
		{ID: "MEX_CDC", Kind: sources.Supplier, Name: "Bureau of the operator"},
	}}
	sandbox := listed{{ID: "tern", Name: "Tern"}, {ID: "reed", Name: "Reed Bank"}, {ID: "acme", Kind: sources.Payroll, Name: "Acme"}}
	c := sources.NewCatalogue(operator, sandbox, suppliers.Bureaus{})
	var got []string
	for _, kind := range []sources.Kind{sources.Bank, sources.Payroll} {
		for _, i := range c.List(kind) {
			pages := map[bool]string{true: " with pages"}[i.OwnPages]
			got = append(got, string(i.Kind)+" "+i.Name+pages)
		}
	}
	want := []string{"bank Wide Bank with pages", "bank Reed Bank", "bank Tern Bank with pages", "payroll Acme Payroll with pages"}
	if !slices.Equal(got, want) {
		t.Errorf("offered are %q, want %q", got, want)
	}
	if i, ok := c.Find(sources.Bank, "tern"); !ok || i.Name != "Tern Bank" {
		t.Errorf("Find(bank, tern) = %+v, %v", i, ok)
	}
	if i, ok := c.Find(sources.Payroll, "tern"); ok {
		t.Errorf("Find(payroll, tern) = %+v", i)
	}
	all := c.List(sources.Supplier)
	if len(all) != len(report.Suppliers()) || all[len(all)-1].ID != report.DocumentSupplier ||
		!slices.ContainsFunc(all, func(i sources.Institution) bool { return i.Name == "Bureau of the operator" && !i.OwnPages }) {
		t.Errorf("suppliers %+v", all)
	}
	none := &sources.Service{Catalogue: func(contract.Environment) (c sources.Catalogue) { return c }}
	if _, err := none.Form(contract.Sandbox, "tern"); sources.ReasonOf(err) != sources.Unsupported {
		t.Errorf("without connectors, a form: %v", err)
	}
}

// TestFindSuppliersByCountry checks that suppliers are found by their country, in both
// languages and in the country's own.
func TestFindSuppliersByCountry(t *testing.T) {
	all := sources.NewCatalogue(suppliers.Bureaus{}).List(sources.Supplier)
	for _, query := range []string{"Germany", "alemania", "Deutschland", "Reino Unido", "united kingdom",
		"Filipinas", "Corea", "Suiza", "Schweiz", "China", "中国"} {
		if found := visits.FindInstitutions(all, query); len(found) == 0 {
			t.Errorf("%s finds nothing", query)
		}
	}
}
