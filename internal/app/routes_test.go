package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/jpeg"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/testutil"
	"vestibule/internal/webhook"
	pages "vestibule/templates/portal/review"
)

// routes lists every route of the program, each with a valid request.
func (w *testServer) routes(t *testing.T) []route {
	t.Helper()
	o := &routeObjects{}
	w.addRouteApplications(t, o)
	w.addRouteLinks(t, o)
	w.addRouteReports(t, o)
	o.delivery = w.delivered(t, o.ready)
	return slices.Concat(w.dashboardRoutes(t, o.child, o.configuration, o.secondary[3]), w.operatorRoutes(t), w.themeRoutes(t),
		w.serviceAPIRoutes(o), w.consumerRoutes(t, o), w.applicantRoutes(t, o), w.reviewRoutes(t, o), w.reviewAccountRoutes(t, o),
		w.portalAPIRoutes(o), w.controlRoutes(t, o))
}

// routeObjects are the applications, reports, links and sessions that the valid requests name.
type routeObjects struct {
	ready, open, doomed, second, decided, earner, pictured   string // applications
	publicToken, account, reportConsumer, sourceFile         string // of the report of ready
	source, bankFile, eligibleFile, shown                    string // of other reports
	consumer, visit, handle, redirectToken, invited, relayed string
	child, childProduct, configuration                       string
	share, delivery, colleague, played                       string
	event                                                    string   // of a webhook
	report, secondary, eligible, passport                    []string // headers that name a report
	mine, now, reviewer                                      []string // cookies: of ready, of open, of the reviewer
	player                                                   string   // cookie of the run of a developer
}

// addRouteApplications makes applications in the states that the routes need.
func (w *testServer) addRouteApplications(t *testing.T, o *routeObjects) {
	var embedToken string
	o.ready, embedToken = w.application(t, "embedded")
	w.visitor = w.enter(t, o.ready, embedToken)
	o.publicToken = w.complete(t, w.connect(t, o.ready, w.visitor)).field("publicToken")
	w.state(t, o.ready, "ready")
	o.open, embedToken = w.application(t, "embedded")
	applicant := w.enter(t, o.open, embedToken)
	w.connect(t, o.open, applicant)
	other, embedToken := w.application(t, "redirect")
	w.stranger = w.enter(t, other, embedToken)
	o.mine, o.now, o.reviewer = []string{"Cookie", w.visitor}, []string{"Cookie", applicant}, []string{"Cookie", w.signIn(t)}

	o.share = w.share(t, o.reviewer[1], o.ready, w.Credentials.ThirdParty.PublicID)
	o.doomed, _ = w.application(t, "redirect")
	o.second, embedToken = w.application(t, "embedded")
	w.complete(t, w.connect(t, o.second, w.enter(t, o.second, embedToken)))
	w.state(t, o.second, "ready")
	o.decided, o.colleague = w.decideAndAdd(t, o.reviewer)
	run := good(t, 303, ask(t, "POST", w.Portal+"/developers/runs", "product=cashflow&integration=inline", "Content-Type", asForm))
	o.played, o.player = strings.TrimPrefix(run.Header.Get("Location"), "/developers/runs/"), cookieOf(t, run)
}

// addRouteLinks makes a consumer, a child account, and the links and tokens of visits.
func (w *testServer) addRouteLinks(t *testing.T, o *routeObjects) {
	o.consumer = w.post(t, 201, "/connect/consumers", `{"consumerExternalId":"c-1","prefill":`+goodPrefill+`}`).field("consumerId")
	o.visit = good(t, 201, ask(t, "POST", w.Provider+"/widget/v1/visits",
		w.registration(w.token(t, "")), "Content-Type", asJSON)).field("handle")
	link := w.post(t, 200, "/secure-redirect", w.initialization(""))
	o.redirectToken = link.field("redirectToken")
	_, o.handle, _ = strings.Cut(link.field("redirectUrl"), "/redirect/")
	_, o.invited, _ = strings.Cut(w.post(t, 200, "/connect/invite", w.initialization(`,"deliverTo":"`+canaryEmail+`"`)).
		field("inviteLink"), "/invite/")
	o.relayed = w.post(t, 200, "/connect/relay-tokens", `{"publicToken":"`+o.publicToken+`","publicId":"`+
		w.Credentials.ThirdParty.PublicID+`"}`).field("relayToken")
	o.child, o.childProduct, o.configuration = w.child(t)
}

