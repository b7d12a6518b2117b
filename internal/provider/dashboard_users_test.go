package provider_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// TestDashboardRotatesConcurrently checks that one of concurrent rotations succeeds, so
// that no secret in use ends.
func TestDashboardRotatesConcurrently(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		signer := d.find("/dashboard/webhooks", `name="secret" value="([^"]+)"`)
		credential := d.find("/dashboard/credentials", `/dashboard/credentials/`+uuidPattern+`/rotate`)
		for path, query := range map[string]string{
			d.endpoint("rotate"): `SELECT COUNT(*) FROM callback_secrets`,
			"/dashboard/credentials/" + credential + "/rotate": `SELECT COUNT(*) FROM credentials WHERE client_id = 'client-portal'`,
		} {
			before := b.audited()
			var wait sync.WaitGroup
			for range 4 {
				form := d.form("secret", signer)
				wait.Go(func() {
					if a := d.send(path, form); a.status != 303 {
						t.Errorf("%s: %d %s", path, a.status, a.raw)
					}
				})
			}
			wait.Wait()
			if n := b.count(query); n != 2 || b.audited() != before+1 {
				t.Errorf("%s: %d secrets and %d lines, want 2 and 1", path, n, b.audited()-before)
			}
		}
		b.bearer(b.basic()) // with the previous secret
	})
}

func TestDashboardSessionsExpire(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		form, delivery := d.form("state", "off"), d.endpoint("delivery")
		// Sessions do not use the sandbox's clock.
		b.advance("720h")
		d.page("/dashboard/webhooks")
		if _, err := b.db.SQL.Exec(`UPDATE sessions SET expires_at = 1`); err != nil {
			t.Fatal(err)
		}
		before := b.audited()
		if a := d.send(delivery, form); a.status != 303 ||
			a.header.Get("Location") != "/dashboard/sign-in" || b.audited() != before {
			t.Errorf("a form after the session: %d %s", a.status, a.header.Get("Location"))
		}
		if a := d.ask("GET", "/dashboard/deliveries?state=given+up", ""); a.status != 303 ||
			!strings.HasPrefix(a.header.Get("Location"), "/dashboard/sign-in?next=%2Fdashboard%2Fdeliveries%3F") {
			t.Errorf("a page after the session: %d %s", a.status, a.header.Get("Location"))
		}
		for next, want := range map[string]string{"/dashboard/audit": "/dashboard/audit", "//evil.example": "/dashboard",
			"/visit/x": "/dashboard", "/dashboard/sign-out": "/dashboard", "/dashboard/../visit": "/dashboard"} {
			a := b.browser().send("/dashboard/sign-in",
				url.Values{"email": {customerUser.Email}, "password": {customerUser.Password}, "next": {next}})
			if a.status != 303 || a.header.Get("Location") != want {
				t.Errorf("signing in with next %s leads to %s", next, a.header.Get("Location"))
			}
		}
	})
}

func TestDashboardSignIn(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.browser()
		try := func(email, secret string) answer {
			return d.send("/dashboard/sign-in", url.Values{"email": {email}, "password": {secret}})
		}
		a, other := try(customerUser.Email, "not the password"), try("unknown@customer.example", customerUser.Password)
		if a.status != 422 || other.status != 422 || a.header.Get("Set-Cookie") != "" {
			t.Errorf("a wrong password %d, an unknown email %d", a.status, other.status)
		}
		for range staff.MaxTries {
			try(customerUser.Email, "not the password")
		}
		if a := try(customerUser.Email, customerUser.Password); a.status != 429 || a.header.Get("Retry-After") != "900" ||
			!strings.Contains(string(a.raw), i18ntest.EN("ui.sign_in.too_many")) {
			t.Errorf("after %d tries the right password: %d, Retry-After %q", staff.MaxTries, a.status, a.header.Get("Retry-After"))
		}
		if n := b.audited(); n != 0 {
			t.Errorf("%d entries without a user", n)
		}
		a = b.browser().send("/dashboard/sign-in", url.Values{"email": {thirdPartyUser.Email}, "password": {thirdPartyUser.Password}})
		for i, name := range []string{"vestibule-dashboard", "vestibule-dashboard-known"} {
			c, err := http.ParseSetCookie(a.header.Values("Set-Cookie")[i])
			if err != nil || c.Name != name || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("the cookie is %v, %v", c, err)
			}
		}
	})
}

