// Package attacktest attacks the running portal from outside, by the threat model in
// SECURITY.md: one process on SQLite, and two behind a balancer on one PostgreSQL, with
// a service whose keys and answers the attacker controls. Packages test their own
// checks, such as each form of a token; these tests show that the checks hold in a
// deployment.
package attacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/staff"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// fleet is a deployed portal and its service.
type fleet struct {
	url         string // public
	admins      []string
	dirs        []string
	databaseURL string
	service     *service
	log         *logtest.Buffer
	secret      string // of webhooks
	apiKey      string
	reviewer    program.Login

	client *http.Client
	began  time.Time

	mu       sync.Mutex
	returned []*visit // whose report must be fetched, once
	secrets  []string // must not be in log, metrics or database
	names    []string // publicTokens, which only the log may not hold
}

const (
	publicID  = "attack-public-id"
	clientID  = "attack-client"
	secretKey = "attack-secret-key-4711"
	productID = "11111111-1111-4111-8111-111111111111"
)

// Personal data of the tests' applicants. It must not be in a log, a metric or a
// database.
const (
	firstName = "Besiegta"
	lastName  = "Canarison"
	email     = "besiegta.canarison@example.org"
)

// each runs f with both deployments.
func each(t *testing.T, f func(t *testing.T, f *fleet)) {
	t.Run("one on sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, deploy(t, 1, ""))
	})
	t.Run("two on postgres", func(t *testing.T) {
		t.Parallel()
		f(t, deploy(t, 2, storetest.URL(t)))
	})
}

func deploy(t *testing.T, replicas int, databaseURL string) *fleet {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	assets.Need(t)
	staff.UseCheapHashes()
	f := &fleet{databaseURL: databaseURL, service: newService(t), log: &logtest.Buffer{}, secret: webhook.NewSecret(), began: time.Now(),
		apiKey: "a-key-of-the-portals-api-4712"}
	f.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: replicas > 1,
		MaxIdleConnsPerHost: 60, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	key := filepath.Join(t.TempDir(), "master.key")
	testutil.Must(t, os.WriteFile(key, []byte(strings.Repeat("5a", 32)), 0o600))
	listener, err := net.Listen("tcp", "localhost:0")
	testutil.Must(t, err)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	f.url = "http://localhost:" + port
	var behind []string
	for range replicas {
		behind = append(behind, f.replica(t, key))
	}
	balance(t, listener, behind)
	credentials, err := program.ReadCredentials(f.dirs[0])
	testutil.Must(t, err)
	f.reviewer = credentials.Reviewer
	f.keep(secretKey, f.secret, f.apiKey, f.reviewer.Password, firstName, lastName, email, "eyJ")
	return f
}

// replica runs a portal of the fleet until the test ends, and returns its HOST:PORT.
func (f *fleet) replica(t *testing.T, key string) string {
	t.Helper()
	dir, at := t.TempDir(), ports.Must(t, "localhost") // the portal prints the balancer's URL
	f.dirs = append(f.dirs, dir)
	p := program.Start(t, app.Run, f.log, "portal", "--portal-addr="+at, "--portal-url="+f.url, "--provider-url="+f.service.URL,
		"--public-id="+publicID, "--client-id="+clientID, "--secret-key="+secretKey, "--products=cashflow="+productID,
		"--webhook-secret="+f.secret, "--portal-api-key="+f.apiKey, "--admin-addr=127.0.0.1:0", "--master-key-file="+key,
		"--log-level=debug", "--data-dir="+dir, "--database-url="+f.databaseURL)
	t.Cleanup(f.client.CloseIdleConnections)
	f.admins = append(f.admins, p.Admin)
	return at
}

// balance forwards each connection to the next replica.
func balance(t *testing.T, l net.Listener, behind []string) {
	var turn atomic.Uint64
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			front, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer front.Close()
				back, err := net.Dial("tcp", behind[turn.Add(1)%uint64(len(behind))])
				if err != nil {
					t.Error(err)
					return
				}
				defer back.Close()
				go func() {
					io.Copy(back, front)
					back.(*net.TCPConn).CloseWrite()
				}()
				io.Copy(front, back)
			}()
		}
	}()
}

