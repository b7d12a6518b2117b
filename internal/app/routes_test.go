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

	"vestibule/internal/webhook"
	pages "vestibule/templates/portal/review"
)

// routes lists every route of the program, each with a valid request.
func (w *testServer) routes(t *testing.T) []route {
	t.Helper()
	c := w.Credentials
	ready, embedToken := w.application(t, "embedded")
	w.visitor = w.enter(t, ready, embedToken)
	walked := w.complete(t, w.connect(t, ready, w.visitor))
	w.state(t, ready, "ready")
	open, embedToken := w.application(t, "embedded")
	applicant := w.enter(t, open, embedToken)
	w.connect(t, open, applicant)
	other, embedToken := w.application(t, "redirect")
	w.stranger = w.enter(t, other, embedToken)

	basicAuth := []string{"Authorization", basic(c.Account)}
	report := []string{"Authorization", w.bearer(t, c.Account), "X-Public-Token", walked.field("publicToken")}
	key := []string{"Authorization", w.key()}
	mine := []string{"Cookie", w.visitor}
	now := []string{"Cookie", applicant}
	reviewer := []string{"Cookie", w.signIn(t)}

	share := w.share(t, reviewer[1], ready, c.ThirdParty.PublicID)
	doomed, _ := w.application(t, "redirect")
	second, embedToken := w.application(t, "embedded")
	w.complete(t, w.connect(t, second, w.enter(t, second, embedToken)))
	w.state(t, second, "ready")
	decided, colleague := w.decideAndAdd(t, reviewer)

	consumer := good(t, 201, ask(t, "POST", w.Provider+"/connect/consumers", `{"consumerExternalId":"c-1","prefill":`+goodPrefill+`}`,
		"Authorization", basicAuth[1], "Content-Type", asJSON)).field("consumerId")
	visit := good(t, 201, ask(t, "POST", w.Provider+"/widget/v1/visits",
		w.registration(w.token(t, "")), "Content-Type", asJSON)).field("handle")
	link := good(t, 200, ask(t, "POST", w.Provider+"/secure-redirect", w.initialization(""),
		"Authorization", basicAuth[1], "Content-Type", asJSON))
	_, handle, _ := strings.Cut(link.field("redirectUrl"), "/redirect/")
	_, invited, _ := strings.Cut(good(t, 200, ask(t, "POST", w.Provider+"/connect/invite", w.initialization(`,"deliverTo":"`+canaryEmail+`"`),
		"Authorization", basicAuth[1], "Content-Type", asJSON)).field("inviteLink"), "/invite/")
	relayed := good(t, 200, ask(t, "POST", w.Provider+"/connect/relay-tokens", `{"publicToken":"`+
		walked.field("publicToken")+`","publicId":"`+c.ThirdParty.PublicID+`"}`,
		"Authorization", basicAuth[1], "Content-Type", asJSON)).field("relayToken")
	child, childProduct, configuration := w.child(t)
	event := `{"status":"SUCCESS","publicToken":"` + walked.field("publicToken") + `"}`
	var body struct {
		Meta struct {
			ConsumerID string `json:"consumer_id"`
		}
		Accounts []struct {
			ID string `json:"account_id"`
		} `json:"account_details"`
	}
	var files []struct {
		Path string `json:"source_filepath"`
	}
	json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/connect/cashflow/v2/json", "", report...)).Body, &body)
	json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/connect/cashflow/v2/files", "", report...)).Body, &files)
	account, sourceFile := body.Accounts[0].ID, files[0].Path
	source, secondary, bankFile := w.secondary(t)
	eligible, eligibleFile := w.eligibility(t)
	passport := w.passport(t)
	earner, cookie := w.applied(t, url.Values{"product": {"income"}})
	w.walked(t, earner, cookie, `{"payroll":{}}`)
	pictured, shown := w.pictured(t, reviewer)
	themed := w.themeRoutes(t)
	p, s, k := w.Portal, w.Provider, w.Control
	run := good(t, 303, ask(t, "POST", p+"/developers/runs", "product=cashflow&integration=inline", "Content-Type", asForm))
	played, player := strings.TrimPrefix(run.Header.Get("Location"), "/developers/runs/"), cookieOf(t, run)

	delivery := w.delivered(t, ready)
	return slices.Concat(w.reviewRoutes(t, child, configuration, secondary[3]), w.operatorRoutes(t), themed, []route{
		{base: s, method: "GET", pattern: "/connect/accesstoken", who: "basic", header: basicAuth},
		{base: s, method: "GET", pattern: "/connect/jwkset"},
		{base: s, method: "GET", pattern: "/jwkset"},
		{base: s, method: "GET", pattern: "/openapi.json"},
		{base: s, method: "GET", pattern: "/docs", shape: asPage},
		{base: s, method: "GET", pattern: "/docs/{part}", param: "reports", shape: asPage},
		{base: s, method: "POST", pattern: "/accounts", who: "basic", header: basicAuth, kind: asJSON,
			body: `{"accountName":"Second child","displayName":"Second"}`},
		{base: s, method: "PUT", pattern: "/accounts", who: "basic", header: basicAuth, kind: asJSON,
			body: `{"accountName":"Third child","displayName":"Third"}`},
		{base: s, method: "POST", pattern: "/accounts/{account}/products", param: child, who: "basic", header: basicAuth,
			kind: asJSON, body: `{"productName":"Loans","displayName":"A loan"}`},
		{base: s, method: "PUT", pattern: "/accounts/{account}/products", param: child, who: "basic", header: basicAuth,
			kind: asJSON, body: `{"productName":"Cards","displayName":"A card"}`},
		{base: s, method: "GET", pattern: "/config/v1/product-configurations", who: "basic", header: basicAuth},
		{base: s, method: "GET", pattern: "/config/v1/accounts/{account}/products", param: child, who: "basic", header: basicAuth},
		{base: s, method: "PUT", pattern: "/config/v1/product-configuration-assignments/{id}",
			param: configuration, who: "basic", header: basicAuth, kind: asJSON,
			body: `{"type":"account","id":"` + child + `"}`},
		{base: s, method: "DELETE", pattern: "/config/v1/product-configuration-assignments", who: "basic", header: basicAuth, kind: asJSON,
			body: `{"type":"product","id":"` + childProduct + `"}`},
		{base: s, method: "POST", pattern: "/credentials/rotate", who: "basic", header: basicAuth},
		{base: s, method: "POST", pattern: "/connect/consumers", who: "basic", header: basicAuth, kind: asJSON,
			body: `{"consumerExternalId":"c-2","prefill":` + goodPrefill + `}`},
		{base: s, method: "GET", pattern: "/connect/consumers/{id}", param: consumer, who: "basic", header: basicAuth},
		{base: s, method: "PATCH", pattern: "/connect/consumers/{id}", param: consumer, who: "basic",
			header: basicAuth, kind: asJSON, body: `{"consumerExternalId":"c-3"}`},
		{base: s, method: "DELETE", pattern: "/connect/consumers/{id}", param: consumer, who: "basic", header: basicAuth},
		{base: s, method: "GET", pattern: "/connect/consumers/{consumer}/bank-accounts",
			param: body.Meta.ConsumerID, who: "basic", header: basicAuth},
		{base: s, method: "GET", pattern: "/connect/consumers/{consumer}/bank-accounts/{id}/ach-details",
			above: body.Meta.ConsumerID, param: account, who: "basic", header: basicAuth},
		{base: s, method: "GET", pattern: "/connect/status", who: "bearer", header: report},
		// Of a report without open access, so that it is refused; internal/provider tests the others.
		{base: s, method: "POST", pattern: "/connect/refresh", who: "bearer", header: report, kind: asJSON, body: `{}`},
		{base: s, method: "GET", pattern: "/connect/cashflow/v2/json", who: "bearer", header: report},
		{base: s, method: "GET", pattern: "/connect/cashflow/v2/files", who: "bearer", header: report},
		{base: s, method: "GET", pattern: "/connect/cashflow/v2/files/{path...}", param: sourceFile, who: "bearer", header: report},
		{base: s, method: "GET", pattern: "/connect/income/v2/json", who: "bearer", header: secondary},
		{base: s, method: "GET", pattern: "/connect/income/v2/files", who: "bearer", header: secondary},
		{base: s, method: "GET", pattern: "/connect/income/v2/files/{path...}", param: bankFile, who: "bearer", header: secondary},
		{base: s, method: "GET", pattern: "/connect/affordable-housing-verification/v1/json", who: "bearer", header: eligible},
		{base: s, method: "GET", pattern: "/connect/affordable-housing-verification/v1/files", who: "bearer", header: eligible},
		{base: s, method: "GET", pattern: "/connect/affordable-housing-verification/v1/files/{path...}",
			param: eligibleFile, who: "bearer", header: eligible},
		{base: s, method: "GET", pattern: "/connect/passport/v4/json", who: "bearer", header: passport},
		{base: s, method: "GET", pattern: "/connect/passport/v4/pdf", who: "bearer", header: passport},
		{base: s, method: "GET", pattern: "/connect/suppliers", who: "basic", header: basicAuth},
		{base: s, method: "GET", pattern: "/connect/sandbox/events", who: "basic", header: basicAuth},
		{base: s, method: "POST", pattern: "/connect/multi-product-tokens", who: "basic", header: basicAuth, kind: asJSON,
			body: `{"publicToken":"` + source + `","productId":"` + c.Products["income"] + `","externalId":"multi-1","userArgs":"u"}`},
		{base: s, method: "GET", pattern: "/connect/bank-accounts/{id}/ach-details", param: account, who: "bearer", header: report},
		{base: s, method: "GET", pattern: "/connect/cashflow/oauth-destinations", who: "bearer", header: report[:2]},
		{base: s, method: "POST", pattern: "/connect/v2/cashflow/byo-report", who: "bearer",
			header: []string{"Authorization", report[1], "X-Product-Id", c.Products["cashflow"]},
			kind:   asJSON, body: goodSubmission("ext-1")},
		{base: s, method: "POST", pattern: "/connect/relay-tokens", who: "basic", header: basicAuth, kind: asJSON,
			body: `{"publicToken":"` + walked.field("publicToken") + `","publicId":"` + c.ThirdParty.PublicID + `"}`},
		{base: s, method: "DELETE", pattern: "/connect/relay-tokens/{token}", param: relayed, who: "basic", header: basicAuth},
		{base: s, method: "POST", pattern: "/connect/initialization", who: "basic", header: basicAuth,
			kind: asJSON, body: w.initialization(`,"externalId":"e-1","userArgs":"u"`)},
		{base: s, method: "POST", pattern: "/secure-redirect", who: "basic", header: basicAuth, kind: asJSON,
			body: w.initialization(`,"externalId":"e-2","userArgs":"u","completeUrl":"` + p + `/redirect/return"`)},
		{base: s, method: "POST", pattern: "/connect/invite-link", who: "basic", header: basicAuth, kind: asJSON,
			body: w.initialization(`,"externalId":"e-3","userArgs":"u"`)},
		{base: s, method: "POST", pattern: "/connect/invite", who: "basic", header: basicAuth, kind: asJSON,
			body: w.initialization(`,"externalId":"e-4","userArgs":"u","deliverTo":"` + canaryEmail + `"`)},
		{base: s, method: "GET", pattern: "/invite/{handle}", param: invited, shape: asPage},
		{base: s, method: "GET", pattern: "/access", shape: asPage},
		{base: s, method: "POST", pattern: "/access", shape: asPage, kind: asForm, body: "email=" + canaryEmail},
		{base: s, method: "GET", pattern: "/access/link/{token}", param: canaryText, shape: asPage},
		{base: s, method: "POST", pattern: "/access/link/{token}", param: canaryText, shape: asPage},
		{base: s, method: "GET", pattern: "/access/end/{account}", param: c.ThirdParty.PublicID, shape: asPage},
		{base: s, method: "POST", pattern: "/access/end/{account}", param: c.ThirdParty.PublicID, shape: asPage},
		{base: s, method: "GET", pattern: "/access/disconnect/{source}", param: canaryText, shape: asPage},
		{base: s, method: "POST", pattern: "/access/disconnect/{source}", param: canaryText, shape: asPage},
		{base: s, method: "GET", pattern: "/access/disputes", shape: asPage},
		{base: s, method: "GET", pattern: "/access/disputes/{number}", param: "D-2026-AAAAAA", shape: asPage},
		{base: s, method: "GET", pattern: "/access/disputes/{number}/files/{file}", above: "D-2026-AAAAAA", param: canaryText, shape: asPage},
		{base: s, method: "POST", pattern: "/access/disputes/{number}/note", param: "D-2026-AAAAAA", shape: asPage},
		{base: s, method: "POST", pattern: "/access/disputes/{number}/facts", param: "D-2026-AAAAAA", shape: asPage},
		{base: s, method: "GET", pattern: "/access/dispute/{report}", param: canaryText, shape: asPage},
		{base: s, method: "POST", pattern: "/access/dispute/{report}", param: canaryText, shape: asPage},
		{base: s, method: "POST", pattern: "/access/sign-out", shape: asPage},
		{base: s, method: "GET", pattern: "/access/report/{report}", param: canaryText, shape: asPage},
		{base: s, method: "GET", pattern: "/access/history", shape: asPage},
		{base: s, method: "GET", pattern: "/access/file.json", shape: asPage},
		{base: s, method: "GET", pattern: "/access/file.pdf", shape: asPage},
		{base: s, method: "GET", pattern: "/access/freeze", shape: asPage},
		{base: s, method: "POST", pattern: "/access/freeze", shape: asPage, kind: asForm, body: "change=freeze"},
		{base: s, method: "GET", pattern: "/access/delete/{account}", param: c.ThirdParty.PublicID, shape: asPage},
		{base: s, method: "POST", pattern: "/access/delete/{account}", param: c.ThirdParty.PublicID, shape: asPage},
		{base: s, method: "GET", pattern: "/redirect/{handle}", param: handle, shape: asPage},
		{base: s, method: "POST", pattern: "/redirect/{handle}", param: handle, shape: asPage,
			kind: asForm, body: "token=" + link.field("redirectToken")},
		{base: s, method: "GET", pattern: "/widget/v1/widget.js", shape: asFile},
		{base: s, method: "GET", pattern: "/widget/v1/widget.d.ts", shape: asFile},
		{base: s, method: "GET", pattern: "/widget/v1/frame", shape: asPage},
		{base: s, method: "GET", pattern: "/widget/v1/problems/{code}", param: "INVALID_TOKEN", shape: asPage, loose: true},
		{base: s, method: "POST", pattern: "/widget/v1/visits", kind: asJSON, body: w.registration(w.token(t, ""))},
		{base: s, method: "GET", pattern: "/visit/{handle}", param: visit, shape: asPage},
		{base: s, method: "POST", pattern: "/visit/{handle}", param: visit, shape: asPage,
			kind: asForm, body: "action=sign-in&username=default&password=x"},
		{base: s, method: "POST", pattern: "/visit/{handle}/authorize", param: visit, shape: asPage, kind: asForm, body: "nonce=0"},
		{base: s, method: "GET", pattern: "/oauth/callback", shape: asPage, loose: true},
		{base: s, method: "GET", pattern: "/oauth/callback/{institution}", param: canaryText, shape: asPage, loose: true},
		{base: s, method: "POST", pattern: "/visit/{handle}/documents", param: visit, shape: asPage, kind: asFileForm,
			body: filePart("file", canaryText+".pdf", "%PDF-1.7") + "--x--\r\n"},
		{base: s, method: "GET", pattern: "/visit/{handle}/return", param: visit, shape: asPage},
		{base: s, method: "GET", pattern: "/assets/", query: "none.js", shape: asFile},

		{base: p, method: "GET", pattern: "/{$}", shape: asPage},
		{base: p, method: "GET", pattern: "/brand/{file}", param: "none.css", shape: asFile},
		{base: p, method: "GET", pattern: "/legal/{document}", param: "privacy", shape: asPage},
		{base: p, method: "GET", pattern: "/apply/{product}", param: "cashflow", shape: asPage},
		{base: p, method: "POST", pattern: "/applications", shape: asPage, kind: asForm, body: goodForm().Encode()},
		{base: p, method: "GET", pattern: "/applications/{id}", param: ready, shape: asPage, who: "visitor", header: mine},
		{base: p, method: "POST", pattern: "/applications/{id}/applicant", param: open, shape: asPage,
			who: "visitor", header: now, kind: asForm, body: goodForm().Encode()},
		{base: p, method: "POST", pattern: "/applications/{id}/restart", param: open, shape: asPage,
			who: "visitor", header: now, kind: asForm, body: "mode=embedded"},
		{base: p, method: "GET", pattern: "/applications/{id}/stream", param: ready, who: "visitor", header: mine},
		{base: p, method: "POST", pattern: "/applications/{id}/callbacks", param: open, who: "visitor", header: now,
			kind: asJSON, body: `{"eventId":"e1","type":"onExit","attempt":1}`},
		{base: p, method: "POST", pattern: "/applications/{id}/link", param: open, shape: asPage, who: "visitor", header: now},
		{base: p, method: "POST", pattern: "/applications/{id}/letter", param: open, shape: asPage, who: "visitor", header: now},
		{base: p, method: "GET", pattern: "/resume/{token}", param: canaryText, shape: asPage},
		{base: p, method: "POST", pattern: "/resume/{token}", param: canaryText, shape: asPage},
		{base: p, method: "GET", pattern: "/return", shape: asPage},
		{base: p, method: "POST", pattern: "/return", shape: asPage, kind: asForm, body: "email=" + canaryEmail},
		{base: p, method: "GET", pattern: "/review/letters", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/audit", shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "query=" + canaryEmail},
		{base: p, method: "POST", pattern: "/review/letters/{id}/resend", param: "00000000-0000-4000-8000-000000000000", shape: asPage,
			who: "reviewer", header: reviewer, kind: asForm, body: "x=y"},
		{base: p, method: "GET", pattern: "/applications/{id}/connect", param: open, shape: asPage, who: "visitor", header: now},
		{base: p, method: "POST", pattern: "/applications/{id}/connect", param: open, shape: asPage, kind: asForm, body: "grant=" + canaryText},
		{base: p, method: "POST", pattern: "/webhooks/visit", kind: asJSON, body: event, header: w.signed(t, event)},
		{base: p, method: "GET", pattern: "/redirect/return", shape: asPage},
		{base: p, method: "POST", pattern: "/redirect/return", shape: asPage, kind: asForm, body: "token=" + canaryText},
		{base: p, method: "GET", pattern: "/redirect/finish/{handle}", param: canaryText, shape: asPage},
		{base: p, method: "GET", pattern: "/review/sign-in", shape: asPage},
		{base: p, method: "POST", pattern: "/review/sign-in", shape: asPage, kind: asForm,
			body: "email=" + canaryEmail + "&password=" + canaryText + "&next=/review"},
		{base: p, method: "POST", pattern: "/review/sign-out", shape: asPage, header: []string{"Cookie", w.signIn(t)}},
		{base: p, method: "GET", pattern: "/review", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/", shape: asPage, header: reviewer},
		{base: p, method: "GET", pattern: "/review/overview", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/find", shape: asPage, header: reviewer},
		{base: p, method: "POST", pattern: "/review/find", shape: asPage, who: "reviewer", header: reviewer, kind: asForm, body: "query=x"},
		{base: p, method: "POST", pattern: "/review/remind", shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "id=" + ready},
		{base: p, method: "POST", pattern: "/review/export", shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "id=" + ready},
		{base: p, method: "POST", pattern: "/review/live", shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "sort=state&row=" + ready + ".0"},
		{base: p, method: "POST", pattern: "/review/density", shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "density=dense&back=%2Freview"},
		{base: p, method: "POST", pattern: "/review/columns", shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "column=state&sort=state"},
		{base: p, method: "POST", pattern: "/review/filters", shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "name=" + canaryText + "&sort=state"},
		// Changing a filter that does not exist is no error.
		{base: p, method: "POST", pattern: "/review/filters/{id}", param: w.savedFilter(t, reviewer),
			shape: asPage, who: "reviewer", header: reviewer, kind: asForm, body: "sort=state&do=later", loose: true},
		{base: p, method: "POST", pattern: "/review/assign", shape: asPage, who: "reviewer", header: reviewer, kind: asForm, body: "do=take"},
		{base: p, method: "GET", pattern: "/review/applications/{id}", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/next", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/report", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/transactions", param: ready,
			shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/refresh", param: earner, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/refresh", param: earner,
			shape: asPage, who: "reviewer", header: reviewer, kind: asForm, body: "report=1.0"},
		{base: p, method: "GET", pattern: "/review/applications/{id}/keep", param: earner, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/keep", param: earner, shape: asPage, who: "reviewer", header: reviewer,
			kind: asForm, body: "report=1.0"},
		{base: p, method: "GET", pattern: "/review/applications/{id}/report.json", param: ready,
			shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/report.pdf", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/report.csv", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/months.csv", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/files", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/files/{file}", above: ready,
			param: pages.FileRef(sourceFile), shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/files/{file}/view", above: pictured,
			param: shown, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/files/{file}/pages/{page}", above: pictured + "/" + shown,
			param: "1", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/shares", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/shares", param: ready,
			shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "publicId=" + c.ThirdParty.PublicID + "&label=Third"},
		{base: p, method: "GET", pattern: "/review/applications/{id}/decision", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/decision", param: ready,
			shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "seen=0&decision=declined&text=" + canaryText},
		{base: p, method: "GET", pattern: "/review/applications/{id}/preview", param: ready,
			shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/preview", param: ready,
			shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "seen=0&decision=declined&part=letter&text=" + canaryText},
		{base: p, method: "GET", pattern: "/review/applications/{id}/notes", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/notes", param: ready, shape: asPage,
			who: "reviewer", header: reviewer, kind: asForm, body: "text=" + canaryText},
		{base: p, method: "GET", pattern: "/review/applications/{id}/letter", param: decided, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/letter", param: decided, shape: asPage,
			who: "reviewer", header: reviewer, kind: asForm, body: "again=1"},
		{base: p, method: "GET", pattern: "/review/applications/{id}/compare", param: ready,
			query: "?with=" + second, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/applications/{id}/delete", param: ready, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/applications/{id}/delete", param: doomed,
			shape: asPage, who: "reviewer", header: reviewer, kind: asForm,
			body: "id=" + doomed + "&cause=request&sure=yes"},
		{base: p, method: "GET", pattern: "/review/deletions", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/audit", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/audit.csv", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/people", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/people", shape: asPage, who: "reviewer", header: reviewer,
			kind: asForm, body: "email=" + canaryEmail + "&role=auditor"},
		{base: p, method: "POST", pattern: "/review/people/{id}", param: colleague, shape: asPage,
			who: "reviewer", header: reviewer, kind: asForm, body: "do=link"},
		{base: p, method: "GET", pattern: "/review/second-factor", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/second-factor", shape: asPage, who: "reviewer", header: reviewer,
			kind: asForm, body: "do=add&password=" + canaryText},
		{base: p, method: "GET", pattern: "/review/sign-in/code", shape: asPage},
		{base: p, method: "POST", pattern: "/review/sign-in/code", shape: asPage, kind: asForm, body: "code=" + canaryText},
		{base: p, method: "GET", pattern: "/review/sign-in/factor", shape: asPage},
		{base: p, method: "POST", pattern: "/review/sign-in/factor", shape: asPage, kind: asForm, body: "code=" + canaryText},
		{base: p, method: "GET", pattern: "/review/oidc/login", shape: asPage},
		{base: p, method: "GET", pattern: "/review/sign-in/return", shape: asPage},
		{base: p, method: "GET", pattern: "/review/forgotten-password", shape: asPage},
		{base: p, method: "POST", pattern: "/review/forgotten-password", shape: asPage, kind: asForm, body: "email=" + canaryEmail},
		{base: p, method: "GET", pattern: "/review/set-password/{token}", param: canaryText, shape: asPage},
		{base: p, method: "POST", pattern: "/review/set-password/{token}", param: canaryText,
			shape: asPage, kind: asForm, body: "password=" + canaryText},
		{base: p, method: "GET", pattern: "/review/events", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/events/enable", shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/review/events/{id}", param: delivery, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/events/{id}/redeliver", param: delivery, shape: asPage,
			who: "reviewer", header: reviewer, kind: asForm, body: "resends=0"},
		{base: p, method: "GET", pattern: "/review/shares/{id}/withdraw", param: share, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "POST", pattern: "/review/shares/{id}/withdraw", param: share, shape: asPage, who: "reviewer", header: reviewer},
		{base: p, method: "GET", pattern: "/api/v1/openapi.json"},
		{base: p, method: "GET", pattern: "/api/v1/docs", shape: asPage},
		{base: p, method: "GET", pattern: "/api/v1/docs/{part}", param: "applications", shape: asPage},
		{base: p, method: "POST", pattern: "/api/v1/applications", who: "key", header: key, kind: asJSON,
			body: `{"product":"cashflow","mode":"embedded","externalId":"a-1","userArgs":"u","returnUrl":"https://example.org/",` +
				`"allowedOrigin":"https://example.org","prefill":` + goodPrefill + `}`},
		{base: p, method: "GET", pattern: "/api/v1/applications/{id}", param: ready, who: "key", header: key},
		{base: p, method: "POST", pattern: "/api/v1/applications/{id}/embed-token", param: ready, who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/applications/{id}/report", param: ready, who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/applications/{id}/report.pdf", param: ready, who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/applications", who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/applications/{id}/files", param: ready, who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/applications/{id}/files/{path}", above: ready,
			param: url.PathEscape(sourceFile), who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/applications/{id}/events", param: ready, who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/sandbox/events", who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/webhooks", who: "key", header: key},
		{base: p, method: "POST", pattern: "/api/v1/webhooks/enable", who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/webhooks/deliveries", who: "key", header: key},
		{base: p, method: "GET", pattern: "/api/v1/webhooks/deliveries/{id}", param: delivery, who: "key", header: key},
		{base: p, method: "POST", pattern: "/api/v1/webhooks/deliveries/{id}/redeliver", param: delivery, who: "key", header: key},
		{base: p, method: "GET", pattern: "/assets/", query: "none.js", shape: asFile},
		{base: p, method: "GET", pattern: "/embed/v1/embed.js", shape: asFile},
		{base: p, method: "GET", pattern: "/embed/v1/embed.d.ts", shape: asFile},
		{base: p, method: "GET", pattern: "/embed/v1/frame", shape: asPage},
		{base: p, method: "GET", pattern: "/embed/v1/back/{hash}", param: canaryText, shape: asPage},
		{base: p, method: "GET", pattern: "/developers", shape: asPage},
		{base: p, method: "POST", pattern: "/developers/runs", shape: asPage, kind: asForm, body: "product=cashflow&integration=inline"},
		{base: p, method: "GET", pattern: "/developers/runs/{id}", param: played, shape: asPage,
			who: "visitor", header: []string{"Cookie", player}},
		{base: p, method: "GET", pattern: "/developers/guides/{guide}", param: "embed", shape: asPage},

		{base: k, method: "GET", pattern: "/clock"},
		{base: k, method: "POST", pattern: "/clock", kind: asJSON, body: `{"advance":"0s"}`},
		{base: k, method: "GET", pattern: "/faults"},
		{base: k, method: "POST", pattern: "/faults", kind: asJSON, body: `{"match":"GET /nowhere","action":"drop"}`},
		{base: k, method: "DELETE", pattern: "/faults"},
		{base: k, method: "POST", pattern: "/visits/{token}/complete", param: canaryText,
			kind: asJSON, body: `{"username":"default","end":"exit"}`},
		{base: k, method: "POST", pattern: "/webhooks/fire", kind: asJSON, body: `{"publicToken":"` +
			walked.field("publicToken") + `","delay":"1s"}`},
		{base: k, method: "POST", pattern: "/keys/rotate", kind: asJSON, body: `{"atOnce":false}`},
		{base: k, method: "POST", pattern: "/callbacks", kind: asJSON, body: `{"publicId":"` +
			c.PublicID + `","url":"` + p + `/webhooks/visit"}`},
		{base: k, method: "POST", pattern: "/complete-urls", kind: asJSON, body: `{"publicId":"` +
			c.PublicID + `","url":"` + p + `/redirect/return"}`},
		{base: k, method: "POST", pattern: "/sandbox-reports", kind: asJSON, body: `{"product":"cashflow","profile":"joint"}`},
		{base: k, method: "POST", pattern: "/disputes", kind: asJSON, body: `{"publicToken":"` + walked.field("publicToken") +
			`","kind":"figure","about":"a","statement":"b"}`},
		{base: k, method: "GET", pattern: "/inbox"},
		{base: k, method: "POST", pattern: "/inbox", kind: asJSON, body: event,
			header: signedWith(t, c.ThirdParty.WebhookSecret, "msg_2", event)},
		{base: k, method: "POST", pattern: "/bank-accounts/revoke", kind: asJSON, body: `{"accountId":"` + account + `"}`},
		{base: k, method: "POST", pattern: "/reset"},
	})
}

// child creates a child account of the portal's account, with a product.
func (w *testServer) child(t *testing.T) (publicID, productID, configurationID string) {
	t.Helper()
	header := []string{"Authorization", basic(w.Credentials.Account), "Content-Type", asJSON}
	publicID = good(t, 201, ask(t, "POST", w.Provider+"/accounts", `{"accountName":"Child"}`, header...)).field("publicId")
	productID = good(t, 201, ask(t, "POST", w.Provider+"/accounts/"+publicID+"/products",
		`{"productName":"Theirs"}`, header...)).field("productId")
	var all []struct{ ID string }
	if err := json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/config/v1/product-configurations", "", header[:2]...)).Body,
		&all); err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return publicID, productID, all[0].ID
}

// secondary makes a report and a second one from its data. It returns the publicToken
// of the first, and headers and a file of the second.
func (w *testServer) secondary(t *testing.T) (source string, headers []string, path string) {
	t.Helper()
	c := w.Credentials
	authorization := []string{"Authorization", basic(c.Account), "Content-Type", asJSON}
	begin := strings.Replace(w.initialization(""), `"phone":`, `"state":"OH","phone":`, 1)
	source = w.complete(t, good(t, 200, ask(t, "POST", w.Provider+"/connect/initialization",
		begin, authorization...)).field("token")).field("publicToken")
	made := good(t, 200, ask(t, "POST", w.Provider+"/connect/multi-product-tokens",
		`{"publicToken":"`+source+`","productId":"`+c.Products["income"]+`"}`, authorization...)).field("multiProductToken")
	headers = []string{"Authorization", w.bearer(t, c.Account), "X-Public-Token", made}
	for end := time.Now().Add(15 * time.Second); ; <-time.After(20 * time.Millisecond) {
		status := good(t, 200, ask(t, "GET", w.Provider+"/connect/status", "", headers...)).field("status")
		if status == "SUCCESS" {
			break
		}
		if status != "PENDING" || time.Now().After(end) {
			t.Fatalf("the secondary report is %s", status)
		}
	}
	var files []struct {
		Path string `json:"source_filepath"`
	}
	json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/connect/income/v2/files", "", headers...)).Body, &files)
	return source, headers, files[0].Path
}

// passport makes a passport by the sandbox's controls, and returns headers that name
// it.
func (w *testServer) passport(t *testing.T) []string {
	t.Helper()
	authorization := []string{"Authorization", basic(w.Credentials.Account), "Content-Type", asJSON}
	begin := strings.Replace(w.initialization(""), w.Credentials.Products["cashflow"], w.Credentials.Products["passport"], 1)
	token := good(t, 200, ask(t, "POST", w.Provider+"/connect/initialization", begin, authorization...)).field("token")
	made := good(t, 200, ask(t, "POST", w.Control+"/visits/"+token+"/complete", `{"supplier":"KOR_NICE"}`, "Content-Type", asJSON))
	return []string{"Authorization", w.bearer(t, w.Credentials.Account), "X-Public-Token", made.field("publicToken")}
}

// themeRoutes returns the routes of the theme of the dashboard's account, which has one.
func (w *testServer) themeRoutes(t *testing.T) []route {
	t.Helper()
	staff := w.staff(t, w.Credentials.Dashboard)
	set := route{base: w.Provider, method: "POST", pattern: "/dashboard/theme", shape: asPage, who: "staff", header: staff, kind: asForm,
		body: w.form(t, staff, "corners", "large", "font", "serif", "scheme", "auto", "light", "#13584c", "dark", "", "wordmark", "yes")}
	good(t, 303, ask(t, "POST", set.url(), set.body, append([]string{"Content-Type", asForm}, staff...)...))
	show, reset, logo := set, set, set
	show.method, show.kind, show.body = "GET", "", ""
	reset.pattern, reset.body = "/dashboard/theme/reset", w.form(t, staff)
	once, err := url.ParseQuery(reset.body)
	if err != nil {
		t.Fatal(err)
	}
	logo.pattern, logo.kind = "/dashboard/theme/logo", asFileForm
	logo.body = formPart("once", once.Get("once")) + formPart("scheme", "light") + filePart("logo-light", canaryText+".svg",
		`<svg viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>`) + "--x--\r\n"
	return []route{show, set, logo, reset}
}

// pictured makes an application with an income report of a pay stub that is an image. It
// returns the application's id and how the reviewer's pages name the file.
func (w *testServer) pictured(t *testing.T, reviewer []string) (id, file string) {
	t.Helper()
	var stub bytes.Buffer
	if err := jpeg.Encode(&stub, image.NewGray(image.Rect(0, 0, 80, 60)), nil); err != nil {
		t.Fatal(err)
	}
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
	var newest struct{ Deliveries []struct{ ID string } }
	list := func(query string) int {
		newest.Deliveries = nil
		json.Unmarshal(good(t, 200, ask(t, "GET", w.Portal+"/api/v1/webhooks/deliveries?"+query, "", "Authorization", w.key())).Body, &newest)
		return len(newest.Deliveries)
	}
	w.until(t, func() bool { return list("state=pending") == 0 })
	if list("applicationId="+id) == 0 {
		t.Fatal("no event was sent about the application")
	}
	return newest.Deliveries[0].ID
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
	if err != nil {
		t.Fatal(err)
	}
	h := map[string][]string{}
	if err := webhook.Sign(h, []webhook.Secret{secret}, id, time.Now(), []byte(body)); err != nil {
		t.Fatal(err)
	}
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
