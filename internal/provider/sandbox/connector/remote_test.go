package connector_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/passport"
	"vestibule/internal/provider/sandbox/connector"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/remote"
	"vestibule/internal/report"
)

// client returns the configuration of the provider's client.
func (s *server) client() (remote.Program, remote.Options) {
	p := remote.Program{ID: "sandbox", URL: s.url + connector.Path, Secret: s.secret, Loopback: true}
	for _, in := range connector.Institutions() {
		p.Institutions = append(p.Institutions, remote.Institution{ID: in.ID, Kind: in.Kind, Name: in.Name, Place: in.Place,
			PlaceES: in.PlaceES, Type: in.Employer})
	}
	return p, remote.Options{Now: func() time.Time { return s.clock },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

// TestConformance runs the checks of the provider's client.
func TestConformance(t *testing.T) {
	s := sqlite(t)
	program, options := s.client()
	examined, err := remote.Examine(t.Context(), []remote.Program{program}, callback, options)
	if err != nil {
		t.Fatal(err)
	}
	checks := append(examined[0], remote.Conformance(t.Context(), program, callback, true, options)...)
	for _, c := range checks {
		if !c.OK {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	if !slices.ContainsFunc(checks, func(c sources.Check) bool { return c.Name == remote.CheckRenewal }) {
		t.Error("the renewal is not checked")
	}
	if len(checks) < 8 {
		t.Errorf("only %d checks: %+v", len(checks), checks)
	}
}

// TestClient reaches the institutions by the provider's client.
func TestClient(t *testing.T) {
	s := sqlite(t)
	program, options := s.client()
	c, err := remote.New([]remote.Program{program}, options)
	if err != nil {
		t.Fatal(err)
	}
	today := report.DateOf(s.now)
	for username, want := range map[string]sources.Reason{"default": "", "two_jobs": "", "no_statements": "", "incomplete": "",
		"error": sources.Misused, "supplier_unresponsive": sources.Unresponsive, "session_expired": sources.Abandoned, "mfa": sources.Denied,
		"payroll_mfa": sources.Challenged} {
		begun, err := c.Authorize(t.Context(), provider, sources.AuthorizeRequest{RedirectURI: callback, State: state, Language: "es"})
		if err != nil {
			t.Fatal(err)
		}
		b, page := browser(t), authorization{URL: begun.URL}
		s.open(b, page)
		s.post(b, page.URL, "action", "sign-in", "username", username, "password", "x")
		for range 3 {
			s.post(b, page.URL, "action", "code", "code", "123456")
		}
		action := "consent"
		if username == "mfa" {
			action = "cancel"
		}
		var got sources.Fetched
		grant, err := c.Complete(t.Context(), provider, begun.Pending, s.returned(s.post(b, page.URL, "action", action)))
		if err == nil {
			got, err = c.Fetch(t.Context(), provider, grant, report.Date{Time: s.now.AddDate(-1, 0, 0)}, today)
		}
		if want != "" {
			if err == nil || sources.ReasonOf(err) != want {
				t.Errorf("%s: %v, want %s", username, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", username, err)
		}
		if n := len((payroll.Providers{}).Fetch(provider, username, "", s.now).Jobs); len(got.Payroll.Jobs) != n ||
			got.Payroll.Type != income.ProviderPayroll {
			t.Errorf("%s: %+v", username, got.Payroll)
		}
		if err := c.Revoke(t.Context(), provider, grant); err != nil {
			t.Errorf("%s: the revocation: %v", username, err)
		}
		if _, err := c.Fetch(t.Context(), provider, grant, today, today); err == nil || sources.ReasonOf(err) != sources.Ended {
			t.Errorf("%s, after the revocation: %v", username, err)
		}
	}
	for _, supplier := range report.Suppliers() {
		for _, last := range []string{"Reyes", suppliers.NoFile, suppliers.ThinFile, suppliers.Delinquent, suppliers.Deceased} {
			person := passport.Consumer{First: "Ana", Last: last, Emails: []string{"ana@mail.example"},
				Born: report.Date{Time: time.Date(1990, 2, 3, 0, 0, 0, 0, time.UTC)}}
			r := sources.FileRequest{Reference: uuid.NewString(), AsOf: today, Person: &person}
			got, quote, err := c.File(t.Context(), supplier.Code, r)
			if err != nil {
				t.Fatalf("%s, %s: %v", supplier.Code, last, err)
			}
			want := suppliers.Bureaus{}.Fetch(supplier.Code, r.Reference, &person, s.now)
			if want.Person.Documents = nil; !want.Found { // documents are not sent
				want = passport.File{Supplier: supplier.Code}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", supplier.Code, last, diff)
			}
			if diff := cmp.Diff((suppliers.Bureaus{}).Quote(want.Currency, s.now), quote); diff != "" {
				t.Errorf("%s, %s: the rate: -want +got\n%s", supplier.Code, last, diff)
			}
		}
	}
}
