package portal_test

import (
	"encoding/json"
	"go/format"
	"html"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/docs"
	"vestibule/internal/contract"
	"vestibule/internal/portal"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func productIDs(c *portal.Config) {
	c.Account.Products = map[contract.Product]string{contract.Cashflow: productID, contract.Income: productID,
		contract.Eligibility: productID, contract.Passport: productID}
}

// listing returns a listing of the playground as a browser copies it.
func listing(p page, id string) string {
	m := regexp.MustCompile(`(?s)<code id="code-` + id + `">(.*?)</code>`).FindStringSubmatch(p.body)
	if m == nil {
		return ""
	}
	return uncolored(m[1])
}

// uncolored returns the text of colored code.
func uncolored(markup string) string {
	return html.UnescapeString(regexp.MustCompile(`</?span[^>]*>`).ReplaceAllString(markup, ""))
}

// members returns the names of a JSON object.
func members(t *testing.T, object string) []string {
	t.Helper()
	var of map[string]any
	if err := json.Unmarshal([]byte(object), &of); err != nil {
		t.Fatalf("%v: %s", err, object)
	}
	return slices.Sorted(maps.Keys(of))
}

// TestPlaygroundCode checks that the API accepts the playground's code for every product,
// way and person, and its Go code is valid. The page contains no key.
func TestPlaygroundCode(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Portal), productIDs)
	b := r.browser()
	calls := 0
	for _, product := range []string{"cashflow", "income", "eligibility", "passport"} {
		for _, way := range []string{"inline", "modal", "page", "redirect", "redirect-form", "register-token", "register-prefill"} {
			for _, person := range []string{"ana", "luis", "none"} {
				if person != "ana" && way != "inline" && way != "register-token" { // the API has a rate limit
					continue
				}
				at := product + " " + way + " " + person
				p := b.get("/developers?" + url.Values{"product": {product}, "integration": {way},
					"person": {person}, "theme": {"dark"}, "page-language": {"es"}}.Encode())
				if p.status != 200 || strings.Contains(p.body, apiKey) || !strings.Contains(p.body, `value="`+way+`" checked`) {
					t.Fatalf("%s: %d\n%s", at, p.status, p.body)
				}
				if code := listing(p, "go"); code != "" {
					if clean, err := format.Source([]byte(code)); err != nil || strings.TrimSpace(string(clean)) != code {
						t.Errorf("%s: the Go is not as gofmt has it (%v)\n%s", at, err, code)
					}
				}
				_, body, _ := strings.Cut(listing(p, "curl"), "-d '")
				body = strings.TrimSuffix(body, "'")
				switch {
				case way == "register-prefill":
					if body != "" || !strings.Contains(listing(p, "js"), `prefill: {`) {
						t.Errorf("%s: %s", at, listing(p, "js"))
					}
				case !json.Valid([]byte(body)):
					t.Errorf("%s: no JSON: %s", at, body)
				case way == "register-token":
					if !strings.Contains(listing(p, "curl"), r.provider.URL+"/connect/initialization") {
						t.Errorf("%s: %s", at, listing(p, "curl"))
					}
				default:
					calls++
					got := b.do("POST", "/api/v1/applications", "application/json", body, "Authorization", "Bearer "+apiKey)
					if got.status != 201 || !slices.Equal(members(t, got.body), members(t, listing(p, "response"))) {
						t.Errorf("%s: the API answers %d %s to\n%s\nand the page shows\n%s", at, got.status, got.body, body, listing(p, "response"))
					}
				}
			}
		}
	}
	if calls != 4*(5+2) {
		t.Errorf("%d calls were tried", calls)
	}
}

// TestPlaygroundUsesThePagesLanguage checks that the pages in the frame are in the language of
// the playground until another one is chosen.
func TestPlaygroundUsesThePagesLanguage(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		for query, want := range map[string]string{"lang=en": "en", "lang=es": "es", "lang=es&page-language=en": "en"} {
			if p := r.browser().get("/developers?" + query); !strings.Contains(p.body, `<option value="`+want+`" selected>`) {
				t.Errorf("%s does not choose %s", query, want)
			}
		}
	})
}

// TestPlaygroundRunShowsMessages checks that a run is visible only to its browser. It
// shows all messages until the report arrives, and nothing secret or personal.
func TestPlaygroundRunShowsMessages(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		p := b.post("/developers/runs", url.Values{"product": {"cashflow"}, "integration": {"redirect"}, "person": {"luis"}})
		if p.status != 303 || !strings.HasPrefix(p.location, "/developers/runs/") {
			t.Fatalf("run = %d to %q\n%s", p.status, p.location, p.body)
		}
		run := p.location
		application := strings.Replace(run, "/developers/runs", "/applications", 1)
		if other := r.browser().get(run); other.status != 404 {
			t.Errorf("another browser sees it: %d", other.status)
		}
		if own := b.get("/developers/runs/" + strings.TrimPrefix(b.apply(), "/applications/")); own.status != 404 {
			t.Errorf("an application of the form is shown: %d", own.status)
		}
		b.get(application + "/connect")
		external, publicToken := r.provider.finish(contract.StatusSuccess)
		if back := b.get("/redirect/return?jwt=" + r.outcome(publicToken, "SUCCESS", "status", "SUCCESS")); back.status != 303 {
			t.Fatalf("return = %d\n%s", back.status, r.log)
		}
		b.follow(application, "ready")
		shown := b.get(run)
		if again := regexp.MustCompile(`/developers\?[^"]*person=luis`).FindString(shown.body); again == "" ||
			!strings.Contains(b.get(html.UnescapeString(again)).body, `value="luis" selected`) {
			t.Errorf("choosing again by %q forgets the applicant", again)
		}
		text := uncolored(shown.body)
		for _, want := range []string{"POST /api/v1/applications", "POST /secure-redirect", external,
			"signature verified", `"outcome": "SUCCESS"`, `"kid": "`, `"iat": `,
			"GET /connect/cashflow/v2/json", `href="/review` + application + `"`, `data-state="ready"`} {
			if !strings.Contains(text, want) {
				t.Errorf("the timeline lacks %s", want)
			}
		}
		for _, secret := range []string{"Harmon", "luis@example.com", "1984-02-29", apiKey, publicToken, r.provider.args} {
			if strings.Contains(text, secret) {
				t.Errorf("the page has %q", secret)
			}
		}
		if t.Failed() {
			t.Log(text)
		}
	})
}

