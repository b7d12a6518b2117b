package redirect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/jose"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// each runs a test on SQLite, and in make test-full on PostgreSQL too.
func each(t *testing.T, f func(t *testing.T, w *testServer)) {
	t.Helper()
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db)) })
}

// eachEngine runs a test of concurrent requests on both database engines.
func eachEngine(t *testing.T, f func(t *testing.T, w *testServer)) {
	t.Helper()
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db)) })
}

func TestReturnByGet(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		before := v.browser.cookie()
		token := w.token(v, nil)
		w.wantLanded(w.back(v.browser, token), v, "SUCCESS")
		renewed := v.browser.cookie()
		if renewed == before {
			t.Error("the session was not renewed")
		}
		// Repeat the return in this browser, and in another.
		w.wantLanded(w.back(v.browser, token), v, "SUCCESS")
		if a := w.back(w.newBrowser(), token); a.status != 403 {
			t.Errorf("another browser got %d", a.status)
		}
		w.wantLanded(w.back(v.browser, token), v, "SUCCESS")
		if v.browser.cookie() != renewed {
			t.Error("the session was renewed again")
		}
		if strings.Contains(w.log.String(), token) || strings.Contains(w.log.String(), v.sent) {
			t.Error("the log holds the token")
		}
	})
}

// TestReturnByPost sends the POST without the cookie; the same-site GET includes it.
func TestReturnByPost(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		for _, c := range []struct {
			contentType string
			body        func(token string) string
		}{
			{formType, form},
			{formType + "; charset=UTF-8", form},
			{"application/json", func(token string) string { return `{"token":"` + token + `"}` }},
		} {
			v := w.start(w.newBrowser())
			a := w.post(c.body(w.token(v, nil)), c.contentType)
			w.wantPage(a)
			if a.status != 303 || !strings.HasPrefix(a.location, "/redirect/finish/") || a.header.Get("Set-Cookie") != "" {
				t.Fatalf("POST of %s = %+v", c.contentType, a)
			}
			if got := w.landings(v.ID); len(got) != 0 {
				t.Errorf("the POST landed %v", got)
			}
			if a := w.get(nil, a.location); a.status != 403 || len(w.landings(v.ID)) != 0 {
				t.Errorf("a browser without cookie got %d", a.status)
			}
			w.wantLanded(w.get(v.browser, a.location), v, "SUCCESS")
			w.wantLanded(w.get(v.browser, a.location), v, "SUCCESS")
			if a := w.get(w.newBrowser(), a.location); a.status != 403 {
				t.Errorf("another browser got %d for a handle that was used", a.status)
			}
		}
	})
}

// TestOutcomes checks the result of each kind of outcome.
func TestOutcomes(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		for _, c := range []struct {
			claims  jose.Claims
			outcome string
		}{
			{jose.Claims{"aud": publicID}, "SUCCESS"},
			{jose.Claims{"iss": "https://provider.example"}, "SUCCESS"},
			{jose.Claims{"status": "NOT_AUTHENTICATED"}, "SUCCESS"},
			{jose.Claims{"outcome": "EXIT", "status": nil}, "EXIT"},
			{jose.Claims{"outcome": "EXIT", "status": nil, "publicToken": nil}, "EXIT"},
			{jose.Claims{"outcome": "EXIT", "status": nil, "publicToken": nil}, "EXIT"},
			{jose.Claims{"outcome": "ERROR", "status": nil, "error": "INVALID_TOKEN"}, "ERROR"},
			{jose.Claims{"outcome": "ERROR", "status": nil}, "ERROR"},
			{jose.Claims{"outcome": "ERROR", "status": nil, "error": "SOMETHING_NEW"}, "ERROR"},
		} {
			v := w.start(w.newBrowser())
			w.wantLanded(w.back(v.browser, w.token(v, c.claims)), v, c.outcome)
		}
	})
}

func TestUnknownErrorIsInternal(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		for sent, want := range map[string]contract.WidgetError{"SOMETHING_NEW": "", "SUPPLIER_ERROR": contract.WidgetSupplierError} {
			got, err := w.handler.verify(t.Context(), w.token(v, jose.Claims{"outcome": "ERROR", "error": sent}))
			if err != nil || got.outcome.Error != want {
				t.Errorf("%s: %+v, %v; want error %q", sent, got.outcome, err, want)
			}
		}
	})
}

