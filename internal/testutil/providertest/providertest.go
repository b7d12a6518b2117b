// Package providertest starts a whole provider for tests, with a database, background
// jobs, a clock that the test controls, and a receiver of webhooks.
package providertest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
)

// Server is a running provider.
type Server struct {
	T        testing.TB
	Provider *provider.Provider
	DB       *store.DB
	URL      string
	Seed     provider.Seed
	Return   *httptest.Server // the customer's server: redirect URL /return, callback /webhook

	mu       sync.Mutex
	now      time.Time
	log      bytes.Buffer
	webhooks []map[string]any
	posts    []url.Values

	browser *Browser // used by Do
}

// Browser keeps the cookies of hosted visits and of the page of what consumers have shared,
// like one applicant's browser.
type Browser struct {
	server  *Server
	mu      sync.Mutex
	cookies map[string]string
}

// Browser returns a new browser without cookies.
func (r *Server) Browser() *Browser { return &Browser{server: r, cookies: map[string]string{}} }

func (b *Browser) attach(req *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
}

func (b *Browser) keep(res *http.Response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range res.Cookies() {
		name := strings.TrimPrefix(c.Name, "__Host-")
		switch {
		case !strings.HasPrefix(name, "visit-") && name != "access":
		case c.MaxAge < 0:
			delete(b.cookies, c.Name)
		default:
			b.cookies[c.Name] = c.Value
		}
	}
}

// Start starts a sandbox provider on db with one customer whose redirects return by
// mode ("get" or "post"), and stops it at the end of the test. edit may change the
// provider's configuration.
func Start(t testing.TB, db *store.DB, mode string, edit ...func(*provider.Config)) *Server {
	t.Helper()
	staff.UseCheapHashes()
	r := &Server{T: t, DB: db, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	r.browser = r.Browser()
	r.Return = httptest.NewServer(http.HandlerFunc(r.customer))
	t.Cleanup(r.Return.Close)
	server := httptest.NewUnstartedServer(nil)
	r.URL = "http://" + server.Listener.Addr().String()
	log := slog.New(slog.NewTextHandler(lockedWriter{r}, nil))
	config := provider.Config{DB: db, Log: log, Now: r.Now, URL: r.URL, Environment: contract.Sandbox,
		Assets: assets.Provider(t), AllowLoopbackCallbacks: true}
	for _, e := range edit {
		e(&config)
	}
	if config.Environment == contract.Sandbox && config.Sandbox == nil {
		config.Sandbox = sandbox.New
	}
	p, err := provider.New(t.Context(), config)
	testutil.Must(t, err)
	r.Provider = p
	r.Seed = provider.Seed{PublicID: uuid.NewString(), ClientID: "client", SecretKey: "secret-canary",
		WebhookSecret: "whsec_" + "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
		Products:      map[contract.Product]string{}, ThirdParty: provider.SeedAccount{PublicID: uuid.NewString(),
			ClientID: "third", SecretKey: "third-secret"},
		CallbackURL: r.Return.URL + "/webhook", CompleteURL: r.Return.URL + "/return?jwt=[token]", ReturnMode: mode}
	for _, kind := range contract.Products() {
		r.Seed.Products[kind] = uuid.NewString()
	}
	testutil.Must(t, p.Seed(t.Context(), r.Seed))
	testutil.Must(t, p.Start(t.Context()))
	t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	server.Config.Handler = p.Handler()
	server.Start()
	t.Cleanup(server.Close)
	return r
}

// Now returns the test clock's time.
func (r *Server) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Advance moves the clock without notifying anything.
func (r *Server) Advance(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// Log returns everything logged so far.
func (r *Server) Log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.String()
}

type lockedWriter struct{ r *Server }

func (w lockedWriter) Write(b []byte) (int, error) {
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	return w.r.log.Write(b)
}

// customer handles requests to the customer's server.
func (r *Server) customer(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case req.URL.Path == "/webhook":
		var event map[string]any
		json.Unmarshal(body, &event)
		r.webhooks = append(r.webhooks, event)
	case req.Method == http.MethodPost:
		form, _ := url.ParseQuery(string(body))
		r.posts = append(r.posts, form)
	}
}

