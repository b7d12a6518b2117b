package provider_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

const operatorPassword = "an operator's long password"

// addOperator adds an operator by command and returns the path of the link.
func (b *testServer) addOperator(email string) string {
	b.t.Helper()
	var link string
	s := b.provider.Operator()
	err := s.AsCommand(b.t.Context(), func(ctx context.Context, tx *store.Tx) (e staff.Entry, err error) {
		link, e, err = s.AddOperator(ctx, tx, email)
		return e, err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	_, path, _ := strings.Cut(link, "/operator/")
	return "/operator/" + path
}

// authenticator returns the code of an authenticator app.
func authenticator(t *testing.T, secret string) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, time.Now().Unix()/30)
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&0x7fffffff%1e6)
}

// operator returns a browser of a new operator, who has set a password and a second factor.
func (b *testServer) operator(email string) *dashboardBrowser {
	b.t.Helper()
	d := b.browser()
	if a := d.send(b.addOperator(email), url.Values{"password": {operatorPassword}}); a.header.Get("Location") != "/operator/sign-in/factor" {
		b.t.Fatalf("the password leads to %q: %d %s", a.header.Get("Location"), a.status, a.raw)
	}
	if a := d.ask("GET", "/operator", ""); a.status != 303 {
		b.t.Errorf("without a second factor: %d", a.status)
	}
	secret := d.find("/operator/sign-in/factor", `<code translate="no">([A-Z2-7]+)</code>`)
	if a := d.send("/operator/sign-in/factor", url.Values{"code": {authenticator(b.t, secret)}}); a.status != 200 {
		b.t.Fatalf("adding the factor: %d %s", a.status, a.raw)
	}
	return d
}

// operate sends a form of a page of the operator, with the page's nonce.
func (d *dashboardBrowser) operate(page, path string, pairs ...string) answer {
	d.t.Helper()
	f := url.Values{"once": {d.find(page, `name="once" value="([^"]+)"`)}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Add(pairs[i], pairs[i+1])
	}
	return d.send(path, f)
}

// TestOperatorPages walks an operator through all changes of an account, and checks what each means
// for the account and its child.
func TestOperatorPages(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		if a := b.browser().ask("GET", "/operator", ""); a.status != 404 || strings.Contains(string(a.raw), "<html") {
			t.Errorf("without an operator: %d %s", a.status, a.raw)
		}
		a := b.browser().ask("GET", "/operator/x", "", "Accept", "text/html")
		if a.status != 404 || !strings.Contains(string(a.raw), i18ntest.EN("visit.unknown_page")) {
			t.Errorf("a browser without an operator: %d %s", a.status, a.raw)
		}
		d := b.operator("ops@service.example")
		h := addHarborBank(t, b, d)
		t.Run("fields that are refused", func(t *testing.T) { h.refuseFields(t) })
		t.Run("settings", func(t *testing.T) { h.changeSettings(t) })
		t.Run("features of a child", func(t *testing.T) { h.changeFeaturesOfChild(t) })
		t.Run("submission limit", func(t *testing.T) {
			h.token = b.bearer(h.credentials)
			b.want("the first", h.submit(), 200, "")
			b.want("above the limit of one a minute", h.submit(), 429, contract.CodeRateLimited)
		})
		t.Run("suspended", func(t *testing.T) { h.suspend(t) })
		t.Run("password reset", func(t *testing.T) { h.resetPassword(t) })
		t.Run("transfer, and both audit trails", func(t *testing.T) { h.checkTrails(t, h.transfer(t)) })
		says(t, "the health page knows of a backup", d.page("/operator/health"), []string{i18ntest.EN("operator.health.no_backup")})
	})
}

// harborBank is a customer that an operator added, whose first user is ada.
type harborBank struct {
	*testServer
	operator, ada           *dashboardBrowser
	page, publicID, product string // page is the operator's, of the account
	credentials, token      headers
	child                   string // public id
}

