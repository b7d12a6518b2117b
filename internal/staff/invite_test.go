package staff

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestInvitationByEmail follows an invitation to the password, sends it again and withdraws it.
func TestInvitationByEmail(t *testing.T) {
	eachReset(t, func(t *testing.T, d *testServer, p *postOffice) {
		id, token, err := d.inviteUser(User{Email: "nina@example.com", Role: reviewer})
		if err != nil || token != "" {
			t.Fatalf("an invitation by email shows the link %q, %v", token, err)
		}
		if _, _, err := d.inviteUser(User{Email: "nina@example.com", Role: reviewer}); !errors.Is(err, ErrKnown) {
			t.Errorf("inviting a user of the account again: %v", err)
		}
		first := d.run(p)
		if len(p.sent) != 1 || p.sent[0].To != "nina@example.com" || !strings.Contains(p.sent[0].Text, admin) ||
			!strings.Contains(p.sent[0].Text, moment("", d.now.Add(inviteLife))) ||
			p.sent[0].Subject != i18n.T(i18n.Spanish, "email.invitation.subject", "site", "Northwind") {
			t.Fatalf("sent %+v", p.sent)
		}
		again := func() error {
			return d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := d.InviteAgain(ctx, tx, d.user(admin), id, i18n.English)
				return err
			})
		}
		if err := again(); err != nil {
			t.Fatal(err)
		}
		link := d.run(p)
		for range 2 { // a mail scanner opens it
			if resp, page := d.newBrowser().get(link); resp.StatusCode != 200 || !strings.Contains(page, "nina@example.com") {
				t.Fatalf("the link's page: %d %s", resp.StatusCode, page)
			}
		}
		nina := d.newBrowser()
		if status := nina.set(first, secret); status != 410 {
			t.Errorf("the link of the earlier email: %d", status)
		}
		if status := nina.set(link, secret); status != 303 || !nina.signedIn() {
			t.Errorf("setting the password: %d", status)
		}
		if status := d.newBrowser().set(link, another); status != 410 {
			t.Errorf("a used link: %d", status)
		}
		if resp := d.newBrowser().signIn("nina@example.com", secret); resp.StatusCode != 303 {
			t.Errorf("signing in: %d", resp.StatusCode)
		}
		if err := again(); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("inviting a user with a password again: %v", err)
		}
		_, _, err = d.inviteUser(User{Email: "late@example.com", Role: reviewer})
		for range 5 {
			if err == nil {
				id = p.queued[0].(SendInvitation).User
				err = again()
			}
		}
		if d.run(p); err != nil || len(p.sent) != 2+3 {
			t.Errorf("%d emails to one address, %v", len(p.sent)-2, err)
		}
	})
}

func TestWithdrawnInvitation(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		link := d.invite("nina@example.com", reviewer)
		if _, _, err := d.Change(t.Context(), d.user(admin), d.user("nina@example.com").ID, Withdraw, "", i18n.English); err != nil {
			t.Fatal(err)
		}
		if resp, _ := d.newBrowser().get(link); resp.StatusCode != 410 || d.count(`SELECT COUNT(*) FROM users`) != 1 ||
			d.count(`SELECT COUNT(*) FROM password_links`) != 0 {
			t.Errorf("a withdrawn invitation: %d", resp.StatusCode)
		}
		d.newBrowser().set(d.invite("nina@example.com", reviewer), secret)
		if _, _, err := d.Change(t.Context(), d.user(admin), d.user("nina@example.com").ID, Withdraw, "",
			i18n.English); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("withdrawing an accepted invitation: %v", err)
		}
	})
}

// TestInvitingAnotherAccountsUser checks that an invitation does not tell whether a user of another
// account has the address.
func TestInvitingAnotherAccountsUser(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		d := start(t, db, store.Provider)
		other := d.addAccount("svc-other")
		if err := d.add(User{Email: "eve@example.com", Account: other}, secret); err != nil {
			t.Fatal(err)
		}
		link := d.invite("eve@example.com", "")
		users, err := d.Users(t.Context(), db.SQL, d.account)
		if err != nil || len(users) != 2 || users[1].Email != "eve@example.com" || !users[1].Invited() {
			t.Errorf("the account has the users %+v, %v", users, err)
		}
		if resp, page := d.newBrowser().get(link); resp.StatusCode != 200 || strings.Contains(page, `"Taken":true`) {
			t.Errorf("the link's page: %d %s", resp.StatusCode, page)
		}
		eve := d.newBrowser()
		if resp, page := eve.post(link, url.Values{"password": {another}}); resp.StatusCode != 409 || !strings.Contains(page, `"Taken":true`) ||
			eve.signedIn() {
			t.Errorf("accepting it: %d %s", resp.StatusCode, page)
		}
		if eve.signIn("eve@example.com", another).StatusCode != 422 || eve.signIn("eve@example.com", secret).StatusCode != 303 {
			t.Error("the invitation changed the other account's user")
		}
		err = db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return d.Remove(ctx, tx, other, d.user("eve@example.com").ID)
		})
		if status := d.newBrowser().set(link, another); err != nil || status != 303 || d.user("eve@example.com").Account != d.account {
			t.Errorf("accepting it after the other access was removed: %d, %v", status, err)
		}
	})
}

func TestEmailToAnotherAccountsUser(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		p := &postOffice{}
		d := start(t, db, store.Provider, func(c *Config) {
			c.Site, c.Emails = "Northwind", &Emails{Mail: p, Queue: p, HTML: withButton, Moment: moment}
		})
		if err := d.add(User{Email: "eve@example.com", Account: d.addAccount("svc-other")}, secret); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.inviteUser(User{Email: "eve@example.com"}); err != nil {
			t.Fatal(err)
		}
		if link := d.run(p); len(p.sent) != 1 || link != "" || !strings.Contains(p.sent[0].Text, "/review/sign-in") {
			t.Errorf("sent %+v", p.sent)
		}
	})
}
