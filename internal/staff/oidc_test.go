package staff

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// signInPage returns the sign-in page.
func (d *testServer) signInPage() (v SignInPage) {
	d.t.Helper()
	_, page := d.get("/review/sign-in")
	if err := json.Unmarshal([]byte(page), &v); err != nil {
		d.t.Fatal(err)
	}
	return v
}

func TestOIDCAdmitsAddedUsers(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		if v := d.signInPage(); v.Issuer != "" || !v.Passwords {
			t.Errorf("the sign-in page without an issuer: %+v", v)
		}
		if resp, _ := d.get("/review/oidc/login"); resp.StatusCode != 404 {
			t.Errorf("a sign-in without an issuer: %d", resp.StatusCode)
		}
		s := startIssuer(t, d.now)
		d.OIDC = s.oidc(nil)
		if v := d.signInPage(); v.Issuer != "127.0.0.1" {
			t.Errorf("the issuer is called %q", v.Issuer)
		}
		d.OIDC.Name, d.OIDC.Domains = "Acme <ID>", []string{"example.com"}
		if v := d.signInPage(); v.Issuer != "Acme <ID>" || !v.Passwords {
			t.Errorf("the sign-in page: %+v", v)
		}
		for _, c := range []struct{ address, prompt string }{{"/review/oidc/login", ""}, {"/review/oidc/login?choose=1", "select_account"}} {
			resp, _ := d.newBrowser().get(c.address)
			to, err := url.Parse(resp.Header.Get("Location"))
			if err != nil || to.Query().Get("prompt") != c.prompt || to.Query().Get("nonce") == "" {
				t.Errorf("%s leads to %s (%v)", c.address, to, err)
			}
		}
		nina := d.newBrowser()
		if status, _, page := nina.signInAt(s, "/review/y"); !strings.Contains(page, `"/review/y"`) {
			t.Errorf("a refused account loses the page to continue with: %d %s", status, page)
		}
		if status, _, page := nina.signInAt(s, ""); status != 403 || d.problem(page) != NotAdmitted {
			t.Errorf("an unknown user: %d %s", status, page)
		}
		d.invite("nina@example.com", auditor)
		server, _ := url.Parse(d.srv.URL)
		before := nina.browser.Jar.Cookies(server)
		if status, to, page := nina.signInAt(s, "/review/x"); status != 303 || to != "/review/x" {
			t.Fatalf("an added user: %d to %q\n%s", status, to, page)
		}
		if after := nina.browser.Jar.Cookies(server); len(before) != 0 || len(after) != 1 || after[0].Name != "vestibule" {
			t.Errorf("cookies before and after: %v, %v", before, after)
		}
		if u := d.user("nina@example.com"); !u.HasOIDC || !u.SignedIn.Equal(noon) || !nina.signedIn() {
			t.Errorf("the user is %+v", u)
		}
		// From now on the issuer's subject identifies the user, not the email address.
		again := d.newBrowser()
		s.claims = func(c map[string]any) { c["email"] = "nina.new@example.com" }
		if status, _, _ := again.signInAt(s, ""); status != 303 {
			t.Errorf("with another address: %d", status)
		}
		s.claims = func(c map[string]any) { c["sub"] = "another-subject" }
		if status, _, _ := d.newBrowser().signInAt(s, ""); status != 403 {
			t.Errorf("another account with the address: %d", status)
		}
		s.claims = nil
		change := func(c Change) {
			if _, _, err := d.Change(t.Context(), d.user(admin), d.user("nina@example.com").ID, c, "", i18n.English); err != nil {
				t.Error(err)
			}
		}
		change(Disable)
		if status, _, _ := again.signInAt(s, ""); status != 403 {
			t.Errorf("a disabled user: %d", status)
		}
		change(Enable)
		d.OIDC.Domains = []string{"Example.org"}
		if status, _, _ := again.signInAt(s, ""); status != 403 {
			t.Errorf("an address of another domain: %d", status)
		}
		want := []string{" signInFailed  elsewhere", "admin personAdded nina auditor",
			"admin personChanged nina disable", "admin personChanged nina enable",
			"nina signedIn  elsewhere", "nina signedIn  elsewhere"}
		if got := d.audited(); !slices.Equal(got, want) {
			t.Errorf("recorded %q, want %q", got, want)
		}
	})
}