// keep adds secrets that must not be stored or logged.
func (f *fleet) keep(secrets ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.secrets = append(f.secrets, secrets...)
}

// reply is an answer with its body.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) location() string { return r.header.Get("Location") }

// browser keeps cookies and does not follow redirects. A nil browser has no cookies.
type browser struct {
	mu      sync.Mutex
	cookies map[string]string
}

func (b *browser) header() string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for name, value := range b.cookies {
		all = append(all, name+"="+value)
	}
	return strings.Join(all, "; ")
}

func (b *browser) copy() *browser {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := &browser{}
	for name, value := range b.cookies {
		out.set(&http.Cookie{Name: name, Value: value})
	}
	return out
}

func (b *browser) set(c *http.Cookie) {
	if b.cookies == nil {
		b.cookies = map[string]string{}
	}
	if b.cookies[c.Name] = c.Value; c.MaxAge < 0 || c.Value == "" {
		delete(b.cookies, c.Name)
	}
}

// send sends a request of a browser. header are pairs; Host is that of the request.
func (f *fleet) send(b *browser, method, to, body string, header ...string) (reply, error) {
	if strings.HasPrefix(to, "/") {
		to = f.url + to
	}
	req, err := http.NewRequest(method, to, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if c := b.header(); c != "" {
		req.Header.Set("Cookie", c)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header[header[i]] = append(req.Header[header[i]], header[i+1])
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	if b != nil {
		b.mu.Lock()
		for _, c := range resp.Cookies() {
			b.set(c)
		}
		b.mu.Unlock()
	}
	return reply{resp.StatusCode, resp.Header, string(raw)}, nil
}

// do calls send and fails the test if there is no response.
func (f *fleet) do(t *testing.T, b *browser, method, to, body string, header ...string) reply {
	t.Helper()
	got, err := f.send(b, method, to, body, header...)
	if err != nil {
		t.Fatalf("%s %.100s: %v", method, to, err)
	}
	return got
}

// good calls do and fails the test for any other status.
func (f *fleet) good(t *testing.T, status int, b *browser, method, to, body string, header ...string) reply {
	t.Helper()
	got := f.do(t, b, method, to, body, header...)
	if got.status != status {
		t.Fatalf("%s %.100s = %d, want %d\n%.2000s", method, to, got.status, status, got.body)
	}
	return got
}

const (
	asForm = "application/x-www-form-urlencoded"
	asJSON = "application/json"
)

// visit is an attempt of an application by secure redirect, in a browser.
type visit struct {
	*task
	browser     *browser
	application string // path of its page
}

// apply submits the application form and returns the path of the application's page.
func (f *fleet) apply(t *testing.T, b *browser) (at string) {
	t.Helper()
	form := url.Values{"product": {"cashflow"}, "mode": {"redirect"}, "firstName": {firstName}, "lastName": {lastName},
		"email": {email}, "dob-year": {"1980"}, "dob-month": {"2"}, "dob-day": {"29"}}
	got := f.good(t, 303, b, "POST", "/applications", form.Encode(), "Content-Type", asForm)
	at, ok := strings.CutSuffix(got.location(), "/connect")
	if !ok {
		t.Fatalf("the form leads to %q", got.location())
	}
	return at
}

// start begins an attempt of a new application.
func (f *fleet) start(t *testing.T, b *browser) *visit {
	t.Helper()
	at := f.apply(t, b)
	away := f.good(t, 303, b, "GET", at+"/connect", "").location()
	v := &visit{f.service.task(away), b, at}
	if v.task == nil {
		t.Fatalf("the browser is sent to %q", away)
	}
	f.keep(v.args, b.cookies["vestibule"])
	f.names = append(f.names, v.publicToken)
	return v
}

// ways are the ways to return a token. A POST is sent by another site's page, so without
// cookies; its result is stored until the browser requests it by GET.
var ways = map[string]func(t *testing.T, f *fleet, b *browser, token string) reply{
	"GET": func(t *testing.T, f *fleet, b *browser, token string) reply {
		return f.do(t, b, "GET", "/redirect/return?jwt="+url.QueryEscape(token), "")
	},
	"form": func(t *testing.T, f *fleet, b *browser, token string) reply {
		return f.posted(t, b, url.Values{"token": {token}}.Encode(), "Content-Type", asForm, "Origin", "null", "Sec-Fetch-Site", "cross-site")
	},
	"JSON": func(t *testing.T, f *fleet, b *browser, token string) reply {
		raw, _ := json.Marshal(map[string]string{"token": token})
		return f.posted(t, b, string(raw), "Content-Type", asJSON, "Origin", f.service.URL)
	},
}

var wayNames = []string{"GET", "form", "JSON"}

func (f *fleet) posted(t *testing.T, b *browser, body string, header ...string) reply {
	t.Helper()
	got := f.do(t, nil, "POST", "/redirect/return", body, header...)
	if got.status != 303 {
		return got
	}
	if !strings.HasPrefix(got.location(), "/redirect/finish/") || got.header.Get("Set-Cookie") != "" {
		t.Errorf("a POST leads to %q and sets the cookie %q", got.location(), got.header.Get("Set-Cookie"))
	}
	f.keep(strings.TrimPrefix(got.location(), "/redirect/finish/"))
	return f.do(t, b, "GET", got.location(), "")
}

// refused checks an answer that must be a generic refusal of ours: with a request id,
// not cached, without a redirect, and without a session.
func refused(t *testing.T, name string, got reply) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s\n%d %v\n%.600s", name, fmt.Sprintf(format, args...), got.status, got.header, got.body)
	}
	if got.status < 400 || got.status > 499 {
		bad("not refused")
	}
	if got.location() != "" || got.header.Get("Set-Cookie") != "" {
		bad("a refusal redirects or sets a cookie")
	}
	id := got.header.Get("X-Request-Id")
	if id == "" {
		if got.status != 400 && got.status != 431 { // net/http answers these before any handler
			bad("no request id")
		}
		return
	}
	if !strings.Contains(got.header.Get("Cache-Control"), "no-store") {
		bad("may be cached")
	}
	if got.body != "" && !strings.Contains(got.body, id) {
		bad("the body lacks the request ID")
	}
	for _, s := range []string{"eyJ", firstName, "<script>alert", "goroutine", "jose:", "redirect:", "sql"} {
		if strings.Contains(got.body, s) {
			bad("it says %q", s)
		}
	}
}

