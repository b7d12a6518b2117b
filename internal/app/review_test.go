package app_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/staff"
	"vestibule/internal/testutil/program"
)

// staff signs a user in to the dashboard and returns the headers for sending its forms.
func (w *testServer) staff(t *testing.T, who program.Login) []string {
	t.Helper()
	form := url.Values{"email": {who.Email}, "password": {who.Password}}
	r := good(t, 303, ask(t, "POST", w.Provider+"/dashboard/sign-in", form.Encode(), "Content-Type", asForm, "Origin", w.Provider))
	return []string{"Cookie", namedCookie(t, r, "vestibule-dashboard"), "Origin", w.Provider}
}

var (
	onceField   = regexp.MustCompile(`name="once" value="([^"]+)"`)
	deliveryURL = regexp.MustCompile(`"/dashboard/deliveries/([0-9a-f-]{36})"`)
	reportURL   = regexp.MustCompile(`"/dashboard/reports/([0-9a-f-]{36})"`)
	withdrawURL = regexp.MustCompile(`"/dashboard/relay-tokens/([0-9a-f-]{36})/withdraw"`)
	fileURL     = regexp.MustCompile(`/disputes/[\w-]+/files/([0-9a-f-]{36})"`)
	removeURL   = regexp.MustCompile(`"/dashboard/people/([0-9a-f-]{36})/remove"`)
	rotateURL   = regexp.MustCompile(`"/dashboard/credentials/([0-9a-f-]{36})/rotate"`)
	endpointURL = regexp.MustCompile(`"/dashboard/webhooks/([0-9a-f-]{36})/url"`)
	signerField = regexp.MustCompile(`name="secret" value="([^"]+)"`)
)

// onPage returns the pattern's group on a page of the dashboard.
func (w *testServer) onPage(t *testing.T, staff []string, path string, pattern *regexp.Regexp) string {
	t.Helper()
	r := good(t, 200, ask(t, "GET", w.Provider+path, "", staff[:2]...))
	m := pattern.FindSubmatch(r.Body)
	if m == nil {
		t.Fatalf("%s has no %s\n%s", path, pattern, r.Body)
	}
	return string(m[1])
}

// TestStaffBehindAProxyAreLimitedSeparately signs a user in to each party after the tries of another
// client behind the same proxy are used up.
func TestStaffBehindAProxyAreLimitedSeparately(t *testing.T) {
	w := startServer(t, "", "--behind-proxy")
	for to, who := range map[string]program.Login{w.Portal + "/review/sign-in": w.Credentials.Reviewer,
		w.Provider + "/dashboard/sign-in": w.Credentials.Dashboard} {
		origin := strings.TrimSuffix(strings.TrimSuffix(to, "/review/sign-in"), "/dashboard/sign-in")
		signIn := func(from, secret string) int {
			form := url.Values{"email": {who.Email}, "password": {secret}}
			return do(t, ask(t, "POST", to, form.Encode(), "Content-Type", asForm, "Origin", origin, "X-Forwarded-For", from)).Status
		}
		for range staff.MaxTries {
			signIn("203.0.113.7", "not the password")
		}
		if here, there := signIn("203.0.113.7", who.Password), signIn("203.0.113.8", who.Password); here != 429 || there != 303 {
			t.Errorf("%s: from where it was guessed %d, from elsewhere %d", to, here, there)
		}
	}
}

