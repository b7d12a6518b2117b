package visits_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

// applicant uses the hosted page with a browser without script.
type applicant struct {
	*providertest.Server
	path        string // of the visit's page
	publicToken string
}

var (
	stepOf   = regexp.MustCompile(`data-step="([^"]+)"`)
	accounts = regexp.MustCompile(`name="account" value="([^"]+)"`)
)

func (a applicant) get(t *testing.T) providertest.Answer {
	t.Helper()
	page := a.Do("GET", a.path, nil)
	if page.Status != 200 {
		t.Fatalf("the page answers %d %s", page.Status, page.Body)
	}
	return page
}

func (a applicant) step(t *testing.T) string {
	t.Helper()
	page := a.get(t)
	m := stepOf.FindStringSubmatch(page.Body)
	if m == nil {
		t.Fatalf("no step in %s", page.Body)
	}
	return m[1]
}

// post sends a form of the page; the answer must lead back to the page.
func (a applicant) post(t *testing.T, form ...string) providertest.Answer {
	t.Helper()
	values := url.Values{}
	for i := 0; i < len(form); i += 2 {
		values.Add(form[i], form[i+1])
	}
	answer := a.Do("POST", a.path, values)
	if answer.Status != http.StatusSeeOther && answer.Status != http.StatusUnprocessableEntity {
		t.Fatalf("posting %v answers %d %s", form, answer.Status, answer.Body)
	}
	return answer
}

func newcomer(t *testing.T, r *providertest.Server, prefill map[string]any) applicant {
	t.Helper()
	a := register(r, map[string]any{"prefill": prefill})
	if a.Status != 201 {
		t.Fatalf("register: %d %s", a.Status, a.Body)
	}
	return applicant{r, "/visit/" + a.JSON["handle"].(string), a.JSON["publicToken"].(string)}
}

func named(first, last string) map[string]any {
	p := providertest.Prefill()
	p["firstName"], p["lastName"] = first, last
	return p
}

func (a applicant) toSignIn(t *testing.T) {
	t.Helper()
	a.post(t, "action", "consent")
	a.post(t, "action", "bank", "bank", "meridian-quay-bank")
}

func (a applicant) toCode(t *testing.T, username string) {
	t.Helper()
	a.toSignIn(t)
	a.post(t, "action", "sign-in", "username", username, "password", "anything")
}

