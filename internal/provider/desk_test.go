package provider_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/password"
	"vestibule/internal/provider"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

var (
	ours   = provider.Login{Email: "Ada@Customer.example", Password: "correct horse battery"}
	theirs = provider.Login{Email: "eve@third.example", Password: "staple battery horse"}
)

// desk is a person's browser at the dashboard.
type desk struct {
	*bench
	http *http.Client
}

// staffed gives both customers of a bench a person.
func (b *bench) staffed() {
	b.t.Helper()
	b.seed.Staff, b.seed.ThirdParty.Staff = ours, theirs
	if err := b.provider.Seed(b.t.Context(), b.seed); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) browser() *desk {
	jar, _ := cookiejar.New(nil)
	return &desk{b, &http.Client{Jar: jar, Transport: client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (b *bench) signedIn(who provider.Login) *desk {
	b.t.Helper()
	d := b.browser()
	if a := d.send("/dashboard/sign-in", url.Values{"email": {who.Email}, "password": {who.Password}}); a.status != 303 {
		b.t.Fatalf("signing in: %d %s", a.status, a.raw)
	}
	return d
}

func (d *desk) ask(method, path, body string, h ...string) answer {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.service.URL+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	for i := 0; i+1 < len(h); i += 2 {
		req.Header.Set(h[i], h[i+1])
	}
	resp, err := d.http.Do(req)
	if err != nil {
		d.t.Error(err)
		return answer{}
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if a.raw, err = io.ReadAll(resp.Body); err != nil {
		d.t.Error(err)
	}
	return a
}

// send posts a form as a browser does.
func (d *desk) send(path string, form url.Values) answer {
	d.t.Helper()
	return d.ask("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Origin", "null")
}

// page is a page that must be there, as text.
func (d *desk) page(path string) string {
	d.t.Helper()
	a := d.ask("GET", path, "")
	if a.status != 200 {
		d.t.Fatalf("GET %s = %d %s\n%s", path, a.status, a.header.Get("Location"), a.raw)
	}
	return html.UnescapeString(string(a.raw))
}

// find is what a page has in the pattern's group.
func (d *desk) find(path, pattern string) string {
	d.t.Helper()
	text := d.page(path)
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		d.t.Fatalf("%s has no %s\n%s", path, pattern, text)
	}
	return m[1]
}

const uuidPattern = `([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`

// form are the fields of a form, with the nonce of a page that was just read.
func (d *desk) form(pairs ...string) url.Values {
	d.t.Helper()
	f := url.Values{"once": {d.find("/dashboard/webhooks", `name="once" value="([^"]+)"`)}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Add(pairs[i], pairs[i+1])
	}
	return f
}

// delivered waits until n deliveries have been noted as such, which is after they
// arrived.
func (b *bench) delivered(n int) {
	b.t.Helper()
	deadline, tick := time.NewTimer(15*time.Second), time.NewTicker(5*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for b.count(`SELECT COUNT(*) FROM deliveries WHERE state = 'delivered'`) < n {
		select {
		case <-deadline.C:
			b.t.Fatalf("%d events are not delivered", n)
		case <-tick.C:
		}
	}
}

func (b *bench) audited() int { b.t.Helper(); return b.count(`SELECT COUNT(*) FROM audit`) }

// last is the newest line of the audit trail.
func (b *bench) last() (action, object, detail string) {
	b.t.Helper()
	err := b.db.SQL.QueryRowContext(b.t.Context(), `SELECT action, object, detail FROM audit ORDER BY at DESC, id LIMIT 1`).Scan(&action, &object, &detail)
	if err != nil {
		b.t.Fatal(err)
	}
	return action, object, detail
}

// doors are the changes that the room registers.
func doors(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("dashboard/routes.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile(`"POST (/dashboard[^"]*)"`).FindAllStringSubmatch(string(raw), -1) {
		if !strings.HasSuffix(m[1], "/find") && !strings.HasSuffix(m[1], "/sign-in") {
			out = append(out, m[1])
		}
	}
	return out
}

// TestEveryChangeIsInTheAuditTrail walks every form of the dashboard: it is taken
// once, leaves one line, and that line holds nothing secret. The third party's
// people cannot send it.
func TestEveryChangeIsInTheAuditTrail(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		token, _ := b.walked("default")
		b.delivered(1)
		d, eve := b.signedIn(ours), b.signedIn(theirs)
		configuration := "" // the account's own, found on the page of its products
		child := ""
		at := func(path, pattern string) func() string { return func() string { return d.find(path, pattern) } }
		none := func() string { return "" }
		credential := at("/dashboard/credentials", `/dashboard/credentials/`+uuidPattern+`/rotate`)
		steps := []struct {
			path   string
			id     func() string
			fields func() []string
			action string
		}{
			{"/dashboard/webhooks/callback", none, func() []string { return []string{"url", b.seed.CallbackURL + "/again?key=canary"} }, "callback set"},
			{"/dashboard/webhooks/delivery", none, func() []string { return []string{"state", "off"} }, "callback off"},
			{"/dashboard/webhooks/delivery", none, func() []string { return []string{"state", "on"} }, "callback on"},
			{"/dashboard/webhooks/subscription", none, func() []string { return []string{"status", "SUCCESS", "status", "ERROR"} }, "subscription changed"},
			{"/dashboard/webhooks/rotate", none, func() []string {
				return []string{"secret", d.find("/dashboard/webhooks", `name="secret" value="([^"]+)"`)}
			}, "signer rotated"},
			{"/dashboard/deliveries/{id}/redeliver", at("/dashboard/deliveries", `/dashboard/deliveries/`+uuidPattern), func() []string { return []string{"resends", "0"} }, "event redelivered"},
			{"/dashboard/reports/{id}/share", at("/dashboard/reports", `/dashboard/reports/`+uuidPattern), func() []string { return []string{"publicId", "svc-third"} }, "report shared"},
			{"/dashboard/relay-tokens", none, func() []string { return []string{"publicToken", strings.ToUpper(token), "publicId", "svc-third"} }, "report shared"},
			{"/dashboard/relay-tokens/{id}/withdraw", at("/dashboard/relay-tokens", `/dashboard/relay-tokens/`+uuidPattern+`/withdraw`), func() []string { return nil }, "share withdrawn"},
			{"/dashboard/redirects/add", none, func() []string { return []string{"url", "https://customer.example/canary?jwt=[token]"} }, "complete URL added"},
			{"/dashboard/redirects/static", none, func() []string { return []string{"url", "https://customer.example/canary?jwt=[token]"} }, "complete URL static"},
			{"/dashboard/redirects/remove", none, func() []string { return []string{"url", "https://customer.example/canary?jwt=[token]"} }, "complete URL removed"},
			{"/dashboard/redirects/return", none, func() []string { return []string{"mode", "post", "requireForm", "yes"} }, "return changed"},
			{"/dashboard/credentials", none, func() []string { return nil }, "credential issued"},
			{"/dashboard/credentials/{id}/rotate", credential, func() []string { return nil }, "credential rotated"},
			{"/dashboard/credentials/{id}/revoke", credential, func() []string { return nil }, "credential revoked"},
			{"/dashboard/accounts", none, func() []string { return []string{"name", "A child", "displayName", "Child"} }, "child added"},
			{"/dashboard/accounts/{id}/products", func() string {
				child = d.find("/dashboard/accounts", `"/dashboard/accounts/(svc-[a-z0-9]+)"`)
				return child
			}, func() []string { return []string{"name", "A product"} }, "product added"},
			{"/dashboard/configurations", none, func() []string {
				configuration = d.find("/dashboard/products", `<option value="`+uuidPattern+`"`)
				return []string{"account", child, "configuration", configuration}
			}, "configuration changed"},
			{"/dashboard/configurations", none, func() []string {
				return []string{"product", b.seed.Products[svc.Cashflow], "configuration", configuration}
			}, "configuration changed"},
			{"/dashboard/configurations", none, func() []string { return []string{"product", b.seed.Products[svc.Cashflow], "configuration", ""} }, "configuration changed"},
			{"/dashboard/people", none, func() []string { return []string{"email", "Bob@Customer.example"} }, "person added"},
			{"/dashboard/people/{id}/remove", at("/dashboard/people", `/dashboard/people/`+uuidPattern+`/remove`), func() []string { return nil }, "person removed"},
			{"/dashboard/people/password", none, func() []string { return []string{"present", ours.Password, "next", "another canary password"} }, "password changed"},
		}
		walked := map[string]bool{}
		for _, step := range steps {
			walked[step.path] = true
			id := step.id()
			path, form := strings.ReplaceAll(step.path, "{id}", id), d.form(step.fields()...)
			before := b.audited()

			strange := url.Values{}
			for k, v := range form {
				strange[k] = v
			}
			if a := eve.send(path, strange); a.status != 303 || b.audited() != before {
				t.Errorf("%s with a form of somebody else: %d", path, a.status)
			}
			if id != "" || step.fields() != nil && strings.Contains(step.path, "configurations") {
				strange["once"] = eve.form()["once"]
				if a := eve.send(path, strange); a.status != 404 || b.audited() != before {
					t.Errorf("%s by staff of another customer: %d, want 404", path, a.status)
				}
			}

			if a := d.send(path, form); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/dashboard") {
				t.Errorf("%s: %d %s\n%s", path, a.status, a.header.Get("Location"), a.raw)
				continue
			}
			action, object, detail := b.last()
			if n := b.audited(); n != before+1 || action != step.action {
				t.Errorf("%s: %d lines, the last one %q, want one, %q", path, n-before, action, step.action)
			}
			if all := action + object + detail; strings.Contains(all, "canary") || strings.Contains(all, token) || strings.Contains(all, "whsec") {
				t.Errorf("%s: the audit trail says %q of %q: %q", path, action, object, detail)
			}
			if a := d.send(path, form); a.status != 303 || b.audited() != before+1 {
				t.Errorf("%s sent twice: %d, and %d lines", path, a.status, b.audited()-before)
			}
			if form["once"] = []string{"x"}; d.send(path, form).status != 303 || b.audited() != before+1 {
				t.Errorf("%s without a nonce changed something", path)
			}
		}
		for _, path := range doors(t) {
			if path != "/dashboard/sign-out" && !walked[path] {
				t.Errorf("%s changes something and is not walked here", path)
			}
		}
		text := d.page("/dashboard/audit")
		for _, want := range []string{"ada@customer.example", "signed in", "made a client", "changed a configuration in force"} {
			if !strings.Contains(text, want) {
				t.Errorf("the audit trail does not say %q", want)
			}
		}
		before := b.audited()
		if a := d.send("/dashboard/sign-out", nil); a.status != 303 || b.audited() != before+1 {
			t.Errorf("signing out: %d", a.status)
		}
		if a := d.ask("GET", "/dashboard/audit", ""); a.status != 303 || a.header.Get("Location") != "/dashboard/sign-in?next=%2Fdashboard%2Faudit" {
			t.Errorf("after signing out: %d %s", a.status, a.header.Get("Location"))
		}
		for _, s := range []string{"canary", ours.Password, "ada@customer.example"} {
			if strings.Contains(b.log.String(), s) {
				t.Errorf("%q is in the log", s)
			}
		}
	})
}

