package invites_test

import (
	"context"

	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/mail"
	"vestibule/internal/provider"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

func start(t *testing.T, f func(t *testing.T, r *providertest.Server)) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, providertest.Start(t, db, "get")) })
}

// body is a good one of an invite, with these members.
func body(r *providertest.Server, more ...any) map[string]any {
	out := map[string]any{"productId": r.Seed.Products[contract.Cashflow], "prefill": providertest.Prefill()}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// invite makes a link that lives that long.
func invite(t *testing.T, r *providertest.Server, lives time.Duration, more ...any) (link, publicToken string) {
	t.Helper()
	a := r.Do("POST", "/connect/invite-link", body(r, more...), r.Basic)
	link, _ = a.JSON["inviteLink"].(string)
	publicToken, _ = a.JSON["publicToken"].(string)
	if a.Status != 200 || a.JSON["exp"] != float64(r.Now().Add(lives).Unix()) || !strings.HasPrefix(link, r.URL+"/invite/") ||
		!contract.IsUUID(publicToken) {
		t.Fatalf("invite: %d %s", a.Status, a.Body)
	}
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Error("an invite may not be cached")
	}
	return link, publicToken
}

func handleOf(link string) string { return link[strings.LastIndex(link, "/")+1:] }

// opened is the path of the visit that a link leads to.
func opened(t *testing.T, r *providertest.Server, link string) string {
	t.Helper()
	a := r.Do("GET", link, nil)
	path := a.Header.Get("Location")
	if a.Status != http.StatusSeeOther || !strings.HasPrefix(path, "/visit/") || a.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("leads nowhere: %d %s %s", a.Status, path, a.Body)
	}
	if strings.Contains(path, handleOf(link)) {
		t.Error("the page's address says the link's handle")
	}
	return path
}

func steps(t *testing.T, r *providertest.Server, path string, forms ...url.Values) {
	t.Helper()
	for _, form := range forms {
		if a := r.Do("POST", path, form); a.Status != http.StatusSeeOther {
			t.Fatalf("%v answers %d", form, a.Status)
		}
	}
}

var toAccounts = []url.Values{{"action": {"bank"}, "bank": {"kestrel-bank"}},
	{"action": {"sign-in"}, "username": {"default"}, "password": {"x"}}, {"action": {"code"}, "code": {"123456"}}}

func TestInviteIsCompletedOnce(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		link, publicToken := invite(t, r, 72*time.Hour, "externalId", "case-1", "userArgs", "u")
		path := opened(t, r, link)
		if page := r.Do("GET", path, nil); page.Status != 200 || !strings.Contains(page.Body, `value="consent"`) {
			t.Errorf("the first page: %d", page.Status)
		}
		// The applicant leaves after the consent and returns by the link two days later.
		steps(t, r, path, url.Values{"action": {"consent"}}, url.Values{"action": {"close"}})
		r.Advance(48 * time.Hour)
		if again := opened(t, r, link); again != path {
			t.Errorf("the link leads to %s, before to %s", again, path)
		}
		steps(t, r, path, append([]url.Values{{"action": {"reopen"}}}, toAccounts...)...)
		id := regexp.MustCompile(`name="account" value="([^"]+)"`).FindStringSubmatch(r.Do("GET", path, nil).Body)
		if id == nil {
			t.Fatal("no accounts to choose from")
		}
		steps(t, r, path, url.Values{"action": {"accounts"}, "account": {id[1]}})
		events := r.Webhooks(publicToken, 1)
		if events[0]["status"] != "SUCCESS" || events[0]["externalId"] != "case-1" || events[0]["userArgs"] != "u" {
			t.Errorf("webhook %v", events[0])
		}
		// From then on the page says so, whatever is posted to it.
		for range 2 {
			page := r.Do("GET", opened(t, r, link), nil)
			if page.Status != 200 || strings.Contains(page.Body, `name="action"`) ||
				!strings.Contains(page.Body, "You’re all done here.") {
				t.Errorf("a completed invite: %d\n%.3000s", page.Status, page.Body)
			}
			steps(t, r, path, url.Values{"action": {"consent"}})
		}
		if n := r.Count(`SELECT count(*) FROM events WHERE subject_id = $1`, publicToken); n != 1 {
			t.Errorf("%d events of one visit", n)
		}
		if strings.Contains(r.Log(), handleOf(link)) {
			t.Error("the log has the handle")
		}
		if n := r.Count(`SELECT count(*) FROM invites WHERE handle_hash = $1`, store.Hash(handleOf(link))); n != 1 {
			t.Errorf("%d rows with the handle's hash", n)
		}
	})
}

