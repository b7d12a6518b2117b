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
		made := r.Do("POST", "/connect/consumers", map[string]any{"prefill": providertest.Prefill()}, r.Basic)
		if made.Status != http.StatusCreated {
			t.Fatalf("a consumer: %d %s", made.Status, made.Body)
		}
		r.consumer = made.JSON["consumerId"].(string)
		f(t, r)
	})
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
		body := func(token string) *report.Cashflow {
			t.Helper()
			got, err := report.ParseCashflow([]byte(r.Do("GET", "/connect/cashflow/v2/json", nil, r.Bearer(token)).Body))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		old, fresh := body(first), body(second)
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

// TestCorrectionsAreCarried leaves out a transaction of a report, and follows it to the reports that
// a refresh and another visit make about the consumer, and to no other person's.
func TestCorrectionsAreCarried(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		b := &testServer{t: t, db: r.DB, provider: r.Provider, seed: r.Seed, service: &httptest.Server{URL: r.URL}}
		b.addUsers()
		d := b.signIn(customerUser)
		answer := func(token string, known ...string) providertest.Answer {
			t.Helper()
			return r.Do("GET", "/connect/cashflow/v2/json", nil, r.Bearer(token), func(req *http.Request) {
				for _, tag := range known {
					req.Header.Set("If-None-Match", tag)
				}
			})
		}
		read := func(token string) *report.Cashflow {
			t.Helper()
			got, err := report.ParseCashflow([]byte(answer(token).Body))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		correct := func(token, item, revision, excluded string) {
			t.Helper()
			path := "/dashboard/reports/" + d.reportNamed(token) + "/correct"
			if a := d.send(path, d.form("item", item, "revision", revision, "excluded", excluded, "category", "", "side", "",
				"reason", "It is another person’s deposit.")); a.status != 303 {
				t.Fatalf("correcting: %d %s", a.status, a.raw)
			}
		}
		// transaction returns the item of the last transaction of the page of corrections.
		transaction := func(token string) string {
			t.Helper()
			all := itemPattern.FindAllStringSubmatch(d.page("/dashboard/reports/"+d.reportNamed(token)+"/correct"), -1)
			for _, m := range slices.Backward(all) {
				if strings.Contains(d.page("/dashboard/reports/"+d.reportNamed(token)+"/correct?item="+m[1]), `name="side"`) {
					return m[1]
				}
			}
			t.Fatal("no transaction can be corrected")
			return ""
		}
		same := func(what string, a, b *report.Cashflow, want bool) {
			t.Helper()
			if cmp.Equal(a.Attributes, b.Attributes) != want {
				t.Errorf("%s: the figures are the same: %v", what, !want)
			}
		}
		first := r.connected()
		original := read(first)
		correct(first, transaction(first), "0", "yes")
		corrected := read(first)
		same("a correction", original, corrected, false)

		// A caller that names the revision it has does not read the report again.
		reads := func() int { return r.Count(`SELECT coalesce(sum(revision * 10 + 1), 0) FROM report_reads`) }
		r.Count(`DELETE FROM report_reads RETURNING 0`)
		tag := answer(first).Header.Get("ETag")
		r.Count(`DELETE FROM report_reads RETURNING 0`)
		for _, known := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag} {
			if a := answer(first, known); a.Status != http.StatusNotModified || len(a.Body) != 0 || a.Header.Get("ETag") != tag || reads() != 0 {
				t.Errorf("If-None-Match %s: %d, %d bytes, reads %d", known, a.Status, len(a.Body), reads())
			}
		}
		if a := answer(first, `W/"0"`); a.Status != http.StatusOK || tag != `W/"1"` || reads() != 11 {
			t.Errorf("an older revision: %d, newest %s, reads %d", a.Status, tag, reads())
		}

		second, _ := r.refresh(first).JSON["publicToken"].(string)
		r.ended(second, contract.StatusSuccess)
		refreshed := read(second)
		same("a refresh", corrected, refreshed, true)
		says := func(c *report.Cashflow) bool {
			return slices.ContainsFunc(c.Notices, func(n report.ConsumerNotice) bool {
				return strings.Contains(n.Description, "stay as corrected on")
			})
		}
		if refreshed.Meta.Revision != nil || !says(refreshed) || says(corrected) {
			t.Errorf("the refreshed report says %+v", refreshed.Notices)
		}
		same("another visit", corrected, read(r.connected()), true)
		own := r.consumer
		r.consumer = r.Do("POST", "/connect/consumers", map[string]any{"prefill": providertest.Prefill()}, r.Basic).JSON["consumerId"].(string)
		other := read(r.connected())
		if same("another consumer", original, other, true); says(other) {
			t.Error("another consumer's report says that it was corrected")
		}
		r.consumer = own

		// Staff take the correction back in the refreshed report.
		r.advance(time.Minute)
		correct(second, transaction(second), "0", "")
		same("taken back", original, read(second), true)
		third := read(r.connected())
		if same("after that", original, third, true); says(third) {
			t.Errorf("a report without corrections says %+v", third.Notices)
		}
		if n := r.Count(`SELECT count(*) FROM consumer_corrections`); n != 2 {
			t.Errorf("%d rows", n)
		}
	})
}