func TestOIDCGroupsGiveRoles(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		s := startIssuer(t, d.now)
		d.OIDC = s.oidc(map[string]Role{"portal": reviewer, "chiefs": administrator})
		d.OIDC.GroupsClaim = "roles"
		s.claims = func(c map[string]any) { c["roles"] = []string{"x", "portal", "chiefs"} }
		nina := d.newBrowser()
		if status, _, _ := nina.signInAt(s, ""); status != 303 || d.user("nina@example.com").Role != administrator {
			t.Errorf("a user with two roles: %d, %s", status, d.user("nina@example.com").Role)
		}
		s.claims = func(c map[string]any) { c["roles"] = "portal" }
		if status, _, _ := d.newBrowser().signInAt(s, ""); status != 303 || d.user("nina@example.com").Role != reviewer {
			t.Errorf("a user who left a group: %d, %s", status, d.user("nina@example.com").Role)
		}
		if _, page := nina.get("/review"); !strings.Contains(page, `"reviewer"`) {
			t.Errorf("the earlier session has the former role: %s", page)
		}
		s.claims = func(c map[string]any) { c["roles"] = []string{"x"} }
		if status, _, _ := nina.signInAt(s, ""); status != 403 {
			t.Errorf("a user who left all groups: %d", status)
		}
		want := []string{" signInFailed  elsewhere", "nina personAdded nina administrator", "nina personChanged nina reviewer",
			"nina signedIn  elsewhere", "nina signedIn  elsewhere"}
		if got := d.audited(); !slices.Equal(got, want) {
			t.Errorf("recorded %q, want %q", got, want)
		}
	})
}

var invalidClaims = map[string]func(c map[string]any){
	"another nonce":                func(c map[string]any) { c["nonce"] = "x" },
	"no nonce":                     func(c map[string]any) { delete(c, "nonce") },
	"another audience":             func(c map[string]any) { c["aud"] = "another" },
	"another issuer":               func(c map[string]any) { c["iss"] = "https://evil.example" },
	"expired":                      func(c map[string]any) { c["exp"] = noon.Add(-time.Hour).Unix() },
	"no expiry":                    func(c map[string]any) { delete(c, "exp") },
	"email not verified":           func(c map[string]any) { c["email_verified"] = false },
	"nothing about the email":      func(c map[string]any) { delete(c, "email_verified") },
	"no email":                     func(c map[string]any) { delete(c, "email") },
	"an invalid email":             func(c map[string]any) { c["email"] = "x" },
	"another client":               func(c map[string]any) { c["azp"] = "other" },
	"two audiences and no client":  func(c map[string]any) { c["aud"] = []string{"portal", "other"} },
	"from the future":              func(c map[string]any) { c["iat"] = noon.Add(2 * issuedSkew).Unix() },
	"no time":                      func(c map[string]any) { delete(c, "iat") },
	"another access token":         func(c map[string]any) { c["at_hash"] = "x" },
	"no subject":                   func(c map[string]any) { delete(c, "sub") },
	"other groups":                 func(c map[string]any) { c["groups"] = []string{"staff"} },
	"groups of an unexpected type": func(c map[string]any) { c["groups"] = map[string]any{"credit-team": 1} },
}

// TestOIDCRejectsInvalidCallbacks sends invalid callbacks, with valid ones before,
// between and after.
func TestOIDCRejectsInvalidCallbacks(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal)
	s := startIssuer(t, d.now)
	d.OIDC = s.oidc(creditTeam)
	good := func(when string) {
		t.Helper()
		s.claims, s.signer = nil, nil
		if status, to, page := d.newBrowser().signInAt(s, "https://evil.example/"); status != 303 || to != "/review" {
			t.Errorf("a good sign-in %s: %d to %q\n%s", when, status, to, page)
		}
	}
	good("before")
	for name, change := range invalidClaims {
		t.Run(name, func(t *testing.T) {
			s.claims = change
			b := d.newBrowser()
			if status, _, _ := b.signInAt(s, ""); status != 422 && status != 403 {
				t.Errorf("%d", status)
			}
			if b.signedIn() {
				t.Error("signs a user in")
			}
		})
	}
	t.Run("another key", func(t *testing.T) {
		other, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		s.claims, s.signer = nil, other
		if status, _, _ := d.newBrowser().signInAt(s, ""); status != 422 {
			t.Errorf("%d", status)
		}
	})
	good("between")
	begin := func(b *testServer) string {
		resp, _ := b.get("/review/oidc/login")
		return s.authorize(resp.Header.Get("Location"))
	}
	requireStatus := func(t *testing.T, what string, b *testServer, path string, want int) (page string) {
		t.Helper()
		resp, page := b.get(path)
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", what, resp.StatusCode, want)
		}
		return page
	}
	t.Run("state", func(t *testing.T) {
		b, late := d.newBrowser(), d.newBrowser()
		back := begin(b)
		requireStatus(t, "another browser", d.newBrowser(), back, 422)
		requireStatus(t, "its own browser afterwards", b, back, 303)
		exchanged := s.exchanged
		if requireStatus(t, "a state used twice", b, back, 422); s.exchanged != exchanged {
			t.Error("the code of a state used twice was exchanged")
		}
		back = begin(late)
		*d.now = d.now.Add(pendingLife)
		requireStatus(t, "a state after its time", late, back, 422)
		for _, query := range []string{"", "?state=x&code=y", "?error=access_denied&state=" +
			store.NewSecret(), "?state=" + strings.Repeat("x", 5000)} {
			requireStatus(t, query[:min(len(query), 60)], d.newBrowser(), "/review/sign-in/return"+query, 422)
		}
	})
	t.Run("a user who declined at the issuer", func(t *testing.T) {
		b := d.newBrowser()
		page := requireStatus(t, "declined", b, strings.Replace(begin(b), "code=", "error=access_denied&was=", 1), 422)
		if d.problem(page) != IssuerFailed {
			t.Errorf("the page is %s", page)
		}
	})
	good("after")
	t.Run("an unreachable issuer", func(t *testing.T) {
		s.Close()
		d.OIDC.issuer = nil
		if page := requireStatus(t, "unreachable", d.newBrowser(), "/review/oidc/login", 502); d.problem(page) != IssuerFailed {
			t.Errorf("the page is %s", page)
		}
	})
}

