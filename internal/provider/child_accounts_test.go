package provider_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/webhook"
)

// TestWebhooksOfChildAccounts checks that events about a child's reports go to its parent's
// callback until the child has one, and name the child in a header, and that they never go to
// another customer's.
func TestWebhooksOfChildAccounts(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child := b.child("Child")
		product := b.productOf(child, "Product")
		asChild := func(h headers) headers { return append(h, "X-PUBLIC-ID", child) }
		made := func() string {
			t.Helper()
			a := b.post("/connect/initialization", asChild(b.basic()), map[string]any{"productId": product, "prefill": applicant})
			b.want("a visit of the child", a, 200, "")
			return b.complete(a.text("token"), nil).text("publicToken")
		}
		events := func(n int) webhook.Event { t.Helper(); all := b.inbox.wait(t, n); return all[n-1] }

		token := made()
		if e := events(1); e.PublicToken != token || e.PublicID != child {
			t.Errorf("the parent got %+v", e)
		}
		if got := b.inbox.account(); got != child {
			t.Errorf("the header names %s, want the child", got)
		}
		own := b.complete(b.begin(), nil).text("publicToken")
		if e := events(2); e.PublicToken != own || e.PublicID != b.seed.PublicID || b.inbox.account() != b.seed.PublicID {
			t.Errorf("of the parent's own report it got %+v for %s", e, b.inbox.account())
		}

		// With a callback of its own, also one that is turned off, the parent gets nothing.
		var mu sync.Mutex
		accounts := []string{}
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			accounts = append(accounts, r.Header.Get(webhook.HeaderAccount))
			w.WriteHeader(http.StatusGone) // turns it off
		}))
		defer receiver.Close()
		b.want("the child's callback", b.do("POST", "/callbacks", map[string]any{"publicId": child, "url": receiver.URL}), 200, "")
		made()
		b.until(1, `SELECT COUNT(*) FROM callbacks WHERE disabled_at IS NOT NULL`)
		made()
		own = b.complete(b.begin(), nil).text("publicToken")
		if e := events(3); e.PublicToken != own {
			t.Errorf("the parent got %+v", e)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(accounts) != 1 || accounts[0] != child {
			t.Errorf("the child's callback got events about %q", accounts)
		}
	})
}

