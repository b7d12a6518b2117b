package redirects_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

var otherBrowserTitle = i18ntest.EN("visit.other_browser.title")

// TestVisitBelongsToOneBrowser checks that a second browser with the same redirectUrl reads
// and changes nothing and gets no signed result, before and after the end of the visit.
func TestVisitBelongsToOneBrowser(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, _ := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		other := r.Browser()
		checkRejected := func(when string) {
			t.Helper()
			if at := visitPath(t, other.Do("GET", to, nil)); at != path {
				t.Errorf("%s: the link leads to %s", when, at)
			}
			for _, a := range []providertest.Answer{other.Do("GET", path, nil),
				other.Do("GET", path+"?lang=es", nil), other.Do("GET", path+"/return", nil),
				other.Do("POST", path, url.Values{"action": {"consent"}}), other.Do("POST", path, url.Values{"action": {"close"}}),
				other.Do("POST", path, url.Values{"action": {"start-over"}}),
				other.Do("GET", path, nil, func(req *http.Request) { req.Header.Set("X-Visit-Part", "step") })} {
				if a.Status != http.StatusForbidden || a.Header.Get("Location") != "" || len(a.Header.Values("Set-Cookie")) > 0 {
					t.Errorf("%s: another browser gets %d %s", when, a.Status, a.Header.Get("Location"))
				}
				for _, secret := range []string{"data-step", "Kestrel", r.Return.URL, "jwt="} {
					if strings.Contains(a.Body, secret) {
						t.Errorf("%s: another browser reads %q", when, secret)
					}
				}
			}
			if a := other.Do("GET", path, nil); !strings.Contains(a.Body, otherBrowserTitle) || strings.Contains(a.Body, "start-over") {
				t.Errorf("%s: the page says %s", when, a.Body)
			}
			if a := other.Do("GET", path+"?lang=es", nil); !strings.Contains(a.Body, "otro navegador") {
				t.Errorf("%s: the page says in Spanish %s", when, a.Body)
			}
		}
		r.Do("GET", path, nil)
		r.Do("POST", path, url.Values{"action": {"consent"}})
		checkRejected("after the consent")
		if a := r.Do("POST", path+"/authorize", nil, func(req *http.Request) { req.Header.Set("Sec-Fetch-Site", "cross-site") }); a.Status !=
			http.StatusForbidden || !strings.Contains(a.Body, i18ntest.EN("visit.other_site.hosted")) || !strings.Contains(a.Body, `href="`+path) {
			t.Errorf("another site's form to the bank gets %d %s", a.Status, a.Body)
		}
		finish(t, r, path)
		checkRejected("after the end")
		for range 2 {
			if a := r.Do("GET", path+"/return", nil); a.Status != http.StatusSeeOther || !strings.HasPrefix(a.Header.Get("Location"), r.Return.URL) {
				t.Errorf("the first browser gets %d %s", a.Status, a.Header.Get("Location"))
			}
		}
	})
}