func addHarborBank(t *testing.T, b *testServer, d *dashboardBrowser) *harborBank {
	t.Helper()
	a := d.operate("/operator/customers/new", "/operator/customers", "name", "Harbor Bank", "email", "ada@harbor.example")
	page := a.header.Get("Location")
	if a.status != 303 || !strings.HasPrefix(page, "/operator/customers/svc-") {
		t.Fatalf("adding a customer: %d %s", a.status, a.raw)
	}
	shown := d.page(page)
	value := func(name string) string {
		m := regexp.MustCompile(`data-testid="secret-` + name + `" translate="no">([^<]+)<`).FindStringSubmatch(shown)
		if m == nil {
			t.Fatalf("no %s is shown\n%s", name, shown)
		}
		return m[1]
	}
	link := regexp.MustCompile(`/dashboard/set-password/[A-Za-z0-9_-]+`).FindString(shown)
	if again := d.page(page); strings.Contains(again, value("secretKey")) || strings.Contains(again, link) {
		t.Error("the secrets are shown twice")
	}
	ada := b.browser()
	if a := ada.send(link, url.Values{"password": {"ada's long password"}}); a.status != 303 {
		t.Fatalf("the first user's link: %d", a.status)
	}
	return &harborBank{testServer: b, operator: d, ada: ada, page: page, publicID: strings.TrimPrefix(page, "/operator/customers/"),
		product: value("cashflow"), credentials: basic(value("clientId"), value("secretKey"))}
}

func (h *harborBank) refuseFields(t *testing.T) {
	for name, tc := range map[string]struct{ path, field, value, problem string }{
		"no name":     {"/name", "name", "", "dashboard.name.invalid"},
		"no limit":    {"/limits", "limit", "0", "operator.limits.invalid"},
		"no number":   {"/limits", "limit", "many", "operator.limits.invalid"},
		"no address":  {"/transfer", "email", "ada", "dashboard.email.invalid"},
		"other users": {"/transfer", "email", customerUser.Email, "dashboard.email.taken"},
	} {
		if tc.problem == "dashboard.email.taken" {
			h.addUsers()
		}
		if a := h.operator.operate(h.page, h.page+tc.path, tc.field, tc.value); a.status != 422 ||
			!strings.Contains(string(a.raw), i18ntest.EN(i18n.Key(tc.problem))) {
			t.Errorf("%s: %d", name, a.status)
		}
	}
}

func (h *harborBank) changeSettings(t *testing.T) {
	for path, pairs := range map[string][]string{"/name": {"name", "Harbor & Sons"}, "/limits": {"limit", "1"},
		"/features": {"feature", "hierarchy", "feature", "secure-redirect"}} {
		if a := h.operator.operate(h.page, h.page+path, pairs...); a.status != 303 || a.header.Get("Location") != h.page {
			t.Fatalf("%s: %d %s", path, a.status, a.raw)
		}
	}
	if n := h.count(`SELECT COUNT(*) FROM customers WHERE name = 'Harbor & Sons' AND submissions_per_minute = 1`); n != 1 {
		t.Error("the name or the limit was not saved")
	}
}

func (h *harborBank) changeFeaturesOfChild(t *testing.T) {
	child := h.post("/accounts", h.credentials, map[string]any{"accountName": "Branch"})
	h.want("a child, with the feature", child, 201, "")
	childPage := "/operator/customers/" + child.text("publicId")
	if a := h.operator.operate(childPage, childPage+"/features", "refresh", "on", "hierarchy", "inherit"); a.status != 303 {
		t.Errorf("features of a child: %d", a.status)
	}
	if a := h.operator.operate(childPage, childPage+"/features", "refresh", "on"); a.status != 303 ||
		!strings.Contains(h.operator.page(childPage), i18ntest.EN("dashboard.flash.no_change")) {
		t.Error("the same features again are a change")
	}
	h.child = child.text("publicId")
}

func (h *harborBank) submit() answer {
	return h.post("/connect/v2/cashflow/byo-report", append(slices.Clip(h.token), "X-PRODUCT-ID", h.product), submission())
}

// suspend suspends the account, its child, its widget, its links, and its dashboard, and resumes them.
func (h *harborBank) suspend(t *testing.T) {
	h.exec(`INSERT INTO complete_urls (customer_id, position, url) SELECT id, 0, 'https://harbor.example/back?jwt=[token]'
		FROM customers WHERE public_id = $1`, h.publicID)
	redirect := h.post("/secure-redirect", h.credentials, map[string]any{"productId": h.product, "prefill": applicant})
	h.want("redirect", redirect, 200, "")
	link := strings.TrimPrefix(redirect.text("redirectUrl"), h.service.URL)
	hosted := h.browser()
	works := func(when string, ok bool) {
		t.Helper()
		h.accountWorks(t, when, ok)
		a := hosted.ask("GET", hosted.ask("GET", link, "").header.Get("Location"), "")
		if (a.status == 200) != ok || !ok && !strings.Contains(string(a.raw), i18ntest.EN("visit.suspended.title")) {
			t.Errorf("%s, the link: %d", when, a.status)
		}
	}
	works("at first", true)
	opened, made := h.ada.form("name", "Late"), h.count(`SELECT count(*) FROM credentials`)
	if a := h.operator.operate(h.page, h.page+"/suspend"); a.status != 303 {
		t.Fatalf("suspending: %d", a.status)
	}
	if a := h.ada.send("/dashboard/credentials", opened); a.status != http.StatusLocked ||
		h.count(`SELECT count(*) FROM credentials`) != made {
		t.Errorf("a suspended account's open form: %d", a.status)
	}
	works("suspended", false)
	if text := h.operator.page("/operator?state=suspended"); !strings.Contains(text, h.publicID) || !strings.Contains(text, h.child) {
		t.Error("the list does not show the suspended account and its child")
	}
	if a := h.operator.operate(h.page, h.page+"/suspend"); !strings.Contains(h.operator.page(h.page),
		i18ntest.EN("dashboard.flash.no_change")) {
		t.Errorf("suspending twice: %d", a.status)
	}
	h.operator.operate(h.page, h.page+"/resume")
	works("resumed", true)
}