// TestParentsStaffSeesChildrensReports checks that staff of a parent lists, finds, reads and
// corrects reports of its child accounts, and that staff of a child, and of another customer,
// sees none but its own.
func TestParentsStaffSeesChildrensReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		child := b.child("Branch of Ohio")
		ofChild := b.productOf(child, "Product")
		b.want("an income product", b.assign(b.configurations()["Income, suite 2.0"], "product", ofChild), 200, "")
		a := b.post("/connect/initialization", append(b.basic(), "X-PUBLIC-ID", child),
			map[string]any{"productId": ofChild, "externalId": "ohio-1", "prefill": person("Default", "Harper")})
		b.want("a visit of the child", a, 200, "")
		token := b.complete(a.text("token"), map[string]any{"username": "default"}).text("publicToken")
		own, _ := b.cashflowVisit("default", "externalId", "own-1")
		b.delivered(2)
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		page, ourPage := "/dashboard/reports/"+d.reportNamed(token), "/dashboard/reports/"+d.reportNamed(own)
		correction := []string{"revision", "0", "net_annual", "54321", "reason", "The second job was left out."}
		b.run("the parent's staff lists and reads them", func(t *testing.T) {
			says(t, "the list", d.page("/dashboard/reports"), []string{"own-1"}, "ohio-1")
			says(t, "the child's list", d.page("/dashboard/reports?account="+child), []string{"ohio-1"}, "own-1")
			says(t, "the list of all", d.page("/dashboard/reports?account=all"), []string{"ohio-1", "own-1"})
			says(t, "the child's report", d.page(page), []string{"Branch of Ohio", page + "/correct", page + "/share"})
			says(t, "the delivery of its event", d.page(d.find(page, `"(/dashboard/deliveries/[^"]+)"`)), []string{page})
		})
		b.run("another customer's staff does not reach them", func(*testing.T) {
			eve.unknown("/dashboard/reports?account="+child, page, page+"/correct")
			eve.wantSent("correcting", 404, page+"/correct", correction...)
			eve.wantSent("the preview", 404, page+"/correct/check", correction...)
			eve.wantSent("sharing", 404, page+"/share", "publicId", b.seed.PublicID)
		})
		b.run("the parent's staff shares one, and withdraws the share", func(t *testing.T) {
			d.wantSent("sharing", 303, page+"/share", "publicId", b.seed.ThirdParty.PublicID)
			says(t, "the list of shares", d.page("/dashboard/relay-tokens"), []string{"Branch of Ohio"})
			if n := b.count(`SELECT count(*) FROM relay_tokens r JOIN customers c ON c.id = r.customer_id WHERE c.public_id = $1`, child); n != 1 {
				t.Errorf("the child has %d shares", n)
			}
			if n := b.count(`SELECT count(*) FROM audit a JOIN customers c ON c.id = a.subject_id WHERE c.public_id = $1 AND actor = 'parent'
				AND action = 'report shared'`, child); n != 1 {
				t.Error("the share is not in the child's audit trail")
			}
			withdraw := d.find("/dashboard/relay-tokens", `(/dashboard/relay-tokens/`+uuidPattern[1:len(uuidPattern)-1]+`/withdraw)`)
			eve.wantSent("the third party withdraws the share", 404, withdraw)
			d.wantSent("withdrawing", 303, withdraw)
			if n := b.count(`SELECT count(*) FROM relay_tokens WHERE revoked_at IS NOT NULL`); n != 1 {
				t.Errorf("%d shares are withdrawn", n)
			}
		})
		b.run("the parent's staff corrects one", func(t *testing.T) {
			d.wantSent("correcting", 303, page+"/correct", correction...)
			r := b.incomeReport(append(headers{"X-Public-Token", token, "X-PUBLIC-ID", child}, b.bearer(b.basic())...))
			if *r.Income.Revised.NetAnnual != 54321 {
				t.Errorf("the corrected report is %+v", r.Income.Revised)
			}
			if e := b.inbox.wait(t, 3)[2]; e.PublicToken != token || e.PublicID != child || e.Status != contract.StatusSuccess {
				t.Errorf("the event of the correction is %+v", e)
			}
		})
		b.run("the child's staff sees its own, and neither its parent's nor a sibling's", func(t *testing.T) {
			b.exec(`UPDATE users SET customer_id = (SELECT id FROM customers WHERE public_id = $1)
				WHERE customer_id = (SELECT id FROM customers WHERE public_id = $2)`, child, b.seed.ThirdParty.PublicID)
			says(t, "the list", eve.page("/dashboard/reports"), []string{"ohio-1"}, "own-1")
			says(t, "the list of all", eve.page("/dashboard/reports?account=all"), nil, "own-1")
			eve.page(page)
			eve.unknown(ourPage, "/dashboard/reports?account="+b.child("Sibling"), "/dashboard/reports?account="+b.seed.PublicID)
		})
	})
}