// TestOpenDoesNotBindBrowser checks that link previews, HEAD, and prefetched pages do not
// begin a visit.
func TestOpenDoesNotBindBrowser(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, token := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		preview := r.Browser()
		preview.Do("HEAD", path, nil)
		for _, name := range []string{"Sec-Purpose", "Purpose"} {
			if a := preview.Do("GET", path, nil, func(req *http.Request) { req.Header.Set(name, "prefetch") }); a.Status != http.StatusOK {
				t.Errorf("fetched ahead: %d", a.Status)
			}
		}
		if n := r.Count(`SELECT count(*) FROM visits WHERE state <> 'created'`); n != 0 {
			t.Error("a page that was fetched ahead opened the visit")
		}
		preview.Do("GET", path, nil)
		if a := preview.Do("GET", path+"/return", nil,
			func(req *http.Request) { req.Header.Set("Sec-Purpose", "prefetch") }); a.Status != http.StatusServiceUnavailable {
			t.Errorf("a prefetched return: %d", a.Status)
		}
		if n := r.Count(`SELECT count(*) FROM visits WHERE browser_hash IS NOT NULL`); n != 0 {
			t.Fatal("a browser that only read pages has the visit")
		}
		if at := visitPath(t, r.Do("POST", to, url.Values{"token": {token}})); at != path {
			t.Errorf("the form leads to %s", at)
		}
		page := r.Do("GET", path, nil)
		cookies := (&http.Response{Header: page.Header}).Cookies()
		if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode ||
			cookies[0].Path != "/" || cookies[0].Domain != "" ||
			!strings.HasPrefix(cookies[0].Name, "visit-") || strings.Contains(path, cookies[0].Name[6:]) ||
			cookies[0].MaxAge < int((72*time.Hour).Seconds()) {
			t.Fatalf("cookies %v", page.Header.Values("Set-Cookie"))
		}
		if a := r.Do("GET", path, nil); len(a.Header.Values("Set-Cookie")) != 0 {
			t.Error("a reload changes the cookie")
		}
		finish(t, r, path)
		if n := r.Count(`SELECT count(*) FROM visits WHERE browser_hash IS NOT NULL`); n != 1 {
			t.Error("the visit belongs to no browser")
		}
		if strings.Contains(r.Log(), cookies[0].Value) {
			t.Error("the log has the cookie's value")
		}
	})
}

func TestBrowserWithoutCookies(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, _ := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		for _, header := range []string{"", "visit-x=y", strings.Repeat("a=b; ", 100)} {
			a := r.Browser().Do("POST", path, url.Values{"action": {"consent"}}, func(req *http.Request) { req.Header.Set("Cookie", header) })
			if a.Status != http.StatusForbidden || !strings.Contains(a.Body, i18ntest.EN("visit.no_cookie.title")) {
				t.Errorf("cookies %q: %d %s", header, a.Status, a.Body)
			}
		}
		r.Do("GET", path, nil)
		finish(t, r, path)
	})
}

// TestConcurrentBrowsers checks that one of the browsers that begin concurrently gets the
// visit.
func TestConcurrentBrowsers(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := providertest.Start(t, db, "get")
		to, _ := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		const n = 10
		statuses := make([]int, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				b := r.Browser()
				b.Do("GET", path, nil)
				statuses[i] = b.Do("POST", path, url.Values{"action": {"consent"}}).Status
			})
		}
		all.Wait()
		got := map[int]int{}
		for _, s := range statuses {
			got[s]++
		}
		if got[http.StatusSeeOther] != 1 || got[http.StatusForbidden] != n-1 {
			t.Errorf("answers %v, want one 303 and %d of 403", got, n-1)
		}
	})
}

// TestReturnBindsUnboundVisit checks that a visit that the sandbox completed belongs to
// the first browser that takes its result.
func TestReturnBindsUnboundVisit(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, token := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		r.Control("POST", "/visits/"+token+"/complete", map[string]any{})
		if a := r.Do("GET", path+"/return", nil); !strings.HasPrefix(a.Header.Get("Location"), r.Return.URL) {
			t.Errorf("the first gets %d", a.Status)
		}
		if a := r.Browser().Do("GET", path+"/return", nil); a.Status != http.StatusForbidden {
			t.Errorf("the second gets %d", a.Status)
		}
		if a := r.Do("GET", path+"/return", nil); !strings.HasPrefix(a.Header.Get("Location"), r.Return.URL) {
			t.Errorf("the first gets %d again", a.Status)
		}
	})
}

// TestOldVisitCookiesAreRemoved checks that the Cookie header stays small.
func TestOldVisitCookiesAreRemoved(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		var last string
		for range 30 {
			to, _ := create(t, r, map[string]any{})
			last = visitPath(t, r.Do("GET", to, nil))
			r.Do("GET", last, nil)
		}
		var sent string
		r.Do("GET", last, nil, func(req *http.Request) { sent = req.Header.Get("Cookie") })
		if len(sent) > 2048 {
			t.Errorf("the Cookie header has %d bytes", len(sent))
		}
		if a := r.Do("POST", last, url.Values{"action": {"consent"}}); a.Status != http.StatusSeeOther {
			t.Errorf("the last visit answers %d", a.Status)
		}
	})
}
