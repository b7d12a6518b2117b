package access_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
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
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/subtest"
)

// testServer is a provider with a mail server.
type testServer struct {
	*providertest.Server
	t  *testing.T
	mu sync.Mutex

	sent []mail.Message
}

func (s *testServer) Send(_ context.Context, m mail.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, m)
	return nil
}

func start(t *testing.T, f func(t *testing.T, s *testServer)) {
	storetest.EachInFull(t, store.Provider, onDB(f))
}

// onDB returns a test of a provider that sends email, on a database.
func onDB(f func(t *testing.T, s *testServer)) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		s := &testServer{t: t}
		s.Server = providertest.Start(t, db, "get", func(c *provider.Config) { c.Mail = s })
		f(t, s)
	}
}

// emails waits until n emails were sent, and returns them.
func (s *testServer) emails(n int) []mail.Message {
	s.t.Helper()
	var all []mail.Message
	s.Until("emails", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		all = append(all[:0], s.sent...)
		return len(all) >= n
	})
	if len(all) != n {
		s.t.Fatalf("%d emails were sent, want %d", len(all), n)
	}
	return all
}

// idle waits until no requested email is still to be written or sent.
func (s *testServer) idle() {
	s.t.Helper()
	s.Until("the outbox", func() bool {
		return s.Count(`SELECT count(*) FROM access_requests`) == 0 && s.Count(`SELECT count(*) FROM emails WHERE sent_at IS NULL`) == 0
	})
}

// begin begins a visit of a person.
func (s *testServer) begin(firstName, email string) (token string) {
	s.t.Helper()
	person := providertest.Prefill()
	person["firstName"], person["email"] = firstName, email
	a := s.Do("POST", "/connect/initialization", map[string]any{"productId": s.Seed.Products[contract.Cashflow], "prefill": person}, s.Basic)
	token, _ = a.JSON["token"].(string)
	if a.Status != http.StatusOK || token == "" {
		s.t.Fatalf("initialization: %d %s", a.Status, a.Body)
	}
	return token
}

// share completes a visit of a person and returns the publicToken.
func (s *testServer) share(firstName, email string) string {
	s.t.Helper()
	status, a := s.Control("POST", "/visits/"+s.begin(firstName, email)+"/complete", map[string]any{"username": "default"})
	publicToken, _ := a["publicToken"].(string)
	if status != http.StatusOK || publicToken == "" {
		s.t.Fatalf("complete: %d %v", status, a)
	}
	s.Webhooks(publicToken, 1)
	return publicToken
}

func (s *testServer) relay(publicToken string) providertest.Answer {
	s.t.Helper()
	return s.Do("POST", "/connect/relay-tokens", map[string]any{"publicToken": publicToken, "publicId": s.Seed.ThirdParty.PublicID}, s.Basic)
}

func (s *testServer) request(email string) providertest.Answer {
	s.t.Helper()
	return s.Do("POST", "/access?lang=en", url.Values{"email": {email}})
}

var linkPattern = regexp.MustCompile(`(http://\S+)(/access/link/[\w-]{43}\?lang=e[ns])`)

// link requests a link and returns its path; n is the number of emails until then.
func (s *testServer) link(email string, n int) string {
	s.t.Helper()
	if a := s.request(email); a.Status != http.StatusOK {
		s.t.Fatalf("request: %d %s", a.Status, a.Body)
	}
	var sent mail.Message
	for _, e := range s.emails(n) { // others, such as letters, may be sent after it
		if linkPattern.MatchString(e.Text) {
			sent = e
		}
	}
	m := linkPattern.FindStringSubmatch(sent.Text)
	if m == nil || m[1] != s.URL || !strings.Contains(sent.HTML, `href="`+m[0]+`"`) {
		s.t.Fatalf("no link in %q or %q", sent.Text, sent.HTML)
	}
	return m[2]
}

// open opens a session in a new browser.
func (s *testServer) open(link string) *providertest.Browser {
	s.t.Helper()
	b := s.Browser()
	if a := b.Do("POST", link, nil); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/access?lang=en" {
		s.t.Fatalf("open: %d %s", a.Status, a.Body)
	}
	return b
}

// run runs a named part of a test.
func (s *testServer) run(name string, part func(t *testing.T)) {
	defer func() { s.T = s.t }()
	subtest.Run(&s.t, name, func(t *testing.T) { s.T = t; part(t) })
}

