package providertest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/passport"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// OAuthBank is a connector of one bank with its own pages, "open-bank", one payroll
// provider, "open-payroll", and one supplier, "MEX_CDC". It records what it is asked.
type OAuthBank struct {
	OwnCallback bool                   // the bank's callback has an address of its own
	Expires     time.Time              // of the access that Complete gives
	Refusal     error                  // of Complete; nil: access is given
	FetchError  error                  // of Fetch
	Completing  func()                 // called by Complete; may be nil
	Fetching    func()                 // called by Fetch; may be nil
	Change      func(*sources.Fetched) // changes the bank's data; may be nil

	mu    sync.Mutex
	calls []string
}

func (b *OAuthBank) note(call string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, call)
}

// Calls lists the calls, in order.
func (b *OAuthBank) Calls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls)
}

// Count returns how often a call was made, such as "fetch access-1".
func (b *OAuthBank) Count(call string) (n int) {
	for _, have := range b.Calls() {
		if have == call {
			n++
		}
	}
	return n
}

// Institutions lists the bank, the payroll provider, and the supplier.
func (b *OAuthBank) Institutions() []sources.Institution {
	return []sources.Institution{
		{ID: "open-bank", Name: "Open Bank", Place: "Online", OAuth: []string{"login.open-bank.example"}, OwnCallback: b.OwnCallback},
		{ID: "open-payroll", Kind: sources.Payroll, Name: "Open Payroll", Employer: income.ProviderPayroll},
		{ID: "MEX_CDC", Kind: sources.Supplier, Name: "Open Bureau"},
	}
}

// File returns the sandbox's file on a person, or FetchError.
func (b *OAuthBank) File(ctx context.Context, supplier string, r sources.FileRequest) (passport.File, *passport.Quote, error) {
	b.note("file " + supplier)
	if b.FetchError != nil {
		return passport.File{}, nil, b.FetchError
	}
	return suppliers.Bureaus{}.File(ctx, supplier, r)
}

// Authorize leads to the bank.
func (b *OAuthBank) Authorize(_ context.Context, _ string, r sources.AuthorizeRequest) (sources.Authorization, error) {
	b.note("authorize")
	q := url.Values{"state": {r.State}, "redirect_uri": {r.RedirectURI}}
	return sources.Authorization{URL: "https://login.open-bank.example/authorize?" + q.Encode(), Pending: []byte("verifier")}, nil
}

// Complete gives access, or none for a callback with an error.
func (b *OAuthBank) Complete(_ context.Context, _ string, pending []byte, q url.Values) (sources.Grant, error) {
	b.note("complete")
	if b.Completing != nil {
		b.Completing()
	}
	if string(pending) != "verifier" {
		return sources.Grant{}, errors.New("another pending")
	}
	if q.Get("error") != "" {
		return sources.Grant{}, sources.Fail(sources.Denied, errors.New("access_denied"))
	}
	if b.Refusal != nil {
		return sources.Grant{}, b.Refusal
	}
	return sources.Grant{Access: "access-1", Refresh: "refresh-1", Expires: b.Expires}, nil
}

// Renew replaces the access by "access-2".
func (b *OAuthBank) Renew(_ context.Context, _ string, g sources.Grant) (sources.Grant, error) {
	b.note("renew " + g.Refresh)
	return sources.Grant{Access: "access-2", Refresh: "refresh-2"}, nil
}

// Fetch returns the accounts of the sandbox's default person, or the jobs of the one who
// is paid by the month.
func (b *OAuthBank) Fetch(_ context.Context, institution string, g sources.Grant, _, to report.Date) (sources.Fetched, error) {
	b.note("fetch " + g.Access)
	if b.Fetching != nil {
		b.Fetching()
	}
	if b.FetchError != nil {
		return sources.Fetched{}, b.FetchError
	}
	var out sources.Fetched
	if institution == "open-payroll" {
		data := payroll.Providers{}.Fetch("paywright", "monthly", "x", to.Time)
		out.Payroll = &data
		return out, nil
	}
	for _, connection := range (profiles.Bank{}).Fetch("default", "x", to.Time).Connections {
		out.Owners, out.Accounts = append(out.Owners, connection.Owners...), append(out.Accounts, connection.Accounts...)
	}
	if b.Change != nil {
		b.Change(&out)
	}
	return out, nil
}