// accountWorks checks whether requests and the dashboard of the account are answered.
func (h *harborBank) accountWorks(t *testing.T, when string, ok bool) {
	t.Helper()
	body := map[string]any{"productId": h.product, "prefill": applicant}
	asChild := append(append(headers{}, h.credentials...), "X-PUBLIC-ID", h.child)
	widget := map[string]any{"env": "sandbox", "publicId": h.publicID, "productId": h.product, "prefill": applicant}
	for what, got := range map[string]answer{"an initialization": h.post("/connect/initialization", h.credentials, body),
		"a child's": h.post("/connect/initialization", asChild, body), "a token": h.submit(),
		"the widget": h.post("/widget/v1/visits", nil, widget)} {
		if refused := strings.Contains(string(got.raw), string(contract.CodeUnknownCustomer)); refused == ok {
			t.Errorf("%s, %s: %d %s", when, what, got.status, got.raw)
		}
	}
	if a := h.ada.ask("GET", "/dashboard", ""); (a.status == 200) != ok || !ok && a.status != http.StatusLocked {
		t.Errorf("%s, the dashboard: %d", when, a.status)
	}
}

func (h *harborBank) resetPassword(t *testing.T) {
	user := h.operator.find(h.page, `name="user" value="([^"]+)"`)
	if a := h.operator.operate(h.page, h.page+"/user/password", "user", user); a.status != 303 {
		t.Errorf("resetting the password: %d", a.status)
	}
	reset := h.operator.find(h.page, `(/dashboard/set-password/[A-Za-z0-9_-]+)`)
	if a := h.ada.ask("GET", "/dashboard", ""); a.status != 303 {
		t.Errorf("the session after the reset: %d", a.status)
	}
	former := url.Values{"email": {"ada@harbor.example"}, "password": {"ada's long password"}}
	if a := h.browser().send("/dashboard/sign-in", former); a.status != 422 {
		t.Errorf("the old password: %d", a.status)
	}
	if a := h.ada.send(reset, url.Values{"password": {"ada's other password"}}); a.status != 303 {
		t.Errorf("the link of the reset: %d", a.status)
	}
}

// transfer transfers the account to bob, whose browser it returns.
func (h *harborBank) transfer(t *testing.T) (bob *dashboardBrowser) {
	opened, made := h.ada.form("name", "Late"), h.count(`SELECT count(*) FROM credentials`)
	h.operator.operate(h.page, h.page+"/transfer", "email", "bob@harbor.example")
	if a := h.ada.send("/dashboard/credentials", opened); a.status != 403 || h.count(`SELECT count(*) FROM credentials`) != made {
		t.Errorf("the former owner's open form: %d", a.status)
	}
	invitation := h.operator.find(h.page, `(/dashboard/set-password/[A-Za-z0-9_-]+)`)
	bob = h.browser()
	if a := bob.send(invitation, url.Values{"password": {"bob's long password"}}); a.status != 303 ||
		bob.ask("GET", "/dashboard", "").status != 200 {
		t.Errorf("the new owner: %d", a.status)
	}
	seen, kept := h.ada.ask("GET", "/dashboard/reports", "").status, h.ada.ask("GET", "/dashboard/credentials", "").status
	if seen != 200 || kept != 403 || bob.ask("GET", "/dashboard/credentials", "").status != 200 {
		t.Errorf("the former owner is a member: %d, %d", seen, kept)
	}
	return bob
}