// checkBody requires texts of a page, and that it lacks others.
func checkBody(t *testing.T, a providertest.Answer, status int, has, lacks []string) {
	t.Helper()
	if a.Status != status {
		t.Errorf("status %d, want %d", a.Status, status)
	}
	for _, text := range has {
		if !strings.Contains(a.Body, text) {
			t.Errorf("the page lacks %q:\n%s", text, a.Body)
		}
	}
	for _, text := range lacks {
		if strings.Contains(a.Body, text) {
			t.Errorf("the page has %q:\n%s", text, a.Body)
		}
	}
}

var (
	title   = i18ntest.EN("access.title")
	submit  = i18ntest.EN("access.form.submit")
	expired = i18ntest.EN("access.form.expired")
	used    = i18ntest.EN("access.used.title")
	signOut = i18ntest.EN("access.sign_out")
)

// TestConsumerEndsAccess checks the whole way: request, email, link, list, end.
func TestConsumerEndsAccess(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		first, second := s.share("Ana", "ana@example.com"), s.share("Ben", "ANA@example.com")
		s.share("Eve", "eve@example.com")
		waiting := s.begin("Ana", "ana@example.com")
		if a := s.relay(first); a.Status != http.StatusOK {
			t.Fatalf("share: %d %s", a.Status, a.Body)
		}
		checkBody(t, s.Do("GET", "/access?lang=en", nil), 200, []string{submit}, []string{signOut, expired})
		link := s.link(" Ana@Example.com ", 1)
		if email := s.emails(1)[0]; !strings.EqualFold(email.To, "ana@example.com") || strings.ContainsAny(email.Subject, "\r\n@") {
			t.Errorf("email %q to %q", email.Subject, email.To)
		}
		for range 2 { // as a mail scanner opens it
			checkBody(t, s.Browser().Do("GET", link, nil), 200, []string{i18ntest.EN("access.link.submit")}, []string{"hreflang", "Ana"})
		}
		b := s.open(link)
		personal := []string{"Ana", "Ben", "Eve", "Pérez", "example.com", first, second}
		list := b.Do("GET", "/access?lang=en", nil)
		checkBody(t, list, 200, []string{title, "Vestibule", "Third Party", "Feb 19, 2027", i18ntest.EN("access.none_open"), signOut,
			"/access/end/" + s.Seed.PublicID}, append(personal, "/access/disconnect/"))
		if n := strings.Count(list.Body, "<h3>"); n != 2 {
			t.Errorf("%d reports are listed, want 2: one person's, and that of another with the same address", n)
		}
		if !strings.Contains(list.Header.Get("Cache-Control"), "no-store") || list.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("headers %v", list.Header)
		}
		end := "/access/end/" + s.Seed.PublicID + "?lang=en"
		checkBody(t, b.Do("GET", end, nil), 200, []string{i18ntest.EN("access.end.submit"), i18ntest.EN("access.end.happens")}, personal)
		if n := s.Count(`SELECT count(*) FROM consumers WHERE withdrawn_at IS NOT NULL`); n != 0 {
			t.Fatal("reading the page ended access")
		}
		for range 2 {
			a := b.Do("POST", end, nil)
			if want := "/access?lang=en&ended=" + s.Seed.PublicID; a.Status != http.StatusSeeOther || a.Header.Get("Location") != want {
				t.Errorf("end: %d %s", a.Status, a.Header.Get("Location"))
			}
		}
		checkBody(t, b.Do("GET", "/access?lang=en&ended="+s.Seed.PublicID, nil), 200,
			[]string{i18ntest.EN("access.list.ended", "company", "Vestibule"), i18ntest.EN("access.ended_on", "day", "Nov 21, 2026")},
			append(personal, "/access/end/"))
		if n := s.Count(`SELECT count(*) FROM consumers WHERE withdrawn_at IS NOT NULL`); n != 3 {
			t.Errorf("%d consumers have withdrawn, want 3 and not another address's", n)
		}
		for _, token := range []string{first, second} {
			if a := s.relay(token); a.JSON["error"] != string(contract.CodeRelayTokenRevoked) {
				t.Errorf("sharing after the end: %d %s", a.Status, a.Body)
			}
		}
		if n := s.Count(`SELECT count(*) FROM visits WHERE ended_at = 0`); n != 0 {
			t.Errorf("%d visits still wait", n)
		}
		if _, a := s.Control("POST", "/visits/"+waiting+"/complete", map[string]any{}); a["status"] == string(contract.StatusSuccess) {
			t.Errorf("the visit that waited can be completed: %v", a)
		}
		confirmation := s.emails(2)[1]
		if !strings.Contains(confirmation.Text, "Vestibule") || !strings.EqualFold(confirmation.To, "ana@example.com") {
			t.Errorf("confirmation to %q: %q", confirmation.To, confirmation.Text)
		}
		if n := s.Count(`SELECT count(*) FROM audit WHERE action = 'access ended' AND actor = 'consumer' AND detail = ''`); n != 3 {
			t.Errorf("the audit trail has %d entries, want one for each consumer", n)
		}
		for _, secret := range []string{"ana@", "ANA@", strings.TrimPrefix(strings.TrimSuffix(link, "?lang=en"), "/access/link/")} {
			if strings.Contains(s.Log(), secret) {
				t.Errorf("the log has %q", secret)
			}
		}
	})
}

