package portal_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
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

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/portal"
	"vestibule/internal/portal/api"
	"vestibule/internal/portal/review"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// testServer is a running portal with its provider.
type testServer struct {
	t        *testing.T
	db       *store.DB
	provider *service
	secret   string
	url      string
	log      *logtest.Buffer
	portal   *portal.Portal
}

const apiKey = "a-key-for-the-portals-api"

func newTestServer(t *testing.T, db *store.DB, more ...func(*portal.Config)) *testServer {
	t.Helper()
	r := &testServer{t: t, db: db, provider: newService(t), secret: webhook.NewSecret(), log: &logtest.Buffer{}}
	srv := httptest.NewUnstartedServer(nil)
	r.url = "http://" + srv.Listener.Addr().String()
	config := portal.Config{DB: db, Log: slog.New(slog.NewTextHandler(r.log, nil)), Now: time.Now,
		Assets: assets.Portal(t), URL: r.url, ProviderURL: r.provider.URL, Environment: contract.Sandbox,
		Account: svcapi.Account{PublicID: "pub", ClientID: "client", SecretKey: "secret", WebhookSecrets: []string{r.secret},
			WidgetScriptURL: r.provider.URL + "/widget.js",
			Products:        map[contract.Product]string{contract.Cashflow: productID, contract.Income: productID}},
		API:    api.Config{Key: apiKey},
		SignIn: review.SignIn{LocalAccounts: true}}
	for _, f := range more {
		f(&config)
	}
	p, err := portal.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	r.portal = p
	srv.Config.Handler = p.Handler()
	srv.Config.RegisterOnShutdown(p.Drain)
	srv.Start()
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Drain()
		srv.Close()
		if err := p.Stop(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return r
}

// browser keeps cookies and does not follow redirects.
type browser struct {
	*http.Client
	r *testServer
}

func (r *testServer) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{&http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, r}
}

type page struct {
	status   int
	location string
	header   http.Header
	body     string
}

// require checks an answer: its status, and texts of its body, which lacks those after an exclamation mark.
func (p page) require(t *testing.T, what string, status int, texts ...string) {
	t.Helper()
	if p.status != status {
		t.Errorf("%s: %d, want %d\n%s", what, p.status, status, p.body)
	}
	for _, want := range texts {
		if text := strings.TrimPrefix(want, "!"); strings.Contains(p.body, text) == (text != want) {
			t.Errorf("%s: %q\n%s", what, want, p.body)
		}
	}
}

// requireRedirect checks that an answer leads to an address.
func (p page) requireRedirect(t *testing.T, what, to string) {
	t.Helper()
	if p.status != 303 || p.location != to {
		t.Errorf("%s: %d to %q, want %q\n%s", what, p.status, p.location, to, p.body)
	}
}

func (b *browser) do(method, path, contentType, body string, header ...string) page {
	b.r.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.r.url + path
	}
	req, err := http.NewRequestWithContext(b.r.t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		b.r.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := b.Do(req)
	if err != nil {
		b.r.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return page{resp.StatusCode, resp.Header.Get("Location"), resp.Header, string(raw)}
}

func (b *browser) get(path string) page { return b.do("GET", path, "", "") }

func (b *browser) post(path string, form url.Values) page {
	return b.do("POST", path, "application/x-www-form-urlencoded", form.Encode(), "Sec-Fetch-Site", "same-origin")
}

func form(pairs ...string) url.Values {
	f := url.Values{"product": {"cashflow"}, "firstName": {"Canaria"}, "lastName": {"O’Neil"}, "email": {"canaria@example.com"},
		"dob-year": {"1990"}, "dob-month": {"2"}, "dob-day": {"3"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f
}

// apply submits the form and returns the application's path.
func (b *browser) apply(pairs ...string) string {
	b.r.t.Helper()
	p := b.post("/applications", form(pairs...))
	if p.status != 303 || !strings.HasSuffix(p.location, "/connect") {
		b.r.t.Fatalf("POST /applications = %d to %q\n%s", p.status, p.location, p.body)
	}
	return strings.TrimSuffix(p.location, "/connect")
}

// follow reads the stream until the application is in a state.
func (b *browser) follow(application, state string) {
	b.r.t.Helper()
	req, _ := http.NewRequestWithContext(b.r.t.Context(), "GET", b.r.url+application+"/stream", nil)
	resp, err := b.Do(req)
	if err != nil || resp.StatusCode != 200 {
		b.r.t.Fatalf("stream: %v", err)
	}
	defer resp.Body.Close()
	seen := []string{}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), `data: {"state":`)
		if !ok {
			continue
		}
		seen = append(seen, data)
		if strings.HasPrefix(data, `"`+state+`"`) {
			return
		}
	}
	b.r.t.Fatalf("the stream ended after %v, without %s\n%s", seen, state, b.r.log)
}

func (r *testServer) webhook(externalID, publicToken string, status contract.Status, consumer ...string) int {
	r.t.Helper()
	body, _ := json.Marshal(webhook.Event{EventID: uuid.NewString(), Type: webhook.TypeVisit,
		CreatedAt: time.Now().Add(-time.Minute), Environment: contract.Sandbox, // before any report was fetched
		PublicID: "pub", ProductID: productID, PublicToken: publicToken, ExternalID: externalID,
		Status: status, ConsumerID: strings.Join(consumer, "")})
	return r.send(body, r.secret)
}

func (r *testServer) send(body []byte, secret string) int {
	s, err := webhook.ParseSecret(secret)
	if err != nil {
		r.t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(r.t.Context(), "POST", r.url+"/webhooks/visit", bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	if err := webhook.Sign(req.Header, []webhook.Secret{s}, uuid.NewString(), time.Now(), body); err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func (b *browser) callback(application, kind string, attempt int) int {
	body := fmt.Sprintf(`{"eventId":%q,"type":%q,"attempt":%d,"resumable":true,"publicToken":"",`+
		`"status":"SUCCESS","errorType":""}`, uuid.NewString(), kind, attempt)
	return b.do("POST", application+"/callbacks", "application/json", body, "Sec-Fetch-Site", "same-origin").status
}

// outcome returns a signed outcome token for the last redirect, with an additional
// claim.
func (r *testServer) outcome(publicToken, outcome, name, value string) string {
	r.t.Helper()
	claims := jose.Claims{"publicToken": publicToken, "outcome": outcome, "redirectArgs": r.provider.args}
	if name != "" {
		claims[name] = value
	}
	signed, err := jose.Signer{Key: r.provider.key, Type: "outcome+jwt"}.Sign(time.Now(), time.Now().Add(5*time.Minute), claims)
	if err != nil {
		r.t.Fatal(err)
	}
	return signed
}

var attribute = regexp.MustCompile(`data-([a-z-]+)="([^"]*)"`)

// section returns the data attributes of the connect page.
func section(p page) map[string]string {
	out := map[string]string{}
	for _, m := range attribute.FindAllStringSubmatch(p.body, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// each runs a test of the portal on SQLite, and in make test-full on PostgreSQL too.
func each(t *testing.T, f func(t *testing.T, r *testServer)) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db)) })
}

// eachEngine runs a test of concurrent requests on both database engines.
func eachEngine(t *testing.T, f func(t *testing.T, r *testServer)) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db)) })
}
