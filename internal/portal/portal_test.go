package portal_test

import (
	"bufio"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

func TestEmbeddedFromFormToReport(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		b.get("/apply/cashflow").require(t, "the form", 200, `name="firstName"`)
		a := b.apply()
		p := b.get(a + "/connect")
		first := section(p)
		if p.status != 200 || first["token"] == "" || first["product-id"] != productID || first["attempt"] != "1" {
			t.Fatalf("connect: %d %v", p.status, first)
		}
		if again := section(b.get(a + "/connect")); again["token"] != first["token"] {
			t.Error("loading the page again costs a token that was not used")
		}
		if status := b.callback(a, "onOpen", 1); status != 204 {
			t.Fatalf("onOpen: %d", status)
		}
		if again := section(b.get(a + "/connect")); again["token"] != first["token"] || again["attempt"] != "1" || again["resumed"] == "" {
			t.Errorf("the browser whose widget was begun does not get its token again: %v", again)
		}
		if status := b.callback(a, "onError", 1); status != 204 {
			t.Fatalf("onError: %d", status)
		}
		if next := section(b.get(a + "/connect")); next["token"] == first["token"] || next["attempt"] != "2" || next["resumed"] != "" {
			t.Errorf("a used token is shown again after an error: %v", next)
		}
		externalID, token := r.provider.finish(contract.StatusSuccess)
		if status := b.callback(a, "onSuccess", 2); status != 204 {
			t.Fatalf("onSuccess: %d", status)
		}
		for range 2 {
			if status := r.webhook(externalID, token, contract.StatusSuccess); status != 204 {
				t.Fatalf("webhook: %d", status)
			}
		}
		b.follow(a, "ready")
		if n := r.provider.fetched(); n != 1 {
			t.Errorf("%d fetches, want 1", n)
		}
		b.get(a).require(t, "status page", 200, i18ntest.EN("status.ready.title"), "Harbor National Bank")
		b.get(a+"/connect").requireRedirect(t, "connect when ready", a)
		if strings.Contains(r.log.String(), "anaria") || strings.Contains(r.log.String(), token) {
			t.Error("something personal is in the log")
		}
	})
}

// TestConnectWithoutStorage checks that such a browser gets another token, since
// its widget cannot resume the visit.
func TestConnectWithoutStorage(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		b.get(a + "/connect")
		b.do("POST", a+"/callbacks", "application/json", `{"eventId":"e1","type":"onOpen","attempt":1}`, "Sec-Fetch-Site",
			"same-origin").require(t, "onOpen", 204)
		if next := section(b.get(a + "/connect")); next["attempt"] != "2" || next["resumed"] != "" {
			t.Errorf("the page has attempt %s again", next["attempt"])
		}
	})
}

func TestCompletesByPollOnly(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		b.get(a + "/connect")
		r.provider.finish(contract.StatusSuccess)
		b.callback(a, "onSuccess", 1)
		b.follow(a, "ready")
	})
}

func TestRedirect(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply("mode", "redirect")
		p := b.get(a + "/connect")
		if p.status != 303 || !strings.HasPrefix(p.location, r.provider.URL+"/redirect/") {
			t.Fatalf("connect: %d %s", p.status, p.location)
		}
		_, token := r.provider.finish(contract.StatusSuccess)
		back := "/redirect/return?jwt=" + r.outcome(token, "SUCCESS", "status", "SUCCESS")
		r.browser().get(back).require(t, "another browser", 403, "first window")
		base, _ := url.Parse(r.url)
		before := b.Jar.Cookies(base)[0].Value
		b.get(back).requireRedirect(t, "return", a)
		if b.Jar.Cookies(base)[0].Value == before {
			t.Error("the session's secret stays the same over the return")
		}
		b.get(back).requireRedirect(t, "the same return again", a)
		b.follow(a, "ready")
		if n := r.provider.fetched(); n != 1 {
			t.Errorf("%d fetches, want 1", n)
		}
	})
}

