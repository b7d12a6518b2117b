package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/mail"
	"vestibule/internal/provider"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

var (
	customerUser   = provider.Login{Email: "Ada@Customer.example", Password: "correct horse battery"}
	thirdPartyUser = provider.Login{Email: "eve@third.example", Password: "staple battery horse"}
)

// dashboardBrowser is a browser of a user of the dashboard.
type dashboardBrowser struct {
	*testServer
	http *http.Client
}

// addUsers adds a user to both generated customers.
func (b *testServer) addUsers() {
	b.t.Helper()
	b.seed.Staff, b.seed.ThirdParty.Staff = customerUser, thirdPartyUser
	if err := b.provider.Seed(b.t.Context(), b.seed); err != nil {
		b.t.Fatal(err)
	}
}

func (b *testServer) browser() *dashboardBrowser {
	jar, _ := cookiejar.New(nil)
	return &dashboardBrowser{b, &http.Client{Jar: jar, Transport: client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (b *testServer) signIn(who provider.Login) *dashboardBrowser {
	b.t.Helper()
	d := b.browser()
	if a := d.send("/dashboard/sign-in", url.Values{"email": {who.Email}, "password": {who.Password}}); a.status != 303 {
		b.t.Fatalf("signing in: %d %s", a.status, a.raw)
	}
	return d
}

func (d *dashboardBrowser) ask(method, path, body string, h ...string) answer {
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
func (d *dashboardBrowser) send(path string, form url.Values) answer {
	d.t.Helper()
	return d.ask("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Origin", "null")
}

// sendFile is send for a form with a file of the given field.
func (d *dashboardBrowser) sendFile(path string, form url.Values, field, name, content string) answer {
	d.t.Helper()
	var body bytes.Buffer
	out := multipart.NewWriter(&body)
	for name := range form {
		_ = out.WriteField(name, form.Get(name))
	}
	file, _ := out.CreateFormFile(field, name)
	_, _ = file.Write([]byte(content))
	_ = out.Close()
	return d.ask("POST", path, body.String(), "Content-Type", out.FormDataContentType(),
		"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Origin", "null")
}

// page returns the text of a page, which must exist.
func (d *dashboardBrowser) page(path string) string {
	d.t.Helper()
	a := d.ask("GET", path, "")
	if a.status != 200 {
		d.t.Fatalf("GET %s = %d %s\n%s", path, a.status, a.header.Get("Location"), a.raw)
	}
	return html.UnescapeString(string(a.raw))
}

// find returns the pattern's group in a page.
func (d *dashboardBrowser) find(path, pattern string) string {
	d.t.Helper()
	text := d.page(path)
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		d.t.Fatalf("%s has no %s\n%s", path, pattern, text)
	}
	return m[1]
}

// reportNamed returns the id of a report on the dashboard.
func (d *dashboardBrowser) reportNamed(publicToken string) string {
	d.t.Helper()
	a := d.send("/dashboard/reports/find", url.Values{"query": {publicToken}})
	if a.status != 303 {
		d.t.Fatalf("finding a report: %d %s", a.status, a.raw)
	}
	return strings.TrimPrefix(a.header.Get("Location"), "/dashboard/reports/")
}

const uuidPattern = `([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`

// form returns the fields of a form, with the nonce of a page.
func (d *dashboardBrowser) form(pairs ...string) url.Values {
	d.t.Helper()
	f := url.Values{"once": {d.find("/dashboard/people", `name="once" value="([^"]+)"`)}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Add(pairs[i], pairs[i+1])
	}
	return f
}

// endpoint returns the address of a form of the account's first endpoint.
func (d *dashboardBrowser) endpoint(form string) string {
	d.t.Helper()
	return "/dashboard/webhooks/" + d.find("/dashboard/webhooks", `/dashboard/webhooks/`+uuidPattern+`/url`) + "/" + form
}

// delivered waits until n deliveries are recorded as delivered, which is after they
// arrive.
func (b *testServer) delivered(n int) {
	b.t.Helper()
	b.until(n, `SELECT COUNT(*) FROM deliveries WHERE state = 'delivered'`)
}

// until waits until a query counts n rows.
func (b *testServer) until(n int, query string) {
	b.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for b.count(query) < n {
		<-tick.C
	}
}

// refusing is a mail server that refuses every email.
type refusing struct{}

func (refusing) Send(context.Context, mail.Message) error { return mail.ErrRefused }

// givenUp sends an invite to an address that the mail server refuses, and waits until it can
// be sent again.
func (b *testServer) givenUp(to string) {
	b.t.Helper()
	b.want("invite", b.post("/connect/invite", b.basic(), map[string]any{"productId": b.seed.Products[contract.Cashflow],
		"prefill": applicant, "deliverTo": to}), 200, "")
	b.until(1, `SELECT COUNT(*) FROM emails WHERE failed_at IS NOT NULL`)
	b.advance("11m")
}

func (b *testServer) audited() int { b.t.Helper(); return b.count(`SELECT COUNT(*) FROM audit`) }

// last returns the newest entry of the audit trail.
func (b *testServer) last() (action, object, detail string) {
	b.t.Helper()
	err := b.db.SQL.QueryRowContext(b.t.Context(), `SELECT action, object, detail FROM audit
		ORDER BY at DESC, id LIMIT 1`).Scan(&action, &object, &detail)
	if err != nil {
		b.t.Fatal(err)
	}
	return action, object, detail
}

// changed returns the values of the newest entry of the audit trail.
func (b *testServer) changed() (values string) {
	b.t.Helper()
	if err := b.db.SQL.QueryRowContext(b.t.Context(), `SELECT changed FROM audit ORDER BY at DESC, id LIMIT 1`).Scan(&values); err != nil {
		b.t.Fatal(err)
	}
	return values
}

func joined(all []contract.Status) string {
	var out []string
	for _, s := range all {
		out = append(out, string(s))
	}
	return strings.Join(out, ",")
}

// changePaths returns the paths of the forms that package dashboard registers.
func changePaths(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("dashboard/routes.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile(`"POST (/dashboard[^"]*)"`).FindAllStringSubmatch(string(raw), -1) {
		if !strings.HasSuffix(m[1], "/find") && !strings.HasSuffix(m[1], "/sign-in") && !strings.HasSuffix(m[1], "/check") &&
			!strings.HasSuffix(m[1], "/density") && !slices.Contains([]string{"/dashboard/forgotten-password",
			"/dashboard/set-password/{token}", "/dashboard/sign-in/code", "/dashboard/sign-in/factor", "/dashboard/second-factor"}, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// dashboardChange is a form of the dashboard that one person sends, and the action that the
// audit trail names.
type dashboardChange struct {
	path   string
	id     func() string // what {id} is when the form is sent; nil for a path without it
	fields func() []string
	action string
}

// fields are always the same fields of a form.
func fields(pairs ...string) func() []string { return func() []string { return pairs } }

// found looks for an id of a form on a page, when the form is sent.
func (d *dashboardBrowser) found(path, pattern string) func() string {
	return func() string { return d.find(path, pattern) }
}

// send sends the form, with its file where it has one.
func (c dashboardChange) send(by *dashboardBrowser, path string, form url.Values) answer {
	switch c.path {
	case "/dashboard/prepared":
		return by.sendFile(path, form, "file", "canary.json", `{"product":"cashflow","profile":"joint"}`)
	case "/dashboard/theme/logo":
		return by.sendFile(path, form, "logo-light", "canary.svg", `<svg viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>`)
	}
	return by.send(path, form)
}

// webhookChanges are the forms of endpoints and deliveries, in an order in which each has what it changes.
func webhookChanges(d *dashboardBrowser) []dashboardChange {
	endpoint := d.found("/dashboard/webhooks", `/dashboard/webhooks/`+uuidPattern+`/url`)
	return []dashboardChange{
		{"/dashboard/webhooks/{id}/url", endpoint, fields("url", d.seed.CallbackURL+"/again?key=canary"), "callback set"},
		{"/dashboard/webhooks/{id}/delivery", endpoint, fields("state", "off"), "callback off"},
		{"/dashboard/webhooks/{id}/delivery", endpoint, fields("state", "on"), "callback on"},
		{"/dashboard/webhooks/{id}/subscription", endpoint, fields("status", "SUCCESS", "status", "ERROR"), "subscription changed"},
		{"/dashboard/webhooks/{id}/rotate", endpoint, func() []string {
			return []string{"secret", d.find("/dashboard/webhooks", `name="secret" value="([^"]+)"`)}
		}, "signer rotated"},
		{"/dashboard/deliveries/{id}/redeliver", d.found("/dashboard/deliveries", `/dashboard/deliveries/`+uuidPattern),
			fields("resends", "0"), "event redelivered"},
		{"/dashboard/webhooks/{id}/redeliver", endpoint, func() []string {
			d.exec(`UPDATE deliveries SET state = 'given up' WHERE state = 'delivered'`)
			return []string{"since", d.now().Format(time.DateOnly)}
		}, "failed events redelivered"},
		{"/dashboard/webhooks/{id}/test", endpoint, fields(), "test event sent"},
		{"/dashboard/webhooks", nil, fields("endpoint", d.seed.CallbackURL+"/further?key=canary"), "callback set"},
		{"/dashboard/webhooks/{id}/remove", func() string {
			return order(d.page("/dashboard/webhooks"), `"/dashboard/webhooks/`+uuidPattern+`"`)[1]
		}, fields(), "endpoint removed"},
	}
}

// reportChanges are the forms of reports, disputes and emails. token is of a report, and earner of an income report.
func reportChanges(d *dashboardBrowser, token, earner string) []dashboardChange {
	report := d.found("/dashboard/reports", `/dashboard/reports/`+uuidPattern)
	income := func() string { return d.reportNamed(earner) }
	dispute := d.found("/dashboard/disputes", `/dashboard/disputes/(D-[0-9A-Z-]+)`)
	return []dashboardChange{
		{"/dashboard/reports/{id}/share", report, fields("publicId", "svc-third"), "report shared"},
		{"/dashboard/reports/{id}/link", report, fields(), "consumer link made"},
		{"/dashboard/reports/{id}/correct", income,
			fields("revision", "0", "gross_annual", "123,456", "reason", "The canary disputed a figure."), "report corrected"},
		{"/dashboard/reports/{id}/dispute", income,
			fields("kind", "figure", "about", "canary", "statement", "The canary disputed a figure."), "dispute opened"},
		{"/dashboard/disputes/{id}/facts", dispute, fields("facts", "The canary sent a letter."), "dispute extended"},
		{"/dashboard/disputes/{id}/answer", dispute, fields("result", "confirmed", "answer", "The canary is right."), "dispute answered"},
		{"/dashboard/relay-tokens", nil, fields("publicToken", strings.ToUpper(token), "publicId", "svc-third"), "report shared"},
		{"/dashboard/relay-tokens/{id}/withdraw", d.found("/dashboard/relay-tokens", `/dashboard/relay-tokens/`+uuidPattern+`/withdraw`),
			fields(), "share withdrawn"},
		{"/dashboard/outbox/{id}/resend", d.found("/dashboard/outbox", `/dashboard/outbox/`+uuidPattern+`/resend`),
			fields(), "email sent again"},
	}
}

// settingChanges are the forms of addresses, clients and the theme.
func settingChanges(d *dashboardBrowser) []dashboardChange {
	const complete = "https://customer.example/canary?jwt=[token]"
	credential := d.found("/dashboard/credentials", `/dashboard/credentials/`+uuidPattern+`/rotate`)
	return []dashboardChange{
		{"/dashboard/redirects/add", nil, fields("url", complete), "complete URL added"},
		{"/dashboard/redirects/static", nil, fields("url", complete), "complete URL static"},
		{"/dashboard/redirects/remove", nil, fields("url", complete), "complete URL removed"},
		{"/dashboard/redirects/origins/add", nil, fields("origin", "https://Widget.example:443/"), "widget origin added"},
		{"/dashboard/redirects/origins/remove", nil, fields("origin", "https://widget.example"), "widget origin removed"},
		{"/dashboard/redirects/return", nil, fields("mode", "post", "requireForm", "yes"), "return changed"},
		{"/dashboard/credentials", nil, fields("name", "Loan server"), "credential issued"},
		{"/dashboard/credentials/{id}/rename", credential, fields("name", "Branch office"), "credential renamed"},
		{"/dashboard/credentials/{id}/rotate", credential, fields(), "credential rotated"},
		{"/dashboard/credentials/{id}/revoke", credential, fields(), "credential revoked"},
		{"/dashboard/theme", nil, fields("corners", "large", "font", "serif", "scheme", "auto", "light", "#13584c", "dark", ""), "theme changed"},
		{"/dashboard/theme/logo", nil, fields("scheme", "light"), "logo changed"},
		{"/dashboard/theme/reset", nil, fields(), "theme reset"},
	}
}

// accountChanges are the forms of child accounts and products.
func accountChanges(d *dashboardBrowser) []dashboardChange {
	child := d.found("/dashboard/accounts", `"/dashboard/accounts/(svc-[a-z0-9]+)"`)
	cashflow := func() string { return d.seed.Products[contract.Cashflow] }
	of := func(field string) func() []string { // the value of a field of the child's page
		return func() []string {
			return []string{field, d.find("/dashboard/accounts/"+child(), `name="`+field+`" value="`+uuidPattern+`"`)}
		}
	}
	configuration := func() []string {
		return []string{"name", "Mine", "configuration", d.find("/dashboard/products", `<option value="`+uuidPattern+`"`)}
	}
	return []dashboardChange{
		{"/dashboard/accounts", nil, fields("name", "A child", "displayName", "Child"), "child added"},
		{"/dashboard/accounts/{id}/products", child, fields("name", "A product"), "product added"},
		{"/dashboard/accounts/{id}/configuration", child, configuration, "configuration changed"},
		{"/dashboard/accounts/{id}/people", child, fields("email", "Carl@Branch.example"), "person added"},
		{"/dashboard/accounts/{id}/people/remove", child, of("user"), "person removed"},
		{"/dashboard/accounts/{id}/credentials", child, fields("client", "Branch server"), "credential issued"},
		{"/dashboard/accounts/{id}/credentials/revoke", child, of("credential"), "credential revoked"},
		{"/dashboard/products", nil, configuration, "product added"},
		{"/dashboard/products/{id}/rename", cashflow, fields("name", "Renamed"), "product renamed"},
		{"/dashboard/products/{id}/configuration", cashflow, fields("configuration", ""), "configuration changed"},
		{"/dashboard/products/{id}/configuration", cashflow, configuration, "configuration changed"},
		{"/dashboard/prepared", nil, fields(), "prepared report added"},
	}
}

// peopleChanges are the forms of users, and at last of the user's own password.
func peopleChanges(d *dashboardBrowser) []dashboardChange {
	person := func(form string) func() string {
		return d.found("/dashboard/people", `/dashboard/people/`+uuidPattern+`/`+form)
	}
	return []dashboardChange{
		{"/dashboard/people", nil, fields("email", "Bob@Customer.example"), "person added"},
		{"/dashboard/people/{id}/invite", person("invite"), fields(), staff.LinkIssued},
		{"/dashboard/people/{id}/factor", func() string {
			d.exec(`UPDATE users SET password_hash = 'x' WHERE password_hash = ''`)
			d.exec(`INSERT INTO second_factors (user_id, secret_sealed, last_period, created_at)
				SELECT id, email_sealed, 0, 0 FROM users WHERE password_hash = 'x'`)
			return person("factor")()
		}, fields(), staff.FactorReset},
		{"/dashboard/people/{id}/remove", person("remove"), fields(), "person removed"},
		{"/dashboard/people/password", nil, fields("present", customerUser.Password, "next", "another canary password"), "password changed"},
	}
}

// changedValues are the values that the audit trail shows for a change, by its path and details.
func changedValues(t *testing.T, callback string) map[string]string {
	address, err := url.Parse(callback)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"/dashboard/webhooks/{id}/url " + address.Scheme + "://" + address.Host: "", // only the path changes, which may be secret
		"/dashboard/webhooks/{id}/subscription 2/" + strconv.Itoa(len(webhooks.Subscribable())): `[["statuses","` +
			joined(webhooks.Subscribable()) + `","SUCCESS,ERROR"]]`,
		"/dashboard/redirects/return post, form only":      `[["returnMode","get","post"],["requireForm","no","yes"]]`,
		"/dashboard/credentials/{id}/rename Branch office": `[["name","Loan server","Branch office"]]`,
		"/dashboard/accounts ":                             `[["name","","A child"],["displayName","","Child"]]`,
		"/dashboard/accounts/{id}/products ":               `[["name","","A product"],["configuration","","inherited"]]`,
		"/dashboard/products/{id}/rename ":                 `[["name","Cashflow report","Renamed"]]`,
		"/dashboard/products/{id}/configuration inherited": `[["configuration","Cashflow","inherited"]]`,
		"/dashboard/theme ":                                `[["light","","#13584c"],["corners","medium","large"],["font","inter","serif"]]`,
		"/dashboard/theme/reset ":                          `[["light","#13584c",""],["corners","large","medium"],["font","serif","inter"]]`,
		"/dashboard/people/password ":                      "",
		"/dashboard/people ":                               "",
		"/dashboard/credentials/{id}/rotate Branch office": "",
	}
}

