package access_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

// secondBank is another bank with its own pages.
type secondBank struct{ *providertest.OAuthBank }

func (secondBank) Institutions() []sources.Institution {
	return []sources.Institution{{ID: "second-bank", Name: "Second Bank", Place: "Online"}}
}

// bankServer is a provider with two banks that keep access open.
type bankServer struct {
	*testServer
	bank, second *providertest.OAuthBank
}

func withBanks(t *testing.T, f func(t *testing.T, s *bankServer)) {
	storetest.EachInFull(t, store.Provider, banksOnDB(f))
}

// banksOnDB returns a test of a provider with two banks, on a database.
func banksOnDB(f func(t *testing.T, s *bankServer)) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		s := &bankServer{&testServer{t: t}, &providertest.OAuthBank{}, &providertest.OAuthBank{}}
		s.Server = providertest.Start(t, db, "get", func(c *provider.Config) {
			c.Mail, c.Connectors = s, []sources.Connector{s.bank, secondBank{s.second}}
		})
		f(t, s)
	}
}

// consumer adds a consumer with an email address and returns its id.
func (s *bankServer) consumer(email string) string {
	s.t.Helper()
	person := providertest.Prefill()
	person["email"] = email
	a := s.Do("POST", "/connect/consumers", map[string]any{"prefill": person}, s.Basic)
	if a.Status != http.StatusCreated {
		s.t.Fatalf("a consumer: %d %s", a.Status, a.Body)
	}
	return a.JSON["consumerId"].(string)
}

// visit begins a visit of a consumer.
func (s *bankServer) visit(consumer string) providertest.Answer {
	s.t.Helper()
	a := s.Do("POST", "/widget/v1/visits", map[string]any{"env": "sandbox", "productId": s.Seed.Products[contract.Cashflow],
		"publicId": s.Seed.PublicID, "consumerId": consumer})
	if a.Status != http.StatusCreated {
		s.t.Fatalf("a visit: %d %s", a.Status, a.Body)
	}
	return a
}

// connected connects banks in a visit and returns the publicToken of the successful report.
func (s *bankServer) connected(consumer string, banks ...string) (publicToken string) {
	s.t.Helper()
	publicToken = s.ConnectBanks(s.visit(consumer), banks...)
	s.finished(publicToken, contract.StatusSuccess)
	return publicToken
}

// finished waits for the webhook of a report.
func (s *bankServer) finished(publicToken string, want contract.Status) {
	s.t.Helper()
	if event := s.Webhooks(publicToken, 1)[0]; event["status"] != string(want) {
		s.t.Fatalf("the report ends in %v, want %s", event, want)
	}
}

func (s *bankServer) refresh(publicToken string) providertest.Answer {
	s.t.Helper()
	return s.Do("POST", "/connect/refresh", nil, s.Bearer(publicToken))
}

