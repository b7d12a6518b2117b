package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

// refreshServer is a provider with one bank that keeps access open.
type refreshServer struct {
	*providertest.Server
	bank     *providertest.OAuthBank
	consumer string
}

func withOpenBank(t *testing.T, f func(t *testing.T, r refreshServer)) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := refreshServer{bank: &providertest.OAuthBank{}}
		r.Server = providertest.Start(t, db, "get", func(c *provider.Config) { c.Connectors = []sources.Connector{r.bank} })
		r.consumer = r.newConsumer()
		f(t, r)
	})
}

func (r refreshServer) newConsumer() (id string) {
	r.T.Helper()
	a := r.Do("POST", "/connect/consumers", map[string]any{"prefill": providertest.Prefill()}, r.Basic)
	if a.Status != http.StatusCreated {
		r.T.Fatalf("a consumer: %d %s", a.Status, a.Body)
	}
	return a.JSON["consumerId"].(string)
}

// report returns a cashflow report.
func (r refreshServer) report(publicToken string) *report.Cashflow {
	r.T.Helper()
	got, err := report.ParseCashflow([]byte(r.Do("GET", "/connect/cashflow/v2/json", nil, r.Bearer(publicToken)).Body))
	if err != nil {
		r.T.Fatal(err)
	}
	return got
}

func (r refreshServer) visit() providertest.Answer {
	r.T.Helper()
	a := r.Do("POST", "/widget/v1/visits", map[string]any{"env": "sandbox", "productId": r.Seed.Products[contract.Cashflow],
		"publicId": r.Seed.PublicID, "consumerId": r.consumer, "userArgs": "loan 7"})
	if a.Status != http.StatusCreated {
		r.T.Fatalf("a visit: %d %s", a.Status, a.Body)
	}
	return a
}

// connected walks a visit and returns its successful report.
func (r refreshServer) connected() (publicToken string) {
	r.T.Helper()
	publicToken = r.ConnectOpenBank(r.visit())
	r.ended(publicToken, contract.StatusSuccess)
	return publicToken
}

// ended waits for the webhook of a report.
func (r refreshServer) ended(publicToken string, want contract.Status) map[string]any {
	r.T.Helper()
	event := r.Webhooks(publicToken, 1)[0]
	if event["status"] != string(want) {
		r.T.Fatalf("the report ends in %v, want %s", event, want)
	}
	return event
}

func (r refreshServer) refresh(publicToken string) providertest.Answer {
	r.T.Helper()
	return r.Do("POST", "/connect/refresh", nil, r.Bearer(publicToken))
}

// advance moves the sandbox's clock and catches up with what is due.
func (r refreshServer) advance(d time.Duration) {
	r.T.Helper()
	if status, body := r.Control("POST", "/clock", map[string]any{"advance": d.String()}); status != http.StatusOK {
		r.T.Fatalf("the clock: %d %v", status, body)
	}
}

func (r refreshServer) want(what string, a providertest.Answer, status int, code contract.Code) {
	r.T.Helper()
	if a.Status != status || code != "" && a.JSON["error"] != string(code) {
		r.T.Errorf("%s: %d %s, want %d %s", what, a.Status, a.Body, status, code)
	}
}