// TestAuditTrailRecordsChanges sends every form of the dashboard: it is accepted once and
// adds one entry without secrets. Users of the third party cannot send it.
func TestAuditTrailRecordsChanges(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db, func(c *provider.Config) { c.Mail = refusing{} })
		b.addUsers()
		b.givenUp("zoe@mail.example")
		token, _ := b.cashflowVisit("default")
		earner, _, _ := b.incomeVisit(person("Default", "Harper"), map[string]any{"username": "default"})
		b.delivered(2)
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		values := changedValues(t, b.seed.CallbackURL)
		tested := map[string]bool{"/dashboard/sign-out": true}
		for _, c := range slices.Concat(webhookChanges(d), reportChanges(d, token, earner), settingChanges(d), accountChanges(d),
			peopleChanges(d)) {
			tested[c.path] = true
			b.run(c.path+" "+c.action, func(t *testing.T) {
				id := ""
				if c.id != nil {
					id = c.id()
				}
				path, form := strings.ReplaceAll(c.path, "{id}", id), d.form(c.fields()...)
				before := b.audited()
				refuseStrangers(t, b, eve, c, path, id, form)

				if a := c.send(d, path, form); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/dashboard") {
					t.Fatalf("%d %s\n%s", a.status, a.header.Get("Location"), a.raw)
				}
				lines := 1
				if strings.HasPrefix(c.path, "/dashboard/accounts/{id}/people") || strings.HasPrefix(c.path, "/dashboard/accounts/{id}/credentials") {
					lines = 2 // in the child's audit trail, too
				}
				action, object, detail := b.last()
				if n := b.audited(); n != before+lines || action != c.action {
					t.Errorf("%d lines, the last one %q, want %d, %q", n-before, action, lines, c.action)
				}
				changed := b.changed()
				if want, ok := values[c.path+" "+detail]; ok && changed != want {
					t.Errorf("the audit trail has the values %s, want %s", changed, want)
				}
				all := action + object + detail + changed
				if strings.Contains(all, "canary") || strings.Contains(all, token) || strings.Contains(all, "whsec") {
					t.Errorf("the audit trail has %q of %q: %q, %s", action, object, detail, changed)
				}
				if a := c.send(d, path, form); a.status != 303 || b.audited() != before+lines {
					t.Errorf("sent twice: %d, and %d lines", a.status, b.audited()-before)
				}
				if form["once"] = []string{"x"}; c.send(d, path, form).status != 303 || b.audited() != before+lines {
					t.Error("changed something without a nonce")
				}
			})
		}
		for _, path := range changePaths(t) {
			if !tested[path] {
				t.Errorf("%s changes something and is not tested here", path)
			}
		}
		auditTrailEnds(t, b, d)
	})
}

