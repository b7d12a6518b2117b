package fdx

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// fakeNow is the time of both clocks in tests.
var fakeNow = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// fakeBank is an institution. A test can change each of its answers.
type fakeBank struct {
	*httptest.Server
	t        *testing.T
	key      *jose.PrivateKey
	metadata map[string]any              // discovery document; endpoints are relative
	accepts  func(*http.Request) bool    // authenticates the client; nil: everybody
	codes    map[string]url.Values       // parameters of authorizations by code
	answers  map[string]http.HandlerFunc // by path, in place of the bank's own
	bodies   map[string]string           // FDX resources by path below the base URL
	token    func(url.Values) map[string]any

	mu     sync.Mutex
	seen   []*http.Request
	pushed url.Values
	slept  []time.Duration
}

// newFakeBank starts a bank at http, or at https with a certificate that in.CA trusts.
func newFakeBank(t *testing.T, secure bool) *fakeBank {
	t.Helper()
	key, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	b := &fakeBank{t: t, key: key, codes: map[string]url.Values{}, answers: map[string]http.HandlerFunc{}, bodies: map[string]string{},
		metadata: map[string]any{"authorization_endpoint": "/authorize", "token_endpoint": "/token", "revocation_endpoint": "/revoke",
			"jwks_uri": "/jwks", "id_token_signing_alg_values_supported": []string{"ES256"}}}
	b.Server = httptest.NewUnstartedServer(b)
	b.Server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		b.Server.TLS, b.Server.EnableHTTP2 = &tls.Config{ClientAuth: tls.RequestClientCert}, true
		b.StartTLS()
	} else {
		b.Start()
	}
	t.Cleanup(b.Close)
	return b
}

func (b *fakeBank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	b.mu.Lock()
	b.seen = append(b.seen, r)
	answer := b.answers[r.URL.Path]
	b.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	w.Header().Set("Date", fakeNow.Format(http.TimeFormat))
	switch r.URL.Path {
	case "/bank/.well-known/openid-configuration":
		out := map[string]any{"issuer": b.URL + "/bank"}
		for name, v := range b.metadata {
			if s, ok := v.(string); ok && strings.HasPrefix(s, "/") {
				v = b.URL + s
			}
			out[name] = v
		}
		writeJSON(w, 200, out)
	case "/jwks":
		writeJSON(w, 200, jose.KeySet{b.key.Public()})
	case "/par", "/token", "/revoke":
		if b.accepts != nil && !b.accepts(r) {
			writeJSON(w, 401, map[string]any{"error": "invalid_client"})
			return
		}
		b.oauth(w, r)
	default:
		b.resource(w, r)
	}
}

func (b *fakeBank) oauth(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/par":
		b.pushed = r.PostForm
		writeJSON(w, 201, map[string]any{"request_uri": "urn:example:1", "expires_in": 60})
		return
	case "/revoke":
		return
	}
	began, code := b.codes[r.PostForm.Get("code")], r.PostForm.Get("code")
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if began == nil || began.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) ||
			began.Get("redirect_uri") != r.PostForm.Get("redirect_uri") {
			writeJSON(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		delete(b.codes, code)
	case "refresh_token":
		if r.PostForm.Get("refresh_token") != "refresh-1" {
			writeJSON(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
	}
	out := map[string]any{"access_token": "access-1", "token_type": "Bearer", "expires_in": 900, "refresh_token": "refresh-1"}
	if nonce := began.Get("nonce"); nonce != "" {
		out["id_token"] = b.idToken(jose.Claims{"nonce": nonce})
	}
	if b.token != nil {
		out = b.token(began)
	}
	writeJSON(w, 200, out)
}

// idToken signs an ID token with other claims than usual.
func (b *fakeBank) idToken(other jose.Claims) string {
	claims := jose.Claims{"iss": b.URL + "/bank", "aud": "client", "sub": "customer"}
	for name, v := range other {
		claims[name] = v
	}
	raw, err := jose.Signer{Key: b.key, Type: "JWT"}.Sign(fakeNow, fakeNow.Add(5*time.Minute), claims)
	if err != nil {
		b.t.Error(err)
	}
	return raw
}

func (b *fakeBank) resource(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/fdx/v6/")
	switch body, known := b.bodies[path]; {
	case ok && r.Header.Get("Authorization") != "Bearer access-1":
		w.WriteHeader(http.StatusUnauthorized)
	case ok && known:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// institution returns the configuration of the bank's client.
func (b *fakeBank) institution() Institution {
	in := Institution{ID: "fake", Name: "Fake Bank", Issuer: b.URL + "/bank", BaseURL: b.URL + "/fdx/v6", Version: "6", ClientID: "client",
		Authentication: SecretBasic, Secret: "secret", Scopes: []string{"accounts"}, Loopback: true}
	if b.Certificate() != nil {
		in.CA = x509.NewCertPool()
		in.CA.AddCert(b.Certificate())
	}
	return in
}

// connect returns a connector with a changed configuration.
func (b *fakeBank) connect(change func(*Institution)) *Connector {
	b.t.Helper()
	in := b.institution()
	if change != nil {
		change(&in)
	}
	c, err := New([]Institution{in}, Options{Now: func() time.Time { return fakeNow },
		Sleep: func(ctx context.Context, d time.Duration) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.slept = append(b.slept, d)
			return ctx.Err()
		}})
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// authorize begins an authorization and grants it: it returns the parameters that the
// bank received, what is pending, and the callback.
func (b *fakeBank) authorize(c *Connector) (url.Values, []byte, url.Values) {
	b.t.Helper()
	a, err := c.Authorize(b.t.Context(), "fake", sources.AuthorizeRequest{RedirectURI: "https://provider.example/callback", State: "state-1",
		Language: "es"})
	if err != nil {
		b.t.Fatal(err)
	}
	u, err := url.Parse(a.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	q := u.Query()
	if q.Get("request_uri") != "" {
		q = b.pushed
	}
	b.codes["code-1"] = q
	return u.Query(), a.Pending, url.Values{"code": {"code-1"}, "state": {"state-1"}}
}

// paths returns the paths that were requested.
func (b *fakeBank) paths() (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.seen {
		out = append(out, r.URL.Path)
	}
	return out
}

func clientCertificate(t *testing.T) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "vestibule"},
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func date(s string) report.Date {
	d, ok := parseDay([]byte(s))
	if !ok {
		panic(s)
	}
	return d
}
