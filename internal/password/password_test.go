package password

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

const right = "correct horse battery"

func TestHashes(t *testing.T) {
	hash := Hash(right)
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("kept as %q", hash)
	}
	if ok, err := check(hash, right); !ok || err != nil {
		t.Errorf("the right password: %v, %v", ok, err)
	}
	if ok, err := check(hash, right+" "); ok || err != nil {
		t.Errorf("another password: %v, %v", ok, err)
	}
	for _, bad := range []string{"", "x", "$argon2i$v=19$m=1,t=1,p=1$aaaa$aaaa", strings.Replace(hash, "v=19", "v=16", 1), strings.Replace(hash, "p=1", "p=0", 1), hash[:len(hash)-44]} {
		if ok, err := check(bad, right); ok || err == nil {
			t.Errorf("check(%q) = %v, %v, want an error", bad, ok, err)
		}
	}
}

func TestQueueBoundsHashing(t *testing.T) {
	var q Queue
	hold, held := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() { q.Do(context.Background(), func() { close(held); <-hold }) })
	<-held
	var running, busy, done atomic.Int32
	for range 3 * MaxWaiting {
		wait.Go(func() {
			err := q.Do(context.Background(), func() {
				if running.Add(1) > 1 {
					t.Error("two at once")
				}
				running.Add(-1)
				done.Add(1)
			})
			if errors.Is(err, ErrBusy) && busy.Add(1) == 2*MaxWaiting+1 {
				close(hold) // all rejected callers have returned
			}
		})
	}
	wait.Wait()
	if done.Load() != MaxWaiting-1 || busy.Load() != 2*MaxWaiting+1 {
		t.Errorf("%d hashed and %d turned away, want %d and %d", done.Load(), busy.Load(), MaxWaiting-1, 2*MaxWaiting+1)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Check(gone, "", right); !errors.Is(err, context.Canceled) {
		t.Errorf("for a canceled caller: %v", err)
	}
	if ok, err := q.Check(t.Context(), "", right); ok || err != nil {
		t.Errorf("the password of no user: %v, %v", ok, err)
	}
	if ok, err := q.Check(t.Context(), Hash(right), right); !ok || err != nil {
		t.Errorf("after the rush: %v, %v", ok, err)
	}
}

// counter is a guard with a clock set by the test.
type counter struct {
	*Guard
	t  *testing.T
	at time.Time
}

func newCounter(t *testing.T, db *store.DB, s Settings) *counter {
	t.Helper()
	c := &counter{t: t, at: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
	var err error
	if c.Guard, err = New(t.Context(), db, func() time.Time { return c.at }, s); err != nil {
		t.Fatal(err)
	}
	return c
}

func eachCounter(t *testing.T, f func(t *testing.T, c *counter)) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, newCounter(t, db, Settings{Cookie: "known"})) })
}

func (c *counter) take(try Try) bool {
	c.t.Helper()
	ok, err := c.Take(c.t.Context(), try)
	if err != nil {
		c.t.Fatal(err)
	}
	return ok
}

func (c *counter) from(email, place string) bool {
	c.t.Helper()
	return c.take(Try{Email: email, Place: place})
}

func (c *counter) forget(try Try) {
	c.t.Helper()
	if err := c.Forget(c.t.Context(), c.db.SQL, try); err != nil {
		c.t.Fatal(err)
	}
}

