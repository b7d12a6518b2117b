package portal_test

import (
	"context"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/mail"
	"vestibule/internal/portal"
	"vestibule/internal/portal/resume"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

var shown = regexp.MustCompile(`id="link"[^>]* value="([^"]+)"`)

var begunAt = regexp.MustCompile(`\w+ \d+, \d{4}, \d\d:\d\d UTC:`)

// link creates a link to an application and returns its path.
func (b *browser) link(application string) string {
	b.r.t.Helper()
	p := b.post(application+"/link", url.Values{})
	m := shown.FindStringSubmatch(p.body)
	if p.status != 200 || m == nil || !strings.HasPrefix(m[1], b.r.url) {
		b.r.t.Fatalf("POST %s/link = %d\n%s", application, p.status, p.body)
	}
	return strings.TrimPrefix(html.UnescapeString(m[1]), b.r.url)
}

// movableClock is a clock set by the test.
type movableClock struct{ ahead atomic.Int64 }

func (m *movableClock) now() time.Time          { return time.Now().Add(time.Duration(m.ahead.Load())) }
func (m *movableClock) advance(d time.Duration) { m.ahead.Add(int64(d)) }

func eachWithClock(t *testing.T, f func(t *testing.T, r *testServer, c *movableClock)) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := &movableClock{}
		f(t, newTestServer(t, db, func(p *portal.Config) { p.Now = c.now }), c)
	})
}

// TestLinkGrantsOneBrowserAccess checks that a link grants access to one browser, once,
// and that both browsers see the application afterward.
func TestLinkGrantsOneBrowserAccess(t *testing.T) {
	eachWithClock(t, func(t *testing.T, r *testServer, c *movableClock) {
		computer, phone, other := r.browser(), r.browser(), r.browser()
		application := computer.apply()
		computer.get(application + "/connect")
		link := computer.link(application)
		if strings.Contains(r.log.String(), strings.TrimPrefix(link, "/resume/")) {
			t.Error("the log has the link's secret")
		}
		phone.get(application).require(t, "before the link", 404)
		for range 3 { // opening the address does not use it up
			phone.get(link).require(t, "GET of the link", 200, i18ntest.EN("resume.arrive.continue"), "!Canaria")
			phone.do("HEAD", link, "", "")
		}
		phone.do("POST", link, "application/x-www-form-urlencoded", "", "Sec-Fetch-Site", "cross-site").require(t, "by another site's page", 403)
		phone.post(link, nil).requireRedirect(t, "POST of the link", application)
		for name, b := range map[string]*browser{"the computer": computer, "the phone": phone} {
			if p := b.get(application); p.status != 200 || !strings.Contains(p.body, i18ntest.EN("status.timeline.joined")) {
				t.Errorf("%s: %d\n%s", name, p.status, p.body)
			}
		}
		// A browser with access is redirected; others are refused.
		phone.get(link).requireRedirect(t, "again on the phone", application)
		for _, p := range []page{other.get(link), other.post(link, nil), other.get("/resume/" + store.NewSecret()),
			other.post("/resume/"+store.NewSecret(), nil)} {
			if p.status != 410 || p.header.Get("Set-Cookie") != "" || !strings.Contains(p.body, i18ntest.EN("resume.used.title")) {
				t.Errorf("a link that no longer works = %d\n%s", p.status, p.body)
			}
		}
		// The phone finishes, and the first browser sees it.
		externalID, publicToken := r.provider.finish("SUCCESS")
		if got := r.webhook(externalID, publicToken, "SUCCESS"); got != 204 {
			t.Fatalf("webhook = %d", got)
		}
		computer.follow(application, "ready")
		phone.follow(application, "ready")
		// An expired link.
		late := computer.link(application)
		c.advance(16 * time.Minute)
		other.post(late, nil).require(t, "after its time", 410)
	})
}

// TestLinkGrantsAccessConcurrently checks that only one of many concurrent requests uses a link.
func TestLinkGrantsAccessConcurrently(t *testing.T) {
	eachEngine(t, func(t *testing.T, r *testServer) {
		computer := r.browser()
		link := computer.link(computer.apply())
		var in atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			b := r.browser()
			all.Go(func() {
				switch p := b.post(link, nil); p.status {
				case 303:
					in.Add(1)
				case 410:
				default:
					t.Errorf("POST of the link = %d", p.status)
				}
			})
		}
		all.Wait()
		if n := in.Load(); n != 1 {
			t.Errorf("%d browsers were let in by one link", n)
		}
	})
}

