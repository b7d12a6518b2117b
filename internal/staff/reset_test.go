package staff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/store"
)

// postOffice is a mail server and a queue that records its jobs.
type postOffice struct {
	mu     sync.Mutex
	fails  error // of the next email
	queued []jobs.Args
	sent   []mail.Message
}

func (p *postOffice) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queued = append(p.queued, args)
	return nil
}

func (p *postOffice) Send(_ context.Context, m mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.fails
	if p.fails = nil; err == nil {
		p.sent = append(p.sent, m)
	}
	return err
}

// eachReset runs f on the users of each dashboard with a mail server.
func eachReset(t *testing.T, f func(t *testing.T, d *testServer, p *postOffice)) {
	each(t, func(t *testing.T, d *testServer) { f(t, d, d.Emails.Mail.(*postOffice)) }, func(c *Config) {
		p := &postOffice{}
		c.Site, c.Emails = "Northwind", &Emails{Mail: p, Queue: p, HTML: withButton, Moment: moment,
			Language: func(*http.Request) i18n.Lang { return i18n.Spanish }}
	})
}

// forget requests a link and returns the answer.
func (d *testServer) forget(email string) string {
	d.t.Helper()
	resp, body := d.post("/review/forgotten-password", url.Values{"email": {email}})
	return fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Location"), " ", resp.Header["Set-Cookie"], " ", body)
}

// run runs the queued jobs, and returns the path of the link in the newest email.
func (d *testServer) run(p *postOffice) (link string) {
	d.t.Helper()
	for _, args := range p.queued {
		var err error
		switch args := args.(type) {
		case SendReset:
			err = d.sendReset(d.t.Context(), jobs.Job{}, args)
		case SendInvitation:
			err = d.sendInvitation(d.t.Context(), jobs.Job{}, args)
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
	p.queued = nil
	if n := len(p.sent); n > 0 {
		link = regexp.MustCompile(`/review/set-password/[^?\s]+`).FindString(p.sent[n-1].Text)
		if !strings.Contains(p.sent[n-1].HTML, link) {
			d.t.Errorf("the HTML has no button to %s:\n%s", link, p.sent[n-1].HTML)
		}
	}
	return link
}

func (d *testServer) set(link, password string) int {
	d.t.Helper()
	resp, _ := d.post(link, url.Values{"password": {password}})
	return resp.StatusCode
}

const another = "another long password"

// TestResetByEmail follows a link from the request to the new password.
func TestResetByEmail(t *testing.T) {
	eachReset(t, func(t *testing.T, d *testServer, p *postOffice) {
		old := d.newBrowser()
		old.signIn(admin, secret)
		d.forget(" Admin@Example.com ")
		var sealed []byte
		err := d.DB.SQL.QueryRow(`SELECT email_sealed FROM password_requests`).Scan(&sealed)
		if err != nil || bytes.Contains(sealed, []byte("admin")) {
			t.Errorf("the request has the address in plain text, %v", err)
		}
		p.fails = errors.New("the mail server is down")
		if err := d.sendReset(t.Context(), jobs.Job{}, p.queued[0].(SendReset)); err == nil {
			t.Error("an email that was not sent is not tried again")
		}
		link := d.run(p)
		if len(p.sent) != 1 || p.sent[0].To != admin || p.sent[0].Subject != i18n.T(i18n.Spanish, "email.reset.subject", "site", "Northwind") {
			t.Fatalf("sent %+v", p.sent)
		}
		token := strings.TrimPrefix(link, "/review/set-password/")
		if d.count(`SELECT COUNT(*) FROM password_links WHERE hash = $1`, []byte(token)) != 0 ||
			d.count(`SELECT COUNT(*) FROM password_requests`) != 0 {
			t.Error("the token or the request is stored")
		}
		for range 2 { // a mail scanner opens it
			if resp, page := d.newBrowser().get(link); resp.StatusCode != 200 || !strings.Contains(page, admin) {
				t.Fatalf("the link's page: %d %s", resp.StatusCode, page)
			}
		}
		if !old.signedIn() || d.set(link, "short") != 422 {
			t.Error("a link that is not used changed something")
		}
		var mu sync.Mutex
		got := map[int]int{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				status := d.newBrowser().set(link, another)
				mu.Lock()
				defer mu.Unlock()
				got[status]++
			})
		}
		wg.Wait()
		if got[303] != 1 || got[410] != 3 {
			t.Errorf("a link used four times at once: %v", got)
		}
		if old.signedIn() || d.newBrowser().signIn(admin, secret).StatusCode != 422 || d.newBrowser().signIn(admin, another).StatusCode != 303 {
			t.Error("the old password or its session works, or the new password does not")
		}
		if resp, _ := d.get(link); resp.StatusCode != 410 {
			t.Errorf("the page of a used link: %d", resp.StatusCode)
		}
		recorded := d.audited()
		for _, action := range []string{ResetSent, PasswordSet} {
			if want := "admin " + action + " admin "; slices.Index(recorded, want) < 0 ||
				len(slices.DeleteFunc(slices.Clone(recorded), func(s string) bool { return s != want })) != 1 {
				t.Errorf("recorded %q, want %q once", recorded, want)
			}
		}
	})
}