func (a applicant) toAccounts(t *testing.T, username string) []string {
	t.Helper()
	a.toCode(t, username)
	a.post(t, "action", "code", "code", "123 456")
	var ids []string
	for _, m := range accounts.FindAllStringSubmatch(a.get(t).Body, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// giveUp leaves a visit whose source could not be connected: no webhook was sent so far.
func (a applicant) giveUp(t *testing.T) {
	t.Helper()
	if a.step(t) != "failed" {
		return
	}
	if n := a.Count(`SELECT count(*) FROM events WHERE subject_id = $1`, a.publicToken); n != 0 {
		t.Errorf("%d events of a visit that can go on", n)
	}
	a.post(t, "action", "close")
}

// ends checks how a visit ends, and that one webhook says so. It returns the last page.
func (a applicant) ends(t *testing.T, end string, status contract.Status, substatus contract.Substatus) (body string) {
	t.Helper()
	a.giveUp(t)
	a.Until("the end", func() bool { return a.step(t) == "end" })
	if body = a.get(t).Body; !strings.Contains(body, `data-end="`+end+`"`) {
		t.Errorf("the page does not end in %s: %s", end, body)
	}
	event := a.Webhooks(a.publicToken, 1)[0]
	if event["status"] != string(status) || event["substatus"] != orNil(substatus) {
		t.Errorf("the webhook says %v %v, want %s %s", event["status"], event["substatus"], status, substatus)
	}
	if n := a.Count(`SELECT count(*) FROM events WHERE subject_id = $1`, a.publicToken); n != 1 {
		t.Errorf("%d events, want one", n)
	}
	return body
}

// TestVisitOutcomes completes visits by plain forms with every username, scenario and mistake,
// and compares page, status and the one webhook with the contract.
func TestVisitOutcomes(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		all := func(username string) func(*testing.T, applicant) {
			return func(t *testing.T, a applicant) {
				form := []string{"action", "accounts"}
				for _, id := range a.toAccounts(t, username) {
					form = append(form, "account", id)
				}
				a.post(t, form...)
			}
		}
		toCode := func(username string) func(*testing.T, applicant) {
			return func(t *testing.T, a applicant) { a.toAccounts(t, username) }
		}
		ana := named("Ana", "Pérez")
		for _, c := range []struct {
			name      string
			prefill   map[string]any
			walk      func(*testing.T, applicant)
			end       string
			status    contract.Status
			substatus contract.Substatus
			said      i18n.Key // at the end
		}{
			{"default", ana, all("default"), "success", contract.StatusSuccess, "", "visit.end.bank.shared"},
			{"single, in capitals", ana, all(" SINGLE "), "success", contract.StatusSuccess, "", "visit.end.bank.shared"},
			{"multi", ana, all("multi"), "success", contract.StatusSuccess, "", "visit.end.bank.shared"},
			{"joint", ana, all("joint"), "success", contract.StatusSuccess, "", "visit.end.bank.shared"},
			{"noincome", ana, all("noincome"), "success", contract.StatusSuccess, contract.SubNoRecentInformation, "visit.end.empty"},
			{"no_transactions", ana, all("no_transactions"), "success", contract.StatusSuccess, contract.SubNoRecentInformation, "visit.end.empty"},
			{"error", ana, toCode("error"), "success", contract.StatusError, "", "visit.end.bank.error"},
			{"supplier_unresponsive", ana, toCode("supplier_unresponsive"), "error",
				contract.StatusSupplierUnresponsive, "", "visit.end.bank.unresponsive"},
			{"mfa", ana, toCode("mfa"), "error", contract.StatusNotAuthenticated, contract.SubMFARequired, "visit.end.bank.code"},
			{"debt_only", ana, toCode("debt_only"), "error",
				contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts, "visit.end.bank.account"},
			{"investment_only", ana, toCode("investment_only"), "error",
				contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts, "visit.end.bank.account"},
			{"e_banking_unsupported", ana, toCode("e_banking_unsupported"), "error",
				contract.StatusNotAuthenticated, contract.SubEBankingNotSupported, "visit.end.bank.no_online_banking"},
			{"lastName supplierdown", named("Ana", "supplierdown"), toCode("default"), "error",
				contract.StatusBureauUnresponsive, "", "visit.end.bank.unresponsive"},
			{"firstName mfa required", named("mfa required", "Pérez"), toCode("default"), "error",
				contract.StatusNotAuthenticated, contract.SubMFARequired, "visit.end.bank.code"},
			{"three wrong codes", ana, func(t *testing.T, a applicant) {
				a.toCode(t, "default")
				for _, want := range []string{"2 attempts left", "one more attempt", i18ntest.EN("visit.banks.another")} {
					a.post(t, "action", "code", "code", "654321")
					if !strings.Contains(a.get(t).Body, want) {
						t.Errorf("the page does not say %q", want)
					}
				}
			}, "error", contract.StatusNotAuthenticated, contract.SubMFARequired, "visit.end.bank.code"},
			{"three wrong sign-ins, one of them unknown", ana, func(t *testing.T, a applicant) {
				a.toSignIn(t)
				a.post(t, "action", "sign-in", "username", "default", "password", "wrong")
				a.post(t, "action", "rechoose")
				a.post(t, "action", "bank", "bank", "kestrel-bank")
				a.post(t, "action", "sign-in", "username", "unknown", "password", "x")
				if !strings.Contains(a.get(t).Body, "one more attempt") {
					t.Error("the page does not say that one try is left")
				}
				a.post(t, "action", "sign-in", "username", "default", "password", "wrong")
			}, "error", contract.StatusNotAuthenticated, "", "visit.end.bank.sign_in"},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := newcomer(t, r, c.prefill)
				c.walk(t, a)
				body := a.ends(t, c.end, c.status, c.substatus)
				if want := i18ntest.EN(c.said, "company", "Vestibule"); !strings.Contains(html.UnescapeString(body), want) {
					t.Errorf("the page does not say %q: %s", want, body)
				}
			})
		}
		if log := r.Log(); strings.Contains(log, "Pérez") || strings.Contains(log, "ana@example.com") || strings.Contains(log, "anything") {
			t.Error("something personal is in the log")
		}
	})
}

