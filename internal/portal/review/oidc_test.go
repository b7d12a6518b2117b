package review

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// issuer is a fake OpenID Connect issuer: it signs every visitor in at once and
// issues codes for the claims that the test sets.
type issuer struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey

	mu     sync.Mutex
	codes  map[string]url.Values  // parameters of the authorization request, by code
	claims func(c map[string]any) // changes the claims of the next token
	signer *rsa.PrivateKey        // replaces key
	now    *time.Time
	traded int

	methods []string // authentication methods of the token endpoint
	posted  bool     // require client credentials in the form
	more    map[string]any
	info    http.HandlerFunc // UserInfo; may be nil
}

var b64 = base64.RawURLEncoding

func newIssuer(t *testing.T, now *time.Time) *issuer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := &issuer{t: t, key: key, codes: map[string]url.Values{}, now: now}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		about := map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "jwks_uri": s.URL + "/keys",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"}}
		if s.info != nil {
			about["userinfo_endpoint"] = s.URL + "/userinfo"
		}
		if s.methods != nil {
			about["token_endpoint_auth_methods_supported"] = s.methods
		}
		for name, v := range s.more {
			about[name] = v
		}
		answer(w, about)
	})
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer at" {
			t.Errorf("UserInfo is asked with %q", r.Header.Get("Authorization"))
		}
		s.info(w, r)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []map[string]any{{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k", "n": b64.EncodeToString(key.N.Bytes()),
			"e": b64.EncodeToString(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.traded++
		id, secret, _ := r.BasicAuth()
		if s.posted {
			id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
		}
		if id != "portal" || secret != "portal-secret" {
			w.WriteHeader(401)
			answer(w, map[string]any{"error": "invalid_client"})
			return
		}
		asked, ok := s.codes[r.FormValue("code")]
		delete(s.codes, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if !ok || b64.EncodeToString(sum[:]) != asked.Get("code_challenge") || asked.Get("code_challenge_method") != "S256" ||
			r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
			w.WriteHeader(400)
			answer(w, map[string]any{"error": "invalid_grant"})
			return
		}
		answer(w, map[string]any{"access_token": "at", "token_type": "Bearer", "expires_in": 60, "id_token": s.token(asked.Get("nonce"))})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// token returns a signed ID token.
func (s *issuer) token(nonce string) string {
	c := map[string]any{"iss": s.URL, "aud": "portal", "sub": "subject-1", "nonce": nonce, "iat": s.now.Unix(), "exp": s.now.Add(5 * time.Minute).Unix(),
		"email": "Nina@Example.com", "email_verified": true, "groups": []string{"staff", "credit-team"}}
	if s.claims != nil {
		s.claims(c)
	}
	return s.sign(c)
}

func (s *issuer) sign(c map[string]any) string {
	raw, _ := json.Marshal(c)
	text := b64.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT","kid":"k"}`)) + "." + b64.EncodeToString(raw)
	sum := sha256.Sum256([]byte(text))
	key := s.key
	if s.signer != nil {
		key = s.signer
	}
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		s.t.Error(err)
	}
	return text + "." + b64.EncodeToString(sig)
}

// authorize does what the browser does at the issuer: it opens an authorization
// address, and returns the callback address with a code.
func (s *issuer) authorize(to string) (back string) {
	s.t.Helper()
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, s.URL+"/authorize?") || u.Query().Get("response_type") != "code" || u.Query().Get("state") == "" || u.Query().Get("nonce") == "" {
		s.t.Fatalf("the browser is sent to %q", to)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code := store.NewSecret()
	s.codes[code] = u.Query()
	return strings.TrimPrefix(u.Query().Get("redirect_uri"), "https://portal.example") + "?" + url.Values{"state": {u.Query().Get("state")}, "code": {code}}.Encode()
}

func (d *testServer) browser() *testServer {
	out := *d
	jar, _ := cookiejar.New(nil)
	out.http = &http.Client{Jar: jar, CheckRedirect: d.http.CheckRedirect}
	return &out
}

// elsewhere signs in at the issuer and returns the response.
func (d *testServer) elsewhere(s *issuer, next string) (int, string, string) {
	d.t.Helper()
	to := "/review/oidc/login"
	if next != "" {
		to += "?next=" + url.QueryEscape(next)
	}
	resp, page := d.get(to)
	if resp.StatusCode != 303 {
		d.t.Fatalf("beginning a sign-in elsewhere: %d %s", resp.StatusCode, page)
	}
	resp, page = d.get(s.authorize(resp.Header.Get("Location")))
	return resp.StatusCode, resp.Header.Get("Location"), page
}

func TestSigningInElsewhere(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		if resp, page := d.get("/review/sign-in"); strings.Contains(page, "Sign in with") || resp.StatusCode != 200 {
			t.Errorf("a button that leads nowhere:\n%s", page)
		}
		if resp, _ := d.get("/review/oidc/login"); resp.StatusCode != 404 {
			t.Errorf("signing in elsewhere, where that is not configured: %d", resp.StatusCode)
		}
		s := newIssuer(t, d.now)
		d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Name: "Acme <ID>", Domains: []string{"example.com"}}
		if _, page := d.get("/review/sign-in?next=" + url.QueryEscape(own)); !strings.Contains(page, "Acme &lt;ID&gt;") || !strings.Contains(page, "/review/oidc/login?next=") || !strings.Contains(page, `name="password"`) {
			t.Errorf("the sign-in page:\n%s", page)
		}
		nina := d.browser()
		if status, _, page := nina.elsewhere(s, ""); status != 403 || !strings.Contains(page, "but not here") {
			t.Errorf("an unknown user: %d\n%s", status, page)
		}
		d.signInAs(secret, "")
		d.invite("nina@example.com", Auditor)
		before := nina.http.Jar.Cookies(mustURL(d.srv.URL))
		if status, to, page := nina.elsewhere(s, own); status != 303 || to != own {
			t.Fatalf("one who was added: %d to %q\n%s", status, to, page)
		}
		if after := nina.http.Jar.Cookies(mustURL(d.srv.URL)); len(before) != 0 || len(after) != 1 || after[0].Name != "vestibule" {
			t.Errorf("cookies before and after: %v, %v", before, after)
		}
		if resp, _ := nina.get("/review/audit"); resp.StatusCode != 200 {
			t.Errorf("an auditor's page: %d", resp.StatusCode)
		}
		// From now on the issuer's subject identifies the user, not the email
		// address.
		again := d.browser()
		s.claims = func(c map[string]any) { c["email"] = "nina.new@example.com" }
		if status, _, _ := again.elsewhere(s, ""); status != 303 {
			t.Errorf("with another address: %d", status)
		}
		s.claims = func(c map[string]any) { c["sub"] = "another-subject" }
		if status, _, _ := d.browser().elsewhere(s, ""); status != 403 {
			t.Errorf("another one with her address: %d", status)
		}
		s.claims = nil
		var id string
		if err := db.SQL.QueryRow(`SELECT id FROM reviewers WHERE role = 'auditor'`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		d.post("/review/people/"+id, url.Values{"do": {"disable"}})
		if status, _, _ := again.elsewhere(s, ""); status != 403 {
			t.Errorf("one who was disabled: %d", status)
		}
		d.post("/review/people/"+id, url.Values{"do": {"enable"}})

		// Groups determine users and roles.
		d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", GroupsClaim: "roles", Roles: map[string]Role{"portal": Reviewer, "chiefs": Administrator}}
		s.claims = func(c map[string]any) { c["roles"] = []string{"x", "portal", "chiefs"} }
		if status, _, _ := again.elsewhere(s, ""); status != 303 {
			t.Errorf("one whose groups have roles: %d", status)
		}
		if resp, _ := again.get("/review/people"); resp.StatusCode != 200 {
			t.Errorf("an administrator by a group: %d", resp.StatusCode)
		}
		s.claims = func(c map[string]any) { c["roles"], c["sub"], c["email"] = "portal", "subject-2", "new@example.com" }
		fresh := d.browser()
		if status, _, _ := fresh.elsewhere(s, ""); status != 303 {
			t.Errorf("a new person of a group: %d", status)
		}
		if resp, _ := fresh.get("/review/people"); resp.StatusCode != 403 {
			t.Errorf("a reviewer by a group at an administrator's page: %d", resp.StatusCode)
		}
		s.claims = func(c map[string]any) { c["roles"], c["sub"] = []string{"x"}, "subject-2" }
		if status, _, _ := fresh.elsewhere(s, ""); status != 403 {
			t.Errorf("one who has left the group: %d", status)
		}
		d.NoPasswords = true
		if resp, _ := d.browser().post("/review/sign-in", url.Values{"email": {"reviewer@example.com"}, "password": {secret}}); resp.StatusCode != 404 {
			t.Errorf("a password, where there are none: %d", resp.StatusCode)
		}
		if _, page := d.browser().get("/review/sign-in"); strings.Contains(page, `name="password"`) {
			t.Errorf("the sign-in page asks for a password:\n%s", page)
		}
		if _, page := d.get("/review/audit?action=signInFailed"); !strings.Contains(page, "organization") {
			t.Errorf("the trail:\n%s", page)
		}
	})
}