// refuseStrangers sends a form with the nonce of another customer's user, and by that user.
func refuseStrangers(t *testing.T, b *testServer, eve *dashboardBrowser, c dashboardChange, path, id string, form url.Values) {
	t.Helper()
	before, strange := b.audited(), maps.Clone(form)
	if a := c.send(eve, path, strange); a.status != 303 || b.audited() != before {
		t.Errorf("with a form of another customer: %d", a.status)
	}
	if id == "" {
		return
	}
	strange["once"] = eve.form()["once"]
	if a := c.send(eve, path, strange); a.status != 404 || b.audited() != before {
		t.Errorf("by staff of another customer: %d, want 404", a.status)
	}
}

// auditTrailEnds reads the audit trail, signs out, and looks for personal data in the log.
func auditTrailEnds(t *testing.T, b *testServer, d *dashboardBrowser) {
	text := d.page("/dashboard/audit") + d.page(d.find("/dashboard/audit", `"(/dashboard/audit\?after=[^"]+)"`))
	for _, want := range []string{"ada@customer.example", i18ntest.EN("dashboard.actions.signedIn"),
		i18ntest.EN("dashboard.actions.credential_issued"), i18ntest.EN("dashboard.actions.configuration_changed")} {
		if !strings.Contains(text, want) {
			t.Errorf("the audit trail does not say %q", want)
		}
	}
	before := b.audited()
	if a := d.send("/dashboard/sign-out", nil); a.status != 303 || b.audited() != before+1 {
		t.Errorf("signing out: %d", a.status)
	}
	if a := d.ask("GET", "/dashboard/audit", ""); a.status != 303 ||
		a.header.Get("Location") != "/dashboard/sign-in?next=%2Fdashboard%2Faudit" {
		t.Errorf("after signing out: %d %s", a.status, a.header.Get("Location"))
	}
	for _, s := range []string{"canary", customerUser.Password, "ada@customer.example"} {
		if strings.Contains(b.log.String(), s) {
			t.Errorf("%q is in the log", s)
		}
	}
}

