package visits_test

import (
	"encoding/base64"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
	"vestibule/templates/ui"
)

func withConnector(t *testing.T, f func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank)) {
	storetest.EachInFull(t, store.Provider, connectorOnDB(f))
}

// connectorOnDB returns a test of a provider with a bank, on a database.
func connectorOnDB(f func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank)) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		bank := &providertest.OAuthBank{}
		r := providertest.Start(t, db, "get", func(c *provider.Config) { c.Connectors = []sources.Connector{bank} })
		f(t, r, bank)
	}
}

var leadsTo = regexp.MustCompile(`content="0;url=([^"]+)"`)

// toBank chooses the bank and returns its address.
func (a applicant) toBank(t *testing.T, form url.Values) (address *url.URL, answer providertest.Answer) {
	t.Helper()
	answer = a.Do("POST", a.path+"/authorize", form)
	m := leadsTo.FindStringSubmatch(answer.Body)
	if answer.Status != http.StatusOK || m == nil {
		t.Fatalf("to the bank: %d %s", answer.Status, answer.Body)
	}
	address, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
	if err != nil {
		t.Fatal(err)
	}
	return address, answer
}

// atBank walks a visit until the bank's pages and returns the query of the callback.
func atBank(t *testing.T, r *providertest.Server, form url.Values) (applicant, url.Values) {
	t.Helper()
	a := newcomer(t, r, providertest.Prefill())
	a.post(t, "action", "consent")
	a.post(t, "action", "bank", "bank", "open-bank")
	if step := a.step(t); step != "authorize" {
		t.Fatalf("the step is %q", step)
	}
	address, _ := a.toBank(t, form)
	if got := address.Query().Get("redirect_uri"); got != r.URL+"/oauth/callback" {
		t.Errorf("redirect_uri %q", got)
	}
	return a, url.Values{"state": address.Query()["state"], "code": {"good"}}
}

// TestReceiptOfAuthorizedBank checks that the page at the end says until when the
// customer can get updated reports.
func TestReceiptOfAuthorizedBank(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, _ *providertest.OAuthBank) {
		for refresh, want := range map[bool]string{
			false: i18ntest.EN("visit.receipt.no_updates"),
			true:  ui.DayWords(i18n.English, r.Now().Add(sources.Lifetime)),
		} {
			r.Entitle("refresh", refresh)
			a, query := atBank(t, r, nil)
			a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
			a.post(t, "action", "finish")
			r.Until("the end", func() bool { return a.step(t) == "end" })
			if body := a.get(t).Body; !strings.Contains(body, want) || !strings.Contains(body, "Open Bank") {
				t.Errorf("refresh %v: no %q in %s", refresh, want, body)
			}
		}
	})
}

// TestEndNamesBankThatAnsweredInPart checks that the last page names the bank, says what to
// do, and remains a success.
func TestEndNamesBankThatAnsweredInPart(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		for _, partial := range []bool{true, false} {
			bank.Change = func(f *sources.Fetched) {
				if partial {
					f.Failed = []sources.AccountFailure{{ID: "x", Reason: sources.Unresponsive}}
				}
			}
			a, query := atBank(t, r, nil)
			a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
			a.post(t, "action", "finish")
			r.Until("the end", func() bool { return a.step(t) == "end" })
			for lang, word := range map[string]func(i18n.Key, ...string) string{"en": i18ntest.EN, "es": i18ntest.ES} {
				body := r.Do("GET", a.path+"?lang="+lang, nil).Body
				if !strings.Contains(body, word("visit.end.bank.shared", "company", "Vestibule")) || !strings.Contains(body, "Open Bank") {
					t.Errorf("partial %v: the end is no success: %s", partial, body)
				}
				if strings.Contains(body, word("visit.end.incomplete", "sources", "Open Bank", "company", "Vestibule")) != partial {
					t.Errorf("partial %v, in %s: %s", partial, lang, body)
				}
			}
		}
	})
}