// TestChildHasUsersAndCredentials checks that a parent's staff gives a child account a user and a
// client, and that both act for the child alone.
func TestChildHasUsersAndCredentials(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		child, sibling := b.child("Child"), b.child("Sibling")
		page := "/dashboard/accounts/" + child
		d.wantSent("inviting", 303, page+"/people", "email", "carl@branch.example")
		link := d.find(page, `data-testid="secret"[^>]*>([^<]+)<`)
		_, path, _ := strings.Cut(link, b.service.URL)
		const password = "the password of Carl"
		if a := b.browser().send(path, url.Values{"password": {password}}); a.status != 303 {
			t.Fatalf("setting the password by %s: %d", link, a.status)
		}
		carl := b.signIn(provider.Login{Email: "carl@branch.example", Password: password})
		carl.wantSent("setting the child's callback", 303, "/dashboard/webhooks", "endpoint", "https://branch.example/hook")
		if text := carl.page("/dashboard/audit"); !strings.Contains(text, i18ntest.EN("dashboard.author.parent")) {
			t.Error("the child's audit trail does not say that its parent invited the user")
		}
		carl.unknown("/dashboard/accounts", page, "/dashboard/accounts/"+sibling)
		carl.wantSent("a user for a sibling", 404, "/dashboard/accounts/"+sibling+"/people", "email", "eve@branch.example")

		d.wantSent("a client", 303, page+"/credentials", "client", "Branch server")
		secret := d.find(page, `data-testid="secret"[^>]*>([^<]+)<`)
		id := b.one(`SELECT client_id FROM credentials WHERE name = 'Branch server'`)
		product := b.productOf(child, "Product")
		body := map[string]any{"productId": product, "prefill": applicant}
		b.want("the child itself", b.post("/connect/initialization", basic(id, secret), body), 200, "")
		b.want("the child for its sibling", b.post("/connect/initialization", append(basic(id, secret), "X-PUBLIC-ID", sibling), body),
			403, contract.CodeUnknownCustomer)
		credential := d.find(page, `name="credential" value="`+uuidPattern+`"`)
		d.wantSent("revoked as the sibling's", 404, "/dashboard/accounts/"+sibling+"/credentials/revoke", "credential", credential)
		d.wantSent("revoking", 303, page+"/credentials/revoke", "credential", credential)
		b.want("after that", b.post("/connect/initialization", basic(id, secret), body), 403, contract.CodeUnknownCustomer)

		user := d.find(page, `name="user" value="`+uuidPattern+`"`)
		d.wantSent("removing", 303, page+"/people/remove", "user", user)
		if a := carl.ask("GET", "/dashboard", ""); a.status != 303 {
			t.Errorf("the removed user: %d", a.status)
		}
	})
}