func (c *counter) rows() (n int) {
	c.t.Helper()
	if err := c.db.SQL.QueryRow(`SELECT COUNT(*) FROM sign_in_tries`).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

func TestCountsTriesByAddressAndNetwork(t *testing.T) {
	eachCounter(t, func(t *testing.T, c *counter) {
		var allowed atomic.Int32
		var wait sync.WaitGroup
		for range 2 * TriesHere {
			wait.Go(func() {
				if ok, err := c.Take(t.Context(), Try{Email: "a@b.example", Place: "here"}); err != nil {
					t.Error(err)
				} else if ok {
					allowed.Add(1)
				}
			})
		}
		wait.Wait()
		if allowed.Load() != TriesHere {
			t.Errorf("%d tries at once were allowed, want %d", allowed.Load(), TriesHere)
		}
		if !c.from("a@b.example", "there") || !c.from("c@b.example", "here") {
			t.Error("another place or another address is held up")
		}
		for i := range TriesTotal {
			c.from("a@b.example", fmt.Sprint(i))
		}
		if c.from("a@b.example", "anywhere") {
			t.Error("a hundred places get more than a hundred tries")
		}
		c.at = c.at.Add(Window)
		if !c.from("a@b.example", "here") {
			t.Error("held up after the window")
		}
		for range TriesHere {
			c.from("d@b.example", "here")
		}
		c.forget(Try{Email: "d@b.example", Place: "here"})
		if !c.from("d@b.example", "here") {
			t.Error("a success does not clear the tries")
		}
		c.at = c.at.Add(kept + time.Second)
		if err := c.Sweep(t.Context()); err != nil || c.rows() != 0 {
			t.Errorf("%d tries are kept for ever: %v", c.rows(), err)
		}
	})
}

// One client with made-up addresses must fill neither the queue nor the table.
func TestAPlaceTriesSoManyAddresses(t *testing.T) {
	eachCounter(t, func(t *testing.T, c *counter) {
		for range 3 * TriesHere { // refused tries count toward no limit
			c.from("a@b.example", "here")
		}
		allowed := TriesHere
		for i := range 3 * TriesPlace {
			if c.from(fmt.Sprintf("user%d@b.example", i), "here") {
				allowed++
			}
		}
		if allowed != TriesPlace {
			t.Errorf("one place made %d tries, want %d", allowed, TriesPlace)
		}
		if n := c.rows(); n != 1+2*(1+TriesPlace-TriesHere) {
			t.Errorf("they left %d rows", n)
		}
		if !c.from("a@b.example", "there") {
			t.Error("another place is held up")
		}
		c.forget(Try{Email: "a@b.example", Place: "here"}) // one of them succeeded
		if !c.from("b@b.example", "here") || c.from("c@b.example", "here") {
			t.Error("a success is not given back, or more than that")
		}
		c.at = c.at.Add(Window)
		if !c.from("c@b.example", "here") {
			t.Error("held up after the window")
		}
	})
}

func TestABrowserThatIsKnown(t *testing.T) {
	eachCounter(t, func(t *testing.T, c *counter) {
		const email = "a@b.example"
		know := func() *http.Cookie {
			w := httptest.NewRecorder()
			c.Know(w, " A@b.example")
			return w.Result().Cookies()[0]
		}
		try := func(email string, sent ...*http.Cookie) Try {
			r := httptest.NewRequest("POST", "/", nil)
			for _, cookie := range sent {
				r.AddCookie(cookie)
			}
			return c.Try(r, email, "a guess")
		}
		mine, second := know(), know()
		if mine.Name != "known" || !mine.HttpOnly || mine.Secure || mine.SameSite != http.SameSiteStrictMode || mine.Path != "/" || mine.Domain != "" || mine.MaxAge != 90*24*3600 {
			t.Errorf("the cookie is %s", mine)
		}
		if raw, err := base64.RawURLEncoding.DecodeString(mine.Value); err != nil || bytes.Contains(raw, []byte("a@")) || len(mine.Value) > 100 {
			t.Errorf("the cookie has %d characters, and tells the address: %v", len(mine.Value), err)
		}
		good := try("A@B.example ", mine)
		if good.Known == "" || good.Known == try(email, second).Known || good.Known != try(email, mine).Known {
			t.Fatalf("two browsers are %q and %q", good.Known, try(email, second).Known)
		}
		secure := newCounter(t, c.db, Settings{Cookie: "known", Secure: true})
		w := httptest.NewRecorder()
		if secure.Know(w, email); !w.Result().Cookies()[0].Secure || w.Result().Cookies()[0].Name != "__Host-known" {
			t.Errorf("over https the cookie is %s", w.Result().Cookies()[0])
		}
		other := newCounter(t, storetest.SQLite(t, store.Provider), c.Settings) // with a different key
		forged := httptest.NewRecorder()
		other.Know(forged, email)
		with := func(value string) *http.Cookie { return &http.Cookie{Name: "known", Value: value} }
		flipped := "A"
		if mine.Value[0] == 'A' {
			flipped = "B"
		}
		for name, bad := range map[string]Try{"none": try(email), "another's": try("b@b.example", mine), "two": try(email, mine, second), "flipped": try(email, with(flipped+mine.Value[1:])),
			"cut": try(email, with(mine.Value[:len(mine.Value)-4])), "a mark alone": try(email, with(mine.Value[:32])), "short": try(email, with("AAAA")), "empty": try(email, with("")),
			"no base-64": try(email, with("!")), "another key's": try(email, forged.Result().Cookies()[0])} {
			if bad.Known != "" {
				t.Errorf("%s: taken for a browser that is known", name)
			}
		}

		// TriesTotal tries from ten networks, then as many from this one as it may
		// make.
		for i := range TriesTotal {
			c.from(email, fmt.Sprint(i%10))
		}
		for i := range TriesPlace {
			c.from(fmt.Sprintf("user%d@b.example", i), good.Place)
		}
		if c.take(try(email)) || c.from(email, "elsewhere") || c.take(try("z@b.example")) {
			t.Error("strangers go on trying")
		}
		for range TriesHere {
			if !c.take(good) {
				t.Fatal("what strangers tried bars a browser that is known")
			}
		}
		if c.take(good) {
			t.Error("a stolen cookie allows unlimited tries")
		}
		if !c.take(try(email, second)) {
			t.Error("one browser that is known bars another")
		}
		c.forget(good)
		if !c.take(good) {
			t.Error("a success does not clear the browser's tries")
		}
		for i := range 2 * TriesTotal { // more browsers than a real user has
			c.take(Try{Email: email, Known: fmt.Sprint(i)})
		}
		if c.take(Try{Email: email, Known: "another"}) {
			t.Error("with many cookies of one address there is no end")
		}
		c.at = c.at.Add(KnownLife - time.Second)
		if try(email, mine).Known != good.Known {
			t.Error("forgotten too early")
		}
		c.at = c.at.Add(time.Second)
		if try(email, mine).Known != "" {
			t.Error("known for ever")
		}
	})
}

func TestWhereATryComesFrom(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		c := newCounter(t, storetest.SQLite(t, store.Provider), Settings{Cookie: "known", BehindProxy: proxied})
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = "192.0.2.7:1234"
		r.Header.Set("X-Forwarded-For", "198.51.100.1")
		want := map[bool]string{false: "192.0.2.7", true: "198.51.100.1"}[proxied]
		if got := c.Try(r, " Ana@Example.COM ", "x"); got != (Try{Email: "ana@example.com", Password: "x", Place: want}) {
			t.Errorf("behind a proxy %v: %+v", proxied, got)
		}
	}
	for in, want := range map[string]string{" Ana@Example.COM ": "ana@example.com", "": "", strings.Repeat("a", 255): ""} {
		if got := Email(in); got != want {
			t.Errorf("Email(%q) = %q, want %q", in, got, want)
		}
	}
}