func (h *harborBank) checkTrails(t *testing.T, bob *dashboardBrowser) {
	trail, theirs := h.operator.page("/operator/audit"), bob.page("/dashboard/audit")
	for _, action := range []string{"account_suspended", "account_resumed", "account_renamed", "limit_changed", "password_reset",
		"account_transferred"} {
		words := i18ntest.EN(i18n.Key("dashboard.actions." + action))
		if !strings.Contains(trail, words) || !strings.Contains(theirs, words) {
			t.Errorf("%s is not in both audit trails", action)
		}
	}
	if !strings.Contains(trail, "ops@service.example") || strings.Contains(theirs, "ops@service.example") ||
		!strings.Contains(theirs, i18ntest.EN("dashboard.author.providers_operator")) ||
		!strings.Contains(trail, i18ntest.EN("dashboard.author.command")) {
		t.Error("the audit trails do not name the authors as they should")
	}
}

// TestOperatorsAreApart attacks the line between operators and customers' users: sessions, addresses,
// passwords and links of one are of no use at the other's pages.
func TestOperatorsAreApart(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.addUsers()
		// The operator has the address and the password of a customer's user.
		d := b.operator(customerUser.Email)
		ada := b.signIn(customerUser)
		for what, from := range map[string]*dashboardBrowser{"a customer's user": ada, "a stranger": b.browser()} {
			for _, path := range []string{"/operator", "/operator/customers/" + b.seed.PublicID, "/operator/health", "/operator/people",
				"/operator/audit"} {
				if a := from.ask("GET", path, ""); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/operator/sign-in") {
					t.Errorf("%s at %s: %d", what, path, a.status)
				}
			}
		}
		if a := d.ask("GET", "/dashboard", ""); a.status != 303 {
			t.Errorf("an operator at the dashboard: %d", a.status)
		}
		// Each one's cookie under the other's name.
		renamed := func(from *dashboardBrowser, old, new string) *dashboardBrowser {
			to := b.browser()
			at, _ := url.Parse(b.service.URL)
			for _, c := range from.http.Jar.Cookies(at) {
				c.Name = strings.Replace(c.Name, old, new, 1)
				to.http.Jar.SetCookies(at, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/"}})
			}
			return to
		}
		if a := renamed(d, "operator", "dashboard").ask("GET", "/dashboard", ""); a.status != 303 {
			t.Errorf("the operator's cookie at the dashboard: %d", a.status)
		}
		if a := renamed(ada, "dashboard", "operator").ask("GET", "/operator", ""); a.status != 303 {
			t.Errorf("a customer's cookie at the operator's pages: %d", a.status)
		}
		theirs := url.Values{"email": {customerUser.Email}, "password": {customerUser.Password}}
		if a := b.browser().send("/operator/sign-in", theirs); a.status != 422 {
			t.Errorf("a customer's password at the operator's pages: %d", a.status)
		}
		ours := url.Values{"email": {customerUser.Email}, "password": {operatorPassword}}
		if a := b.browser().send("/dashboard/sign-in", ours); a.status != 422 {
			t.Errorf("the operator's password at the dashboard: %d", a.status)
		}
		// A customer's form to the operator, with a nonce of the customer's session.
		if a := ada.send("/operator/customers/"+b.seed.PublicID+"/suspend", ada.form()); a.status != 303 ||
			b.count(`SELECT COUNT(*) FROM customers WHERE suspended_at > 0`) != 0 {
			t.Errorf("a customer suspends an account: %d", a.status)
		}
		// The operator's link at the dashboard.
		link := b.addOperator("second@service.example")
		if a := b.browser().ask("GET", strings.Replace(link, "/operator/", "/dashboard/", 1), ""); a.status != 410 {
			t.Errorf("the operator's link at the dashboard: %d", a.status)
		}
		// The account of operators is not a customer.
		d.unknown("/operator/customers/" + staff.OperatorAccount)
		// A form is accepted once, and a removed operator is signed out.
		page := "/operator/customers/" + b.seed.PublicID
		once := url.Values{"once": {d.find(page, `name="once" value="([^"]+)"`)}, "name": {"Twice"}}
		before := b.audited()
		d.send(page+"/name", once)
		d.send(page+"/name", once)
		if n := b.audited() - before; n != 2 { // in two trails
			t.Errorf("a form sent twice adds %d entries", n)
		}
		s := b.provider.Operator()
		err := s.AsCommand(t.Context(), func(ctx context.Context, tx *store.Tx) (staff.Entry, error) {
			return s.RemoveOperator(ctx, tx, customerUser.Email)
		})
		if a := d.ask("GET", "/operator", ""); err != nil || a.status != 303 {
			t.Errorf("a removed operator: %d %v", a.status, err)
		}
		if a := ada.ask("GET", "/dashboard", ""); a.status != 200 {
			t.Errorf("the customer's user with the address of a removed operator: %d", a.status)
		}
	})
}