// TestLinksRequireASession checks that creating links requires access, and is
// limited.
func TestLinksRequireASession(t *testing.T) {
	eachWithClock(t, func(t *testing.T, r *testServer, c *movableClock) {
		computer := r.browser()
		application := computer.apply()
		for _, path := range []string{"/link", "/letter"} {
			if p := r.browser().post(application+path, nil); p.status != 404 {
				t.Errorf("a stranger's POST %s = %d", path, p.status)
			}
		}
		for range 20 {
			computer.link(application)
		}
		if p := computer.post(application+"/link", nil); p.status != 429 || p.header.Get("Retry-After") == "" {
			t.Errorf("one link too many = %d", p.status)
		}
		c.advance(61 * time.Minute)
		computer.link(application)
	})
}

// letters returns the recipients, subjects and texts of the emails in the outbox, newest first.
func (r *testServer) letters() (out []string) {
	r.t.Helper()
	all, err := (&resume.Handler{DB: r.db, Now: r.db.Now}).Emails(r.t.Context(), mail.Waiting, 50)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range all {
		out = append(out, e.To+"\n"+e.Subject+"\n"+e.Text)
	}
	return out
}

// letters waits until the outbox has n emails, whose links the page does not show, and returns their texts.
func (b *browser) letters(n int) []string {
	b.r.t.Helper()
	end := time.After(2 * time.Minute)
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		p := b.get("/review/letters")
		if p.status != 200 || resumeLink.MatchString(p.body) {
			b.r.t.Fatalf("the outbox %d has a link:\n%s", p.status, p.body)
		}
		out := b.r.letters()
		if len(out) >= n {
			tick.Stop()
			return out
		}
		select {
		case <-tick.C:
		case <-end:
			b.r.t.Fatalf("the outbox has %d letters, want %d: %d\n%s", len(out), n, p.status, p.body)
		}
	}
}

var inLetter = regexp.MustCompile(`/resume/\S+`)

// TestFindsApplicationsByEmail requests an email: the response does not reveal
// whether an address is known, and the email's link grants access.
func TestFindsApplicationsByEmail(t *testing.T) {
	eachWithClock(t, func(t *testing.T, r *testServer, c *movableClock) {
		r.browser().get("/review/letters").requireRedirect(t, "the outbox without sign-in", "/review/sign-in?next=%2Freview%2Fletters")
		staff, computer, back := r.signedInAdmin(), r.browser(), r.browser()
		first := computer.apply()
		c.advance(time.Minute)
		second := computer.apply("product", "income")
		var known page
		ask := func(email string) page { return back.post("/return", url.Values{"email": {email}}) }
		t.Run("form", func(t *testing.T) {
			back.get("/return").require(t, "the form", 200, `action="/return"`)
			ask("malformed").require(t, "no address", 422)
			known = ask(" CANARIA@example.com ")
			if unknown := ask("applicant@example.com"); known.status != 200 || known.body != unknown.body {
				t.Errorf("a known address is answered %d\n%s\nand an unknown one %d\n%s", known.status, known.body, unknown.status, unknown.body)
			}
		})
		t.Run("links", func(t *testing.T) {
			letter := staff.letters(1)[0]
			links := inLetter.FindAllString(letter, -1)
			if !strings.HasPrefix(letter, "canaria@example.com\n") || len(links) != 2 ||
				!strings.Contains(letter, i18ntest.EN("product.name.income")) {
				t.Fatalf("the letter:\n%s", letter)
			}
			if moments := begunAt.FindAllString(letter, -1); len(moments) != 2 || moments[0] == moments[1] {
				t.Errorf("applications of one day look the same: %q", moments)
			}
			for i, application := range []string{second, first} {
				back.post(links[i], nil).requireRedirect(t, links[i], application)
			}
			back.get("/").require(t, "the first page", 200, second, i18ntest.EN("landing.resume.title"))
		})
		t.Run("the application's button, in the reader's language", func(t *testing.T) {
			computer.do("POST", first+"/letter", "application/x-www-form-urlencoded", "", "Sec-Fetch-Site",
				"same-origin", "Accept-Language", "es").require(t, "the application's own letter", 200)
			all := staff.letters(2)
			if one := all[0] + all[1]; !strings.Contains(one, i18ntest.ES("product.name.cashflow")) || !strings.Contains(one, "?lang=es") {
				t.Errorf("no letter in Spanish: %q", all)
			}
		})
		// After too many requests the response is the same, but no more emails are
		// sent: one more within the hour, and the others are dropped.
		t.Run("limits", func(t *testing.T) {
			for range 4 {
				if p := ask("canaria@example.com"); p.status != 200 || p.body != known.body {
					t.Errorf("asked often = %d", p.status)
				}
			}
			if n := len(staff.letters(3)); n != 3 {
				t.Errorf("%d letters were written, want 3", n)
			}
			for range 24 {
				ask("x@example.com")
			}
			ask("x@example.com").require(t, "one place asks without an end", 429)
		})
		t.Run("deletion", func(t *testing.T) {
			id := strings.TrimPrefix(second, "/applications/")
			computer.link(second)
			before := mentions(t, r.db, id)
			forget := func(ctx context.Context, tx *store.Tx) error { return resume.Forget(ctx, tx, id) }
			if err := r.db.Tx(t.Context(), forget); err != nil {
				t.Fatal(err)
			}
			after := mentions(t, r.db, id)
			for _, table := range []string{"resume_links", "emails", "application_mailboxes"} {
				if !slices.Contains(before, table) || slices.Contains(after, table) {
					t.Errorf("of a deleted application, %s has something: before %v, after %v", table, before, after)
				}
			}
		})
		if strings.Contains(r.log.String(), "canaria@") {
			t.Error("the log has the address")
		}
	})
}