// TestEndNamesBankThatFailed checks that the last page names a bank that gave no data, but not
// among those that shared data.
func TestEndNamesBankThatFailed(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		bank.FetchError = sources.Fail(sources.Unresponsive, errors.New("for a test"))
		made := register(r, map[string]any{"prefill": providertest.Prefill(), "productId": r.Seed.Products[contract.Income]})
		if made.Status != http.StatusCreated {
			t.Fatalf("%d %s", made.Status, made.Body)
		}
		a := applicant{r, "/visit/" + made.JSON["handle"].(string), made.JSON["publicToken"].(string)}
		a.toPayrollCode(t, "default")
		a.post(t, "action", "code", "code", "123456")
		a.post(t, "action", "more")
		a.post(t, "action", "source", "source", "bank")
		a.post(t, "action", "bank", "bank", "open-bank")
		address, _ := a.toBank(t, nil)
		a.Do("GET", "/oauth/callback?"+url.Values{"state": address.Query()["state"], "code": {"good"}}.Encode(), nil)
		a.post(t, "action", "finish")
		r.Until("the end", func() bool { return a.step(t) == "end" })
		body := a.get(t).Body
		if !strings.Contains(body, i18ntest.EN("visit.end.incomplete", "sources", "Open Bank", "company", "Vestibule")) ||
			strings.Count(body, "Open Bank") != 1 || !strings.Contains(body, "Northwind Logistics") {
			t.Errorf("the end: %s", body)
		}
	})
}

// TestApplicantReadsWhyBankFailed checks what the applicant reads for each failure of a bank
// with its own pages, immediately and after leaving, in both languages. Only three wrong
// passwords are called three wrong passwords.
func TestApplicantReadsWhyBankFailed(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		for reason, want := range map[sources.Reason]struct{ failed, next, left i18n.Key }{
			sources.Denied:       {"visit.failed.denied", "visit.failed.next_bank", "visit.end.start_again"},
			sources.Abandoned:    {"visit.failed.abandoned", "visit.failed.next_bank", "visit.end.start_again"},
			sources.Ended:        {"visit.failed.abandoned", "visit.failed.next_bank", "visit.end.start_again"},
			sources.Unauthorized: {"visit.failed.abandoned", "visit.failed.next_bank", "visit.end.start_again"},
			sources.Misused:      {"visit.failed.misused", "visit.failed.other_bank", "visit.end.start_again"},
			sources.Rejected:     {"visit.failed.misused", "visit.failed.other_bank", "visit.end.start_again"},
			sources.Unsupported:  {"visit.failed.no_online_banking", "visit.failed.other_bank", "visit.end.bank.no_online_banking"},
			sources.Challenged:   {"visit.failed.bank_code", "visit.failed.next_bank", "visit.end.bank.code"},
			sources.Unresponsive: {"visit.failed.bank_unresponsive", "visit.failed.next_bank", "visit.end.bank.unresponsive"},
		} {
			reads := func(a applicant, keys ...i18n.Key) {
				t.Helper()
				for lang, word := range map[string]func(i18n.Key, ...string) string{"en": i18ntest.EN, "es": i18ntest.ES} {
					body := html.UnescapeString(r.Do("GET", a.path+"?lang="+lang, nil).Body)
					for _, key := range keys {
						if !strings.Contains(body, word(key, "company", "Vestibule")) {
							t.Errorf("%s, in %s: no %s in %s", reason, lang, key, body)
						}
					}
				}
			}
			bank.Refusal, bank.FetchError = sources.Fail(reason, errors.New("for a test")), nil
			a, query := atBank(t, r, nil)
			a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
			reads(a, want.failed, want.next)
			a.post(t, "action", "close")
			if step := a.step(t); step != "end" {
				t.Errorf("%s: the step after leaving is %q", reason, step)
			}
			if reads(a, want.left); want.left == "visit.end.start_again" { // it says only what to do
				reads(a, want.failed)
			}

			if reason != sources.Ended && reason != sources.Unsupported {
				continue
			}
			// When the data are fetched, the applicant has done everything.
			bank.Refusal, bank.FetchError = nil, bank.Refusal
			a, query = atBank(t, r, nil)
			a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
			a.post(t, "action", "finish")
			r.Until("the end", func() bool { return a.step(t) == "end" })
			reads(a, "visit.end.bank.error")
		}
	})
}

