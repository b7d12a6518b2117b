package attacktest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/webhook"
)

// checkInvariants checks at the end of a test what must hold after any attack: each valid
// redirect callback has its report, fetched once; few key sets and access tokens were
// requested; and no log, metric or database contains secrets or personal data.
func (f *fleet) checkInvariants(t *testing.T) {
	t.Helper()
	for _, v := range f.returned {
		until(t, "an application whose return was good", func() (string, bool) {
			n := v.fetched()
			return fmt.Sprintf("its report was fetched %d times", n), n > 0
		})
	}
	for _, v := range f.returned {
		until(t, "an application whose report was fetched", func() (string, bool) {
			s := f.state(t, v)
			return s, s == "ready"
		})
		if n := v.fetched(); n != 1 {
			t.Errorf("a report was fetched %d times", n)
		}
	}
	// Each replica may fetch the key set at its start, where one fetch may fail, once a
	// minute, and once in 30 seconds for unknown kids.
	replicas := len(f.dirs)
	took := time.Since(f.began)
	if n, most := int(f.service.keySets.Load()), replicas*(3+int(took/time.Minute)+int(took/(30*time.Second))); n > most {
		t.Errorf("%d fetches of the key set in %v, want at most %d", n, took, most)
	}
	if n, most := int(f.service.tokens.Load()), replicas*(2+int(took/(4*time.Minute))); n > most {
		t.Errorf("%d calls for an access token, want at most %d", n, most)
	}
	if n := f.service.spied.Load(); n != 0 {
		t.Errorf("%d requests to where tokens point", n)
	}
	log := f.log.String()
	for _, s := range slices.Concat(f.secrets, f.names) {
		if i := strings.Index(log, s); s != "" && i >= 0 {
			t.Errorf("the log has %q: …%s…", s, log[max(0, i-200):min(len(log), i+100)])
		}
	}
	for _, bad := range []string{"goroutine ", "level=ERROR", "DATA RACE"} {
		if i := strings.Index(log, bad); i >= 0 {
			t.Errorf("the log has %s…", log[max(0, i-100):min(len(log), i+400)])
		}
	}
	stored := f.stored(t)
	for _, at := range f.admins {
		stored["the metrics"] = f.good(t, 200, nil, "GET", at+"/metrics", "").body
	}
	for where, text := range stored {
		for _, s := range f.secrets {
			if s != "" && s != "eyJ" && strings.Contains(text, s) {
				t.Errorf("%q is not encrypted in %s", s, where)
			}
		}
	}
}

// stored returns the whole database as text, by file or table.
func (f *fleet) stored(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	if f.databaseURL == "" {
		files, _ := filepath.Glob(filepath.Join(f.dirs[0], "*.db*"))
		for _, file := range files {
			raw := testutil.ReadFile(t, file)
			out[filepath.Base(file)] = string(raw)
		}
		return out
	}
	db, err := sql.Open("pgx", f.databaseURL)
	testutil.Must(t, err)
	defer db.Close()
	strs := func(query string) []string {
		all, err := store.QueryAll(t.Context(), db, store.ScanOne[string], query)
		testutil.Must(t, err)
		return all
	}
	tables := strs(`SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`)
	if len(tables) < 10 {
		t.Fatalf("only %d tables", len(tables))
	}
	for _, table := range tables {
		out[table] = strings.Join(strs(`SELECT t::text FROM `+table+` t`), "\n")
	}
	return out
}

// TestReturnIsBoundAndSingleUse checks that a redirect callback works only in the browser that
// began the attempt, and only once.
func TestReturnIsBoundAndSingleUse(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	each(t, func(t *testing.T, f *fleet) {
		for _, way := range wayNames {
			t.Run("another browser, and none, by "+way, func(t *testing.T) { refuseReturnElsewhere(t, f, way) })
			t.Run("again, and in other bytes, by "+way, func(t *testing.T) { repeatReturn(t, f, way) })
		}
		t.Run("of another attempt of the same browser", func(t *testing.T) { returnFirstOfTwoAttempts(t, f) })
		t.Run("fifty at once", func(t *testing.T) { returnFiftyTimes(t, f) })
		t.Run("fifty POSTs at once", func(t *testing.T) { returnFiftyTimesByPost(t, f) })
		t.Run("an old cookie jar", func(t *testing.T) { refuseOldCookies(t, f) })
		t.Run("one publicToken on two attempts", func(t *testing.T) { refuseTokenOfOtherAttempt(t, f) })
		t.Run("the first outcome counts", func(t *testing.T) { keepFirstOutcome(t, f) })
		t.Run("after a sign-in and sign-out", func(t *testing.T) { refuseReturnAfterSignIn(t, f) })
		t.Run("many tabs", func(t *testing.T) { returnManyTabs(t, f) })
		t.Run("cookies", func(t *testing.T) { refuseChangedCookies(t, f) })
		f.checkInvariants(t)
	})
}