// TestOperatorListener serves the operator's pages on a listener of their own and nothing else there.
func TestOperatorListener(t *testing.T) {
	var handler http.Handler
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(own.Close)
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db, func(c *provider.Config) { c.OperatorURL = own.URL })
		handler = b.provider.OperatorHandler()
		b.browser().unknown(b.addOperator("ops@service.example"))
		b.service.URL = own.URL
		b.operator("ops@service.example")
		b.browser().unknown("/dashboard/sign-in")
	})
}

// TestOperatorAnswersDisputes answers the disputes of a customer without the feature for it: one by a
// correction, one by new facts and the consumer's statement.
func TestOperatorAnswersDisputes(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		o := newDisputed(t, b)
		o.checkHealth(t, "2", "0")
		t.Run("opened by an operator", o.openForConsumer)
		t.Run("users of the customer, and no user", o.refuseOthers)
		t.Run("a report without an open dispute", o.refuseOtherReports)
		t.Run("answered by a correction", o.answerByCorrection)
		t.Run("answered with new facts", o.answerWithFacts)
		o.checkHealth(t, "0", "0")
		t.Run("audit trails", o.checkTrails)
		t.Run("late", func(t *testing.T) {
			o.ada.openDispute(o.token)
			b.advance("744h") // 31 days
			o.operator = b.operator("second@service.example")
			o.checkHealth(t, "1", "1")
		})
	})
}

// disputed is a customer without the feature to answer disputes, with a dispute about each of two reports.
type disputed struct {
	*testServer
	ada, operator  *dashboardBrowser
	token          string // of the report that is corrected
	number, second string
	page, correct  string // the operator's, of the first dispute and of its report
}

func newDisputed(t *testing.T, b *testServer) *disputed {
	t.Helper()
	b.addUsers()
	token, _, _ := b.incomeVisit(person("Default", "Harper"), map[string]any{"username": "default"})
	other, _ := b.cashflowVisit("default")
	ada, d := b.signIn(customerUser), b.operator("ops@service.example")
	customer := "/operator/customers/" + b.seed.PublicID
	number, second := ada.openDispute(token), ada.openDispute(other)
	d.operate(customer, customer+"/name", "name", "Harbor & Sons")
	if a := d.operate(customer, customer+"/features", "feature", "hierarchy"); a.status != 303 {
		t.Fatalf("without the feature: %d", a.status)
	}
	ada.unknown("/dashboard/disputes/" + number)
	says(t, "the queue", d.page("/operator/disputes"), []string{number, "Harbor & Sons"}, "canary")
	return &disputed{testServer: b, ada: ada, operator: d, token: token, number: number, second: second,
		page: "/operator/disputes/" + number, correct: "/operator/reports/" + ada.reportNamed(token) + "/correct"}
}

// checkHealth compares the numbers of open and late disputes on the health page.
func (o *disputed) checkHealth(t *testing.T, open, late string) {
	t.Helper()
	words := i18n.T(i18n.English, "operator.health.disputes", "open", open, "late", late)
	if text := o.operator.page("/operator/health"); !strings.Contains(text, words) {
		t.Errorf("the health page does not say: %s", words)
	}
}

func (o *disputed) answer(page, result string) answer {
	return o.operator.operate(page, page+"/answer", "result", result, "answer", "We asked the bank.", "attach", "on")
}

