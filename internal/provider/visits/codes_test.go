package visits_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

// TestResendCode checks that the first further code is sent immediately and later ones every
// 30 seconds, five at most, and that none of them ends the visit.
func TestResendCode(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		for way, begin := range map[string]func(applicant){
			"bank":    func(a applicant) { a.toCode(t, "default") },
			"payroll": func(a applicant) { a.toPayrollCode(t, "default") },
		} {
			a := newcomer(t, r, providertest.Prefill())
			if way == "payroll" {
				a = earner(t, r, providertest.Prefill())
			}
			begin(a)
			codes := func(want int, words string) {
				t.Helper()
				body := a.get(t).Body
				if n := r.Count(`SELECT codes FROM visits WHERE public_token = $1`, a.publicToken); n != want ||
					a.step(t) != "code" || !strings.Contains(body, words) {
					t.Fatalf("%s: %d codes were sent at %s, want %d and %q in %s", way, n, a.step(t), want, words, body)
				}
			}
			codes(1, i18ntest.EN("visit.code.not_received"))
			a.post(t, "action", "no-code")
			codes(2, i18ntest.EN("visit.code.sandbox_again"))
			codes(2, `data-wait="30"`)
			codes(2, i18ntest.EN("visit.code.wait", "seconds", "30"))
			r.Advance(29500 * time.Millisecond)
			a.post(t, "action", "no-code")
			codes(2, `data-wait="1"`)
			for n := range 3 {
				r.Advance(30 * time.Second)
				if body := a.get(t).Body; strings.Contains(body, "data-wait") || !strings.Contains(body, i18ntest.EN("visit.code.resend")) {
					t.Fatalf("after half a minute: %s", body)
				}
				a.post(t, "action", "no-code")
				codes(n+3, "Choose a different")
			}
			codes(5, i18ntest.EN("visit.code.no_more"))
			r.Advance(30 * time.Second)
			a.post(t, "action", "no-code")
			codes(5, i18ntest.EN("visit.code.no_more"))
			a.post(t, "action", "code", "code", "123456")
			if got := a.step(t); got != "accounts" && got != "connected" {
				t.Errorf("%s: the last code leads to %s", way, got)
			}
		}
	})
}

// TestConcurrentWrongCodes checks that concurrent wrong codes count like consecutive ones, and
// that three sign-ins give new tries.
func TestConcurrentWrongCodes(t *testing.T) {
	startOnEach(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, providertest.Prefill())
		a.toCode(t, "default")
		for round := 1; ; round++ {
			form := url.Values{"action": {"code"}, "code": {"000000"}}
			var wg sync.WaitGroup
			for range 12 {
				wg.Go(func() { r.Do("POST", a.path, form) })
			}
			wg.Wait()
			if n := r.Count(`SELECT code_tries FROM visits WHERE public_token = $1`, a.publicToken); n != 3*round {
				t.Fatalf("round %d: %d codes were tried", round, n)
			}
			if a.step(t) == "end" {
				if round != 3 {
					t.Errorf("the visit ends in round %d", round)
				}
				break
			}
			a.post(t, "action", "rechoose")
			a.post(t, "action", "bank", "bank", "kestrel-bank")
			a.post(t, "action", "sign-in", "username", "default", "password", "x")
		}
		if event := r.Webhooks(a.publicToken, 1)[0]; event["status"] != "NOT_AUTHENTICATED" || event["substatus"] != "MFA_REQUIRED_ON_FETCH" {
			t.Errorf("the webhook says %v", event)
		}
	})
}