// TestReturnByPost sends a form POST from the provider's site: without cookies,
// from a page that hides its origin.
func TestReturnByPost(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply("mode", "redirect")
		b.get(a + "/connect")
		_, token := r.provider.finish(contract.StatusSuccess)
		sent := url.Values{"token": {r.outcome(token, "SUCCESS", "status", "SUCCESS")}}.Encode()
		p := (&browser{&http.Client{CheckRedirect: b.CheckRedirect}, r}).do("POST", "/redirect/return", "application/x-www-form-urlencoded", sent,
			"Sec-Fetch-Site", "cross-site", "Origin", "null")
		if p.status != 303 || len(p.header.Values("Set-Cookie")) != 0 {
			t.Fatalf("POST: %d\n%s", p.status, p.body)
		}
		if other := r.browser().get(p.location); other.status != 403 {
			t.Errorf("another browser takes it up: %d", other.status)
		}
		b.get(p.location).requireRedirect(t, "taken up", a)
		b.follow(a, "ready")
	})
}

func TestInvalidReturns(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		for _, tc := range []struct {
			outcome, name, value string
			state, words         string
		}{
			{"EXIT", "", "", "exited", i18ntest.EN("journey.exited")},
			{"ERROR", "error", "SUPPLIER_ERROR", "failed", i18ntest.EN("widget.error.supplier")},
			{"ERROR", "error", "INVALID_PREFILL_DOB", "failed", i18ntest.EN("status.failed.correct_details")},
		} {
			a := b.apply("mode", "redirect")
			b.get(a + "/connect")
			_, token := r.provider.finish(contract.StatusPending)
			b.get("/redirect/return?jwt=" + r.outcome(token, tc.outcome, tc.name, tc.value))
			if p := b.get(a); !strings.Contains(p.body, `data-state="`+tc.state+`"`) || !strings.Contains(p.body, tc.words) {
				t.Errorf("%s %s: the status page says\n%s", tc.outcome, tc.value, p.body)
			}
		}
	})
}

func TestConcurrentTabsGetTokens(t *testing.T) {
	eachEngine(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		var tabs sync.WaitGroup
		for range 6 {
			tabs.Go(func() {
				if p := b.get(a + "/connect"); p.status != 200 || section(p)["token"] == "" {
					t.Errorf("a tab got %d", p.status)
				}
			})
		}
		tabs.Wait()
	})
}

func TestRedirectForm(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply("mode", "redirect-form")
		p := b.get(a + "/connect")
		if p.status != 200 || !strings.Contains(p.body, `action="`+r.provider.URL+`/redirect/`) || !strings.Contains(p.body, `name="token"`) {
			t.Fatalf("connect: %d\n%s", p.status, p.body)
		}
		if csp := p.header.Get("Content-Security-Policy"); !strings.Contains(csp, "form-action 'self' "+r.provider.URL) {
			t.Errorf("policy: %s", csp)
		}
	})
}

func TestIntegratorVariants(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		report := uuid.NewString()
		for _, tc := range []struct {
			pairs          []string
			with, without  []string
			initialization bool
		}{
			{[]string{"variant", "token", "manual", "yes"}, []string{"token", "vestibule-fire"}, []string{"prefill", "consumer-id"}, true},
			{[]string{"variant", "prefill"}, []string{"prefill", "external-id"}, []string{"token", "consumer-id"}, false},
			{[]string{"variant", "consumer"}, []string{"consumer-id", "external-id"}, []string{"token", "prefill"}, false},
			{[]string{"variant", "sandbox-report", "sandboxReportId", report}, []string{"token", "sandbox-report-id"}, []string{"prefill"}, true},
		} {
			before := len(r.provider.inits)
			p := b.get(b.apply(tc.pairs...) + "/connect")
			got := section(p)
			for _, name := range tc.with {
				if got[name] == "" && !strings.Contains(p.body, "data-"+name) {
					t.Errorf("%v: no data-%s", tc.pairs, name)
				}
			}
			for _, name := range tc.without {
				if got[name] != "" {
					t.Errorf("%v: data-%s = %s", tc.pairs, name, got[name])
				}
			}
			if (len(r.provider.inits) > before) != tc.initialization {
				t.Errorf("%v: %d initializations", tc.pairs, len(r.provider.inits)-before)
			}
		}
	})
}

