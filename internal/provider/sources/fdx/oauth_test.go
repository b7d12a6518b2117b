package fdx

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sources"
)

func TestCodeFlow(t *testing.T) {
	b := newFakeBank(t, true)
	c := b.connect(func(in *Institution) {
		in.Scopes, in.Resource, in.Audience, in.DurationDays = []string{"openid", "accounts"}, "https://api.example/fdx", "fdx", 90
	})
	b.metadata["scopes_supported"] = []string{"openid", "offline_access"}
	b.metadata["authorization_response_iss_parameter_supported"] = true
	q, pending, callback := b.authorize(c)
	for name, want := range map[string]string{"response_type": "code", "client_id": "client", "state": "state-1", "prompt": "consent",
		"redirect_uri": "https://provider.example/callback", "code_challenge_method": "S256", "scope": "openid accounts offline_access",
		"resource": "https://api.example/fdx", "audience": "fdx", "ui_locales": "es"} {
		if q.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	if len(q.Get("nonce")) < 32 || len(q.Get("code_challenge")) != 43 {
		t.Errorf("nonce %q, challenge %q", q.Get("nonce"), q.Get("code_challenge"))
	}
	if strings.Contains(q.Encode(), "secret") {
		t.Error("the URL has the client's secret")
	}
	callback.Set("iss", b.URL+"/bank")
	g, err := c.Complete(t.Context(), "fake", pending, callback)
	if err != nil {
		t.Fatal(err)
	}
	if want := (sources.Grant{Access: "access-1", Refresh: "refresh-1", Expires: fakeNow.Add(15 * time.Minute),
		Until: fakeNow.AddDate(0, 0, 90)}); g != want {
		t.Errorf("the grant is %+v, want %+v", g, want)
	}
	if _, err := c.Complete(t.Context(), "fake", pending, callback); sources.ReasonOf(err) != sources.Abandoned {
		t.Errorf("a used code: %v", err)
	}
	before := len(b.paths())
	if _, _, _ = b.authorize(c); len(b.paths()) != before {
		t.Error("discovery is not cached")
	}
}

func TestDiscovery(t *testing.T) {
	t.Run("oauth-authorization-server", func(t *testing.T) {
		b := newFakeBank(t, false)
		document := b.metadata
		b.answers["/bank/.well-known/openid-configuration"] = http.NotFound
		b.answers["/.well-known/oauth-authorization-server/bank"] = func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, 200, map[string]any{"issuer": b.URL + "/bank", "token_endpoint": b.URL + document["token_endpoint"].(string),
				"authorization_endpoint": b.URL + "/authorize"})
		}
		_, pending, callback := b.authorize(b.connect(nil))
		if _, err := b.connect(nil).Complete(t.Context(), "fake", pending, callback); err != nil {
			t.Error(err)
		}
	})
	t.Run("endpoints without discovery", func(t *testing.T) {
		b := newFakeBank(t, false)
		c := b.connect(func(in *Institution) {
			in.AuthorizationEndpoint, in.TokenEndpoint, in.Issuer = b.URL+"/authorize?tenant=1", b.URL+"/token", ""
		})
		q, pending, callback := b.authorize(c)
		if _, err := c.Complete(t.Context(), "fake", pending, callback); err != nil || q.Get("tenant") != "1" {
			t.Error(err, q)
		}
		if slices.Contains(b.paths(), "/bank/.well-known/openid-configuration") {
			t.Error("the discovery document was requested")
		}
	})
	for name, change := range map[string]map[string]any{
		"another issuer":                   {"issuer": "https://evil.example"},
		"the issuer with slash":            {"issuer": "/bank/"},
		"token elsewhere":                  {"token_endpoint": "https://evil.example/token"},
		"sign-in elsewhere":                {"authorization_endpoint": "https://evil.example/authorize"},
		"keys elsewhere":                   {"jwks_uri": "http://127.0.0.1:1/jwks"},
		"par elsewhere":                    {"pushed_authorization_request_endpoint": "https://evil.example/par"},
		"no token endpoint":                {"token_endpoint": ""},
		"par required without an endpoint": {"require_pushed_authorization_requests": true},
		"a script as sign-in":              {"authorization_endpoint": "javascript:alert(1)"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			for member, v := range change {
				b.metadata[member] = v
			}
			_, err := b.connect(nil).Authorize(t.Context(), "fake", sources.AuthorizeRequest{RedirectURI: "https://a.example", State: "s"})
			if sources.ReasonOf(err) != sources.Misused {
				t.Errorf("Authorize = %v, want %s", err, sources.Misused)
			}
		})
	}
	t.Run("sign-in at a configured domain", func(t *testing.T) {
		b := newFakeBank(t, false)
		b.metadata["authorization_endpoint"] = "https://login.bank.example/authorize"
		q, _, _ := b.authorize(b.connect(func(in *Institution) { in.OAuthDomains = []string{"bank.example"} }))
		if q.Get("client_id") != "client" {
			t.Error(q)
		}
	})
	t.Run("no answer", func(t *testing.T) {
		b := newFakeBank(t, false)
		now := fakeNow
		c := b.connect(nil)
		c.banks["fake"].now = func() time.Time { return now }
		b.authorize(c)
		b.answers["/bank/.well-known/openid-configuration"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }
		now = now.Add(2 * time.Hour)
		b.authorize(c) // by what was discovered before
		now = now.Add(metadataStale)
		_, err := c.Authorize(t.Context(), "fake", sources.AuthorizeRequest{RedirectURI: "https://a.example", State: "s"})
		if sources.ReasonOf(err) != sources.Unresponsive {
			t.Errorf("Authorize = %v", err)
		}
	})
}