func TestOIDCFollowsIssuerMetadata(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal)
	s := startIssuer(t, d.now)
	try := func(change func(back string) string) int {
		t.Helper()
		d.OIDC = s.oidc(creditTeam)
		b := d.newBrowser()
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
		"no methods":              {nil, false, 303},
		"basic":                   {[]string{"client_secret_basic"}, false, 303},
		"post":                    {[]string{"client_secret_post"}, true, 303},
		"both, and accepts basic": {[]string{"client_secret_post", "client_secret_basic"}, false, 303},
		"both, and accepts post":  {[]string{"client_secret_post", "client_secret_basic"}, true, 303},
		"neither":                 {[]string{"private_key_jwt"}, false, 502},
	} {
		s.methods, s.posted = c.methods, c.posted
		if got := try(same); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	s.methods, s.posted = nil, false
	for _, promised := range []bool{false, true} {
		s.metadata = map[string]any{"authorization_response_iss_parameter_supported": promised}
		for iss, want := range map[string]int{"": 303, "&iss=" + s.URL: 303, "&iss=https://evil.example": 422,
			"&iss=": 422, "&iss=" + s.URL + "&iss=" + s.URL: 422} {
			if promised && iss == "" {
				want = 422
			}
			if got := try(func(back string) string { return back + iss }); got != want {
				t.Errorf("a callback with %q, iss promised %t: %d, want %d", iss, promised, got, want)
			}
		}
	}
}

func TestStartingOIDCDoesNotStore(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal)
	s := startIssuer(t, d.now)
	d.OIDC, d.OIDCStarts = s.oidc(creditTeam), &httpx.RateLimit{PerMinute: 5, Now: d.Now}
	const rows = `SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM sign_in_states) + (SELECT count(*) FROM audit)`
	before, b := d.count(rows), d.newBrowser()
	var to []string
	for range 2 { // two tabs
		resp, _ := b.get("/review/oidc/login")
		to = append(to, resp.Header.Get("Location"))
	}
	if to[0] != to[1] {
		t.Errorf("a second tab starts another sign-in:\n%s\n%s", to[0], to[1])
	}
	first, second := s.authorize(to[0]), s.authorize(to[1])
	last := 0
	for range 4 {
		resp, _ := d.newBrowser().get("/review/oidc/login")
		last = resp.StatusCode
	}
	if n := d.count(rows); last != 429 || n != before {
		t.Errorf("after six in a minute %d, with %d more rows", last, n-before)
	}
	server, _ := url.Parse(d.srv.URL)
	saved := b.browser.Jar.Cookies(server)
	if resp, _ := b.get(first); resp.StatusCode != 303 {
		t.Errorf("the first tab: %d", resp.StatusCode)
	}
	if resp, _ := b.get(second); resp.StatusCode != 422 {
		t.Errorf("the second tab after it: %d", resp.StatusCode)
	}
	exchanged := s.exchanged
	b.browser.Jar.SetCookies(server, saved)
	if resp, _ := b.get(second); resp.StatusCode != 422 || s.exchanged != exchanged {
		t.Errorf("a used state with its former cookie: %d", resp.StatusCode)
	}
	*d.now = d.now.Add(time.Minute)
	resp, _ := d.newBrowser().get("/review/oidc/login")
	for _, c := range resp.Cookies() {
		if strings.Contains(c.String(), "sign-in") && (!c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || len(c.Value) > 1024) {
			t.Errorf("the cookie %s", c)
		}
	}
}
