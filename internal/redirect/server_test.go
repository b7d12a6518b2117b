package redirect

import (
	"context"
	"encoding/json"
	"fmt"
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

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/jose"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/logtest"
)

const publicID = "our-public-id"

// testServer is a portal with redirects only: two replicas with one database,
// browsers, and a service that signs any outcome.
type testServer struct {
	t        *testing.T
	db       *store.DB
	handler  *Handler
	replicas [2]*httptest.Server
	service  *fakeService
	sessions *session.Sessions
	signer   jose.Signer
	log      *logtest.Buffer

	mu   sync.Mutex
	now  time.Time
	fail error // returned by OnOutcome
}

func newTestServer(t *testing.T, db *store.DB) *testServer {
	t.Helper()
	key, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	w := &testServer{t: t, db: db, service: &fakeService{}, signer: jose.Signer{Key: key, Type: "outcome+jwt"}, log: &logtest.Buffer{},
		now: time.Date(2026, 11, 21, 12, 0, 0, 123456000, time.UTC)}
	if _, err := db.SQL.Exec(`CREATE TABLE test_landings (attempt TEXT, outcome TEXT)`); err != nil {
		t.Fatal(err)
	}
	db.SetClock(w.clock)
	if w.sessions, err = session.New(t.Context(), db, w.clock, session.Settings{Name: "sid", SameSite: http.SameSiteLaxMode}); err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(w.service)
	t.Cleanup(service.Close)
	w.service.link = service.URL + "/redirect/x"
	profile, err := svcapi.ParseProfile(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.handler = &Handler{Form: profile.Result,
		DB: db, Service: &svcapi.Client{BaseURL: service.URL, ClientID: "c", SecretKey: "s"}, Sessions: w.sessions,
		Tokens:      NewVerifier(jose.KeySet{key.Public()}, profile.Result, w.clock),
		Log:         slog.New(slog.NewTextHandler(w.log, nil)),
		CompleteURL: CompleteURL("http://portal.example", profile.Result, false),
		Audience:    publicID,
		Issuer:      "https://provider.example",
		OnStarted:   func(context.Context, *store.Tx, Attempt) error { return nil },
		OnOutcome:   w.land,
		StatusURL:   func(application string) string { return "/applications/" + application },
		ShowNotice:  showNotice,
	}
	for i := range w.replicas {
		mux := http.NewServeMux()
		w.handler.Routes(mux, func(h httpx.HandlerFunc) http.Handler { return httpx.API(w.handler.Log, h) })
		w.replicas[i] = httptest.NewServer(httpx.Wrap(w.handler.Log, mux))
		t.Cleanup(w.replicas[i].Close)
	}
	return w
}

func (w *testServer) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *testServer) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *testServer) land(ctx context.Context, tx *store.Tx, a Attempt, o Outcome) error {
	w.mu.Lock()
	fail := w.fail
	w.mu.Unlock()
	if fail != nil {
		return fail
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO test_landings (attempt, outcome) VALUES ($1, $2)`, a.ID, string(o.Kind))
	return err
}

// landings returns the outcomes consumed by an attempt.
func (w *testServer) landings(id string) []string {
	w.t.Helper()
	rows, err := w.db.SQL.Query(`SELECT outcome FROM test_landings WHERE attempt = $1`, id)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// visit is an attempt, the redirectArgs sent for it, and its browser.
type visit struct {
	Attempt
	sent    string // redirectArgs as the service received them
	browser *browser
}

func (w *testServer) start(b *browser) visit {
	w.t.Helper()
	a, _, err := w.handler.Start(w.t.Context(),
		StartRequest{Identity: w.session(b).Identity(), Application: uuid.NewString(), Number: 1})
	if err != nil {
		w.t.Fatal(err)
	}
	return visit{a, w.service.last().RedirectArgs, b}
}

// token returns a valid SUCCESS token for v, with claims replaced or, if nil,
// removed.
func (w *testServer) token(v visit, change jose.Claims) string {
	w.t.Helper()
	return w.tokenAt(v, w.clock(), change)
}

func (w *testServer) tokenAt(v visit, iat time.Time, change jose.Claims) string {
	w.t.Helper()
	claims := jose.Claims{"publicToken": uuid.NewString(), "outcome": "SUCCESS", "status": "SUCCESS", "redirectArgs": v.sent}
	for name, value := range change {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	raw, err := w.signer.Sign(iat, iat.Add(5*time.Minute), claims)
	if err != nil {
		w.t.Fatal(err)
	}
	return raw
}

// browser holds a single cookie.
type browser struct {
	mu  sync.Mutex
	jar string
}

func (b *browser) cookie() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.jar
}

func (w *testServer) newBrowser() *browser {
	b := &browser{}
	w.change(b, w.sessions.Ensure)
	return b
}

// session returns the session of a browser.
func (w *testServer) session(b *browser) session.Session {
	w.t.Helper()
	r := w.request("GET", "/", nil)
	r.AddCookie(&http.Cookie{Name: "sid", Value: b.cookie()})
	s, err := w.sessions.Of(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// change changes the session of a browser, which keeps the new cookie.
func (w *testServer) change(b *browser, f func(context.Context, *store.Tx, session.Session) (session.Session, session.Cookie, error)) {
	w.t.Helper()
	cur, got := w.session(b), httptest.NewRecorder()
	var c session.Cookie
	err := w.db.Tx(w.t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		_, c, err = f(ctx, tx, cur)
		return err
	})
	if err == nil {
		err = w.sessions.Set(got, w.request("GET", "/", nil), c)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	b.keep(got.Result())
}

// keep stores the cookie of a response.
func (b *browser) keep(res *http.Response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range res.Cookies() {
		b.jar = c.Value
	}
}

// answer is a response.
type answer struct {
	status   int
	location string
	header   http.Header
	body     string
}

// send sends a request of b without following redirects.
func (w *testServer) send(b *browser, r *http.Request) answer {
	w.t.Helper()
	if b != nil && b.cookie() != "" {
		r.AddCookie(&http.Cookie{Name: "sid", Value: b.cookie()})
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if b != nil {
		b.keep(res)
	}
	return answer{res.StatusCode, res.Header.Get("Location"), res.Header, string(raw)}
}

func (w *testServer) request(method, path string, body io.Reader, header ...string) *http.Request {
	w.t.Helper()
	r, err := http.NewRequest(method, w.replicas[0].URL+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func (w *testServer) get(b *browser, path string) answer {
	w.t.Helper()
	return w.send(b, w.request("GET", path, nil))
}

func (w *testServer) back(b *browser, token string) answer {
	w.t.Helper()
	return w.get(b, "/redirect/return?jwt="+token)
}

const formType = "application/x-www-form-urlencoded"

// post sends a cross-site form POST, without cookies.
func (w *testServer) post(body, contentType string) answer {
	w.t.Helper()
	return w.send(nil, w.request("POST", "/redirect/return", strings.NewReader(body), "Content-Type", contentType, "Origin", "null"))
}

// wantRefused checks that a is a refusal and that v is still open.
func (w *testServer) wantRefused(a answer, v visit) {
	w.t.Helper()
	if a.status < 400 || a.status > 499 {
		w.t.Errorf("status = %d, want 4xx", a.status)
	}
	if a.location != "" || a.header.Get("Set-Cookie") != "" {
		w.t.Errorf("a refusal redirects to %q, sets cookie %q", a.location, a.header.Get("Set-Cookie"))
	}
	w.wantPage(a)
	if got := w.landings(v.ID); len(got) != 0 {
		w.t.Errorf("a refused return landed %v", got)
	}
}

func (w *testServer) wantPage(a answer) {
	w.t.Helper()
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
		if got := a.header.Get(name); got != want {
			w.t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(a.header.Get("Content-Security-Policy"), "default-src 'none'") {
		w.t.Errorf("Content-Security-Policy = %q", a.header.Get("Content-Security-Policy"))
	}
}

// wantLanded checks that a redirects to v's application and that v was consumed once,
// with outcome.
func (w *testServer) wantLanded(a answer, v visit, outcome string) {
	w.t.Helper()
	w.wantPage(a)
	if want := "/applications/" + v.Application; a.status != 303 || a.location != want {
		w.t.Errorf("answer = %d to %q, want 303 to %q; %s", a.status, a.location, want, w.log)
	}
	if got := w.landings(v.ID); len(got) != 1 || got[0] != outcome {
		w.t.Errorf("landings = %v, want one %s", got, outcome)
	}
}

func showNotice(w http.ResponseWriter, r *http.Request, status int, n Notice) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<title>%s</title><p lang=es>%s</p>%s", i18n.T(i18n.English, n.Title),
		i18n.T(i18n.Spanish, n.Text), httpx.RequestID(r.Context()))
	return nil
}

// fakeService answers each request for a redirect with link, and records it.
type fakeService struct {
	mu    sync.Mutex
	asked []svcapi.RedirectRequest
	link  string // redirectUrl
	fails bool
}

func (s *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path != "/secure-redirect" {
		fmt.Fprint(w, `{"accessToken":"a","exp":4000000000}`)
		return
	}
	var in svcapi.RedirectRequest
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || s.fails {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.asked = append(s.asked, in)
	json.NewEncoder(w).Encode(map[string]any{"redirectUrl": s.link, "redirectToken": "t", "exp": 4000000000})
}

func (s *fakeService) last() svcapi.RedirectRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[len(s.asked)-1]
}

func form(token string) string { return url.Values{"token": {token}}.Encode() }