func TestPushedAuthorizationRequest(t *testing.T) {
	b := newFakeBank(t, false)
	b.metadata["pushed_authorization_request_endpoint"] = "/par"
	c := b.connect(nil)
	q, pending, callback := b.authorize(c)
	if len(q) != 2 || q.Get("client_id") != "client" || q.Get("request_uri") != "urn:example:1" {
		t.Errorf("the URL has %v", q)
	}
	if b.pushed.Get("state") != "state-1" || b.pushed.Get("code_challenge") == "" {
		t.Errorf("pushed is %v", b.pushed)
	}
	if _, err := c.Complete(t.Context(), "fake", pending, callback); err != nil {
		t.Error(err)
	}
	b.accepts = func(*http.Request) bool { return false }
	_, err := c.Authorize(t.Context(), "fake", sources.AuthorizeRequest{RedirectURI: "https://a.example", State: "s"})
	if sources.ReasonOf(err) != sources.Misused {
		t.Errorf("Authorize of a client that is not known = %v", err)
	}
}

// TestCallbackFailures checks the reason of each failed callback.
func TestCallbackFailures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *fakeBank, callback url.Values)
		want   sources.Reason
	}{
		"denied":            {func(_ *fakeBank, q url.Values) { q.Set("error", "access_denied") }, sources.Denied},
		"sign-in needed":    {func(_ *fakeBank, q url.Values) { q.Set("error", "login_required") }, sources.Abandoned},
		"no consent":        {func(_ *fakeBank, q url.Values) { q.Set("error", "consent_required") }, sources.Denied},
		"for now":           {func(_ *fakeBank, q url.Values) { q.Set("error", "temporarily_unavailable") }, sources.Unresponsive},
		"scope":             {func(_ *fakeBank, q url.Values) { q.Set("error", "invalid_scope") }, sources.Misused},
		"an unknown error":  {func(_ *fakeBank, q url.Values) { q.Set("error", "jane@mail.example") }, sources.Rejected},
		"no code":           {func(_ *fakeBank, q url.Values) { q.Del("code") }, sources.Rejected},
		"two codes":         {func(_ *fakeBank, q url.Values) { q.Add("code", "x") }, sources.Rejected},
		"another code":      {func(_ *fakeBank, q url.Values) { q.Set("code", "x") }, sources.Abandoned},
		"another issuer":    {func(_ *fakeBank, q url.Values) { q.Set("iss", "https://evil.example") }, sources.Rejected},
		"an issuer's error": {func(_ *fakeBank, q url.Values) { q.Set("iss", "x"); q.Set("error", "access_denied") }, sources.Rejected},
		"no issuer": {func(b *fakeBank, _ url.Values) {
			b.metadata["authorization_response_iss_parameter_supported"] = true
		}, sources.Rejected},
		"no token": {func(b *fakeBank, _ url.Values) {
			b.token = func(url.Values) map[string]any { return map[string]any{"token_type": "Bearer"} }
		}, sources.Rejected},
		"a token of another type": {func(b *fakeBank, _ url.Values) {
			b.token = func(url.Values) map[string]any { return map[string]any{"access_token": "a", "token_type": "DPoP"} }
		}, sources.Rejected},
		"a token with a line break": {func(b *fakeBank, _ url.Values) {
			b.token = func(url.Values) map[string]any { return map[string]any{"access_token": "a\r\nb: c"} }
		}, sources.Rejected},
		"an error page": {func(b *fakeBank, _ url.Values) {
			b.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", 500) }
		}, sources.Unresponsive},
		"a page": {func(b *fakeBank, _ url.Values) {
			b.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
		}, sources.Rejected},
		"a redirect": {func(b *fakeBank, _ url.Values) {
			b.answers["/token"] = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			}
		}, sources.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			_, pending, callback := b.authorize(b.connect(nil))
			c.change(b, callback)
			_, err := b.connect(nil).Complete(t.Context(), "fake", pending, callback)
			if err == nil || sources.ReasonOf(err) != c.want || strings.Contains(err.Error(), "jane") {
				t.Errorf("Complete = %v, want %s", err, c.want)
			}
			requests := 0
			for _, path := range b.paths() {
				if path == "/token" {
					requests++
				}
			}
			if requests > 1 || slices.Contains(b.paths(), "/elsewhere") {
				t.Errorf("a code is sent again, or elsewhere: %v", b.paths())
			}
		})
	}
	b := newFakeBank(t, false)
	c := b.connect(nil)
	for _, pending := range []string{"", "{}", `{"institution":"other","verifier":"x"}`} {
		if _, err := c.Complete(t.Context(), "fake", []byte(pending), url.Values{"code": {"x"}}); err == nil {
			t.Errorf("pending %q is accepted", pending)
		}
	}
	if _, err := c.Complete(t.Context(), "other", nil, nil); err == nil {
		t.Error("an unknown institution is accepted")
	}
}