func TestPagesOfAnotherCustomerAreUnknown(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		token, _ := b.walked("default")
		b.delivered(1)
		d, eve := b.signedIn(ours), b.signedIn(theirs)
		child := b.post("/accounts", b.basic(), map[string]any{"accountName": "A child"}).text("publicId")
		report := d.find("/dashboard/reports", `/dashboard/reports/`+uuidPattern)
		for _, path := range []string{
			"/dashboard/reports/" + report, "/dashboard/deliveries?report=" + report,
			"/dashboard/deliveries/" + d.find("/dashboard/deliveries", `/dashboard/deliveries/`+uuidPattern),
			"/dashboard/accounts/" + child,
		} {
			d.page(path)
			for _, bad := range []string{path, path[:len(path)-12] + "000000000000"} {
				if a := eve.ask("GET", bad, ""); a.status != 404 {
					t.Errorf("GET %s by somebody else = %d", bad, a.status)
				}
			}
		}
		for _, path := range []string{"", "/reports", "/deliveries", "/relay-tokens", "/credentials", "/redirects", "/products", "/accounts", "/webhooks", "/audit"} {
			if text := eve.page("/dashboard" + path); strings.Contains(text, token) || strings.Contains(text, b.seed.ClientID) || strings.Contains(text, child) || strings.Contains(text, b.seed.CallbackURL) {
				t.Errorf("/dashboard%s shows what is another customer's", path)
			}
		}
		// The publicToken stands on the report's own page, and in no address.
		if !strings.Contains(d.page("/dashboard/reports/"+report), token) {
			t.Error("the report's page does not say which it is")
		}
		for _, query := range []string{token, strings.ToUpper(token)} {
			if a := d.send("/dashboard/reports/find", url.Values{"query": {query}}); a.status != 303 || a.header.Get("Location") != "/dashboard/reports/"+report {
				t.Errorf("finding %s: %d %s", query, a.status, a.header.Get("Location"))
			}
			if a := eve.send("/dashboard/reports/find", url.Values{"query": {query}}); a.status != 200 || !strings.Contains(string(a.raw), "No such report") {
				t.Errorf("somebody else finds it: %d", a.status)
			}
		}
		for _, path := range []string{"/dashboard/reports", "/dashboard/reports/" + report, "/dashboard/relay-tokens"} {
			for _, m := range regexp.MustCompile(`(?:href|action)="([^"]*)"`).FindAllStringSubmatch(d.page(path), -1) {
				if strings.Contains(m[1], token) {
					t.Errorf("%s leads to an address with a publicToken", path)
				}
			}
		}
	})
}