// sourceID returns the id of a consumer's access to a bank.
func (s *bankServer) sourceID(consumer, bank string) (id string) {
	s.t.Helper()
	err := s.DB.SQL.QueryRowContext(s.t.Context(), `SELECT id FROM source_connections WHERE consumer_id = $1 AND institution = $2
		ORDER BY id LIMIT 1`, consumer, bank).Scan(&id)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// accounts returns the ids of a consumer's account numbers, by bank.
func (s *bankServer) accounts(consumer string) map[any]string {
	s.t.Helper()
	out := map[any]string{}
	a := s.Do("GET", "/connect/consumers/"+consumer+"/bank-accounts", nil, s.Basic)
	for _, item := range a.JSON["accounts"].([]any) {
		account := item.(map[string]any)
		out[account["institution_name"]] = account["account_id"].(string)
	}
	return out
}

func (s *bankServer) numbers(consumer, account string) providertest.Answer {
	s.t.Helper()
	return s.Do("GET", "/connect/consumers/"+consumer+"/bank-accounts/"+account+"/ach-details", nil, s.Basic)
}

// disconnect posts the form of a source and checks where it leads.
func (s *bankServer) disconnect(b *providertest.Browser, source string) {
	s.t.Helper()
	a := b.Do("POST", "/access/disconnect/"+source+"?lang=en", nil)
	if want := "/access?lang=en&disconnected=" + source; a.Status != http.StatusSeeOther || a.Header.Get("Location") != want {
		s.t.Errorf("disconnect: %d %s", a.Status, a.Header.Get("Location"))
	}
}

func disconnectButton(bank string) string {
	return i18ntest.EN("access.disconnect.open", "source", bank)
}

// TestConsumerDisconnectsSource checks that one of two sources ends: at the bank, for
// refreshed reports, for account numbers, and on the page.
func TestConsumerDisconnectsSource(t *testing.T) {
	withBanks(t, func(t *testing.T, s *bankServer) {
		ana, eve := s.consumer("ana@example.com"), s.consumer("eve@example.com")
		report, theirs := s.connected(ana, "open-bank", "second-bank"), s.connected(eve, "open-bank")
		source, other, accounts := s.sourceID(ana, "open-bank"), s.sourceID(ana, "second-bank"), s.accounts(ana)
		b := s.open(s.link("ana@example.com", 1))
		disconnected := func(source string) providertest.Answer {
			return b.Do("GET", "/access?lang=en&disconnected="+source, nil)
		}
		said := i18ntest.EN("access.list.disconnected", "source", "Open Bank", "company", "Vestibule")
		confirm := "/access/disconnect/" + source + "?lang=en"
		refused := []string{string(contract.CodeConsentNotProvided)}
		s.run("the pages name the bank, and end nothing", func(t *testing.T) {
			checkBody(t, b.Do("GET", "/access?lang=en", nil), 200,
				[]string{disconnectButton("Open Bank"), disconnectButton("Second Bank"), "/access/disconnect/" + source}, nil)
			checkBody(t, b.Do("GET", confirm, nil), 200, []string{
				i18ntest.EN("access.disconnect.title", "source", "Open Bank", "company", "Vestibule"),
				i18ntest.EN("access.disconnect.others"), "Feb 19, 2027"}, []string{"Ana", "example.com", report})
			if n := s.Count(`SELECT count(*) FROM source_connections WHERE ended_at > 0`); n != 0 {
				t.Fatal("reading the page ended access")
			}
			checkBody(t, s.numbers(ana, accounts["Open Bank"]), 200, nil, nil)
		})
		s.run("the access ends at the bank, and is not offered again", func(t *testing.T) {
			s.disconnect(b, source)
			s.disconnect(b, source)
			checkBody(t, b.Do("GET", confirm, nil), http.StatusSeeOther, nil, nil) // late
			checkBody(t, disconnected(source), 200,
				[]string{said, disconnectButton("Second Bank"), "/access/end/" + s.Seed.PublicID}, []string{disconnectButton("Open Bank")})
			for _, id := range []string{other, s.sourceID(eve, "open-bank"), "unknown"} {
				checkBody(t, disconnected(id), 200, []string{title}, []string{said})
			}
			s.Until("the access is revoked", func() bool {
				return s.bank.Count("revoke refresh-1") == 1 &&
					s.Count(`SELECT count(*) FROM source_connections WHERE id = $1 AND access IS NULL`, source) == 1
			})
			if n := s.Count(`SELECT count(*) FROM source_connections WHERE ended_at = 0 AND access IS NOT NULL`); n != 2 {
				t.Errorf("%d connections are open, want the other source and another consumer's", n)
			}
		})
		s.run("the company is refused the numbers that it had requested, and gets no event", func(t *testing.T) {
			checkBody(t, s.numbers(ana, accounts["Open Bank"]), http.StatusForbidden, refused, nil)
			checkBody(t, s.numbers(ana, accounts["Second Bank"]), 200, nil, nil)
			checkBody(t, s.numbers(eve, s.accounts(eve)["Open Bank"]), 200, nil, nil)
			if n := len(s.Webhooks(report, 1)); n != 1 {
				t.Errorf("%d webhooks, want that of the report only", n)
			}
			if n := s.Count(`SELECT count(*) FROM audit WHERE action = 'source disconnected' AND actor = 'consumer' AND detail = ''
				AND object = $1`, ana); n != 1 {
				t.Errorf("the audit trail has %d entries", n)
			}
			confirmation := s.emails(2)[1]
			if !strings.Contains(confirmation.Text, "Open Bank") || confirmation.To != "ana@example.com" {
				t.Errorf("confirmation to %q: %q", confirmation.To, confirmation.Text)
			}
		})
		s.run("refreshed reports use what is left", func(t *testing.T) {
			a := s.refresh(report)
			checkBody(t, a, 200, nil, nil)
			s.finished(a.JSON["publicToken"].(string), contract.StatusSuccess)
			if s.bank.Count("fetch access-1") != 2 || s.second.Count("fetch access-1") != 2 {
				t.Errorf("calls %v and %v", s.bank.Calls(), s.second.Calls())
			}
			s.disconnect(b, other)
			checkBody(t, b.Do("GET", "/access?lang=en", nil), 200, []string{i18ntest.EN("access.none_open")}, []string{"/access/disconnect/"})
			checkBody(t, s.refresh(report), http.StatusConflict, refused, nil)
			checkBody(t, s.refresh(theirs), 200, nil, nil)
			if n := s.Count(`SELECT count(*) FROM consumers WHERE withdrawn_at IS NOT NULL`); n != 0 {
				t.Error("consent was withdrawn altogether")
			}
		})
		s.run("the consumer can connect the bank again", func(t *testing.T) {
			s.Advance(time.Second)
			checkBody(t, s.refresh(s.connected(ana, "open-bank")), 200, nil, nil)
			checkBody(t, s.numbers(ana, s.accounts(ana)["Open Bank"]), 200, nil, nil)
			checkBody(t, disconnected(source), 200, []string{disconnectButton("Open Bank")}, []string{said})
		})
	})
}

// TestDisconnectEndsEveryAccessToABank checks that no access to the bank from another visit,
// or of another consumer with the address, takes the place of the one that ended.
func TestDisconnectEndsEveryAccessToABank(t *testing.T) {
	withBanks(t, func(t *testing.T, s *bankServer) {
		ana, ben := s.consumer("ana@example.com"), s.consumer("ANA@example.com")
		all := []string{s.connected(ana, "open-bank"), s.connected(ana, "open-bank"), s.connected(ben, "open-bank")}
		b := s.open(s.link("ana@example.com", 1))
		if n := strings.Count(b.Do("GET", "/access?lang=en", nil).Body, disconnectButton("Open Bank")); n != 1 {
			t.Errorf("%d buttons for one bank", n)
		}
		s.disconnect(b, s.sourceID(ana, "open-bank"))
		for _, report := range all {
			if a := s.refresh(report); a.Status != http.StatusConflict {
				t.Errorf("refresh: %d %s", a.Status, a.Body)
			}
		}
		s.Until("all access is revoked", func() bool { return s.bank.Count("revoke refresh-1") == 3 })
		if n := s.Count(`SELECT count(*) FROM audit WHERE action = 'source disconnected'`); n != 2 {
			t.Errorf("%d entries of two consumers", n)
		}
	})
}

// TestDisconnectConcurrently checks that a source ends once, with one confirmation.
func TestDisconnectConcurrently(t *testing.T) {
	storetest.Each(t, store.Provider, banksOnDB(func(t *testing.T, s *bankServer) {
		ana := s.consumer("ana@example.com")
		s.connected(ana, "open-bank")
		source := s.sourceID(ana, "open-bank")
		link := s.link("ana@example.com", 1)
		b := s.open(link)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { s.disconnect(b, source) })
		}
		wg.Wait()
		s.idle()
		s.emails(2)
		if n := s.Count(`SELECT count(*) FROM audit WHERE action = 'source disconnected'`); n != 1 {
			t.Errorf("%d entries", n)
		}
		s.Until("the access is revoked", func() bool { return s.bank.Count("revoke refresh-1") == 1 })
	}))
}