// TestTokenAnswers checks other forms of the token endpoint's answer, as banks send them.
func TestTokenAnswers(t *testing.T) {
	for members, want := range map[string]sources.Grant{
		`"token_type":"bearer","expires_in":900`:                         {Expires: fakeNow.Add(15 * time.Minute)},
		`"token_type":"BEARER","expires_in":"900"`:                       {Expires: fakeNow.Add(15 * time.Minute)},
		`"expires_in":900.0`:                                             {Expires: fakeNow.Add(15 * time.Minute)},
		`"expires_in":9e2,"refresh_token":null,"scope":null`:             {Expires: fakeNow.Add(15 * time.Minute)},
		`"token_type":"Bearer"`:                                          {},
		`"token_type":null,"expires_in":null`:                            {},
		`"expires_in":"soon","ext_expires_in":[900]`:                     {},
		`"expires_in":-1`:                                                {},
		`"expires_in":1e400`:                                             {},
		`"scope":"accounts"`:                                             {Scope: "accounts"}, // less than was asked for
		`"scope":["accounts","transactions"],"not-before-policy":0`:      {},
		`"refresh_token":"refresh-1","refresh_expires_in":"never"`:       {Refresh: "refresh-1"},
		`"consented_on":1773144000,"authorization_details":[{"a":null}]`: {},
	} {
		b := newFakeBank(t, false)
		c := b.connect(func(in *Institution) { in.Scopes = []string{"accounts", "transactions"} })
		b.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "\ufeff{%s,\"access_token\":\"access-1\"}", members)
		}
		want.Access = "access-1"
		_, pending, callback := b.authorize(c)
		if got, err := c.Complete(t.Context(), "fake", pending, callback); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", members, got, err, want)
		}
	}
}

