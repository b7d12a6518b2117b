package staff

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func TestSignInRenewsTheSession(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		session := func() string {
			for _, c := range d.browser.Jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(d.srv.URL, "http://"), Path: "/"}) {
				if c.Name == "vestibule" {
					return c.Value
				}
			}
			return ""
		}
		if resp, _ := d.get("/review?x=1"); resp.Header.Get("Location") != "/review/sign-in?next=%2Freview%3Fx%3D1" {
			t.Errorf("a page before the sign-in leads to %q", resp.Header.Get("Location"))
		}
		var values []string
		for range 2 {
			if resp := d.signIn(" ADMIN@example.com", secret); resp.StatusCode != 303 || resp.Header.Get("Location") != "/review" {
				t.Fatalf("signing in: %d to %q", resp.StatusCode, resp.Header.Get("Location"))
			}
			values = append(values, session())
		}
		if values[0] == "" || values[0] == values[1] {
			t.Errorf("the session was not renewed: %q", values)
		}
		if resp, _ := d.get("/review/sign-in?next=/review/x"); resp.Header.Get("Location") != "/review/x" {
			t.Errorf("the sign-in page of a signed-in user leads to %q", resp.Header.Get("Location"))
		}
		if resp, _ := d.post("/review/sign-out", nil); resp.Header.Get("Location") != "/review/sign-in" || d.signedIn() {
			t.Errorf("signing out leads to %q", resp.Header.Get("Location"))
		}
		want := []string{"admin signedIn  password", "admin signedIn  password", "admin signedOut  "}
		if d.account != "" {
			want = []string{"admin signedIn  ", "admin signedIn  ", "admin signedOut  "}
		}
		if got := d.audited(); !slices.Equal(got, want) {
			t.Errorf("recorded %q, want %q", got, want)
		}
		entries, err := d.Entries(t.Context(), d.DB.SQL, EntryFilter{Subject: d.account}, 10)
		if err != nil || len(entries) != 3 || entries[0].Subject != d.account {
			t.Errorf("entries of the account: %+v, %v", entries, err)
		}
	})
}

// TestSignInIsOneTransaction checks that the failure of an audit entry, of the user's row
// or of the session undoes all of them.
func TestSignInIsOneTransaction(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		if _, err := d.DB.SQL.Exec(`DROP TABLE audit`); err != nil {
			t.Fatal(err)
		}
		if resp := d.signIn(admin, secret); resp.StatusCode != 500 || d.signedIn() {
			t.Errorf("a sign-in without an audit entry: %d", resp.StatusCode)
		}
		if n := d.count(`SELECT COUNT(*) FROM sessions`); n != 0 {
			t.Errorf("%d sessions without an audit entry", n)
		}
	})
}