// openForConsumer opens a dispute for a consumer, and shows the operator who read the report.
func (o *disputed) openForConsumer(t *testing.T) {
	o.incomeReport(o.named(o.token))
	find := func(query string) answer {
		return o.operator.send("/operator/disputes/find", url.Values{"query": {query}})
	}
	if a := find(o.seed.Products[contract.Cashflow]); a.status != 200 || !strings.Contains(string(a.raw),
		i18ntest.EN("dashboard.disputes.no_report")) {
		t.Errorf("an unknown report: %d", a.status)
	}
	// By the consumer's address, in any case, and by the customer and the day; the customer's users find nothing so.
	day := o.now().UTC().Format(time.DateOnly)
	for query, n := range map[string]int{"Applicant@example.com": 1, "stranger@mail.example": 0, o.seed.PublicID + "  " + day: 2,
		o.seed.PublicID + " 2020-01-01": 0, o.seed.PublicID: 0, "no-such " + day: 0, "svc-third " + day: 0} {
		a := find(query)
		if got := strings.Count(string(a.raw), "/dispute\""); a.status != 200 || got != n ||
			n > 0 && !strings.Contains(string(a.raw), "Harbor &amp; Sons") {
			t.Errorf("%s: %d with %d reports, want %d\n%s", query, a.status, got, n, a.raw)
		}
	}
	if a := o.ada.send("/dashboard/disputes/find", url.Values{"query": {"applicant@example.com"}}); a.status == 200 &&
		strings.Contains(string(a.raw), "/dispute\"") {
		t.Error("a customer's user finds a report by an address")
	}
	if trail := o.operator.page("/operator/audit"); !strings.Contains(trail, i18ntest.EN("dashboard.actions.report_found")) ||
		strings.Contains(trail, "applicant@") {
		t.Errorf("the audit trail of the operators:\n%s", trail)
	}
	disputed := find(o.token).header.Get("Location")
	if disputed != strings.Replace(o.correct, "/correct", "/dispute", 1) {
		t.Fatalf("finding the report leads to %q", disputed)
	}
	if a := o.ada.send(disputed, o.ada.form("kind", "figure", "about", "x", "statement", "Mine.")); a.status != 303 ||
		!strings.HasPrefix(a.header.Get("Location"), "/operator/sign-in") {
		t.Errorf("a customer's user opens one at the operator's page: %d", a.status)
	}
	third := o.operator.sendFile(disputed, url.Values{"once": {o.operator.find(disputed, `name="once" value="([^"]+)"`)}, "kind": {"figure"},
		"about":     {"the total"},
		"statement": {"It is too low."}}, "file", "letter.pdf", "%PDF-1.7 letter")
	opened := third.header.Get("Location")
	if third.status != 303 || !strings.HasPrefix(opened, "/operator/disputes/D-") {
		t.Fatalf("opening a dispute: %d %s", third.status, third.raw)
	}
	if text := o.operator.page(opened); !strings.Contains(text, "It is too low.") || !strings.Contains(text, "letter.pdf") ||
		!strings.Contains(text, i18ntest.EN("operator.disputes.reads")) || strings.Contains(text, i18ntest.EN("operator.disputes.no_reads")) {
		t.Errorf("the new dispute:\n%s", text)
	}
	if !strings.Contains(o.ada.page("/dashboard/audit"), strings.TrimPrefix(opened, "/operator/disputes/")) {
		t.Error("the customer's audit trail has no line of it")
	}
	if text := o.ada.page("/dashboard/reports/" + o.ada.reportNamed(o.token)); !strings.Contains(text,
		i18ntest.EN("dashboard.timeline.read")) {
		t.Error("the report's timeline does not say who read it")
	}
	o.exec(`DELETE FROM dispute_files`)
	o.exec(`DELETE FROM disputes WHERE number = $1`, strings.TrimPrefix(opened, "/operator/disputes/"))
}

func (o *disputed) refuseOthers(t *testing.T) {
	for what, from := range map[string]*dashboardBrowser{"a customer's user": o.ada, "a stranger": o.browser()} {
		for _, path := range []string{"/operator/disputes", o.page, o.page + "/files/x", o.correct + "?dispute=" + o.number} {
			if a := from.ask("GET", path, ""); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/operator/sign-in") {
				t.Errorf("%s at %s: %d", what, path, a.status)
			}
		}
	}
	for _, form := range []string{"/answer", "/facts"} {
		if a := o.ada.send(o.page+form, o.ada.form("result", "confirmed", "answer", "No.", "facts", "None.")); a.status != 303 ||
			o.count(`SELECT COUNT(*) FROM disputes WHERE state <> 'open' OR facts_at IS NOT NULL`) != 0 {
			t.Errorf("a customer's user sends %s: %d", form, a.status)
		}
	}
}

// refuseOtherReports checks that operators see a report only for an open dispute about it.
func (o *disputed) refuseOtherReports(t *testing.T) {
	for _, path := range []string{"/operator/disputes/D-2026-AAAAAA", "/operator/disputes/" + o.token, o.page + "/files/x", o.correct,
		o.correct + "?dispute=D-2026-AAAAAA", o.correct + "?dispute=" + o.second, strings.TrimSuffix(o.correct, "/correct"),
		strings.TrimSuffix(o.correct, "correct") + "revisions/0", "/operator/disputes?state=none"} {
		o.operator.unknown(path)
	}
}