func TestRefusedFormKeepsValues(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		p := b.post("/applications", form("email", "no-address", "zip", "1234", "city", "<b>Oslo</b>"))
		if p.status != 422 {
			t.Fatalf("status %d", p.status)
		}
		for _, want := range []string{`value="Canaria"`, `value="no-address"`, `value="1234"`,
			`id="summary"`, `href="#email"`, `href="#zip"`, `&lt;b&gt;Oslo`} {
			if !strings.Contains(p.body, want) {
				t.Errorf("the page has no %s", want)
			}
		}
		if len(p.header.Values("Set-Cookie")) != 0 {
			t.Error("a refused form makes a session")
		}
		if a := b.get("/"); strings.Contains(a.body, "badge") {
			t.Error("an application was stored")
		}
	})
}

func TestUnavailableProviderLosesNoData(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		r.provider.set(func() { r.provider.away = true })
		p := b.get(a + "/connect")
		if p.status != 503 || !strings.Contains(p.body, i18ntest.EN("connect.service_away.text")) || p.header.Get("Retry-After") == "" {
			t.Errorf("away: %d", p.status)
		}
		r.provider.set(func() { r.provider.away, r.provider.refuse = false, contract.WidgetInvalidProduct })
		b.get(a+"/connect").require(t, "refused", 502, i18ntest.EN("widget.error.setup"))
		r.provider.set(func() { r.provider.refuse = "" })
		if p := b.get(a + "/connect"); p.status != 200 || section(p)["attempt"] != "1" {
			t.Errorf("back: %d, attempt %s", p.status, section(p)["attempt"])
		}
	})
}

func TestLostExternalIDUsesAnAttempt(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		p := r.browser().do("POST", "/api/v1/applications", "application/json",
			`{"product":"cashflow","mode":"embedded","externalId":"order-7","prefill":{"firstName":"A",`+
				`"lastName":"B","email":"a@b.example","dob":"1990-01-01"}}`,
			"Authorization", "Bearer "+apiKey)
		var made struct{ ConnectURL string }
		if json.Unmarshal([]byte(p.body), &made) != nil || p.status != 201 {
			t.Fatalf("create: %d %s", p.status, p.body)
		}
		r.provider.set(func() { r.provider.visits["order-7"] = &visit{"order-7", uuid.NewString(), contract.StatusPending} })
		b := r.browser()
		p = b.useLink(made.ConnectURL)
		if p.status != 303 || strings.Contains(p.location, "grant") {
			t.Fatalf("connectUrl: %d %s", p.status, p.location)
		}
		if got := section(b.get(p.location)); got["attempt"] != "2" || got["token"] == "" {
			t.Errorf("connect: %v", got)
		}
		r.browser().get(made.ConnectURL).require(t, "the same address in another browser", 404)
	})
}

// useLink opens an application's link, and posts its form as a person does.
func (b *browser) useLink(connectURL string) page {
	b.r.t.Helper()
	if p := b.get(connectURL); p.status != 200 || !strings.Contains(p.body, `name="grant"`) {
		return p
	}
	link, query, _ := strings.Cut(connectURL, "?")
	form, _ := url.ParseQuery(query)
	return b.post(link, form)
}