// TestChooseAnotherBankAfterFailure connects another bank after one failed; the report uses
// the other one.
func TestChooseAnotherBankAfterFailure(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		for _, c := range []struct{ username, en, es string }{
			{"supplier_unresponsive", i18ntest.EN("visit.failed.bank_unresponsive"), i18ntest.ES("visit.failed.bank_unresponsive")},
			{"e_banking_unsupported", i18ntest.EN("visit.failed.no_online_banking"), i18ntest.ES("visit.failed.no_online_banking")},
			{"mfa", i18ntest.EN("visit.failed.bank_code"), i18ntest.ES("visit.failed.bank_code")},
		} {
			a := newcomer(t, r, providertest.Prefill())
			a.toAccounts(t, c.username)
			if body := a.get(t).Body; a.step(t) != "failed" || !strings.Contains(body, c.en) ||
				!strings.Contains(body, i18ntest.EN("visit.banks.another")) || strings.Contains(body, "data-end") {
				t.Fatalf("%s: at %s: %s", c.username, a.step(t), body)
			}
			if body := r.Do("GET", a.path+"?lang=es", nil).Body; !strings.Contains(body, c.es) ||
				!strings.Contains(body, i18ntest.ES("visit.banks.another")) {
				t.Errorf("%s in Spanish: %s", c.username, body)
			}
			a.post(t, "action", "rechoose")
			a.post(t, "action", "bank", "bank", "kestrel-bank")
			a.post(t, "action", "sign-in", "username", "multi", "password", "x")
			a.post(t, "action", "code", "code", "123456")
			form := []string{"action", "accounts"}
			for _, m := range accounts.FindAllStringSubmatch(a.get(t).Body, -1) {
				form = append(form, "account", m[1])
			}
			a.post(t, form...)
			r.Until("the end", func() bool { return a.step(t) == "end" })
			if events := r.Webhooks(a.publicToken, 1); len(events) != 1 || events[0]["status"] != "SUCCESS" {
				t.Errorf("%s: the webhooks say %v", c.username, events)
			}
		}
	})
}

// TestFailureIsAnnouncedInTime checks that the customer learns of a failure soon after
// the applicant has left, and that an applicant who continues keeps the 72 hours.
func TestFailureIsAnnouncedInTime(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		gone, stays := newcomer(t, r, providertest.Prefill()), newcomer(t, r, providertest.Prefill())
		for _, a := range []applicant{gone, stays} {
			a.toCode(t, "supplier_unresponsive")
		}
		stays.post(t, "action", "rechoose")
		if code, got := r.Control("POST", "/clock", map[string]any{"advance": "30m"}); code != 200 { // which ends what is due
			t.Fatalf("the clock: %d %v", code, got)
		}
		if event := r.Webhooks(gone.publicToken, 1)[0]; event["status"] != string(contract.StatusSupplierUnresponsive) {
			t.Errorf("the webhook says %v", event)
		}
		if gone.step(t) != "end" || stays.step(t) != "bank" {
			t.Errorf("after half an hour: %s and %s", gone.step(t), stays.step(t))
		}
		r.Advance(72*time.Hour - 30*time.Minute)
		if stays.step(t) != "end" {
			t.Errorf("after 72 hours: %s", stays.step(t))
		}
	})
}

// TestSourcesWithoutData checks that the visit does not call a source without recent data
// connected, and first offers another one.
func TestSourcesWithoutData(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := earner(t, r, providertest.Prefill())
		a.toPayrollCode(t, "no_statements")
		a.post(t, "action", "code", "code", "123456")
		body := a.get(t).Body
		more, finish := strings.Index(body, `value="more"`), strings.Index(body, `value="finish"`)
		if !strings.Contains(body, i18ntest.EN("visit.connected.empty")) ||
			!strings.Contains(body, i18ntest.EN("visit.connected.no_pay_statement")) ||
			strings.Contains(body, ">connected<") {
			t.Errorf("the page says %s", body)
		}
		if more < 0 || more > finish || !strings.Contains(body, i18ntest.EN("visit.employers.add_source")) {
			t.Errorf("another source is not offered first: %s", body)
		}
		a.post(t, "action", "finish")
		r.Until("the end", func() bool { return a.step(t) == "end" })
		if body := a.get(t).Body; !strings.Contains(body, "doesn’t show any recent activity") ||
			strings.Contains(body, i18ntest.EN("visit.title.done")) {
			t.Errorf("the end says %s", body)
		}

		b := earner(t, r, providertest.Prefill())
		b.toSource(t, "bank")
		b.post(t, "action", "bank", "bank", "kestrel-bank")
		b.post(t, "action", "sign-in", "username", "noincome", "password", "x")
		b.post(t, "action", "code", "code", "123456")
		form := []string{"action", "accounts"}
		for _, m := range accounts.FindAllStringSubmatch(b.get(t).Body, -1) {
			form = append(form, "account", m[1])
		}
		b.post(t, form...)
		if body := b.get(t).Body; !strings.Contains(body, i18ntest.EN("visit.connected.empty")) {
			t.Errorf("after noincome: %s", body)
		}
	})
}