func TestRefresh(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		first := r.connected()
		if n := r.Count(`SELECT count(*) FROM source_connections WHERE access IS NOT NULL AND ended_at = 0`); n != 1 {
			t.Fatalf("%d connections are open", n)
		}
		r.advance(time.Hour)
		a := r.refresh(first)
		r.want("refresh", a, http.StatusOK, "")
		second, _ := a.JSON["publicToken"].(string)
		if !contract.IsUUID(second) || second == first || a.JSON["status"] != "PENDING" || a.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("answered %s", a.Body)
		}
		event := r.ended(second, contract.StatusSuccess)
		if event["consumerId"] != r.consumer || event["userArgs"] != "loan 7" || event["externalId"] != nil {
			t.Errorf("webhook %v", event)
		}
		old, fresh := r.report(first), r.report(second)
		if len(fresh.Sources) != len(old.Sources) || len(fresh.AccountDetails) != len(old.AccountDetails) || len(fresh.AccountDetails) == 0 ||
			report.Text(fresh.Meta.ConsumerID) != r.consumer {
			t.Errorf("sources %+v, %d accounts; the first had %+v, %d", fresh.Sources, len(fresh.AccountDetails), old.Sources,
				len(old.AccountDetails))
		}
		if r.bank.Count("authorize") != 1 || r.bank.Count("fetch access-1") != 2 {
			t.Errorf("calls %v", r.bank.Calls())
		}

		// A refreshed report can be named as well. Calls while one is pending return that one.
		release := make(chan struct{})
		r.bank.Fetching = func() { <-release }
		tokens := map[any]bool{}
		var mu sync.Mutex
		var wait sync.WaitGroup
		for _, token := range []string{first, second, second, first} {
			wait.Go(func() {
				a := r.refresh(token)
				mu.Lock()
				defer mu.Unlock()
				tokens[a.JSON["publicToken"]] = true
			})
		}
		wait.Wait()
		close(release)
		if len(tokens) != 1 || tokens[first] || tokens[second] {
			t.Errorf("four calls at once name %v", tokens)
		}
		for token := range tokens {
			r.ended(token.(string), contract.StatusSuccess)
		}

		// The access lives for 14 days.
		r.advance(sources.Lifetime)
		r.want("after the access expired", r.refresh(second), http.StatusConflict, contract.CodeConsentNotProvided)
		r.Until("the access is revoked", func() bool { return r.bank.Count("revoke refresh-1") == 1 })
		if n := r.Count(`SELECT count(*) FROM report_refreshes`); n != 0 {
			t.Errorf("%d rows are kept for refreshed reports", n)
		}
	})
}

func TestRefreshRefuses(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		r.want("an unknown report", r.refresh(uuid.NewString()), http.StatusNotFound, contract.CodeInvalidToken)
		r.want("no report", r.Do("POST", "/connect/refresh", nil, r.Bearer("")), http.StatusBadRequest, contract.CodeMalformedHeaders)
		r.want("a pending report", r.refresh(r.visit().JSON["publicToken"].(string)), http.StatusNotFound, contract.CodeReportNotReady)
		r.want("a compressed body", r.Do("POST", "/connect/refresh", "{}", r.Bearer(uuid.NewString()), func(req *http.Request) {
			req.Header.Set("Content-Encoding", "gzip")
		}), http.StatusUnsupportedMediaType, contract.CodeUnsupportedMediaType)

		token := r.Do("POST", "/connect/initialization", map[string]any{"productId": r.Seed.Products[contract.Cashflow],
			"prefill": providertest.Prefill()}, r.Basic).JSON["token"].(string)
		_, made := r.Control("POST", "/visits/"+token+"/complete", map[string]any{"username": "default"})
		r.ended(made["publicToken"].(string), contract.StatusSuccess)
		r.want("a report without open access", r.refresh(made["publicToken"].(string)), http.StatusConflict, contract.CodeConsentNotProvided)

		first := r.connected()
		r.Entitle("refresh", false)
		r.want("a customer that is not entitled", r.refresh(first), http.StatusForbidden, contract.CodeForbidden)
		r.advance(time.Minute)
		r.Until("the access ends with the entitlement", func() bool { return r.bank.Count("revoke refresh-1") == 1 })
		r.Entitle("refresh", true)
		r.want("after the access ended", r.refresh(first), http.StatusConflict, contract.CodeConsentNotProvided)

		// An access that the bank has ended ends here too.
		second := r.connected()
		r.bank.FetchError = sources.Fail(sources.Ended, errors.New("test"))
		third := r.refresh(second).JSON["publicToken"].(string)
		r.ended(third, contract.StatusNotAuthenticated)
		r.want("after the bank ended the access", r.refresh(third), http.StatusConflict, contract.CodeConsentNotProvided)

		// A bank that fails once does not end the access.
		r.bank.FetchError = nil
		fourth := r.connected()
		r.bank.FetchError = sources.Fail(sources.Unresponsive, errors.New("test"))
		r.ended(r.refresh(fourth).JSON["publicToken"].(string), contract.StatusSupplierUnresponsive)
		r.bank.FetchError = nil
		r.ended(r.refresh(fourth).JSON["publicToken"].(string), contract.StatusSuccess)
	})
}