func TestWhatWasSentIsOnTheDashboardAndIsSentAgain(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d := b.signedIn(ours)
		b.walked("default", "userArgs", "campaign=<autumn>")
		first := b.inbox.wait(t, 1)[0]
		b.delivered(1)
		path := "/dashboard/deliveries/" + d.find("/dashboard/deliveries?state=delivered", `/dashboard/deliveries/`+uuidPattern)
		text := d.page(path)
		for _, want := range []string{`"userArgs":"campaign=`, first.EventID, "204", `"status":"SUCCESS"`} {
			if !strings.Contains(text, want) {
				t.Errorf("the delivery's page does not show %s", want)
			}
		}
		for i := range 2 {
			a := d.send(path+"/redeliver", d.form("resends", fmt.Sprint(i)))
			if a.status != 303 || a.header.Get("Location") == path {
				t.Fatalf("redelivery %d: %d %s", i, a.status, a.header.Get("Location"))
			}
			b.delivered(i + 2)
			if got := b.inbox.wait(t, i+2); got[i+1] != first {
				t.Errorf("sent again: %+v, want %+v", got[i+1], first)
			}
		}
		text = d.page("/dashboard/reports/" + d.find("/dashboard/reports", `/dashboard/reports/`+uuidPattern))
		for _, want := range []string{"The applicant consented", "A bank was chosen", "Status", "An event was sent", "visit in the widget"} {
			if !strings.Contains(text, want) {
				t.Errorf("the timeline does not say %q", want)
			}
		}
		for _, personal := range []string{"Harper", "default.harper@mail.example", "1990-04-12", ">default<"} {
			if strings.Contains(text, personal) {
				t.Errorf("the report's page shows %q", personal)
			}
		}
	})
}