// TestStepsOutOfOrder posts forms late, twice, from another tab and with other values: they
// lead to the present step and change nothing.
func TestStepsOutOfOrder(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		forms := [][]string{
			{"action", "consent"}, {"action", "bank", "bank", "kestrel-bank"}, {"action", "rechoose"},
			{"action", "sign-in", "username", "default", "password", "x"}, {"action", "code", "code", "123456"}, {"action", "no-code"},
			{"action", "accounts", "account", "x"}, {"action", "reopen"}, {"action", "drop table"}, {}, {"action", "bank", "bank", "no-such-bank"},
		}
		takes := map[string]map[string]bool{
			"consent": {"consent": true}, "bank": {"bank": true}, "sign-in": {"sign-in": true, "rechoose": true},
			"code": {"code": true, "no-code": true, "rechoose": true}, "accounts": {"accounts": true},
		}
		a := newcomer(t, r, providertest.Prefill())
		var ids []string
		for _, step := range []string{"consent", "bank", "sign-in", "code", "accounts", "end"} {
			if got := a.step(t); got != step {
				t.Fatalf("at %s, want %s", got, step)
			}
			for _, form := range forms {
				if len(form) > 1 && takes[step][form[1]] && form[len(form)-1] != "no-such-bank" {
					continue
				}
				a.post(t, form...)
				if got := a.step(t); got != step {
					t.Fatalf("%v at %s led to %s", form, step, got)
				}
			}
			switch step {
			case "consent":
				a.post(t, "action", "consent")
			case "bank":
				a.post(t, "action", "bank", "bank", "kestrel-bank")
			case "sign-in":
				if page := a.post(t, "action", "sign-in", "username", "", "password", ""); page.Status != 422 {
					t.Errorf("an empty sign-in answers %d", page.Status)
				}
				a.post(t, "action", "sign-in", "username", "multi", "password", "x")
			case "code":
				for _, bad := range []string{"", "12345", "abcdef", "1234567"} {
					if page := a.post(t, "action", "code", "code", bad); page.Status != 422 {
						t.Errorf("code %q answers %d", bad, page.Status)
					}
				}
				a.post(t, "action", "code", "code", "123456")
				for _, m := range accounts.FindAllStringSubmatch(a.get(t).Body, -1) {
					ids = append(ids, m[1])
				}
			case "accounts":
				if page := a.post(t, "action", "accounts"); page.Status != 422 || !strings.Contains(page.Body, "at least one") {
					t.Errorf("no account answers %d", page.Status)
				}
				a.post(t, "action", "accounts", "account", ids[0])
				r.Until("the report", func() bool { return a.step(t) == "end" })
			}
		}
		for _, c := range []struct {
			name, path string
			body       any
			status     int
		}{
			{"an unknown handle", "/visit/" + strings.Repeat("a", 43), nil, 404},
			{"a path for a handle", "/visit/..%2f..%2fetc", nil, 404},
			{"JSON for a form", a.path, map[string]any{"action": "consent"}, 415},
			{"a form too large", a.path, url.Values{"username": {strings.Repeat("u", 20_000)}}, 413},
			{"an invalid form", a.path, url.Values{"\xff": {"\xff"}}, 400},
		} {
			method := "POST"
			if c.body == nil {
				method = "GET"
			}
			if page := r.Do(method, c.path, c.body); page.Status != c.status || !strings.Contains(page.Header.Get("Content-Type"), "text/html") {
				t.Errorf("%s answers %d %s", c.name, page.Status, page.Header.Get("Content-Type"))
			}
		}
	})
}

