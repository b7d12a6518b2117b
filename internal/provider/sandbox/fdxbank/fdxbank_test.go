package fdxbank_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/web"
)

const (
	bank     = "acorn-cove-savings-bank"
	other    = "apricot-brook-bank"
	callback = "https://app.example/callback?from=bank"
	verifier = "a-verifier-of-at-least-forty-three-characters"
	state    = "a state & more"
)

// server is a Server at a URL, with a clock that tests move.
type server struct {
	*fdxbank.Server
	t   *testing.T
	url string
	now time.Time
	key *jose.PrivateKey // of the client keyed
}

// start starts a server on the database. change may change its configuration.
func start(t *testing.T, db *store.DB, change func(*fdxbank.Config)) *server {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	s := &server{t: t, url: "http://" + listener.Listener.Addr().String(), now: time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)}
	var err error
	if s.key, err = jose.GenerateKey(); err != nil {
		t.Fatal(err)
	}
	redirects := []string{callback}
	c := fdxbank.Config{DB: db, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return s.now }, BaseURL: s.url,
		Assets: web.Provider(), Clients: []fdxbank.Client{
			{ID: "basic client:1", Name: "Tern & Sons", Method: fdxbank.SecretBasic, Secret: "s3cret:%", RedirectURIs: redirects},
			{ID: "post", Name: "Post", Method: fdxbank.SecretPost, Secret: "secret", RedirectURIs: redirects, Days: 14},
			{ID: "keyed", Name: "Keyed", Method: fdxbank.PrivateKeyJWT, Keys: jose.KeySet{s.key.Public()}, RedirectURIs: redirects},
		}}
	if change != nil {
		change(&c)
	}
	if s.Server, err = fdxbank.New(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = s
	listener.Start()
	t.Cleanup(listener.Close)
	return s
}

func sqlite(t *testing.T) *server { return start(t, storetest.SQLite(t, store.Provider), nil) }

// browser returns a browser that does not follow redirects.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// answer is an HTTP response with its body.
type answer struct {
	*http.Response
	body string
}

func do(t *testing.T, c *http.Client, r *http.Request) answer {
	t.Helper()
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp, string(raw)}
}

func (s *server) get(c *http.Client, address string) answer {
	s.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = s.url + address
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return do(s.t, c, r)
}

// form returns values from names and values in turn.
func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

func (s *server) post(c *http.Client, address string, values url.Values, headers ...string) answer {
	s.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = s.url + address
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, address, strings.NewReader(values.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return do(s.t, c, r)
}

// request returns the parameters of an authorization request, changed by more.
func request(clientID string, more ...string) url.Values {
	sum := sha256.Sum256([]byte(verifier))
	q := form("response_type", "code", "client_id", clientID, "redirect_uri", callback, "state", state,
		"code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method", "S256")
	for i := 0; i < len(more); i += 2 {
		if q.Del(more[i]); more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	return q
}

// open opens an authorization and returns the address of its page.
func (s *server) open(c *http.Client, q url.Values) string {
	s.t.Helper()
	got := s.get(c, "/"+bank+"/authorize?"+q.Encode())
	if got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/"+bank+"/authorize/") {
		s.t.Fatalf("the authorization endpoint answers %d %s %s", got.StatusCode, got.Header.Get("Location"), got.body)
	}
	return got.Header.Get("Location")
}

var accountValue = regexp.MustCompile(`name="account" value="([^"]+)"`)

// toConsent signs in and chooses the accounts that pick keeps; nil keeps all.
func (s *server) toConsent(c *http.Client, page, username string, pick func([]string) []string) {
	s.t.Helper()
	for _, values := range []url.Values{form("action", "sign-in", "username", username, "password", "x"),
		form("action", "code", "code", "123 456")} {
		if got := s.post(c, page, values); got.StatusCode != http.StatusSeeOther {
			s.t.Fatalf("%v: %d %s", values, got.StatusCode, got.body)
		}
	}
	var ids []string
	for _, m := range accountValue.FindAllStringSubmatch(s.get(c, page).body, -1) {
		ids = append(ids, m[1])
	}
	if pick != nil {
		ids = pick(ids)
	}
	if got := s.post(c, page, url.Values{"action": {"accounts"}, "account": ids}); got.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("choosing %v: %d %s", ids, got.StatusCode, got.body)
	}
}

// returned returns the parameters that the browser takes back to the client.
func (s *server) returned(got answer) url.Values {
	s.t.Helper()
	u, err := url.Parse(got.Header.Get("Location"))
	if err != nil || got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(u.String(), callback+"&") {
		s.t.Fatalf("leads to %d %s %s", got.StatusCode, got.Header.Get("Location"), got.body)
	}
	q := u.Query()
	if q.Get("state") != state || q.Get("iss") != s.url+"/"+bank {
		s.t.Errorf("returns with %v", q)
	}
	return q
}

// code authorizes a client and returns its code.
func (s *server) code(username string, q url.Values, pick func([]string) []string) string {
	s.t.Helper()
	c := browser(s.t)
	page := s.open(c, q)
	s.toConsent(c, page, username, pick)
	return s.returned(s.post(c, page, form("action", "consent"))).Get("code")
}

// tokens is an answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	ID      string `json:"id_token"`
	Consent string `json:"fdxConsentId"`
	Error   string `json:"error"`
}

// token calls the token endpoint as the client post, unless values say otherwise.
func (s *server) token(values url.Values, headers ...string) (tokens, int) {
	s.t.Helper()
	if !values.Has("client_id") && len(headers) == 0 {
		values.Set("client_id", "post")
		values.Set("client_secret", "secret")
	}
	got := s.post(http.DefaultClient, "/"+bank+"/token", values, headers...)
	var out tokens
	if err := json.Unmarshal([]byte(got.body), &out); err != nil {
		s.t.Fatalf("%d %s: %v", got.StatusCode, got.body, err)
	}
	if got.Header.Get("Cache-Control") != "no-store" {
		s.t.Error("tokens may be stored")
	}
	return out, got.StatusCode
}

func exchange(code string, more ...string) url.Values {
	v := form("grant_type", "authorization_code", "code", code, "redirect_uri", callback, "code_verifier", verifier)
	for i := 0; i < len(more); i += 2 {
		if v.Del(more[i]); more[i+1] != "" {
			v.Set(more[i], more[i+1])
		}
	}
	return v
}

// granted authorizes the client post for a user.
func (s *server) granted(username string, more ...string) tokens {
	s.t.Helper()
	out, status := s.token(exchange(s.code(username, request("post", more...), nil)))
	if status != http.StatusOK || out.Access == "" {
		s.t.Fatalf("%d %+v", status, out)
	}
	return out
}

// read reads a resource with an access token.
func (s *server) read(access, path string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+"/"+bank+"/fdx"+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+access)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return do(s.t, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, r)
}