// Webhooks waits for at least n webhooks of a report and returns them.
func (r *Server) Webhooks(publicToken string, n int) []map[string]any {
	r.T.Helper()
	var found []map[string]any
	r.Until("webhooks", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		found = nil
		for _, h := range r.webhooks {
			if h["publicToken"] == publicToken {
				found = append(found, h)
			}
		}
		return len(found) >= n
	})
	return found
}

// Until waits for a condition, up to the longest duration of background work.
func (r *Server) Until(what string, ok func() bool) {
	r.T.Helper()
	deadline := time.NewTimer(15 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			r.T.Fatalf("timeout while waiting for %s", what)
		case <-tick.C:
		}
	}
}

// Answer is a response of the provider.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	JSON   map[string]any // of a JSON body
}

// Do sends a request. body is a string, url.Values, nil, or anything that
// becomes JSON. Redirects are not followed.
func (r *Server) Do(method, path string, body any, edit ...func(*http.Request)) Answer {
	r.T.Helper()
	return r.browser.Do(method, path, body, edit...)
}

// Do sends a request as Server.Do does, from this browser.
func (b *Browser) Do(method, path string, body any, edit ...func(*http.Request)) Answer {
	r := b.server
	r.T.Helper()
	var reader io.Reader
	kind := "application/json"
	switch body := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(body)
	case url.Values:
		reader, kind = strings.NewReader(body.Encode()), "application/x-www-form-urlencoded"
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			r.T.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	if !strings.HasPrefix(path, "http") {
		path = r.URL + path
	}
	req, err := http.NewRequestWithContext(r.T.Context(), method, path, reader)
	if err != nil {
		r.T.Fatal(err)
	}
	if reader != nil {
		req.Header.Set("Content-Type", kind)
	}
	b.attach(req)
	for _, e := range edit {
		e(req)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		r.T.Fatal(err)
	}
	b.keep(res)
	res.Request = req
	openapitest.Check(r.T, res)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.T.Fatal(err)
	}
	a := Answer{Status: res.StatusCode, Header: res.Header, Body: string(raw)}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		json.Unmarshal(raw, &a.JSON)
	}
	return a
}

// Basic authenticates a request as the test's customer.
func (r *Server) Basic(req *http.Request) { req.SetBasicAuth(r.Seed.ClientID, r.Seed.SecretKey) }

// Bearer authenticates a request as the test's customer with an access token, and names a
// report.
func (r *Server) Bearer(publicToken string) func(*http.Request) {
	r.T.Helper()
	token, _ := r.Do("GET", "/connect/accesstoken", nil, r.Basic).JSON["accessToken"].(string)
	return func(req *http.Request) {
		req.Header.Set("Authorization", "Bearer "+base64.StdEncoding.EncodeToString([]byte(token)))
		req.Header.Set("X-PUBLIC-TOKEN", publicToken)
	}
}

// ThirdParty authenticates a request as the other customer.
func (r *Server) ThirdParty(req *http.Request) {
	req.SetBasicAuth(r.Seed.ThirdParty.ClientID, r.Seed.ThirdParty.SecretKey)
}

// Count returns the result of a counting query.
func (r *Server) Count(query string, args ...any) int {
	r.T.Helper()
	var n int
	if err := r.DB.SQL.QueryRowContext(r.T.Context(), query, args...).Scan(&n); err != nil {
		r.T.Fatal(err)
	}
	return n
}

// Prefill returns a valid prefill for a cashflow report.
func Prefill() map[string]any {
	return map[string]any{"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.com", "dob": "1990-06-15"}
}

// Control sends a request to the sandbox's control API.
func (r *Server) Control(method, path string, body any) (int, map[string]any) {
	r.T.Helper()
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			r.T.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	req := httptest.NewRequestWithContext(r.T.Context(), method, "http://127.0.0.1"+path, reader)
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	r.Provider.Control().ServeHTTP(rec, req)
	var out map[string]any
	json.Unmarshal(rec.Body.Bytes(), &out)
	return rec.Code, out
}