// TestInviteInAnotherBrowser checks that an invite works in any browser until its visit is
// completed, and that another browser neither shows nor continues the visit of the first.
func TestInviteInAnotherBrowser(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		link, _ := invite(t, r, 72*time.Hour)
		path := opened(t, r, link)
		phone := r.Browser()
		r.Do("GET", path, nil)
		steps(t, r, path, url.Values{"action": {"close"}})
		if a := phone.Do("GET", path, nil); a.Status != 200 || !strings.Contains(a.Body, `value="reopen"`) {
			t.Fatalf("nothing was begun, and the phone gets %d", a.Status)
		}
		steps(t, r, path, append([]url.Values{{"action": {"reopen"}}, {"action": {"consent"}}}, toAccounts...)...)

		if a := phone.Do("GET", path, nil); a.Status != http.StatusForbidden || !strings.Contains(a.Body, `value="start-over"`) ||
			strings.Contains(a.Body, "data-step") {
			t.Fatalf("the phone gets %d %s", a.Status, a.Body)
		}
		if a := phone.Do("POST", path, url.Values{"action": {"start-over"}}); a.Status != http.StatusSeeOther {
			t.Fatalf("starting over: %d %s", a.Status, a.Body)
		}
		if a := phone.Do("GET", path, nil); a.Status != 200 || !strings.Contains(a.Body, `data-step="consent"`) {
			t.Errorf("the phone gets %d %s", a.Status, a.Body)
		}
		if n := r.Count(`SELECT count(*) FROM visits WHERE username = '' AND sources = '' AND bank = ''`); n != 1 {
			t.Error("the visit still has what was done in the first browser")
		}
		if a := r.Do("GET", path, nil); a.Status != http.StatusForbidden {
			t.Errorf("the first browser gets %d", a.Status)
		}
		if a := r.Browser().Do("POST", path, url.Values{"action": {"start-over"}}); a.Status != http.StatusForbidden ||
			!strings.Contains(a.Body, i18ntest.EN("visit.no_cookie.title")) {
			t.Errorf("without a cookie: %d %s", a.Status, a.Body)
		}
		r.Control("POST", "/visits/"+handleOf(link)+"/complete", map[string]any{})
		if a := r.Do("POST", path, url.Values{"action": {"start-over"}}); a.Status != http.StatusNotFound {
			t.Errorf("starting over after the end: %d %s", a.Status, a.Body)
		}
	})
}

func TestInviteExpires(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		soon := providertest.Prefill()
		soon["lastName"] = "expiresoon"
		for _, c := range []struct {
			lives   time.Duration
			prefill map[string]any
			opened  bool
		}{{72 * time.Hour, providertest.Prefill(), false}, {5 * time.Minute, soon, false}, {5 * time.Minute, soon, true}} {
			link, publicToken := invite(t, r, c.lives, "prefill", c.prefill)
			if c.opened {
				path := opened(t, r, link)
				r.Do("GET", path, nil)
				steps(t, r, path, url.Values{"action": {"consent"}})
			}
			r.Advance(c.lives - time.Second)
			r.Control("POST", "/clock", map[string]string{"advance": "0s"}) // which sweeps
			if n := r.Count(`SELECT count(*) FROM reports WHERE public_token = $1 AND status = 'PENDING'`, publicToken); n != 1 {
				t.Errorf("of %s: over too early", c.lives)
			}
			r.Advance(time.Second)
			r.Control("POST", "/clock", map[string]string{"advance": "0s"})
			if event := r.Webhooks(publicToken, 1)[0]; event["status"] != "EXPIRED" || event["substatus"] != nil {
				t.Errorf("of %s: webhook %v", c.lives, event)
			}
			if n := r.Count(`SELECT count(*) FROM reports WHERE public_token = $1 AND status = 'EXPIRED'`, publicToken); n != 1 {
				t.Errorf("of %s: the report is not EXPIRED", c.lives)
			}
			page := r.Do("GET", opened(t, r, link), nil)
			if page.Status != 200 || strings.Contains(page.Body, `name="action"`) ||
				!strings.Contains(page.Body, i18ntest.EN("visit.title.expired")) {
				t.Errorf("of %s: the page is %d\n%.2000s", c.lives, page.Status, page.Body)
			}
		}
	})
}