func refuseReturnElsewhere(t *testing.T, f *fleet, way string) {
	s := f.service
	v := f.start(t, &browser{})
	token := s.token(v.task, nil)
	stranger := f.start(t, &browser{})
	for name, b := range map[string]*browser{"another": stranger.browser, "none": nil} {
		got := ways[way](t, f, b, token)
		refused(t, name, got)
		if got.status != 403 || !strings.Contains(got.body, "first window") {
			t.Errorf("%s: not told to continue in the first window: %d", name, got.status)
		}
	}
	f.checkOpen(t, way, v)
	f.complete(t, way, v)
	f.complete(t, way, stranger)
}

func repeatReturn(t *testing.T, f *fleet, way string) {
	s := f.service
	v := f.start(t, &browser{})
	other := f.start(t, &browser{})
	token := s.token(v.task, nil)
	s.finish(v.task)
	for i, again := range []string{token, token, mirrored(token)} {
		got := ways[way](t, f, v.browser, again)
		if got.status != 303 || got.location() != v.application {
			t.Errorf("time %d: %d to %q", i+1, got.status, got.location())
		}
		if i > 0 && got.header.Get("Set-Cookie") != "" {
			t.Errorf("time %d: a new session", i+1)
		}
		refused(t, "another browser", ways[way](t, f, other.browser, again))
	}
	refused(t, "unused bits", ways[way](t, f, v.browser, trailing(token)))
	f.returned = append(f.returned, v)
	f.complete(t, way, other)
}

func returnFirstOfTwoAttempts(t *testing.T, f *fleet) {
	s := f.service
	b := &browser{}
	first, second := f.start(t, b), f.start(t, b)
	s.finish(first.task)
	if got := ways["GET"](t, f, b, s.token(first.task, nil)); got.location() != first.application {
		t.Errorf("the first's return leads to %q", got.location())
	}
	f.checkOpen(t, "the second", second)
	f.returned = append(f.returned, first)
	f.complete(t, "form", second)
}

func returnFiftyTimes(t *testing.T, f *fleet) {
	s := f.service
	v := f.start(t, &browser{})
	s.finish(v.task)
	token := s.token(v.task, nil)
	by := f.atOnce(t, 50, func(int) (reply, error) {
		return f.send(v.browser.copy(), "GET", "/redirect/return?jwt="+token, "")
	})
	renewed := ""
	cookies := 0
	for _, got := range by[303] {
		if c := got.header.Get("Set-Cookie"); c != "" {
			cookies++
			renewed, _, _ = strings.Cut(strings.TrimPrefix(c, "vestibule="), ";")
		}
	}
	// Requests with the old session after its renewal are refused.
	if len(by[303])+len(by[403]) != 50 || cookies != 1 {
		t.Errorf("%d went on, %d were strangers, %d were given a session", len(by[303]), len(by[403]), cookies)
	}
	v.browser.cookies["vestibule"] = renewed
	f.returned = append(f.returned, v)
}

func returnFiftyTimesByPost(t *testing.T, f *fleet) {
	s := f.service
	v := f.start(t, &browser{})
	s.finish(v.task)
	form := url.Values{"token": {s.token(v.task, nil)}}.Encode()
	stored := f.atOnce(t, 50, func(int) (reply, error) {
		return f.send(nil, "POST", "/redirect/return", form, "Content-Type", asForm, "Origin", "null")
	})
	if len(stored[303]) != 50 {
		t.Fatalf("%d of 50 were stored", len(stored[303]))
	}
	cookies := 0
	for _, got := range f.atOnce(t, 50,
		func(i int) (reply, error) { return f.send(v.browser.copy(), "GET", stored[303][i].location(), "") })[303] {
		if c := got.header.Get("Set-Cookie"); c != "" {
			cookies++
			v.browser.cookies["vestibule"], _, _ = strings.Cut(strings.TrimPrefix(c, "vestibule="), ";")
		}
	}
	if cookies != 1 {
		t.Errorf("%d sessions were renewed", cookies)
	}
	f.returned = append(f.returned, v)
}

func refuseOldCookies(t *testing.T, f *fleet) {
	s := f.service
	b := &browser{}
	first, second := f.start(t, b), f.start(t, b)
	old := b.copy()
	f.complete(t, "GET", first)
	if b.header() == old.header() {
		t.Error("the session's secret is the one of before")
	}
	refused(t, "the old jar", ways["GET"](t, f, old, s.token(second.task, nil)))
	refused(t, "the old jar, by form", ways["form"](t, f, old, s.token(second.task, nil)))
	if got := f.do(t, old, "GET", first.application, ""); got.status != 404 {
		t.Errorf("the old jar sees the application: %d", got.status)
	}
	f.checkOpen(t, "the second", second)
	f.complete(t, "GET", second)
}

func refuseTokenOfOtherAttempt(t *testing.T, f *fleet) {
	s := f.service
	first, second := f.start(t, &browser{}), f.start(t, &browser{})
	f.complete(t, "GET", first)
	for _, way := range wayNames {
		for _, id := range []string{first.publicToken, strings.ToUpper(first.publicToken)} {
			refused(t, way, ways[way](t, f, second.browser, s.token(second.task, object{"publicToken": id})))
		}
	}
	f.checkOpen(t, "the second", second)
	f.complete(t, "JSON", second)
}

