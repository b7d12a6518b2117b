package review

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/storetest"
)

// TestClaimsThatTheIDTokenDoesNotHave uses an issuer with OpenID Connect's defaults:
// the ID token holds only the subject, UserInfo the other claims.
func TestClaimsThatTheIDTokenDoesNotHave(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	s := newIssuer(t, d.now)
	s.claims = func(c map[string]any) { delete(c, "email"); delete(c, "email_verified"); delete(c, "groups") }
	full := func() map[string]any {
		return map[string]any{"sub": "subject-1", "email": "nina@example.com", "email_verified": true, "groups": []string{"credit-team"}}
	}
	plain := func(change func(c map[string]any)) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c := full()
			if change != nil {
				change(c)
			}
			w.Header().Set("Content-Type", "application/json;charset=utf-8")
			_ = json.NewEncoder(w).Encode(c)
		}
	}
	signed := func(text func() string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/jwt")
			_, _ = w.Write([]byte(text()))
		}
	}
	with := func(name string, v any) func() string {
		return func() string {
			c := full()
			c[name] = v
			return s.sign(c)
		}
	}
	led := make(chan bool, 1)
	for _, tc := range []struct {
		name   string
		info   http.HandlerFunc
		status int
		says   string // in the log
		page   string
	}{
		{"JSON", plain(nil), 303, "", ""},
		{"verified as a string", plain(func(c map[string]any) { c["email_verified"] = "true" }), 303, "", ""},
		{"a group that is no list", plain(func(c map[string]any) { c["groups"] = "credit-team" }), 303, "", ""},
		{"signed", signed(with("iss", s.URL)), 303, "", ""},
		{"signed for us", signed(with("aud", "portal")), 303, "", ""},
		{"no endpoint", nil, 422, "claim email is missing in the ID token, and the issuer has no UserInfo endpoint", "did not share a verified email address"},
		{"another subject", plain(func(c map[string]any) { c["sub"] = "subject-2" }), 422, "UserInfo is of another subject", "could not be signed in"},
		{"no subject", plain(func(c map[string]any) { delete(c, "sub") }), 422, "UserInfo is of another subject", "could not be signed in"},
		{"no e-mail", plain(func(c map[string]any) { delete(c, "email") }), 422, "claim email is missing in the ID token and in UserInfo", "did not share"},
		{"not said to be verified", plain(func(c map[string]any) { delete(c, "email_verified") }), 422, "claim email_verified is missing in the ID token and in UserInfo", "did not share"},
		{"not verified", plain(func(c map[string]any) { c["email_verified"] = false }), 422, "claim email_verified does not say", "did not share"},
		{"verified as words", plain(func(c map[string]any) { c["email_verified"] = "no" }), 422, "claim email_verified does not say", "did not share"},
		{"null", plain(func(c map[string]any) { c["email"] = nil }), 422, "claim email is missing", "did not share"},
		{"no groups", plain(func(c map[string]any) { delete(c, "groups") }), 403, "claim groups is missing in the ID token and in UserInfo", "but not here"},
		{"other groups", plain(func(c map[string]any) { c["groups"] = []string{} }), 403, "no group has a role", "but not here"},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, 422, "and UserInfo answers 401", "did not share"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("led") {
				led <- true
			}
			http.Redirect(w, r, s.URL+"/userinfo?led", http.StatusFound)
		}, 422, "and UserInfo answers 302", "did not share"},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, 422, "neither application/json nor application/jwt", "did not share"},
		{"without end", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"sub":"` + strings.Repeat("x", elsewhereMax) + `"}`))
		}, 422, "UserInfo is no JSON object", "did not share"},
		{"signed by another key", signed(func() string { return s.sign(full()) + "A" }), 422, "the signature does not verify", "did not share"},
		{"alg none", signed(func() string { return b64.EncodeToString([]byte(`{"alg":"none"}`)) + ".e30." }), 422, "the signature does not verify", "did not share"},
		{"signed by another issuer", signed(with("iss", "https://evil.example")), 422, "signed by another issuer", "did not share"},
		{"signed for another client", signed(with("aud", "other")), 422, "signed for another client", "did not share"},
		{"encrypted", signed(func() string { return "a.b.c.d.e" }), 422, "is encrypted", "did not share"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.info = tc.info
			d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Roles: map[string]Role{"credit-team": Reviewer}}
			log := &logtest.Buffer{}
			d.Log = slog.New(slog.NewTextHandler(log, nil))
			status, _, page := d.browser().elsewhere(s, "")
			if status != tc.status || !strings.Contains(page, tc.page) {
				t.Errorf("%d, want %d and %q\n%s", status, tc.status, tc.page, page)
			}
			if said := log.String(); !strings.Contains(said, tc.says) || strings.Contains(strings.ToLower(said), "nina") {
				t.Errorf("the log says:\n%s\nwant %q", said, tc.says)
			}
		})
	}
	if len(led) > 0 {
		t.Error("a redirect of UserInfo is followed")
	}
	// An issuer with another claim for verification, and UserInfo with another email
	// address.
	s.info = plain(func(c map[string]any) { delete(c, "email_verified"); c["xms_edov"] = 1 })
	d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Verified: "xms_edov", Roles: map[string]Role{"credit-team": Reviewer}}
	if status, _, page := d.browser().elsewhere(s, ""); status != 303 {
		t.Errorf("xms_edov: %d\n%s", status, page)
	}
	s.claims = func(c map[string]any) {
		c["sub"], c["email"] = "subject-9", "other@example.com"
		delete(c, "email_verified")
	}
	s.info = plain(func(c map[string]any) { c["sub"], c["email"] = "subject-9", "mine@example.com" })
	d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Roles: map[string]Role{"credit-team": Reviewer}}
	if status, _, page := d.browser().elsewhere(s, ""); status != 303 {
		t.Errorf("an address that UserInfo verifies: %d\n%s", status, page)
	}
	d.signInAs(secret, "")
	if _, page := d.get("/review/people"); !strings.Contains(page, "mine@example.com") || strings.Contains(page, "other@example.com") {
		t.Errorf("the people:\n%s", page)
	}
}

func TestWhatTheIssuerSaysOfItself(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	s := newIssuer(t, d.now)
	try := func(change func(back string) string) int {
		t.Helper()
		d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Roles: map[string]Role{"credit-team": Reviewer}}
		b := d.browser()
		resp, _ := b.get("/review/oidc/login")
		if resp.StatusCode != 303 {
			return resp.StatusCode
		}
		resp, _ = b.get(change(s.authorize(resp.Header.Get("Location"))))
		return resp.StatusCode
	}
	same := func(back string) string { return back }
	for name, c := range map[string]struct {
		methods []string
		posted  bool
		want    int
	}{
		"no methods": {nil, false, 303}, "basic": {[]string{"client_secret_basic"}, false, 303}, "post": {[]string{"client_secret_post"}, true, 303},
		"both, and basic it is": {[]string{"client_secret_post", "client_secret_basic"}, false, 303}, "both, and post it is": {[]string{"client_secret_post", "client_secret_basic"}, true, 303},
		"neither": {[]string{"private_key_jwt"}, false, 502},
	} {
		s.methods, s.posted = c.methods, c.posted
		if got := try(same); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	s.methods, s.posted = nil, false
	for _, named := range []bool{false, true} {
		s.more = map[string]any{"authorization_response_iss_parameter_supported": named}
		for iss, want := range map[string]int{"": 303, "&iss=" + s.URL: 303, "&iss=https://evil.example": 422, "&iss=": 422, "&iss=" + s.URL + "&iss=" + s.URL: 422} {
			if named && iss == "" {
				want = 422
			}
			if got := try(func(back string) string { return back + iss }); got != want {
				t.Errorf("an answer with %q, where it is promised %t: %d, want %d", iss, named, got, want)
			}
		}
	}
}

func TestBeginningASignInStoresNothing(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	s := newIssuer(t, d.now)
	d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Roles: map[string]Role{"credit-team": Reviewer}}
	d.Starts = &httpx.RateLimit{PerMinute: 5, Now: d.Now}
	rows := func() int {
		var n int
		if err := d.DB.SQL.QueryRow(`SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM review_arrivals) + (SELECT count(*) FROM review_audit)`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before, b := rows(), d.browser()
	var to []string
	for range 2 { // two tabs
		resp, _ := b.get("/review/oidc/login")
		to = append(to, resp.Header.Get("Location"))
	}
	if to[0] != to[1] {
		t.Errorf("a second tab begins another sign-in:\n%s\n%s", to[0], to[1])
	}
	first, second := s.authorize(to[0]), s.authorize(to[1])
	last := 0
	for range 4 {
		resp, _ := d.browser().get("/review/oidc/login")
		last = resp.StatusCode
	}
	if n := rows(); last != 429 || n != before {
		t.Errorf("after six in a minute %d, with %d more rows", last, n-before)
	}
	jar := b.http.Jar
	saved := jar.Cookies(mustURL(d.srv.URL))
	if resp, _ := b.get(first); resp.StatusCode != 303 {
		t.Errorf("the first tab: %d", resp.StatusCode)
	}
	if resp, _ := b.get(second); resp.StatusCode != 422 {
		t.Errorf("the second tab after it: %d", resp.StatusCode)
	}
	traded := s.traded
	jar.SetCookies(mustURL(d.srv.URL), saved) // an outdated cookie jar
	if resp, _ := b.get(second); resp.StatusCode != 422 || s.traded != traded {
		t.Errorf("a state that was used, by a cookie that was kept: %d", resp.StatusCode)
	}
	*d.now = d.now.Add(time.Minute)
	resp, _ := d.browser().get("/review/oidc/login")
	for _, c := range resp.Cookies() {
		if strings.Contains(c.String(), "sign-in") && (!c.HttpOnly || c.SameSite != http.SameSiteLaxMode || len(c.Value) > 1024) {
			t.Errorf("the cookie %s", c)
		}
	}
}