// TestChildsTokensOpenNothingElse asks with the tokens of a child account for everything of its parent and of a sibling: all of it is
// as unknown as if it did not exist.
func TestChildsTokensOpenNothingElse(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d, child, sibling := b.signIn(customerUser), b.child("Child"), b.child("Sibling")
		product, page := b.productOf(child, "Loan"), "/dashboard/accounts/"+child
		d.send(page+"/credentials", d.form("client", "Branch server"))
		secret := d.find(page, `data-testid="secret"[^>]*>([^<]+)<`)
		own := basic(b.one(`SELECT client_id FROM credentials WHERE name = 'Branch server'`), secret)
		token := b.bearer(own)
		unknown := "11111111-1111-4111-8111-111111111111"
		for name, of := range map[string]headers{"the parent": b.basic(), "the sibling": append(b.basic(), "X-PUBLIC-ID", sibling)} {
			theirs := b.seed.Products[contract.Cashflow]
			if name == "the sibling" {
				theirs = b.productOf(sibling, "Loan")
			}
			a := b.post("/connect/consumers", of, map[string]any{"prefill": applicant})
			b.want("a consumer of "+name, a, 201, "")
			consumer := a.text("consumerId")
			a = b.post("/connect/initialization", of, map[string]any{"productId": theirs, "prefill": applicant, "externalId": "theirs"})
			b.want("a visit of "+name, a, 200, "")
			report := b.complete(a.text("token"), map[string]any{"username": "default"}).text("publicToken")
			a = b.post(relayPath, of, map[string]any{"publicToken": report, "publicId": b.seed.ThirdParty.PublicID})
			b.want("a share of "+name, a, 200, "")
			relay := a.text("relayToken")
			for _, c := range []struct {
				method, path string
				h            headers
				body         func(id string) any
				id           string
			}{
				{"GET", "/connect/status", token, nil, report},
				{"GET", "/connect/cashflow/v2/json", token, nil, report},
				{"GET", "/connect/consumers/{id}", own, nil, consumer},
				{"DELETE", "/connect/consumers/{id}", own, nil, consumer},
				{"GET", "/connect/consumers/{id}/bank-accounts", own, nil, consumer},
				{"DELETE", relayPath + "/{id}", own, nil, relay},
				{"POST", relayPath, own, func(id string) any {
					return map[string]any{"publicToken": id, "publicId": b.seed.ThirdParty.PublicID}
				}, report},
				{"POST", "/connect/refresh", own, func(id string) any { return map[string]any{"publicToken": id} }, report},
				{"POST", multiPath, own, func(id string) any { return map[string]any{"publicToken": id, "productId": product} }, report},
				{"POST", "/connect/initialization", own, func(id string) any {
					return map[string]any{"productId": id, "prefill": applicant}
				}, theirs},
				{"POST", "/connect/initialization", own, func(id string) any {
					return map[string]any{"productId": product, "consumerId": id}
				}, consumer},
			} {
				ask := func(id string) answer {
					h, path, body := append(headers{}, c.h...), strings.Replace(c.path, "{id}", id, 1), any(nil)
					if c.body != nil {
						body = c.body(id)
					} else if path == c.path {
						h = append(h, "X-PUBLIC-TOKEN", id)
					}
					return b.ask(b.service.URL, c.method, path, h, body)
				}
				got, want := ask(c.id), ask(unknown)
				if got.status/100 != 4 || got.status != want.status || got.text("error") != want.text("error") {
					t.Errorf("%s %s of %s: %d %s, and of an unknown one %d %s", c.method, c.path, name, got.status, got.raw, want.status, want.raw)
				}
			}
			b.want("by the name of "+name, b.get("/connect/cashflow/v2/json", append(append(headers{}, token...), "X-EXTERNAL-ID", "theirs")),
				404, contract.CodeInvalidToken)
			b.want("afterwards, by "+name, b.get("/connect/cashflow/v2/json", append(b.bearer(of), "X-PUBLIC-TOKEN", report)), 200, "")
			b.want("their consumer", b.get("/connect/consumers/"+consumer, of), 200, "")
			b.want("their share", b.get("/connect/cashflow/v2/json", b.relay(relay)), 200, "")
		}
	})
}

// TestFormerEmployeeHoldsNothing removes a user who keeps a session, links for a consumer, one of which they opened, and an invitation.
func TestFormerEmployeeHoldsNothing(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		b.cashflowVisit("default", "prefill", applicant)
		ada := b.signIn(customerUser)
		link := func(of *dashboardBrowser, page, path string, form ...string) string {
			t.Helper()
			of.wantSent(path, 303, path, form...)
			_, path, _ = strings.Cut(of.find(page, `data-testid="secret"[^>]*>([^<]+)<`), b.service.URL)
			return path
		}
		const password = "a long password of bob"
		b.browser().send(link(ada, "/dashboard/people", "/dashboard/people", "email", "bob@customer.example"),
			url.Values{"password": {password}})
		bob := b.signIn(provider.Login{Email: "bob@customer.example", Password: password})
		report := "/dashboard/reports/" + ada.find("/dashboard/reports", `/dashboard/reports/`+uuidPattern)
		held, opened, kept := link(ada, report, report+"/link"), link(ada, report, report+"/link"), link(bob, report, report+"/link")
		invitation := link(ada, "/dashboard/people", "/dashboard/people", "email", "eve@customer.example")
		file := b.browser()
		if a := file.send(opened, nil); a.status != 303 || file.ask("GET", "/access/history", "").status != 200 {
			t.Fatalf("opening the link: %d %s", a.status, a.raw)
		}
		self := bob.find("/dashboard/people", `/dashboard/people/`+uuidPattern+`/remove`) // ada, the first by address
		bob.wantSent("removing", 303, "/dashboard/people/"+self+"/remove")
		for what, got := range map[string][2]int{
			"the session":               {ada.ask("GET", "/dashboard", "").status, 303},
			"the link for a consumer":   {b.browser().send(held, nil).status, 410},
			"the consumer's session":    {file.ask("GET", "/access/history", "").status, 403},
			"the invitation":            {b.browser().send(invitation, url.Values{"password": {password}}).status, 410},
			"a colleague's link, still": {b.browser().send(kept, nil).status, 303},
		} {
			if got[0] != got[1] {
				t.Errorf("%s: %d, want %d", what, got[0], got[1])
			}
		}
	})
}