// addRouteReports makes reports of the other products and reads what the API names in reports.
func (w *testServer) addRouteReports(t *testing.T, o *routeObjects) {
	o.event = `{"status":"SUCCESS","publicToken":"` + o.publicToken + `"}`
	o.report = []string{"Authorization", w.bearer(t, w.Credentials.Account), "X-Public-Token", o.publicToken}
	var body struct {
		Meta struct {
			ConsumerID string `json:"consumer_id"`
		}
		Accounts []struct {
			ID string `json:"account_id"`
		} `json:"account_details"`
	}
	json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/connect/cashflow/v2/json", "", o.report...)).Body, &body)
	o.account, o.reportConsumer, o.sourceFile = body.Accounts[0].ID, body.Meta.ConsumerID, w.sourceFile(t, "cashflow/v2", 2, o.report)
	o.source, o.secondary, o.bankFile = w.secondary(t)
	o.eligible, o.eligibleFile = w.eligibility(t)
	o.passport = w.passport(t)
	var cookie string
	o.earner, cookie = w.applied(t, url.Values{"product": {"income"}})
	w.walked(t, o.earner, cookie, `{"payroll":{}}`)
	o.pictured, o.shown = w.pictured(t, o.reviewer)
}

// serviceAPIRoutes returns the routes of the provider's API.
func (w *testServer) serviceAPIRoutes(o *routeObjects) []route {
	service := caller{base: w.Provider}
	servicePage, customer := service.shaped(asPage), service.as("basic", "Authorization", basic(w.Credentials.Account))
	bearer := func(header ...string) caller { return service.as("bearer", header...) }
	return []route{
		customer.get("/connect/accesstoken"),
		service.get("/connect/jwkset"), service.get("/jwkset"), service.get("/openapi.json"),
		servicePage.get("/docs"), servicePage.get("/docs/{part}", "reports"),
		customer.post("/accounts", `{"accountName":"Second child","displayName":"Second"}`),
		customer.send("PUT", "/accounts", `{"accountName":"Third child","displayName":"Third"}`),
		customer.post("/accounts/{account}/products", `{"productName":"Loans","displayName":"A loan"}`, o.child),
		customer.send("PUT", "/accounts/{account}/products", `{"productName":"Cards","displayName":"A card"}`, o.child),
		customer.get("/config/v1/product-configurations"), customer.get("/config/v1/accounts/{account}/products", o.child),
		customer.send("PUT", "/config/v1/product-configuration-assignments/{id}", `{"type":"account","id":"`+o.child+`"}`, o.configuration),
		customer.send("DELETE", "/config/v1/product-configuration-assignments", `{"type":"product","id":"`+o.childProduct+`"}`),
		customer.post("/credentials/rotate", ""),
		customer.post("/connect/consumers", `{"consumerExternalId":"c-2","prefill":`+goodPrefill+`}`),
		customer.get("/connect/consumers/{id}", o.consumer),
		customer.send("PATCH", "/connect/consumers/{id}", `{"consumerExternalId":"c-3"}`, o.consumer),
		customer.send("DELETE", "/connect/consumers/{id}", "", o.consumer),
		customer.get("/connect/consumers/{consumer}/bank-accounts", o.reportConsumer),
		customer.get("/connect/consumers/{consumer}/bank-accounts/{id}/ach-details", o.reportConsumer, o.account),
		bearer(o.report...).get("/connect/status"),
		// Of a report without open access, so that it is refused; internal/provider tests the others.
		bearer(o.report...).post("/connect/refresh", `{}`),
		bearer(o.report...).get("/connect/cashflow/v2/json"), bearer(o.report...).get("/connect/cashflow/v2/files"),
		bearer(o.report...).get("/connect/cashflow/v2/files/{path...}", o.sourceFile),
		bearer(o.secondary...).get("/connect/income/v2/json"), bearer(o.secondary...).get("/connect/income/v2/files"),
		bearer(o.secondary...).get("/connect/income/v2/files/{path...}", o.bankFile),
		bearer(o.eligible...).get("/connect/affordable-housing-verification/v1/json"),
		bearer(o.eligible...).get("/connect/affordable-housing-verification/v1/files"),
		bearer(o.eligible...).get("/connect/affordable-housing-verification/v1/files/{path...}", o.eligibleFile),
		bearer(o.passport...).get("/connect/passport/v4/json"), bearer(o.passport...).get("/connect/passport/v4/pdf"),
		customer.get("/connect/suppliers"), customer.get("/connect/sandbox/events"),
		customer.post("/connect/multi-product-tokens", `{"publicToken":"`+o.source+`","productId":"`+w.Credentials.Products["income"]+
			`","externalId":"multi-1","userArgs":"u"}`),
		bearer(o.report...).get("/connect/bank-accounts/{id}/ach-details", o.account),
		bearer(o.report[:2]...).get("/connect/cashflow/oauth-destinations"),
		bearer("Authorization", o.report[1], "X-Product-Id", w.Credentials.Products["cashflow"]).
			post("/connect/v2/cashflow/byo-report", goodSubmission("ext-1")),
		customer.post("/connect/relay-tokens",
			`{"publicToken":"`+o.publicToken+`","publicId":"`+w.Credentials.ThirdParty.PublicID+`"}`),
		customer.send("DELETE", "/connect/relay-tokens/{token}", "", o.relayed),
		customer.post("/connect/initialization", w.initialization(`,"externalId":"e-1","userArgs":"u"`)),
		customer.post("/secure-redirect", w.initialization(`,"externalId":"e-2","userArgs":"u","completeUrl":"`+w.Portal+`/redirect/return"`)),
		customer.post("/connect/invite-link", w.initialization(`,"externalId":"e-3","userArgs":"u"`)),
		customer.post("/connect/invite", w.initialization(`,"externalId":"e-4","userArgs":"u","deliverTo":"`+canaryEmail+`"`)),
	}
}