func keepFirstOutcome(t *testing.T, f *fleet) {
	s := f.service
	exit := object{"outcome": "EXIT", "publicToken": nil, "status": nil}
	for name, order := range map[string][]object{"exited": {exit, nil}, "ready": {nil, exit}} {
		v := f.start(t, &browser{})
		s.finish(v.task)
		for _, claims := range order {
			ways["GET"](t, f, v.browser, s.token(v.task, claims))
		}
		until(t, "the first of two outcomes", func() (string, bool) {
			got := f.state(t, v)
			return got + ", want " + name, got == name
		})
	}
}

func refuseReturnAfterSignIn(t *testing.T, f *fleet) {
	s := f.service
	v := f.start(t, &browser{})
	before := v.browser.copy()
	in := f.do(t, v.browser, "POST", "/review/sign-in", url.Values{"email": {f.reviewer.Email},
		"password": {f.reviewer.Password}}.Encode(), "Content-Type", asForm)
	if in.status != 303 {
		t.Fatalf("the reviewer's sign-in fails: %d", in.status)
	}
	for _, way := range wayNames {
		refused(t, "the reviewer, "+way, ways[way](t, f, v.browser, s.token(v.task, nil)))
	}
	f.good(t, 303, v.browser, "POST", "/review/sign-out", "", "Content-Type", asForm)
	refused(t, "after signing out", ways["GET"](t, f, v.browser, s.token(v.task, nil)))
	refused(t, "with the cookie of before", ways["GET"](t, f, before, s.token(v.task, nil)))
	if v.fetched() != 0 {
		t.Error("the report was asked for")
	}
}

func returnManyTabs(t *testing.T, f *fleet) {
	b := &browser{}
	for range 22 {
		f.start(t, b)
	}
	var tabs []*visit
	for range 8 {
		tabs = append(tabs, f.start(t, b))
	}
	if n := len("Cookie: " + b.header()); n >= 4<<10 {
		t.Errorf("the Cookie header has %d bytes", n)
	}
	for i := len(tabs) - 1; i >= 0; i-- {
		f.complete(t, wayNames[i%3], tabs[i])
	}
}

func refuseChangedCookies(t *testing.T, f *fleet) {
	s := f.service
	v, other := f.start(t, &browser{}), f.start(t, &browser{})
	good := v.browser.cookies["vestibule"]
	for name, c := range map[string]string{"tampered": "A" + good[1:], "cut": good[:len(good)/2],
		"longer": good + "A", "swapped": other.browser.cookies["vestibule"],
		"mixed": good[:len(good)/2] + other.browser.cookies["vestibule"][len(good)/2:], "huge": strings.Repeat("A", 20_000)} {
		b := &browser{cookies: map[string]string{"vestibule": c}}
		refused(t, name, ways["GET"](t, f, b, s.token(v.task, nil)))
		if got := f.do(t, &browser{cookies: map[string]string{"vestibule": c}}, "GET", v.application, ""); got.status != 404 {
			t.Errorf("%s: the application is seen: %d", name, got.status)
		}
	}
	f.checkOpen(t, "cookies", v)
	got := ways["GET"](t, f, v.browser, s.token(v.task, nil))
	c := got.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(c, want) {
			t.Errorf("the cookie has no %s", want)
		}
	}
	if strings.Contains(c, "Domain=") {
		t.Error("the cookie is for other hosts too")
	}
	s.finish(v.task)
	f.returned = append(f.returned, v)
}