func TestIDToken(t *testing.T) {
	hash := sha256.Sum256([]byte("access-1"))
	for name, c := range map[string]struct {
		claims jose.Claims
		change func(*fakeBank)
		ok     bool
	}{
		"valid":                  {jose.Claims{"at_hash": base64.RawURLEncoding.EncodeToString(hash[:16]), "azp": "client"}, nil, true},
		"another nonce":          {jose.Claims{"nonce": "x"}, nil, false},
		"another issuer":         {jose.Claims{"iss": "https://evil.example"}, nil, false},
		"another audience":       {jose.Claims{"aud": "x"}, nil, false},
		"two audiences":          {jose.Claims{"aud": []string{"client", "x"}}, nil, false},
		"another party":          {jose.Claims{"azp": "x"}, nil, false},
		"another access token":   {jose.Claims{"at_hash": "x"}, nil, false},
		"no subject":             {jose.Claims{"sub": ""}, nil, false},
		"another key":            {nil, func(b *fakeBank) { b.key, _ = jose.GenerateKey() }, false},
		"no key set":             {nil, func(b *fakeBank) { delete(b.metadata, "jwks_uri") }, false},
		"an algorithm not meant": {nil, func(b *fakeBank) { b.metadata["id_token_signing_alg_values_supported"] = []string{"RS256"} }, false},
		"only none": {nil, func(b *fakeBank) {
			b.metadata["id_token_signing_alg_values_supported"] = []string{"none", "HS256"}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			right := b.key
			if c.change != nil {
				c.change(b)
			}
			signer := b.key
			b.answers["/jwks"] = func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, jose.KeySet{right.Public()}) }
			b.token = func(began url.Values) map[string]any {
				b.key = signer
				claims := jose.Claims{"nonce": began.Get("nonce"), "fdxConsentId": "consent-1"}
				for name, v := range c.claims {
					claims[name] = v
				}
				return map[string]any{"access_token": "access-1", "id_token": b.idToken(claims)}
			}
			connector := b.connect(func(in *Institution) { in.Scopes = []string{"openid"} })
			_, pending, callback := b.authorize(connector)
			g, err := connector.Complete(t.Context(), "fake", pending, callback)
			if c.ok && (err != nil || g.ConsentID != "consent-1") || !c.ok && sources.ReasonOf(err) != sources.Rejected {
				t.Errorf("Complete = %+v, %v", g, err)
			}
		})
	}
	b := newFakeBank(t, false)
	b.token = func(url.Values) map[string]any { return map[string]any{"access_token": "a"} }
	c := b.connect(func(in *Institution) { in.Scopes = []string{"openid"} })
	_, pending, callback := b.authorize(c)
	if _, err := c.Complete(t.Context(), "fake", pending, callback); sources.ReasonOf(err) != sources.Rejected {
		t.Errorf("without an ID token: %v", err)
	}
}

// TestIDTokenByEd25519 checks at_hash and c_hash of tokens by both names of the algorithm.
func TestIDTokenByEd25519(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := jose.NewPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	half := func(text string) string {
		sum := sha512.Sum512([]byte(text))
		return base64.RawURLEncoding.EncodeToString(sum[:32])
	}
	for _, c := range []struct {
		access, code string
		ok           bool
	}{{"access-1", "code-1", true}, {"access-2", "code-1", false}, {"access-1", "code-2", false}} {
		for _, alg := range []string{"EdDSA", "Ed25519"} {
			b := newFakeBank(t, false)
			b.key = key.For(jose.Alg(alg))
			b.metadata["id_token_signing_alg_values_supported"] = []string{alg}
			b.answers["/jwks"] = func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, jose.KeySet{key.Public()}) }
			b.token = func(began url.Values) map[string]any {
				return map[string]any{"access_token": "access-1", "id_token": b.idToken(jose.Claims{"nonce": began.Get("nonce"),
					"at_hash": half(c.access), "c_hash": half(c.code)})}
			}
			connector := b.connect(func(in *Institution) { in.Scopes = []string{"openid"} })
			_, pending, callback := b.authorize(connector)
			if _, err := connector.Complete(t.Context(), "fake", pending, callback); (err == nil) != c.ok {
				t.Errorf("%s, %+v: %v", alg, c, err)
			}
		}
	}
}