// consumerRoutes returns the routes of the provider's pages for consumers.
func (w *testServer) consumerRoutes(t *testing.T, o *routeObjects) []route {
	service := caller{base: w.Provider}
	servicePage := service.shaped(asPage)
	return []route{
		servicePage.get("/invite/{handle}", o.invited), servicePage.get("/access"),
		servicePage.post("/access", "email="+canaryEmail),
		servicePage.get("/access/link/{token}", canaryText),
		servicePage.post("/access/link/{token}", "", canaryText),
		servicePage.get("/access/end/{account}", w.Credentials.ThirdParty.PublicID),
		servicePage.post("/access/end/{account}", "", w.Credentials.ThirdParty.PublicID),
		servicePage.get("/access/disconnect/{source}", canaryText),
		servicePage.post("/access/disconnect/{source}", "", canaryText),
		servicePage.get("/access/disputes"), servicePage.get("/access/disputes/{number}", "D-2026-AAAAAA"),
		servicePage.get("/access/disputes/{number}/files/{file}", "D-2026-AAAAAA", canaryText),
		servicePage.post("/access/disputes/{number}/note", "", "D-2026-AAAAAA"),
		servicePage.post("/access/disputes/{number}/facts", "", "D-2026-AAAAAA"),
		servicePage.get("/access/dispute/{report}", canaryText),
		servicePage.post("/access/dispute/{report}", "", canaryText),
		servicePage.post("/access/sign-out", ""),
		servicePage.get("/access/report/{report}", canaryText), servicePage.get("/access/history"),
		servicePage.get("/access/file.json"), servicePage.get("/access/file.pdf"), servicePage.get("/access/freeze"),
		servicePage.post("/access/freeze", "change=freeze"),
		servicePage.get("/access/delete/{account}", w.Credentials.ThirdParty.PublicID),
		servicePage.post("/access/delete/{account}", "", w.Credentials.ThirdParty.PublicID),
		servicePage.get("/redirect/{handle}", o.handle),
		servicePage.post("/redirect/{handle}", "token="+o.redirectToken, o.handle),
		service.shaped(asFile).get("/widget/v1/widget.js"), service.shaped(asFile).get("/widget/v1/widget.d.ts"),
		servicePage.get("/widget/v1/frame"), servicePage.get("/widget/v1/problems/{code}", "INVALID_TOKEN").loosely(),
		service.post("/widget/v1/visits", w.registration(w.token(t, ""))),
		servicePage.get("/visit/{handle}", o.visit),
		servicePage.post("/visit/{handle}", "action=sign-in&username=default&password=x", o.visit),
		servicePage.post("/visit/{handle}/authorize", "nonce=0", o.visit),
		servicePage.get("/oauth/callback").loosely(), servicePage.get("/oauth/callback/{institution}", canaryText).loosely(),
		servicePage.post("/visit/{handle}/documents", filePart("file", canaryText+".pdf", "%PDF-1.7")+"--x--\r\n", o.visit).typed(asFileForm),
		servicePage.get("/visit/{handle}/return", o.visit),
		service.shaped(asFile).get("/assets/").asking("none.js"),
	}
}