func (o *disputed) answerByCorrection(t *testing.T) {
	if a := o.answer(o.page, "corrected"); a.status != 422 {
		t.Errorf("an answer without a correction: %d", a.status)
	}
	m := itemPattern.FindStringSubmatch(o.operator.page(o.correct + "?dispute=" + o.number))
	if m == nil {
		t.Fatal("nothing can be corrected")
	}
	form := func(dispute string) []string {
		return []string{"item", m[1], "dispute", dispute, "revision", "0", "category", "DEPOSIT.REFUND", "reason", "It is a refund and no wage."}
	}
	from := o.correct + "?dispute=" + o.number
	if a := o.operator.operate(from, o.correct+"/check", form(o.number)...); a.status != 200 {
		t.Fatalf("the preview: %d %s", a.status, a.raw)
	}
	for _, path := range []string{o.correct, o.correct + "/check"} {
		if a := o.operator.operate(from, path, form(o.second)...); a.status != 404 {
			t.Errorf("%s for another report's dispute: %d", path, a.status)
		}
	}
	if a := o.operator.operate(from, o.correct, form(o.number)...); a.status != 303 || a.header.Get("Location") != o.page {
		t.Fatalf("correcting: %d %s", a.status, a.raw)
	}
	if a := o.answer(o.page, "corrected"); a.status != 303 || a.header.Get("Location") != o.page {
		t.Fatalf("the answer: %d %s", a.status, a.raw)
	}
	o.operator.unknown(from)
}

func (o *disputed) answerWithFacts(t *testing.T) {
	page := "/operator/disputes/" + o.second
	if a := o.operator.operate(page, page+"/facts", "facts", "The bank’s letter."); a.status != 303 {
		t.Errorf("new facts: %d %s", a.status, a.raw)
	}
	if a := o.answer(page, "confirmed"); a.status != 303 {
		t.Errorf("found right: %d %s", a.status, a.raw)
	}
	says(t, "the list of answered disputes lacks one", o.operator.page("/operator/disputes?state=answered"), []string{o.number, o.second})
}

// checkTrails reads both audit trails, and what the customer sees of the operator.
func (o *disputed) checkTrails(t *testing.T) {
	customer := "/operator/customers/" + o.seed.PublicID
	o.operator.operate(customer, customer+"/features", "feature", "hierarchy", "feature", "corrections")
	trail, theirs := o.operator.page("/operator/audit"), o.ada.page("/dashboard/audit")
	for _, action := range []string{"report_corrected", "dispute_answered", "dispute_extended"} {
		if words := i18ntest.EN(i18n.Key("dashboard.actions." + action)); !strings.Contains(trail, words) || !strings.Contains(theirs, words) {
			t.Errorf("%s is not in both audit trails", action)
		}
	}
	for _, path := range []string{"/dashboard/disputes/" + o.number, strings.Replace(o.correct, "/operator", "/dashboard", 1)} {
		text := o.ada.page(path)
		if strings.Contains(text, "ops@service.example") || !strings.Contains(text, i18ntest.EN("dashboard.author.providers_operator")) {
			t.Errorf("%s does not name the author as it should", path)
		}
	}
	says(t, "the operators do not see who answered", o.operator.page("/operator/disputes/"+o.number), []string{"ops@service.example"})
}

// TestFeaturesHaveLabels checks that the operator's pages name each feature.
func TestFeaturesHaveLabels(t *testing.T) {
	for _, feature := range provider.Entitlements() {
		for _, lang := range []i18n.Lang{i18n.English, i18n.Spanish} {
			if _, ok := i18n.Find(lang, "operator.feature", strings.ReplaceAll(feature, "-", " ")); !ok {
				t.Errorf("the feature %s has no label in %s", feature, lang)
			}
		}
	}
}