// TestSeedKeepsChanges checks that changes on the dashboard survive a restart, but not a
// reset, and that the dashboard shows changes of the control listener.
func TestSeedKeepsChanges(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		b.want("callback", b.do("POST", "/callbacks", map[string]any{"publicId": "svc-portal", "url": "https://one.example/webhook"}), 200, "")
		b.want("redirect URL", b.do("POST", "/complete-urls",
			map[string]any{"publicId": "svc-portal", "url": "https://one.example/back"}), 204, "")
		if !strings.Contains(d.page("/dashboard/webhooks"), "https://one.example/webhook") ||
			!strings.Contains(d.page("/dashboard/redirects"), "https://one.example/back") {
			t.Error("the dashboard does not show what the control set")
		}
		for path, form := range map[string]url.Values{
			d.endpoint("url"):             d.form("url", "https://two.example/webhook"),
			"/dashboard/redirects/add":    d.form("url", "https://two.example/back"),
			"/dashboard/redirects/return": d.form("mode", "post"),
		} {
			if a := d.send(path, form); a.status != 303 {
				t.Fatalf("%s: %d", path, a.status)
			}
		}
		if err := b.provider.Seed(t.Context(), b.seed); err != nil {
			t.Fatal(err)
		}
		says(t, "a seed undid the callback", d.page("/dashboard/webhooks"), []string{"https://two.example/webhook"})
		if text := d.page("/dashboard/redirects"); !strings.Contains(text, "https://two.example/back") ||
			!strings.Contains(text, "https://one.example/back") ||
			!regexp.MustCompile(`value="post"\s+checked`).MatchString(text) {
			t.Errorf("a seed undid the redirect settings\n%s", text)
		}
		b.want("reset", b.do("POST", "/reset", nil), 204, "")
		if a := d.ask("GET", "/dashboard", ""); a.status != 303 {
			t.Errorf("a session outlived the reset: %d", a.status)
		}
		d = b.signIn(customerUser)
		says(t, "the reset did not restore the callback", d.page("/dashboard/webhooks"), []string{b.seed.CallbackURL})
		says(t, "the reset did not restore the redirect URL", d.page("/dashboard/redirects"), []string{b.seed.CompleteURL}, "two.example")
	})
}

// addCustomer adds a customer, whose first user sets a password.
func (b *testServer) addCustomer(n provider.NewCustomer, password string) {
	b.t.Helper()
	link, err := b.provider.AddCustomer(b.t.Context(), n)
	if err != nil {
		b.t.Fatal(err)
	}
	_, path, _ := strings.Cut(link, b.service.URL)
	if a := b.browser().send(path, url.Values{"password": {password}}); a.status != 303 {
		b.t.Fatalf("setting the first user's password by %s: %d %s", link, a.status, a.raw)
	}
}

func TestAddCustomer(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		n := provider.NewCustomer{Name: "Harbour Bank", PublicID: "svc-harbour", ClientID: "client-harbour", SecretKey: store.NewSecret(),
			Products: map[contract.Product]string{contract.Cashflow: uuid.NewString()},
			Staff:    "ops@harbour.example"}
		b.addCustomer(n, "a long enough one")
		d := b.signIn(provider.Login{Email: n.Staff, Password: "a long enough one"})
		if text := d.page("/dashboard/products"); !strings.Contains(text, n.Products[contract.Cashflow]) ||
			!strings.Contains(text, "Harbour Bank") {
			t.Error("the new customer's dashboard does not show its product")
		}
		b.bearer(basic(n.ClientID, n.SecretKey))
		customers := b.count(`SELECT COUNT(*) FROM customers`)
		for _, change := range []func(*provider.NewCustomer){
			func(n *provider.NewCustomer) {}, // the email address is in use
			func(n *provider.NewCustomer) { n.Name = " " }, func(n *provider.NewCustomer) { n.Staff = "unknown" },
		} {
			bad := n
			bad.PublicID, bad.SecretKey, bad.Products = uuid.NewString(), store.NewSecret(), nil
			change(&bad)
			if _, err := b.provider.AddCustomer(t.Context(), bad); err == nil || b.count(`SELECT COUNT(*) FROM customers`) != customers {
				t.Errorf("%+v was added: %v", bad, err)
			}
		}
	})
}