func TestDashboardHidesOtherCustomers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, _ := b.cashflowVisit("default")
		b.delivered(1)
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		child := b.post("/accounts", b.basic(), map[string]any{"accountName": "A child"}).text("publicId")
		report := d.find("/dashboard/reports", `/dashboard/reports/`+uuidPattern)
		for _, path := range []string{
			"/dashboard/reports/" + report, "/dashboard/deliveries?report=" + report,
			"/dashboard/deliveries/" + d.find("/dashboard/deliveries", `/dashboard/deliveries/`+uuidPattern),
			"/dashboard/accounts/" + child, "/dashboard/products/" + b.seed.Products[contract.Cashflow],
		} {
			d.page(path)
			for _, bad := range []string{path, path[:len(path)-12] + "000000000000"} {
				eve.unknown(bad)
			}
		}
		for _, path := range []string{"", "/reports", "/deliveries", "/relay-tokens", "/relay-tokens/received", "/credentials",
			"/redirects", "/products", "/accounts", "/webhooks", "/audit"} {
			if text := eve.page("/dashboard" + path); strings.Contains(text, token) || strings.Contains(text, b.seed.ClientID) ||
				strings.Contains(text, child) || strings.Contains(text, b.seed.CallbackURL) {
				t.Errorf("/dashboard%s shows data of another customer", path)
			}
		}
		// The publicToken is on the report's page, and in no URL.
		if !strings.Contains(d.page("/dashboard/reports/"+report), token) {
			t.Error("the report's page does not say which it is")
		}
		for _, query := range []string{token, strings.ToUpper(token)} {
			if a := d.send("/dashboard/reports/find", url.Values{"query": {query}}); a.status != 303 ||
				a.header.Get("Location") != "/dashboard/reports/"+report {
				t.Errorf("finding %s: %d %s", query, a.status, a.header.Get("Location"))
			}
			if a := eve.send("/dashboard/reports/find", url.Values{"query": {query}}); a.status != 200 ||
				!strings.Contains(string(a.raw), i18ntest.EN("dashboard.reports.not_found")) {
				t.Errorf("another customer finds it: %d", a.status)
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

func TestDashboardResendsEmails(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		b.cashflowVisit("default", "userArgs", "campaign=<autumn>")
		first := b.inbox.wait(t, 1)[0]
		b.delivered(1)
		path := "/dashboard/deliveries/" + d.find("/dashboard/deliveries?state=delivered", `/dashboard/deliveries/`+uuidPattern)
		text := d.page(path)
		if !strings.Contains(text, `<span class="token-key">"userArgs":</span> <span class="token-text">"campaign=\u003cautumn\u003e"</span>`) {
			t.Error("the body is not marked up for readers")
		}
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
		for _, want := range []string{i18ntest.EN("dashboard.timeline.visit_consented"), i18ntest.EN("dashboard.timeline.visit_chose"),
			"Status", i18ntest.EN("dashboard.origins.visit")} {
			if !strings.Contains(text, want) {
				t.Errorf("the timeline does not say %q", want)
			}
		}
		for _, personal := range []string{"Harper", "default.harper@mail.example", "1990-04-12", ">default<"} {
			if strings.Contains(strings.ReplaceAll(text, "<wbr>", ""), personal) {
				t.Errorf("the report's page shows %q", personal)
			}
		}
	})
}