// TestFirstOutcomeWins checks that a second outcome of an attempt changes nothing.
func TestFirstOutcomeWins(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		for _, order := range [][2]string{{"EXIT", "SUCCESS"}, {"SUCCESS", "EXIT"}, {"ERROR", "SUCCESS"}} {
			v := w.start(w.newBrowser())
			w.wantLanded(w.back(v.browser, w.token(v, jose.Claims{"outcome": order[0]})), v, order[0])
			w.wantLanded(w.back(v.browser, w.token(v, jose.Claims{"outcome": order[1]})), v, order[0])
			w.wantLanded(w.get(v.browser, w.post(form(w.token(v, jose.Claims{"outcome": order[1]})), formType).location), v, order[0])
		}
	})
}

func TestStart(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		if _, _, err := w.handler.Start(t.Context(), StartRequest{}); !errors.Is(err, ErrNoBrowser) {
			t.Errorf("without a browser: %v", err)
		}
		v := w.start(w.newBrowser())
		asked := w.service.last()
		if asked.CompleteURL != "http://portal.example/redirect/return?jwt=[token]" || asked.RedirectArgs != v.sent || len(v.sent) != 43 {
			t.Errorf("asked %+v", asked)
		}
		if got := CompleteURL("https://p.example", w.handler.Form, true); got != "https://p.example/redirect/return" {
			t.Errorf("CompleteURL = %s", got)
		}
		w.service.fails = true
		if _, _, err := w.handler.Start(t.Context(), StartRequest{Identity: "b"}); err == nil {
			t.Error("Start hides the service's error")
		}
		var plain int
		if err := w.db.SQL.QueryRow(`SELECT COUNT(*) FROM redirect_attempts`).Scan(&plain); err != nil || plain != 1 {
			t.Errorf("%d attempts, %v; want those that got a link", plain, err)
		}
	})
}

// TestLinksToOtherSites checks that links of the service to other sites or
// schemes are refused.
func TestLinksToOtherSites(t *testing.T) {
	w := newTestServer(t, storetest.SQLite(t, store.Portal))
	service := w.handler.Service.BaseURL
	host := strings.TrimPrefix(service, "http://")
	for _, w.service.link = range []string{"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "https://evil.example/",
		"//evil.example/",
		"/relative", "http://" + host + "@evil.example/", "http://user@" + host + "/", "http://" +
			host + "\r\nSet-Cookie: a=b", "http://" + host + ".evil.example/",
		"ftp://" + host + "/", "http:\\\\evil.example", "http://" + host + "\\@evil.example/", "", " ", "http://", "http:///x"} {
		if _, _, err := w.handler.Start(t.Context(), StartRequest{Identity: "b"}); err == nil {
			t.Errorf("Start took %q", w.service.link)
		}
	}
	var n int
	if err := w.db.SQL.QueryRow(`SELECT COUNT(*) FROM redirect_attempts`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d attempts, %v; want none", n, err)
	}
	w.service.link = service + "/redirect/abc"
	if _, got, err := w.handler.Start(t.Context(), StartRequest{Identity: "b"}); err != nil || got.RedirectURL != w.service.link {
		t.Errorf("Start = %+v, %v", got, err)
	}
}

// TestFiftyAtOnce sends one outcome fifty times to two replicas, by GET and by
// handle; it is consumed once.
func TestFiftyAtOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		token := w.token(v, nil)
		paths := []string{"/redirect/return?jwt=" + token}
		for range 4 {
			paths = append(paths, w.post(form(token), formType).location)
		}
		var wg sync.WaitGroup
		var renewals atomic.Int64
		for i := range 16 {
			wg.Go(func() {
				// All share the cookie, as after repeated clicks.
				b := &browser{jar: v.browser.cookie()}
				r, err := http.NewRequest("GET", w.replicas[i%2].URL+paths[i%len(paths)], nil)
				if err != nil {
					t.Error(err)
					return
				}
				a := w.send(b, r)
				if a.status != 303 && a.status != 403 {
					t.Errorf("status = %d", a.status)
				}
				if a.header.Get("Set-Cookie") != "" {
					renewals.Add(1)
				}
			})
		}
		wg.Wait()
		if got := w.landings(v.ID); len(got) != 1 {
			t.Errorf("landings = %v, want one", got)
		}
		if renewals.Load() != 1 {
			t.Errorf("renewed %d times", renewals.Load())
		}
	})
}

// TestTokenOnManyAttemptsAtOnce uses one publicToken concurrently; only one attempt
// consumes it.
func TestTokenOnManyAttemptsAtOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
		id := uuid.NewString()
		var visits []visit
		for range 12 {
			visits = append(visits, w.start(w.newBrowser()))
		}
		var wg sync.WaitGroup
		for _, v := range visits {
			token := w.token(v, jose.Claims{"publicToken": id})
			wg.Go(func() { w.back(v.browser, token) })
		}
		wg.Wait()
		n := 0
		for _, v := range visits {
			n += len(w.landings(v.ID))
		}
		if n != 1 {
			t.Errorf("%d landings of one publicToken", n)
		}
	})
}