func TestDashboardShowsUnsentEmails(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		says(t, "an empty outbox does not say so", d.page("/dashboard/outbox"), []string{i18ntest.EN("dashboard.outbox.none")})
		b.want("invite", b.post("/connect/invite", b.basic(), map[string]any{"productId": b.seed.Products[contract.Cashflow],
			"prefill": applicant, "deliverTo": "zoe@mail.example"}), 200, "")
		text := d.page("/dashboard/outbox")
		link := regexp.MustCompile(b.service.URL + `/invite/[A-Za-z0-9_-]+`).FindString(text)
		if !strings.Contains(text, "zoe@mail.example") || !strings.Contains(text, i18ntest.EN("dashboard.outbox.no_server_text")) || link == "" {
			t.Errorf("the outbox does not show the email\n%s", text)
		}
		if a := b.ask(link, "GET", "", nil, nil); a.status >= 400 {
			t.Errorf("the email's link: %d", a.status)
		}
		says(t, "another customer reads the email", eve.page("/dashboard/outbox"), nil, "zoe@")
		b.advance("73h")
		says(t, "an email with an expired link is shown", d.page("/dashboard/outbox"), nil, "zoe@")
	})
}

func TestDashboardUsers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d, second := b.signIn(customerUser), b.signIn(customerUser)
		for _, bad := range []string{"", "bob", "@customer.example", "bob@", "b ob@customer.example", customerUser.Email} {
			if a := d.send("/dashboard/people", d.form("email", bad)); a.status != 422 || !strings.Contains(string(a.raw), `href="#email"`) {
				t.Errorf("adding %q: %d", bad, a.status)
			}
		}
		// The page is the same for a new address and for one of another account's user.
		for _, email := range []string{thirdPartyUser.Email, "bob@customer.example"} {
			a := d.send("/dashboard/people", d.form("email", email))
			text := d.page("/dashboard/people")
			if a.status != 303 || !strings.Contains(text, i18ntest.EN("dashboard.flash.invitation_link")) ||
				!strings.Contains(text, strings.ToLower(email)) || !strings.Contains(text, i18ntest.EN("ui.people.invited")) {
				t.Errorf("inviting %s: %d\n%s", email, a.status, text)
			}
		}
		invited := d.find("/dashboard/people", `/dashboard/people/`+uuidPattern+`/invite`) // bob, the first by address
		d.send("/dashboard/people/"+invited+"/invite", d.form())
		link := d.find("/dashboard/people", `data-testid="secret"[^>]*>`+b.service.URL+`(/dashboard/set-password/[A-Za-z0-9_-]+)<`)
		bob := provider.Login{Email: "BOB@customer.example", Password: "a long password of bob"}
		if a := b.browser().send(link, url.Values{"password": {bob.Password}}); a.status != 303 {
			t.Fatalf("accepting the invitation: %d %s", a.status, a.raw)
		}
		bobs := b.signIn(bob)
		says(t, "the users are not those of the account", bobs.page("/dashboard/people"), []string{"ada@customer.example"})
		before := b.audited()
		for _, tc := range [][2]string{{"not the password", "a good new password"},
			{customerUser.Password, "short"}, {"", "a good new password"}} {
			if a := d.send("/dashboard/people/password", d.form("present", tc[0], "next", tc[1])); a.status != 422 {
				t.Errorf("changing %q to %q: %d", tc[0], tc[1], a.status)
			}
		}
		if a := d.send("/dashboard/people/password", d.form("present", customerUser.Password, "next",
			"a good new password")); a.status != 303 || b.audited() != before+1 {
			t.Fatalf("changing the password: %d", a.status)
		}
		d.page("/dashboard/people")
		if a := second.ask("GET", "/dashboard/people", ""); a.status != 303 {
			t.Errorf("another session of the user who changed the password: %d", a.status)
		}
		bobs.page("/dashboard/people")
		if a := b.browser().send("/dashboard/sign-in",
			url.Values{"email": {customerUser.Email}, "password": {customerUser.Password}}); a.status != 422 {
			t.Errorf("the previous password: %d", a.status)
		}
		adaID := bobs.find("/dashboard/people", `/dashboard/people/`+uuidPattern+`/remove`)
		d.wantSent("removing oneself", 400, "/dashboard/people/"+adaID+"/remove")
		bobs.wantSent("removing", 303, "/dashboard/people/"+adaID+"/remove")
		if a := d.ask("GET", "/dashboard", ""); a.status != 303 {
			t.Errorf("a session of a removed user: %d", a.status)
		}
		if text := bobs.page("/dashboard/audit"); !strings.Contains(text, i18ntest.EN("dashboard.audit.removed_user")) ||
			strings.Contains(text, "ada@") {
			t.Error("the audit trail has the address of a removed user")
		}
		if err := b.provider.Seed(t.Context(), b.seed); err != nil || b.count(`SELECT COUNT(*) FROM users WHERE id = $1`, adaID) != 0 ||
			b.count(`SELECT COUNT(*) FROM users`) != 3 {
			t.Errorf("a seed added a removed user again: %v", err)
		}
		for range staff.MaxTries {
			bobs.send("/dashboard/people/password", bobs.form("present", "a guess at it", "next", "a good new password"))
		}
		bobs.wantSent("guessing the present password", 429, "/dashboard/people/password", "present", bob.Password, "next", "a good new password")
	})
}