// TestLinkIsUsedByPost checks that only the POST of a link's page uses it, in a browser that keeps
// cookies, and for one browser.
func TestLinkIsUsedByPost(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		p := r.browser().do("POST", "/api/v1/applications", "application/json",
			`{"product":"cashflow","mode":"embedded","prefill":{"firstName":"A","lastName":"B","email":"a@b.example","dob":"1990-01-01"}}`,
			"Authorization", "Bearer "+apiKey)
		var made struct{ ConnectURL string }
		if json.Unmarshal([]byte(p.body), &made) != nil || p.status != 201 {
			t.Fatalf("create: %d %s", p.status, p.body)
		}
		link, query, _ := strings.Cut(made.ConnectURL, "?")
		token, _ := url.ParseQuery(query)
		for range 2 {
			r.browser().get(made.ConnectURL).require(t, "the link", 200)
			r.browser().post(link, token).require(t, "a browser without cookies", 422)
		}
		person := r.browser()
		for _, form := range []url.Values{nil, {"grant": {"unknown"}}, {"grant": {strings.Repeat("x", 200)}}} {
			person.get(made.ConnectURL)
			if p := person.post(link, form); p.status != 404 {
				t.Errorf("POST of %v = %d", form, p.status)
			}
		}
		if p := person.useLink(made.ConnectURL); p.status != 303 || !strings.HasSuffix(p.location, "/connect") {
			t.Fatalf("the link is used: %d to %s", p.status, p.location)
		}
		if got := section(person.get(link)); got["attempt"] != "1" {
			t.Errorf("connect: %v", got)
		}
		if p := person.get(made.ConnectURL); p.status != 303 || strings.Contains(p.location, "grant") {
			t.Errorf("the link in the browser that used it = %d to %s", p.status, p.location)
		}
		other := r.browser()
		other.get("/")
		if p, posted := other.get(made.ConnectURL), other.post(link, token); p.status != 404 || posted.status != 404 {
			t.Errorf("the link in another browser = %d, and posted %d", p.status, posted.status)
		}
	})
}

// TestForeignVisitsProveNothing starts a visit in the widget with the
// application's external ID, as anyone who knows the ID can; the portal must ignore
// it.
func TestForeignVisitsProveNothing(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		for _, mode := range []string{"embedded", "redirect", "redirect-form"} {
			b := r.browser()
			a := b.apply("mode", mode)
			label, theirs := strings.TrimPrefix(a, "/applications/"), uuid.NewString()
			r.provider.set(func() { r.provider.visits[label] = &visit{label, theirs, contract.StatusSuccess} })
			if p := b.get(a + "/connect"); p.status != 200 && p.status != 303 {
				t.Fatalf("connect = %d", p.status)
			}
			b.callback(a, "onError", 1) // uses up the attempt
			b.callback(a, "onSuccess", 1)
			if status := r.webhook(label, theirs, contract.StatusSuccess); status != 204 {
				t.Errorf("the webhook = %d", status)
			}
			externalID, token := r.provider.finish(contract.StatusNotAuthenticated)
			if !regexp.MustCompile(`~2-[0-9a-f]{16}$`).MatchString(externalID) {
				t.Errorf("the next external id, %s, can be foreseen", externalID)
			}
			r.webhook(externalID, token, contract.StatusNotAuthenticated)
			b.follow(a, "failed")
			r.provider.set(func() {
				if slices.Contains(r.provider.asked, label) {
					t.Errorf("%s: another visit was polled", mode)
				}
			})
		}
		if n := r.provider.fetched(); n != 0 {
			t.Errorf("%d reports of other visits were fetched", n)
		}
	})
}

// frame is a browser without cookies, in a frame of another site's page.
type frame struct {
	*browser
	id, key, connectURL string
}