// TestConsentToUpdates checks that the consent mentions updated data only if the
// applicant can choose a bank.
func TestConsentToUpdates(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, _ *providertest.OAuthBank) {
		r.Entitle("refresh", true)
		for product, want := range map[contract.Product]i18n.Key{contract.Cashflow: "visit.consent.agreement_updates",
			contract.Income: "visit.consent.agreement_updates_payroll", contract.Passport: ""} {
			a := register(r, map[string]any{"prefill": providertest.Prefill(), "productId": r.Seed.Products[product]})
			if a.Status != http.StatusCreated {
				t.Fatalf("%s: %d %s", product, a.Status, a.Body)
			}
			v := applicant{r, "/visit/" + a.JSON["handle"].(string), a.JSON["publicToken"].(string)}
			body := v.get(t).Body
			for _, key := range []i18n.Key{"visit.consent.agreement_updates", "visit.consent.agreement_updates_payroll"} {
				text := i18ntest.EN(key, "service", "|", "company", "|")
				_, updates, _ := strings.Cut(text, ". ")
				updates, _, _ = strings.Cut(updates, "|")
				if got := strings.Contains(body, updates); got != (key == want) {
					t.Errorf("%s: the consent has %s: %v", product, key, got)
				}
			}
		}
	})
}

func TestAuthorizedBankMakesAReport(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		token := r.Do("GET", "/connect/accesstoken", nil, r.Basic).JSON["accessToken"].(string)
		listed := r.Do("GET", "/connect/cashflow/oauth-destinations", nil, func(req *http.Request) {
			req.Header.Set("Authorization", "Bearer "+base64.StdEncoding.EncodeToString([]byte(token)))
		})
		const want = `{"bank_name":"Open Bank","bank_oauth_domains":["login.open-bank.example"],"bank_homepage_domains":[]}`
		if !strings.Contains(listed.Body, want) {
			t.Errorf("the destinations are %s", listed.Body)
		}
		bank.Expires = r.Now().Add(time.Second) // to be renewed before the first use
		r.Entitle("refresh", false)             // the access ends with the report
		a, query := atBank(t, r, nil)
		if back := a.Do("GET", "/oauth/callback?"+query.Encode(), nil); back.Status != http.StatusOK ||
			!strings.Contains(back.Body, i18ntest.EN("visit.authorize.returned.title")) {
			t.Fatalf("the callback answers %d %s", back.Status, back.Body)
		}
		a.post(t, "action", "finish")
		events := r.Webhooks(a.publicToken, 1)
		if events[0]["status"] != "SUCCESS" {
			t.Fatalf("%v", events)
		}
		if bank.Count("renew refresh-1") != 1 || bank.Count("fetch access-2") != 1 || bank.Count("fetch access-1") != 0 {
			t.Errorf("calls %v", bank.Calls())
		}
		r.Until("the access is revoked with the newer refresh token", func() bool { return bank.Count("revoke refresh-2") == 1 })
		r.Until("nothing of the access is kept", func() bool {
			return r.Count(`SELECT count(*) FROM source_connections WHERE access IS NOT NULL OR ended_at = 0`) == 0
		})
		if n := r.Count(`SELECT count(DISTINCT kind) FROM source_events
			WHERE kind IN ('authorized', 'renewed', 'fetched', 'ended', 'revoked')`); n != 5 {
			t.Errorf("%d kinds of events in the audit trail", n)
		}
	})
}

