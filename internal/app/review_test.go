package app_test

import (
	"net/url"
	"regexp"
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

// reviewRoutes returns the routes of the review dashboard.
func (w *testServer) reviewRoutes(t *testing.T, child, configuration, income string) []route {
	t.Helper()
	staff := w.staff(t, w.Credentials.Dashboard)
	w.others = w.staff(t, w.Credentials.ThirdParty.Dashboard)
	// A client that may be lost: the portal continues with its own.
	good(t, 303, ask(t, "POST", w.Provider+"/dashboard/credentials", w.form(t, staff, "name", "Loan server"),
		append([]string{"Content-Type", asForm}, staff...)...))
	good(t, 303, ask(t, "POST", w.Provider+"/dashboard/people", w.form(t, staff, "email", "bob@example.org"),
		append([]string{"Content-Type", asForm}, staff...)...))
	credential := w.onPage(t, staff, "/dashboard/credentials", rotateURL)
	delivery, endpoint := w.onPage(t, staff, "/dashboard/deliveries", deliveryURL), w.onPage(t, staff, "/dashboard/webhooks", endpointURL)
	report := w.onPage(t, staff, "/dashboard/reports", reportURL)
	relay := w.onPage(t, staff, "/dashboard/relay-tokens", withdrawURL)
	found := good(t, 303, ask(t, "POST", w.Provider+"/dashboard/reports/find", w.form(t, staff, "query", income),
		append([]string{"Content-Type", asForm}, staff...)...))
	income = strings.TrimPrefix(found.Header.Get("Location"), "/dashboard/reports/")
	opened := ""
	for name, value := range map[string]string{"once": w.onPage(t, staff, "/dashboard/webhooks", onceField), "kind": "figure",
		"about": canaryText, "statement": canaryText, "file\"; filename=\"a.pdf": "%PDF-1.7"} {
		opened += "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	dispute := strings.TrimPrefix(good(t, 303, ask(t, "POST", w.Provider+"/dashboard/reports/"+income+"/dispute", opened+"--x--\r\n",
		append([]string{"Content-Type", "multipart/form-data; boundary=x"}, staff...)...)).Header.Get("Location"), "/dashboard/disputes/")
	file := w.onPage(t, staff, "/dashboard/disputes/"+dispute, fileURL)
	anyone := caller{base: w.Provider, shape: asPage}
	sameOrigin, member := anyone.with("Origin", w.Provider), anyone.as("staff", staff...)
	at := func(pattern, param string) route { return member.get(pattern, param) }
	send := func(pattern, param string, pairs ...string) route {
		return member.post(pattern, w.form(t, staff, pairs...), param)
	}
	return []route{
		anyone.get("/dashboard/sign-in"),
		sameOrigin.post("/dashboard/sign-in", "email="+canaryEmail+"&password="+canaryText+"&next=/dashboard"),
		anyone.get("/dashboard/forgotten-password"),
		sameOrigin.post("/dashboard/forgotten-password", "email="+canaryEmail),
		anyone.get("/dashboard/set-password/{token}", canaryText),
		sameOrigin.post("/dashboard/set-password/{token}", "password="+canaryText, canaryText),
		anyone.get("/dashboard/sign-in/code"),
		sameOrigin.post("/dashboard/sign-in/code", "code="+canaryText),
		anyone.get("/dashboard/sign-in/factor"),
		sameOrigin.post("/dashboard/sign-in/factor", "code="+canaryText),
		at("/dashboard/second-factor", ""),
		send("/dashboard/second-factor", "", "do", "add", "password", canaryText),
		anyone.with(w.staff(t, w.Credentials.Dashboard)...).post("/dashboard/sign-out", ""),
		at("/dashboard", ""), at("/dashboard/webhooks", ""), at("/dashboard/deliveries", ""), at("/dashboard/deliveries/{id}", delivery),
		at("/dashboard/reports", ""), at("/dashboard/reports/{id}", report), at("/dashboard/relay-tokens", ""),
		at("/dashboard/relay-tokens/received", ""), at("/dashboard/redirects", ""),
		at("/dashboard/credentials", ""), at("/dashboard/products", ""), at("/dashboard/accounts", ""), at("/dashboard/accounts/{id}", child),
		at("/dashboard/products/{id}", w.Credentials.Products["cashflow"]), at("/dashboard/prepared", ""),
		at("/dashboard/reports/{id}/correct", income),
		send("/dashboard/reports/{id}/correct/check", income, "revision", "0", "gross_annual", "987654", "reason", canaryText),
		send("/dashboard/reports/{id}/correct", income, "revision", "0", "gross_annual", "987654", "reason", canaryText),
		member.get("/dashboard/reports/{id}/revisions/{revision}", income, "0"),
		at("/dashboard/reports/{id}/dispute", income),
		send("/dashboard/reports/{id}/dispute", income, "kind", "figure", "about", canaryText, "statement", canaryText),
		at("/dashboard/disputes", ""), at("/dashboard/disputes/{id}", dispute),
		member.get("/dashboard/disputes/{id}/files/{file}", dispute, file),
		send("/dashboard/disputes/find", "", "query", canaryText),
		anyone.get("/dashboard/disputes/find"),
		send("/dashboard/disputes/{id}/facts", dispute, "facts", canaryText),
		send("/dashboard/disputes/{id}/answer", dispute, "result", "confirmed", "answer", canaryText),
		at("/dashboard/audit", ""), at("/dashboard/people", ""), at("/dashboard/outbox", ""),
		send("/dashboard/outbox/{id}/resend", "00000000-0000-4000-8000-000000000000"),
		send("/dashboard/people", "", "email", canaryEmail),
		send("/dashboard/people/{id}/invite", "00000000-0000-4000-8000-000000000000"),
		send("/dashboard/people/{id}/factor", "00000000-0000-4000-8000-000000000000"),
		send("/dashboard/people/{id}/role", "00000000-0000-4000-8000-000000000000", "role", "member"),
		send("/dashboard/people/{id}/remove", w.onPage(t, staff, "/dashboard/people", removeURL)),
		send("/dashboard/people/password", "", "present", canaryText, "next", canaryText),
		anyone.get("/dashboard/deliveries/find"),
		anyone.get("/dashboard/reports/find"),
		send("/dashboard/deliveries/find", "", "query", "x"),
		send("/dashboard/reports/find", "", "query", "x"),
		anyone.get("/dashboard/relay-tokens/find"),
		anyone.get("/dashboard/relay-tokens/received/find"),
		anyone.get("/dashboard/outbox/find"),
		anyone.get("/dashboard/accounts/find"),
		anyone.get("/dashboard/people/find"),
		anyone.get("/dashboard/audit/find"),
		send("/dashboard/audit/find", "", "query", canaryEmail),
		send("/dashboard/relay-tokens/find", "", "query", "x"),
		send("/dashboard/relay-tokens/received/find", "", "query", "x"),
		send("/dashboard/outbox/find", "", "query", canaryEmail),
		send("/dashboard/accounts/find", "", "query", canaryText),
		send("/dashboard/people/find", "", "query", canaryEmail),
		send("/dashboard/density", "", "density", "dense", "back", "/dashboard/people"),
		at("/dashboard/webhooks/{id}", endpoint), send("/dashboard/webhooks", "", "endpoint", w.Portal+"/webhooks/visit"),
		send("/dashboard/webhooks/{id}/remove", endpoint), send("/dashboard/webhooks/{id}/redeliver", endpoint, "since", "2026-01-01"),
		send("/dashboard/webhooks/{id}/url", endpoint, "url", w.Portal+"/webhooks/visit"),
		send("/dashboard/webhooks/{id}/delivery", endpoint, "state", "off"),
		send("/dashboard/webhooks/{id}/subscription", endpoint, "status", "SUCCESS"),
		send("/dashboard/webhooks/{id}/test", endpoint),
		send("/dashboard/webhooks/{id}/rotate", endpoint, "secret", w.onPage(t, staff, "/dashboard/webhooks", signerField)),
		send("/dashboard/deliveries/{id}/redeliver", delivery, "resends", "0"),
		send("/dashboard/reports/{id}/share", report, "publicId", w.Credentials.ThirdParty.PublicID),
		send("/dashboard/reports/{id}/link", report),
		send("/dashboard/relay-tokens", "", "publicToken", canaryText, "publicId", w.Credentials.ThirdParty.PublicID),
		send("/dashboard/relay-tokens/{id}/withdraw", relay),
		send("/dashboard/redirects/add", "", "url", "https://example.org/back"),
		send("/dashboard/redirects/remove", "", "url", "https://example.org/back"),
		send("/dashboard/redirects/origins/add", "", "origin", "https://example.org"),
		send("/dashboard/redirects/origins/remove", "", "origin", "https://example.org"),
		send("/dashboard/redirects/static", "", "url", "https://example.org/back"),
		send("/dashboard/redirects/return", "", "mode", "get", "requireForm", "yes"),
		send("/dashboard/credentials", "", "name", "Loan server"),
		send("/dashboard/credentials/{id}/rename", credential, "name", "Branch office"),
		send("/dashboard/credentials/{id}/rotate", credential),
		send("/dashboard/credentials/{id}/revoke", credential),
		send("/dashboard/accounts", "", "name", "Fourth child", "displayName", "Fourth"),
		send("/dashboard/accounts/{id}/products", child, "name", "Theirs too", "displayName", "Too"),
		send("/dashboard/accounts/{id}/configuration", child, "configuration", configuration),
		send("/dashboard/accounts/{id}/people", child, "email", canaryEmail),
		send("/dashboard/accounts/{id}/people/remove", child, "user", "00000000-0000-4000-8000-000000000000"),
		send("/dashboard/accounts/{id}/credentials", child, "client", "Branch server"),
		send("/dashboard/accounts/{id}/credentials/revoke", child, "credential", "00000000-0000-4000-8000-000000000000"),
		send("/dashboard/products", "", "name", "Fifth product", "configuration", configuration),
		send("/dashboard/products/{id}/rename", w.Credentials.Products["cashflow"], "name", "Renamed"),
		send("/dashboard/products/{id}/configuration", w.Credentials.Products["cashflow"], "configuration", configuration),
		member.post("/dashboard/prepared",
			formPart("once", w.onPage(t, staff, "/dashboard/webhooks", onceField))+
				filePart("file", canaryText+".json", `{"product":"cashflow","profile":"joint"}`)+"--x--\r\n").typed(asFileForm),
		send("/dashboard/prepared/remove", "", "report", "00000000-0000-4000-8000-000000000000"),
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