// TestParentDerivesForChild checks that a parent makes a multi-product report for its child, that the
// child's own credentials read it, and that another account's source or product gives none.
func TestParentDerivesForChild(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child, sibling := b.child("Child"), b.child("Sibling")
		cashflow, income := b.productOf(child, "Loan"), b.productOf(child, "Income")
		same, theirs := b.productOf(child, "Another loan"), b.productOf(sibling, "Income")
		all := b.configurations()
		for product, alias := range map[string]string{income: "Income, suite 2.0", theirs: "Income, suite 2.0"} {
			b.want(alias, b.assign(all[alias], "product", product), 200, "")
		}
		asChild := append(b.basic(), "X-PUBLIC-ID", child)
		readAs := func(h headers, name string) headers { return append(append(headers{}, h...), "X-EXTERNAL-ID", name) }
		bearer := append(b.bearer(b.basic()), "X-PUBLIC-ID", child)
		begun := b.post("/connect/initialization", asChild, map[string]any{"productId": cashflow, "prefill": resident})
		b.want("a visit of the child", begun, 200, "")
		source := b.complete(begun.text("token"), map[string]any{"username": "default"}).text("publicToken")
		own, _ := b.cashflowVisit("default", "prefill", resident)
		b.inbox.wait(t, 2)

		derive := func(h headers, source, product string) answer {
			return b.post(multiPath, h, map[string]any{"publicToken": source, "productId": product, "externalId": "second"})
		}
		for name, c := range map[string]struct {
			h               headers
			source, product string
			status          int
			code            contract.Code
		}{
			"the child's source as the parent":   {b.basic(), source, b.seed.Products[contract.Income], 404, contract.CodeInvalidToken},
			"the parent's source for the child":  {asChild, own, income, 404, contract.CodeInvalidToken},
			"the parent's product for the child": {asChild, source, b.seed.Products[contract.Income], 404, contract.CodeInvalidProduct},
			"the sibling's product":              {asChild, source, theirs, 404, contract.CodeInvalidProduct},
			"for the sibling":                    {append(b.basic(), "X-PUBLIC-ID", sibling), source, theirs, 404, contract.CodeInvalidToken},
			"by another customer":                {append(b.thirdParty(), "X-PUBLIC-ID", child), source, income, 403, contract.CodeUnknownCustomer},
			"the same kind":                      {asChild, source, same, 400, contract.CodeInvalidState},
		} {
			b.want(name, derive(c.h, c.source, c.product), c.status, c.code)
		}

		a := derive(asChild, source, income)
		b.want("for the child", a, 200, "")
		token := a.text("multiProductToken")
		if e := b.inbox.wait(t, 3)[2]; e.PublicToken != token || e.PublicID != child || e.ProductID != income || e.ExternalID != "second" {
			t.Errorf("the parent got %+v", e)
		}
		if got := b.inbox.account(); got != child {
			t.Errorf("the header names %s, want the child", got)
		}
		b.want("its report", b.get("/connect/income/v2/json", readAs(bearer, "second")), 200, "")
		b.want("by the token alone", b.get("/connect/income/v2/json", b.named(token)), 200, "")
		b.want("without the child", b.get("/connect/income/v2/json", readAs(b.bearer(b.basic()), "second")), 404, contract.CodeInvalidToken)
		again := b.post(multiPath, asChild, map[string]any{"publicToken": source, "productId": income, "externalId": "second"})
		b.want("a used externalId", again, 400, contract.CodeInvalidParameters)

		// It is shared and withdrawn for the child.
		body := map[string]any{"publicToken": token, "publicId": b.seed.ThirdParty.PublicID}
		b.want("sharing as the parent", b.post(relayPath, b.basic(), body), 404, contract.CodeInvalidToken)
		relay := b.post(relayPath, asChild, body)
		b.want("sharing for the child", relay, 200, "")
		b.want("the third party", b.get("/connect/income/v2/json", b.relay(relay.text("relayToken"))), 200, "")
		at := relayPath + "/" + relay.text("relayToken")
		b.want("withdrawal as the parent", b.ask(b.service.URL, "DELETE", at, b.basic(), nil), 404, contract.CodeNotFound)
		b.want("withdrawal for the child", b.ask(b.service.URL, "DELETE", at, asChild, nil), 200, "")
	})
}