// TestDisconnectAttacks checks that only a consumer with a session ends their own source.
func TestDisconnectAttacks(t *testing.T) {
	withBanks(t, func(t *testing.T, s *bankServer) {
		ana, eve := s.consumer("ana@example.com"), s.consumer("eve@example.com")
		s.connected(ana, "open-bank")
		s.connected(eve, "open-bank")
		b := s.open(s.link("eve@example.com", 1))
		path := func(consumer string) string {
			return "/access/disconnect/" + s.sourceID(consumer, "open-bank") + "?lang=en"
		}
		own, theirs := path(eve), path(ana)
		for _, path := range []string{theirs, "/access/disconnect/unknown?lang=en", "/access/disconnect/" + url.PathEscape("' OR ''='"),
			"/access/disconnect/" + strings.Repeat("a", 5000)} {
			for _, method := range []string{"GET", "POST"} {
				checkBody(t, b.Do(method, path, nil), http.StatusNotFound, nil, []string{"Open Bank"})
			}
		}
		for _, method := range []string{"GET", "POST"} {
			checkBody(t, s.Browser().Do(method, own, nil), http.StatusForbidden, []string{submit, expired}, []string{"Open Bank"})
		}
		for _, site := range []string{"cross-site", "same-site"} {
			a := b.Do("POST", own, nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site) })
			checkBody(t, a, http.StatusForbidden, nil, nil)
		}
		for _, method := range []string{"PUT", "DELETE"} {
			checkBody(t, b.Do(method, own, nil), http.StatusMethodNotAllowed, nil, nil)
		}
		s.Advance(30 * time.Minute)
		checkBody(t, b.Do("POST", own, nil), http.StatusForbidden, []string{submit, expired}, nil)
		if n := s.Count(`SELECT count(*) FROM source_connections WHERE ended_at > 0`); n != 0 {
			t.Errorf("%d connections have ended", n)
		}
	})
}

