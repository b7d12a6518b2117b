package connector_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/sandbox/connector"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
	"vestibule/web"
)

const (
	provider = "paywright"
	other    = "zipporah-rides"
	callback = "https://app.example/oauth/callback"
	state    = "a state & more of it"
)

// server is a Server at a URL, with a clock that tests move.
type server struct {
	*connector.Server
	t      *testing.T
	url    string
	now    time.Time // of the sandbox
	clock  time.Time // the real clock
	secret webhook.Secret
}

func start(t *testing.T, db *store.DB) *server {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	s := &server{t: t, url: "http://" + listener.Listener.Addr().String(), now: time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC),
		clock: time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC), secret: secret(t)}
	var err error
	s.Server, err = connector.New(t.Context(), connector.Config{DB: db, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return s.now }, Clock: func() time.Time { return s.clock }, BaseURL: s.url + "/", Assets: web.Provider(),
		Secret: s.secret, RedirectURIs: []string{callback}})
	if err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = s
	listener.Start()
	t.Cleanup(listener.Close)
	return s
}

func sqlite(t *testing.T) *server { return start(t, storetest.SQLite(t, store.Provider)) }

func secret(t *testing.T) webhook.Secret {
	t.Helper()
	out, err := webhook.ParseSecret(webhook.NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// answer is an HTTP response with its body.
type answer struct {
	*http.Response
	body []byte
}

// problem returns the status and code of an error answer.
func (a answer) problem() (int, string) {
	var p struct{ Error string }
	_ = json.Unmarshal(a.body, &p) // other answers have no code
	return a.StatusCode, p.Error
}

func (s *server) do(c *http.Client, r *http.Request) answer {
	s.t.Helper()
	resp, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{resp, raw}
}

// request returns a signed request.
func (s *server) request(path string, body []byte) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+connector.Path+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if err := webhook.Sign(r.Header, []webhook.Secret{s.secret}, uuid.NewString(), s.clock, body); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// fields are the members of a request.
type fields map[string]any

// with returns the fields with others, or without those that are nil.
func (f fields) with(names ...any) fields {
	out := fields{}
	for name, v := range f {
		out[name] = v
	}
	for i := 0; i < len(names); i += 2 {
		if out[names[i].(string)] = names[i+1]; names[i+1] == nil {
			delete(out, names[i].(string))
		}
	}
	return out
}

var operations = map[string]string{"institutions": "/institutions", "authorize": "/authorizations", "complete": "/authorizations/complete",
	"renew": "/authorizations/renew", "payroll": "/payroll", "file": "/files", "dispute": "/disputes", "revoke": "/revocations"}

// call sends a signed request and checks the answer by the document.
func (s *server) call(operation string, f fields) answer {
	s.t.Helper()
	raw, err := json.Marshal(f.with("operation", operation))
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(&http.Client{Transport: openapitest.Wrap(s.t, nil)}, s.request(operations[operation], raw))
}

// want calls an operation that must succeed, and decodes the answer into v.
func (s *server) want(operation string, f fields, v any) {
	s.t.Helper()
	got := s.call(operation, f)
	if got.StatusCode >= 300 {
		s.t.Fatalf("%s %v: %d %s", operation, f, got.StatusCode, got.body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(got.body, v); err != nil {
		s.t.Fatal(err)
	}
}

func begin() fields {
	return fields{"institution": provider, "redirectUri": callback, "state": state, "language": "en"}
}

// authorization is a begun one.
type authorization struct{ URL, Authorization string }

func (s *server) begin(f fields) (a authorization) {
	s.t.Helper()
	s.want("authorize", f, &a)
	if !strings.HasPrefix(a.URL, s.url+connector.Path+"/sign-in/") {
		s.t.Fatalf("the page is %s", a.URL)
	}
	return a
}

// browser returns a browser that does not follow redirects.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (s *server) get(c *http.Client, address string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(c, r)
}

// post submits a form: names and values in turn. headers, if any, follow "--".
func (s *server) post(c *http.Client, address string, pairs ...string) answer {
	s.t.Helper()
	values := url.Values{}
	var headers []string
	if i := slices.Index(pairs, "--"); i >= 0 {
		pairs, headers = pairs[:i], pairs[i+1:]
	}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, address, strings.NewReader(values.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(c, r)
}

// returned returns the parameters that the browser takes back.
func (s *server) returned(got answer) url.Values {
	s.t.Helper()
	u, err := url.Parse(got.Header.Get("Location"))
	if err != nil || got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(u.String(), callback+"?") {
		s.t.Fatalf("leads to %d %s %s", got.StatusCode, got.Header.Get("Location"), got.body)
	}
	if u.Query().Get("state") != state {
		s.t.Errorf("returns with %v", u.Query())
	}
	return u.Query()
}

// open opens the page of an authorization.
func (s *server) open(c *http.Client, a authorization) {
	s.t.Helper()
	if got := s.get(c, a.URL); got.StatusCode != http.StatusSeeOther || !strings.HasSuffix(a.URL, got.Header.Get("Location")) {
		s.t.Fatalf("the page opens with %d %s", got.StatusCode, got.Header.Get("Location"))
	}
}

// code authorizes as a user does in a browser.
func (s *server) code(a authorization, username string) string {
	s.t.Helper()
	c := browser(s.t)
	s.open(c, a)
	s.post(c, a.URL, "action", "sign-in", "username", username, "password", "x")
	s.post(c, a.URL, "action", "code", "code", "123 456")
	return s.returned(s.post(c, a.URL, "action", "consent")).Get("code")
}

// access authorizes a user at an institution.
func (s *server) access(institution, username string) fields {
	s.t.Helper()
	a := s.begin(begin().with("institution", institution))
	var granted struct {
		Access  string
		Expires time.Time `json:"expiresAt"`
	}
	s.want("complete", fields{"institution": institution, "authorization": a.Authorization, "code": s.code(a, username)}, &granted)
	if want := s.now.AddDate(0, 0, 14); !granted.Expires.Equal(want) {
		s.t.Errorf("the access ends at %s", granted.Expires)
	}
	return fields{"institution": institution, "access": granted.Access, "from": "2025-07-15", "to": "2026-07-14"}
}

// TestInstitutions compares the answer with the list for the wiring.
func TestInstitutions(t *testing.T) {
	s := sqlite(t)
	var got struct {
		Institutions []struct {
			ID, Name, Place, PlaceES, Type string
			Kind                           sources.Kind
		}
	}
	s.want("institutions", nil, &got)
	list := connector.Institutions()
	if len(got.Institutions) != len(list) {
		t.Fatalf("%d institutions, want %d", len(got.Institutions), len(list))
	}
	kinds := map[string]int{}
	for n, in := range got.Institutions {
		if want := list[n]; in.ID != want.ID || in.Kind != want.Kind || in.Name != want.Name || in.Place != want.Place ||
			in.PlaceES != want.PlaceES || in.Type != want.Employer {
			t.Errorf("%+v, want %+v", in, want)
		}
		kinds[string(in.Kind)+in.Type]++
	}
	if kinds["payroll"+income.ProviderPayroll] != 5 || kinds["payroll"+income.ProviderGig] != 5 || len(kinds) != 3 {
		t.Errorf("the kinds are %v", kinds)
	}
}

// TestAuthorization walks an authorization to its data and its end, in both databases.
func TestAuthorization(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		s := start(t, db)
		access := s.access(provider, "default")
		again := s.call("payroll", access)
		if first := s.call("payroll", access); first.StatusCode != http.StatusOK || string(first.body) != string(again.body) {
			t.Errorf("%d %s, and then %d %s", first.StatusCode, first.body, again.StatusCode, again.body)
		}
		another := s.access(provider, "default")
		if status, code := s.call("payroll", access.with("institution", other)).problem(); status != 409 || code != "ENDED" {
			t.Errorf("access at another institution: %d %s", status, code)
		}
		for range 2 { // revoking again is not an error
			if got := s.call("revoke", fields{"institution": provider, "access": access["access"]}); got.StatusCode != http.StatusNoContent {
				t.Errorf("the revocation: %d %s", got.StatusCode, got.body)
			}
		}
		if status, code := s.call("payroll", access).problem(); status != 409 || code != "ENDED" {
			t.Errorf("after the revocation: %d %s", status, code)
		}
		s.want("payroll", another, nil)
		s.begin(begin())
		s.now = s.now.AddDate(0, 0, 14)
		if status, code := s.call("payroll", another).problem(); status != 409 || code != "ENDED" {
			t.Errorf("after 14 days: %d %s", status, code)
		}
		s.now = s.now.Add(time.Second)
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := -1
		if err := db.SQL.QueryRow(`SELECT count(*) FROM connector_authorizations`).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d authorizations are left, %v", n, err)
		}
	})
}

// TestRenewal renews access until it ends, in both databases.
func TestRenewal(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		s := start(t, db)
		type grant struct {
			Access, Refresh string
			Expires         time.Time `json:"accessExpiresAt"`
			Until           time.Time `json:"expiresAt"`
		}
		a := s.begin(begin())
		var g grant
		s.want("complete", fields{"institution": provider, "authorization": a.Authorization, "code": s.code(a, "default")}, &g)
		data := func(access string) fields {
			return fields{"institution": provider, "access": access, "from": "2026-01-01", "to": "2026-06-30"}
		}
		renew := func(refresh string) fields { return fields{"institution": provider, "refresh": refresh} }
		refused := func(name, operation string, f fields, want string) {
			t.Helper()
			if status, code := s.call(operation, f).problem(); status != 409 || code != want {
				t.Errorf("%s: %d %s, want %s", name, status, code, want)
			}
		}
		first, until := s.call("payroll", data(g.Access)), g.Until
		if first.StatusCode != http.StatusOK || !g.Expires.Equal(s.now.Add(connector.AccessLifetime).Truncate(time.Second)) {
			t.Fatalf("%d, the access expires at %s", first.StatusCode, g.Expires)
		}
		s.now = s.now.Add(connector.AccessLifetime)
		refused("expired access", "payroll", data(g.Access), "EXPIRED")
		refused("an access with another end", "payroll", data(strings.Split(g.Access, ".")[0]+".9999999999"), "ENDED")
		refused("a refresh at another institution", "renew", renew(g.Refresh).with("institution", other), "ENDED")
		refused("the access as a refresh", "renew", renew(g.Access), "ENDED")
		if status, code := s.call("renew", renew("")).problem(); status != 400 || code != "INVALID_REQUEST" {
			t.Errorf("without a refresh: %d %s", status, code)
		}
		old := g
		s.want("renew", renew(g.Refresh), &g)
		if g.Access == old.Access || g.Refresh == old.Refresh || !g.Until.Equal(until) {
			t.Errorf("renewed from %+v to %+v", old, g)
		}
		refused("a used refresh", "renew", renew(old.Refresh), "ENDED")
		refused("the old access", "payroll", data(old.Access), "ENDED")
		if again := s.call("payroll", data(g.Access)); again.StatusCode != http.StatusOK || string(again.body) != string(first.body) {
			t.Errorf("with renewed access: %d %s, before %s", again.StatusCode, again.body, first.body)
		}
		s.now = until
		refused("after the end", "renew", renew(g.Refresh), "ENDED")
		s.now = until.Add(-time.Hour)
		for range 2 { // by the refresh alone
			if got := s.call("revoke", renew(g.Refresh).with("access", "unknown")); got.StatusCode != http.StatusNoContent {
				t.Errorf("the revocation: %d %s", got.StatusCode, got.body)
			}
		}
		refused("after the revocation", "renew", renew(g.Refresh), "ENDED")
	})
}