var framed = []string{"Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "same-origin"}

func newFrame(t *testing.T, r *testServer) frame {
	t.Helper()
	p := r.browser().do("POST", "/api/v1/applications", "application/json",
		`{"product":"cashflow","mode":"embedded","allowedOrigin":"https://shop.example"}`, "Authorization", "Bearer "+apiKey)
	var made struct{ ID, ConnectURL string }
	if json.Unmarshal([]byte(p.body), &made) != nil || p.status != 201 {
		t.Fatalf("create: %d %s", p.status, p.body)
	}
	u, err := url.Parse(made.ConnectURL)
	if err != nil {
		t.Fatal(err)
	}
	b := r.browser()
	b.Jar = nil
	return frame{b, made.ID, "?" + url.Values{"grant": {u.Query().Get("grant") + ".a-key-of-this-page-and-no-other"}, "lang": {"es"}}.Encode(),
		made.ConnectURL}
}

func (f frame) open(path string) page { return f.do("GET", path, "", "", framed...) }

// path returns a path of the application, with the key.
func (f frame) path(end string) string { return "/applications/" + f.id + end + f.key }

func TestFrameAccessByToken(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		f := newFrame(t, r)
		connect := f.path("/connect")
		t.Run("form", func(t *testing.T) {
			f.open("/embed/v1/frame"+f.key+"&origin=https://shop.example").requireRedirect(t, "where the frame begins", connect)
			p := f.open(connect)
			p.require(t, "the form in a frame", 200, `name="firstName"`, `lang="es"`, `!name="mode"`)
			if csp := p.header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors https://shop.example;") ||
				len(p.header.Values("Set-Cookie")) != 0 {
				t.Errorf("the form in a frame: %s", csp)
			}
			f.do("POST", f.path("/applicant"), "application/x-www-form-urlencoded", form("mode", "embedded").Encode(), framed...).
				requireRedirect(t, "the form's answer", connect)
		})
		t.Run("widget", func(t *testing.T) {
			r.provider.set(func() { r.provider.away = true })
			f.open(connect).require(t, "with the provider away", 503, `data-error="REQUEST_TIMEOUT"`)
			r.provider.set(func() { r.provider.away, r.provider.refuse = false, contract.WidgetInvalidProduct })
			f.open(connect).require(t, "refused by the provider", 502, `data-error="INVALID_PRODUCT"`, `!href="/"`)
			r.provider.set(func() { r.provider.refuse = "" })
			p := f.open(connect)
			if got := section(p); p.status != 200 || got["token"] == "" || !strings.HasSuffix(html.UnescapeString(got["next"]), f.key) ||
				got["parent"] != "https://shop.example" {
				t.Errorf("connect in a frame: %d %v", p.status, got)
			}
			f.get(connect).require(t, "in a frame of a browser that does not send Sec-Fetch-Dest", 200)
		})
		t.Run("other keys", func(t *testing.T) {
			for name, query := range map[string]string{"without the token": "",
				"without the key":  f.connectURL[strings.Index(f.connectURL, "?"):],
				"with another key": strings.Replace(f.key, "no-other", "an-other", 1)} {
				f.do("GET", "/applications/"+f.id+query, "", "", "Sec-Fetch-Dest", "empty").require(t, name, 404)
				if p := f.open("/applications/" + f.id + query); query != "" &&
					(p.status != 303 || !strings.HasPrefix(p.location, "/embed/v1/frame?grant=")) {
					t.Errorf("a page %s: %d %s", name, p.status, p.location)
				}
			}
		})
		// A bank's pages that took the window of the page lead back to it, by an address that grants nothing.
		t.Run("the way back", func(t *testing.T) {
			back := regexp.MustCompile(`data-back="(/embed/v1/back/[0-9a-f]{64})"`).FindStringSubmatch(f.open(connect).body)
			if back == nil {
				t.Fatal("the page with the widget names no way back")
			}
			p := f.do("GET", back[1], "", "", "Sec-Fetch-Dest", "document")
			p.require(t, "the way back", 200, `data-host="https://shop.example"`, "!"+f.id, "!grant")
			if len(p.header.Values("Set-Cookie")) != 0 {
				t.Error("the way back sets a cookie")
			}
			for _, hash := range []string{"", "x", strings.Repeat("0", 64), back[1][len("/embed/v1/back/"):] + "00"} {
				f.get("/embed/v1/back/"+hash).require(t, "the way back by "+hash, 404)
			}
			f.open(connect).require(t, "the frame that was returned to", 200)
		})
		// A form with the key loads the whole window.
		t.Run("leaving the frame", func(t *testing.T) {
			out := r.browser()
			out.do("POST", f.path("/restart")+"&window=top", "application/x-www-form-urlencoded", "mode=redirect").
				requireRedirect(t, "out of the frame", "/applications/"+f.id+"/connect")
			out.get("/applications/"+f.id+"/connect").require(t, "out of the frame", 303)
			f.do("GET", f.path(""), "", "", "Sec-Fetch-Dest", "empty").require(t, "the frame that was left", 404)
		})
	})
}