func TestRejectedInvites(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		token := r.Do("POST", "/connect/initialization", body(r), r.Basic).JSON["token"]
		before := r.Count(`SELECT count(*) FROM visits`)
		bad := providertest.Prefill()
		bad["email"] = "x"
		for _, c := range []struct {
			name string
			path string
			body any
			as   func(*http.Request)
			want int
			code contract.Code
		}{
			{"a wrong secret", "/connect/invite-link", body(r), func(req *http.Request) { req.SetBasicAuth("client", "x") }, 403,
				contract.CodeUnknownCustomer},
			{"another customer's product", "/connect/invite-link", body(r), r.ThirdParty, 400, contract.CodeInvalidProduct},
			{"a bad prefill", "/connect/invite-link", body(r, "prefill", bad), r.Basic, 400, contract.Code(contract.WidgetPrefillEmail)},
			{"prefill and consumer", "/connect/invite-link", body(r, "consumerId", "7d3f0c5e-31a4-4c7b-9c0a-5a0b1f6c2d90"), r.Basic, 400,
				contract.CodeInvalidConsumerID},
			{"an unknown member", "/connect/invite-link", body(r, "completeUrl", "x"), r.Basic, 400, contract.CodeMalformedBody},
			{"a token of an initialization", "/connect/invite-link", map[string]any{"token": token}, r.Basic, 400, contract.CodeMalformedBody},
			{"a letter without sending it", "/connect/invite-link", body(r, "deliverTo", "ana@example.com"), r.Basic, 400,
				contract.CodeMalformedBody},
			{"an email without a recipient", "/connect/invite", body(r), r.Basic, 400, contract.CodeMalformedBody},
			{"a letter to null", "/connect/invite", body(r, "deliverTo", nil), r.Basic, 400, contract.CodeMalformedBody},
			{"a letter to a number", "/connect/invite", body(r, "deliverTo", 1), r.Basic, 400, contract.CodeMalformedBody},
			{"a letter to two", "/connect/invite", body(r, "deliverTo", "a@example.com,b@example.com"), r.Basic, 400, contract.CodeMalformedBody},
			{"a letter with a header more", "/connect/invite", body(r, "deliverTo", "a@example.com\r\nBcc: b@example.com"), r.Basic, 400,
				contract.CodeMalformedBody},
			{"a letter about a bad prefill", "/connect/invite", body(r, "deliverTo", "ana@example.com", "prefill", bad), r.Basic, 400,
				contract.Code(contract.WidgetPrefillEmail)},
		} {
			if a := r.Do("POST", c.path, c.body, c.as); a.Status != c.want || a.JSON["error"] != string(c.code) {
				t.Errorf("%s: %d %s, want %d %s", c.name, a.Status, a.Body, c.want, c.code)
			}
		}
		if n := r.Count(`SELECT count(*) FROM visits`) + r.Count(`SELECT count(*) FROM invites`) +
			r.Count(`SELECT count(*) FROM emails`); n != before {
			t.Error("something of a refused invite was stored")
		}
		for _, handle := range []string{store.NewSecret(), "x", "%00", strings.Repeat("a", 4000)} {
			a := r.Do("GET", "/invite/"+handle, nil)
			if a.Status != 404 || !strings.Contains(a.Body, i18ntest.EN("invite.not_found.title")) || a.Header.Get("Content-Security-Policy") == "" {
				t.Errorf("an unknown link: %d %.300s", a.Status, a.Body)
			}
		}
	})
}

func TestControlCompletesInvite(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		link, publicToken := invite(t, r, 72*time.Hour)
		status, done := r.Control("POST", "/visits/"+handleOf(link)+"/complete", map[string]any{"username": "joint"})
		if status != 200 || done["publicToken"] != publicToken || done["status"] != "SUCCESS" || done["completeUrl"] != nil {
			t.Errorf("%d %v", status, done)
		}
		// There is one completed visit.
		if status, again := r.Control("POST", "/visits/"+handleOf(link)+"/complete", map[string]any{"username": "error"}); status != 200 ||
			again["status"] != "SUCCESS" {
			t.Errorf("walked again: %d %v", status, again)
		}
		if len(r.Webhooks(publicToken, 1)) != 1 {
			t.Error("a second webhook")
		}
	})
}

// postman keeps the letters that it is given, or refuses them.
type postman struct {
	mu      sync.Mutex
	letters []mail.Message
	err     error
}

func (p *postman) Send(_ context.Context, l mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.letters = append(p.letters, l)
	return p.err
}

func (p *postman) got() []mail.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]mail.Message(nil), p.letters...)
}

