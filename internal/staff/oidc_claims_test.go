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

// userInfo returns how an issuer answers for Nina.
type userInfo func(s *fakeIssuer) http.HandlerFunc

// infoWith returns UserInfo with changed claims.
func infoWith(change func(c map[string]any)) userInfo {
	return func(*fakeIssuer) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c := map[string]any{"sub": "subject-1", "email": "nina@example.com", "email_verified": true, "groups": []string{"credit-team"}}
			change(c)
			w.Header().Set("Content-Type", "application/json;charset=utf-8")
			_ = json.NewEncoder(w).Encode(c)
		}
	}
}

func infoOf(name string, v any) userInfo { return infoWith(func(c map[string]any) { c[name] = v }) }

func infoWithout(name string) userInfo { return infoWith(func(c map[string]any) { delete(c, name) }) }

// infoText returns UserInfo of a content type.
func infoText(contentType string, text func(s *fakeIssuer) string) userInfo {
	return func(s *fakeIssuer) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write([]byte(text(s)))
		}
	}
}

// signedInfo returns signed UserInfo with a claim more, and a text after the signature.
func signedInfo(name string, v func(s *fakeIssuer) any, after string) userInfo {
	return infoText("application/jwt", func(s *fakeIssuer) string {
		return s.sign(map[string]any{"sub": "subject-1", "email": "nina@example.com", "email_verified": true,
			"groups": []string{"credit-team"}, name: v(s)}) + after
	})
}

func constant[T any](v T) func(*fakeIssuer) T { return func(*fakeIssuer) T { return v } }

var userInfos = []struct {
	name   string
	info   userInfo
	status int
	logged string
	page   Problem
}{
	{"JSON", infoOf("sub", "subject-1"), 303, "", NoProblem},
	{"verified as a string", infoOf("email_verified", "true"), 303, "", NoProblem},
	{"a group that is no list", infoOf("groups", "credit-team"), 303, "", NoProblem},
	{"signed", signedInfo("iss", func(s *fakeIssuer) any { return s.URL }, ""), 303, "", NoProblem},
	{"signed for us", signedInfo("aud", constant[any]("portal"), ""), 303, "", NoProblem},
	{"no endpoint", nil, 422, "claim email is missing in the ID token, and the issuer has no UserInfo endpoint", ClaimsMissing},
	{"another subject", infoOf("sub", "subject-2"), 422, "UserInfo is of another subject", IssuerFailed},
	{"no subject", infoWithout("sub"), 422, "UserInfo is of another subject", IssuerFailed},
	{"no email", infoWithout("email"), 422, "claim email is missing in the ID token and in UserInfo", ClaimsMissing},
	{"nothing about verification", infoWithout("email_verified"), 422,
		"claim email_verified is missing in the ID token and in UserInfo", ClaimsMissing},
	{"not verified", infoOf("email_verified", false), 422, "claim email_verified does not say", ClaimsMissing},
	{"verified as text", infoOf("email_verified", "no"), 422, "claim email_verified does not say", ClaimsMissing},
	{"null", infoOf("email", nil), 422, "claim email is missing", ClaimsMissing},
	{"no groups", infoWithout("groups"), 403, "claim groups is missing in the ID token and in UserInfo", NotAdmitted},
	{"other groups", infoOf("groups", []string{}), 403, "no group has a role", NotAdmitted},
	{"refused", constant[http.HandlerFunc](func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }), 422,
		"and UserInfo answers 401", ClaimsMissing},
	{"a redirect", func(s *fakeIssuer) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("followed") {
				s.t.Error("a redirect of UserInfo is followed")
			}
			http.Redirect(w, r, s.URL+"/userinfo?followed", http.StatusFound)
		}
	}, 422, "and UserInfo answers 302", ClaimsMissing},
	{"a page", infoText("text/html", constant("<html>")), 422, "neither application/json nor application/jwt", ClaimsMissing},
	{"endless", infoText("application/json", constant(`{"sub":"`+strings.Repeat("x", maxResponse)+`"}`)), 422,
		"UserInfo is not a JSON object", ClaimsMissing},
	{"signed by another key", signedInfo("x", constant[any](1), "A"), 422, "the signature does not verify", ClaimsMissing},
	{"alg none", infoText("application/jwt", constant(b64.EncodeToString([]byte(`{"alg":"none"}`))+".e30.")),
		422, "the signature does not verify", ClaimsMissing},
	{"signed by another issuer", signedInfo("iss", constant[any]("https://evil.example"), ""), 422, "signed by another issuer", ClaimsMissing},
	{"signed for another client", signedInfo("aud", constant[any]("other"), ""), 422, "signed for another client", ClaimsMissing},
	{"encrypted", infoText("application/jwt", constant("a.b.c.d.e")), 422, "is encrypted", ClaimsMissing},
}

// TestUserInfoAddsMissingClaims uses an issuer with OpenID Connect's defaults:
// the ID token holds only the subject, UserInfo the other claims.
func TestUserInfoAddsMissingClaims(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal)
	s := startIssuer(t, d.now)
	s.claims = func(c map[string]any) { delete(c, "email"); delete(c, "email_verified"); delete(c, "groups") }
	for _, tc := range userInfos {
		t.Run(tc.name, func(t *testing.T) {
			s.userInfo = nil
			if tc.info != nil {
				s.userInfo = tc.info(s)
			}
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
	admits := func(t *testing.T, info userInfo, verified string) {
		t.Helper()
		s.userInfo = info(s)
		d.OIDC = s.oidc(creditTeam)
		d.OIDC.VerifiedClaim = verified
		if status, _, page := d.newBrowser().signInAt(s, ""); status != 303 {
			t.Errorf("%d\n%s", status, page)
		}
	}
	t.Run("another claim for verification", func(t *testing.T) {
		admits(t, infoWith(func(c map[string]any) { delete(c, "email_verified"); c["xms_edov"] = 1 }), "xms_edov")
	})
	t.Run("an address that UserInfo verifies", func(t *testing.T) {
		s.claims = func(c map[string]any) {
			c["sub"], c["email"] = "subject-9", "other@example.com"
			delete(c, "email_verified")
		}
		admits(t, infoWith(func(c map[string]any) { c["sub"], c["email"] = "subject-9", "mine@example.com" }), "")
		if u := d.user("mine@example.com"); u.Role != reviewer || !u.HasOIDC {
			t.Errorf("the user is %+v", u)
		}
	})
}