func TestASecretIsShownOnce(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d := b.signedIn(ours)
		for _, tc := range []struct{ path, page, shape string }{
			{"/dashboard/credentials", "/dashboard/credentials", `data-testid="secret"[^>]*>([A-Za-z0-9_-]{43})<`},
			{"/dashboard/webhooks/rotate", "/dashboard/webhooks", `data-testid="secret"[^>]*>(whsec_[A-Za-z0-9+/=]+)<`},
		} {
			form := d.form("secret", d.find("/dashboard/webhooks", `name="secret" value="([^"]+)"`))
			if a := d.send(tc.path, form); a.status != 303 || a.header.Get("Location") != tc.page || strings.Contains(string(a.raw), "whsec_") {
				t.Fatalf("%s: %d", tc.path, a.status)
			}
			d.send(tc.path, form) // in haste: the secret is still to be shown
			if a := d.ask("HEAD", tc.page, ""); a.status != 200 {
				t.Errorf("HEAD: %d", a.status)
			}
			if a := d.ask("GET", tc.page, "", "Sec-Purpose", "prefetch"); a.status != 403 {
				t.Errorf("prefetched: %d", a.status)
			}
			if text := b.signedIn(ours).page(tc.page); strings.Contains(text, `data-testid="secret"`) {
				t.Error("another browser is shown the secret")
			}
			secret := d.find(tc.page, tc.shape)
			if strings.Contains(d.page(tc.page), secret) {
				t.Errorf("%s shows the secret again", tc.page)
			}
			if tc.path == "/dashboard/credentials" {
				client := d.find(tc.page, `>(client-[a-z0-9]{26})<`)
				b.bearer(basic(client, secret))
			}
		}
		if n := b.count(`SELECT COUNT(*) FROM dashboard_notices`); n != 0 {
			t.Errorf("%d notices are kept after they were read", n)
		}
	})
}