func TestSignInsAreLimitedAndAllCounted(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		var mu sync.Mutex
		got := map[int]int{}
		var wg sync.WaitGroup
		for range MaxTries + 4 {
			wg.Go(func() {
				resp := d.signIn(admin, "wrong password here")
				mu.Lock()
				got[resp.StatusCode]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if got[422] != MaxTries || got[429] != 4 {
			t.Errorf("answers = %v, want %d refused and 4 limited", got, MaxTries)
		}
		resp := d.signIn(admin, secret)
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "900" {
			t.Errorf("the right password within the window: %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
		}
		*d.now = noon.Add(TriesWindow)
		if resp := d.signIn(admin, secret); resp.StatusCode != 303 {
			t.Errorf("after the window: %d", resp.StatusCode)
		}
		if resp := d.signIn(admin, "wrong password here"); resp.StatusCode != 422 {
			t.Errorf("a success did not clear the tries: %d", resp.StatusCode)
		}
	})
}

func TestAuthenticateCountsBeforeItChecks(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal)
	judge := func(email, password string) verdict {
		t.Helper()
		_, got, err := d.authenticate(t.Context(), try{email: email, password: password, networks: networks("here")})
		if err != nil {
			t.Error(err)
		}
		return got
	}
	for _, tc := range []struct {
		email, password string
		want            verdict
		counted         int
	}{
		{"", secret, wrong, 0}, {admin, "", wrong, 0}, {admin, strings.Repeat("x", MaxPassword+1), wrong, 0},
		{admin, secret, right, 1}, {admin, "something else", wrong, 1}, {"b@example.com", secret, wrong, 1},
	} {
		if _, err := d.DB.SQL.Exec(`DELETE FROM sign_in_tries`); err != nil {
			t.Fatal(err)
		}
		if got := judge(tc.email, tc.password); got != tc.want || d.count(`SELECT COALESCE(MAX(tries), 0) FROM sign_in_tries`) != tc.counted {
			t.Errorf("%q with %.20q = %v, want %v, counted %d times", tc.email, tc.password, got, tc.want, tc.counted)
		}
	}
	for range MaxTries {
		judge(admin, "something else")
	}
	if got := judge(admin, secret); got != tooMany {
		t.Errorf("the right password after too many tries = %v", got)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late := try{email: "c@example.com", password: secret, networks: networks("here")}
	if _, _, err := d.authenticate(gone, late); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled request: %v", err)
	}
}

func behindProxy(c *Config) { c.BehindProxy = true }

// signInFrom signs in from an address with only these cookies.
func (d *testServer) signInFrom(address, email, password string, cookies ...*http.Cookie) *http.Response {
	d.t.Helper()
	req, err := http.NewRequest("POST", d.srv.URL+"/review/sign-in",
		strings.NewReader(url.Values{"email": {email}, "password": {password}}.Encode()))
	if err != nil {
		d.t.Error(err)
		return &http.Response{}
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Forwarded-For", address)
	for _, c := range cookies {
		req.AddCookie(c)
	}
	resp, err := (&http.Client{CheckRedirect: d.browser.CheckRedirect}).Do(req)
	if err != nil {
		d.t.Error(err)
		return &http.Response{}
	}
	resp.Body.Close()
	return resp
}

// countTries counts tries without signing in.
func (d *testServer) countTries(email, network string) {
	d.t.Helper()
	if _, err := d.tries.count(d.t.Context(), try{email: email, networks: networks(network)}); err != nil {
		d.t.Fatal(err)
	}
}

// TestGuessesDoNotLockOutUsers checks that guesses by others lock out neither clients
// from another address behind the same proxy nor the browser of an earlier sign-in.
func TestGuessesDoNotLockOutUsers(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		const home, stranger = "2001:db8::1", "203.0.113.7"
		for range MaxTries - 1 {
			d.countTries(admin, stranger)
		}
		if resp := d.signInFrom("192.0.2.1, "+stranger, admin, "a guess at the password"); resp.StatusCode != 422 {
			t.Errorf("a wrong password: %d", resp.StatusCode)
		}
		if resp := d.signInFrom("192.0.2.2, "+stranger, admin, secret); resp.StatusCode != 429 {
			t.Errorf("from the address of the guesses: %d", resp.StatusCode)
		}
		first := d.signInFrom(home, admin, secret)
		i := slices.IndexFunc(first.Cookies(), func(c *http.Cookie) bool { return c.Name == "__Host-known" })
		if first.StatusCode != 303 || i != 1 { // the session's cookie comes first
			t.Fatalf("from another address: %d, with %v", first.StatusCode, first.Cookies())
		}
		known := first.Cookies()[i]
		if !known.HttpOnly || !known.Secure || known.SameSite != http.SameSiteStrictMode || strings.Contains(known.Value, "admin") {
			t.Errorf("the cookie is %s", known)
		}
		for i := range MaxTriesOfEmail {
			d.countTries(admin, fmt.Sprint(i))
		}
		for i := range MaxTriesOfNetwork {
			d.countTries(fmt.Sprintf("unknown%d@example.com", i), "2001:db8::") // the network of home
		}
		for name, address := range map[string]string{"elsewhere": "192.0.2.9", "at home": home} {
			if resp := d.signInFrom(address, admin, secret); resp.StatusCode != 429 ||
				resp.Header.Get("Retry-After") != "900" || len(resp.Cookies()) != 0 {
				t.Errorf("another browser %s: %d, Retry-After %q", name, resp.StatusCode, resp.Header.Get("Retry-After"))
			}
			for range 2 {
				if resp := d.signInFrom(address, admin, "not the password", known); resp.StatusCode != 422 {
					t.Errorf("the known browser, %s, with a wrong password: %d", name, resp.StatusCode)
				}
				if resp := d.signInFrom(address, admin, secret, known); resp.StatusCode != 303 {
					t.Errorf("the known browser, %s: %d", name, resp.StatusCode)
				}
			}
		}
		if resp := d.signInFrom(home, "unknown@example.com", secret, known); resp.StatusCode != 429 {
			t.Errorf("known of another address: %d", resp.StatusCode)
		}
	}, behindProxy)
}