// atOnce sends n requests at once, and returns their answers by status. A server error
// fails the test.
func (f *fleet) atOnce(t *testing.T, n int, request func(i int) (reply, error)) map[int][]reply {
	t.Helper()
	var wait sync.WaitGroup
	var mu sync.Mutex
	out, begin := map[int][]reply{}, make(chan struct{})
	for i := range n {
		wait.Go(func() {
			<-begin
			got, err := request(i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || got.status >= 500 {
				t.Errorf("request %d: %d, %v", i, got.status, err)
			}
			out[got.status] = append(out[got.status], got)
		})
	}
	close(begin)
	wait.Wait()
	return out
}

// tokenForm is the body of a form that returns a token.
func tokenForm(token string) string { return url.Values{"token": {token}}.Encode() }

// TestTransport checks methods, content types, hosts, queries and other variations of
// requests.
func TestTransport(t *testing.T) {
	each(t, func(t *testing.T, f *fleet) {
		s := f.service
		b := &browser{}
		post := func(kind string, body func(token string) string) func(v *visit, token string) reply {
			return func(v *visit, token string) reply {
				return f.do(t, v.browser, "POST", "/redirect/return", body(token), "Content-Type", kind)
			}
		}
		query := func(q func(token string) string) func(v *visit, token string) reply {
			return func(v *visit, token string) reply { return f.do(t, v.browser, "GET", "/redirect/return"+q(token), "") }
		}
		with := func(method string, header ...string) func(v *visit, token string) reply {
			return func(v *visit, token string) reply {
				return f.do(t, v.browser, method, "/redirect/return?jwt="+token, "", header...)
			}
		}
		large := func(method, query, body string, header ...string) func(v *visit, token string) reply {
			return func(v *visit, _ string) reply {
				got, err := f.send(v.browser, method, "/redirect/return"+query, body, header...)
				if err != nil { // the server closed the connection while the request was sent
					return reply{status: 431}
				}
				return got
			}
		}
		attacks := map[string]func(v *visit, token string) reply{
			"another type":   post("text/plain", tokenForm),
			"no type":        post("", tokenForm),
			"multipart":      post("multipart/form-data; boundary=x", tokenForm),
			"trailing bytes": post(asJSON, func(s string) string { return `{"token":"` + s + `"}x` }),
			"two tokens":     post(asForm, func(s string) string { return tokenForm(s) + "&" + tokenForm(s) }),
			"two in JSON":    post(asJSON, func(s string) string { return `{"token":"` + s + `","token":"` + s + `"}` }),
			"another field":  post(asForm, func(s string) string { return tokenForm(s) + "&next=//evil.example" }),
			"ten MiB":        large("POST", "", strings.Repeat("A", 10<<20), "Content-Type", asForm),
			"a MiB":          large("GET", "?jwt="+strings.Repeat("A", 1<<20), ""),
			"a million dots": large("GET", "?jwt="+strings.Repeat(".", 1_000_000), ""),
			"deep":           post(asJSON, func(string) string { return strings.Repeat(`{"token":`, 4000) }),
			"in query and body": func(v *visit, s string) reply {
				return f.do(t, b, "POST", "/redirect/return?jwt="+s, tokenForm(s), "Content-Type", asForm)
			},
			"HEAD":           with("HEAD"),
			"OPTIONS":        with("OPTIONS"),
			"PUT":            with("PUT"),
			"DELETE":         with("DELETE"),
			"prefetch":       with("GET", "Sec-Purpose", "prefetch;prerender"),
			"override":       with("HEAD", "X-HTTP-Method-Override", "GET"),
			"another host":   with("GET", "Host", "evil.example"),
			"a host of ours": with("GET", "Host", "localhost.evil.example"),
			"jwt twice":      query(func(s string) string { return "?jwt=" + s + "&jwt=" + s }),
			"JWT":            query(func(s string) string { return "?JWT=" + s }),
			"jwt[]":          query(func(s string) string { return "?jwt[]=" + s }),
			"a semicolon":    query(func(s string) string { return "?a=b;jwt=" + s }),
			"a next address": query(func(s string) string { return "?jwt=" + s + "&next=https://evil.example" }),
		}
		for name, attack := range attacks {
			v := f.start(t, b)
			refused(t, name, attack(v, s.token(v.task, nil)))
			f.checkOpen(t, name, v)
			f.complete(t, "GET", v)
		}
		t.Run("from other sites", func(t *testing.T) { refuseOtherSites(t, f, b) })
		t.Run("forwarding headers", func(t *testing.T) { ignoreForwardingHeaders(t, f, b) })
		t.Run("open redirects", func(t *testing.T) { refuseOpenRedirects(t, f) })
		t.Run("redirectUrl of the service", func(t *testing.T) { refuseForeignRedirectURLs(t, f) })
		t.Run("the last page", func(t *testing.T) { checkLastPage(t, f, b) })
		t.Run("the playground gives applicants' rights only", func(t *testing.T) { attackPlayground(t, f, b) })
		t.Run("URLs of an onboarding app", func(t *testing.T) { refuseURLsOfOnboardingApp(t, f) })
		t.Run("applications of others", func(t *testing.T) { refuseOthersApplications(t, f) })
		f.checkInvariants(t)
	})
}

func refuseOtherSites(t *testing.T, f *fleet, b *browser) {
	s := f.service
	v := f.start(t, b)
	for _, from := range [][]string{{"Origin", "null"}, {"Origin", "null", "Sec-Fetch-Site", "cross-site"},
		{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}} {
		for _, path := range []string{v.application + "/restart", v.application + "/link", v.application +
			"/callbacks", "/applications", "/review/sign-in", "/review/sign-out"} {
			refused(t, fmt.Sprint(path, from), f.do(t, b.copy(), "POST", path, "", append(from, "Content-Type", asForm)...))
		}
		// A redirect callback is accepted without a cookie, and sets none.
		got := f.do(t, nil, "POST", "/redirect/return", tokenForm(s.token(v.task, nil)), append(from, "Content-Type", asForm)...)
		if got.status != 303 || !strings.HasPrefix(got.location(), "/redirect/finish/") || len(got.header.Values("Set-Cookie")) != 0 {
			t.Errorf("%v = %d to %q", from, got.status, got.location())
		}
		for _, ahead := range [][]string{{"HEAD"}, {"GET", "Sec-Purpose", "prefetch"}} {
			refused(t, "a handle ahead", f.do(t, b.copy(), ahead[0], got.location(), "", ahead[1:]...))
		}
		refused(t, "without cookies", f.do(t, nil, "GET", got.location(), ""))
	}
	f.checkOpen(t, "from other sites", v)
	f.complete(t, "form", v)
}

func ignoreForwardingHeaders(t *testing.T, f *fleet, b *browser) {
	s := f.service
	v := f.start(t, b)
	s.finish(v.task)
	got := f.do(t, b, "GET", "/redirect/return?jwt="+s.token(v.task, nil), "",
		"X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "ftp",
		"Forwarded", "host=evil.example", "X-Original-Url", "/review", "X-Rewrite-Url", "/review")
	if got.location() != v.application {
		t.Errorf("the return leads to %q", got.location())
	}
	f.returned = append(f.returned, v)
}

func refuseOpenRedirects(t *testing.T, f *fleet) {
	for _, next := range []string{"//evil.example", "https://evil.example", `/\evil.example`,
		"/%5cevil.example", "javascript:alert(1)", "/\t/evil.example"} {
		for _, path := range []string{"/review/sign-in", "/", "/apply/cashflow", "/return"} {
			got := f.do(t, nil, "GET", path+"?next="+url.QueryEscape(next)+"&return="+url.QueryEscape(next), "")
			if strings.Contains(got.location(), "evil") || strings.Contains(got.body, `="`+next) {
				t.Errorf("%s leads to %q", path, next)
			}
		}
		in := url.Values{"email": {f.reviewer.Email}, "password": {"wrong"}, "next": {next}}
		if got := f.do(t, nil, "POST", "/review/sign-in", in.Encode(), "Content-Type", asForm); got.location() != "" {
			t.Errorf("a wrong sign-in leads to %q", got.location())
		}
	}
	for _, path := range []string{"//evil.example", "/%2fevil.example", "/%5cevil.example", "/%09/evil.example", "/./evil.example/.."} {
		if got := f.do(t, nil, "GET", f.url+path, ""); got.location() != "" &&
			(got.location()[0] != '/' || strings.HasPrefix(got.location(), "//")) {
			t.Errorf("%s leads to %q", path, got.location())
		}
	}
}

func refuseForeignRedirectURLs(t *testing.T, f *fleet) {
	s := f.service
	host := strings.TrimPrefix(s.URL, "http://")
	for _, to := range []string{"javascript:alert(1)", "data:text/html,x", "https://evil.example/redirect/N",
		"http://" + host + "@evil.example/N", "http://evil@" + host + "/N",
		"//evil.example/N", "/redirect/N", "http://" + host + ".evil.example/N", s.URL + "/a\r\nSet-Cookie: a=b",
		"http://" + host + "\\@evil.example/N", "ftp://" + host + "/N", ""} {
		s.set(func() { s.lead = func(string) string { return to } })
		fresh := &browser{}
		at := f.apply(t, fresh)
		got := f.do(t, fresh, "GET", at+"/connect", "")
		if got.location() != "" || got.status >= 400 && got.status < 500 || strings.Contains(got.body, "evil.example") {
			t.Errorf("%q: %d to %q\n%.300s", to, got.status, got.location(), got.body)
		}
		s.set(func() { s.lead = nil })
		away := f.good(t, 303, fresh, "GET", at+"/connect", "").location()
		f.complete(t, "GET", &visit{s.task(away), fresh, at})
	}
}

func checkLastPage(t *testing.T, f *fleet, b *browser) {
	v := f.start(t, b)
	f.complete(t, "GET", v)
	got := f.good(t, 200, b, "GET", v.application, "")
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if !strings.Contains(got.header.Get(name), want) {
			t.Errorf("%s = %q", name, got.header.Get(name))
		}
	}
	if csp := got.header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("Content-Security-Policy = %q", csp)
	}
	if strings.Contains(v.application, "?") || strings.Contains(got.body, v.publicToken) || strings.Contains(got.body, "eyJ") {
		t.Error("the last page's address or text has more than it should")
	}
}

