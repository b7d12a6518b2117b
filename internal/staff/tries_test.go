package staff

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// tryCounter counts tries by a clock that the test sets.
type tryCounter struct {
	tryLimits
	t  *testing.T
	at time.Time
}

func newTryCounter(t *testing.T, db *store.DB, key string) *tryCounter {
	c := &tryCounter{t: t, at: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
	c.tryLimits = tryLimits{db: db, now: func() time.Time { return c.at }, key: []byte(key), cookie: "known"}
	return c
}

func eachTryCounter(t *testing.T, f func(t *testing.T, c *tryCounter)) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, newTryCounter(t, db, "key")) })
}

func (c *tryCounter) allows(t try) bool {
	c.t.Helper()
	ok, err := c.count(c.t.Context(), t)
	if err != nil {
		c.t.Fatal(err)
	}
	return ok
}

func (c *tryCounter) from(email, network string) bool {
	c.t.Helper()
	return c.allows(try{email: email, networks: networks(network)})
}

func networks(name string) []httpx.Network { return []httpx.Network{{Name: name, Share: 1}} }

func (c *tryCounter) success(t try) {
	c.t.Helper()
	if err := c.succeeded(c.t.Context(), c.db.SQL, t); err != nil {
		c.t.Fatal(err)
	}
}

func (c *tryCounter) rows() (n int) {
	c.t.Helper()
	if err := c.db.SQL.QueryRow(`SELECT COUNT(*) FROM sign_in_tries`).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

func TestTriesAreLimitedByAddressAndNetwork(t *testing.T) {
	eachTryCounter(t, func(t *testing.T, c *tryCounter) {
		var allowed atomic.Int32
		var wait sync.WaitGroup
		for range 2 * MaxTries {
			wait.Go(func() {
				if ok, err := c.count(t.Context(), try{email: "a@b.example", networks: networks("here")}); err != nil {
					t.Error(err)
				} else if ok {
					allowed.Add(1)
				}
			})
		}
		wait.Wait()
		if allowed.Load() != MaxTries {
			t.Errorf("%d tries at once were allowed, want %d", allowed.Load(), MaxTries)
		}
		if !c.from("a@b.example", "there") || !c.from("c@b.example", "here") {
			t.Error("another network or another address is limited")
		}
		for i := range MaxTriesOfEmail {
			c.from("a@b.example", fmt.Sprint(i))
		}
		if c.from("a@b.example", "anywhere") {
			t.Error("a hundred networks get more than a hundred tries")
		}
		c.at = c.at.Add(TriesWindow)
		if !c.from("a@b.example", "here") {
			t.Error("limited after the window")
		}
		for range MaxTries {
			c.from("d@b.example", "here")
		}
		c.success(try{email: "d@b.example", networks: networks("here")})
		if !c.from("d@b.example", "here") {
			t.Error("a success does not clear the tries")
		}
		c.at = c.at.Add(triesAge + time.Second)
		if err := c.sweep(t.Context(), c.db.SQL); err != nil || c.rows() != 0 {
			t.Errorf("%d tries are never deleted: %v", c.rows(), err)
		}
	})
}

// TestTriesOfOneNetworkAreLimited checks that one client with made-up addresses fills
// neither the queue nor the table.
func TestTriesOfOneNetworkAreLimited(t *testing.T) {
	eachTryCounter(t, func(t *testing.T, c *tryCounter) {
		for range 3 * MaxTries { // refused tries count toward no limit
			c.from("a@b.example", "here")
		}
		allowed := MaxTries
		for i := range 3 * MaxTriesOfNetwork {
			if c.from(fmt.Sprintf("user%d@b.example", i), "here") {
				allowed++
			}
		}
		if allowed != MaxTriesOfNetwork {
			t.Errorf("one network made %d tries, want %d", allowed, MaxTriesOfNetwork)
		}
		if n := c.rows(); n != 1+2*(1+MaxTriesOfNetwork-MaxTries) {
			t.Errorf("they left %d rows", n)
		}
		if !c.from("a@b.example", "there") {
			t.Error("another network is limited")
		}
		c.success(try{email: "a@b.example", networks: networks("here")}) // one of them succeeded
		if !c.from("b@b.example", "here") || c.from("c@b.example", "here") {
			t.Error("a success is not uncounted, or more than that")
		}
		allowed = 0
		for i := range 3 * MaxTriesOfNetwork { // from three networks of one site, which may make twice as many as one
			site := append(networks(fmt.Sprint("network", i%3)), httpx.Network{Name: "site", Share: 2})
			if c.allows(try{email: fmt.Sprintf("site%d@b.example", i), networks: site}) {
				allowed++
			}
		}
		if allowed != 2*MaxTriesOfNetwork {
			t.Errorf("one site made %d tries, want %d", allowed, 2*MaxTriesOfNetwork)
		}
		c.at = c.at.Add(TriesWindow)
		if !c.from("c@b.example", "here") {
			t.Error("limited after the window")
		}
	})
}

// know returns a cookie by which a browser of the address is known.
func (c *tryCounter) know(email string) *http.Cookie {
	w := httptest.NewRecorder()
	c.markKnown(w, email)
	return w.Result().Cookies()[0]
}

// tryWith returns a try with cookies.
func (c *tryCounter) tryWith(email string, sent ...*http.Cookie) try {
	r := httptest.NewRequest("POST", "/", nil)
	for _, cookie := range sent {
		r.AddCookie(cookie)
	}
	return c.try(r, email, "a guess")
}

func TestKnownBrowserHasItsOwnLimit(t *testing.T) {
	eachTryCounter(t, func(t *testing.T, c *tryCounter) {
		const email = "a@b.example"
		mine, second := c.know(" A@b.example"), c.know(email)
		good := c.tryWith("A@B.example ", mine)
		t.Run("cookie", func(t *testing.T) {
			if mine.Name != "known" || !mine.HttpOnly || mine.Secure || mine.SameSite != http.SameSiteStrictMode ||
				mine.Path != "/" || mine.Domain != "" || mine.MaxAge != 90*24*3600 {
				t.Errorf("the cookie is %s", mine)
			}
			if raw, err := base64.RawURLEncoding.DecodeString(mine.Value); err != nil || bytes.Contains(raw, []byte("a@")) || len(mine.Value) > 100 {
				t.Errorf("the cookie has %d characters, and contains the address: %v", len(mine.Value), err)
			}
			secure := *c
			secure.cookie, secure.secure = "__Host-known", true
			if over := secure.know(email); !over.Secure || over.Name != "__Host-known" {
				t.Errorf("over https the cookie is %s", over)
			}
			if good.browser == "" || good.browser == c.tryWith(email, second).browser || good.browser != c.tryWith(email, mine).browser {
				t.Fatalf("two browsers are %q and %q", good.browser, c.tryWith(email, second).browser)
			}
		})
		t.Run("foreign cookies", func(t *testing.T) {
			with := func(value string) try { return c.tryWith(email, &http.Cookie{Name: "known", Value: value}) }
			flipped := "A"
			if mine.Value[0] == 'A' {
				flipped = "B"
			}
			for name, bad := range map[string]try{"none": c.tryWith(email), "another's": c.tryWith("b@b.example", mine),
				"two": c.tryWith(email, mine, second), "flipped": with(flipped + mine.Value[1:]),
				"cut": with(mine.Value[:len(mine.Value)-4]), "a mark alone": with(mine.Value[:32]),
				"short": with("AAAA"), "empty": with(""), "no base-64": with("!"),
				"another key's": c.tryWith(email, newTryCounter(t, c.db, "another key").know(email))} {
				if bad.browser != "" {
					t.Errorf("%s: taken for a known browser", name)
				}
			}
		})
		t.Run("tries", func(t *testing.T) { c.tryKnownBrowsers(t, email, good, c.tryWith(email, second)) })
		t.Run("age", func(t *testing.T) {
			c.at = c.at.Add(knownLife - time.Second)
			if c.tryWith(email, mine).browser != good.browser {
				t.Error("no longer known too early")
			}
			c.at = c.at.Add(time.Second)
			if c.tryWith(email, mine).browser != "" {
				t.Error("known after its time")
			}
		})
	})
}

// tryKnownBrowsers makes MaxTriesOfEmail tries from ten networks, then as many from this one as it may
// make, and then those of known browsers.
func (c *tryCounter) tryKnownBrowsers(t *testing.T, email string, good, second try) {
	for i := range MaxTriesOfEmail {
		c.from(email, fmt.Sprint(i%10))
	}
	for i := range MaxTriesOfNetwork {
		c.from(fmt.Sprintf("user%d@b.example", i), good.networks[0].Name)
	}
	if c.allows(c.tryWith(email)) || c.from(email, "elsewhere") || c.allows(c.tryWith("z@b.example")) {
		t.Error("tries of strangers go on")
	}
	for range MaxTries {
		if !c.allows(good) {
			t.Fatal("tries of strangers limit a known browser")
		}
	}
	if c.allows(good) {
		t.Error("a stolen cookie allows unlimited tries")
	}
	if !c.allows(second) {
		t.Error("one known browser limits another")
	}
	c.success(good)
	if !c.allows(good) {
		t.Error("a success does not clear the browser's tries")
	}
	for i := range 2 * MaxTriesOfEmail { // more browsers than a real user has
		c.allows(try{email: email, browser: fmt.Sprint(i)})
	}
	if c.allows(try{email: email, browser: "another"}) {
		t.Error("tries of many known browsers of one address are not limited")
	}
}

func TestTryReadsClientAddress(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		c := tryLimits{now: time.Now, cookie: "known", behindProxy: proxied}
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = "192.0.2.7:1234"
		r.Header.Set("X-Forwarded-For", "198.51.100.1")
		want := map[bool]string{false: "192.0.2.7", true: "198.51.100.1"}[proxied]
		wanted := try{email: "ana@example.com", password: "x", networks: networks(want)}
		if got := c.try(r, " Ana@Example.COM ", "x"); !reflect.DeepEqual(got, wanted) {
			t.Errorf("behind a proxy %v: %+v", proxied, got)
		}
	}
}