// form returns the body of a form of the dashboard.
func (w *testServer) form(t *testing.T, staff []string, pairs ...string) string {
	t.Helper()
	f := url.Values{"once": {w.onPage(t, staff, "/dashboard/webhooks", onceField)}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f.Encode()
}

// dashboard is what the valid requests of the provider's dashboard name, and the user who sends them.
type dashboard struct {
	w                                                                    *testServer
	t                                                                    *testing.T
	staff                                                                []string // headers
	anyone, member                                                       caller
	child, configuration                                                 string
	credential, delivery, endpoint, report, relay, income, dispute, file string
}

// dashboardRoutes returns the routes of the provider's dashboard.
func (w *testServer) dashboardRoutes(t *testing.T, child, configuration, income string) []route {
	t.Helper()
	staff, anyone := w.staff(t, w.Credentials.Dashboard), caller{base: w.Provider, shape: asPage}
	d := &dashboard{w: w, t: t, staff: staff, anyone: anyone, member: anyone.as("staff", staff...), child: child, configuration: configuration}
	w.others = w.staff(t, w.Credentials.ThirdParty.Dashboard)
	// A client that may be lost: the portal continues with its own.
	d.post("/dashboard/credentials", asForm, w.form(t, staff, "name", "Loan server"))
	d.post("/dashboard/people", asForm, w.form(t, staff, "email", "bob@example.org"))
	d.credential = w.onPage(t, staff, "/dashboard/credentials", rotateURL)
	d.delivery, d.endpoint = w.onPage(t, staff, "/dashboard/deliveries", deliveryURL), w.onPage(t, staff, "/dashboard/webhooks", endpointURL)
	d.report = w.onPage(t, staff, "/dashboard/reports", reportURL)
	d.relay = w.onPage(t, staff, "/dashboard/relay-tokens", withdrawURL)
	d.income = strings.TrimPrefix(d.post("/dashboard/reports/find", asForm, w.form(t, staff, "query", income)), "/dashboard/reports/")
	d.dispute = strings.TrimPrefix(d.post("/dashboard/reports/"+d.income+"/dispute", asFileForm,
		formPart("once", w.onPage(t, staff, "/dashboard/webhooks", onceField))+formPart("kind", "figure")+formPart("about", canaryText)+
			formPart("statement", canaryText)+filePart("file", "a.pdf", "%PDF-1.7")+"--x--\r\n"), "/dashboard/disputes/")
	d.file = w.onPage(t, staff, "/dashboard/disputes/"+d.dispute, fileURL)
	return slices.Concat(d.signInRoutes(), d.recordRoutes(), d.settingRoutes())
}

// post sends a form to the dashboard and returns where the answer leads.
func (d *dashboard) post(path, kind, form string) string {
	d.t.Helper()
	return good(d.t, 303, ask(d.t, "POST", d.w.Provider+path, form, append([]string{"Content-Type", kind}, d.staff...)...)).
		Header.Get("Location")
}

// send returns the route of a member's form with these fields.
func (d *dashboard) send(pattern, param string, pairs ...string) route {
	d.t.Helper()
	return d.member.post(pattern, d.w.form(d.t, d.staff, pairs...), param)
}

// signInRoutes returns the routes of the dashboard's entrance.
func (d *dashboard) signInRoutes() []route {
	sameOrigin := d.anyone.with("Origin", d.w.Provider)
	return []route{
		d.anyone.get("/dashboard/sign-in"),
		sameOrigin.post("/dashboard/sign-in", "email="+canaryEmail+"&password="+canaryText+"&next=/dashboard"),
		d.anyone.get("/dashboard/forgotten-password"),
		sameOrigin.post("/dashboard/forgotten-password", "email="+canaryEmail),
		d.anyone.get("/dashboard/set-password/{token}", canaryText),
		sameOrigin.post("/dashboard/set-password/{token}", "password="+canaryText, canaryText),
		d.anyone.get("/dashboard/sign-in/code"),
		sameOrigin.post("/dashboard/sign-in/code", "code="+canaryText),
		d.anyone.get("/dashboard/sign-in/factor"),
		sameOrigin.post("/dashboard/sign-in/factor", "code="+canaryText),
		d.member.get("/dashboard/second-factor"),
		d.send("/dashboard/second-factor", "", "do", "add", "password", canaryText),
		d.anyone.with(d.w.staff(d.t, d.w.Credentials.Dashboard)...).post("/dashboard/sign-out", ""),
	}
}

// recordRoutes returns the routes of reports, disputes, people and the lists with their searches.
func (d *dashboard) recordRoutes() []route {
	out := []route{
		d.member.get("/dashboard/deliveries/{id}", d.delivery),
		d.member.get("/dashboard/reports/{id}", d.report),
		d.member.get("/dashboard/accounts/{id}", d.child),
		d.member.get("/dashboard/products/{id}", d.w.Credentials.Products["cashflow"]),
		d.member.get("/dashboard/reports/{id}/correct", d.income),
		d.send("/dashboard/reports/{id}/correct/check", d.income, "revision", "0", "gross_annual", "987654", "reason", canaryText),
		d.send("/dashboard/reports/{id}/correct", d.income, "revision", "0", "gross_annual", "987654", "reason", canaryText),
		d.member.get("/dashboard/reports/{id}/revisions/{revision}", d.income, "0"),
		d.member.get("/dashboard/reports/{id}/dispute", d.income),
		d.send("/dashboard/reports/{id}/dispute", d.income, "kind", "figure", "about", canaryText, "statement", canaryText),
		d.member.get("/dashboard/disputes/{id}", d.dispute),
		d.member.get("/dashboard/disputes/{id}/files/{file}", d.dispute, d.file),
		d.send("/dashboard/disputes/{id}/facts", d.dispute, "facts", canaryText),
		d.send("/dashboard/disputes/{id}/answer", d.dispute, "result", "confirmed", "answer", canaryText),
		d.send("/dashboard/outbox/{id}/resend", "00000000-0000-4000-8000-000000000000"),
		d.send("/dashboard/people", "", "email", canaryEmail),
		d.send("/dashboard/people/{id}/invite", "00000000-0000-4000-8000-000000000000"),
		d.send("/dashboard/people/{id}/factor", "00000000-0000-4000-8000-000000000000"),
		d.send("/dashboard/people/{id}/role", "00000000-0000-4000-8000-000000000000", "role", "member"),
		d.send("/dashboard/people/{id}/remove", d.w.onPage(d.t, d.staff, "/dashboard/people", removeURL)),
		d.send("/dashboard/people/password", "", "present", canaryText, "next", canaryText),
		d.send("/dashboard/density", "", "density", "dense", "back", "/dashboard/people"),
	}
	for page := range strings.FieldsSeq("/ /webhooks /deliveries /reports /relay-tokens /relay-tokens/received /redirects /credentials " +
		"/products /accounts /prepared /disputes /audit /people /outbox") {
		out = append(out, d.member.get("/dashboard"+strings.TrimSuffix(page, "/")))
	}
	for list := range strings.FieldsSeq("disputes deliveries reports relay-tokens relay-tokens/received outbox accounts people audit") {
		find := "/dashboard/" + list + "/find"
		out = append(out, d.anyone.get(find), d.send(find, "", "query", canaryText))
	}
	return out
}

// settingRoutes returns the routes that change webhooks, shares, redirects, credentials, accounts and products.
func (d *dashboard) settingRoutes() []route {
	return []route{
		d.member.get("/dashboard/webhooks/{id}", d.endpoint), d.send("/dashboard/webhooks", "", "endpoint", d.w.Portal+"/webhooks/visit"),
		d.send("/dashboard/webhooks/{id}/remove", d.endpoint), d.send("/dashboard/webhooks/{id}/redeliver", d.endpoint, "since", "2026-01-01"),
		d.send("/dashboard/webhooks/{id}/url", d.endpoint, "url", d.w.Portal+"/webhooks/visit"),
		d.send("/dashboard/webhooks/{id}/delivery", d.endpoint, "state", "off"),
		d.send("/dashboard/webhooks/{id}/subscription", d.endpoint, "status", "SUCCESS"),
		d.send("/dashboard/webhooks/{id}/test", d.endpoint),
		d.send("/dashboard/webhooks/{id}/rotate", d.endpoint, "secret", d.w.onPage(d.t, d.staff, "/dashboard/webhooks", signerField)),
		d.send("/dashboard/deliveries/{id}/redeliver", d.delivery, "resends", "0"),
		d.send("/dashboard/reports/{id}/share", d.report, "publicId", d.w.Credentials.ThirdParty.PublicID),
		d.send("/dashboard/reports/{id}/link", d.report),
		d.send("/dashboard/relay-tokens", "", "publicToken", canaryText, "publicId", d.w.Credentials.ThirdParty.PublicID),
		d.send("/dashboard/relay-tokens/{id}/withdraw", d.relay),
		d.send("/dashboard/redirects/add", "", "url", "https://example.org/back"),
		d.send("/dashboard/redirects/remove", "", "url", "https://example.org/back"),
		d.send("/dashboard/redirects/origins/add", "", "origin", "https://example.org"),
		d.send("/dashboard/redirects/origins/remove", "", "origin", "https://example.org"),
		d.send("/dashboard/redirects/static", "", "url", "https://example.org/back"),
		d.send("/dashboard/redirects/return", "", "mode", "get", "requireForm", "yes"),
		d.send("/dashboard/credentials", "", "name", "Loan server"),
		d.send("/dashboard/credentials/{id}/rename", d.credential, "name", "Branch office"),
		d.send("/dashboard/credentials/{id}/rotate", d.credential),
		d.send("/dashboard/credentials/{id}/revoke", d.credential),
		d.send("/dashboard/accounts", "", "name", "Fourth child", "displayName", "Fourth"),
		d.send("/dashboard/accounts/{id}/products", d.child, "name", "Theirs too", "displayName", "Too"),
		d.send("/dashboard/accounts/{id}/configuration", d.child, "configuration", d.configuration),
		d.send("/dashboard/accounts/{id}/people", d.child, "email", canaryEmail),
		d.send("/dashboard/accounts/{id}/people/remove", d.child, "user", "00000000-0000-4000-8000-000000000000"),
		d.send("/dashboard/accounts/{id}/credentials", d.child, "client", "Branch server"),
		d.send("/dashboard/accounts/{id}/credentials/revoke", d.child, "credential", "00000000-0000-4000-8000-000000000000"),
		d.send("/dashboard/products", "", "name", "Fifth product", "configuration", d.configuration),
		d.send("/dashboard/products/{id}/rename", d.w.Credentials.Products["cashflow"], "name", "Renamed"),
		d.send("/dashboard/products/{id}/configuration", d.w.Credentials.Products["cashflow"], "configuration", d.configuration),
		d.member.post("/dashboard/prepared",
			formPart("once", d.w.onPage(d.t, d.staff, "/dashboard/webhooks", onceField))+
				filePart("file", canaryText+".json", `{"product":"cashflow","profile":"joint"}`)+"--x--\r\n").typed(asFileForm),
		d.send("/dashboard/prepared/remove", "", "report", "00000000-0000-4000-8000-000000000000"),
	}
}

// otherStaff adds valid forms of another account's users, to whom this account's
// objects are unknown.
func (w *testServer) otherStaff(t *testing.T, r route, kind []string, add adder) {
	t.Helper()
	body := r.body
	if body != "" {
		f, _ := url.ParseQuery(body)
		f.Set("once", w.onPage(t, w.others, "/dashboard/webhooks", onceField))
		body = f.Encode()
	}
	add(true, "staff of another customer", r.method, r.url(), body, append(append([]string{}, kind...), w.others...)...)
}