// Two people who rotate at once, or one in two windows, do not end a secret that
// is in use.
func TestRotationsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d := b.signedIn(ours)
		signer := d.find("/dashboard/webhooks", `name="secret" value="([^"]+)"`)
		credential := d.find("/dashboard/credentials", `/dashboard/credentials/`+uuidPattern+`/rotate`)
		for path, query := range map[string]string{
			"/dashboard/webhooks/rotate":                       `SELECT COUNT(*) FROM callback_secrets`,
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
		b.bearer(b.basic()) // with the former secret
	})
}

func TestSessionsOfStaffEnd(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d := b.signedIn(ours)
		form := d.form("state", "off")
		// The sandbox's clock is not the staff's.
		b.advance("720h")
		d.page("/dashboard/webhooks")
		if _, err := b.db.SQL.Exec(`UPDATE sessions SET expires_at = 1`); err != nil {
			t.Fatal(err)
		}
		before := b.audited()
		if a := d.send("/dashboard/webhooks/delivery", form); a.status != 303 || a.header.Get("Location") != "/dashboard/sign-in" || b.audited() != before {
			t.Errorf("a form after the session: %d %s", a.status, a.header.Get("Location"))
		}
		if a := d.ask("GET", "/dashboard/deliveries?state=given+up", ""); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/dashboard/sign-in?next=%2Fdashboard%2Fdeliveries%3F") {
			t.Errorf("a page after the session: %d %s", a.status, a.header.Get("Location"))
		}
		for next, want := range map[string]string{"/dashboard/audit": "/dashboard/audit", "//evil.example": "/dashboard", "/visit/x": "/dashboard", "/dashboard/sign-out": "/dashboard", "/dashboard/../visit": "/dashboard"} {
			a := b.browser().send("/dashboard/sign-in", url.Values{"email": {ours.Email}, "password": {ours.Password}, "next": {next}})
			if a.status != 303 || a.header.Get("Location") != want {
				t.Errorf("signing in with next %s leads to %s", next, a.header.Get("Location"))
			}
		}
	})
}

func TestSigningInToTheDashboardIsLimited(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d := b.browser()
		try := func(email, secret string) answer {
			return d.send("/dashboard/sign-in", url.Values{"email": {email}, "password": {secret}})
		}
		a, other := try(ours.Email, "not the password"), try("nobody@customer.example", ours.Password)
		if a.status != 422 || other.status != 422 || a.header.Get("Set-Cookie") != "" {
			t.Errorf("a wrong password %d, an unknown e-mail %d", a.status, other.status)
		}
		for range password.TriesHere - 1 {
			try(ours.Email, "not the password")
		}
		if a := try(ours.Email, ours.Password); a.status != 429 || a.header.Get("Retry-After") != "900" {
			t.Errorf("after %d tries the right password: %d, Retry-After %q", password.TriesHere, a.status, a.header.Get("Retry-After"))
		}
		if n := b.audited(); n != 0 {
			t.Errorf("%d lines of nobody's", n)
		}
		a = b.browser().send("/dashboard/sign-in", url.Values{"email": {theirs.Email}, "password": {theirs.Password}})
		c, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
		if err != nil || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Name != "vestibule-dashboard" {
			t.Errorf("the cookie is %v, %v", c, err)
		}
	})
}