// TestEndConcurrently checks that access ends once, with one confirmation.
func TestEndConcurrently(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		s.share("Ana", "ana@example.com")
		s.share("Ana", "ana@example.com")
		b := s.open(s.link("ana@example.com", 1))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if a := b.Do("POST", "/access/end/"+s.Seed.PublicID, nil); a.Status != http.StatusSeeOther {
					t.Errorf("end: %d %s", a.Status, a.Body)
				}
			})
		}
		wg.Wait()
		s.idle()
		s.emails(2)
		if n := s.Count(`SELECT count(*) FROM audit WHERE action = 'access ended'`); n != 2 {
			t.Errorf("%d entries of two consumers", n)
		}
	}))
}

func TestLinkWorksOnce(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		s.share("Ana", "ana@example.com")
		link := s.link("ana@example.com", 1)
		var wg sync.WaitGroup
		var mu sync.Mutex
		counts := map[int]int{}
		browsers := make([]*providertest.Browser, 8)
		for i := range browsers {
			browsers[i] = s.Browser()
			wg.Go(func() {
				a := browsers[i].Do("POST", link, nil)
				mu.Lock()
				defer mu.Unlock()
				counts[a.Status]++
			})
		}
		wg.Wait()
		if counts[http.StatusSeeOther] != 1 || counts[http.StatusGone] != 7 {
			t.Errorf("one link, used at once by 8 browsers: %v", counts)
		}
		var owner *providertest.Browser
		for _, b := range browsers {
			if a := b.Do("GET", "/access?lang=en", nil); strings.Contains(a.Body, signOut) {
				owner = b
			} else {
				checkBody(t, a, 200, []string{submit}, []string{"Vestibule</h2>"})
				checkBody(t, b.Do("GET", link, nil), http.StatusGone, []string{used}, []string{"Vestibule</h2>"})
				checkBody(t, b.Do("GET", "/access/end/"+s.Seed.PublicID+"?lang=en", nil), http.StatusForbidden, []string{submit, expired}, nil)
				checkBody(t, b.Do("POST", "/access/end/"+s.Seed.PublicID+"?lang=en", nil), http.StatusForbidden, []string{submit, expired}, nil)
			}
		}
		if owner == nil {
			t.Fatal("no browser has the page")
		}
		if a := owner.Do("GET", link, nil); a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/access?lang=en" {
			t.Errorf("the used link in the browser that used it: %d", a.Status)
		}
		checkBody(t, owner.Do("GET", "/access/end/svc-unknown?lang=en", nil), http.StatusNotFound, nil, nil)
		checkBody(t, owner.Do("POST", "/access/end/"+s.Seed.ThirdParty.PublicID+"?lang=en", nil), http.StatusNotFound, nil, nil)

		s.Advance(30*time.Minute - time.Second)
		checkBody(t, owner.Do("GET", "/access?lang=en", nil), 200, []string{signOut}, nil)
		s.Advance(time.Second)
		checkBody(t, owner.Do("GET", "/access?lang=en", nil), 200, []string{submit, expired}, []string{signOut})
		checkBody(t, owner.Do("POST", "/access/end/"+s.Seed.PublicID+"?lang=en", nil), http.StatusForbidden, []string{expired}, nil)

		late := s.link("ana@example.com", 2)
		s.Advance(30 * time.Minute)
		checkBody(t, s.Browser().Do("GET", late, nil), http.StatusGone, []string{used}, nil)
		checkBody(t, s.Browser().Do("POST", late, nil), http.StatusGone, []string{used}, nil)
		checkBody(t, s.Browser().Do("POST", "/access/link/"+store.NewSecret()+"?lang=en", nil), http.StatusGone, []string{used}, nil)
		if n := s.Count(`SELECT count(*) FROM consumers WHERE withdrawn_at IS NOT NULL`); n != 0 {
			t.Error("access was ended without a session")
		}

		s.Advance(time.Hour)
		left := s.open(s.link("ana@example.com", 3))
		if a := left.Do("POST", "/access/sign-out", nil); a.Status != http.StatusSeeOther {
			t.Errorf("signing out: %d", a.Status)
		}
		checkBody(t, left.Do("GET", "/access?lang=en", nil), 200, []string{submit}, []string{expired})
		s.Control("POST", "/clock", map[string]string{"advance": "0s"}) // which sweeps
		if n := s.Count(`SELECT count(*) FROM access_links`); n != 0 {
			t.Errorf("%d links are left", n)
		}
	}))
}