// TestEmailsToOneAddressAreLimited checks the limit of three emails per hour to a
// mailbox, whichever applications and browsers request them, with the same response
// beyond it.
func TestEmailsToOneAddressAreLimited(t *testing.T) {
	eachWithClock(t, func(t *testing.T, r *testServer, c *movableClock) {
		// letters waits for the requested emails and counts the written ones.
		letters := func() (n int) {
			until(t, func() bool {
				var waiting int
				err := r.db.SQL.QueryRow(`SELECT (SELECT COUNT(*) FROM email_requests), (SELECT COUNT(*) FROM emails)`).Scan(&waiting, &n)
				if err != nil {
					t.Fatal(err)
				}
				return waiting == 0
			})
			return n
		}
		for range 3 { // no application has this address yet
			r.browser().post("/return", url.Values{"email": {"victim@example.com"}})
		}
		if n := letters(); n != 0 {
			t.Fatalf("%d letters about nothing", n)
		}
		victim := func(email string, n int) (all []string, by *browser) {
			by = r.browser()
			for range n {
				all = append(all, by.apply("email", email))
			}
			return all, by
		}
		five, stranger := victim("Victim@example.com", 5)
		for _, application := range five {
			first := stranger.post(application+"/letter", nil)
			for range 2 {
				if p := stranger.post(application+"/letter", nil); p.status != 200 || p.body != first.body {
					t.Errorf("asked again = %d\n%s\nafter\n%s", p.status, p.body, first.body)
				}
			}
		}
		if n := letters(); n != 3 {
			t.Errorf("%d letters to one mailbox, want 3", n)
		}
		// Another browser with another application of that address shares the limit.
		again, other := victim(" victim@EXAMPLE.com", 1)
		if p := other.post(again[0]+"/letter", nil); p.status != 200 || letters() != 3 {
			t.Errorf("by another = %d, %d letters", p.status, letters())
		}
		// Another mailbox has a separate limit: one more email, the twentieth that
		// this network requests.
		own, bystander := victim("applicant@example.com", 1)
		if p := bystander.post(own[0]+"/letter", nil); p.status != 200 || letters() != 4 {
			t.Errorf("to another mailbox = %d, %d letters", p.status, letters())
		}
		for _, p := range []page{bystander.post(own[0]+"/letter", nil),
			bystander.post("/return", url.Values{"email": {"applicant@example.com"}})} {
			if p.status != 429 || p.header.Get("Retry-After") != "3600" || letters() != 4 {
				t.Errorf("one too many of a place = %d, Retry-After %q, %d letters", p.status, p.header.Get("Retry-After"), letters())
			}
		}
		c.advance(61 * time.Minute)
		if p := stranger.post(five[0]+"/letter", nil); p.status != 200 || letters() != 5 {
			t.Errorf("an hour later = %d, %d letters", p.status, letters())
		}
	})
}

// TestProductionWithoutMailServer checks that outside the sandbox nothing that needs email is
// offered.
func TestProductionWithoutMailServer(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db, func(c *portal.Config) { c.Environment = "production" })
		computer := r.browser()
		application := computer.apply()
		for path, b := range map[string]*browser{"/return": computer, "/review/letters": r.signedInAdmin()} {
			if p := b.get(path); p.status != 404 {
				t.Errorf("GET %s = %d", path, p.status)
			}
		}
		for _, path := range []string{"/", application, "/nowhere"} {
			if p := computer.get(path); strings.Contains(p.body, "/return") || strings.Contains(p.body, "/letter") {
				t.Errorf("GET %s offers a letter:\n%s", path, p.body)
			}
		}
		computer.get(computer.link(application)).require(t, "the own link", 303)
	})
}