// applicantRoutes returns the routes of the portal's pages for applicants.
func (w *testServer) applicantRoutes(t *testing.T, o *routeObjects) []route {
	portal := caller{base: w.Portal}
	portalPage := portal.shaped(asPage)
	visiting := func(header ...string) caller { return portalPage.as("visitor", header...) }
	return []route{
		portalPage.get("/{$}"),
		portal.shaped(asFile).get("/brand/{file}", "none.css"),
		portalPage.get("/legal/{document}", "privacy"), portalPage.get("/apply/{product}", "cashflow"),
		portalPage.post("/applications", goodForm().Encode()),
		visiting(o.mine...).get("/applications/{id}", o.ready),
		visiting(o.now...).post("/applications/{id}/applicant", goodForm().Encode(), o.open),
		visiting(o.now...).post("/applications/{id}/restart", "mode=embedded", o.open),
		visiting(o.mine...).shaped(inJSON).get("/applications/{id}/stream", o.ready),
		visiting(o.now...).shaped(inJSON).post("/applications/{id}/callbacks", `{"eventId":"e1","type":"onExit","attempt":1}`, o.open),
		visiting(o.now...).post("/applications/{id}/link", "", o.open),
		visiting(o.now...).post("/applications/{id}/letter", "", o.open),
		portalPage.get("/resume/{token}", canaryText),
		portalPage.post("/resume/{token}", "", canaryText),
		portalPage.get("/return"),
		portalPage.post("/return", "email="+canaryEmail),
		visiting(o.now...).get("/applications/{id}/connect", o.open),
		portalPage.post("/applications/{id}/connect", "grant="+canaryText, o.open),
		portal.with(w.signed(t, o.event)...).post("/webhooks/visit", o.event),
		portalPage.get("/redirect/return"),
		portalPage.post("/redirect/return", "token="+canaryText),
		portalPage.get("/redirect/finish/{handle}", canaryText),
	}
}

// reviewRoutes returns the routes of the reviewer's list and of one application.
func (w *testServer) reviewRoutes(t *testing.T, o *routeObjects) []route {
	portalPage := caller{base: w.Portal, shape: asPage}
	review := portalPage.as("reviewer", o.reviewer...)
	return []route{
		review.get("/review"),
		portalPage.with(o.reviewer...).get("/review/"),
		review.get("/review/overview"),
		portalPage.with(o.reviewer...).get("/review/find"),
		review.post("/review/find", "query=x"),
		review.post("/review/remind", "id="+o.ready),
		review.post("/review/export", "id="+o.ready),
		review.post("/review/live", "sort=state&row="+o.ready+".0"),
		review.post("/review/density", "density=dense&back=%2Freview"),
		review.post("/review/columns", "column=state&sort=state"),
		review.post("/review/filters", "name="+canaryText+"&sort=state"),
		// Changing a filter that does not exist is no error.
		review.post("/review/filters/{id}", "sort=state&do=later", w.savedFilter(t, o.reviewer)).loosely(),
		review.post("/review/assign", "do=take"),
		review.get("/review/applications/{id}", o.ready), review.get("/review/applications/{id}/next", o.ready),
		review.get("/review/applications/{id}/report", o.ready), review.get("/review/applications/{id}/transactions", o.ready),
		review.get("/review/applications/{id}/refresh", o.earner),
		review.post("/review/applications/{id}/refresh", "report=1.0", o.earner),
		review.get("/review/applications/{id}/keep", o.earner),
		review.post("/review/applications/{id}/keep", "report=1.0", o.earner),
		review.get("/review/applications/{id}/report.json", o.ready), review.get("/review/applications/{id}/report.pdf", o.ready),
		review.get("/review/applications/{id}/report.csv", o.ready), review.get("/review/applications/{id}/months.csv", o.ready),
		review.get("/review/applications/{id}/files", o.ready),
		review.get("/review/applications/{id}/files/{file}", o.ready, pages.FileRef(o.sourceFile)),
		review.get("/review/applications/{id}/files/{file}/view", o.pictured, o.shown),
		review.get("/review/applications/{id}/files/{file}/pages/{page}", o.pictured, o.shown, "1"),
		review.get("/review/applications/{id}/shares", o.ready),
		review.post("/review/applications/{id}/shares", "publicId="+w.Credentials.ThirdParty.PublicID+"&label=Third", o.ready),
		review.get("/review/applications/{id}/decision", o.ready),
		review.post("/review/applications/{id}/decision", "seen=0&decision=declined&text="+canaryText, o.ready),
		review.get("/review/applications/{id}/preview", o.ready),
		review.post("/review/applications/{id}/preview", "seen=0&decision=declined&part=letter&text="+canaryText, o.ready),
		review.get("/review/applications/{id}/notes", o.ready),
		review.post("/review/applications/{id}/notes", "text="+canaryText, o.ready),
		review.get("/review/applications/{id}/letter", o.decided),
		review.post("/review/applications/{id}/letter", "again=1", o.decided),
		review.get("/review/applications/{id}/compare", o.ready).asking("?with=" + o.second),
		review.get("/review/applications/{id}/delete", o.ready),
		review.post("/review/applications/{id}/delete", "id="+o.doomed+"&cause=request&sure=yes", o.doomed),
	}
}