// TestRequestsAreAnsweredAlike checks that answers do not reveal which addresses are known,
// and that an address gets few emails.
func TestRequestsAreAnsweredAlike(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		s.share("Ana", "ana@example.com")
		known := s.request("ana@example.com")
		for range 4 {
			if a := s.request("Ana@example.com"); a.Status != known.Status || a.Body != known.Body {
				t.Errorf("a known address again: %d %s", a.Status, a.Body)
			}
		}
		unknown := s.request("unknown@example.com")
		if unknown.Status != http.StatusOK || unknown.Body != known.Body || !strings.Contains(known.Body, i18ntest.EN("access.sent.text")) {
			t.Errorf("an unknown address: %d %s\nknown: %d %s", unknown.Status, unknown.Body, known.Status, known.Body)
		}
		if len(unknown.Header.Values("Set-Cookie"))+len(known.Header.Values("Set-Cookie")) != 0 {
			t.Error("a request sets a cookie")
		}
		s.idle()
		for _, m := range s.emails(3) {
			if m.To != "ana@example.com" {
				t.Errorf("an email to %q", m.To)
			}
		}
		if n := s.Count(`SELECT count(*) FROM access_links`); n != 3 {
			t.Errorf("%d links of 3 emails", n)
		}
		for _, bad := range []string{"", "ana", "ana@example.com\r\nBcc: eve@example.com", "ana@example.com, eve@example.com",
			"<ana@example.com>", strings.Repeat("a", 101) + "@example.com"} {
			checkBody(t, s.request(bad), http.StatusUnprocessableEntity, []string{i18ntest.EN("access.form.no_email")}, nil)
		}
		if a := s.Do("POST", "/access", url.Values{"email": {strings.Repeat("a", 5<<10)}}); a.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("a long form: %d", a.Status)
		}
		s.Advance(time.Hour + time.Second)
		s.request("ana@example.com")
		s.idle()
		s.emails(4)
		for range 19 {
			s.request("unknown@example.com")
		}
		a := s.request("eve@example.com")
		checkBody(t, a, http.StatusTooManyRequests, []string{i18ntest.EN("access.too_often.title")}, nil)
		if a.Header.Get("Retry-After") != "3600" {
			t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
		}
		s.idle()
		s.emails(4)
	})
}

// TestRequestsWithoutAnEmailDoNotCount requests links for an address that has no data, and of
// another purpose, before the consumer requests one.
func TestRequestsWithoutAnEmailDoNotCount(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		for range 4 {
			s.request("ana@example.com")
			a := s.Do("POST", "/dashboard/forgotten-password", url.Values{"email": {"ana@example.com"}},
				func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") })
			if a.Status != http.StatusSeeOther {
				t.Fatalf("a request for a new password: %d", a.Status)
			}
		}
		s.idle()
		s.share("Ana", "ana@example.com")
		s.request("ana@example.com")
		s.idle()
		s.emails(1)
	})
}

