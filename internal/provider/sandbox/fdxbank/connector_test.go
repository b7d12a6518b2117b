package fdxbank_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/jose"
	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/fdx"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// connector returns the provider's connector to the institution bank, as the client
// that change makes of the client post.
func (s *server) connector(version string, change func(*fdx.Institution)) *fdx.Connector {
	s.t.Helper()
	in := fdx.Institution{ID: bank, Name: "Acorn Cove Savings Bank", Issuer: fdxbank.Issuer(s.url, bank),
		BaseURL: fdxbank.BaseURL(s.url, bank, version), Version: version, ClientID: "post", Authentication: fdx.SecretPost, Secret: "secret",
		Loopback: true}
	if change != nil {
		change(&in)
	}
	c, err := fdx.New([]fdx.Institution{in}, fdx.Options{Now: func() time.Time { return s.now },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// connect authorizes a connector as a user does in a browser.
func (s *server) connect(c *fdx.Connector, username string) sources.Grant {
	s.t.Helper()
	a, err := c.Authorize(s.t.Context(), bank, sources.AuthorizeRequest{RedirectURI: callback, State: state, Language: "en"})
	if err != nil {
		s.t.Fatal(err)
	}
	b := browser(s.t)
	got := s.get(b, a.URL)
	if got.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("the authorization endpoint answers %d %s", got.StatusCode, got.body)
	}
	page := got.Header.Get("Location")
	s.toConsent(b, page, username, nil)
	g, err := c.Complete(s.t.Context(), bank, a.Pending, s.returned(s.post(b, page, form("action", "consent"))))
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// retrieve fetches what the grant gives, in two years.
func (s *server) retrieve(c *fdx.Connector, g sources.Grant) (sources.Fetched, error) {
	today := report.DateOf(s.now)
	return c.Fetch(s.t.Context(), bank, g, bankdata.HistoryStart(today), today)
}

// TestConnectorRetrievesTheProfile compares what the provider's connector retrieves with
// the profile of the user, in both versions.
func TestConnectorRetrievesTheProfile(t *testing.T) {
	s := sqlite(t)
	for _, version := range []string{"5", "6"} {
		for _, user := range []string{"default", "multi", "joint", "noincome", "debt_only", "investment_only"} {
			c := s.connector(version, nil)
			got, err := s.retrieve(c, s.connect(c, user))
			if err != nil || len(got.Failed) > 0 {
				t.Fatalf("%s, version %s: %+v, %v", user, version, got.Failed, err)
			}
			want := profiles.Bank{}.Fetch(user, "", s.now).Connections[0]
			today := report.DateOf(s.now)
			for i := range want.Accounts {
				a := &want.Accounts[i]
				a.Institution, a.StatementEnd, a.BalanceDate = "Acorn Cove Savings Bank", nil, &today
				a.LastDigits = a.Mask()
				if a.Type != report.CashEquivalent { // there are no payment networks
					a.Number, a.Routing = "", ""
				}
			}
			sameIDs := cmpopts.IgnoreFields(bankdata.Account{}, "ID")
			anyID := cmp.Options{sameIDs, cmpopts.IgnoreFields(bankdata.Address{}, "ID"), cmpopts.EquateEmpty(),
				cmpopts.SortSlices(func(a, b bankdata.Transaction) bool { return a.ID < b.ID })}
			if diff := cmp.Diff(want.Accounts, got.Accounts, anyID); diff != "" {
				t.Errorf("%s, version %s: %s", user, version, diff)
			}
			// Contacts do not say which of two holders an email address is of.
			if user == "joint" {
				want.Owners[1].Emails = nil
			}
			if diff := cmp.Diff(want.Owners, got.Owners, cmpopts.IgnoreFields(bankdata.Owner{}, "RecordID")); diff != "" {
				t.Errorf("%s, version %s: %s", user, version, diff)
			}
		}
	}
}

// TestConnectorGrantLifecycle renews and revokes with each client authentication.
func TestConnectorGrantLifecycle(t *testing.T) {
	s := sqlite(t)
	for name, change := range map[string]func(*fdx.Institution){
		"basic": func(in *fdx.Institution) {
			in.ClientID, in.Authentication, in.Secret = "basic client:1", fdx.SecretBasic, "s3cret:%"
		},
		"post":  nil,
		"keyed": func(in *fdx.Institution) { in.ClientID, in.Authentication, in.Key = "keyed", fdx.PrivateKeyJWT, s.key },
		"openid": func(in *fdx.Institution) {
			in.Scopes, in.DurationDays = append([]string{"openid"}, slices.DeleteFunc(fdxbank.Scopes(), func(s string) bool {
				return s == "openid" || s == "offline_access"
			})...), 14
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := s.connector("6", change)
			g := s.connect(c, "default")
			if g.Refresh == "" || g.Expires.Sub(s.now) != fdxbank.AccessLifetime || g.ConsentID == "" {
				t.Errorf("the grant is %+v", g)
			}
			renewed, err := c.Renew(t.Context(), bank, g)
			if err != nil || renewed.Access == g.Access || renewed.Refresh == g.Refresh || renewed.ConsentID != g.ConsentID {
				t.Fatalf("Renew = %+v, %v", renewed, err)
			}
			if err := c.Revoke(t.Context(), bank, renewed); err != nil {
				t.Fatal(err)
			}
			if err := c.Revoke(t.Context(), bank, renewed); err != nil {
				t.Errorf("the second time: %v", err)
			}
			if _, err := s.retrieve(c, renewed); sources.ReasonOf(err) != sources.Unauthorized {
				t.Errorf("Fetch after the revocation = %v", err)
			}
			if _, err := c.Renew(t.Context(), bank, renewed); sources.ReasonOf(err) != sources.Ended {
				t.Errorf("Renew after the revocation = %v", err)
			}
		})
	}
}

// TestConnectorSigningAlgorithms authenticates with keys of each type.
func TestConnectorSigningAlgorithms(t *testing.T) {
	rsaKey, err1 := rsa.GenerateKey(rand.Reader, 2048)
	p384, err2 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	_, ed, err3 := ed25519.GenerateKey(rand.Reader)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for _, key := range []crypto.Signer{rsaKey, p384, ed} {
		k, err := jose.NewPrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		s := start(t, storetest.SQLite(t, store.Provider), func(c *fdxbank.Config) {
			c.Clients = append(c.Clients, fdxbank.Client{ID: "signer", Name: "Signer", Method: fdxbank.PrivateKeyJWT,
				Keys: jose.KeySet{k.Public()}, RedirectURIs: []string{callback}})
		})
		c := s.connector("6", func(in *fdx.Institution) { in.ClientID, in.Authentication, in.Key = "signer", fdx.PrivateKeyJWT, k })
		g := s.connect(c, "default")
		if _, err := c.Renew(t.Context(), bank, g); err != nil {
			t.Errorf("%s: %v", k.Alg, err)
		}
		checks, err := c.Examine(t.Context(), bank, callback)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range checks {
			if !check.OK || check.Name == fdx.CheckClient && !strings.Contains(check.Detail, string(k.Alg)) {
				t.Errorf("%s: %+v", k.Alg, check)
			}
		}
	}
}

// TestConnectorFaults gives each fault of the bank its outcome: a reason for the whole,
// or for accounts.
func TestConnectorFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	s := start(t, storetest.SQLite(t, store.Provider), func(c *fdxbank.Config) { c.Wait = func(context.Context, time.Duration) {} })
	whole := map[fdxbank.Fault]sources.Reason{fdxbank.FaultError: sources.Unresponsive, fdxbank.FaultDown: sources.Unresponsive,
		fdxbank.FaultExpired: sources.Unauthorized, fdxbank.FaultMFA: sources.Challenged,
		fdxbank.FaultRedirect: sources.Rejected, fdxbank.FaultMalformed: sources.Rejected,
		fdxbank.FaultDuplicate: sources.Rejected}
	account := map[fdxbank.Fault]sources.Reason{fdxbank.FaultPartial: sources.Unresponsive, fdxbank.FaultRepeat: sources.Rejected,
		fdxbank.FaultEndless: sources.Rejected, fdxbank.FaultNegative: sources.Rejected, fdxbank.FaultLink: sources.Rejected,
		fdxbank.FaultHuge: sources.Rejected, fdxbank.FaultOverflow: sources.Rejected, fdxbank.FaultFuture: sources.Rejected}
	for _, fault := range fdxbank.Faults() {
		if fault == fdxbank.FaultDenied {
			continue // it ends at the pages
		}
		t.Run(string(fault), func(t *testing.T) {
			c := s.connector("6", nil)
			got, err := s.retrieve(c, s.connect(c, "fdx_"+string(fault)))
			if want := whole[fault]; want != "" {
				if err == nil || sources.ReasonOf(err) != want || len(got.Accounts) > 0 {
					t.Errorf("%+v, %v, want %s", got, err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := account[fault]
			if want == "" && len(got.Failed) > 0 || want != "" && (len(got.Failed) == 0 || got.Failed[0].Reason != want) {
				t.Errorf("failed are %+v, want %q", got.Failed, want)
			}
			for _, a := range got.Accounts {
				if fault == fdxbank.FaultCurrency && a.Currency != "EUR" {
					t.Errorf("the currency is %s", a.Currency)
				}
			}
		})
	}
}

// TestConnectorRefusals gives the ways that a user leaves the pages their reasons.
func TestConnectorRefusals(t *testing.T) {
	s := sqlite(t)
	c := s.connector("6", nil)
	a, err := c.Authorize(t.Context(), bank, sources.AuthorizeRequest{RedirectURI: callback, State: state})
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range map[string]sources.Reason{"": sources.Denied, "fdx_denied": sources.Denied,
		"e_banking_unsupported": sources.Unsupported} {
		b := browser(t)
		page := s.open(b, request("post"))
		s.post(b, page, form("action", "sign-in", "username", user, "password", "x"))
		q := s.returned(s.post(b, page, form("action", "cancel")))
		if _, err := c.Complete(t.Context(), bank, a.Pending, q); sources.ReasonOf(err) != want {
			t.Errorf("cancelled by %q: %v", user, err)
		}
	}
	wrong := s.connector("6", func(in *fdx.Institution) { in.Secret = "wrong" })
	if _, err := wrong.Authorize(t.Context(), bank, sources.AuthorizeRequest{RedirectURI: callback, State: state}); sources.ReasonOf(err) !=
		sources.Misused {
		t.Errorf("another secret: %v", err)
	}
}

// TestConnectorExaminesTheBank checks that an institution of the sandbox passes doctor.
func TestConnectorExaminesTheBank(t *testing.T) {
	s := sqlite(t)
	for name, want := range map[string]bool{"secret": true, "wrong": false} {
		checks, err := s.connector("6", func(in *fdx.Institution) { in.Secret = name }).Examine(t.Context(), bank, callback)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range checks {
			if check.OK != (want || check.Name != fdx.CheckClient) {
				t.Errorf("with %s: %+v", name, check)
			}
		}
	}
}