// reviewAccountRoutes returns the routes about reviewers, their records, and shares of reports.
func (w *testServer) reviewAccountRoutes(t *testing.T, o *routeObjects) []route {
	portalPage := caller{base: w.Portal, shape: asPage}
	review := portalPage.as("reviewer", o.reviewer...)
	return []route{
		review.get("/review/letters"),
		review.post("/review/audit", "query="+canaryEmail),
		review.post("/review/letters/{id}/resend", "x=y", "00000000-0000-4000-8000-000000000000"),
		portalPage.get("/review/sign-in"),
		portalPage.post("/review/sign-in", "email="+canaryEmail+"&password="+canaryText+"&next=/review"),
		portalPage.with("Cookie", w.signIn(t)).post("/review/sign-out", ""),
		review.get("/review/deletions"), review.get("/review/audit"), review.get("/review/audit.csv"),
		review.get("/review/people"),
		review.post("/review/people", "email="+canaryEmail+"&role=auditor"),
		review.post("/review/people/{id}", "do=link", o.colleague),
		review.get("/review/second-factor"),
		review.post("/review/second-factor", "do=add&password="+canaryText),
		portalPage.get("/review/sign-in/code"),
		portalPage.post("/review/sign-in/code", "code="+canaryText),
		portalPage.get("/review/sign-in/factor"),
		portalPage.post("/review/sign-in/factor", "code="+canaryText),
		portalPage.get("/review/oidc/login"), portalPage.get("/review/sign-in/return"),
		portalPage.get("/review/forgotten-password"),
		portalPage.post("/review/forgotten-password", "email="+canaryEmail),
		portalPage.get("/review/set-password/{token}", canaryText),
		portalPage.post("/review/set-password/{token}", "password="+canaryText, canaryText),
		review.get("/review/events"),
		review.post("/review/events/enable", ""),
		review.get("/review/events/{id}", o.delivery),
		review.post("/review/events/{id}/redeliver", "resends=0", o.delivery),
		review.get("/review/shares/{id}/withdraw", o.share),
		review.post("/review/shares/{id}/withdraw", "", o.share),
	}
}