// TestTabs finishes eight attempts of one browser in reverse order, after thirty
// abandoned ones.
func TestTabs(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		b := w.newBrowser()
		for range 30 {
			w.start(b)
		}
		var tabs []visit
		for range 8 {
			tabs = append(tabs, w.start(b))
		}
		for i := len(tabs) - 1; i >= 0; i-- {
			w.wantLanded(w.back(b, w.token(tabs[i], nil)), tabs[i], "SUCCESS")
		}
	})
}

// TestLateReturns checks returns after the attempt expired.
func TestLateReturns(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		handle := w.post(form(w.token(v, nil)), formType).location
		w.advance(Life - time.Second)
		w.wantRefused(w.back(w.newBrowser(), w.token(v, nil)), v)
		w.advance(2 * time.Second)
		a := w.back(v.browser, w.token(v, nil))
		w.wantRefused(a, v)
		if a.status != 410 {
			t.Errorf("an expired attempt answers %d, want 410", a.status)
		}
		w.wantRefused(w.get(v.browser, handle), v)

		v = w.start(w.newBrowser())
		w.change(v.browser, func(ctx context.Context, tx *store.Tx, cur session.Session) (session.Session, session.Cookie, error) {
			return w.sessions.SignIn(ctx, tx, cur, "user")
		})
		w.wantRefused(w.back(v.browser, w.token(v, nil)), v)

		v = w.start(w.newBrowser())
		w.change(v.browser, func(ctx context.Context, tx *store.Tx, cur session.Session) (session.Session, session.Cookie, error) {
			_, err := w.sessions.SignOut(ctx, tx, cur)
			return cur, session.Cookie{}, err // the browser keeps its cookie
		})
		w.wantRefused(w.back(v.browser, w.token(v, nil)), v)
	})
}

// TestConsumeRollsBack checks that an outcome is consumed only together with its
// processing.
func TestConsumeRollsBack(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		token := w.token(v, nil)
		w.fail = errors.New("database on fire")
		if a := w.back(v.browser, token); a.status != 500 || strings.Contains(a.body, "fire") {
			t.Errorf("answer = %+v", a)
		}
		w.fail = nil
		w.wantLanded(w.back(v.browser, token), v, "SUCCESS")
	})
}

// TestStartedIsKeptWithTheAttempt checks that an attempt and the data of OnStarted
// are stored together or not at all.
func TestStartedIsKeptWithTheAttempt(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		var fail error
		w.handler.OnStarted = func(ctx context.Context, tx *store.Tx, a Attempt) error {
			if _, err := tx.ExecContext(ctx, `INSERT INTO test_landings (attempt, outcome) VALUES ($1, 'begun')`, a.ID); err != nil {
				return err
			}
			return fail
		}
		v := w.start(w.newBrowser())
		if got := w.landings(v.ID); len(got) != 1 {
			t.Errorf("OnStarted ran %d times, want once", len(got))
		}
		fail = errors.New("no such application")
		if _, _, err := w.handler.Start(t.Context(), StartRequest{Identity: "b", Application: v.Application, Number: 2}); !errors.Is(err, fail) {
			t.Errorf("Start = %v, want what Started said", err)
		}
		var attempts, landings int
		if err := w.db.SQL.QueryRow(`SELECT (SELECT COUNT(*) FROM redirect_attempts), (SELECT COUNT(*) FROM test_landings)`).Scan(&attempts,
			&landings); err != nil || attempts != 1 || landings != 1 {
			t.Errorf("%d attempts stored, %d reported (%v), want one each", attempts, landings, err)
		}
	})
}

// TestStashedOutcomesAreBounded checks that one token cannot fill the database.
func TestStashedOutcomesAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		token := form(w.token(v, nil))
		for range maxStashed {
			if a := w.post(token, formType); a.status != 303 {
				t.Fatalf("status = %d", a.status)
			}
		}
		if a := w.post(token, formType); a.status != 429 {
			t.Errorf("status = %d, want 429", a.status)
		}
		w.advance(Life)
		if err := w.handler.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := w.db.SQL.QueryRow(`SELECT COUNT(*) FROM pending_outcomes`).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d stored after the sweep, %v", n, err)
		}
		w.advance(25 * time.Hour)
		if err := w.handler.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := findByReference(t.Context(), w.db.SQL, v.reference); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the abandoned attempt: %v", err)
		}
	})
}