func TestAuditTrailPages(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		for i := range 30 {
			d.send(d.endpoint("delivery"), d.form("state", []string{"off", "on"}[i%2]))
		}
		var seen []int
		for path := "/dashboard/audit"; path != ""; {
			text := d.page(path)
			seen = append(seen, strings.Count(text, "<tr")-1)
			path = ""
			if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(text); m != nil {
				path = m[1]
			}
		}
		if !slices.Equal(seen, []int{25, 6}) {
			t.Errorf("the pages have %v lines, want 25 and 6", seen)
		}
	})
}

// TestDashboardSendsEmailsAgain checks that an email that the mail server refused is sent
// again by a button, once in ten minutes.
func TestDashboardSendsEmailsAgain(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db, func(c *provider.Config) { c.Mail = refusing{} })
		b.addUsers()
		d := b.signIn(customerUser)
		b.givenUp("zoe@mail.example")
		button := `/dashboard/outbox/` + uuidPattern + `/resend`
		path := "/dashboard/outbox/" + d.find("/dashboard/outbox", button) + "/resend"
		before := b.audited()
		if a := d.send(path, d.form()); a.status != 303 || b.audited() != before+1 {
			t.Fatalf("sending it again: %d %s", a.status, a.raw)
		}
		says(t, "the page does not say that it is sent again", d.page("/dashboard/outbox"), []string{i18ntest.EN("dashboard.flash.email_again")})
		b.until(1, `SELECT COUNT(*) FROM emails WHERE failed_at IS NOT NULL`) // refused again
		if text := d.page("/dashboard/outbox"); strings.Contains(text, "/resend") ||
			!strings.Contains(text, i18ntest.EN("dashboard.outbox.again_from")) {
			t.Errorf("just after it failed, the page does not say from when it can be sent again\n%s", text)
		}
		if a := d.send(path, d.form()); a.status != 303 || b.audited() != before+1 {
			t.Errorf("sending it again at once: %d", a.status)
		}
		if text := d.page("/dashboard/outbox"); !strings.Contains(text, i18ntest.EN("dashboard.flash.email_not_sent")) {
			t.Error("the page does not say that nothing was sent")
		}
	})
}

// TestDashboardUserHistory checks that each user leads to their changes, with their last
// sign-in.
func TestDashboardUserHistory(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		d.send("/dashboard/people", d.form("email", "bob@customer.example"))
		text := d.page("/dashboard/people")
		users := order(text, `/dashboard/audit\?user=`+uuidPattern)
		if len(users) != 2 || strings.Count(text, i18ntest.EN("ui.people.invited")) != 1 {
			t.Fatalf("the list has %d users that lead to their history, and not one who never signed in\n%s", len(users), text)
		}
		ada, bob := d.page("/dashboard/audit?user="+users[0]), d.page("/dashboard/audit?user="+users[1])
		if !strings.Contains(ada, i18ntest.EN("dashboard.actions.signedIn")+"</td>") ||
			strings.Contains(ada, i18ntest.EN("dashboard.people.never")) {
			t.Errorf("the history of a user:\n%s", ada)
		}
		if strings.Contains(bob, "</td>") || !strings.Contains(bob, i18ntest.EN("dashboard.people.never")) {
			t.Errorf("the history of a user who did nothing:\n%s", bob)
		}
	})
}

