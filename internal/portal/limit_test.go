package portal_test

import (
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/portal"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// TestLimitsFormByAddress checks that the refusal is in the applicant's
// language, with a waiting time and the entered values.
func TestLimitsFormByAddress(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Portal), func(c *portal.Config) { c.Pages.ApplyRate, c.BehindProxy = 2, true })
	send := func(from, language string) page {
		return r.browser().do("POST", "/applications", "application/x-www-form-urlencoded", form().Encode(),
			"Sec-Fetch-Site", "same-origin", "X-Forwarded-For", from, "Accept-Language", language)
	}
	for i := range 2 {
		if p := send("127.0.0.1, 203.0.113.7", "en"); p.status != 303 {
			t.Fatalf("application %d of 2 = %d", i+1, p.status)
		}
	}
	for language, words := range map[string]string{"en": i18ntest.EN("apply.too_many"), "es": i18ntest.ES("apply.too_many")} {
		p := send("198.51.100.1, 203.0.113.7", language) // a forged X-Forwarded-For entry does not help the client
		if p.status != 429 || p.header.Get("Retry-After") != "30" || !strings.Contains(p.body, words) ||
			!strings.Contains(p.body, `value="Canaria"`) {
			t.Errorf("in %s: %d, Retry-After %q\n%s", language, p.status, p.header.Get("Retry-After"), p.body)
		}
	}
	send("203.0.113.8", "en").require(t, "another address", 303)
	var n int
	if err := r.db.SQL.QueryRow(`SELECT COUNT(*) FROM applications`).Scan(&n); err != nil || n != 3 {
		t.Errorf("%d applications are stored, want 3 (%v)", n, err)
	}
}

// TestLoopbackLimitExemption checks production too: behind a tunnel or
// a proxy, all clients arrive from loopback.
func TestLoopbackLimitExemption(t *testing.T) {
	for env, want := range map[contract.Environment]int{contract.Sandbox: 303, contract.Production: 429} {
		r := newTestServer(t, storetest.SQLite(t, store.Portal), func(c *portal.Config) { c.Pages.ApplyRate, c.Environment = 2, env })
		var last int
		for range 3 {
			last = r.browser().do("POST", "/applications", "application/x-www-form-urlencoded",
				form().Encode(), "Sec-Fetch-Site", "same-origin").status
		}
		if last != want {
			t.Errorf("%s: the third application in a minute = %d, want %d", env, last, want)
		}
	}
}

// TestSignInUsesTheProxysClientAddress checks that reviewers behind one proxy are
// counted as separate clients.
func TestSignInUsesTheProxysClientAddress(t *testing.T) {
	const email, secret = "reviewer@example.org", "a-long-enough-password"
	r := newTestServer(t, storetest.SQLite(t, store.Portal), func(c *portal.Config) { c.BehindProxy = true })
	if err := r.portal.EnsureReviewer(t.Context(), email, secret); err != nil {
		t.Fatal(err)
	}
	signIn := func(from, pass string) int {
		return r.browser().do("POST", "/review/sign-in", "application/x-www-form-urlencoded",
			url.Values{"email": {email}, "password": {pass}}.Encode(),
			"Sec-Fetch-Site", "same-origin", "X-Forwarded-For", from).status
	}
	for range staff.MaxTries {
		signIn("203.0.113.7", "a guess at the password")
	}
	if here, there := signIn("203.0.113.7", secret), signIn("203.0.113.8", secret); here != 429 || there != 303 {
		t.Errorf("from where it was guessed %d, from elsewhere %d", here, there)
	}
}