// TestDashboardSendsTestEvent to a receiver that verifies it, and shows its answers.
// A page that answers a refused form is at an address that cannot be read, so its script does not keep
// its list current.
func TestDashboardAnswerIsNotPolled(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		refused := d.send(d.endpoint("url"), d.form("url", "ftp://nowhere"))
		if says := strings.Contains(string(refused.raw), "data-poll"); refused.status != 422 || says {
			t.Errorf("status %d, its list is kept current: %v", refused.status, says)
		}
		if !strings.Contains(d.page("/dashboard/webhooks"), "data-poll") {
			t.Error("the page's list is not kept current")
		}
	})
}

func TestDashboardSendsTestEvent(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		bodies := make(chan string, webhooks.MaxTests)
		var status atomic.Int32
		status.Store(http.StatusNoContent)
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, body, err := b.inbox.receiver.Read(r)
			if err != nil {
				t.Errorf("the test event is refused: %v", err)
			}
			answer := int(status.Load())
			bodies <- string(body)
			w.WriteHeader(answer)
		}))
		defer receiver.Close()
		d.send(d.endpoint("url"), d.form("url", receiver.URL+"/webhook"))
		says(t, "there was no test yet", d.page("/dashboard/webhooks"), nil, i18ntest.EN("dashboard.test.last"))
		for n, want := range []string{"204 No Content", "500: " + i18ntest.EN("dashboard.delivery_answers.5xx")} {
			if a := d.send(d.endpoint("test"), d.form()); a.status != 303 ||
				a.header.Get("Location") != strings.TrimSuffix(d.endpoint(""), "/")+"#test" {
				t.Fatalf("test %d: %d %s", n, a.status, a.header.Get("Location"))
			}
			body := <-bodies
			status.Store(http.StatusInternalServerError)
			if !strings.Contains(body, `"type":"TEST"`) || strings.Contains(body, "publicToken") {
				t.Errorf("the body is %s", body)
			}
			b.until(n+1, `SELECT COUNT(*) FROM deliveries WHERE state <> 'pending'`)
			text := d.page("/dashboard/webhooks")
			if !strings.Contains(text, i18ntest.EN("dashboard.test.last")) || !strings.Contains(text, want) {
				t.Errorf("the page does not show the answer %q\n%s", want, text)
			}
			opened := d.page(d.find("/dashboard/webhooks", `"(/dashboard/deliveries/`+uuidPattern+`)"`))
			if !strings.Contains(opened, i18ntest.EN("dashboard.test.event")) || !strings.Contains(opened, body) {
				t.Errorf("the event's page lacks %s", body)
			}
		}
		if n := strings.Count(d.page("/dashboard/deliveries?status=TEST"), `class="row-link"`); n != 2 {
			t.Errorf("the list has %d test events", n)
		}
		for range webhooks.MaxTests - 2 {
			d.send(d.endpoint("test"), d.form())
		}
		before := b.audited()
		d.send(d.endpoint("test"), d.form())
		if text := d.page("/dashboard/webhooks"); !strings.Contains(text, i18ntest.EN("dashboard.flash.too_many_tests")) ||
			b.audited() != before {
			t.Error("there is no limit")
		}
	})
}