// portalAPIRoutes returns the routes of the portal's API, scripts and pages for developers.
func (w *testServer) portalAPIRoutes(o *routeObjects) []route {
	portal := caller{base: w.Portal}
	portalPage, backEnd := portal.shaped(asPage), portal.as("key", "Authorization", w.key())
	return []route{
		portal.get("/api/v1/openapi.json"),
		portalPage.get("/api/v1/docs"), portalPage.get("/api/v1/docs/{part}", "applications"),
		backEnd.post("/api/v1/applications",
			`{"product":"cashflow","mode":"embedded","externalId":"a-1","userArgs":"u","returnUrl":"https://example.org/",`+
				`"allowedOrigin":"https://example.org","prefill":`+goodPrefill+`}`),
		backEnd.get("/api/v1/applications/{id}", o.ready),
		backEnd.post("/api/v1/applications/{id}/embed-token", "", o.ready),
		backEnd.get("/api/v1/applications/{id}/report", o.ready), backEnd.get("/api/v1/applications/{id}/report.pdf", o.ready),
		backEnd.get("/api/v1/applications"), backEnd.get("/api/v1/applications/{id}/files", o.ready),
		backEnd.get("/api/v1/applications/{id}/files/{path}", o.ready, url.PathEscape(o.sourceFile)),
		backEnd.get("/api/v1/applications/{id}/events", o.ready), backEnd.get("/api/v1/sandbox/events"), backEnd.get("/api/v1/webhooks"),
		backEnd.post("/api/v1/webhooks/enable", ""),
		backEnd.get("/api/v1/webhooks/deliveries"), backEnd.get("/api/v1/webhooks/deliveries/{id}", o.delivery),
		backEnd.post("/api/v1/webhooks/deliveries/{id}/redeliver", "", o.delivery),
		portal.shaped(asFile).get("/assets/").asking("none.js"), portal.shaped(asFile).get("/embed/v1/embed.js"),
		portal.shaped(asFile).get("/embed/v1/embed.d.ts"),
		portalPage.get("/embed/v1/frame"), portalPage.get("/embed/v1/back/{hash}", canaryText), portalPage.get("/developers"),
		portalPage.post("/developers/runs", "product=cashflow&integration=inline"),
		portalPage.as("visitor", "Cookie", o.player).get("/developers/runs/{id}", o.played),
		portalPage.get("/developers/guides/{guide}", "embed"),
	}
}

// controlRoutes returns the routes of the sandbox's controls.
func (w *testServer) controlRoutes(t *testing.T, o *routeObjects) []route {
	control := caller{base: w.Control}
	return []route{
		control.get("/clock"),
		control.post("/clock", `{"advance":"0s"}`),
		control.get("/faults"),
		control.post("/faults", `{"match":"GET /nowhere","action":"drop"}`),
		control.send("DELETE", "/faults", ""),
		control.post("/visits/{token}/complete", `{"username":"default","end":"exit"}`, canaryText),
		control.post("/webhooks/fire", `{"publicToken":"`+o.publicToken+`","delay":"1s"}`),
		control.post("/keys/rotate", `{"atOnce":false}`),
		control.post("/callbacks", `{"publicId":"`+w.Credentials.PublicID+`","url":"`+w.Portal+`/webhooks/visit"}`),
		control.post("/complete-urls", `{"publicId":"`+w.Credentials.PublicID+`","url":"`+w.Portal+`/redirect/return"}`),
		control.post("/sandbox-reports", `{"product":"cashflow","profile":"joint"}`),
		control.post("/disputes", `{"publicToken":"`+o.publicToken+`","kind":"figure","about":"a","statement":"b"}`),
		control.get("/inbox"),
		control.with(signedWith(t, w.Credentials.ThirdParty.WebhookSecret, "msg_2", o.event)...).post("/inbox", o.event),
		control.post("/bank-accounts/revoke", `{"accountId":"`+o.account+`"}`),
		control.post("/reset", ""),
	}
}

// child creates a child account of the portal's account, with a product.
func (w *testServer) child(t *testing.T) (publicID, productID, configurationID string) {
	t.Helper()
	publicID = w.post(t, 201, "/accounts", `{"accountName":"Child"}`).field("publicId")
	productID = w.post(t, 201, "/accounts/"+publicID+"/products", `{"productName":"Theirs"}`).field("productId")
	var all []struct{ ID string }
	if err := json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/config/v1/product-configurations", "",
		"Authorization", basic(w.Credentials.Account))).Body, &all); err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return publicID, productID, all[0].ID
}

// secondary makes a report and a second one from its data. It returns the publicToken
// of the first, and headers and a file of the second.
func (w *testServer) secondary(t *testing.T) (source string, headers []string, path string) {
	t.Helper()
	c := w.Credentials
	begin := strings.Replace(w.initialization(""), `"phone":`, `"state":"OH","phone":`, 1)
	source = w.complete(t, w.post(t, 200, "/connect/initialization", begin).field("token")).field("publicToken")
	made := w.post(t, 200, "/connect/multi-product-tokens",
		`{"publicToken":"`+source+`","productId":"`+c.Products["income"]+`"}`).field("multiProductToken")
	headers = []string{"Authorization", w.bearer(t, c.Account), "X-Public-Token", made}
	for end := time.Now().Add(2 * time.Minute); ; <-time.After(20 * time.Millisecond) {
		status := good(t, 200, ask(t, "GET", w.Provider+"/connect/status", "", headers...)).field("status")
		if status == "SUCCESS" {
			break
		}
		if status != "PENDING" || time.Now().After(end) {
			t.Fatalf("the secondary report is %s", status)
		}
	}
	return source, headers, w.sourceFile(t, "income/v2", 1, headers)
}