// TestPayrollData compares the data of each user with those of the form in the widget.
func TestPayrollData(t *testing.T) {
	s := sqlite(t)
	for _, username := range []string{"default", "hourly", "gig", "two_jobs", "new_hire", "terminated", "benefit", "monthly",
		"no_statements", "incomplete", "single"} {
		for _, institution := range []string{provider, other} {
			var got income.Payroll
			s.want("payroll", s.access(institution, username), &got)
			want := payroll.Providers{}.Fetch(institution, payroll.Providers{}.Login(username).Profile, "", s.now)
			if got.Owner.Person.FullName() != want.Owner.FullName() || len(got.Jobs) != len(want.Jobs) {
				t.Fatalf("%s at %s: %+v", username, institution, got)
			}
			for n := range want.Jobs {
				if got.Jobs[n].RecordID == want.Jobs[n].RecordID || got.Jobs[n].RecordID == "" {
					t.Errorf("%s at %s: the id is %q", username, institution, got.Jobs[n].RecordID)
				}
				got.Jobs[n].RecordID, want.Jobs[n].RecordID = "", ""
				if diff := cmp.Diff(want.Jobs[n], got.Jobs[n], cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s at %s: -want +got\n%s", username, institution, diff)
				}
			}
		}
	}
	access := s.access(provider, "default")
	var got income.Payroll
	s.want("payroll", access.with("from", "2026-05-05", "to", "2026-06-05"), &got)
	var days []string
	for _, p := range got.Jobs[0].Statements {
		days = append(days, p.PayDate.String())
	}
	if want := []string{"2026-06-05", "2026-05-20", "2026-05-05"}; !slices.Equal(days, want) {
		t.Errorf("paid on %v, want %v", days, want)
	}
}

// TestUserNames checks the outcomes that usernames select.
func TestUserNames(t *testing.T) {
	s := sqlite(t)
	for username, want := range map[string]struct {
		status int
		code   string
	}{"error": {400, "INVALID_REQUEST"}, "supplier_unresponsive": {503, "UNRESPONSIVE"},
		"payroll_mfa": {409, "CONFIRMATION_REQUIRED"}} {
		if status, code := s.call("payroll", s.access(provider, username)).problem(); status != want.status || code != want.code {
			t.Errorf("%s: %d %s, want %v", username, status, code, want)
		}
	}
	a := s.begin(begin())
	expired := fields{"institution": provider, "authorization": a.Authorization, "code": s.code(a, "session_expired")}
	if status, code := s.call("complete", expired).problem(); status != 409 || code != "ABANDONED" {
		t.Errorf("session_expired: %d %s", status, code)
	}
}