// TestFormsOfOtherOrigins checks that pages of other sites cannot act for a consumer.
func TestFormsOfOtherOrigins(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		s.share("Ana", "ana@example.com")
		b := s.open(s.link("ana@example.com", 1))
		link := s.link("ana@example.com", 2)
		for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"},
			{"Origin", "null"}} {
			for _, path := range []string{"/access", link, "/access/end/" + s.Seed.PublicID, "/access/disconnect/x", "/access/sign-out"} {
				a := b.Do("POST", path, url.Values{"email": {"ana@example.com"}}, func(r *http.Request) { r.Header.Set(header[0], header[1]) })
				if a.Status != http.StatusForbidden || len(a.Header.Values("Set-Cookie")) > 0 {
					t.Errorf("%v to %s: %d", header, path, a.Status)
				}
			}
		}
		s.idle()
		s.emails(2)
		if n := s.Count(`SELECT count(*) FROM consumers WHERE withdrawn_at IS NOT NULL`); n != 0 {
			t.Error("another site ended access")
		}
		checkBody(t, b.Do("GET", "/access?lang=en", nil), 200, []string{signOut}, nil)
		checkBody(t, s.Browser().Do("GET", link, nil), 200, []string{i18ntest.EN("access.link.submit")}, nil)
	})
}

// TestErrorPages checks that an error says what to do, and that an unexpected one has a request number.
func TestErrorPages(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		b, en := s.Browser(), i18ntest.EN
		offer, number, again := en("access.offer"), en("notice.request_id"), en("notice.try_again")
		checkBody(t, b.Do("GET", "/access/nothing?lang=en", nil), 404, []string{en("access.not_found"), offer}, []string{number, again})
		checkBody(t, b.Do("POST", "/access/history?lang=en", url.Values{}), 405, []string{en("notice.method.title"), offer}, []string{number})
		checkBody(t, b.Do("POST", "/access/freeze?lang=en", url.Values{},
			func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }),
			403, []string{en("access.other_site"), offer}, []string{number})
		checkBody(t, b.Do("POST", "/access?lang=en", url.Values{"email": {strings.Repeat("x", 9000)}}), 413,
			[]string{en("notice.too_large.title"), offer, number}, []string{again})
		if _, err := s.DB.SQL.ExecContext(t.Context(), `ALTER TABLE access_links RENAME TO hidden_links`); err != nil {
			t.Fatal(err)
		}
		checkBody(t, b.Do("GET", "/access/link/x?lang=en", nil), 500, []string{again, number, `href="/access/link/x?lang=en"`}, nil)
	})
}

// TestUnfinishedVisits checks that a visit is listed from the consent on, and that a report
// that was not made is named so.
func TestUnfinishedVisits(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		a := s.Do("POST", "/connect/invite-link", map[string]any{"productId": s.Seed.Products[contract.Cashflow],
			"prefill": providertest.Prefill()}, s.Basic)
		visit := s.Do("GET", a.JSON["inviteLink"].(string), nil).Header.Get("Location")
		b := s.open(s.link("ana@example.com", 1))
		checkBody(t, b.Do("GET", "/access?lang=en", nil), 200, []string{i18ntest.EN("access.list.none")}, []string{"Vestibule</h2>"})
		s.Do("GET", visit, nil)
		s.Do("POST", visit, url.Values{"action": {"consent"}})
		checkBody(t, b.Do("GET", "/access?lang=en", nil), 200, []string{i18ntest.EN("access.pending"), "Vestibule</h2>"}, nil)
		b.Do("POST", "/access/end/"+s.Seed.PublicID, nil)
		checkBody(t, b.Do("GET", "/access?lang=en", nil), 200, []string{i18ntest.EN("access.no_report")},
			[]string{i18ntest.EN("access.pending")})
		checkBody(t, s.Do("GET", visit+"?lang=en", nil), 200, nil, []string{`value="bank"`})
	})
}