// TestDisconnectWhileReportIsMade checks that a report that already has a source's data is
// made again without them, if the source is disconnected before the report is ready.
func TestDisconnectWhileReportIsMade(t *testing.T) {
	withBanks(t, func(t *testing.T, s *bankServer) {
		ana := s.consumer("ana@example.com")
		first := s.connected(ana, "open-bank", "second-bank")
		source := s.sourceID(ana, "open-bank")
		b := s.open(s.link("ana@example.com", 1))
		var once sync.Once
		s.second.Fetching = func() {
			once.Do(func() {
				s.Until("the first bank's data are there", func() bool {
					return s.Count(`SELECT count(*) FROM source_events WHERE connection_id = $1 AND kind = 'fetched'`, source) == 2
				})
				s.disconnect(b, source)
			})
		}
		report := s.refresh(first).JSON["publicToken"].(string)
		s.finished(report, contract.StatusSuccess)
		body := s.Do("GET", "/connect/cashflow/v2/json", nil, s.Bearer(report)).JSON
		status := map[string]any{}
		for _, x := range body["sources"].([]any) {
			of := x.(map[string]any)
			status[fmt.Sprint(of["source_id"])] = of["status"]
		}
		if status["OPEN_BANK"] != string(contract.StatusNotAuthenticated) || status["SECOND_BANK"] != string(contract.StatusSuccess) {
			t.Errorf("sources %v", status)
		}

		// If nothing is left, no report is made.
		second := s.connected(ana, "open-bank")
		s.bank.Fetching = func() {
			for _, id := range s.openSources() {
				s.disconnect(b, id)
			}
		}
		s.finished(s.refresh(second).JSON["publicToken"].(string), contract.StatusNotAuthenticated)
	})
}

// openSources returns the ids of all open access.
func (s *bankServer) openSources() []string {
	s.t.Helper()
	all, err := store.QueryAll(s.t.Context(), s.DB.SQL, store.ScanOne[string], `SELECT id FROM source_connections WHERE ended_at = 0`)
	if err != nil {
		s.t.Error(err)
	}
	return all
}

// TestMonitoringAfterDisconnect checks that reports on schedule are made without a source
// that was disconnected, and end with the last one.
func TestMonitoringAfterDisconnect(t *testing.T) {
	withBanks(t, func(t *testing.T, s *bankServer) {
		if _, err := s.DB.SQL.ExecContext(t.Context(), `UPDATE product_configurations SET inquiry_type = 'MONITORING'`); err != nil {
			t.Fatal(err)
		}
		ana := s.consumer("ana@example.com")
		s.connected(ana, "open-bank", "second-bank")
		s.disconnect(s.open(s.link("ana@example.com", 1)), s.sourceID(ana, "open-bank"))
		s.emails(2) // before the confirmation expires
		week := func() {
			s.Control("POST", "/clock", map[string]any{"advance": (customers.Configuration{}.RefreshInterval() + time.Minute).String()})
		}
		made := func() int {
			return s.Count(`SELECT count(*) FROM reports WHERE refreshed_from IS NOT NULL AND status = 'SUCCESS'`)
		}
		week()
		s.Until("a report is made on schedule", func() bool { return made() == 1 })
		if s.bank.Count("fetch access-1") != 1 || s.second.Count("fetch access-1") != 2 {
			t.Errorf("calls %v and %v", s.bank.Calls(), s.second.Calls())
		}
		s.disconnect(s.open(s.link("ana@example.com", 3)), s.sourceID(ana, "second-bank"))
		s.Until("the schedule has ended", func() bool {
			week()
			return s.Count(`SELECT count(*) FROM report_refreshes`) == 0
		})
		if n := made(); n != 1 {
			t.Errorf("%d reports on schedule, want one", n)
		}
	})
}