// TestOneClientDoesNotFillTheQueue checks that one client cannot delay others with tries
// for made-up addresses: beyond its limit, its tries neither reach the queue nor leave
// rows.
func TestOneClientDoesNotFillTheQueue(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		for i := range MaxTriesOfNetwork {
			d.countTries(fmt.Sprintf("unknown%d@example.com", i), "203.0.113.7")
		}
		const rows = `SELECT COUNT(*) FROM sign_in_tries`
		before := d.count(rows)
		release := d.fillQueue()
		for i := range 3 {
			resp := d.signInFrom("203.0.113.7", fmt.Sprintf("stranger%d@example.com", i), secret)
			if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "900" { // a full queue would answer 2
				t.Errorf("one too many of a client: %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
			}
		}
		release()
		if n := d.count(rows); n != before {
			t.Errorf("refused tries left %d rows", n-before)
		}
		if resp := d.signInFrom("203.0.113.8", admin, secret); resp.StatusCode != 303 {
			t.Errorf("from another address: %d", resp.StatusCode)
		}
	}, behindProxy)
}

// fillQueue keeps the password queue full until release is called.
func (d *testServer) fillQueue() (release func()) {
	hold, held := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { d.hashes.do(context.Background(), func() { close(held); <-hold }) })
	<-held
	const more = 2 * maxQueued
	rejected := make(chan struct{}, more)
	for range more {
		all.Go(func() {
			if errors.Is(d.hashes.do(context.Background(), func() {}), errBusy) {
				rejected <- struct{}{}
			}
		})
	}
	for range more - (maxQueued - 1) { // the others wait
		<-rejected
	}
	return func() { close(hold); all.Wait() }
}

// TestTriesForManyAddressesAreBounded checks that tries for many email addresses from
// many networks neither block a user with the right password nor fill a table.
func TestTriesForManyAddressesAreBounded(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		const queued, tries = maxQueued - 1, 3 * maxQueued
		hold, held := make(chan struct{}), make(chan struct{})
		go d.hashes.do(context.Background(), func() { close(held); <-hold }) // simulates a slow hash
		<-held
		answers := make(chan int, tries)
		for i := range tries {
			go func() {
				answers <- d.signInFrom(fmt.Sprintf("203.0.113.%d", i), fmt.Sprintf("unknown%d@example.com", i), secret).StatusCode
			}()
		}
		for range tries - queued {
			if status := <-answers; status != http.StatusTooManyRequests {
				t.Errorf("one over the queue is answered %d", status)
			}
		}
		close(hold)
		for range queued {
			if status := <-answers; status != http.StatusUnprocessableEntity {
				t.Errorf("one in the queue is answered %d", status)
			}
		}
		const rows = `SELECT COUNT(*) FROM sign_in_tries`
		if d.count(rows) == 0 {
			t.Error("tries are not counted")
		}
		*d.now = noon.Add(triesAge + time.Minute)
		if err := d.Sweep(t.Context()); err != nil || d.count(rows) != 0 {
			t.Errorf("%d old tries are stored: %v", d.count(rows), err)
		}
	}, behindProxy)
}

