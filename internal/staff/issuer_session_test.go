package staff

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// groups makes the issuer name a user's groups.
func (s *fakeIssuer) groups(all ...string) {
	s.set(func() { s.claims = func(c map[string]any) { c["groups"] = all } })
}

// eachIssuer runs f on a dashboard with an issuer at which a user has signed in.
func eachIssuer(t *testing.T, refresh bool, f func(t *testing.T, d *testServer, s *fakeIssuer)) {
	eachReview(t, func(t *testing.T, d *testServer) {
		s := startIssuer(t, d.now)
		d.OIDC = s.oidc(map[string]Role{"credit-team": reviewer, "leads": administrator})
		d.NeedFactor = true // not for the issuer's users
		if refresh {
			s.metadata = map[string]any{"scopes_supported": []string{"openid", "email", "offline_access"}}
		}
		if status, to, page := d.signInAt(s, ""); status != 303 || to != "/review" {
			t.Fatalf("signing in: %d %s %s", status, to, page)
		}
		f(t, d, s)
	})
}

func (d *testServer) pass(minutes time.Duration) { *d.now = d.now.Add(minutes * time.Minute) }

// TestLostGroupEndsTheSession checks that the issuer is asked by refresh token while the user works.
func TestLostGroupEndsTheSession(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, d *testServer, s *fakeIssuer) {
		var sealed []byte
		err := d.DB.SQL.QueryRow(`SELECT refresh_sealed FROM issuer_sessions`).Scan(&sealed)
		if err != nil || bytes.Contains(sealed, []byte("token")) {
			t.Fatalf("the refresh token is stored as it is, %v", err)
		}
		s.groups("leads")
		for range 3 {
			if d.pass(5); !d.signedIn() {
				t.Fatal("a session that the issuer confirms has ended")
			}
		}
		if u := d.user("nina@example.com"); u.Role != administrator || s.refreshes != 1 {
			t.Errorf("after %d checks the role is %s", s.refreshes, u.Role)
		}
		s.groups("cooks")
		if d.pass(4); !d.signedIn() {
			t.Error("the issuer was asked too early")
		}
		if d.pass(6); d.signedIn() || d.count(`SELECT COUNT(*) FROM sessions WHERE principal <> ''`) != 0 {
			t.Error("a user without a group has a session")
		}
		if got := d.audited(); !slices.Contains(got, "nina signedOut  elsewhere") {
			t.Errorf("recorded %q", got)
		}
	})
}

func TestRevokedRefreshToken(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, d *testServer, s *fakeIssuer) {
		s.set(func() { s.revoked = true })
		if d.pass(10); d.signedIn() || d.count(`SELECT COUNT(*) FROM issuer_sessions`) != 0 {
			t.Error("a session works whose refresh token was revoked")
		}
	})
}

// TestIssuerDoesNotAnswer checks that a session outlives a short failure of the issuer, and that a
// longer one pauses it.
func TestIssuerDoesNotAnswer(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, d *testServer, s *fakeIssuer) {
		s.set(func() { s.down = true })
		if d.pass(14); !d.signedIn() {
			t.Error("the session ended with the first failure")
		}
		if d.pass(1); d.signedIn() {
			t.Error("a session works that was not confirmed for 15 minutes")
		}
		s.set(func() { s.down = false })
		if d.pass(1); !d.signedIn() {
			t.Error("the session does not work after the issuer answers again")
		}
	})
}

// TestSilentRenewal checks sessions of an issuer without refresh tokens.
func TestSilentRenewal(t *testing.T) {
	eachIssuer(t, false, func(t *testing.T, d *testServer, s *fakeIssuer) {
		if d.pass(14); !d.signedIn() {
			t.Error("the session ended early")
		}
		d.pass(1)
		to := d.silent()
		if !strings.Contains(to, "prompt=none") {
			t.Fatalf("an old session leads to %q", to)
		}
		if resp, _ := d.get(s.authorize(to)); resp.Header.Get("Location") != "/review?queue=mine" || !d.signedIn() {
			t.Errorf("the renewed session leads to %s", resp.Header.Get("Location"))
		}
		d.pass(15)
		u, err := url.Parse(d.silent())
		if err != nil {
			t.Fatal(err)
		}
		back := "/review/sign-in/return?" + url.Values{"error": {"login_required"}, "state": {u.Query().Get("state")}}.Encode()
		if resp, body := d.get(back); resp.StatusCode != 200 || d.problem(body) != NoProblem || d.signedIn() {
			t.Errorf("a user whom the issuer does not know: %d %s", resp.StatusCode, body)
		}
		if resp, _ := d.get("/review/sign-in"); resp.StatusCode != 200 {
			t.Errorf("the sign-in page leads to the issuer again: %d", resp.StatusCode)
		}
	})
}

// silent follows the redirects of a page of an old session, and returns the address at the issuer.
func (d *testServer) silent() string {
	d.t.Helper()
	resp, _ := d.get("/review?queue=mine")
	resp, _ = d.get(resp.Header.Get("Location"))
	return resp.Header.Get("Location")
}

func TestSilentRenewalOfALostGroup(t *testing.T) {
	eachIssuer(t, false, func(t *testing.T, d *testServer, s *fakeIssuer) {
		d.pass(15)
		s.groups("cooks")
		resp, body := d.get(s.authorize(d.silent()))
		if resp.StatusCode != 403 || d.problem(body) != NotAdmitted || d.count(`SELECT COUNT(*) FROM issuer_sessions`) != 0 {
			t.Errorf("a user without a group: %d %s", resp.StatusCode, body)
		}
	})
}
