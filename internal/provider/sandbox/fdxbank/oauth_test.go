package fdxbank_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"pgregory.net/rapid"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/store"
	"vestibule/internal/testutil/proptest"
	"vestibule/internal/testutil/storetest"
)

// TestAnIndependentClient uses the libraries that other clients use, on both engines:
// discovery, code flow, ID token, resources, renewal, and revocation.
func TestAnIndependentClient(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		s := start(t, db, nil)
		ctx := oidc.ClientContext(t.Context(), http.DefaultClient)
		provider, err := oidc.NewProvider(ctx, s.url+"/"+bank)
		if err != nil {
			t.Fatal(err)
		}
		config := oauth2.Config{ClientID: "basic client:1", ClientSecret: "s3cret:%", Endpoint: provider.Endpoint(), RedirectURL: callback,
			Scopes: []string{"openid", "offline_access", "fdx:accountbasic:read"}}
		code := oauth2.GenerateVerifier()
		c := browser(t)
		location := s.get(c, config.AuthCodeURL(state, oauth2.S256ChallengeOption(code), oidc.Nonce("n-1"))).Header.Get("Location")
		s.toConsent(c, location, "default", nil)
		q := s.returned(s.post(c, location, form("action", "consent")))
		token, err := config.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(code))
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := token.Extra("id_token").(string)
		id, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID, Now: func() time.Time { return s.now }}).Verify(ctx, raw)
		if err != nil {
			t.Fatal(err)
		}
		if id.Nonce != "n-1" || id.VerifyAccessToken(token.AccessToken) != nil || id.Subject == "" {
			t.Errorf("the ID token is %+v", id)
		}
		if got := s.read(token.AccessToken, "/v6/accounts"); got.StatusCode != http.StatusOK {
			t.Errorf("accounts: %d %s", got.StatusCode, got.body)
		}
		renewed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if err != nil || renewed.RefreshToken == token.RefreshToken {
			t.Fatalf("renewed: %+v, %v", renewed, err)
		}
		basic := []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString(
			[]byte(url.QueryEscape(config.ClientID)+":"+url.QueryEscape(config.ClientSecret)))}
		for range 2 { // revoking again is no error
			if got := s.post(http.DefaultClient, "/"+bank+"/revoke", form("token", renewed.RefreshToken), basic...); got.StatusCode != 200 {
				t.Errorf("revocation: %d %s", got.StatusCode, got.body)
			}
		}
		if got := s.read(renewed.AccessToken, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized || !strings.Contains(got.body, `"602"`) {
			t.Errorf("after the revocation: %d %s", got.StatusCode, got.body)
		}
		s.now = s.now.AddDate(1, 0, 0)
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"requests", "consents", "tokens", "assertions"} {
			n := -1
			if err := db.SQL.QueryRow("SELECT count(*) FROM fdx_bank_" + table).Scan(&n); err != nil || n != 0 {
				t.Errorf("%d %s are left, %v", n, table, err)
			}
		}
	})
}