func TestForeignApplicationsAreNotFound(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		a := r.browser().apply()
		other := r.browser()
		other.apply()
		for _, path := range []string{a, a + "/connect", a + "/stream", "/applications/" +
			uuid.NewString(), "/applications/x", a + "?grant=nonsense"} {
			if p := other.get(path); p.status != 404 {
				t.Errorf("GET %s = %d", path, p.status)
			}
		}
		if status := other.callback(a, "onSuccess", 1); status != 404 {
			t.Errorf("callback = %d", status)
		}
		other.post(a+"/restart", url.Values{}).require(t, "restart", 404)
	})
}

func TestRestartsAfterExit(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		b.get(a + "/connect")
		b.callback(a, "onExit", 1)
		b.get(a).require(t, "the status page", 200, i18ntest.EN("status.exited.title"), "/restart")
		b.get(a+"/connect").requireRedirect(t, "connect after exit", a)
		for range 2 { // a double click opens one attempt
			b.post(a+"/restart", url.Values{"mode": {"redirect"}}).requireRedirect(t, "restart", a+"/connect")
		}
		if p := b.get(a + "/connect"); p.status != 303 || !strings.HasPrefix(p.location, r.provider.URL) {
			t.Errorf("connect after restart: %d %s", p.status, p.location)
		}
		externalID, token := r.provider.finish(contract.StatusNotAuthenticated)
		if !regexp.MustCompile(`~2-[0-9a-f]{16}$`).MatchString(externalID) {
			t.Errorf("second attempt's external id = %s", externalID)
		}
		r.webhook(externalID, token, contract.StatusNotAuthenticated)
		b.follow(a, "failed")
		b.get(a).require(t, "the status page of NOT_AUTHENTICATED", 200, i18ntest.EN("journey.report.not_authenticated"))
	})
}

func TestRejectsForgedWebhooksAndCallbacks(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		b.get(a + "/connect")
		externalID, token := r.provider.finish(contract.StatusPending)
		event := webhook.Event{EventID: "e", Type: webhook.TypeVisit, Environment: contract.Sandbox, PublicID: "pub", PublicToken: token,
			ExternalID: externalID, Status: contract.StatusSuccess}
		body, _ := json.Marshal(event)
		if status := r.send(body, webhook.NewSecret()); status != 401 {
			t.Errorf("another secret: %d", status)
		}
		event.PublicID = "other-account"
		foreign, _ := json.Marshal(event)
		if status := r.send(foreign, r.secret); status != 204 {
			t.Errorf("about another account: %d", status)
		}
		event.PublicID, event.Environment = "pub", contract.Production
		foreign, _ = json.Marshal(event)
		if status := r.send(foreign, r.secret); status != 403 {
			t.Errorf("another environment: %d", status)
		}
		if status := r.webhook("unknown", uuid.NewString(), contract.StatusSuccess); status != 204 {
			t.Errorf("about nothing known: %d", status)
		}
		for _, bad := range []string{`{}`, `{"eventId":"x","type":"onSuccess","attempt":9}`,
			`{"eventId":"<","type":"onExit","attempt":1}`, `{"type":1}`, `[]`, ``} {
			if p := b.do("POST", a+"/callbacks", "application/json", bad, "Sec-Fetch-Site", "same-origin"); p.status != 400 {
				t.Errorf("callback %s = %d", bad, p.status)
			}
		}
		b.get(a).require(t, "the application after forged requests", 200, `data-state="connecting"`)
	})
}

