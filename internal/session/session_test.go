package session_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

var settings = session.Settings{Name: "vestibule", Secure: true, SameSite: http.SameSiteLaxMode}

type testServer struct {
	*session.Sessions
	t     *testing.T
	db    *store.DB
	clock *clock
}

func each(t *testing.T, f func(t *testing.T, r testServer)) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := &clock{t: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
		s, err := session.New(t.Context(), db, c.now, settings)
		if err != nil {
			t.Fatal(err)
		}
		f(t, testServer{s, t, db, c})
	})
}

// change runs f in a transaction and returns the cookie sent to the browser.
func (r testServer) change(f func(ctx context.Context, tx *store.Tx) (session.Cookie, error)) *http.Cookie {
	r.t.Helper()
	var c session.Cookie
	err := r.db.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		c, err = f(ctx, tx)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := r.Set(w, request(nil), c); err != nil {
		r.t.Fatal(err)
	}
	cookies := w.Result().Cookies()
	if len(cookies) == 0 {
		return nil
	}
	return cookies[0]
}

func (r testServer) renew(cur session.Session) *http.Cookie {
	return r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) {
		_, c, err := r.Renew(ctx, tx, cur)
		return c, err
	})
}

func request(c *http.Cookie) *http.Request {
	req := httptest.NewRequest("GET", "https://portal.example/", nil)
	if c != nil {
		req.AddCookie(c)
	}
	return req
}

func (r testServer) of(c *http.Cookie) session.Session {
	r.t.Helper()
	s, err := r.Of(request(c))
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestRenewKeepsTheSessionUnderAnotherSecret(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		first := r.renew(session.Session{})
		was := r.of(first)
		if was.Anonymous() {
			t.Fatal("the browser is not known again")
		}
		second := r.renew(was)
		if got := r.of(second); got.ID != was.ID || second.Value == first.Value {
			t.Errorf("after renewal: %+v, want the row of %+v under another cookie", got, was)
		}
		if got := r.of(first); !got.Anonymous() {
			t.Errorf("the old cookie still is %+v", got)
		}
	})
}

// TestConcurrentRenewalsKeepCookiesValid checks that the cookies of both answers to two
// concurrent requests of a browser are valid, because it keeps the one that arrives last.
func TestConcurrentRenewalsKeepCookiesValid(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		was := r.of(r.renew(session.Session{}))
		first, second := r.renew(was), r.renew(was)
		if got := r.of(first); got.ID != was.ID {
			t.Errorf("the faster one is %+v, want the session %s", got, was.ID)
		}
		if got := r.of(second); got.Anonymous() || got.ID == was.ID {
			t.Errorf("the slower one is %+v, want a session of its own", got)
		}
	})
}

func TestRenewalDoesNotUndoASignOut(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		reviewer := r.of(r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) {
			_, c, err := r.SignIn(ctx, tx, session.Session{}, "reviewer-1")
			return c, err
		}))
		r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) { return r.SignOut(ctx, tx, reviewer) })
		if got := r.of(r.renew(reviewer)); got.ID == reviewer.ID || got.Principal != "" {
			t.Errorf("a request that was on its way brought back %+v", got)
		}
	})
}

func TestEnsureKeepsKnownBrowsers(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		known := r.of(r.renew(session.Session{}))
		again := r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) {
			_, c, err := r.Ensure(ctx, tx, known)
			return c, err
		})
		if again != nil {
			t.Errorf("Ensure set %v", again)
		}
	})
}

func TestCookieIsStrict(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		c := r.renew(session.Session{})
		if c.Name != "__Host-vestibule" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("cookie = %s", c)
		}
		if n := len(c.Name) + len(c.Value); n > 256 {
			t.Errorf("the cookie has %d bytes, want at most 256", n)
		}
		plain, err := session.New(t.Context(), r.db, r.clock.now, session.Settings{Name: "vestibule", SameSite: http.SameSiteStrictMode})
		if err != nil {
			t.Fatal(err)
		}
		r.Sessions = plain
		if c := r.renew(session.Session{}); c.Secure || c.Name != "vestibule" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
			t.Errorf("over plain http the cookie is %s", c)
		}
	})
}

func TestInvalidCookieIsAnonymous(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		good, other := r.renew(session.Session{}), r.renew(session.Session{})
		for name, value := range map[string]string{
			"empty":             "",
			"one byte flipped":  "A" + good.Value[1:],
			"cut":               good.Value[:len(good.Value)/2],
			"garbage":           "\x01\x02 ;;",
			"enormous":          strings.Repeat("a", 8<<10),
			"two values joined": good.Value + other.Value,
		} {
			if got := r.of(&http.Cookie{Name: good.Name, Value: value}); !got.Anonymous() {
				t.Errorf("%s: %+v, want anonymous", name, got)
			}
		}
		twice := request(good)
		twice.AddCookie(other)
		if got, err := r.Of(twice); err != nil || !got.Anonymous() {
			t.Errorf("two cookies of the name: %+v, %v; want anonymous", got, err)
		}
		if r.of(good).Anonymous() {
			t.Error("the good cookie is not good any more")
		}
	})
}