// mailServer passes the emails on that it is sent.
type mailServer chan mail.Message

func (s mailServer) Send(_ context.Context, m mail.Message) error {
	s <- m
	return nil
}

// TestDashboardResetsPasswords requests a link, opens it as from an email program, and sets a
// new password.
func TestDashboardResetsPasswords(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		sent := make(mailServer, 1)
		b := newTestServer(t, db, func(c *provider.Config) { c.Mail = sent })
		b.addUsers()
		old, d := b.signIn(customerUser), b.browser()
		if text := d.page("/dashboard/sign-in"); !strings.Contains(text, `href="/dashboard/forgotten-password"`) {
			t.Error("the sign-in page does not link the page for forgotten passwords")
		}
		to := d.send("/dashboard/forgotten-password", url.Values{"email": {customerUser.Email}}).header.Get("Location")
		if text := d.page(to); !strings.Contains(text, i18ntest.EN("ui.forgotten.sent")) {
			t.Errorf("after the request: %s", text)
		}
		link := regexp.MustCompile(`/dashboard/set-password/[^?\s]+`).FindString((<-sent).Text)
		page := d.ask("GET", link+"?lang=en", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
		if !strings.Contains(string(page.raw), strings.ToLower(customerUser.Email)) {
			t.Errorf("the link's page: %d %s", page.status, page.raw)
		}
		form := url.Values{"password": {"a new long password"}}
		if a := d.ask("POST", link, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin",
			"https://evil.example"); a.status != 403 {
			t.Errorf("the form of another site: %d", a.status)
		}
		if a := d.send(link, form); a.status != 303 || d.ask("GET", "/dashboard", "").status != 200 {
			t.Errorf("setting the password: %d %s", a.status, a.raw)
		}
		if old.ask("GET", "/dashboard", "").status != 303 {
			t.Error("a session of the old password works")
		}
		a := b.browser().ask("GET", link, "")
		if a.status != 410 || !strings.Contains(string(a.raw), i18ntest.EN("ui.link_expired.title")) {
			t.Errorf("a used link: %d %s", a.status, a.raw)
		}
		for _, action := range []string{staff.ResetSent, staff.PasswordSet} {
			if text := d.page("/dashboard/audit"); !strings.Contains(text, i18n.Code(i18n.English, "dashboard.actions", action)) {
				t.Errorf("the audit trail does not say %q", action)
			}
		}
	})
}

// membership is an account with an owner, a member whom they invited, and a report.
type membership struct {
	owner, member *dashboardBrowser
	id, report    string // of the member, and the page of the report
}

func (b *testServer) membership() membership {
	b.t.Helper()
	b.addUsers()
	d, m := b.signIn(customerUser), b.browser()
	d.wantSent("an unknown role", 400, "/dashboard/people", "email", "mem@customer.example", "role", "administrator")
	d.wantSent("inviting a member", 303, "/dashboard/people", "email", "mem@customer.example", "role", "member")
	link := d.find("/dashboard/people", `(/dashboard/set-password/[A-Za-z0-9_-]+)`)
	if a := m.send(link, url.Values{"password": {"a member's long password"}}); a.status != 303 {
		b.t.Fatalf("the member's link: %d", a.status)
	}
	publicToken, _ := b.cashflowVisit("joint")
	id := d.find("/dashboard/people", `/dashboard/people/`+uuidPattern+`/role`)
	return membership{d, m, id, "/dashboard/reports/" + m.reportNamed(publicToken)}
}

// wantSent sends a form and checks the status of the answer.
func (d *dashboardBrowser) wantSent(what string, status int, path string, fields ...string) {
	d.t.Helper()
	if a := d.send(path, d.form(fields...)); a.status != status {
		d.t.Errorf("%s: %d, want %d\n%.500s", what, a.status, status, a.raw)
	}
}

// unknown checks that pages do not exist for a user.
func (d *dashboardBrowser) unknown(paths ...string) {
	d.t.Helper()
	for _, path := range paths {
		if a := d.ask("GET", path, ""); a.status != 404 {
			d.t.Errorf("GET %s: %d, want 404", path, a.status)
		}
	}
}