func TestDashboardShowsSecretOnce(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		for _, tc := range []struct{ path, page, shape string }{
			{"/dashboard/credentials", "/dashboard/credentials", `data-testid="secret"[^>]*>([A-Za-z0-9_-]{43})<`},
			{d.endpoint("rotate"), strings.TrimSuffix(d.endpoint(""), "/"), `data-testid="secret"[^>]*>(whsec_[A-Za-z0-9+/=]+)<`},
		} {
			form := d.form("name", "Loan server", "secret", d.find("/dashboard/webhooks", `name="secret" value="([^"]+)"`))
			if a := d.send(tc.path, form); a.status != 303 || a.header.Get("Location") != tc.page || strings.Contains(string(a.raw), "whsec_") {
				t.Fatalf("%s: %d", tc.path, a.status)
			}
			d.send(tc.path, form) // sent twice: the secret is still shown once
			if a := d.ask("HEAD", tc.page, ""); a.status != 200 {
				t.Errorf("HEAD: %d", a.status)
			}
			if a := d.ask("GET", tc.page, "", "Sec-Purpose", "prefetch"); a.status != 403 {
				t.Errorf("prefetched: %d", a.status)
			}
			says(t, "another browser is shown the secret", b.signIn(customerUser).page(tc.page), nil, `data-testid="secret"`)
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

// TestDashboardSelectsAssignedConfiguration checks that a child's form selects the assigned
// configuration, so that sending it unchanged changes nothing.
func TestDashboardSelectsAssignedConfiguration(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		child := b.child("A child")
		income := b.configurations()["Income, suite 2.0"]
		if income == "" {
			t.Fatalf("no such configuration among %v", b.configurations())
		}
		page := "/dashboard/accounts/" + child
		chosen := regexp.MustCompile(`<option value="([^"]+)" selected`)
		if m := chosen.FindStringSubmatch(d.page(page)); m != nil {
			t.Errorf("%s is selected, but the account inherits", m[1])
		}
		d.wantSent("assigning", 303, page+"/configuration", "configuration", income)
		if got := d.find(page, `<option value="([^"]+)" selected`); got != income {
			t.Errorf("%s is selected, want the assigned %s", got, income)
		}
	})
}