// TestOperatorManagesProductsAndPreparedReports lets an operator rename and configure the product of a
// child, and add and remove a prepared report; users of other accounts can do neither.
func TestOperatorManagesProductsAndPreparedReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.operator("ops@service.example")
		configuration, _ := b.configured(customers.Fields{Alias: "Tenants", InquiryType: "TENANT"})
		child := b.child("Branch")
		product := b.productOf(child, "Rent")
		page := "/operator/products/" + product
		if list := d.page("/operator/customers/" + child + "/configurations"); !strings.Contains(list, page) {
			t.Error("the product's page is not linked")
		}
		if a := d.operate(page, page+"/rename", "name", ""); a.status != 422 {
			t.Errorf("without a name: %d", a.status)
		}
		for path, pairs := range map[string][]string{"/rename": {"name", "Leases"}, "/configuration": {"configuration", configuration}} {
			if a := d.operate(page, page+path, pairs...); a.status != 303 || a.header.Get("Location") != page {
				t.Errorf("%s: %d %s", path, a.status, a.raw)
			}
		}
		if n := b.count(`SELECT count(*) FROM products WHERE id = $1 AND name = 'Leases' AND configuration_id = $2`, product,
			configuration); n != 1 {
			t.Error("the product was not changed")
		}
		trail, theirs := d.page("/operator/audit"), b.signIn(customerUser).page("/dashboard/audit")
		for _, action := range []i18n.Key{"dashboard.actions.product_renamed", "dashboard.actions.configuration_changed"} {
			if !strings.Contains(trail, i18ntest.EN(action)) || !strings.Contains(theirs, i18ntest.EN(action)) {
				t.Errorf("%s is not in both audit trails", action)
			}
		}
		// Users of another account.
		stranger := b.signIn(thirdPartyUser)
		for _, path := range []string{"/dashboard/products/" + product, "/operator/products/" + product} {
			if a := stranger.ask("GET", path, ""); a.status == 200 {
				t.Errorf("another customer's user at %s: %d", path, a.status)
			}
			if a := stranger.send(path+"/rename", stranger.form("name", "Mine")); a.status != 404 && a.status != 303 ||
				b.count(`SELECT count(*) FROM products WHERE name = 'Mine'`) != 0 {
				t.Errorf("another customer's user renames at %s: %d", path, a.status)
			}
		}

		prepared := "/operator/customers/" + b.seed.PublicID + "/prepared"
		once := func() url.Values { return url.Values{"once": {d.find(prepared, `name="once" value="([^"]+)"`)}} }
		add := func(json string) answer { return d.sendFile(prepared, once(), "file", "prepared.json", json) }
		if a := add(`{"product": "cashflow", "profile": "none"}`); a.status != 422 {
			t.Errorf("an invalid file: %d", a.status)
		}
		if a := add(`{"product": "cashflow", "name": "Joint", "submission": ` + ada + `}`); a.status != 303 {
			t.Fatalf("adding one: %d %s", a.status, a.raw)
		}
		id := d.find(prepared, `name="report" value="([^"]+)"`)
		stranger.wantSent("another customer's user removes it", 404, "/dashboard/prepared/remove", "report", id)
		// A configuration and an open visit keep it.
		named, of := b.configured(customers.Fields{Alias: "Joint", PreparedReport: id})
		refused := func(why string) {
			t.Helper()
			if d.operate(prepared, prepared+"/remove", "report", id); b.count(`SELECT count(*) FROM sandbox_reports`) != 1 ||
				!strings.Contains(d.page(prepared), i18ntest.EN("dashboard.flash.prepared_used")) {
				t.Errorf("%s: it is removed", why)
			}
		}
		refused("a configuration names it")
		b.begin("productId", of)
		b.exec(`UPDATE product_configurations SET prepared_report_id = '' WHERE id = $1`, named)
		refused("an open visit has it")
		b.exec(`UPDATE visits SET ended_at = 1 WHERE sandbox_report_id = $1`, id)
		keys := b.count(`SELECT count(*) FROM data_keys`)
		if a := d.operate(prepared, prepared+"/remove", "report", id); a.status != 303 || b.count(`SELECT count(*) FROM sandbox_reports`) != 0 ||
			b.count(`SELECT count(*) FROM data_keys`) != keys-1 {
			t.Errorf("removing it: %d", a.status)
		}
		if a := d.operate(prepared, prepared+"/remove", "report", id); a.status != 404 {
			t.Errorf("removing it twice: %d", a.status)
		}
	})
}

// TestMissingBanks checks who sees what applicants report as missing: the operator everything, a customer its own.
func TestMissingBanks(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		b.begin() // the overview is not empty
		b.exec(`INSERT INTO unlisted_institutions (customer_id, source_type, folded, name, reports, last_at)
			SELECT id, 'bank', 'bank of nowhere', 'Bank of Nowhere', 1, $1 FROM customers`, b.now().UnixMicro())
		d := b.operator("ops@service.example")
		if text := d.page("/operator/unlisted"); !strings.Contains(text, "Bank of Nowhere") || !strings.Contains(text, ">2<") {
			t.Errorf("the operator sees %s", text)
		}
		own := b.signIn(customerUser).page("/dashboard")
		if !strings.Contains(own, "Bank of Nowhere") {
			t.Errorf("the customer sees %s", own)
		}
		b.exec(`DELETE FROM unlisted_institutions WHERE customer_id = (SELECT id FROM customers WHERE public_id = $1)`, b.seed.PublicID)
		says(t, "a customer sees what others’ applicants reported", b.signIn(customerUser).page("/dashboard"), nil, "Bank of Nowhere")
	})
}