// TestAuthorizationIsBoundToItsBrowser checks that an authorization completes once, in
// the browser that began it, within its time.
func TestAuthorizationIsBoundToItsBrowser(t *testing.T) {
	storetest.Each(t, store.Provider, connectorOnDB(func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		unknown := func(what string, answer providertest.Answer) {
			t.Helper()
			if answer.Status != http.StatusNotFound || !strings.Contains(answer.Body, i18ntest.EN("visit.authorize.unknown.title")) {
				t.Errorf("%s: %d", what, answer.Status)
			}
		}
		a, query := atBank(t, r, nil)
		callback := "/oauth/callback?" + query.Encode()
		unknown("another browser", r.Browser().Do("GET", callback, nil))
		unknown("another state", a.Do("GET", "/oauth/callback?state="+store.NewSecret()+"&code=good", nil))
		unknown("no state", a.Do("GET", "/oauth/callback", nil))
		if head := a.Do("HEAD", callback, nil); head.Status != http.StatusMethodNotAllowed {
			t.Errorf("HEAD: %d", head.Status)
		}
		if bank.Count("complete") != 0 {
			t.Fatalf("calls %v", bank.Calls())
		}
		var answers []providertest.Answer
		var mu sync.Mutex
		var wait sync.WaitGroup
		for range 4 { // at once
			wait.Go(func() {
				answer := a.Do("GET", callback, nil)
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, answer)
			})
		}
		wait.Wait()
		if n := len(slices.DeleteFunc(answers, func(a providertest.Answer) bool { return a.Status != http.StatusOK })); n != 1 {
			t.Errorf("%d of four callbacks at once succeed", n)
		}
		if bank.Count("complete") != 1 {
			t.Errorf("calls %v", bank.Calls())
		}

		a, query = atBank(t, r, nil)
		r.Advance(sources.AuthorizationLifetime + time.Second)
		unknown("late", a.Do("GET", "/oauth/callback?"+query.Encode(), nil))

		// Another site cannot lead a browser to a bank for a visit of its own.
		a = newcomer(t, r, providertest.Prefill())
		a.post(t, "action", "consent")
		a.post(t, "action", "bank", "bank", "open-bank")
		answer := a.Do("POST", a.path+"/authorize?lang=es", url.Values{}, func(req *http.Request) {
			req.Header.Set("Sec-Fetch-Site", "cross-site")
			req.Header.Set("Origin", "https://evil.example")
		})
		if answer.Status != http.StatusForbidden || len(answer.Header["Set-Cookie"]) != 0 {
			t.Errorf("from another site: %d %v", answer.Status, answer.Header["Set-Cookie"])
		}
		for _, part := range []string{i18ntest.ES("visit.other_site.title"), i18ntest.ES("visit.other_site.widget")} {
			if !strings.Contains(answer.Body, part) {
				t.Errorf("the page for a request from another site lacks %q: %s", part, answer.Body)
			}
		}
	}))
}

// TestCallbackArrivesAtTheBanksRedirectURI checks that a code that arrives at the address of
// another bank goes to no bank (RFC 9700, section 4.4), whichever of the two has its own.
func TestCallbackArrivesAtTheBanksRedirectURI(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		const shared = "/oauth/callback"
		for _, own := range []bool{true, false} {
			bank.OwnCallback = own
			right := shared
			if own {
				right += "/open-bank"
			}
			for _, path := range []string{shared, shared + "/open-bank", shared + "/other-bank"} {
				before := bank.Count("complete")
				a := newcomer(t, r, providertest.Prefill())
				a.post(t, "action", "consent")
				a.post(t, "action", "bank", "bank", "open-bank")
				address, _ := a.toBank(t, nil)
				if got := address.Query().Get("redirect_uri"); got != r.URL+right {
					t.Errorf("own %v: redirect_uri %q", own, got)
				}
				back := a.Do("GET", path+"?"+url.Values{"state": address.Query()["state"], "code": {"good"}}.Encode(), nil)
				if back.Status != http.StatusOK || bank.Count("complete")-before == 1 != (path == right) {
					t.Errorf("own %v, at %s: %d, and the bank got %d codes", own, path, back.Status, bank.Count("complete")-before)
				}
				if failed := strings.Contains(a.get(t).Body, i18ntest.EN("visit.failed.misused")); failed != (path != right) {
					t.Errorf("own %v, at %s: the visit says that the bank failed: %v", own, path, failed)
				}
			}
		}
	})
}

func TestAuthorizationOutcomes(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		t.Run("denied", func(t *testing.T) { bankDenies(t, r) })
		t.Run("a window that was closed is not awaited after a refusal in another", func(t *testing.T) { refuseInSecondWindow(t, r) })
		t.Run("the applicant chose another bank meanwhile", func(t *testing.T) { chooseOtherBankMeanwhile(t, r, bank) })
		t.Run("returns to the page with the widget", func(t *testing.T) {
			a, query := atBank(t, r, url.Values{"return": {"https://shop.example/apply?x=1"}})
			back := a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
			// By a page and not a redirect: the bank's policy limits where its forms lead.
			if m := leadsTo.FindStringSubmatch(back.Body); back.Status != http.StatusOK || m == nil || m[1] != "https://shop.example/apply?x=1" {
				t.Errorf("%d to %v", back.Status, m)
			}
		})
		t.Run("a window that stays open links to the page with the widget", func(t *testing.T) {
			a, query := atBank(t, r, url.Values{"window": {"1"}, "return": {"https://shop.example/apply"}})
			back := a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
			if leadsTo.MatchString(back.Body) || !strings.Contains(back.Body, `href="https://shop.example/apply"`) ||
				!strings.Contains(back.Body, i18ntest.EN("visit.authorize.returned.window")) || !strings.Contains(back.Body, "<script") {
				t.Errorf("%d %s", back.Status, back.Body)
			}
		})
		t.Run("returns with the look of the customer", func(t *testing.T) { returnWithLook(t, r) })
		t.Run("returns to no other page", func(t *testing.T) { returnToNoOtherPage(t, r) })
		t.Run("the fetch fails", func(t *testing.T) { fetchFails(t, r, bank) })
	})
}