func TestRejectsForeignSitesHostsAndMethods(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		cross := []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}
		for _, path := range []string{"/applications", a + "/restart", a + "/events", "/review/sign-in"} {
			if p := b.do("POST", path, "application/x-www-form-urlencoded", "x=1", cross...); p.status != 403 {
				t.Errorf("cross-site POST %s = %d", path, p.status)
			}
		}
		b.do("POST", "/redirect/return", "application/x-www-form-urlencoded", "token=x", "Sec-Fetch-Site", "cross-site", "Origin",
			"null").require(t, "cross-site POST of a return", 400)
		for _, method := range []string{"HEAD", "PUT", "DELETE"} {
			if p := b.do(method, a+"/connect", "", "", "Sec-Fetch-Site", "same-origin"); p.status != 405 {
				t.Errorf("%s connect = %d", method, p.status)
			}
		}
		b.do("GET", a+"/connect", "", "", "Sec-Purpose", "prefetch").require(t, "prefetched connect", 503)
		if n := len(r.provider.inits); n != 0 {
			t.Errorf("%d visits were begun", n)
		}
		req, _ := http.NewRequestWithContext(t.Context(), "GET", r.url+"/", nil)
		req.Host = "evil.example"
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("another host = %d", resp.StatusCode)
		}
		for path, want := range map[string]int{"/apply/passport": 404, "/apply/income": 200, "/apply/eligibility": 404,
			"/apply/nothing": 404, "/nothing": 404, "/api/v1/nothing": 404} {
			p := b.get(path)
			if html := strings.HasPrefix(p.header.Get("Content-Type"), "text/html"); p.status != want || html == strings.HasPrefix(path, "/api/") {
				t.Errorf("%s = %d %s", path, p.status, p.header.Get("Content-Type"))
			}
		}
	})
}

// TestAPIRejectsForeignSitesAndHosts asks each operation of the API's document.
func TestAPIRejectsForeignSitesAndHosts(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Portal))
	refused := func(method, path string, status int, change func(*http.Request)) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, r.url+strings.NewReplacer("{id}", "x", "{path}", "x").Replace(path), nil)
		if err != nil {
			t.Fatal(err)
		}
		change(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		openapitest.Check(t, resp)
		if resp.StatusCode != status {
			t.Errorf("%s %s = %d, want %d", method, path, resp.StatusCode, status)
		}
	}
	for path, item := range openapitest.Portal(t).Paths.Map() {
		for method := range item.Operations() {
			refused(method, path, http.StatusMisdirectedRequest, func(req *http.Request) { req.Host = "evil.example" })
			if method != http.MethodGet {
				refused(method, path, http.StatusForbidden, func(req *http.Request) { req.Header.Set("Sec-Fetch-Site", "cross-site") })
			}
		}
	}
}

func TestStreamResumesAndEndsWithThePortal(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		a := b.apply()
		req, _ := http.NewRequestWithContext(t.Context(), "GET", r.url+a+"/stream", nil)
		req.Header.Set("Last-Event-ID", "1")
		resp, err := b.Do(req)
		if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
			t.Fatalf("stream: %v", err)
		}
		defer resp.Body.Close()
		b.get(a + "/connect")
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "id: ") {
		}
		if lines.Text() != "id: 2" {
			t.Errorf("first event is %q, want the one after 1", lines.Text())
		}
		r.portal.Drain()
		for lines.Scan() {
		}
		if err := lines.Err(); err != nil {
			t.Errorf("the stream was cut: %v", err)
		}
		if p := b.get(a + "/stream"); p.status != 429 || p.header.Get("Retry-After") == "" {
			t.Errorf("a stream while stopping: %d", p.status)
		}
	})
}

func TestIgnoresInvalidCookies(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		a := r.browser().apply()
		for _, value := range []string{"x", "vestibule=", strings.Repeat("A", 4000), "MTIzfHg6fDE="} {
			p := (&browser{&http.Client{}, r}).do("GET", a, "", "", "Cookie", "vestibule="+value)
			if p.status != 404 {
				t.Errorf("cookie %.20q: %d, want as for a stranger", value, p.status)
			}
		}
	})
}

func TestCookieSize(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		for range 30 {
			b.get(b.apply("mode", "redirect") + "/connect")
		}
		base, _ := url.Parse(r.url)
		n := 0
		for _, c := range b.Jar.Cookies(base) {
			n += len(c.String())
		}
		if n > 4<<10 {
			t.Errorf("the Cookie header has %d bytes", n)
		}
	})
}

func TestSpanish(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b := r.browser()
		b.get("/?lang=es").require(t, "lang=es", 200, `<html lang="es"`)
		b.get("/apply/cashflow").require(t, "the language of the next page", 200, i18ntest.ES("apply.dob.label"))
	})
}