// passport makes a passport by the sandbox's controls, and returns headers that name
// it.
func (w *testServer) passport(t *testing.T) []string {
	t.Helper()
	begin := strings.Replace(w.initialization(""), w.Credentials.Products["cashflow"], w.Credentials.Products["passport"], 1)
	token := w.post(t, 200, "/connect/initialization", begin).field("token")
	made := good(t, 200, ask(t, "POST", w.Control+"/visits/"+token+"/complete", `{"supplier":"KOR_NICE"}`, "Content-Type", asJSON))
	return []string{"Authorization", w.bearer(t, w.Credentials.Account), "X-Public-Token", made.field("publicToken")}
}

// caller makes routes of one listener for one kind of caller.
type caller struct {
	base, who string
	header    []string
	shape     shape
}

func (c caller) shaped(s shape) caller {
	c.shape = s
	return c
}

func (c caller) as(who string, header ...string) caller {
	c.who, c.header = who, header
	return c
}

func (c caller) with(header ...string) caller { return c.as("", header...) }

// get returns a route whose pattern has these parameters.
func (c caller) get(pattern string, params ...string) route {
	return c.send("GET", pattern, "", params...)
}

// post is send for the method POST.
func (c caller) post(pattern, body string, params ...string) route {
	return c.send("POST", pattern, body, params...)
}

// send returns a route that takes a body: a form of a page, and JSON otherwise.
func (c caller) send(method, pattern, body string, params ...string) route {
	r := route{base: c.base, who: c.who, header: c.header, shape: c.shape, method: method, pattern: pattern, body: body}
	if n := len(params) - 1; n >= 0 {
		r.above, r.param = strings.Join(params[:n], "/"), params[n]
	}
	switch {
	case body == "":
	case c.shape == asPage:
		r.kind = asForm
	default:
		r.kind = asJSON
	}
	return r
}

// asking adds a query.
func (r route) asking(query string) route {
	r.query = query
	return r
}

// typed changes the content type of the body.
func (r route) typed(kind string) route {
	r.kind = kind
	return r
}

// loosely marks a route that answers any value in its path.
func (r route) loosely() route {
	r.loose = true
	return r
}

// themeRoutes returns the routes of the theme of the dashboard's account, which has one.
func (w *testServer) themeRoutes(t *testing.T) []route {
	t.Helper()
	staff := w.staff(t, w.Credentials.Dashboard)
	theme := caller{base: w.Provider, shape: asPage}.as("staff", staff...)
	set := theme.post("/dashboard/theme",
		w.form(t, staff, "corners", "large", "font", "serif", "scheme", "auto", "light", "#13584c", "dark", "", "wordmark", "yes"))
	good(t, 303, ask(t, "POST", set.url(), set.body, append([]string{"Content-Type", asForm}, staff...)...))
	reset := theme.post("/dashboard/theme/reset", w.form(t, staff))
	once, err := url.ParseQuery(reset.body)
	testutil.Must(t, err)
	logo := theme.post("/dashboard/theme/logo", formPart("once", once.Get("once"))+formPart("scheme", "light")+
		filePart("logo-light", canaryText+".svg", `<svg viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>`)+"--x--\r\n").typed(asFileForm)
	return []route{theme.get("/dashboard/theme"), set, logo, reset}
}

// pictured makes an application with an income report of a pay stub that is an image. It
// returns the application's id and how the reviewer's pages name the file.
func (w *testServer) pictured(t *testing.T, reviewer []string) (id, file string) {
	t.Helper()
	var stub bytes.Buffer
	testutil.Must(t, jpeg.Encode(&stub, image.NewGray(image.Rect(0, 0, 80, 60)), nil))
	id, cookie := w.applied(t, url.Values{"product": {"income"}})
	w.walked(t, id, cookie, `{"payStubs":[{"fileName":"missingfields.jpg","contentBase64":"`+
		base64.StdEncoding.EncodeToString(stub.Bytes())+`"}]}`)
	page := good(t, 200, ask(t, "GET", w.Portal+"/review/applications/"+id+"/files", "", reviewer...))
	found := regexp.MustCompile(`/files/([^"/]+)/view"`).FindSubmatch(page.Body)
	if found == nil {
		t.Fatalf("no file is shown on the page\n%s", page.Body)
	}
	return id, string(found[1])
}