// TestKeysUnavailable checks that an outage of the key set gets a separate answer,
// and that the return succeeds afterward.
func TestKeysUnavailable(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		token := w.token(v, nil)
		good := w.handler.Tokens
		down := httptest.NewServer(http.NotFoundHandler())
		defer down.Close()
		w.handler.Tokens = NewVerifier(&jose.RemoteKeySet{URL: down.URL}, w.handler.Form, w.clock)
		a := w.back(v.browser, token)
		w.wantRefused(a, v)
		if a.header.Get("Retry-After") == "" || !strings.Contains(a.body, i18n.T(i18n.English, keysUnavailable().Title)) {
			t.Errorf("answer = %+v", a)
		}
		w.handler.Tokens = good
		w.wantLanded(w.back(v.browser, token), v, "SUCCESS")
	})
}

// TestHostIsIgnored sends forged Host and forwarding headers.
func TestHostIsIgnored(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		v := w.start(w.newBrowser())
		r := w.request("GET", "/redirect/return?jwt="+w.token(v, nil), nil, "X-Forwarded-Host", "evil.example",
			"X-Forwarded-Proto", "ftp", "Forwarded", "host=evil.example")
		r.Host = "evil.example"
		w.wantLanded(w.send(v.browser, r), v, "SUCCESS")
	})
}

func TestAllowNamesTheMethods(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		for path, want := range map[string]string{"/redirect/return": "GET, POST", "/redirect/finish/x": "GET"} {
			a := w.send(nil, w.request("PUT", path, nil))
			if got := a.header.Get("Allow"); a.status != 405 || got != want {
				t.Errorf("%s: %d, Allow %q; want 405, %q", path, a.status, got, want)
			}
		}
	})
}

// TestStoresNoPlaintext checks that no column holds tokens, handles, cookies or
// redirectArgs in plain text.
func TestStoresNoPlaintext(t *testing.T) {
	db := storetest.SQLite(t, store.Portal)
	w := newTestServer(t, db)
	v := w.start(w.newBrowser())
	token := w.token(v, nil)
	handle := strings.TrimPrefix(w.post(form(token), formType).location, finishPath)
	w.wantLanded(w.back(v.browser, token), v, "SUCCESS")
	for _, table := range []string{"redirect_attempts", "pending_outcomes"} {
		rows, err := db.SQL.Query(`SELECT * FROM ` + table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			cells, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range cells {
				into[i] = &cells[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			all := fmt.Appendf(nil, "%s", cells)
			for _, canary := range []string{token, handle, v.sent[:42], v.browser.cookie()} {
				if bytes.Contains(all, []byte(canary)) {
					t.Errorf("%s holds %q", table, canary)
				}
			}
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"jwt=a.b.c", "jwt=a&jwt=b", "jwt=%61", "JWT=a", "jwt[]=a", "jwt=a;b", "jwt=%zz", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		token, err := tokenOfQuery(raw, "jwt")
		if (err == nil) != (token != "") {
			t.Errorf("tokenOfQuery(%q) = %q, %v", raw, token, err)
		}
		if err == nil && strings.ContainsAny(raw, "&;") {
			t.Errorf("tokenOfQuery(%q) took one of several", raw)
		}
	})
}

func FuzzBody(f *testing.F) {
	f.Add("token=a.b.c", formType)
	f.Add(`{"token":"a.b.c"}`, "application/json")
	f.Add(`{"token":"a","token":"b"}`, "application/json; charset=utf-8")
	f.Add("token=a&token=b", formType)
	f.Fuzz(func(t *testing.T, body, contentType string) {
		r := httptest.NewRequest("POST", "/redirect/return", io.NopCloser(strings.NewReader(body)))
		r.Header.Set("Content-Type", contentType)
		token, err := tokenOfBody(httptest.NewRecorder(), r, "token")
		if err == nil && token == "" || len(token) > maxBody {
			t.Errorf("tokenOfBody(%q) = %q, %v", body, token, err)
		}
		if err == nil && strings.Contains(contentType, formType) {
			if q, err := url.ParseQuery(body); err != nil || q.Get("token") != token {
				t.Errorf("tokenOfBody(%q) = %q, but it is %v, %v", body, token, q, err)
			}
		}
	})
}

// TestReasonsAreDocumented requires each metric label of a refusal in troubleshooting.md.
func TestReasonsAreDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../docs/reference/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "\n## Returns that are refused\n")
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range strings.Split(row[1], ", ") {
			documented[strings.Trim(name, "`")] = true
		}
	}
	want := map[string]bool{"other": true}
	for _, r := range reasons {
		want[r.name] = true
	}
	if !maps.Equal(documented, want) {
		t.Errorf("documented %v, want %v", slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(want)))
	}
}