func TestFailedSignInsAreAnsweredAlike(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		for _, form := range []url.Values{
			{"email": {admin}, "password": {"not the password"}},
			{"email": {"unknown@example.com"}, "password": {secret}},
			{"email": {admin}, "password": {""}},
			{"email": {""}, "password": {secret}},
			{"email": {admin}, "password": {strings.Repeat("x", MaxPassword+1)}},
			{"email": {strings.Repeat("x", 300)}, "password": {secret}},
			{},
		} {
			resp, page := d.post("/review/sign-in", form)
			if resp.StatusCode != 422 || d.problem(page) != WrongPassword || strings.Contains(page, secret) {
				t.Errorf("sign-in with %.60v: %d", form, resp.StatusCode)
			}
		}
		if d.signedIn() {
			t.Error("a user is signed in")
		}
		// A password is hashed for each address, so that the answers take as long: the full queue refuses them all.
		if _, _, err := d.inviteUser(User{Email: "invited@example.com", Role: auditor}); err != nil {
			t.Fatal(err)
		}
		release := d.fillQueue()
		defer release()
		for _, email := range []string{admin, "unknown@example.com", "invited@example.com"} {
			resp, _ := d.newBrowser().post("/review/sign-in", url.Values{"email": {email}, "password": {secret}})
			if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "2" {
				t.Errorf("no password is hashed for %s: %d", email, resp.StatusCode)
			}
		}
	})
}

func TestSignInRedirectsOnlyToOwnPages(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal)
	for _, tc := range []struct {
		next string
		ok   bool
	}{
		{"/review", true}, {"/review?state=ready&after=x", true}, {"/review/applications/x", true},
		{"", false}, {"/", false}, {"/apply/cashflow", false}, {"/reviewer", false}, {"//evil.example/review", false},
		{"https://evil.example/review", false}, {"/review\\..\\evil", false}, {"/review/../apply", false}, {"/review//x", false},
		{"javascript:alert(1)", false}, {"/review\r\nX: y", false}, {"/review#x", false}, {"/review/%2e%2e/%2e%2e/x", false},
		{"/review/sign-out", false}, {"/review?" + strings.Repeat("x", 600), false}, {"\t/review", false}, {"/review/é", false},
	} {
		if got := d.local(tc.next); (got != "") != tc.ok {
			t.Errorf("local(%q) = %q", tc.next, got)
		}
	}
	resp, _ := d.post("/review/sign-in", url.Values{"email": {admin}, "password": {secret}, "next": {"//evil.example/review"}})
	if resp.Header.Get("Location") != "/review" {
		t.Errorf("sign-in leads to %q", resp.Header.Get("Location"))
	}
}

func TestPasswordsCanBeDisabled(t *testing.T) {
	d := start(t, storetest.SQLite(t, store.Portal), store.Portal, func(c *Config) { c.NoPasswords = true })
	if resp := d.signIn(admin, secret); resp.StatusCode != 404 {
		t.Errorf("a password: %d", resp.StatusCode)
	}
	for _, path := range []string{"/review/set-password/x", "/review/forgotten-password"} {
		if resp, _ := d.get(path); resp.StatusCode != 404 {
			t.Errorf("GET %s: %d", path, resp.StatusCode)
		}
		if resp, _ := d.post(path, url.Values{"email": {admin}, "password": {secret}}); resp.StatusCode != 404 {
			t.Errorf("POST %s: %d", path, resp.StatusCode)
		}
	}
	if _, token, err := d.inviteUser(User{Email: "nina@example.com", Role: auditor}); token != "" || err != nil {
		t.Errorf("inviting a user makes the link %q, %v", token, err)
	}
}