var dataState = regexp.MustCompile(`data-state="([a-z]+)"`)

// state returns the state on the applicant's page.
func (f *fleet) state(t *testing.T, v *visit) string {
	t.Helper()
	m := dataState.FindStringSubmatch(f.good(t, 200, v.browser, "GET", v.application, "").body)
	if m == nil {
		t.Fatal("the page of the application has no state")
	}
	return m[1]
}

// checkOpen checks that an attempt is still open.
func (f *fleet) checkOpen(t *testing.T, name string, v *visit) {
	t.Helper()
	if s := f.state(t, v); s != "connecting" || v.fetched() != 0 {
		t.Errorf("%s: the application is %s, and its report was asked for %d times", name, s, v.fetched())
	}
}

// complete returns a valid token to v, which must be accepted.
func (f *fleet) complete(t *testing.T, way string, v *visit) {
	t.Helper()
	before := v.browser.cookies["vestibule"]
	f.service.finish(v.task)
	got := ways[way](t, f, v.browser, f.service.token(v.task, nil))
	if got.status != 303 || got.location() != v.application {
		t.Fatalf("a good return by %s = %d to %q\n%.1000s", way, got.status, got.location(), got.body)
	}
	if now := v.browser.cookies["vestibule"]; now == before {
		t.Error("the session's secret stays the same over a return")
	} else {
		f.keep(now)
	}
	f.mu.Lock()
	f.returned = append(f.returned, v)
	f.mu.Unlock()
}

// until waits for a result of background jobs.
func until(t *testing.T, what string, f func() (said string, ok bool)) {
	t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(2 * time.Minute); ; {
		said, ok := f()
		if ok {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s: %s", what, said)
		}
	}
}
