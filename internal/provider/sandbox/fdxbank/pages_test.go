package fdxbank_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var stepOf = regexp.MustCompile(`data-step="([^"]+)"`)

func (s *server) step(c *http.Client, page string) string {
	s.t.Helper()
	got := s.get(c, page)
	m := stepOf.FindStringSubmatch(got.body)
	if m == nil {
		s.t.Fatalf("no step: %d %s", got.StatusCode, got.body)
	}
	return m[1]
}

// TestPagesOfABank walks the pages with wrong entries, forms of other steps, and refusals.
func TestPagesOfABank(t *testing.T) {
	s := sqlite(t)
	signIn := func(name, password string) url.Values {
		return form("action", "sign-in", "username", name, "password", password)
	}
	code := func(v string) url.Values { return form("action", "code", "code", v) }
	for _, c := range []struct {
		name  string
		forms []url.Values
		step  string
		want  string // error after cancel
	}{
		{"nothing", nil, "sign-in", "access_denied"},
		{"wrong password", []url.Values{signIn("default", "wrong")}, "sign-in", "access_denied"},
		{"unknown user", []url.Values{signIn("unknown", "x"), signIn("fdx_nothing", "x")}, "sign-in", "access_denied"},
		{"third time", []url.Values{signIn("default", "wrong"), signIn("x", "x"), signIn("default", "wrong")}, "refused", "access_denied"},
		{"no more after the third", []url.Values{
			signIn("a", "x"), signIn("a", "x"), signIn("a", "x"), signIn("default", "x")},
			"refused", "access_denied"},
		{"spaces and capitals", []url.Values{signIn(" Default ", "x")}, "code", "access_denied"},
		{"form of a later step", []url.Values{code("123456"), form("action", "consent")}, "sign-in", "access_denied"},
		{"wrong code", []url.Values{signIn("default", "x"), code("654321")}, "code", "access_denied"},
		{"right code", []url.Values{signIn("default", "x"), code("654321"), code("123456")}, "accounts", "access_denied"},
		{"three wrong codes", []url.Values{signIn("default", "x"), code("000000"), code("000000"), code("000000")}, "refused", "access_denied"},
		{"mfa", []url.Values{signIn("mfa", "x"), code("123456"), code("123456"), code("123456")}, "refused", "access_denied"},
		{"unsupported", []url.Values{signIn("e_banking_unsupported", "x")}, "refused", "unmet_authentication_requirements"},
		{"denied", []url.Values{signIn("fdx_denied", "x")}, "refused", "access_denied"},
		{"form of an earlier step", []url.Values{signIn("default", "x"), code("123456"), signIn("multi", "x")}, "accounts", "access_denied"},
		{"foreign account", []url.Values{signIn("default", "x"), code("123456"), form("action", "accounts", "account", "x")},
			"accounts", "access_denied"},
	} {
		b := browser(t)
		page := s.open(b, request("post"))
		for _, values := range c.forms {
			s.post(b, page, values)
		}
		if got := s.step(b, page); got != c.step {
			t.Errorf("%s leads to %s, want %s", c.name, got, c.step)
		}
		if q := s.returned(s.post(b, page, form("action", "cancel"))); q.Get("error") != c.want || q.Has("code") {
			t.Errorf("%s: returns with %v", c.name, q)
		}
		if got := s.get(b, page); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: after the return the page answers %d", c.name, got.StatusCode)
		}
	}
	for _, values := range []url.Values{signIn("", "x"), signIn("default", ""), code("12")} {
		b := browser(t)
		page := s.open(b, request("post"))
		if values.Get("action") == "code" {
			s.post(b, page, signIn("default", "x"))
		}
		got := s.post(b, page, values)
		if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.body, `aria-invalid="true"`) {
			t.Errorf("%v: %d", values, got.StatusCode)
		}
	}
}

// TestPagesAreBoundToTheBrowser checks other browsers, other sites, other institutions,
// and time.
func TestPagesAreBoundToTheBrowser(t *testing.T) {
	s := sqlite(t)
	b := browser(t)
	page := s.open(b, request("post"))
	got := s.get(b, page)
	policy := got.Header.Get("Content-Security-Policy")
	for _, want := range []string{"script-src 'none'", "frame-ancestors 'none'", "form-action 'self' https://app.example;"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	if got.Header.Get("Referrer-Policy") != "no-referrer" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", got.Header)
	}
	if got := s.get(browser(t), page); got.StatusCode != http.StatusForbidden {
		t.Errorf("without a cookie: %d", got.StatusCode)
	}
	stranger := browser(t)
	s.open(stranger, request("post"))
	if got := s.get(stranger, page); got.StatusCode != http.StatusNotFound {
		t.Errorf("in another browser: %d", got.StatusCode)
	}
	if got := s.post(stranger, page, form("action", "cancel")); got.StatusCode != http.StatusNotFound {
		t.Errorf("a form of another browser: %d", got.StatusCode)
	}
	if got := s.get(b, strings.Replace(page, bank, other, 1)); got.StatusCode != http.StatusNotFound {
		t.Errorf("at another institution: %d", got.StatusCode)
	}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		if got := s.post(b, page, form("action", "cancel"), headers...); got.StatusCode != http.StatusForbidden {
			t.Errorf("a form of another site, %v: %d", headers, got.StatusCode)
		}
	}
	if got := s.step(b, page); got != "sign-in" {
		t.Errorf("now at %s", got)
	}
	s.now = s.now.Add(15 * time.Minute)
	if got := s.get(b, page); got.StatusCode != http.StatusNotFound {
		t.Errorf("late: %d", got.StatusCode)
	}
}

// TestLanguagesOfTheBank checks the order: the switch, the client's wish, the browser's.
func TestLanguagesOfTheBank(t *testing.T) {
	s := sqlite(t)
	b := browser(t)
	page := s.open(b, request("post", "ui_locales", "fr es-US en"))
	if got := s.get(b, page).body; !strings.Contains(got, `<html lang="es"`) {
		t.Error("the client's wish is not kept")
	}
	if got := s.get(b, page+"?lang=en").body; !strings.Contains(got, `<html lang="en"`) {
		t.Error("the switch does not work")
	}
	got := s.post(b, page+"?lang=en", form("action", "sign-in", "username", "default", "password", "x"))
	if got.Header.Get("Location") != page+"?lang=en" {
		t.Errorf("leads to %s", got.Header.Get("Location"))
	}
}

// TestOneConsent posts the consent many times at once.
func TestOneConsent(t *testing.T) {
	s := sqlite(t)
	b := browser(t)
	page := s.open(b, request("post"))
	s.toConsent(b, page, "default", nil)
	var mu sync.Mutex
	var group sync.WaitGroup
	codes := 0
	for range 8 {
		group.Go(func() {
			if got := s.post(b, page, form("action", "consent")); strings.Contains(got.Header.Get("Location"), "code=") {
				mu.Lock()
				codes++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if codes != 1 {
		t.Errorf("%d codes were issued", codes)
	}
}