func attackPlayground(t *testing.T, f *fleet, b *browser) {
	s := f.service
	f.keep("ana@example.com", "Pérez")
	choice := url.Values{"product": {"cashflow"}, "integration": {"redirect"}, "person": {"ana"},
		"username": {`"><script>alert(1)</script>`}, "theme": {"//evil.example"},
		"origin": {"https://evil.example"}, "returnUrl": {"https://evil.example"},
		"externalId": {"taken"}, "publicId": {"applicant-else"}}.Encode()
	refused(t, "another site's page", f.do(t, b.copy(), "POST", "/developers/runs", choice, "Content-Type",
		asForm, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"))
	mine := &browser{}
	run := f.good(t, 303, mine, "POST", "/developers/runs", choice, "Content-Type", asForm).location()
	at := strings.Replace(run, "/developers/runs", "/applications", 1)
	away := f.good(t, 303, mine, "GET", at+"/connect", "").location()
	v := &visit{s.task(away), mine, at}
	f.keep(v.args, mine.cookies["vestibule"])
	for name, other := range map[string]*browser{"another applicant": b.copy(), "no cookies": nil} {
		for _, path := range []string{run, at, at + "/stream"} {
			refused(t, name+" at "+path, f.do(t, other, "GET", path, ""))
		}
	}
	if got := f.do(t, mine, "GET", strings.Replace(f.start(t, b).application, "/applications", "/developers/runs", 1),
		""); got.status != 404 {
		t.Errorf("another's application is shown as a run: %d", got.status)
	}
	f.checkOpen(t, "the playground", v)
	f.complete(t, "form", v)
	until(t, "a run", func() (string, bool) { st := f.state(t, v); return st, st == "ready" })
	page := f.good(t, 200, mine, "GET", run, "").body
	for _, bad := range []string{"evil.example", "<script>alert", "applicant-else", v.publicToken,
		v.args, f.apiKey, secretKey, f.secret, "ana@example.com", firstName} {
		if strings.Contains(page, bad) {
			t.Errorf("the page of a run has %q", bad)
		}
	}
}

func refuseURLsOfOnboardingApp(t *testing.T, f *fleet) {
	for _, bad := range []string{"javascript:alert(1)", "data:text/html,x", "//evil.example", "https://a@evil.example/",
		"ftp://evil.example/", "https://evil.example/\r\nSet-Cookie: a=b",
		"http://evil.example/", "https:/evil.example", "/redirect/return", "https://"} {
		for _, member := range []string{"returnUrl", "allowedOrigin"} {
			raw, _ := json.Marshal(map[string]any{"product": "cashflow", "mode": "embedded", member: bad})
			got := f.do(t, nil, "POST", "/api/v1/applications", string(raw), "Authorization", "Bearer "+f.apiKey, "Content-Type", asJSON)
			if refused(t, member+" "+bad, got); got.status != 400 {
				t.Errorf("%s %q = %d", member, bad, got.status)
			}
		}
	}
}

func refuseOthersApplications(t *testing.T, f *fleet) {
	mine, theirs := f.start(t, &browser{}), f.start(t, &browser{})
	unknown := "/applications/" + uuid.NewString()
	for _, path := range []string{"", "/connect", "/stream"} {
		got, want := f.do(t, theirs.browser.copy(), "GET", mine.application+path, ""), f.do(t, theirs.browser.copy(), "GET", unknown+path, "")
		if got.status != want.status || got.status != 404 {
			t.Errorf("%s of another applicant = %d, of an unknown application = %d", path, got.status, want.status)
		}
	}
	callback := `{"eventId":"e-1","type":"onSuccess","attempt":1,"publicToken":"` + mine.publicToken + `","status":"SUCCESS"}`
	refused(t, "another's callback", f.do(t, theirs.browser.copy(), "POST", mine.application+"/callbacks", callback, "Content-Type", asJSON))
	for _, path := range []string{"/restart", "/link", "/applicant"} {
		refused(t, "another's "+path, f.do(t, theirs.browser.copy(), "POST", mine.application+path, "", "Content-Type", asForm))
	}
	f.checkOpen(t, "of others", mine)
	f.complete(t, "GET", mine)
}

// TestKeySets changes the service's key set, requests unknown kids in large numbers,
// and makes the key set fail.
func TestKeySets(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	each(t, func(t *testing.T, f *fleet) {
		s := f.service
		b := &browser{}
		// The key set is unavailable at the first redirect callback, which can be retried.
		v := f.start(t, b)
		for s.set(func() { s.broken = 1 }); s.keySets.Load() < int32(len(f.dirs)); {
			got := ways["GET"](t, f, b, s.token(v.task, nil))
			refused(t, "without keys", got)
			if got.header.Get("Retry-After") == "" {
				t.Error("the answer has no Retry-After")
			}
		}
		f.checkOpen(t, "without keys", v)
		s.set(func() { s.broken = 0 })
		until(t, "the same return, later", func() (string, bool) {
			s.finish(v.task)
			got := ways["GET"](t, f, b, s.token(v.task, nil))
			return fmt.Sprint(got.status), got.status == 303 && s.keySets.Load() >= int32(2*len(f.dirs))
		})
		f.returned = append(f.returned, v)

		// A newly published key works at once, at every replica.
		s.set(func() { s.published = true })
		for range 2 * len(f.dirs) {
			v := f.start(t, b)
			s.finish(v.task)
			if got := ways["GET"](t, f, b, sign(s.header(object{"kid": "later"}), s.claims(v.task, nil), s.later)); got.status != 303 {
				t.Errorf("42: a new key is not known: %d", got.status)
			}
			f.returned = append(f.returned, v)
		}

		// A thousand unknown kids, while the key set answers badly in every way.
		known := s.keySets.Load()
		open := f.start(t, b)
		for broken := 0; broken <= 4; broken++ {
			s.set(func() { s.broken = broken })
			by := f.atOnce(t, 200, func(i int) (reply, error) {
				return f.send(nil, "GET", "/redirect/return?jwt="+sign(s.header(object{"kid": uuid.NewString()}), s.claims(open.task, nil), s.key), "")
			})
			if len(by[400]) != 200 {
				t.Errorf("43: %d of 200 unknown kids are refused as such", len(by[400]))
			}
			f.complete(t, wayNames[broken%3], f.start(t, b))
		}
		if n := s.keySets.Load() - known; n > int32(len(f.dirs))*int32(1+time.Since(f.began)/(30*time.Second)) {
			t.Errorf("43: a thousand unknown kids cost %d fetches", n)
		}
		s.set(func() { s.broken = 0 })

		// A known kid does not make another key valid.
		other := f.start(t, b)
		refused(t, "another key by a known kid", ways["GET"](t, f, b, sign(s.header(object{"kid": "later"}), s.claims(other.task, nil), s.key)))
		f.complete(t, "form", other)
		f.complete(t, "GET", open)
		f.checkInvariants(t)
	})
}

// TestBackChannel attacks the calls between servers, and the portal's other endpoints.
func TestBackChannel(t *testing.T) {
	each(t, func(t *testing.T, f *fleet) {
		key := []string{"Authorization", "Bearer " + f.apiKey, "Content-Type", asJSON}
		t.Run("the service stumbles", func(t *testing.T) { endWellWhereServiceStumbles(t, f) })
		t.Run("webhooks", func(t *testing.T) { forgeWebhooks(t, f) })
		t.Run("an embed token works in one browser", func(t *testing.T) { useEmbedTokenOnce(t, f, key) })
		t.Run("a resume link works in one browser", func(t *testing.T) { useResumeLinkOnce(t, f) })
		t.Run("an Idempotency-Key over replicas", func(t *testing.T) { repeatIdempotencyKey(t, f, key) })
		t.Run("rates", func(t *testing.T) { exceedRates(t, f, key) })
		f.checkInvariants(t)
	})
}

func endWellWhereServiceStumbles(t *testing.T, f *fleet) {
	s := f.service
	for _, stumbles := range [][]int{{401}, {503, 502}, {429, 429}, {500}} {
		s.set(func() { s.stumbles = stumbles })
		v := f.start(t, &browser{})
		f.complete(t, "GET", v)
		until(t, fmt.Sprint("after ", stumbles), func() (string, bool) { st := f.state(t, v); return st, st == "ready" })
	}
}

func forgeWebhooks(t *testing.T, f *fleet) {
	s := f.service
	v := f.start(t, &browser{})
	event := webhook.Event{EventID: "evt_attack", Type: webhook.TypeVisit, CreatedAt: time.Now(), Environment: contract.Sandbox,
		PublicID: publicID, ProductID: productID, PublicToken: v.publicToken, ExternalID: v.externalID, Status: contract.StatusSuccess}
	body, _ := json.Marshal(event)
	foreign := event
	foreign.PublicID = "applicant-else"
	theirs, _ := json.Marshal(foreign)
	signed := func(secret, id string, at time.Time, body []byte) []string {
		parsed, err := webhook.ParseSecret(secret)
		testutil.Must(t, err)
		h := map[string][]string{}
		testutil.Must(t, webhook.Sign(h, []webhook.Secret{parsed}, id, at, body))
		out := []string{"Content-Type", asJSON}
		for name, values := range h {
			out = append(out, name, values[0])
		}
		return out
	}
	change := func(header []string, name, value string) []string {
		out := append([]string{}, header...)
		for i := range out {
			if strings.EqualFold(out[i], name) {
				out[i+1] = value
			}
		}
		return out
	}
	good := signed(f.secret, "evt_attack", time.Now(), body)
	for name, h := range map[string][]string{
		"not signed":     {"Content-Type", asJSON},
		"another secret": signed(webhook.NewSecret(), "evt_attack", time.Now(), body),
		"late":           signed(f.secret, "evt_attack", time.Now().Add(-6*time.Minute), body),
		"early":          signed(f.secret, "evt_attack", time.Now().Add(6*time.Minute), body),
		"another id":     change(good, webhook.HeaderID, "evt_other"),
		"another time":   change(good, webhook.HeaderTimestamp, fmt.Sprint(time.Now().Unix()+7)),
		"signed twice":   append(append([]string{}, good...), webhook.HeaderSignature, "v1,AAAA"),
	} {
		refused(t, name, f.do(t, nil, "POST", "/webhooks/visit", string(body), h...))
	}
	refused(t, "another body", f.do(t, nil, "POST", "/webhooks/visit", strings.Replace(string(body), "SUCCESS", "ERROR", 1), good...))
	// A parent account receives events about its child accounts: they are acknowledged and change nothing.
	if r := f.do(t, nil, "POST", "/webhooks/visit", string(theirs), signed(f.secret, "evt_attack", time.Now(),
		theirs)...); r.status != 204 {
		t.Errorf("about another account: %d", r.status)
	}
	refused(t, "a token for a signature", f.do(t, nil, "POST", "/webhooks/visit", s.token(v.task, nil), "Content-Type", "application/jwt"))
	f.checkOpen(t, "webhooks", v)
	s.finish(v.task)
	by := f.atOnce(t, 20, func(int) (reply, error) { return f.send(nil, "POST", "/webhooks/visit", string(body), good...) })
	if len(by[204]) != 20 {
		t.Errorf("of twenty of the same, %d are taken", len(by[204]))
	}
	until(t, "an announced report", func() (string, bool) { st := f.state(t, v); return st, st == "ready" })
	// An older status arrives last.
	event.EventID, event.Status, event.CreatedAt = "evt_before", contract.StatusPending, time.Now().Add(-time.Minute)
	body, _ = json.Marshal(event)
	f.good(t, 204, nil, "POST", "/webhooks/visit", string(body), signed(f.secret, "evt_before", time.Now(), body)...)
	f.returned = append(f.returned, v)
}

func useEmbedTokenOnce(t *testing.T, f *fleet, key []string) {
	var made struct{ ID, EmbedToken string }
	body := `{"product":"cashflow","mode":"redirect","prefill":{"firstName":"` + firstName + `","lastName":"` +
		lastName + `","email":"` + email + `","dob":"1980-02-29"}}`
	json.Unmarshal([]byte(f.good(t, 201, nil, "POST", "/api/v1/applications", body, key...).body), &made)
	f.keep(made.EmbedToken)
	post := []string{"Content-Type", asForm, "Cookie", "vestibule-probe=1"}
	for _, bad := range []string{made.EmbedToken[1:], strings.ToLower(made.EmbedToken), made.EmbedToken + "A", "", "%00"} {
		for _, got := range []reply{f.do(t, &browser{}, "GET", "/applications/"+made.ID+"?grant="+bad, ""),
			f.do(t, &browser{}, "POST", "/applications/"+made.ID+"/connect", "grant="+bad, post...)} {
			if got.status < 400 || got.header.Get("Set-Cookie") != "" {
				t.Errorf("a bad embed token = %d", got.status)
			}
		}
	}
	other := "/applications/" + uuid.NewString()
	refused(t, "of another application", f.do(t, &browser{}, "GET", other+"?grant="+made.EmbedToken, ""))
	refused(t, "of another application", f.do(t, &browser{}, "POST", other+"/connect", "grant="+made.EmbedToken, post...))
	f.good(t, 200, &browser{}, "GET", "/applications/"+made.ID+"?grant="+made.EmbedToken, "")
	by := f.atOnce(t, 20, func(int) (reply, error) {
		return f.send(&browser{}, "POST", "/applications/"+made.ID+"/connect", "grant="+made.EmbedToken, post...)
	})
	if len(by[303]) != 1 || len(by[404]) != 19 {
		t.Errorf("%d browsers have access, %d do not", len(by[303]), len(by[404]))
	}
}

func useResumeLinkOnce(t *testing.T, f *fleet) {
	v := f.start(t, &browser{})
	page := f.good(t, 200, v.browser, "POST", v.application+"/link", "", "Content-Type", asForm, "Sec-Fetch-Site", "same-origin").body
	_, rest, _ := strings.Cut(page, f.url+"/resume/")
	secret, _, ok := strings.Cut(rest, `"`)
	if !ok || len(secret) < 20 {
		t.Fatalf("the page has no link:\n%.2000s", page)
	}
	secret = secret[:min(len(secret), 43)]
	f.keep(secret)
	f.good(t, 200, nil, "GET", "/resume/"+secret, "")
	by := f.atOnce(t, 20, func(int) (reply, error) {
		return f.send(&browser{}, "POST", "/resume/"+secret, "", "Content-Type", asForm)
	})
	if len(by[303]) != 1 {
		t.Errorf("%d browsers have access: %v", len(by[303]), len(by))
	}
	for _, bad := range []string{secret[1:], strings.ToLower(secret), "%00"} {
		if got := f.do(t, &browser{}, "POST", "/resume/"+bad, "", "Content-Type", asForm); got.status < 400 || got.status > 499 {
			t.Errorf("a bad link = %d", got.status)
		}
	}
}

func repeatIdempotencyKey(t *testing.T, f *fleet, key []string) {
	body := `{"product":"cashflow","mode":"redirect","externalId":"idem","prefill":{"firstName":"` + firstName +
		`","lastName":"` + lastName + `","email":"` + email + `","dob":"1980-02-29"}}`
	by := f.atOnce(t, 12, func(int) (reply, error) {
		return f.send(nil, "POST", "/api/v1/applications", body, append(key, "Idempotency-Key", "attack-1")...)
	})
	for _, got := range by[201] {
		if got.body != by[201][0].body {
			t.Error("one key has two answers")
		}
	}
	if len(by[201]) != 12 {
		t.Errorf("%d of 12 are answered", len(by[201]))
	}
	refused(t, "the key with another body", f.do(t, nil, "POST", "/api/v1/applications",
		strings.Replace(body, "idem", "other", 1), append(key, "Idempotency-Key", "attack-1")...))
}

func exceedRates(t *testing.T, f *fleet, key []string) {
	// Guessing keys does not use up the limit of a valid key.
	by := f.atOnce(t, 150, func(i int) (reply, error) {
		return f.send(nil, "GET", "/api/v1/applications", "", "Authorization", "Bearer "+uuid.NewString(),
			"X-Forwarded-For", fmt.Sprintf("10.0.0.%d", i))
	})
	if len(by[401])+len(by[429]) != 150 {
		t.Errorf("a guessed key is answered otherwise: %d", len(by))
	}
	f.good(t, 200, nil, "GET", "/api/v1/applications", "", key...)
	by = f.atOnce(t, 50*len(f.dirs)+200, func(int) (reply, error) { return f.send(nil, "GET", "/api/v1/applications", "", key...) })
	if len(by[429]) == 0 || len(by[200]) == 0 {
		t.Errorf("of many at once, %d are held back and %d are not", len(by[429]), len(by[200]))
	}
	for _, got := range by[429] {
		if got.header.Get("Retry-After") == "" {
			t.Error("the answer has no Retry-After")
		}
		refused(t, "held back", got)
	}
	// Applicants are not limited.
	f.complete(t, "GET", f.start(t, &browser{}))
}