func bankDenies(t *testing.T, r *providertest.Server) {
	a, query := atBank(t, r, nil)
	query.Del("code")
	query.Set("error", "access_denied")
	a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
	if page := a.get(t); !strings.Contains(page.Body, i18ntest.EN("visit.failed.denied")) || a.step(t) != "failed" {
		t.Errorf("the page says %s", page.Body)
	}
	a.giveUp(t)
	if events := r.Webhooks(a.publicToken, 1); events[0]["status"] != string(contract.StatusNotAuthenticated) {
		t.Errorf("%v", events)
	}
}

func refuseInSecondWindow(t *testing.T, r *providertest.Server) {
	a, _ := atBank(t, r, nil)
	waiting := i18ntest.EN("visit.authorize.waiting", "bank", "Open Bank")
	if !strings.Contains(a.get(t).Body, waiting) {
		t.Fatal("an open window is not awaited")
	}
	r.Advance(time.Minute)
	address, _ := a.toBank(t, nil)
	r.Advance(time.Minute)
	a.Do("GET", "/oauth/callback?"+url.Values{"state": address.Query()["state"], "error": {"access_denied"}}.Encode(), nil)
	a.post(t, "action", "again")
	if a.step(t) != "authorize" || strings.Contains(a.get(t).Body, waiting) {
		t.Error("a closed window is awaited")
	}
}

func chooseOtherBankMeanwhile(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
	revoked := bank.Count("revoke refresh-1")
	a, query := atBank(t, r, nil)
	a.post(t, "action", "rechoose")
	a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
	if step := a.step(t); step != "bank" {
		t.Errorf("the step is %q", step)
	}
	r.Until("the unused access is revoked", func() bool { return bank.Count("revoke refresh-1") == revoked+1 })
}

func returnWithLook(t *testing.T, r *providertest.Server) {
	r.Count(`INSERT INTO themes (customer_id, light_color, dark_color, corners, font, color_scheme, logo_has_name, changed_at)
				SELECT id, '#7a1fa3', '', 'square', 'inter', 'auto', FALSE, 0 FROM customers WHERE public_id = $1 RETURNING 1`, r.Seed.PublicID)
	for _, form := range []url.Values{nil, {"return": {"https://shop.example/apply"}}} { // in a window, and in the tab
		a, query := atBank(t, r, form)
		if back := a.Do("GET", "/oauth/callback?"+query.Encode(), nil); !strings.Contains(back.Body, `href="/theme/7a1fa3-`) {
			t.Errorf("%v: no style sheet of the theme in %s", form, back.Body)
		}
	}
	r.Count(`DELETE FROM themes WHERE customer_id <> '' RETURNING 1`)
}

func returnToNoOtherPage(t *testing.T, r *providertest.Server) {
	a := newcomer(t, r, providertest.Prefill())
	a.post(t, "action", "consent")
	a.post(t, "action", "bank", "bank", "open-bank")
	for _, address := range []string{"javascript:alert(1)", "//evil.example", "/x", "https://user@evil.example/", "data:,x"} {
		if answer := a.Do("POST", a.path+"/authorize", url.Values{"return": {address}}); answer.Status != http.StatusBadRequest {
			t.Errorf("return %q: %d", address, answer.Status)
		}
	}
	r.Count(`INSERT INTO widget_origins (customer_id, origin) SELECT id, 'https://shop.example' FROM customers
				WHERE public_id = $1 RETURNING 1`, r.Seed.PublicID)
	if answer := a.Do("POST", a.path+"/authorize", url.Values{"return": {"https://evil.example/"}}); answer.Status != http.StatusForbidden {
		t.Errorf("of another origin: %d", answer.Status)
	}
	r.Count(`DELETE FROM widget_origins WHERE origin <> '' RETURNING 1`)
}