func TestSessionsEnd(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		applicant := r.renew(session.Session{})
		reviewer := r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) {
			_, c, err := r.SignIn(ctx, tx, session.Session{}, "reviewer-1")
			return c, err
		})
		if got := r.of(reviewer); got.Principal != "reviewer-1" || got.SignedInAt.IsZero() {
			t.Fatalf("signed in: %+v", got)
		}
		// Renewing does not extend a sign-in.
		r.clock.pass(session.SignedInLife - time.Minute)
		reviewer = r.renew(r.of(reviewer))
		if r.of(reviewer).Principal == "" {
			t.Error("signed out a minute early")
		}
		r.clock.pass(time.Minute)
		if got := r.of(reviewer); !got.Anonymous() {
			t.Errorf("after %v the reviewer is %+v", session.SignedInLife, got)
		}
		if r.of(applicant).Anonymous() {
			t.Error("the applicant's session ended with the reviewer's")
		}
		r.clock.pass(session.Life)
		if got := r.of(applicant); !got.Anonymous() {
			t.Errorf("after %v the applicant is %+v", session.Life, got)
		}
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var left int
		if err := r.db.SQL.QueryRow(`SELECT COUNT(*) FROM sessions`).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d sessions left (%v), want 0", left, err)
		}
	})
}

func TestSigningOutEndsTheSession(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		c := r.renew(session.Session{})
		gone := r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) {
			return r.SignOut(ctx, tx, r.of(c))
		})
		if gone.MaxAge >= 0 || gone.Value != "" {
			t.Errorf("the cookie is not deleted: %s", gone)
		}
		if got := r.of(c); !got.Anonymous() {
			t.Errorf("after signing out: %+v", got)
		}
	})
}

func TestSessionsOfAUserEndTogether(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		signIn := func(who string) *http.Cookie {
			return r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) {
				_, c, err := r.SignIn(ctx, tx, session.Session{}, who)
				return c, err
			})
		}
		here, there, other, anonymous := signIn("a"), signIn("a"), signIn("b"), r.renew(session.Session{})
		end := func(f func(ctx context.Context, tx *store.Tx) error) {
			r.change(func(ctx context.Context, tx *store.Tx) (session.Cookie, error) { return session.Cookie{}, f(ctx, tx) })
		}
		end(func(ctx context.Context, tx *store.Tx) error { return r.EndOthers(ctx, tx, r.of(here)) })
		if r.of(here).Principal != "a" || r.of(there).Principal != "" || r.of(other).Principal != "b" {
			t.Errorf("after EndOthers: %+v, %+v, %+v", r.of(here), r.of(there), r.of(other))
		}
		end(func(ctx context.Context, tx *store.Tx) error { return r.EndOthers(ctx, tx, r.of(anonymous)) })
		end(func(ctx context.Context, tx *store.Tx) error { return r.EndAll(ctx, tx, "a") })
		if r.of(here).Principal != "" || r.of(other).Principal != "b" || r.of(anonymous).Anonymous() {
			t.Errorf("after EndAll: %+v, %+v, %+v", r.of(here), r.of(other), r.of(anonymous))
		}
	})
}

func TestKeysRotateWhileCookiesStayGood(t *testing.T) {
	each(t, func(t *testing.T, r testServer) {
		replica, err := session.New(t.Context(), r.db, r.clock.now, settings)
		if err != nil {
			t.Fatal(err)
		}
		before := r.renew(session.Session{})
		if s, _ := replica.Of(request(before)); s.Anonymous() {
			t.Fatal("the replica does not know the cookie")
		}
		r.clock.pass(time.Hour)
		if err := r.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := r.renew(session.Session{})
		if r.of(before).Anonymous() || r.of(after).Anonymous() {
			t.Error("a cookie was lost by rotating")
		}
		r.clock.pass(10 * time.Second)
		if s, _ := replica.Of(request(after)); s.Anonymous() {
			t.Error("the replica does not know a cookie of the new key")
		}
		keys := func() (n int) {
			if err := r.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := r.db.SQL.QueryRow(`SELECT COUNT(*) FROM session_keys`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := keys(); n != 2 {
			t.Errorf("%d keys while the old one is needed, want 2", n)
		}
		r.clock.pass(session.Life + time.Hour)
		if n := keys(); n != 1 {
			t.Errorf("%d keys when the old one is needed no more, want 1", n)
		}
	})
}