// Invalid callbacks, with a valid one before and after.
func TestWhatIsNoSignIn(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	s := newIssuer(t, d.now)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	d.OIDC = &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Roles: map[string]Role{"credit-team": Reviewer}}
	good := func(when string) {
		t.Helper()
		s.claims, s.signer = nil, nil
		if status, to, page := d.browser().elsewhere(s, "https://evil.example/"); status != 303 || to != "/review" {
			t.Errorf("a good sign-in %s: %d to %q\n%s", when, status, to, page)
		}
	}
	good("before")
	for name, change := range map[string]func(c map[string]any){
		"another nonce": func(c map[string]any) { c["nonce"] = "x" }, "no nonce": func(c map[string]any) { delete(c, "nonce") },
		"another audience": func(c map[string]any) { c["aud"] = "another" }, "another issuer": func(c map[string]any) { c["iss"] = "https://evil.example" },
		"expired": func(c map[string]any) { c["exp"] = d.now.Add(-time.Hour).Unix() }, "no expiry": func(c map[string]any) { delete(c, "exp") },
		"e-mail not verified": func(c map[string]any) { c["email_verified"] = false }, "e-mail of which nothing is said": func(c map[string]any) { delete(c, "email_verified") },
		"no e-mail": func(c map[string]any) { delete(c, "email") }, "e-mail that is none": func(c map[string]any) { c["email"] = "x" },
		"another client": func(c map[string]any) { c["azp"] = "other" }, "two audiences and no client": func(c map[string]any) { c["aud"] = []string{"portal", "other"} },
		"of the future": func(c map[string]any) { c["iat"] = d.now.Add(2 * issuedSkew).Unix() }, "of no time": func(c map[string]any) { delete(c, "iat") },
		"of another access token": func(c map[string]any) { c["at_hash"] = "x" },
		"no subject":              func(c map[string]any) { delete(c, "sub") }, "other groups": func(c map[string]any) { c["groups"] = []string{"staff"} },
		"malformed groups": func(c map[string]any) { c["groups"] = map[string]any{"credit-team": 1} },
	} {
		s.claims = change
		b := d.browser()
		if status, _, _ := b.elsewhere(s, ""); status != 422 && status != 403 {
			t.Errorf("%s: %d", name, status)
		}
		if resp, _ := b.get("/review"); resp.StatusCode != 303 {
			t.Errorf("%s signs a user in", name)
		}
	}
	s.claims, s.signer = nil, other
	if status, _, _ := d.browser().elsewhere(s, ""); status != 422 {
		t.Errorf("another key: %d", status)
	}
	good("between")

	begin := func(b *testServer) string {
		t.Helper()
		resp, _ := b.get("/review/oidc/login")
		return s.authorize(resp.Header.Get("Location"))
	}
	b := d.browser()
	back := begin(b)
	if resp, _ := d.browser().get(back); resp.StatusCode != 422 {
		t.Errorf("another browser: %d", resp.StatusCode)
	}
	if resp, _ := b.get(back); resp.StatusCode != 303 {
		t.Errorf("its own browser afterwards: %d", resp.StatusCode)
	}
	traded := s.traded
	if resp, _ := b.get(back); resp.StatusCode != 422 || s.traded != traded {
		t.Errorf("a state used twice: %d, and the issuer was asked", resp.StatusCode)
	}
	late := d.browser()
	back = begin(late)
	*d.now = d.now.Add(arrivalLife)
	if resp, _ := late.get(back); resp.StatusCode != 422 {
		t.Errorf("a state after its time: %d", resp.StatusCode)
	}
	for _, path := range []string{"", "?state=x&code=y", "?error=access_denied&state=" + store.NewSecret(), "?state=" + strings.Repeat("x", 5000)} {
		if resp, _ := d.browser().get(returnPath + path); resp.StatusCode != 422 {
			t.Errorf("%.60s: %d", path, resp.StatusCode)
		}
	}
	c := d.browser()
	if resp, page := c.get(strings.Replace(begin(c), "code=", "error=access_denied&was=", 1)); resp.StatusCode != 422 || !strings.Contains(page, "could not be signed in") {
		t.Errorf("one who said no there: %d", resp.StatusCode)
	}
	good("after")
	s.Close()
	d.OIDC.provider = nil
	if resp, page := d.browser().get("/review/oidc/login"); resp.StatusCode != 502 || !strings.Contains(page, "could not be signed in") {
		t.Errorf("an issuer that is away: %d", resp.StatusCode)
	}
}

func mustURL(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}
