package staff

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/store"
)

// fakeIssuer is an OpenID Connect issuer: it signs every visitor in at once and
// issues codes for the claims that the test sets.
type fakeIssuer struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey

	mu        sync.Mutex
	codes     map[string]url.Values  // parameters of the authorization request, by code
	claims    func(c map[string]any) // changes the claims of the next token
	signer    *rsa.PrivateKey        // replaces key
	now       *time.Time
	exchanged int

	methods  []string // authentication methods of the token endpoint
	posted   bool     // require client credentials in the form
	metadata map[string]any
	userInfo http.HandlerFunc // may be nil

	refreshes int // refresh tokens that were used; each is replaced
	revoked   bool
	down      bool
}

var b64 = base64.RawURLEncoding

func startIssuer(t *testing.T, now *time.Time) *fakeIssuer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := &fakeIssuer{t: t, key: key, codes: map[string]url.Values{}, now: now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, s.about()) })
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer at" {
			t.Errorf("UserInfo is requested with %q", r.Header.Get("Authorization"))
		}
		s.userInfo(w, r)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		// Keys that cannot be used, or not even be parsed, do not matter.
		answer(w, 200, map[string]any{"keys": []any{
			map[string]any{"kty": "AKP", "alg": "ML-DSA-44", "kid": "a", "pub": "AA"},
			map[string]any{"kty": "OKP", "crv": "Ed448", "kid": "b", "x": "AA"},
			map[string]any{"kty": "EC", "crv": "P-256", "kid": "c", "x": "AA", "y": "AA"}, 1,
			map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k", "x5c": []string{"AA"},
				"n": b64.EncodeToString(key.N.Bytes()), "e": b64.EncodeToString(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		status, v := s.grant(r)
		answer(w, status, v)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func answer(w http.ResponseWriter, status int, v map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// about returns the issuer's metadata.
func (s *fakeIssuer) about() map[string]any {
	about := map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize",
		"token_endpoint": s.URL + "/token", "jwks_uri": s.URL + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"}}
	if s.userInfo != nil {
		about["userinfo_endpoint"] = s.URL + "/userinfo"
	}
	if s.methods != nil {
		about["token_endpoint_auth_methods_supported"] = s.methods
	}
	maps.Copy(about, s.metadata)
	return about
}

// grant returns the answer to a request for tokens, by a code or a refresh token.
func (s *fakeIssuer) grant(r *http.Request) (status int, v map[string]any) {
	s.exchanged++
	id, secret, _ := r.BasicAuth()
	if s.posted {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != "portal" || secret != "portal-secret" {
		return 401, map[string]any{"error": "invalid_client"}
	}
	if s.down {
		return 503, nil
	}
	granted := map[string]any{"access_token": "at", "token_type": "Bearer", "expires_in": 60}
	if s.metadata["scopes_supported"] != nil {
		granted["refresh_token"] = s.refreshToken(s.refreshes + 1)
	}
	if r.FormValue("grant_type") == "refresh_token" {
		if s.revoked || r.FormValue("refresh_token") != s.refreshToken(s.refreshes+1) {
			return 400, map[string]any{"error": "invalid_grant"}
		}
		s.refreshes++
		granted["refresh_token"], granted["id_token"] = s.refreshToken(s.refreshes+1), s.token("")
		return 200, granted
	}
	asked, ok := s.codes[r.FormValue("code")]
	delete(s.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || b64.EncodeToString(sum[:]) != asked.Get("code_challenge") || asked.Get("code_challenge_method") != "S256" ||
		r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		return 400, map[string]any{"error": "invalid_grant"}
	}
	granted["id_token"] = s.token(asked.Get("nonce"))
	return 200, granted
}

func (s *fakeIssuer) refreshToken(n int) string { return fmt.Sprint("refresh token ", n) }

// set changes the issuer while the dashboard may ask it.
func (s *fakeIssuer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// token returns a signed ID token.
func (s *fakeIssuer) token(nonce string) string {
	c := map[string]any{"iss": s.URL, "aud": "portal", "sub": "subject-1", "nonce": nonce,
		"iat": s.now.Unix(), "exp": s.now.Add(5 * time.Minute).Unix(),
		"email": "Nina@Example.com", "email_verified": true, "groups": []string{"staff", "credit-team"}}
	if s.claims != nil {
		s.claims(c)
	}
	return s.sign(c)
}

func (s *fakeIssuer) sign(c map[string]any) string {
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
func (s *fakeIssuer) authorize(to string) (back string) {
	s.t.Helper()
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, s.URL+"/authorize?") || u.Query().Get("response_type") != "code" ||
		u.Query().Get("state") == "" || u.Query().Get("nonce") == "" {
		s.t.Fatalf("the browser is sent to %q", to)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code := store.NewSecret()
	s.codes[code] = u.Query()
	return strings.TrimPrefix(u.Query().Get("redirect_uri"), "https://portal.example") + "?" +
		url.Values{"state": {u.Query().Get("state")}, "code": {code}}.Encode()
}

// oidc returns a configuration with the issuer.
func (s *fakeIssuer) oidc(roles map[string]Role) *OIDC {
	return &OIDC{Issuer: s.URL, ClientID: "portal", ClientSecret: "portal-secret", Roles: roles}
}

var creditTeam = map[string]Role{"credit-team": reviewer}

// signInAt signs in at the issuer and returns the answer to the callback.
func (d *testServer) signInAt(s *fakeIssuer, next string) (status int, to, page string) {
	d.t.Helper()
	start := "/review/oidc/login"
	if next != "" {
		start += "?next=" + url.QueryEscape(next)
	}
	resp, page := d.get(start)
	if resp.StatusCode != 303 {
		d.t.Fatalf("starting a sign-in: %d %s", resp.StatusCode, page)
	}
	resp, page = d.get(s.authorize(resp.Header.Get("Location")))
	return resp.StatusCode, resp.Header.Get("Location"), page
}