// TestClientAuthentication checks what each method sends to all three endpoints.
func TestClientAuthentication(t *testing.T) {
	key, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	assertion := func(b *fakeBank, audience string) func(*http.Request) bool {
		used := map[string]bool{}
		return func(r *http.Request) bool {
			raw := r.PostForm.Get("client_assertion")
			token, err := (&jose.Verifier{Keys: jose.KeySet{key.Public()}, Types: []string{"JWT"},
				Now: func() time.Time { return fakeNow }}).Verify(r.Context(), raw)
			if err != nil || used[raw] {
				return false
			}
			used[raw] = true
			aud, _, _ := token.Text("aud")
			iss, _, _ := token.Text("iss")
			sub, _, _ := token.Text("sub")
			return aud == b.URL+audience && iss == "client" && sub == "client" && r.PostForm.Get("client_id") == "client" &&
				r.PostForm.Get("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
		}
	}
	for name, c := range map[string]struct {
		secure  bool
		change  func(*Institution)
		accepts func(*fakeBank) func(*http.Request) bool
	}{
		"basic": {false, func(in *Institution) { in.ClientID, in.Secret = "id with:colon", "s%cret+é" },
			func(*fakeBank) func(*http.Request) bool {
				return func(r *http.Request) bool {
					id, secret, ok := r.BasicAuth()
					return ok && id == "id+with%3Acolon" && secret == "s%25cret%2B%C3%A9" && !r.PostForm.Has("client_secret")
				}
			}},
		"post": {false, func(in *Institution) { in.Authentication = SecretPost }, func(*fakeBank) func(*http.Request) bool {
			return func(r *http.Request) bool {
				return r.PostForm.Get("client_secret") == "secret" && r.PostForm.Get("client_id") == "client" &&
					r.Header.Get("Authorization") == ""
			}
		}},
		"private key, issuer as audience": {false, func(in *Institution) { in.Authentication, in.Key = PrivateKeyJWT, key },
			func(b *fakeBank) func(*http.Request) bool { return assertion(b, "/bank") }},
		"private key, token endpoint as audience": {false, func(in *Institution) { in.Authentication, in.Key = PrivateKeyJWT, key },
			func(b *fakeBank) func(*http.Request) bool { return assertion(b, "/token") }},
		"certificate": {true, func(in *Institution) { in.Authentication, in.Certificate = TLSClientAuth, clientCertificate(t) },
			func(*fakeBank) func(*http.Request) bool {
				return func(r *http.Request) bool {
					return len(r.TLS.PeerCertificates) == 1 && r.TLS.PeerCertificates[0].Subject.CommonName == "vestibule" &&
						r.PostForm.Get("client_id") == "client"
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, c.secure)
			b.accepts = c.accepts(b)
			b.metadata["pushed_authorization_request_endpoint"] = "/par"
			connector := b.connect(c.change)
			_, pending, callback := b.authorize(connector)
			g, err := connector.Complete(t.Context(), "fake", pending, callback)
			if err != nil {
				t.Fatal(err)
			}
			if g, err = connector.Renew(t.Context(), "fake", g); err != nil {
				t.Fatal(err)
			}
			if err := connector.Revoke(t.Context(), "fake", g); err != nil {
				t.Fatal(err)
			}
			b.accepts = func(*http.Request) bool { return false }
			if _, err := connector.Renew(t.Context(), "fake", g); sources.ReasonOf(err) != sources.Misused {
				t.Errorf("Renew of a client that is not known = %v", err)
			}
		})
	}
}

// signers returns a key of each type, by the name of its default algorithm.
func signers(t *testing.T) map[string]*jose.PrivateKey {
	t.Helper()
	out := map[string]*jose.PrivateKey{}
	add := func(key crypto.Signer, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		k, err := jose.NewPrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		out[string(k.Alg)] = k
	}
	add(generateRSA())
	add(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	add(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	add(ed, err)
	return out
}

// assertions are how clients sign, by their keys and configurations, and what banks list.
var assertions = []struct {
	name, key string
	listed    []string    // algorithms of the bank
	in        Institution // SigningAlg, KeyID, and AssertionAud of the client
	alg, kid  string      // kid "": the key's
	audience  string      // relative to the bank's URL, or absolute
	tries     int         // requests until one is accepted
}{
	{"RSA", "PS256", nil, Institution{}, "PS256", "", "/bank", 1},
	{"RSA, both listed", "PS256", []string{"RS256", "PS256", "ES256"}, Institution{}, "PS256", "", "/bank", 1},
	{"RSA, RS256 listed", "PS256", []string{"RS256", "ES256"}, Institution{}, "RS256", "", "/bank", 1},
	{"RSA, PS512 listed", "PS256", []string{"PS512", "ES256"}, Institution{}, "PS512", "", "/bank", 1},
	{"RSA, none fits", "PS256", []string{"ES256"}, Institution{}, "PS256", "", "/bank", 1},
	{"RSA, configured", "PS256", nil, Institution{SigningAlg: "RS256"}, "RS256", "", "/bank", 1},
	{"RSA, alg and kid of the JWK", "JWK", []string{"PS256", "RS256"}, Institution{}, "RS256", "bank's key 1", "/bank", 1},
	{"P-256", "ES256", []string{"RS256"}, Institution{}, "ES256", "", "/bank", 1},
	{"P-384", "ES384", nil, Institution{}, "ES384", "", "/bank", 1},
	{"Ed25519", "EdDSA", nil, Institution{}, "EdDSA", "", "/bank", 1},
	{"Ed25519, by its other name", "EdDSA", []string{"ES256", "Ed25519"}, Institution{}, "Ed25519", "", "/bank", 1},
	{"Ed25519, configured", "EdDSA", nil, Institution{SigningAlg: "Ed25519"}, "Ed25519", "", "/bank", 1},
	{"a key id", "ES256", nil, Institution{KeyID: "k:1/="}, "ES256", "k:1/=", "/bank", 1},
	{"token endpoint tried second", "ES256", nil, Institution{}, "ES256", "", "/token", 2},
	{"token endpoint", "ES256", nil, Institution{AssertionAud: "token_endpoint"}, "ES256", "", "/token", 1},
	{"issuer", "ES256", nil, Institution{AssertionAud: "issuer"}, "ES256", "", "/bank", 1},
	{"another audience", "ES256", nil, Institution{AssertionAud: "https://aud.example"}, "ES256", "",
		"https://aud.example", 1},
}

// assertion checks the signature and the claims of a client's assertion, and returns its audience.
func (b *fakeBank) assertion(raw string, key *jose.PrivateKey, alg, kid string) (audience string) {
	header, err := base64.RawURLEncoding.DecodeString(strings.SplitN(raw, ".", 2)[0])
	var h struct{ Alg, Kid, Typ string }
	if err != nil || json.Unmarshal(header, &h) != nil || h.Alg != alg || h.Kid != kid || h.Typ != "JWT" {
		b.t.Errorf("the header is %s, %v", header, err)
	}
	public, err := jose.PublicKeys(strings.NewReader(jwks(b.t, key)))
	if err != nil {
		b.t.Error(err)
	}
	claims, err := (&jose.IssuerKeys{Fetch: func(context.Context) ([]crypto.PublicKey, error) {
		return public, nil
	}}).VerifySignature(b.t.Context(), raw)
	var got struct {
		Iss, Sub, Aud, Jti string
		Iat, Exp           int64
	}
	if err != nil || json.Unmarshal(claims, &got) != nil || got.Iss != "client" || got.Sub != "client" || len(got.Jti) < 20 ||
		got.Iat != fakeNow.Unix() || got.Exp != fakeNow.Add(assertionLifetime).Unix() {
		b.t.Errorf("the claims are %s, %v", claims, err)
	}
	return got.Aud
}

// TestAssertions checks the algorithm, the key id, and the audience of assertions, with a server that
// verifies them.
func TestAssertions(t *testing.T) {
	keys := signers(t)
	byJWK, err := keys["PS256"].Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if keys["JWK"], err = parseKey([]byte(strings.TrimSuffix(string(byJWK), "}") + `,"kid":"bank's key 1","alg":"RS256"}`)); err != nil {
		t.Fatal(err)
	}
	for _, c := range assertions {
		t.Run(c.name, func(t *testing.T) {
			b := newFakeBank(t, false)
			if c.listed != nil {
				b.metadata["token_endpoint_auth_signing_alg_values_supported"] = c.listed
			}
			key, tries, audience := keys[c.key], 0, c.audience
			if strings.HasPrefix(audience, "/") {
				audience = b.URL + audience
			}
			b.accepts = func(r *http.Request) bool {
				tries++
				return b.assertion(r.PostForm.Get("client_assertion"), key, c.alg, cmp.Or(c.kid, key.ID)) == audience
			}
			connector := b.connect(func(in *Institution) {
				in.Authentication, in.Key = PrivateKeyJWT, key
				in.SigningAlg, in.KeyID, in.AssertionAud = c.in.SigningAlg, c.in.KeyID, c.in.AssertionAud
			})
			for _, want := range []int{c.tries, 1} { // the accepted audience is remembered
				tries = 0
				_, pending, callback := b.authorize(connector)
				if _, err := connector.Complete(t.Context(), "fake", pending, callback); err != nil || tries != want {
					t.Errorf("Complete = %v after %d requests, want %d", err, tries, want)
				}
			}
			if checks, err := connector.Examine(t.Context(), "fake", ""); err != nil || !slices.ContainsFunc(checks, func(k sources.Check) bool {
				return k.Name == CheckClient && k.OK && strings.Contains(k.Detail, "private_key_jwt with "+c.alg)
			}) || verdicts(checks)[CheckDiscovery] != (c.name != "RSA, none fits" && c.name != "P-256") {
				t.Errorf("Examine = %+v, %v", checks, err)
			}
		})
	}
}

// jwks returns a key set with the public key.
func jwks(t *testing.T, k *jose.PrivateKey) string {
	t.Helper()
	raw, err := json.Marshal(jose.KeySet{k.Public()})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestIDTokenAlgorithms checks ID tokens of each algorithm, and key sets as banks publish them.
func TestIDTokenAlgorithms(t *testing.T) {
	keys := signers(t)
	unknown := `{"keys":[{"kty":"AKP","alg":"ML-DSA-44","pub":"AA"},{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"},`
	for _, alg := range []string{"PS256", "RS256", "ES256", "ES384", "EdDSA"} {
		key := keys[alg]
		if alg == "RS256" {
			key = keys["PS256"].For(jose.RS256)
		}
		for _, listed := range []any{nil, []string{"HS256", alg}} {
			b := newFakeBank(t, false)
			b.key = key
			if delete(b.metadata, "id_token_signing_alg_values_supported"); listed != nil {
				b.metadata["id_token_signing_alg_values_supported"] = listed
			}
			bare := *key
			bare.ID = "" // some banks send no kid
			b.answers["/jwks"] = func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, unknown+strings.TrimPrefix(jwks(t, &bare), `{"keys":[`))
			}
			c := b.connect(func(in *Institution) { in.Scopes = []string{"openid"} })
			_, pending, callback := b.authorize(c)
			if _, err := c.Complete(t.Context(), "fake", pending, callback); err != nil {
				t.Errorf("%s, listed %v: %v", alg, listed, err)
			}
		}
	}
}

// TestKeyRotation checks that a key set is retrieved again for a token of a new key.
func TestKeyRotation(t *testing.T) {
	b := newFakeBank(t, false)
	c := b.connect(func(in *Institution) { in.Scopes = []string{"openid"} })
	next := signers(t)["ES256"]
	for n, want := range []int{1, 1, 2} { // times that it was retrieved
		if n == 2 {
			b.key = next
		}
		_, pending, callback := b.authorize(c)
		if _, err := c.Complete(t.Context(), "fake", pending, callback); err != nil {
			t.Error(err)
		}
		got := 0
		for _, path := range b.paths() {
			if path == "/jwks" {
				got++
			}
		}
		if got != want {
			t.Errorf("authorization %d: the key set was retrieved %d times, want %d", n, got, want)
		}
	}
}

func TestMutualTLSAliases(t *testing.T) {
	for name, change := range map[string]func(*Institution){
		"to authenticate": func(in *Institution) { in.Authentication = TLSClientAuth },
		"to bind tokens":  func(in *Institution) { in.Authentication, in.Key = PrivateKeyJWT, signers(t)["ES256"] },
	} {
		b := newFakeBank(t, true)
		b.metadata["token_endpoint"] = "/not-here"
		b.metadata["mtls_endpoint_aliases"] = map[string]string{"token_endpoint": b.URL + "/token"}
		c := b.connect(func(in *Institution) {
			in.Certificate = clientCertificate(t)
			change(in)
		})
		_, pending, callback := b.authorize(c)
		if _, err := c.Complete(t.Context(), "fake", pending, callback); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRenew(t *testing.T) {
	b := newFakeBank(t, false)
	c := b.connect(func(in *Institution) { in.Resource = "https://api.example" })
	old := sources.Grant{Access: "old", Refresh: "refresh-1", Scope: "accounts", ConsentID: "consent", Until: fakeNow.Add(time.Hour)}
	b.token = func(url.Values) map[string]any {
		return map[string]any{"access_token": "new", "refresh_token": "refresh-2"}
	}
	got, err := c.Renew(t.Context(), "fake", old)
	want := old
	want.Access, want.Refresh = "new", "refresh-2"
	if err != nil || got != want {
		t.Errorf("with rotation: %+v, %v", got, err)
	}
	last := b.seen[len(b.seen)-1].PostForm
	if last.Get("resource") != "https://api.example" || last.Get("refresh_token") != "refresh-1" {
		t.Errorf("the request is %v", last)
	}
	b.token = func(url.Values) map[string]any { return map[string]any{"access_token": "new"} }
	if got, err = c.Renew(t.Context(), "fake", old); err != nil || got.Refresh != "refresh-1" {
		t.Errorf("without rotation: %+v, %v", got, err)
	}
	for name, g := range map[string]sources.Grant{"no refresh token": {Access: "a"}, "an unknown one": {Refresh: "x"},
		"an ended consent": {Refresh: "refresh-1", Until: fakeNow}} {
		if _, err := c.Renew(t.Context(), "fake", g); sources.ReasonOf(err) != sources.Ended {
			t.Errorf("%s: %v", name, err)
		}
	}
	for problem, want := range map[string]sources.Reason{"invalid_grant": sources.Ended, "consent_required": sources.Ended,
		"login_required": sources.Ended, "invalid_client": sources.Misused, "temporarily_unavailable": sources.Unresponsive} {
		b.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 400, map[string]any{"error": problem}) }
		if _, err := c.Renew(t.Context(), "fake", old); sources.ReasonOf(err) != want {
			t.Errorf("%s: %v, want %s", problem, err, want)
		}
	}
}

func TestRevoke(t *testing.T) {
	b := newFakeBank(t, false)
	c := b.connect(nil)
	g := sources.Grant{Access: "access-1", Refresh: "refresh-1"}
	if err := c.Revoke(t.Context(), "fake", g); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for _, r := range b.seen {
		if r.URL.Path == "/revoke" {
			tokens = append(tokens, r.PostForm.Get("token")+" "+r.PostForm.Get("token_type_hint"))
		}
	}
	if !slices.Equal(tokens, []string{"refresh-1 refresh_token", "access-1 access_token"}) {
		t.Errorf("revoked are %q", tokens)
	}
	for problem, want := range map[string]sources.Reason{"invalid_token": "", "invalid_grant": "", "invalid_client": sources.Misused,
		"server_error": sources.Unresponsive} {
		b.answers["/revoke"] = func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 400, map[string]any{"error": problem}) }
		err := c.Revoke(t.Context(), "fake", g)
		if want == "" && err != nil || want != "" && sources.ReasonOf(err) != want {
			t.Errorf("%s: %v, want %q", problem, err, want)
		}
	}
	delete(b.metadata, "revocation_endpoint")
	if err := b.connect(nil).Revoke(t.Context(), "fake", g); sources.ReasonOf(err) != sources.Unsupported {
		t.Errorf("without an endpoint: %v", err)
	}
}

// TestSecretsStayOutOfErrors searches errors for secrets.
func TestSecretsStayOutOfErrors(t *testing.T) {
	b := newFakeBank(t, false)
	c := b.connect(func(in *Institution) { in.Secret = "s3cret" })
	for _, path := range []string{"/token", "/revoke", "/fdx/v6/accounts"} {
		b.answers[path] = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://evil.example/?jane")
			w.WriteHeader(302)
		}
	}
	g := sources.Grant{Access: "acc3ss", Refresh: "r3fresh"}
	_, pending, callback := b.authorize(c)
	_, err1 := c.Complete(t.Context(), "fake", pending, callback)
	_, err2 := c.Renew(t.Context(), "fake", g)
	_, err3 := c.Fetch(t.Context(), "fake", g, date("2026-01-01"), date("2026-03-10"))
	for _, err := range []error{err1, err2, err3, c.Revoke(t.Context(), "fake", g)} {
		if err == nil || sources.ReasonOf(err) != sources.Rejected {
			t.Errorf("%v, want %s", err, sources.Rejected)
			continue
		}
		for _, secret := range []string{"s3cret", "acc3ss", "r3fresh", "code-1", "jane", "evil"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error has %q: %v", secret, err)
			}
		}
	}
}