func fetchFails(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
	for reason, want := range map[sources.Reason]contract.Status{sources.Unresponsive: contract.StatusSupplierUnresponsive,
		sources.Rejected: contract.StatusError, sources.Ended: contract.StatusNotAuthenticated,
		sources.Challenged: contract.StatusNotAuthenticated} {
		bank.FetchError = sources.Fail(reason, errors.New("test"))
		a, query := atBank(t, r, nil)
		a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
		a.post(t, "action", "finish")
		events := r.Webhooks(a.publicToken, 1)
		if mfa := events[0]["substatus"] == string(contract.SubMFARequired); events[0]["status"] != string(want) ||
			mfa != (reason == sources.Challenged) {
			t.Errorf("%s: %v, want %s", reason, events, want)
		}
	}
}

// TestWithdrawnConsentEndsAccess checks that withdrawn consent ends access at once, also
// while a report is being made.
func TestWithdrawnConsentEndsAccess(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		bank.FetchError = sources.Fail(sources.Unresponsive, errors.New("test"))
		a, query := atBank(t, r, nil)
		var consumer string
		row := r.DB.SQL.QueryRowContext(t.Context(), `SELECT consumer_id FROM reports WHERE public_token = $1`, a.publicToken)
		if err := row.Scan(&consumer); err != nil {
			t.Fatal(err)
		}
		a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
		if answer := r.Do("DELETE", "/connect/consumers/"+consumer, nil, r.Basic); answer.Status != http.StatusNoContent {
			t.Fatalf("withdrawal: %d %s", answer.Status, answer.Body)
		}
		if n := r.Count(`SELECT count(*) FROM source_connections WHERE ended_at = 0`); n != 0 {
			t.Errorf("%d connections are open after the withdrawal", n)
		}
		r.Until("the access is revoked", func() bool { return bank.Count("revoke refresh-1") == 1 })
	})
}

// TestWidgetWaitsWhileAccessIsExchanged checks that the step asks again for its state while the
// service exchanges the bank's answer for access, which can take seconds.
func TestWidgetWaitsWhileAccessIsExchanged(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, bank *providertest.OAuthBank) {
		waiting := i18ntest.EN("visit.authorize.waiting", "bank", "Open Bank")
		for _, refusal := range []error{nil, sources.Fail(sources.Denied, errors.New("for a test"))} {
			a, query := atBank(t, r, nil)
			asked := false
			bank.Refusal, bank.Completing = refusal, func() {
				asked = true
				if body := a.get(t).Body; !strings.Contains(body, "data-poll") || !strings.Contains(body, waiting) {
					t.Errorf("during the exchange: %s", body)
				}
			}
			r.Advance(time.Second)
			a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
			if body := a.get(t).Body; !asked || strings.Contains(body, waiting) {
				t.Errorf("asked %v; after the exchange with %v: %s", asked, refusal, body)
			}
			if refusal != nil {
				a.post(t, "action", "again")
				if body := a.get(t).Body; a.step(t) != "authorize" || strings.Contains(body, waiting) {
					t.Errorf("at another try: %s", body)
				}
			}
		}
	})
}

// TestWidgetAsksAgainIfReadBeforeTheCallback checks that the step asks again for its state if
// its request read the visit before the callback changed it, and the rest after that: the test sets
// the visit's row back.
func TestWidgetAsksAgainIfReadBeforeTheCallback(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, _ *providertest.OAuthBank) {
		a, query := atBank(t, r, nil)
		var state, step, source, bank string
		var version int
		if err := r.DB.SQL.QueryRow(`SELECT state, step, source_type, bank, version FROM visits WHERE public_token = $1`,
			a.publicToken).Scan(&state, &step, &source, &bank, &version); err != nil {
			t.Fatal(err)
		}
		r.Advance(time.Second)
		a.Do("GET", "/oauth/callback?"+query.Encode(), nil)
		if step := a.step(t); step != "accounts" && step != "connected" {
			t.Fatalf("after the callback, the step is %q", step)
		}
		r.Count(`UPDATE visits SET state = $1, step = $2, source_type = $3, bank = $4, version = $5 WHERE public_token = $6 RETURNING 1`,
			state, step, source, bank, version, a.publicToken)
		if body := a.get(t).Body; !strings.Contains(body, "data-poll") || !strings.Contains(body, "Open Bank") {
			t.Errorf("read before the callback: %s", body)
		}
	})
}
