package connector_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

var stepOf = regexp.MustCompile(`data-step="([^"]+)"`)

// step returns the step that a page shows.
func (s *server) step(c *http.Client, page string) string {
	s.t.Helper()
	got := s.get(c, page)
	m := stepOf.FindSubmatch(got.body)
	if m == nil || got.StatusCode != http.StatusOK {
		s.t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	return string(m[1])
}

// TestPages walks the pages with wrong entries, forms of other steps, and refusals.
func TestPages(t *testing.T) {
	s := sqlite(t)
	signIn := func(name, password string) []string {
		return []string{"action", "sign-in", "username", name, "password", password}
	}
	code := func(v string) []string { return []string{"action", "code", "code", v} }
	for _, c := range []struct {
		name  string
		forms [][]string
		step  string
	}{
		{"nothing", nil, "sign-in"},
		{"wrong password", [][]string{signIn("default", "wrong")}, "sign-in"},
		{"unknown user", [][]string{signIn("unknown", "x"), signIn("joint", "x")}, "sign-in"},
		{"third time", [][]string{signIn("default", "wrong"), signIn("x", "x"), signIn("default", "wrong")}, "refused"},
		{"spaces and capitals", [][]string{signIn(" Default ", "x")}, "code"},
		{"form of a later step", [][]string{code("123456"), {"action", "consent"}}, "sign-in"},
		{"wrong code", [][]string{signIn("default", "x"), code("654321")}, "code"},
		{"right code", [][]string{signIn("default", "x"), code("654321"), code("123 456")}, "consent"},
		{"three wrong codes", [][]string{signIn("default", "x"), code("000000"), code("000000"), code("000000")}, "refused"},
		{"mfa", [][]string{signIn("mfa", "x"), code("123456"), code("123456"), code("123456")}, "refused"},
		{"form of an earlier step", [][]string{signIn("default", "x"), code("123456"), signIn("hourly", "x")}, "consent"},
	} {
		b, a := browser(t), s.begin(begin())
		s.open(b, a)
		for _, pairs := range c.forms {
			s.post(b, a.URL, pairs...)
		}
		if got := s.step(b, a.URL); got != c.step {
			t.Errorf("%s leads to %s, want %s", c.name, got, c.step)
		}
		if q := s.returned(s.post(b, a.URL, "action", "cancel")); q.Get("error") != "access_denied" || q.Has("code") {
			t.Errorf("%s: returns with %v", c.name, q)
		}
		if got := s.get(b, a.URL); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: after the return the page answers %d", c.name, got.StatusCode)
		}
	}
	for _, pairs := range [][]string{signIn("", "x"), signIn("default", ""), code("12")} {
		b, a := browser(t), s.begin(begin())
		s.open(b, a)
		if pairs[1] == "code" {
			s.post(b, a.URL, signIn("default", "x")...)
		}
		got := s.post(b, a.URL, pairs...)
		if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `aria-invalid="true"`) {
			t.Errorf("%v: %d", pairs, got.StatusCode)
		}
	}
}

// TestPagesAreBoundToTheBrowser checks browsers without cookies, other browsers, other
// sites, and time.
func TestPagesAreBoundToTheBrowser(t *testing.T) {
	s := sqlite(t)
	b, a := browser(t), s.begin(begin())
	s.open(b, a)
	got := s.get(b, a.URL)
	policy := got.Header.Get("Content-Security-Policy")
	for _, want := range []string{"script-src 'none'", "frame-ancestors 'none'", "form-action 'self' https://app.example;"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	if got.Header.Get("Referrer-Policy") != "no-referrer" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", got.Header)
	}
	stranger := browser(t)
	if got := s.get(stranger, a.URL); got.StatusCode != http.StatusForbidden {
		t.Errorf("in another browser: %d", got.StatusCode)
	}
	s.open(stranger, s.begin(begin()))
	if got := s.get(stranger, a.URL); got.StatusCode != http.StatusNotFound {
		t.Errorf("in another browser with a cookie: %d", got.StatusCode)
	}
	if got := s.post(stranger, a.URL, "action", "cancel"); got.StatusCode != http.StatusNotFound {
		t.Errorf("a form of another browser: %d", got.StatusCode)
	}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		if got := s.post(b, a.URL, append([]string{"action", "cancel", "--"}, headers...)...); got.StatusCode != http.StatusForbidden {
			t.Errorf("a form of another site, %v: %d", headers, got.StatusCode)
		}
	}
	if got := s.step(b, a.URL); got != "sign-in" {
		t.Errorf("now at %s", got)
	}
	s.now = s.now.Add(15 * time.Minute)
	if got := s.get(b, a.URL); got.StatusCode != http.StatusNotFound {
		t.Errorf("late: %d", got.StatusCode)
	}

	plain := &http.Client{CheckRedirect: b.CheckRedirect} // keeps no cookies
	a = s.begin(begin())
	s.open(plain, a)
	got = s.get(plain, a.URL)
	if got.StatusCode != http.StatusForbidden || !strings.Contains(string(got.body), "Allow cookies for this site") {
		t.Errorf("without cookies: %d %s", got.StatusCode, got.body)
	}
	if got := s.post(plain, a.URL, "action", "cancel"); got.StatusCode != http.StatusForbidden {
		t.Errorf("a form without cookies: %d", got.StatusCode)
	}
	if got := s.get(b, a.URL+"x"); got.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown page: %d", got.StatusCode)
	}
}

// TestLanguages checks the order: the switch, the applicant's language, the browser's.
func TestLanguages(t *testing.T) {
	s := sqlite(t)
	b, a := browser(t), s.begin(begin().with("language", "es"))
	s.open(b, a)
	page := string(s.get(b, a.URL).body)
	for _, want := range []string{`<html lang="es"`, "Paywright", "No es un proveedor de nómina real"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if got := s.get(b, a.URL+"?lang=en").body; !strings.Contains(string(got), `<html lang="en"`) {
		t.Error("the switch does not work")
	}
	got := s.post(b, a.URL+"?lang=en", "action", "sign-in", "username", "default", "password", "x")
	if !strings.HasSuffix(a.URL+"?lang=en", got.Header.Get("Location")) {
		t.Errorf("leads to %s", got.Header.Get("Location"))
	}
}