// Revoke ends the access.
func (b *OAuthBank) Revoke(_ context.Context, _ string, g sources.Grant) error {
	b.note("revoke " + g.Refresh)
	return nil
}

var leadsTo = regexp.MustCompile(`content="0;url=([^"]+)"`)

// ConnectOpenBank walks a visit with the bank's pages and returns the publicToken of its
// report. visit is the answer that opened the visit.
func (r *Server) ConnectOpenBank(visit Answer) (publicToken string) {
	r.T.Helper()
	return r.ConnectBanks(visit, "open-bank")
}

// ConnectBanks is ConnectOpenBank with several banks, by their ids.
func (r *Server) ConnectBanks(visit Answer, ids ...string) (publicToken string) {
	r.T.Helper()
	var all [][]url.Values
	for _, id := range ids {
		all = append(all, []url.Values{{"action": {"bank"}, "bank": {id}}})
	}
	return r.connect(visit, all...)
}

// ConnectOpenPayroll is ConnectOpenBank with the payroll provider, for an income report.
func (r *Server) ConnectOpenPayroll(visit Answer) (publicToken string) {
	r.T.Helper()
	return r.connect(visit, []url.Values{{"action": {"source"}, "source": {"payroll"}},
		{"action": {"employer"}, "employer": {"open-payroll"}}})
}

// connect consents, connects sources, and finishes the visit. For each source it posts the
// forms that lead to an institution, and returns from its pages.
func (r *Server) connect(visit Answer, sources ...[]url.Values) (publicToken string) {
	r.T.Helper()
	path := "/visit/" + visit.JSON["handle"].(string)
	post := func(form url.Values) {
		r.T.Helper()
		if a := r.Do("POST", path, form); a.Status != http.StatusSeeOther {
			r.T.Fatalf("posting %v answers %d %s", form, a.Status, a.Body)
		}
	}
	post(url.Values{"action": {"consent"}})
	for i, forms := range sources {
		if i > 0 {
			post(url.Values{"action": {"more"}})
		}
		for _, form := range forms {
			post(form)
		}
		leaving := r.Do("POST", path+"/authorize", url.Values{})
		m := leadsTo.FindStringSubmatch(leaving.Body)
		if m == nil {
			r.T.Fatalf("to the institution: %d %s", leaving.Status, leaving.Body)
		}
		address, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
		if err != nil {
			r.T.Fatal(err)
		}
		callback := url.Values{"state": address.Query()["state"], "code": {"good"}}
		if a := r.Do("GET", "/oauth/callback?"+callback.Encode(), nil); a.Status != http.StatusOK {
			r.T.Fatalf("the callback answers %d %s", a.Status, a.Body)
		}
	}
	post(url.Values{"action": {"finish"}})
	return visit.JSON["publicToken"].(string)
}

// Entitle enables or disables a feature of the test's customer.
func (r *Server) Entitle(feature string, enabled bool) {
	r.T.Helper()
	set := operator.Off
	if enabled {
		set = operator.On
	}
	to := map[customers.Entitlement]operator.Setting{customers.Entitlement(feature): set}
	err := r.Provider.ChangeAccount(r.T.Context(), r.Seed.PublicID, func(ctx context.Context, tx *store.Tx,
		a customers.Account) (staff.Entry, error) {
		return r.Provider.Operator().SetFeatures(ctx, tx, a, to)
	})
	if err != nil {
		r.T.Fatal(err)
	}
}