// TestRedirectsOfChildAccounts checks that a child's redirect leads to its own redirect URLs, and else to
// its parent's.
func TestRedirectsOfChildAccounts(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child := b.child("Child")
		product := b.productOf(child, "Loan")
		asChild := append(b.basic(), "X-PUBLIC-ID", child)
		begin := func(more ...any) answer {
			return b.post("/secure-redirect", asChild, with(map[string]any{"productId": product, "prefill": applicant}, more...))
		}
		leadsTo := func(what string, a answer, want string) {
			t.Helper()
			b.want(what, a, 200, "")
			back := b.complete(a.text("redirectToken"), nil)
			if !strings.HasPrefix(back.text("completeUrl"), want) {
				t.Errorf("%s leads to %q, want %q", what, back.text("completeUrl"), want)
			}
			st := b.get("/connect/status", append(b.bearer(b.basic()), "X-PUBLIC-ID", child, "X-PUBLIC-TOKEN", back.text("publicToken")))
			b.want(what+": the status", st, 200, "")
		}
		leadsTo("a child without URLs", begin(), "https://customer.example/done?jwt=")
		leadsTo("the parent's URL by name", begin("completeUrl", "https://customer.example/done"), "https://customer.example/done?jwt=")
		b.want("an unknown URL", begin("completeUrl", "https://branch.example/back"), 400, contract.CodeInvalidCompleteURL)

		own := map[string]any{"publicId": child, "url": "https://branch.example/back"}
		b.want("the child's URL", b.do("POST", "/complete-urls", own), 204, "")
		leadsTo("a child with a URL", begin(), "https://branch.example/back?jwt=")
		leadsTo("a URL below it", begin("completeUrl", "https://branch.example/back/loans?to=[token]"), "https://branch.example/back/loans?to=")
		b.want("the parent's URL", begin("completeUrl", "https://customer.example/done"), 400, contract.CodeInvalidCompleteURL)
		b.want("the child's URL for the parent", b.post("/secure-redirect", b.basic(), map[string]any{"prefill": applicant,
			"productId": b.seed.Products[contract.Cashflow], "completeUrl": "https://branch.example/back"}), 400, contract.CodeInvalidCompleteURL)

		// A token for the child is good for a redirect of the child alone.
		token := b.post("/connect/initialization", asChild, map[string]any{"productId": product, "prefill": applicant}).text("token")
		other := b.post("/secure-redirect", b.basic(), map[string]any{"token": token})
		if other.status < 400 {
			t.Errorf("the child's token in its parent's redirect: %d %s", other.status, other.raw)
		}
		b.want("in its own", b.post("/secure-redirect", asChild, map[string]any{"token": token}), 200, "")
	})
}