// TestWithdrawnConsentStopsRefresh withdraws consent while a report is being made from open
// access: no report exists afterwards.
func TestWithdrawnConsentStopsRefresh(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		first := r.connected()
		r.bank.Fetching = func() {
			if a := r.Do("DELETE", "/connect/consumers/"+r.consumer, nil, r.Basic); a.Status != http.StatusNoContent {
				t.Errorf("withdrawal: %d %s", a.Status, a.Body)
			}
		}
		second := r.refresh(first).JSON["publicToken"].(string)
		r.ended(second, contract.StatusNotAuthenticated)
		if n := r.Count(`SELECT count(*) FROM report_data WHERE public_token = $1 AND body IS NOT NULL`, second); n != 0 {
			t.Error("a body is stored")
		}
		r.want("after the withdrawal", r.refresh(first), http.StatusConflict, contract.CodeConsentNotProvided)
	})
}

// TestMonitoringRefreshes checks that reports of products with the inquiry type MONITORING
// are refreshed at the configuration's interval while the access lives.
func TestMonitoringRefreshes(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		successes := func() int {
			return r.Count(`SELECT count(*) FROM reports WHERE refreshed_from IS NOT NULL AND status = 'SUCCESS'`)
		}
		r.connected()
		r.advance(7*24*time.Hour + time.Minute) // the default interval
		r.Until("the first turn was taken", func() bool {
			return r.Count(`SELECT count(*) FROM report_refreshes WHERE scheduled = 1`) == 1
		})
		if n := r.Count(`SELECT count(*) FROM reports WHERE refreshed_from IS NOT NULL`); n != 0 {
			t.Fatalf("%d reports of a product that does not monitor", n)
		}
		c, err := createConfiguration(r.Provider, r.Seed.PublicID, customers.Fields{Alias: "Watch", Kind: "cashflow",
			InquiryType: "MONITORING", RefreshDays: "3"})
		if err == nil {
			_, err = byOperator(r.Provider, r.Seed.PublicID, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
				customers.Product, staff.Entry, error) {
				return s.ConfigureProduct(ctx, tx, a, r.Seed.Products[contract.Cashflow], c.Alias)
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		interval := 3 * 24 * time.Hour
		r.connected()
		before := successes()
		r.advance(interval + time.Minute)
		r.Until("a report is made on schedule", func() bool { return successes() == before+1 })
		r.advance(interval)
		r.Until("a second report is made", func() bool { return successes() == before+2 })
		r.advance(14 * 24 * time.Hour)
		r.Until("all access has ended", func() bool {
			return r.Count(`SELECT count(*) FROM source_connections WHERE ended_at = 0`) == 0
		})
		made := successes()
		r.Until("the schedule has ended", func() bool {
			r.advance(interval)
			return r.Count(`SELECT count(*) FROM report_refreshes`) == 0
		})
		if n := successes(); n != made {
			t.Errorf("%d reports on schedule after all access has ended", n-made)
		}
	})
}

// correctingServer is a refreshServer with a user of the dashboard who corrects reports.
type correctingServer struct {
	refreshServer
	user *dashboardBrowser
}

// answer reads a report, unless it has one of the known tags.
func (r correctingServer) answer(token string, known ...string) providertest.Answer {
	r.T.Helper()
	return r.Do("GET", "/connect/cashflow/v2/json", nil, r.Bearer(token), func(req *http.Request) {
		for _, tag := range known {
			req.Header.Set("If-None-Match", tag)
		}
	})
}