// TestConsumersOfEarlierVersions checks that consumers without a hash of their address get
// one, and that erased ones have none.
func TestConsumersOfEarlierVersions(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		s.share("Ana", "ana@example.com")
		s.Until("the sweep of the start, which fills the hash", func() bool {
			return s.Count(`SELECT count(*) FROM river_job WHERE kind = 'provider.retain' AND finalized_at IS NOT NULL`) == 1
		})
		if _, err := s.DB.SQL.ExecContext(t.Context(), `UPDATE consumers SET mailbox = NULL`); err != nil {
			t.Fatal(err)
		}
		s.request("ana@example.com")
		s.idle()
		s.emails(0)
		s.Control("POST", "/clock", map[string]string{"advance": "0s"}) // which sweeps
		s.open(s.link("ana@example.com", 1))
		s.Advance(91 * 24 * time.Hour)
		s.Control("POST", "/clock", map[string]string{"advance": "0s"})
		s.Advance(91 * 24 * time.Hour)
		s.Control("POST", "/clock", map[string]string{"advance": "0s"})
		if n := s.Count(`SELECT count(*) FROM consumers WHERE erased_at IS NULL OR mailbox IS NOT NULL`); n != 0 {
			t.Errorf("%d consumers are not erased", n)
		}
		s.request("ana@example.com")
		s.idle()
		s.emails(1)
	})
}

// refusing is a mail server that refuses every email.
type refusing struct{}

func (refusing) Send(context.Context, mail.Message) error { return mail.ErrRefused }

// TestEmailsAreHidden checks that users of the dashboard cannot read emails that open a consumer's page: not after
// the mail server refused them, and in a sandbox without a mail server none is written.
func TestEmailsAreHidden(t *testing.T) {
	for name, mailer := range map[string]mail.Mailer{"mail server": refusing{}, "sandbox": nil} {
		t.Run(name, func(t *testing.T) {
			s := &testServer{t: t}
			s.Server = providertest.Start(t, storetest.SQLite(t, store.Provider), "get", func(c *provider.Config) { c.Mail = mailer })
			s.share("Ana", "ana@example.com")
			known, unknown := s.request("ana@example.com"), s.request("eve@example.com")
			if known.Status != unknown.Status || known.Body != unknown.Body ||
				strings.Contains(known.Body, "vestibule consumer link") != (mailer == nil) {
				t.Errorf("%d %s; of an unknown address %d %s", known.Status, known.Body, unknown.Status, unknown.Body)
			}
			if mailer != nil {
				s.Until("the email", func() bool { return s.Count(`SELECT count(*) FROM emails WHERE failed_at IS NOT NULL`) == 1 })
			} else if n := s.Count(`SELECT (SELECT count(*) FROM emails) + (SELECT count(*) FROM access_links) +
				(SELECT count(*) FROM access_requests)`); n != 0 {
				t.Error("a link is stored that is not sent")
			}
			box := mail.Outbox{DB: s.DB, Now: s.Now}
			all, err := box.List(t.Context(), s.DB.SQL, mail.Filter{CustomerID: s.customerID(s.Seed.PublicID), Limit: 10})
			if err != nil || len(all) != 0 {
				t.Errorf("the dashboard lists %v (%v)", all, err)
			}
			if n := s.Count(`SELECT count(*) FROM emails WHERE body IS NOT NULL`); n != 0 {
				t.Error("the text of an email that was given up is kept")
			}
		})
	}
}

// TestNoFormWithoutEmail checks that the page of production without a mail server offers no link by
// email, and that no page leads to it.
func TestNoFormWithoutEmail(t *testing.T) {
	for name, mailer := range map[string]mail.Mailer{"with mail server": refusing{}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			production, err := provider.New(t.Context(), provider.Config{DB: storetest.SQLite(t, store.Provider), Now: time.Now,
				Log: slog.New(slog.DiscardHandler), URL: "https://service.example", Environment: contract.Production,
				Assets: assets.Provider(t), Mail: mailer})
			if err != nil {
				t.Fatal(err)
			}
			ask := func(path string) providertest.Answer {
				rec := httptest.NewRecorder()
				production.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
				return providertest.Answer{Status: rec.Code, Body: rec.Body.String()}
			}
			page := ask("/access?lang=en")
			checkBody(t, page, http.StatusOK, []string{"<h1>"}, nil)
			if got := strings.Contains(page.Body, submit); got != (mailer != nil) {
				t.Errorf("the form is offered: %t", got)
			}
			missing := ask("/visit/" + store.NewSecret() + "?lang=en")
			if got := strings.Contains(missing.Body, `href="/access?lang=en"`); got != (mailer != nil) {
				t.Errorf("the page of an unknown visit leads to it: %t", got)
			}
		})
	}
}