func TestInviteByEmail(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		var post postman
		r := providertest.Start(t, db, "get", func(c *provider.Config) { c.Mail = &post })
		a := r.Do("POST", "/connect/invite", body(r, "deliverTo", "ana.other@example.com"), r.Basic)
		link, _ := a.JSON["inviteLink"].(string)
		if a.Status != 200 || a.JSON["exp"] != float64(r.Now().Add(72*time.Hour).Unix()) || !strings.HasPrefix(link, r.URL+"/invite/") ||
			!contract.IsUUID(a.JSON["publicToken"].(string)) {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		r.Until("the letter", func() bool {
			return r.Count(`SELECT count(*) FROM emails WHERE sent_at IS NOT NULL AND body IS NULL`) == 1
		})
		all := post.got()
		if len(all) != 1 || all[0].To != "ana.other@example.com" || strings.Count(all[0].Text, link) != 2 ||
			strings.Count(all[0].HTML, `href="`+link+`"`) != 4 || !strings.Contains(all[0].Subject, " / ") ||
			!strings.Contains(all[0].Subject, "Vestibule") {
			t.Fatalf("letters: %+v", all)
		}
		for _, personal := range []string{"Ana", "Pérez", "1990"} {
			if strings.Contains(all[0].Text+all[0].HTML+all[0].Subject, personal) {
				t.Errorf("the letter says %q", personal)
			}
		}
		for _, secret := range []string{handleOf(link), "ana.other", "example.com"} {
			if strings.Contains(r.Log(), secret) {
				t.Errorf("the log says %q", secret)
			}
		}
		opened(t, r, link)

		// One that the server refuses is given up, and stays to be passed on.
		post.mu.Lock()
		post.err = mail.ErrRefused
		post.mu.Unlock()
		r.Do("POST", "/connect/invite", body(r, "deliverTo", "unknown@example.com"), r.Basic)
		r.Until("giving up", func() bool {
			return r.Count(`SELECT count(*) FROM emails WHERE failed_at IS NOT NULL AND sent_at IS NULL AND body IS NOT NULL`) == 1
		})
		if len(post.got()) != 2 {
			t.Errorf("%d letters", len(post.got()))
		}
		// And of a refused request there is no letter.
		r.Do("POST", "/connect/invite", body(r, "deliverTo", "ana@example.com", "externalId", "one"), r.Basic)
		if a := r.Do("POST", "/connect/invite", body(r, "deliverTo", "ana@example.com", "externalId", "one"), r.Basic); a.Status != 400 {
			t.Errorf("the same externalId: %d", a.Status)
		}
		if n := r.Count(`SELECT count(*) FROM emails`); n != 3 {
			t.Errorf("%d letters in the outbox, want 3", n)
		}
	})
}

// TestInvitesToOneAddressAreLimited invites one address more often than an account can within
// an hour. Refused and invalid requests store and count nothing.
func TestInvitesToOneAddressAreLimited(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		invite := func(to string, more ...any) providertest.Answer {
			return r.Do("POST", "/connect/invite", body(r, append(more, "deliverTo", to)...), r.Basic)
		}
		for range 4 {
			if a := invite("ana@example.com", "externalId", strings.Repeat("x", 1000)); a.Status != 400 {
				t.Fatalf("an invalid invite: %d %s", a.Status, a.Body)
			}
		}
		for n := range 3 {
			if a := invite("ana@example.com"); a.Status != 200 {
				t.Fatalf("invite %d: %d %s", n, a.Status, a.Body)
			}
		}
		visits := r.Count(`SELECT count(*) FROM visits`)
		a := invite("Ana@Example.com")
		if a.Status != 429 || a.JSON["error"] != string(contract.CodeRateLimited) || a.Header.Get("Retry-After") != "3600" {
			t.Errorf("one more: %d, Retry-After %q, %s", a.Status, a.Header.Get("Retry-After"), a.Body)
		}
		if emails := r.Count(`SELECT count(*) FROM emails`); emails != 3 || r.Count(`SELECT count(*) FROM visits`) != visits {
			t.Errorf("%d emails, and a refused invite began a visit", emails)
		}
		if a := invite("ben@example.com"); a.Status != 200 {
			t.Errorf("another address: %d", a.Status)
		}
		r.Advance(time.Hour + time.Second)
		if a := invite("ana@example.com"); a.Status != 200 {
			t.Errorf("an hour later: %d", a.Status)
		}
	})
}

// TestInviteInTheConsumersLanguage checks that the subject is in the language in which the
// consumer last agreed to a visit.
func TestInviteInTheConsumersLanguage(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		var post postman
		r := providertest.Start(t, db, "get", func(c *provider.Config) { c.Mail = &post })
		consumer := r.Do("POST", "/connect/consumers", map[string]any{"prefill": providertest.Prefill()}, r.Basic).JSON["consumerId"]
		product := map[string]any{"productId": r.Seed.Products[contract.Cashflow], "consumerId": consumer}
		link, _ := r.Do("POST", "/connect/invite-link", product, r.Basic).JSON["inviteLink"].(string)
		path := opened(t, r, link+"?lang=es")
		r.Do("GET", path, nil)
		steps(t, r, path, url.Values{"action": {"consent"}})
		product["deliverTo"] = "ana@example.com"
		if a := r.Do("POST", "/connect/invite", product, r.Basic); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		r.Until("the email", func() bool { return len(post.got()) == 1 })
		if got, want := post.got()[0].Subject, i18ntest.ES("email.invite.subject", "company", "Vestibule"); got != want {
			t.Errorf("subject %q, want %q", got, want)
		}
	})
}