// TestResetRevealsNoUsers compares the answers for a user, for other addresses and for users
// who get no link.
func TestResetRevealsNoUsers(t *testing.T) {
	eachReset(t, func(t *testing.T, d *testServer, p *postOffice) {
		err := d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := d.Insert(ctx, tx, User{Email: "oidc@example.com", Role: auditor, Account: d.account}, "")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want := d.newBrowser().forget(admin)
		for _, email := range []string{"unknown@example.com", "oidc@example.com"} {
			if got := d.newBrowser().forget(email); got != want {
				t.Errorf("%s is answered %s, and a user %s", email, got, want)
			}
		}
		if len(p.queued) != 3 {
			t.Errorf("%d jobs of three addresses", len(p.queued))
		}
		d.run(p)
		if len(p.sent) != 1 || p.sent[0].To != admin || d.count(`SELECT COUNT(*) FROM password_links`) != 1 ||
			d.count(`SELECT COUNT(*) FROM password_requests`) != 0 {
			t.Errorf("sent %+v", p.sent)
		}
		if got := d.forget("no address"); !strings.HasPrefix(got, "422") || len(p.queued) != 0 {
			t.Errorf("no address: %s", got)
		}
	})
}

// TestResetIsLimited requests more emails than an address and a network may.
func TestResetIsLimited(t *testing.T) {
	eachReset(t, func(t *testing.T, d *testServer, p *postOffice) {
		want := d.forget(admin)
		for range 5 {
			if got := d.forget(admin); got != want {
				t.Errorf("the limit of an address is answered %s", got)
			}
		}
		if d.run(p); len(p.sent) != 3 {
			t.Errorf("%d emails to one address", len(p.sent))
		}
		for i := range 14 {
			d.forget(fmt.Sprintf("n%d@example.com", i))
		}
		if got := d.forget("last@example.com"); !strings.HasPrefix(got, "429") {
			t.Errorf("the limit of a network is answered %s", got)
		}
	})
}

// TestResetCountsEmails checks that requests without an email, and further attempts to send
// one, use up nothing of an address.
func TestResetCountsEmails(t *testing.T) {
	eachReset(t, func(t *testing.T, d *testServer, p *postOffice) {
		for range 4 {
			d.forget("new@example.com")
		}
		d.run(p)
		if err := d.add(User{Email: "new@example.com", Role: auditor, Account: d.account}, secret); err != nil {
			t.Fatal(err)
		}
		d.forget("new@example.com")
		for attempt := range 5 {
			p.fails = errors.New("the mail server is down")
			if err := d.sendReset(t.Context(), jobs.Job{Attempt: attempt + 1}, p.queued[0].(SendReset)); err == nil {
				t.Errorf("attempt %d ended the request", attempt+1)
			}
		}
		if err := d.sendReset(t.Context(), jobs.Job{Attempt: 6}, p.queued[0].(SendReset)); err != nil || len(p.sent) != 1 {
			t.Errorf("%d emails, %v", len(p.sent), err)
		}
	})
}

