package staff

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

const (
	admin  = "admin@example.com"
	secret = "correct horse battery"

	reviewer      Role = "reviewer"
	administrator Role = "administrator"
	auditor       Role = "auditor"
)

func TestMain(m *testing.M) {
	UseCheapHashes()
	os.Exit(m.Run())
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// testServer is a small dashboard with a browser.
type testServer struct {
	*Service
	t       *testing.T
	srv     *httptest.Server
	browser *http.Client
	now     *time.Time
	account string // of its users; "" in the review dashboard
}

// start returns a dashboard with the user admin, whose password is secret.
func start(t *testing.T, db *store.DB, party string, edit ...func(*Config)) *testServer {
	t.Helper()
	now := noon
	d := &testServer{t: t, now: &now}
	clock := func() time.Time { return *d.now }
	db.SetClock(clock)
	c := Config{AuditSignIns: party == store.Portal, DB: db, Now: clock, Log: slog.New(slog.DiscardHandler),
		URL: "https://portal.example", Home: "/review", KnownCookie: "known", Roles: []Role{administrator, reviewer, auditor},
		Show: showAsJSON}
	for _, f := range edit {
		f(&c)
	}
	var err error
	if c.Sessions, err = session.New(t.Context(), db, clock, session.Settings{Name: "vestibule", SameSite: http.SameSiteLaxMode}); err != nil {
		t.Fatal(err)
	}
	if d.Service, err = New(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	first := User{Email: admin, Role: administrator}
	if party == store.Provider {
		d.account = d.addAccount("svc-first")
		first = User{Email: admin, Account: d.account}
	}
	if err := d.add(first, secret); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	handle := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, httpx.API(c.Log, h)) }
	handle("GET /review", d.home)
	handle("GET /review/sign-in", d.SignInPage)
	handle("POST /review/sign-in", d.SignIn)
	handle("POST /review/sign-out", d.SignOut)
	handle("GET /review/sign-in/code", d.CodePage)
	handle("POST /review/sign-in/code", d.SignInByCode)
	handle("GET /review/sign-in/factor", d.NewFactorPage)
	handle("POST /review/sign-in/factor", d.AddFactor)
	handle("GET /review/second-factor", d.FactorPage)
	handle("POST /review/second-factor", d.ChangeFactor)
	handle("GET /review/oidc/login", d.StartOIDC)
	handle("GET /review/sign-in/return", d.FinishOIDC)
	handle("GET /review/forgotten-password", d.ForgottenPage)
	handle("POST /review/forgotten-password", d.RequestReset)
	handle("GET /review/set-password/{token}", d.PasswordPage)
	handle("POST /review/set-password/{token}", d.SetPassword)
	d.srv = httptest.NewServer(mux)
	t.Cleanup(d.srv.Close)
	return d.newBrowser()
}

func showAsJSON(w http.ResponseWriter, _ *http.Request, status int, v any) error {
	return httpx.JSON(w, status, v)
}

// home answers the email address of the signed-in user.
func (d *testServer) home(w http.ResponseWriter, r *http.Request) error {
	u, _, err := d.Current(r.Context(), d.DB.SQL, r)
	if err != nil {
		return err
	}
	if u.ID == "" {
		d.ToSignIn(w, r.URL.RequestURI(), false)
		return nil
	}
	return httpx.JSON(w, http.StatusOK, u)
}

// addAccount adds a customer of the provider.
func (d *testServer) addAccount(publicID string) (id string) {
	d.t.Helper()
	id = "id-" + publicID
	if _, err := d.DB.SQL.Exec(`INSERT INTO customers (id, public_id, environment, name, created_at)
		VALUES ($1, $2, 'sandbox', $2, 0)`, id, publicID); err != nil {
		d.t.Fatal(err)
	}
	return id
}

func (d *testServer) add(u User, password string) error {
	return d.DB.Tx(d.t.Context(), func(ctx context.Context, tx *store.Tx) error { return d.Add(ctx, tx, u, password) })
}

// user returns the user with an email address.
func (d *testServer) user(email string) User {
	d.t.Helper()
	u, err := d.byEmail(d.t.Context(), d.DB.SQL, email)
	if err != nil {
		d.t.Fatal(err)
	}
	return u
}

// newBrowser returns the dashboard with another browser.
func (d *testServer) newBrowser() *testServer {
	out := *d
	jar, _ := cookiejar.New(nil)
	out.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &out
}

func (d *testServer) do(method, path string, form url.Values) (*http.Response, string) {
	d.t.Helper()
	req, err := http.NewRequest(method, d.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		d.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := d.browser.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp, string(body)
}

func (d *testServer) get(path string) (*http.Response, string) {
	d.t.Helper()
	return d.do("GET", path, nil)
}

func (d *testServer) post(path string, form url.Values) (*http.Response, string) {
	d.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	return d.do("POST", path, form)
}

func (d *testServer) signIn(email, password string) *http.Response {
	d.t.Helper()
	resp, _ := d.post("/review/sign-in", url.Values{"email": {email}, "password": {password}})
	return resp
}

// signedIn reports whether the browser's user is signed in.
func (d *testServer) signedIn() bool {
	d.t.Helper()
	resp, _ := d.get("/review")
	return resp.StatusCode == http.StatusOK
}

// problem returns the problem of a sign-in page.
func (d *testServer) problem(body string) Problem {
	d.t.Helper()
	var v SignInPage
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		d.t.Fatalf("not a sign-in page: %v\n%s", err, body)
	}
	return v.Problem
}

func (d *testServer) count(query string, args ...any) (n int) {
	d.t.Helper()
	if err := d.DB.SQL.QueryRow(query, args...).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// audited returns the action, object and detail of the audit entries, sorted, with users
// named by email address.
func (d *testServer) audited() (out []string) {
	d.t.Helper()
	entries, err := d.Entries(d.t.Context(), d.DB.SQL, EntryFilter{}, 1000)
	users, err2 := d.Users(d.t.Context(), d.DB.SQL, "")
	if err := errors.Join(err, err2); err != nil {
		d.t.Fatal(err)
	}
	names := map[string]string{}
	for _, u := range users {
		names[u.ID], _, _ = strings.Cut(u.Email, "@")
	}
	for _, e := range entries {
		out = append(out, strings.Join([]string{names[e.Actor], e.Action, names[e.Object], e.Detail}, " "))
	}
	slices.Sort(out)
	return out
}

// each runs f on the users of each dashboard, on SQLite, and in make test-full on PostgreSQL too.
func each(t *testing.T, f func(t *testing.T, d *testServer), edit ...func(*Config)) {
	for _, party := range []string{store.Portal, store.Provider} {
		t.Run(party, func(t *testing.T) {
			storetest.EachInFull(t, party, func(t *testing.T, db *store.DB) { f(t, start(t, db, party, edit...)) })
		})
	}
}

// eachReview runs f on the users of the review dashboard and on each engine.
func eachReview(t *testing.T, f func(t *testing.T, d *testServer), edit ...func(*Config)) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) { f(t, start(t, db, store.Portal, edit...)) })
}

// sessionRequest returns a request with the browser's cookies.
func (d *testServer) sessionRequest() *http.Request {
	r := httptest.NewRequest("GET", "/review", nil)
	u, err := url.Parse(d.srv.URL)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, c := range d.browser.Jar.Cookies(u) {
		r.AddCookie(c)
	}
	return r
}
