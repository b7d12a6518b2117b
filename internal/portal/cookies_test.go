package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"vestibule/internal/testutil/i18ntest"
)

// TestBlockedCookies checks that the form's page tells a browser that blocks cookies, and
// that nothing that it sends is stored.
func TestBlockedCookies(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		count := func() (n int) {
			if err := r.db.SQL.QueryRow(`SELECT COUNT(*) FROM applications`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		blocked := r.browser()
		blocked.Jar = nil
		p := blocked.get("/apply/cashflow")
		if p.status != 200 || !strings.Contains(p.header.Get("Set-Cookie"), "vestibule-probe=1") ||
			!strings.Contains(p.body, `<link rel="stylesheet" href="/apply/cookies.css">`) ||
			!strings.Contains(p.body, i18ntest.EN("apply.no_cookies.title")) {
			t.Fatalf("the form: %d %v\n%s", p.status, p.header, p.body)
		}
		if p := blocked.get("/apply/cookies.css"); !strings.Contains(p.body, "~ form { display: none; }") ||
			p.header.Get("Cache-Control") != "no-store" ||
			p.header.Get("Content-Type") != "text/css; charset=utf-8" {
			t.Errorf("without the cookie the style sheet is %v\n%s", p.header, p.body)
		}
		for range 3 {
			p := blocked.post("/applications", form("probe", "1"))
			if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, i18ntest.EN("apply.no_cookie_sent")) ||
				!strings.Contains(p.body, `value="Canaria"`) {
				t.Errorf("the form without a cookie: %d\n%s", p.status, p.body)
			}
		}
		blocked.get("/applications/"+productID).require(t, "an application without a cookie", 404, i18ntest.EN("notice.no_cookie.title"))
		if n := count(); n != 0 {
			t.Errorf("%d applications are stored", n)
		}

		fine := r.browser()
		fine.get("/")
		if p := fine.get("/apply/cashflow"); strings.Contains(p.body, "cookies.css") || p.header.Get("Set-Cookie") != "" {
			t.Errorf("a browser with the cookie is asked again:\n%s", p.body)
		}
		if p := fine.get("/apply/cookies.css"); p.body != "" {
			t.Errorf("with the cookie the style sheet is %q", p.body)
		}
		fine.apply("probe", "1")
		if n := count(); n != 1 {
			t.Errorf("%d applications are stored", n)
		}
	})
}
