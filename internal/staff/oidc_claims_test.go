package staff

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/storetest"
)

// TestUserInfoAddsMissingClaims uses an issuer with OpenID Connect's defaults:
// the ID token holds only the subject, UserInfo the other claims.
func TestUserInfoAddsMissingClaims(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal)
	s := startIssuer(t, d.now)
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
	followed := make(chan bool, 1)
	for _, tc := range []struct {
		name   string
		info   http.HandlerFunc
		status int
		logged string
		page   Problem
	}{
		{"JSON", plain(nil), 303, "", NoProblem},
		{"verified as a string", plain(func(c map[string]any) { c["email_verified"] = "true" }), 303, "", NoProblem},
		{"a group that is no list", plain(func(c map[string]any) { c["groups"] = "credit-team" }), 303, "", NoProblem},
		{"signed", signed(with("iss", s.URL)), 303, "", NoProblem},
		{"signed for us", signed(with("aud", "portal")), 303, "", NoProblem},
		{"no endpoint", nil, 422, "claim email is missing in the ID token, and the issuer has no UserInfo endpoint", ClaimsMissing},
		{"another subject", plain(func(c map[string]any) { c["sub"] = "subject-2" }), 422, "UserInfo is of another subject", IssuerFailed},
		{"no subject", plain(func(c map[string]any) { delete(c, "sub") }), 422, "UserInfo is of another subject", IssuerFailed},
		{"no email", plain(func(c map[string]any) { delete(c, "email") }), 422,
			"claim email is missing in the ID token and in UserInfo", ClaimsMissing},
		{"nothing about verification", plain(func(c map[string]any) { delete(c, "email_verified") }), 422,
			"claim email_verified is missing in the ID token and in UserInfo", ClaimsMissing},
		{"not verified", plain(func(c map[string]any) { c["email_verified"] = false }), 422, "claim email_verified does not say", ClaimsMissing},
		{"verified as text", plain(func(c map[string]any) { c["email_verified"] = "no" }),
			422, "claim email_verified does not say", ClaimsMissing},
		{"null", plain(func(c map[string]any) { c["email"] = nil }), 422, "claim email is missing", ClaimsMissing},
		{"no groups", plain(func(c map[string]any) { delete(c, "groups") }), 403,
			"claim groups is missing in the ID token and in UserInfo", NotAdmitted},
		{"other groups", plain(func(c map[string]any) { c["groups"] = []string{} }), 403, "no group has a role", NotAdmitted},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, 422, "and UserInfo answers 401", ClaimsMissing},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("followed") {
				followed <- true
			}
			http.Redirect(w, r, s.URL+"/userinfo?followed", http.StatusFound)
		}, 422, "and UserInfo answers 302", ClaimsMissing},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, 422,
			"neither application/json nor application/jwt", ClaimsMissing},
		{"endless", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"sub":"` + strings.Repeat("x", maxResponse) + `"}`))
		}, 422, "UserInfo is not a JSON object", ClaimsMissing},
		{"signed by another key", signed(func() string { return s.sign(full()) + "A" }), 422, "the signature does not verify", ClaimsMissing},
		{"alg none", signed(func() string { return b64.EncodeToString([]byte(`{"alg":"none"}`)) + ".e30." }),
			422, "the signature does not verify", ClaimsMissing},
		{"signed by another issuer", signed(with("iss", "https://evil.example")), 422, "signed by another issuer", ClaimsMissing},
		{"signed for another client", signed(with("aud", "other")), 422, "signed for another client", ClaimsMissing},
		{"encrypted", signed(func() string { return "a.b.c.d.e" }), 422, "is encrypted", ClaimsMissing},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.userInfo = tc.info
			d.OIDC = s.oidc(creditTeam)
			log := &logtest.Buffer{}
			d.Log = slog.New(slog.NewTextHandler(log, nil))
			status, _, page := d.newBrowser().signInAt(s, "")
			if status != tc.status || status != 303 && d.problem(page) != tc.page {
				t.Errorf("%d, want %d and problem %d\n%s", status, tc.status, tc.page, page)
			}
			if text := log.String(); !strings.Contains(text, tc.logged) || strings.Contains(strings.ToLower(text), "nina") {
				t.Errorf("the log is:\n%s\nwant %q", text, tc.logged)
			}
		})
	}
	if len(followed) > 0 {
		t.Error("a redirect of UserInfo is followed")
	}
	// An issuer with another claim for verification, and UserInfo with another email
	// address.
	s.userInfo = plain(func(c map[string]any) { delete(c, "email_verified"); c["xms_edov"] = 1 })
	d.OIDC = s.oidc(creditTeam)
	d.OIDC.VerifiedClaim = "xms_edov"
	if status, _, page := d.newBrowser().signInAt(s, ""); status != 303 {
		t.Errorf("xms_edov: %d\n%s", status, page)
	}
	s.claims = func(c map[string]any) {
		c["sub"], c["email"] = "subject-9", "other@example.com"
		delete(c, "email_verified")
	}
	s.userInfo = plain(func(c map[string]any) { c["sub"], c["email"] = "subject-9", "mine@example.com" })
	d.OIDC = s.oidc(creditTeam)
	if status, _, page := d.newBrowser().signInAt(s, ""); status != 303 {
		t.Errorf("an address that UserInfo verifies: %d\n%s", status, page)
	}
	if u := d.user("mine@example.com"); u.Role != reviewer || !u.HasOIDC {
		t.Errorf("the user is %+v", u)
	}
}