func TestVisitExpires(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		for _, c := range []struct {
			name, last string
			walk       func(applicant)
			after      time.Duration
		}{
			{"after 72 hours at the code", "Pérez", func(a applicant) { a.toCode(t, "default") }, 72 * time.Hour},
			{"after 72 hours closed", "Pérez", func(a applicant) { a.post(t, "action", "close") }, 72 * time.Hour},
			{"after five minutes for expiresoon", "expiresoon", func(applicant) {}, 5 * time.Minute},
		} {
			a := newcomer(t, r, named("Ana", c.last))
			c.walk(a)
			before := a.step(t)
			r.Advance(c.after - time.Second)
			if got := a.step(t); got != before {
				t.Errorf("%s: a second before, at %s, want %s", c.name, got, before)
			}
			r.Advance(time.Second)
			if body := a.get(t).Body; !strings.Contains(body, "expired") || !strings.Contains(body, `data-error="REQUEST_TIMEOUT"`) {
				t.Errorf("%s: the page does not say so: %s", c.name, body)
			}
			if events := r.Webhooks(a.publicToken, 1); events[0]["status"] != "EXPIRED" {
				t.Errorf("%s: the webhook says %v", c.name, events[0]["status"])
			}
		}
		tok := token(r, map[string]any{"prefill": named("Ana", "expiresoon")})
		if n := r.Count(`SELECT count(*) FROM river_job WHERE kind = 'visits.expire'`); n != 1 {
			t.Errorf("%d jobs end expired visits", n)
		}
		r.Advance(5 * time.Minute)
		if a := register(r, map[string]any{"token": tok}); a.JSON["error"] != "INVALID_TOKEN" {
			t.Errorf("the token of an expired visit: %d %s", a.Status, a.Body)
		}
	})
}

func TestClosing(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, providertest.Prefill())
		a.toCode(t, "default")
		if page := r.Do("GET", a.path+"?close=1", nil); !strings.Contains(page.Body, `data-step="leave"`) {
			t.Errorf("no question before closing: %s", page.Body)
		}
		if got := a.step(t); got != "code" {
			t.Errorf("asking led to %s", got)
		}
		a.post(t, "action", "close")
		if page := a.get(t); !strings.Contains(page.Body, `data-end="exit"`) || !strings.Contains(page.Body, a.publicToken) {
			t.Errorf("not closed: %s", page.Body)
		}
		a.post(t, "action", "reopen")
		if got := a.step(t); got != "bank" {
			t.Errorf("reopened at %s, want bank", got)
		}
		if n := r.Count(`SELECT count(*) FROM events WHERE subject_id = $1`, a.publicToken); n != 0 {
			t.Errorf("%d events of a pending report", n)
		}
	})
}

// TestHeaders checks that the pages of the visit allow nothing inline, send no referrer and
// set no cookie, and that only the frame can be framed.
func TestHeaders(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, providertest.Prefill())
		for path, ancestors := range map[string]string{a.path: "'none'", "/widget/v1/frame": "*",
			"/widget/v1/problems/INVALID_TOKEN": "'none'", "/visit/x": "'none'"} {
			page := r.Do("GET", path, nil)
			policy := page.Header.Get("Content-Security-Policy")
			if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") ||
				!strings.Contains(policy, "frame-ancestors "+ancestors) {
				t.Errorf("%s: policy %q", path, policy)
			}
			if page.Header.Get("Set-Cookie") != "" || page.Header.Get("Referrer-Policy") != "no-referrer" ||
				page.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: headers %v", path, page.Header)
			}
			if strings.Contains(page.Body, "style=") || strings.Contains(page.Body, "onclick=") ||
				regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(page.Body) {
				t.Errorf("%s has something inline", path)
			}
		}
		if page := r.Do("GET", a.path+"?lang=es", nil); !strings.Contains(page.Body, i18ntest.ES("visit.title.consent")) ||
			!strings.Contains(page.Body, `lang="es"`) {
			t.Errorf("no Spanish: %s", page.Body)
		}
	})
}