// correct leaves the last transaction of a report out, or takes that back.
func (r correctingServer) correct(token, excluded string) {
	r.T.Helper()
	page := "/dashboard/reports/" + r.user.reportNamed(token) + "/correct"
	items := itemPattern.FindAllStringSubmatch(r.user.page(page), -1)
	for _, m := range slices.Backward(items) {
		if strings.Contains(r.user.page(page+"?item="+m[1]), `name="side"`) { // of a transaction
			r.user.wantSent("correcting", 303, page, "item", m[1], "revision", "0", "excluded", excluded, "category", "", "side", "",
				"reason", "It is another person’s deposit.")
			return
		}
	}
	r.T.Fatal("no transaction can be corrected")
}

// carries checks that a report has the figures of another, and whether it says that they were corrected before.
func (r correctingServer) carries(what string, got, figures *report.Cashflow, corrected bool) {
	r.T.Helper()
	if !cmp.Equal(got.Attributes, figures.Attributes) {
		r.T.Errorf("%s: other figures", what)
	}
	says := slices.ContainsFunc(got.Notices, func(n report.ConsumerNotice) bool {
		return strings.Contains(n.Description, "stay as corrected on")
	})
	if says != corrected {
		r.T.Errorf("%s: the notices are %+v", what, got.Notices)
	}
}

// hasETags checks that a caller that names the revision 1, which it has, does not read the report again.
func (r correctingServer) hasETags(token string) {
	r.T.Helper()
	reads := func() int { return r.Count(`SELECT coalesce(sum(revision * 10 + 1), 0) FROM report_reads`) }
	tag := r.answer(token).Header.Get("ETag")
	r.Count(`DELETE FROM report_reads RETURNING 0`)
	for _, known := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag} {
		if a := r.answer(token, known); a.Status != http.StatusNotModified || len(a.Body) != 0 || a.Header.Get("ETag") != tag || reads() != 0 {
			r.T.Errorf("If-None-Match %s: %d, %d bytes, reads %d", known, a.Status, len(a.Body), reads())
		}
	}
	if a := r.answer(token, `W/"0"`); a.Status != http.StatusOK || tag != `W/"1"` || reads() != 11 {
		r.T.Errorf("an older revision: %d, newest %s, reads %d", a.Status, tag, reads())
	}
}

// TestCorrectionsAreCarried leaves out a transaction of a report, and follows it to the reports that
// a refresh and another visit make about the consumer, and to no other person's.
func TestCorrectionsAreCarried(t *testing.T) {
	withOpenBank(t, func(t *testing.T, open refreshServer) {
		b := &testServer{t: t, db: open.DB, provider: open.Provider, seed: open.Seed, service: &httptest.Server{URL: open.URL}}
		b.addUsers()
		r := correctingServer{open, b.signIn(customerUser)}
		first := r.connected()
		original := r.report(first)
		r.correct(first, "yes")
		corrected := r.report(first)
		if cmp.Equal(original.Attributes, corrected.Attributes) {
			t.Error("a correction changes no figures")
		}
		r.carries("the corrected report itself", corrected, corrected, false)
		r.hasETags(first)

		second, _ := r.refresh(first).JSON["publicToken"].(string)
		r.ended(second, contract.StatusSuccess)
		refreshed := r.report(second)
		r.carries("a refresh", refreshed, corrected, true)
		if refreshed.Meta.Revision != nil {
			t.Errorf("the refreshed report is of revision %v", refreshed.Meta.Revision)
		}
		r.carries("another visit", r.report(r.connected()), corrected, true)
		other := r
		other.consumer = r.newConsumer()
		r.carries("another consumer", r.report(other.connected()), original, false)

		// Staff take the correction back in the refreshed report.
		r.advance(time.Minute)
		r.correct(second, "")
		if back := r.report(second); !cmp.Equal(original.Attributes, back.Attributes) {
			t.Error("taken back: other figures")
		}
		r.carries("a visit after that", r.report(r.connected()), original, false)
		if n := r.Count(`SELECT count(*) FROM consumer_corrections`); n != 2 {
			t.Errorf("%d rows", n)
		}
	})
}