// What the staff changed stays over a restart; a reset puts everything back. The
// control listener and the dashboard look at one state.
func TestChangesSurviveASeedAndNotAReset(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d := b.signedIn(ours)
		b.want("callback", b.do("POST", "/callbacks", map[string]any{"publicId": "svc-portal", "url": "https://one.example/hook"}), 200, "")
		b.want("complete URL", b.do("POST", "/complete-urls", map[string]any{"publicId": "svc-portal", "url": "https://one.example/back"}), 204, "")
		if !strings.Contains(d.page("/dashboard/webhooks"), "https://one.example/hook") || !strings.Contains(d.page("/dashboard/redirects"), "https://one.example/back") {
			t.Error("the dashboard does not show what the control set")
		}
		for path, form := range map[string]url.Values{
			"/dashboard/webhooks/callback": d.form("url", "https://two.example/hook"),
			"/dashboard/redirects/add":     d.form("url", "https://two.example/back"),
			"/dashboard/redirects/return":  d.form("mode", "post"),
		} {
			if a := d.send(path, form); a.status != 303 {
				t.Fatalf("%s: %d", path, a.status)
			}
		}
		if err := b.provider.Seed(t.Context(), b.seed); err != nil {
			t.Fatal(err)
		}
		if text := d.page("/dashboard/webhooks"); !strings.Contains(text, "https://two.example/hook") {
			t.Error("a seed undid the callback")
		}
		if text := d.page("/dashboard/redirects"); !strings.Contains(text, "https://two.example/back") || !strings.Contains(text, "https://one.example/back") ||
			!regexp.MustCompile(`value="post"\s+checked`).MatchString(text) {
			t.Errorf("a seed undid the ways back\n%s", text)
		}
		b.want("reset", b.do("POST", "/reset", nil), 204, "")
		if a := d.ask("GET", "/dashboard", ""); a.status != 303 {
			t.Errorf("a session outlived the reset: %d", a.status)
		}
		d = b.signedIn(ours)
		if text := d.page("/dashboard/webhooks"); !strings.Contains(text, b.seed.CallbackURL) {
			t.Error("the reset did not put the callback back")
		}
		if text := d.page("/dashboard/redirects"); strings.Contains(text, "two.example") || !strings.Contains(text, b.seed.CompleteURL) {
			t.Error("the reset did not put the complete URL back")
		}
	})
}

func TestAnOperatorAddsACustomer(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		n := provider.NewCustomer{Name: "Harbour Bank", PublicID: "svc-harbour", ClientID: "client-harbour", SecretKey: store.NewSecret(),
			Products: map[svc.Product]string{svc.Cashflow: uuid.NewString()}, Staff: provider.Login{Email: "ops@harbour.example", Password: "a long enough one"}}
		if err := b.provider.AddCustomer(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		d := b.signedIn(n.Staff)
		if text := d.page("/dashboard/products"); !strings.Contains(text, n.Products[svc.Cashflow]) || !strings.Contains(text, "Harbour Bank") {
			t.Error("the new customer's dashboard does not show its product")
		}
		b.bearer(basic(n.ClientID, n.SecretKey))
		customers := b.count(`SELECT COUNT(*) FROM customers`)
		for _, change := range []func(*provider.NewCustomer){
			func(n *provider.NewCustomer) {}, // the e-mail is known
			func(n *provider.NewCustomer) { n.Name = " " }, func(n *provider.NewCustomer) { n.Staff.Email = "nobody" },
			func(n *provider.NewCustomer) {
				n.Staff = provider.Login{Email: "new@harbour.example", Password: "short"}
			},
		} {
			bad := n
			bad.PublicID, bad.SecretKey, bad.Products = uuid.NewString(), store.NewSecret(), nil
			change(&bad)
			if err := b.provider.AddCustomer(t.Context(), bad); err == nil || b.count(`SELECT COUNT(*) FROM customers`) != customers {
				t.Errorf("%+v is added: %v", bad, err)
			}
		}
	})
}

func TestLettersWaitOnTheDashboard(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d, eve := b.signedIn(ours), b.signedIn(theirs)
		if text := d.page("/dashboard/outbox"); !strings.Contains(text, "There are no letters") {
			t.Error("an empty outbox does not say so")
		}
		b.want("invite", b.post("/connect/invite", b.basic(), map[string]any{"productId": b.seed.Products[svc.Cashflow],
			"prefill": applicant, "deliverTo": "zoe@mail.example"}), 200, "")
		text := d.page("/dashboard/outbox")
		link := regexp.MustCompile(b.service.URL + `/invite/[A-Za-z0-9_-]+`).FindString(text)
		if !strings.Contains(text, "zoe@mail.example") || !strings.Contains(text, "There is no mail server") || link == "" {
			t.Errorf("the letter is not there to be passed on\n%s", text)
		}
		if a := b.ask(link, "GET", "", nil, nil); a.status >= 400 {
			t.Errorf("the letter's link leads to %d", a.status)
		}
		if text := eve.page("/dashboard/outbox"); strings.Contains(text, "zoe@") {
			t.Error("somebody else reads the letter")
		}
		b.advance("73h")
		if text := d.page("/dashboard/outbox"); strings.Contains(text, "zoe@") {
			t.Error("a letter whose link is over is shown")
		}
	})
}