// TestRunShowsTheChosenIntegration checks that a run with another integration has its
// element, and that an invalid option selects the first.
func TestRunShowsTheChosenIntegration(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Portal), productIDs)
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"integration": {"modal"}, "theme": {"dark"}, "page-language": {"es"}},
			`<vestibule-apply data-theme="dark" lang="es" mode="modal" token="`},
		{url.Values{"integration": {"page"}}, `<vestibule-apply data-theme="own" lang="en" mode="redirect" token="`},
		{url.Values{"integration": {"x"}, "product": {"x"}, "person": {"x"}, "username": {"x"}},
			`<vestibule-apply data-theme="own" height="640" lang="en" mode="inline" token="`},
		{url.Values{"integration": {"register-prefill"}, "person": {"none"}},
			`<vestibule-apply data-theme="own" height="640" lang="en" mode="inline" token="`},
		{url.Values{"integration": {"redirect-form"}}, `/connect" target="_blank"`},
	} {
		b := r.browser()
		p := b.post("/developers/runs", c.form)
		if p.status != 303 {
			t.Fatalf("%v: %d\n%s", c.form, p.status, r.log)
		}
		shown := b.get(p.location)
		if !strings.Contains(shown.body, c.want) || !strings.Contains(shown.header.Get("Content-Security-Policy"), "frame-src 'self'") {
			t.Errorf("%v: the page lacks %s\n%s", c.form, c.want, shown.body)
		}
	}
}

// TestPlaygroundSharesFormLimit checks that runs share the form's rate limit.
func TestPlaygroundSharesFormLimit(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Portal), func(c *portal.Config) { c.Pages.ApplyRate, c.BehindProxy = 2, true })
	send := func(path string, f url.Values) page {
		return r.browser().do("POST", path, "application/x-www-form-urlencoded", f.Encode(),
			"Sec-Fetch-Site", "same-origin", "X-Forwarded-For", "203.0.113.7")
	}
	send("/applications", form()).require(t, "the form", 303)
	send("/developers/runs", url.Values{}).require(t, "a run", 303)
	if p := send("/developers/runs", url.Values{"integration": {"modal"}}); p.status != 429 || p.header.Get("Retry-After") == "" ||
		!strings.Contains(p.body, `value="modal" checked`) {
		t.Errorf("one too many = %d", p.status)
	}
}

func TestProductionHasNoDeveloperPages(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Portal), func(c *portal.Config) { c.Environment = contract.Production })
	b := r.browser()
	for _, path := range []string{"/developers", "/developers/guides/embed"} {
		if p := b.get(path); p.status != 404 {
			t.Errorf("%s = %d", path, p.status)
		}
	}
	b.post("/developers/runs", url.Values{}).require(t, "a run", 404)
	b.get("/").require(t, "the first page", 200, "!/developers")
}

// TestGuideLinksResolve checks that every link of a guide leads to an existing page and
// anchor of the portal.
func TestGuideLinksResolve(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Portal))
	b := r.browser()
	b.get("/").require(t, "the first page", 200, `href="/developers"`)
	b.get("/developers/guides/divergences").require(t, "what is no guide", 404)
	pages := map[string]string{}
	for _, file := range docs.Guides() {
		name := path.Base(file)
		p := b.get("/developers/guides/" + name)
		if p.status != 200 || strings.Contains(p.body, "<!-- raw") {
			t.Fatalf("%s = %d", name, p.status)
		}
		pages["/developers/guides/"+name] = p.body
	}
	links := regexp.MustCompile(`<a href="([^"]+)"`)
	for from, body := range pages {
		_, body, _ = strings.Cut(body, "<article")
		for _, m := range links.FindAllStringSubmatch(body, -1) {
			to := html.UnescapeString(m[1])
			if strings.HasPrefix(to, "http") {
				continue
			}
			path, anchor, _ := strings.Cut(to, "#")
			if path == "" {
				path = from
			}
			target, ok := pages[path]
			if !ok {
				p := b.get(path)
				if p.status != 200 {
					t.Errorf("%s leads to %s, which is %d", from, to, p.status)
				}
				target = p.body
			}
			if anchor != "" && !strings.Contains(target, `id="`+anchor+`"`) {
				t.Errorf("%s leads to %s, where there is no such anchor", from, to)
			}
		}
	}
	if len(pages) != 7 {
		t.Errorf("%d guides", len(pages))
	}
}