// savedFilter saves a filter of the reviewer's list and returns its id.
func (w *testServer) savedFilter(t *testing.T, reviewer []string) string {
	t.Helper()
	good(t, 303, ask(t, "POST", w.Portal+"/review/filters", "name=saved&sort=state",
		append([]string{"Content-Type", asForm}, reviewer...)...))
	page := good(t, 200, ask(t, "GET", w.Portal+"/review", "", reviewer...))
	found := regexp.MustCompile(`class="queue-saved">.*?data-queue="([0-9a-f-]{36})"`).FindSubmatch(page.Body)
	if found == nil {
		t.Fatalf("the saved filter is not on the page\n%s", page.Body)
	}
	return string(found[1])
}

// delivered waits until no delivery to the onboarding app is pending, and returns the
// newest about an application.
func (w *testServer) delivered(t *testing.T, id string) string {
	t.Helper()
	w.until(t, func() bool { return len(w.deliveries(t, "state=pending")) == 0 })
	all := w.deliveries(t, "applicationId="+id)
	if len(all) == 0 {
		t.Fatal("no event was sent about the application")
	}
	return all[0]["id"].(string)
}

// signIn signs the reviewer in and returns the cookie.
func (w *testServer) signIn(t *testing.T) string {
	t.Helper()
	return cookieOf(t, good(t, 303, ask(t, "POST", w.Portal+"/review/sign-in",
		"email="+w.Credentials.Reviewer.Email+"&password="+w.Credentials.Reviewer.Password, "Content-Type", asForm)))
}

// decideAndAdd declines an application and adds a colleague, and returns the ids of both.
func (w *testServer) decideAndAdd(t *testing.T, reviewer []string) (decided, colleague string) {
	t.Helper()
	header := append([]string{"Content-Type", asForm}, reviewer...)
	decided, _ = w.application(t, "redirect")
	good(t, 303, ask(t, "POST", w.Portal+"/review/applications/"+decided+"/decision", "seen=0&decision=declined&text=too+soon", header...))
	page := good(t, 200, ask(t, "POST", w.Portal+"/review/people", "email=colleague@example.org&role=auditor", header...))
	found := regexp.MustCompile(`action="/review/people/([0-9a-f-]{36})"`).FindSubmatch(page.Body)
	if found == nil {
		t.Fatalf("the colleague is not on the page\n%s", page.Body)
	}
	return decided, string(found[1])
}

// registration returns the body that the widget's frame sends for a token.
func (w *testServer) registration(token string) string {
	return `{"env":"sandbox","productId":"` + w.Credentials.Products["cashflow"] + `","publicId":"` +
		w.Credentials.PublicID + `","token":"` + token + `"}`
}

// signed returns the headers of a webhook with a body.
func (w *testServer) signed(t *testing.T, body string) []string {
	t.Helper()
	return w.signedAs(t, "msg_1", body)
}

func (w *testServer) signedAs(t *testing.T, id, body string) []string {
	t.Helper()
	return signedWith(t, w.Credentials.WebhookSecret, id, body)
}

func signedWith(t *testing.T, key, id, body string) []string {
	t.Helper()
	secret, err := webhook.ParseSecret(key)
	testutil.Must(t, err)
	h := map[string][]string{}
	testutil.Must(t, webhook.Sign(h, []webhook.Secret{secret}, id, time.Now(), []byte(body)))
	var out []string
	for name, v := range h {
		out = append(out, name, v[0])
	}
	return out
}

// goodSubmission returns a valid submission.
func goodSubmission(externalID string) string {
	return `{"externalId":"` + externalID + `","pullDate":"` + time.Now().UTC().Add(-time.Hour).Format("2006-01-02T15:04:05.000Z") + `",` +
		`"personal":{"firstName":"` + canaryName + `","lastName":"` + canaryLast + `","email":"` + canaryEmail + `","dob":"1990-06-15"},` +
		`"accounts":[{"id":"A1","institutionName":"Amber Coast Bank","accountType":"CHECKING","currentBalance":12.05,"currency":"USD"}]}`
}