func moment(_ i18n.Lang, t time.Time) string { return t.UTC().Format(time.RFC3339) }

// TestResetLinksEnd tries links that are late, replaced, of a changed password, and of users
// who may no longer sign in.
func TestResetLinksEnd(t *testing.T) {
	eachReset(t, func(t *testing.T, d *testServer, p *postOffice) {
		request := func(email string) string {
			*d.now = d.now.Add(time.Hour) // the limit of an address
			d.forget(email)
			return d.run(p)
		}
		ended := func(why, link string) {
			t.Helper()
			if resp, _ := d.newBrowser().get(link); resp.StatusCode != 410 || d.newBrowser().set(link, another) != 410 {
				t.Errorf("a link works: %s", why)
			}
		}
		replaced := request(admin)
		late := request(admin)
		ended("replaced", replaced)
		*d.now = d.now.Add(resetLife)
		ended("late", late)
		d.forget(admin)
		*d.now = d.now.Add(resetLife)
		if n := len(p.sent); d.run(p) == "" || len(p.sent) != n {
			t.Error("an old request was answered")
		}
		if err := d.Sweep(t.Context()); err != nil || d.count(`SELECT COUNT(*) FROM password_requests`) != 0 ||
			d.count(`SELECT COUNT(*) FROM password_links`) != 0 {
			t.Errorf("an expired request or link is stored, %v", err)
		}

		changed := request(admin)
		d.signIn(admin, secret)
		current, err := d.Sessions.Of(d.sessionRequest())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			ok, err := d.ReplacePassword(ctx, tx, current, d.user(admin).passwordHash, hash("yet another one"))
			if err == nil && !ok {
				err = errors.New("the password was not replaced")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		ended("password changed", changed)

		if err := d.add(User{Email: "gone@example.com", Role: auditor, Account: d.account}, secret); err != nil {
			t.Fatal(err)
		}
		gone := request("gone@example.com")
		end := func(ctx context.Context, tx *store.Tx) error {
			return d.Remove(ctx, tx, d.account, d.user("gone@example.com").ID)
		}
		if d.account == "" {
			end = func(ctx context.Context, tx *store.Tx) error {
				return d.setDisabled(ctx, tx, d.user("gone@example.com").ID, tx.Now)
			}
		}
		if err := d.DB.Tx(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		ended("user removed or disabled", gone)
		if n := len(p.sent); request("gone@example.com") != gone || len(p.sent) != n {
			t.Error("a user who may not sign in was sent a link")
		}
	})
}

// TestResetDoesNotEndALockout checks that a reset leaves guesses of others counted.
func TestResetDoesNotEndALockout(t *testing.T) {
	eachReset(t, func(t *testing.T, d *testServer, p *postOffice) {
		guess := d.newBrowser()
		for range MaxTries {
			guess.signIn(admin, "a wrong password")
		}
		d.forget(admin)
		if status := d.set(d.run(p), another); status != 303 || !d.signedIn() {
			t.Errorf("the link of a user with many guesses: %d", status)
		}
		if resp := guess.signIn(admin, another); resp.StatusCode != 429 {
			t.Errorf("a guess after the reset: %d", resp.StatusCode)
		}
	})
}

func TestResetWithoutMailServer(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		for _, show := range []func() (*http.Response, string){
			func() (*http.Response, string) { return d.get("/review/forgotten-password") },
			func() (*http.Response, string) {
				return d.post("/review/forgotten-password", url.Values{"email": {admin}})
			},
		} {
			if resp, page := show(); resp.StatusCode != 200 || !strings.Contains(page, `"Mails":false`) || strings.Contains(page, admin) {
				t.Errorf("%d %s", resp.StatusCode, page)
			}
		}
		if d.count(`SELECT COUNT(*) FROM password_requests`) != 0 {
			t.Error("a request is stored that cannot be answered")
		}
	})
}

func withButton(_ context.Context, _ i18n.Lang, _, _, link, button string) (string, error) {
	return `<a href="` + link + `">` + button + `</a>`, nil
}