func TestPeopleOfAnAccount(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d, second := b.signedIn(ours), b.signedIn(ours)
		for _, bad := range []string{"", "bob", "@customer.example", "bob@", "b ob@customer.example", theirs.Email, ours.Email} {
			if a := d.send("/dashboard/people", d.form("email", bad)); a.status != 422 || !strings.Contains(string(a.raw), `href="#email"`) {
				t.Errorf("letting %q in: %d", bad, a.status)
			}
		}
		d.send("/dashboard/people", d.form("email", "bob@customer.example"))
		bob := provider.Login{Email: "BOB@customer.example", Password: d.find("/dashboard/people", `data-testid="secret"[^>]*>([a-z0-9]{26})<`)}
		his := b.signedIn(bob)
		if text := his.page("/dashboard/people"); !strings.Contains(text, "ada@customer.example") || strings.Contains(text, "eve@") {
			t.Error("the people are not those of the account")
		}
		before := b.audited()
		for _, tc := range [][2]string{{"not the password", "a good new password"}, {ours.Password, "short"}, {"", "a good new password"}} {
			if a := d.send("/dashboard/people/password", d.form("present", tc[0], "next", tc[1])); a.status != 422 {
				t.Errorf("changing %q to %q: %d", tc[0], tc[1], a.status)
			}
		}
		if a := d.send("/dashboard/people/password", d.form("present", ours.Password, "next", "a good new password")); a.status != 303 || b.audited() != before+1 {
			t.Fatalf("changing the password: %d", a.status)
		}
		d.page("/dashboard/people")
		if a := second.ask("GET", "/dashboard/people", ""); a.status != 303 {
			t.Errorf("the other session of who changed the password: %d", a.status)
		}
		his.page("/dashboard/people")
		if a := b.browser().send("/dashboard/sign-in", url.Values{"email": {ours.Email}, "password": {ours.Password}}); a.status != 422 {
			t.Errorf("the former password: %d", a.status)
		}
		ada := his.find("/dashboard/people", `/dashboard/people/`+uuidPattern+`/remove`)
		if a := d.send("/dashboard/people/"+ada+"/remove", d.form()); a.status != 400 {
			t.Errorf("removing oneself: %d", a.status)
		}
		if a := his.send("/dashboard/people/"+ada+"/remove", his.form()); a.status != 303 {
			t.Fatalf("removing: %d", a.status)
		}
		if a := d.ask("GET", "/dashboard", ""); a.status != 303 {
			t.Errorf("who was removed still sees %d", a.status)
		}
		if text := his.page("/dashboard/audit"); !strings.Contains(text, "somebody who has left") || strings.Contains(text, "ada@") {
			t.Error("the audit trail knows the address of who was removed")
		}
		if err := b.provider.Seed(t.Context(), b.seed); err != nil || b.count(`SELECT COUNT(*) FROM staff WHERE id = $1`, ada) != 0 || b.count(`SELECT COUNT(*) FROM staff`) != 2 {
			t.Errorf("a seed let in who was removed: %v", err)
		}
		for range password.TriesHere {
			his.send("/dashboard/people/password", his.form("present", "a guess at it", "next", "a good new password"))
		}
		if a := his.send("/dashboard/people/password", his.form("present", bob.Password, "next", "a good new password")); a.status != 429 {
			t.Errorf("guessing the present password: %d", a.status)
		}
	})
}

func TestTheAuditTrailHasPages(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.staffed()
		d := b.signedIn(ours)
		for i := range 30 {
			d.send("/dashboard/webhooks/delivery", d.form("state", []string{"off", "on"}[i%2]))
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