// TestMembersOfAnAccount checks that a member sees and shares reports, and that every page and form of
// owners refuses members, also those who were owners when the page was shown.
func TestMembersOfAnAccount(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		a := b.membership()
		owner, member := a.owner, a.member
		b.run("a member sees reports, and no link to what is the owners'", func(t *testing.T) {
			for _, path := range []string{"/dashboard", "/dashboard/reports", a.report, a.report + "/correct", "/dashboard/disputes",
				"/dashboard/relay-tokens", "/dashboard/outbox", "/dashboard/deliveries", "/dashboard/people", "/dashboard/second-factor"} {
				link := regexp.MustCompile(`(?:href|action)="/dashboard/(webhooks|redirects|credentials|products|accounts|theme|audit)\b`)
				if m := link.FindString(member.page(path)); m != "" {
					t.Errorf("%s leads a member to %s", path, m)
				}
			}
		})
		b.run("owners' pages and forms refuse a member", func(t *testing.T) {
			for _, path := range []string{"/webhooks", "/redirects", "/credentials", "/products", "/prepared", "/accounts", "/theme", "/audit",
				"/products/" + b.seed.Products[contract.Cashflow]} {
				page := member.ask("GET", "/dashboard"+path, "")
				if page.status != 403 || !strings.Contains(string(page.raw), i18ntest.EN("dashboard.problem.owners.title")) {
					t.Errorf("a member at %s: %d", path, page.status)
				}
			}
			before := b.audited()
			for path, fields := range map[string][]string{"/people": {"email", "friend@customer.example"}, "/people/" + a.id + "/role": {"role", ""},
				"/people/" + a.id + "/remove": nil, "/people/" + a.id + "/factor": nil, "/people/" + a.id + "/invite": nil,
				"/credentials": {"name", "Mine"}, "/webhooks": {"endpoint", "https://mine.example/"},
				"/webhooks/" + a.id + "/test": nil, "/redirects/add": {"url", "https://mine.example/"}, "/accounts": {"name", "Mine"},
				"/products": {"name", "Mine"}, "/theme/reset": nil, "/webhooks/" + a.id + "/redeliver": {"since", "2026-01-01"},
				"/prepared/remove": nil, "/people/find": {"query", "a"}, "/audit/find": {"query", "a"}} {
				member.wantSent("a member sends "+path, 403, "/dashboard"+path, fields...)
			}
			if b.audited() != before {
				t.Error("a member's refused forms are in the audit trail")
			}
		})
		b.run("a member shares a report and changes their password", func(*testing.T) {
			member.wantSent("sharing", 303, a.report+"/share", "publicId", b.seed.ThirdParty.PublicID)
			member.wantSent("a password", 303, "/dashboard/people/password", "present", "a member's long password", "next", "another long password")
		})
		first := ""
		b.run("a new owner makes the first one a member, whose open form is refused", func(t *testing.T) {
			owner.wantSent("making an owner", 303, "/dashboard/people/"+a.id+"/role", "role", "")
			member.page("/dashboard/credentials")
			member.wantSent("one's own role", 400, "/dashboard/people/"+a.id+"/role", "role", "member")
			open := owner.form("name", "Late")
			first = member.find("/dashboard/people", `/dashboard/people/`+uuidPattern+`/role`)
			member.wantSent("making a member", 303, "/dashboard/people/"+first+"/role", "role", "member")
			if late := owner.send("/dashboard/credentials", open); late.status != 403 {
				t.Errorf("a former owner's open form: %d", late.status)
			}
			if trail := member.page("/dashboard/audit"); !strings.Contains(trail, i18ntest.EN("dashboard.actions.role_changed")) {
				t.Error("the change is not in the audit trail")
			}
			b.signIn(thirdPartyUser).wantSent("another customer's owner changes a role", 404, "/dashboard/people/"+first+"/role", "role", "")
		})
		b.run("one of two owners remains who make each other members at once", func(t *testing.T) {
			member.wantSent("making an owner again", 303, "/dashboard/people/"+first+"/role", "role", "")
			one, other := owner.form("role", "member"), member.form("role", "member")
			var wait sync.WaitGroup
			wait.Go(func() { owner.send("/dashboard/people/"+a.id+"/role", one) })
			wait.Go(func() { member.send("/dashboard/people/"+first+"/role", other) })
			wait.Wait()
			if n := b.count(`SELECT count(*) FROM users WHERE role = '' AND id IN ($1, $2)`, a.id, first); n != 1 {
				t.Errorf("%d owners remain", n)
			}
		})
	})
}