func TestDiscovery(t *testing.T) {
	s := sqlite(t)
	one := s.get(http.DefaultClient, "/"+bank+"/.well-known/openid-configuration")
	two := s.get(http.DefaultClient, "/.well-known/oauth-authorization-server/"+bank)
	var doc map[string]any
	if err := json.Unmarshal([]byte(one.body), &doc); err != nil || one.body != two.body {
		t.Fatalf("%v: %s\n%s", err, one.body, two.body)
	}
	if doc["issuer"] != s.url+"/"+bank || doc["authorization_response_iss_parameter_supported"] != true {
		t.Errorf("%v", doc)
	}
	if ways, _ := doc["token_endpoint_auth_methods_supported"].([]any); len(ways) != 3 {
		t.Errorf("without TLS there are the methods %v", ways)
	}
	for name, address := range doc {
		if u, ok := address.(string); ok && !strings.HasPrefix(u, s.url+"/"+bank) {
			t.Errorf("%s is %s", name, u)
		}
	}
	keys := s.get(http.DefaultClient, doc["jwks_uri"].(string)).body
	if !strings.Contains(keys, `"kty":"EC"`) || strings.Contains(keys, `"d":`) {
		t.Errorf("keys %s", keys)
	}
	for _, path := range []string{"/harbor-national-bank/.well-known/openid-configuration", "/x/jwks", "/x/authorize", "/"} {
		if got := s.get(http.DefaultClient, path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
}

// TestAuthorizationRequests checks which requests are refused on a page, and which by the
// way back to the client.
func TestAuthorizationRequests(t *testing.T) {
	s := sqlite(t)
	for _, c := range []struct {
		name  string
		query url.Values
		want  string // error; "" is a page
	}{
		{"unknown client", request("unknown"), ""},
		{"no client", request("post", "client_id", ""), ""},
		{"another redirect URI", request("post", "redirect_uri", "https://evil.example/"), ""},
		{"a longer redirect URI", request("post", "redirect_uri", callback+"/x"), ""},
		{"a redirect URI with another query", request("post", "redirect_uri", "https://app.example/callback"), ""},
		{"no redirect URI", request("post", "redirect_uri", ""), ""},
		{"unknown request_uri", form("client_id", "post", "request_uri", "urn:ietf:params:oauth:request_uri:x"), ""},
		{"foreign request_uri", form("client_id", "post", "request_uri", "https://evil.example/"), ""},
		{"no PKCE", request("post", "code_challenge", ""), "invalid_request"},
		{"plain PKCE", request("post", "code_challenge_method", "plain"), "invalid_request"},
		{"PKCE without method", request("post", "code_challenge_method", ""), "invalid_request"},
		{"short challenge", request("post", "code_challenge", "abc"), "invalid_request"},
		{"implicit", request("post", "response_type", "token"), "unsupported_response_type"},
		{"no response_type", request("post", "response_type", ""), "invalid_request"},
		{"fragment", request("post", "response_mode", "fragment"), "invalid_request"},
		{"request object", request("post", "request", "e.e.e"), "request_not_supported"},
		{"no prompt", request("post", "prompt", "none"), "login_required"},
		{"unknown scope", request("post", "scope", "openid payments"), "invalid_scope"},
		{"other resource", request("post", "resource", "https://evil.example/"), "invalid_target"},
		{"long nonce", request("post", "nonce", strings.Repeat("n", 3000)), "invalid_request"},
	} {
		got := s.get(browser(t), "/"+bank+"/authorize?"+c.query.Encode())
		if c.want == "" {
			if got.StatusCode != http.StatusBadRequest || got.Header.Get("Location") != "" || !strings.Contains(got.body, "isn’t valid") {
				t.Errorf("%s: %d %s", c.name, got.StatusCode, got.Header.Get("Location"))
			}
			continue
		}
		if q := s.returned(got); q.Get("error") != c.want || q.Has("code") {
			t.Errorf("%s: %v", c.name, q)
		}
	}
	twice := request("post")
	twice.Add("redirect_uri", "https://evil.example/")
	if got := s.get(browser(t), "/"+bank+"/authorize?"+twice.Encode()); got.StatusCode != http.StatusBadRequest {
		t.Errorf("two redirect URIs: %d %s", got.StatusCode, got.Header.Get("Location"))
	}
	// OpenID Connect lets clients post the request from their pages.
	got := s.post(browser(t), "/"+bank+"/authorize", request("post"), "Origin", "https://app.example", "Sec-Fetch-Site", "cross-site")
	if got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/"+bank+"/authorize/") {
		t.Errorf("a posted request: %d %s", got.StatusCode, got.body)
	}
}

func TestPushedRequests(t *testing.T) {
	s := sqlite(t)
	push := func(q url.Values) (string, answer) {
		t.Helper()
		q.Set("client_secret", "secret")
		got := s.post(http.DefaultClient, "/"+bank+"/par", q)
		var out struct {
			URI     string `json:"request_uri"`
			Expires int    `json:"expires_in"`
			Error   string `json:"error"`
		}
		if err := json.Unmarshal([]byte(got.body), &out); err != nil {
			t.Fatal(got.body)
		}
		if got.StatusCode == http.StatusCreated && (out.URI == "" || out.Expires != 60) {
			t.Errorf("%s", got.body)
		}
		return out.URI + out.Error, got
	}
	for _, c := range []struct {
		query url.Values
		want  string
	}{
		{request("post", "redirect_uri", "https://evil.example/"), "invalid_request"},
		{request("post", "code_challenge", ""), "invalid_request"},
		{request("post", "scope", "all"), "invalid_scope"},
		{request("post", "request_uri", "urn:x"), "invalid_request"},
		{request("keyed"), "invalid_client"},
	} {
		if got, _ := push(c.query); got != c.want {
			t.Errorf("%v: %s, want %s", c.query, got, c.want)
		}
	}
	uri, _ := push(request("post"))
	at := func(clientID, uri string) answer {
		return s.get(browser(t), "/"+bank+"/authorize?"+form("client_id", clientID, "request_uri", uri).Encode())
	}
	if got := at("keyed", uri); got.StatusCode != http.StatusBadRequest {
		t.Errorf("another client's: %d", got.StatusCode)
	}
	c := browser(t)
	page := s.open(c, form("client_id", "post", "request_uri", uri))
	if got := at("post", uri); got.StatusCode != http.StatusBadRequest {
		t.Errorf("a second time: %d", got.StatusCode)
	}
	s.toConsent(c, page, "default", nil)
	code := s.returned(s.post(c, page, form("action", "consent"))).Get("code")
	if got, status := s.token(exchange(code)); status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	late, _ := push(request("post"))
	s.now = s.now.Add(61 * time.Second)
	if got := at("post", late); got.StatusCode != http.StatusBadRequest {
		t.Errorf("late: %d", got.StatusCode)
	}
}

// TestCodes checks what a code needs, and that misuse ends the consent.
func TestCodes(t *testing.T) {
	s := sqlite(t)
	keyed := func(values url.Values) url.Values {
		values.Set("client_id", "keyed")
		values.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		values.Set("client_assertion", s.assertion(jose.Claims{}))
		return values
	}
	for _, c := range []struct {
		name  string
		with  func(code string) url.Values
		want  string
		ended bool // the code serves no more
	}{
		{"wrong verifier", func(code string) url.Values { return exchange(code, "code_verifier", verifier+"x") }, "invalid_grant", true},
		{"the challenge as verifier", func(code string) url.Values {
			return exchange(code, "code_verifier", request("post").Get("code_challenge"))
		}, "invalid_grant", true},
		{"wrong redirect URI", func(code string) url.Values {
			return exchange(code, "redirect_uri", "https://app.example/")
		}, "invalid_grant", true},
		{"no verifier", func(code string) url.Values { return exchange(code, "code_verifier", "") }, "invalid_request", false},
		{"no redirect URI", func(code string) url.Values { return exchange(code, "redirect_uri", "") }, "invalid_request", false},
		{"other client", func(code string) url.Values { return keyed(exchange(code)) }, "invalid_grant", false},
		{"other grant type", func(code string) url.Values { return exchange(code, "grant_type", "password") }, "unsupported_grant_type", false},
		{"no grant type", func(code string) url.Values { return exchange(code, "grant_type", "") }, "invalid_request", false},
		{"other resource", func(code string) url.Values { return exchange(code, "resource", "https://evil.example") }, "invalid_target", false},
		{"unknown code", func(code string) url.Values { return exchange(code + "x") }, "invalid_grant", false},
	} {
		code := s.code("default", request("post"), nil)
		if got, status := s.token(c.with(code)); status != http.StatusBadRequest || got.Error != c.want {
			t.Errorf("%s: %d %+v", c.name, status, got)
		}
		if got, status := s.token(exchange(code)); (status == http.StatusOK) == c.ended {
			t.Errorf("%s: then %d %+v", c.name, status, got)
		}
	}

	// A client that mixes institutions up gives the code to another issuer.
	code := s.code("default", request("post"), nil)
	mixed := exchange(code, "client_id", "post", "client_secret", "secret")
	if got := s.post(http.DefaultClient, "/"+other+"/token", mixed); !strings.Contains(got.body, "invalid_grant") {
		t.Errorf("at another institution: %s", got.body)
	}
	first, _ := s.token(exchange(code))
	if got, _ := s.token(exchange(code)); got.Error != "invalid_grant" {
		t.Errorf("a second time: %+v", got)
	}
	if got := s.read(first.Access, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the reuse of the code its token reads %d", got.StatusCode)
	}
	if got, _ := s.token(form("grant_type", "refresh_token", "refresh_token", first.Refresh)); got.Error != "invalid_grant" {
		t.Errorf("after the reuse of the code: %+v", got)
	}
	late := s.code("default", request("post"), nil)
	s.now = s.now.Add(fdxbank.CodeLifetime)
	if got, _ := s.token(exchange(late)); got.Error != "invalid_grant" {
		t.Errorf("late: %+v", got)
	}
}

// TestCodeIsUsedOnce exchanges one code many times at once.
func TestCodeIsUsedOnce(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		s := start(t, db, nil)
		code := s.code("default", request("post"), nil)
		var mu sync.Mutex
		var group sync.WaitGroup
		served := 0
		for range 8 {
			group.Go(func() {
				if got, status := s.token(exchange(code)); status == http.StatusOK && got.Access != "" {
					mu.Lock()
					served++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		if served != 1 {
			t.Errorf("the code served %d times", served)
		}
	})
}

// assertion returns an assertion of the client keyed for the token endpoint, changed by
// claims.
func (s *server) assertion(claims jose.Claims) string {
	s.t.Helper()
	all := jose.Claims{"iss": "keyed", "sub": "keyed", "aud": s.url + "/" + bank, "jti": store.NewSecret()}
	for name, v := range claims {
		all[name] = v
	}
	raw, err := jose.Signer{Key: s.key, Type: "JWT"}.Sign(s.now, s.now.Add(time.Minute), all)
	if err != nil {
		s.t.Fatal(err)
	}
	return raw
}

func TestClientAuthentication(t *testing.T) {
	s := sqlite(t)
	const kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	grant := func(more ...string) url.Values {
		return form(append([]string{"grant_type", "refresh_token", "refresh_token", "x"}, more...)...)
	}
	used := s.assertion(jose.Claims{})
	foreign, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	forged, err := jose.Signer{Key: foreign, Type: "JWT"}.Sign(s.now, s.now.Add(time.Minute),
		jose.Claims{"iss": "keyed", "sub": "keyed", "aud": s.url + "/" + bank, "jti": "1"})
	if err != nil {
		t.Fatal(err)
	}
	basic := func(id, secret string) []string {
		return []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
	}
	for _, c := range []struct {
		name    string
		values  url.Values
		headers []string
		ok      bool
	}{
		{"basic, encoded", grant(), basic("basic+client%3A1", "s3cret%3A%25"), true},
		{"basic, wrong secret", grant(), basic("basic+client%3A1", "secret"), false},
		{"basic of the client post", grant(), basic("post", "secret"), false},
		{"bearer", grant(), []string{"Authorization", "Bearer x"}, false},
		{"post", grant("client_id", "post", "client_secret", "secret"), nil, true},
		{"post, wrong secret", grant("client_id", "post", "client_secret", "Secret"), nil, false},
		{"post, empty secret", grant("client_id", "post", "client_secret", ""), nil, false},
		{"post without secret", grant("client_id", "post"), nil, false},
		{"both", grant("client_id", "post", "client_secret", "secret"), basic("post", "secret"), false},
		{"unknown", grant("client_id", "unknown", "client_secret", "secret"), nil, false},
		{"assertion", grant("client_assertion_type", kind, "client_assertion", used), nil, true},
		{"assertion again", grant("client_assertion_type", kind, "client_assertion", used), nil, false},
		{"assertion for the token endpoint", grant("client_id", "keyed", "client_assertion_type", kind, "client_assertion",
			s.assertion(jose.Claims{"aud": []string{"x", s.url + "/" + bank + "/token"}})), nil, true},
		{"assertion for another institution", grant("client_id", "keyed", "client_assertion_type", kind, "client_assertion",
			s.assertion(jose.Claims{"aud": s.url + "/" + other})), nil, false},
		{"assertion of another issuer", grant("client_id", "keyed", "client_assertion_type", kind, "client_assertion",
			s.assertion(jose.Claims{"iss": "post"})), nil, false},
		{"assertion without jti", grant("client_id", "keyed", "client_assertion_type", kind, "client_assertion",
			s.assertion(jose.Claims{"jti": ""})), nil, false},
		{"assertion by another key", grant("client_id", "keyed", "client_assertion_type", kind, "client_assertion", forged), nil, false},
		{"assertion of another type", grant("client_id", "keyed", "client_assertion_type", "x", "client_assertion", used), nil, false},
		{"assertion for the client post", grant("client_id", "post", "client_assertion_type", kind, "client_assertion",
			s.assertion(jose.Claims{})), nil, false},
		{"certificate without TLS", grant("client_id", "keyed"), nil, false},
	} {
		if c.headers == nil && !c.values.Has("client_id") {
			c.headers = []string{"Accept", "application/json"} // so that token adds no credentials
		}
		got, status := s.token(c.values, c.headers...)
		if c.ok && (status != http.StatusBadRequest || got.Error != "invalid_grant") ||
			!c.ok && (status != http.StatusUnauthorized || got.Error != "invalid_client") {
			t.Errorf("%s: %d %+v", c.name, status, got)
		}
	}
}

// TestClientCertificates checks tls_client_auth by thumbprint and by subject.
func TestClientCertificates(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client", Organization: []string{"Tern"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	redirects := []string{callback}
	s := start(t, storetest.SQLite(t, store.Provider), func(c *fdxbank.Config) {
		c.Clients = []fdxbank.Client{
			{ID: "thumbprint", Name: "T", Method: fdxbank.TLSClientAuth, Certificate: hex.EncodeToString(sum[:]), RedirectURIs: redirects},
			{ID: "subject", Name: "S", Method: fdxbank.TLSClientAuth, Certificate: leaf.Subject.String(), RedirectURIs: redirects},
			{ID: "other", Name: "O", Method: fdxbank.TLSClientAuth, Certificate: strings.Repeat("0", 64), RedirectURIs: redirects},
		}
	})
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	for _, c := range []struct {
		id              string
		verified, given bool
		ok              bool
	}{
		{"thumbprint", false, true, true}, {"thumbprint", true, true, true}, {"thumbprint", false, false, false},
		{"subject", true, true, true}, {"subject", false, true, false}, {"other", true, true, false},
	} {
		listener := httptest.NewUnstartedServer(s)
		listener.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
		if c.verified {
			listener.TLS = &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool}
		}
		listener.StartTLS()
		client := listener.Client()
		if c.given {
			client.Transport.(*http.Transport).TLSClientConfig.Certificates = []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}
		}
		got := s.post(client, listener.URL+"/"+bank+"/token", form("client_id", c.id, "grant_type", "refresh_token", "refresh_token", "x"))
		if (got.StatusCode == http.StatusBadRequest) != c.ok || (got.StatusCode == http.StatusUnauthorized) == c.ok {
			t.Errorf("%+v: %d %s", c, got.StatusCode, got.body)
		}
		listener.Close()
	}
}

func TestRefreshTokens(t *testing.T) {
	s := sqlite(t)
	first := s.granted("default")
	if first.Type != "Bearer" || first.Expires != 900 || first.ID != "" || first.Consent == "" {
		t.Errorf("%+v", first)
	}
	renew := func(value string, more ...string) tokens {
		got, _ := s.token(form(append([]string{"grant_type", "refresh_token", "refresh_token", value}, more...)...))
		return got
	}
	if got := renew(first.Access); got.Error != "invalid_grant" {
		t.Errorf("an access token renews: %+v", got)
	}
	if got := renew(first.Refresh, "scope", "openid"); got.Error != "invalid_scope" {
		t.Errorf("a wider scope: %+v", got)
	}
	s.now = s.now.Add(fdxbank.AccessLifetime)
	if got := s.read(first.Access, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized ||
		!strings.Contains(got.Header.Get("WWW-Authenticate"), "invalid_token") {
		t.Errorf("an expired access token reads %d", got.StatusCode)
	}
	second := renew(first.Refresh, "scope", "fdx:accountbasic:read")
	if second.Access == "" || second.Scope != "fdx:accountbasic:read" || second.Consent != first.Consent {
		t.Fatalf("%+v", second)
	}
	if got := s.read(second.Access, "/v6/customers/current"); got.StatusCode != http.StatusForbidden {
		t.Errorf("beyond the narrower scope: %d %s", got.StatusCode, got.body)
	}
	third := renew(second.Refresh)
	if third.Scope != first.Scope {
		t.Errorf("the scope is %q, was %q", third.Scope, first.Scope)
	}
	if got := renew(second.Refresh); got.Error != "invalid_grant" {
		t.Errorf("a used one: %+v", got)
	}
	if got := renew(third.Refresh); got.Error != "invalid_grant" {
		t.Errorf("after the reuse of an older one: %+v", got)
	}
	if got := s.read(third.Access, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the reuse: %d", got.StatusCode)
	}

	long := s.granted("default") // the client post has consents of 14 days
	s.now = s.now.AddDate(0, 0, 14).Add(-time.Minute)
	last := renew(long.Refresh)
	if last.Expires != 60 {
		t.Errorf("the access outlives the consent: %+v", last)
	}
	s.now = s.now.Add(time.Minute)
	if got := renew(last.Refresh); got.Error != "invalid_grant" {
		t.Errorf("after the end of the consent: %+v", got)
	}
	if got := s.read(last.Access, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized || !strings.Contains(got.body, `"602"`) {
		t.Errorf("after the end of the consent: %d %s", got.StatusCode, got.body)
	}

	if got := s.granted("default", "scope", "openid fdx:accountbasic:read"); got.Refresh != "" || got.ID == "" {
		t.Errorf("with openid and without offline_access: %+v", got)
	}
	if got := s.granted("default", "scope", "openid offline_access fdx:accountbasic:read"); got.Refresh == "" {
		t.Errorf("with offline_access: %+v", got)
	}
}

func TestRevocation(t *testing.T) {
	s := sqlite(t)
	own := []string{"client_id", "post", "client_secret", "secret"}
	revoke := func(token string, who ...string) answer {
		return s.post(http.DefaultClient, "/"+bank+"/revoke", form(append([]string{"token", token}, who...)...))
	}
	g := s.granted("default")
	if got := revoke(g.Refresh); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("without credentials: %d", got.StatusCode)
	}
	keyed := []string{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion", s.assertion(nil)}
	if got := revoke(g.Refresh, keyed...); got.StatusCode != http.StatusBadRequest {
		t.Errorf("another client's: %d %s", got.StatusCode, got.body)
	}
	if got := revoke("", own...); got.StatusCode != http.StatusBadRequest {
		t.Errorf("no token: %d", got.StatusCode)
	}
	if got := revoke("unknown", own...); got.StatusCode != http.StatusOK {
		t.Errorf("unknown: %d", got.StatusCode)
	}
	if got := s.read(g.Access, "/v6/accounts"); got.StatusCode != http.StatusOK {
		t.Fatalf("before: %d", got.StatusCode)
	}
	revoke(g.Access, own...)
	if got := s.read(g.Access, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked access token: %d", got.StatusCode)
	}
	renewed, status := s.token(form("grant_type", "refresh_token", "refresh_token", g.Refresh))
	if status != http.StatusOK {
		t.Errorf("the refresh token after the access token: %+v", renewed)
	}
	revoke(renewed.Refresh, own...)
	if got := s.read(renewed.Access, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("the access token of a revoked refresh token: %d", got.StatusCode)
	}
}

// TestReplicas lets another process serve each step.
func TestReplicas(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		first := start(t, db, nil)
		second := start(t, db, func(c *fdxbank.Config) { c.BaseURL = first.url })
		pushed := first.post(http.DefaultClient, "/"+bank+"/par", request("post", "client_secret", "secret", "scope",
			"openid offline_access fdx:accountbasic:read"))
		var out struct {
			URI string `json:"request_uri"`
		}
		if err := json.Unmarshal([]byte(pushed.body), &out); err != nil || out.URI == "" {
			t.Fatal(pushed.body)
		}
		b := browser(t) // cookies do not depend on the port
		page := second.open(b, form("client_id", "post", "request_uri", out.URI))
		first.post(b, page, form("action", "sign-in", "username", "default", "password", "x"))
		second.post(b, page, form("action", "code", "code", "123456"))
		ids := accountValue.FindStringSubmatch(first.get(b, page).body)
		second.post(b, page, form("action", "accounts", "account", ids[1]))
		code := first.returned(first.post(b, page, form("action", "consent"))).Get("code")
		tokens, status := second.token(exchange(code))
		if status != http.StatusOK {
			t.Fatalf("%+v", tokens)
		}
		if got := first.read(tokens.Access, "/v6/accounts"); got.StatusCode != http.StatusOK {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		ctx := oidc.ClientContext(t.Context(), http.DefaultClient)
		keys := oidc.NewRemoteKeySet(ctx, first.url+"/"+bank+"/jwks")
		_, err := oidc.NewVerifier(first.url+"/"+bank, keys, &oidc.Config{ClientID: "post", Now: func() time.Time { return first.now },
			SupportedSigningAlgs: []string{oidc.ES256}}).Verify(ctx, tokens.ID)
		if err != nil {
			t.Errorf("the other's ID token: %v", err)
		}
		if got, _ := second.token(exchange(code)); got.Error != "invalid_grant" {
			t.Errorf("the code serves twice: %+v", got)
		}
		if got := first.read(tokens.Access, "/v6/accounts"); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("after that: %d", got.StatusCode)
		}
	})
}

// TestRedirectsStayAtTheClient draws authorization requests with wrong, missing, and
// repeated parameters. Whatever they say, the browser goes to a page of the institution
// or to the registered redirect URI.
func TestRedirectsStayAtTheClient(t *testing.T) {
	s := sqlite(t)
	values := []string{"", "x", "post", "code", "S256", callback, callback + "@evil.example", "https://evil.example/", "//evil.example",
		"https://app.example.evil.example/callback?from=bank", "urn:ietf:params:oauth:request_uri:x", "javascript:alert(1)",
		"\r\nLocation: x", "\x00",
		"openid", "none", "query"}
	names := []string{"client_id", "redirect_uri", "response_type", "response_mode", "code_challenge", "code_challenge_method", "scope",
		"state", "nonce", "request_uri", "request", "prompt", "resource", "ui_locales", "iss", "error"}
	proptest.Check(t, func(t *rapid.T) {
		q := request("post")
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			name, value := rapid.SampledFrom(names).Draw(t, "name"), rapid.SampledFrom(values).Draw(t, "value")
			if rapid.Bool().Draw(t, "repeated") {
				q.Add(name, value)
			} else {
				q.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+bank+"/authorize?"+q.Encode(), nil))
		to := w.Header().Get("Location")
		switch {
		case w.Code == http.StatusBadRequest && to == "":
		case w.Code == http.StatusSeeOther && strings.HasPrefix(to, "/"+bank+"/authorize/"):
		case w.Code == http.StatusSeeOther && strings.HasPrefix(to, callback+"&error="):
		default:
			t.Fatalf("%v leads to %d %q", q, w.Code, to)
		}
	})
}
