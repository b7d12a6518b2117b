package portal_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/mail"
	"vestibule/internal/portal"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// postbox is a local mail server.
type postbox struct {
	addr string

	mu      sync.Mutex
	refuses bool
	got     []string
}

func newPostbox(t *testing.T) *postbox {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &postbox{addr: l.Addr().String()}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { c.Close() })
			wg.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return p
}

func (p *postbox) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewScanner(c)
	say := func(line string) { fmt.Fprint(c, line+"\r\n") }
	say("220 mail.example")
	for in.Scan() {
		switch command, _, _ := strings.Cut(in.Text(), " "); {
		case command == "RCPT" && p.closed():
			say("550 no such mailbox")
		case command == "DATA":
			say("354 go on")
			var text strings.Builder
			for in.Scan() && in.Text() != "." {
				text.WriteString(in.Text() + "\n")
			}
			p.mu.Lock()
			p.got = append(p.got, text.String())
			p.mu.Unlock()
			say("250 taken")
		case command == "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func (p *postbox) closed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refuses
}

func (p *postbox) set(refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuses
}

func (p *postbox) letters() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.got...)
}

// shows requests a page until it contains a text, and returns the page.
func (b *browser) shows(path, want string) string {
	b.r.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); ; <-tick.C {
		p := b.get(path)
		if strings.Contains(p.body, want) {
			return p.body
		}
		if time.Now().After(deadline) {
			b.r.t.Fatalf("%s does not say %q:\n%s", path, want, p.body)
		}
	}
}

// TestDeliversDecisionEmails sends each email once; a refused one is shown and
// resent, and one without the legally required parts is not sent.
func TestDeliversDecisionEmails(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		box := newPostbox(t)
		sender, err := mail.New(mail.Config{Addr: box.addr, From: "portal@bank.example", Security: mail.None})
		if err != nil {
			t.Fatal(err)
		}
		r := newTestServer(t, db, func(c *portal.Config) { c.Mail = sender })
		b, admin := r.browser(), r.signedInAdmin()
		own := "/review" + b.apply()
		decide := func(seen, decision string) {
			t.Helper()
			form := url.Values{"seen": {seen}, "decision": {decision}, "text": {"a canary text"}}
			if p := admin.post(own+"/decision", form); p.status != 303 {
				t.Fatalf("%s: %d\n%s", decision, p.status, p.body)
			}
		}
		decide("0", "moreAsked")
		admin.shows(own, i18ntest.EN("review.email_states.sent"))
		if got := box.letters(); len(got) != 1 || !strings.Contains(got[0], "To: <canaria@example.com>") ||
			strings.Count(got[0], "a canary text") != 2 || !strings.Contains(got[0], "/resume/") ||
			!strings.Contains(got[0], "multipart/alternative") {
			t.Fatalf("sent: %q", got)
		}
		decide("1", "escalated")
		decide("2", "declined")
		page := admin.shows(own, i18ntest.EN("review.email_states.withheld"))
		for _, flag := range []string{"--creditor", "--regulator"} {
			if !strings.Contains(page, flag) {
				t.Errorf("the page does not mention %s", flag)
			}
		}
		box.set(true)
		decide("3", "approved")
		admin.shows(own, i18ntest.EN("review.email_states.failed"))
		box.set(false)
		for range 2 {
			admin.post(own+"/letter", nil).require(t, "again", 303)
		}
		of := func(decision string) string { return `class="said">` + decision + "<" }
		admin.shows("/review/audit?action=letterSent", of("4"))
		if got := box.letters(); len(got) != 2 || !strings.Contains(got[1], "was approved") {
			t.Errorf("sent: %q", got)
		}
		for action, want := range map[string]string{"letterWithheld": of("3"), "letterFailed": of("4"), "letterRetried": of("4")} {
			if p := admin.get("/review/audit?action=" + action); strings.Count(p.body, want) != 1 {
				t.Errorf("%s in the trail:\n%s", action, p.body)
			}
		}
		if strings.Contains(r.log.String(), "canary text") || strings.Contains(r.log.String(), "canaria@") {
			t.Error("the log has something personal")
		}
	})
}

// mailServer passes the emails on that it is sent.
type mailServer chan mail.Message

func (s mailServer) Send(_ context.Context, m mail.Message) error {
	s <- m
	return nil
}

// TestReviewersResetPasswords requests a link from the sign-in page and sets a new password.
func TestReviewersResetPasswords(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		sent := make(mailServer, 1)
		r := newTestServer(t, db, func(c *portal.Config) { c.Mail = sent })
		old, b := r.signedInAdmin(), r.browser()
		b.get("/review/sign-in").require(t, "the sign-in page", 200,
			`href="/review/forgotten-password"`)
		b.shows(b.post("/review/forgotten-password", url.Values{"email": {"Admin@Example.com"}}).location, i18ntest.EN("ui.forgotten.sent"))
		link := regexp.MustCompile(`/review/set-password/[^?\s]+`).FindString((<-sent).Text)
		b.shows(link, "admin@example.com")
		b.post(link, url.Values{"password": {"a new long password"}}).requireRedirect(t, "setting the password", "/review")
		b.shows("/review/audit?action=resetSent", "admin@example.com")
		old.get("/review").require(t, "a session of the old password", 303)
		b.get(link).require(t, "a used link", 410)
	})
}