// TestPreparedReport checks that a prepared report completes the widget without input, with
// and without a token.
func TestPreparedReport(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		code, prepared := r.Control("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "profile": "joint"})
		if code != 200 && code != 201 {
			t.Fatalf("sandbox report: %d %v", code, prepared)
		}
		id := prepared["sandboxReportId"]
		for name, options := range map[string]map[string]any{
			"prefill":                      {"prefill": providertest.Prefill(), "sandboxReportId": id},
			"a token":                      {"token": token(r, map[string]any{}), "sandboxReportId": id},
			"a token that has it":          {"token": token(r, map[string]any{"sandboxReportId": id})},
			"a token without an applicant": {"token": initialize(r, map[string]any{"sandboxReportId": id}).JSON["token"]},
		} {
			a := register(r, options)
			if a.Status != 201 {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
				continue
			}
			walker := applicant{r, "/visit/" + a.JSON["handle"].(string), a.JSON["publicToken"].(string)}
			r.Until("the report", func() bool { return strings.Contains(walker.get(t).Body, `data-end="success"`) })
			if events := r.Webhooks(walker.publicToken, 1); events[0]["status"] != "SUCCESS" {
				t.Errorf("%s: the webhook says %v", name, events[0]["status"])
			}
		}
		a := register(r, map[string]any{"prefill": providertest.Prefill(), "sandboxReportId": id,
			"productId": r.Seed.Products[contract.Passport]})
		if a.JSON["error"] != "INTERNAL_ERROR" || a.Status != 400 {
			t.Errorf("for another product: %d %s", a.Status, a.Body)
		}
	})
}

// TestConcurrentStep posts a form many times concurrently: one counts, and the others lead to
// the present step.
func TestConcurrentStep(t *testing.T) {
	startOnEach(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, providertest.Prefill())
		form := url.Values{"action": {"accounts"}, "account": a.toAccounts(t, "multi")}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if page := r.Do("POST", a.path, form); page.Status != http.StatusSeeOther {
					t.Errorf("answers %d %s", page.Status, page.Body)
				}
			})
		}
		wg.Wait()
		r.Until("the end", func() bool { return a.step(t) == "end" })
		if events := r.Webhooks(a.publicToken, 1); len(events) != 1 || events[0]["status"] != "SUCCESS" {
			t.Errorf("webhooks %v", events)
		}
		// begun, came, consented, chose, signed in, coded, picked, made
		if n := r.Count(`SELECT count(*) FROM visit_events e JOIN visits v ON v.id = e.visit_id
			WHERE v.public_token = $1`, a.publicToken); n != 8 {
			t.Errorf("%d lines in the timeline, want 8", n)
		}
		if n := r.Count(`SELECT count(*) FROM visits WHERE username NOT IN ('', 'multi') OR bank LIKE '%anything%'`); n != 0 {
			t.Error("something of the sign-in was kept")
		}
	})
}

// TestAddBankToCashflowReport checks that the accounts page leads to the report or to another
// bank.
func TestAddBankToCashflowReport(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, named("Ana", "Pérez"))
		ids := a.toAccounts(t, "default")
		a.post(t, "action", "accounts", "account", ids[0], "more", "1")
		if step := a.step(t); step != "connected" {
			t.Fatalf("the step is %q", step)
		}
		a.post(t, "action", "more")
		a.post(t, "action", "bank", "bank", "kestrel-bank")
		a.post(t, "action", "sign-in", "username", "error", "password", "anything")
		a.post(t, "action", "code", "code", "123456")
		if page := a.get(t); a.step(t) != "connected" || !strings.Contains(page.Body, i18ntest.EN("visit.connected.failed")) {
			t.Errorf("a second bank that fails leads to %q %s", a.step(t), page.Body)
		}
		a.post(t, "action", "finish")
		if events := r.Webhooks(a.publicToken, 1); events[0]["status"] != string(contract.StatusSuccess) {
			t.Errorf("%v", events)
		}
	})
}

// TestRefusedChoiceOfAccountsIsKept checks that the page shows a refused choice again.
func TestRefusedChoiceOfAccountsIsKept(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, named("Ana", "Pérez"))
		ids := a.toAccounts(t, "multi")
		if n := strings.Count(a.get(t).Body, " checked"); n != len(ids) {
			t.Errorf("%d of %d accounts are chosen at first", n, len(ids))
		}
		answer := a.post(t, "action", "accounts", "account", ids[len(ids)-1]) // an investment
		if !strings.Contains(answer.Body, i18ntest.EN("visit.accounts.none")) || strings.Count(answer.Body, " checked") != 1 {
			t.Errorf("%d accounts are chosen after the refusal: %s", strings.Count(answer.Body, " checked"), answer.Body)
		}
	})
}
