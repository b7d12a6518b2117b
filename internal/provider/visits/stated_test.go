package visits_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

var (
	employerHead = regexp.MustCompile(`(?s)<li class="employer">.*?<h2>([^<]+)</h2>.*?<span class="badge[^>]*>([^<]+)<`)
	buttons      = regexp.MustCompile(`name="action" value="(verify|skip)"`)
)

// tenant is an applicant in the visit of an eligibility report with these stated employers.
func tenant(t *testing.T, r *providertest.Server, employers ...string) applicant {
	t.Helper()
	prefill := named("Ana", "Pérez")
	prefill["state"], prefill["statedEmployerNames"] = "CA", employers
	a := register(r, map[string]any{"prefill": prefill, "productId": r.Seed.Products[contract.Eligibility]})
	if a.Status != 201 {
		t.Fatalf("register: %d %s", a.Status, a.Body)
	}
	return applicant{r, "/visit/" + a.JSON["handle"].(string), a.JSON["publicToken"].(string)}
}

// employers returns the displayed list: each employer with its state.
func (a applicant) employers(t *testing.T) string {
	t.Helper()
	body := a.get(t).Body
	if got := a.step(t); got != "employers" {
		t.Fatalf("at %s, want the employers", got)
	}
	var out []string
	for _, m := range employerHead.FindAllStringSubmatch(body, -1) {
		out = append(out, m[1]+": "+m[2])
	}
	return strings.Join(out, ", ")
}

// expectEmployers compares the list of stated employers.
func (a applicant) expectEmployers(t *testing.T, want string) {
	t.Helper()
	if got := a.employers(t); got != want {
		t.Errorf("the employers are %s, want %s", got, want)
	}
}

// TestEmployerVisit checks that an input applies to the employer that it is for: in a
// second tab, after a reload, with uploaded files, by outdated forms, and in Spanish.
func TestEmployerVisit(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := tenant(t, r, "Northwind Logistics", "Tern & Sons", "Northwind Logistics", "Vandelay")
		if body := a.get(t).Body; !strings.Contains(body, i18ntest.EN("visit.title.consent_employers_and_money")) ||
			!strings.Contains(body, i18ntest.EN("visit.consent.shared.documents")) {
			t.Errorf("the consent says %s", body)
		}
		a.post(t, "action", "consent")
		a.expectEmployers(t, "Northwind Logistics: to do, Tern &amp; Sons: to do, Vandelay: to do")
		t.Run("forms that are not of the list", func(t *testing.T) {
			for _, form := range [][]string{{"action", "verify"}, {"action", "verify", "stated", "4"},
				{"action", "verify", "stated", "x"}, {"action", "skip", "stated", "-1"},
				{"action", "skipped", "reason", "OTHER"}, {"action", "source", "source", "payroll"},
				{"action", "bank", "bank", "kestrel-bank"}, {"action", "turn"}, {"action", "more"}} {
				a.post(t, form...)
				a.expectEmployers(t, "Northwind Logistics: to do, Tern &amp; Sons: to do, Vandelay: to do")
			}
		})
		t.Run("payroll", func(t *testing.T) { verifyByPayroll(t, r, a) })
		t.Run("files of one employer and one way", func(t *testing.T) { verifyByFiles(t, r, a) })
		t.Run("an employer is skipped", func(t *testing.T) { skipEmployer(t, r, a) })
		t.Run("the consumer states others", func(t *testing.T) {
			// What the consumer is known by may change; the visit is about what was stated.
			changed := r.Do("PATCH", "/connect/consumers/"+consumerOf(r, a),
				map[string]any{"prefill": map[string]any{"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.com",
					"dob": "1990-06-15", "state": "CA", "statedEmployerNames": []string{"Vandelay"}}}, r.Basic)
			if changed.Status != 200 {
				t.Fatalf("PATCH: %d %s", changed.Status, changed.Body)
			}
			a.expectEmployers(t, "Northwind Logistics: done, Tern &amp; Sons: done, Vandelay: skipped")
		})
		t.Run("two banks, and one that fails", func(t *testing.T) { connectThreeBanks(t, r, a) })
		t.Run("the end", func(t *testing.T) { endEmployerVisit(t, r, a) })
	})
}

func verifyByPayroll(t *testing.T, r *providertest.Server, a applicant) {
	a.post(t, "action", "verify", "stated", "1")
	// A second tab that still shows the list changes nothing, and shows the current state.
	a.post(t, "action", "skip", "stated", "2")
	if body := a.get(t).Body; a.step(t) != "source" || !strings.Contains(body, "verify Northwind Logistics?") ||
		strings.Contains(body, `value="bank"`) {
		t.Fatalf("the ways for an employer: %s", body)
	}
	a.post(t, "action", "source", "source", "payroll")
	if body := a.get(t).Body; !strings.Contains(body, `value="Northwind Logistics"`) ||
		!strings.Contains(body, `value="northwind-logistics"`) || strings.Contains(body, "Zipporah") {
		t.Errorf("the employer is not searched for: %s", body)
	}
	if body := r.Do("GET", a.path+"?q=zip", nil).Body; !strings.Contains(body, "Zipporah") {
		t.Errorf("another search finds %s", body)
	}
	a.post(t, "action", "employer", "employer", "northwind-logistics")
	a.post(t, "action", "sign-in", "username", "default", "password", "anything")
	a.post(t, "action", "code", "code", "123456")
	a.expectEmployers(t, "Northwind Logistics: done, Tern &amp; Sons: to do, Vandelay: to do")
}

func verifyByFiles(t *testing.T, r *providertest.Server, a applicant) {
	a.post(t, "action", "verify", "stated", "2")
	a.post(t, "action", "source", "source", "paystubs")
	a.upload(t, "paystub one.pdf", pdfOf("1"), "paystub two.pdf", pdfOf("2"))
	id := documentIDs.FindStringSubmatch(a.get(t).Body)[1]
	a.post(t, "action", "turn")
	a.post(t, "action", "source", "source", "documents")
	if page := a.post(t, "action", "hand-in"); page.Status != 422 || !strings.Contains(page.Body, i18ntest.EN("visit.documents.none")) {
		t.Errorf("without a document of its own: %d", page.Status)
	}
	a.post(t, "action", "remove", "document", id)
	a.upload(t, "letter.pdf", pdfOf("3"))
	if got := documentIDs.FindAllString(a.get(t).Body, -1); len(got) != 1 || r.Count(`SELECT count(*) FROM documents`) != 3 {
		t.Errorf("the page of documents shows %d files", len(got))
	}
	a.post(t, "action", "hand-in")
	a.post(t, "action", "verify", "stated", "3")
	a.post(t, "action", "source", "source", "documents")
	if got := documentIDs.FindAllString(a.get(t).Body, -1); len(got) != 0 {
		t.Errorf("another employer's page shows %d files", len(got))
	}
	a.post(t, "action", "turn")
	a.post(t, "action", "turn")
}

func skipEmployer(t *testing.T, r *providertest.Server, a applicant) {
	a.post(t, "action", "skip", "stated", "3")
	if body := a.get(t).Body; a.step(t) != "skip" || strings.Count(body, `name="reason"`) != 5 {
		t.Errorf("why: %s", body)
	}
	if body := r.Do("GET", a.path+"?lang=es", nil).Body; !strings.Contains(body,
		i18ntest.ES("visit.title.skip_employer", "employer", "Vandelay")) {
		t.Errorf("in Spanish: %s", body)
	}
	a.post(t, "action", "skipped", "reason", "NO_LONGER_EMPLOYED")
	a.expectEmployers(t, "Northwind Logistics: done, Tern &amp; Sons: done, Vandelay: skipped")
	if n := len(buttons.FindAllString(a.get(t).Body, -1)); n != 3 {
		t.Errorf("%d buttons, want one for each", n)
	}
}

func connectThreeBanks(t *testing.T, r *providertest.Server, a applicant) {
	a.post(t, "action", "finish")
	for _, at := range [][2]string{{"harbor-national-bank", "default"}, {"kestrel-bank", "multi"},
		{"meridian-quay-bank", "supplier_unresponsive"}} {
		a.post(t, "action", "bank", "bank", at[0])
		a.post(t, "action", "sign-in", "username", at[1], "password", "x")
		a.post(t, "action", "code", "code", "123456")
		form := []string{"action", "accounts"}
		for _, m := range accounts.FindAllStringSubmatch(a.get(t).Body, -1) {
			form = append(form, "account", m[1])
		}
		a.post(t, form...)
		if got := a.step(t); got != "connected" {
			t.Fatalf("after %s at %s", at[0], got)
		}
		if at[0] != "meridian-quay-bank" {
			a.post(t, "action", "more")
		}
	}
	if body := a.get(t).Body; strings.Count(body, i18ntest.EN("visit.connected.failed")) != 1 ||
		!strings.Contains(body, i18ntest.EN("visit.finish.connect_another_bank")) || strings.Contains(body, "Tern") {
		t.Errorf("the banks: %s", body)
	}
	a.post(t, "action", "turn")
	a.expectEmployers(t, "Northwind Logistics: done, Tern &amp; Sons: done, Vandelay: skipped")
	a.post(t, "action", "finish")
	a.post(t, "action", "finish")
	r.Until("the end", func() bool { return a.step(t) == "end" })
}

func endEmployerVisit(t *testing.T, r *providertest.Server, a applicant) {
	if event := r.Webhooks(a.publicToken, 1)[0]; event["status"] != "SUCCESS" || event["substatus"] != nil {
		t.Errorf("the webhook says %v", event)
	}
	// The sources are named for an hour.
	shared, _, _ := strings.Cut(i18ntest.EN("visit.end.employers.shared_with_money", "company", "|"), "|")
	const names = "Northwind Logistics, Documents, Harbor National Bank (1 account), Kestrel Bank (3 accounts)"
	if body := a.get(t).Body; !strings.Contains(body, shared) ||
		!strings.Contains(body, names) || !strings.Contains(body, "collected once") {
		t.Fatalf("the end: %s", body)
	}
	r.Advance(time.Hour)
	if body := a.get(t).Body; !strings.Contains(body, shared) || strings.Contains(body, "Northwind") ||
		!strings.Contains(body, i18ntest.EN("visit.receipt.until")) {
		t.Errorf("the end, an hour later: %s", body)
	}
	// The stubs were never handed in.
	if n := r.Count(`SELECT count(*) FROM documents`); n != 1 {
		t.Errorf("%d files stay, want the letter", n)
	}
	if kept := r.Count(`SELECT count(*) FROM visits WHERE sources LIKE '%Northwind L%'
			OR sources LIKE '%Vandelay%'`); kept != 0 || strings.Contains(r.Log(), "Vandelay") {
		t.Error("an employer's name is in the visit or in the log")
	}
}

// TestEmployerVisitOutcomes checks the outcomes of visits that verify only employers, and of
// visits without any source.
func TestEmployerVisitOutcomes(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		products := map[string]string{"both": verifying(r, "INCOME_AND_ASSETS"),
			"income": verifying(r, "INCOME"), "assets": verifying(r, "ASSETS")}
		payroll := func(username string) [][]string {
			return [][]string{{"action", "verify", "stated", "1"}, {"action", "source", "source", "payroll"},
				{"action", "employer", "employer", "paywright"},
				{"action", "sign-in", "username", username, "password", "x"}, {"action", "code", "code", "123456"}, {"action", "finish"}}
		}
		for _, c := range []struct {
			name      string
			product   string
			first     string // name
			forms     [][]string
			end       string
			status    contract.Status
			substatus contract.Substatus
		}{
			{"income by payroll", "income", "Ana", payroll("default"), "success", contract.StatusSuccess, ""},
			{"income, and the session is over", "income", "Ana", payroll("session_expired"), "success",
				contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired},
			{"income, and the provider is incomplete", "income", "Ana", payroll("incomplete"),
				"success", contract.StatusError, contract.SubIncomplete},
			{"income, and the code is not confirmed, as the name says", "income", "mfa required", payroll("default"),
				"success", contract.StatusNotAuthenticated, contract.SubMFARequired},
			{"income, and nothing is shown", "income", "Ana", [][]string{{"action", "finish"}}, "success",
				contract.StatusSuccess, contract.SubNoRecentInformation},
			{"income, and all are skipped", "income", "Ana", [][]string{{"action", "skip", "stated", "1"},
				{"action", "skipped", "reason", "OTHER"}, {"action", "finish"}}, "success", contract.StatusSuccess, contract.SubNoRecentInformation},
			{"both, and the bank is down", "both", "Ana", [][]string{{"action", "finish"}, {"action", "bank", "bank", "kestrel-bank"},
				{"action", "sign-in", "username", "supplier_unresponsive", "password", "x"}},
				"error", contract.StatusSupplierUnresponsive, ""},
			{"both, and the bank is down beside payroll", "both", "Ana",
				append(payroll("default"), []string{"action", "bank", "bank", "kestrel-bank"}, []string{"action", "sign-in",
					"username", "supplier_unresponsive", "password", "x"}, []string{"action", "finish"}),
				"success", contract.StatusSuccess, ""},
			{"assets, and only debts", "assets", "Ana", [][]string{{"action", "bank", "bank", "kestrel-bank"},
				{"action", "sign-in", "username", "debt_only", "password", "x"}, {"action", "code", "code", "123456"}},
				"error", contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		} {
			prefill := named(c.first, "Pérez")
			prefill["state"] = "CA"
			if c.product != "assets" {
				prefill["statedEmployerNames"] = []string{"Acme", "Globex"}
			}
			reg := register(r, map[string]any{"prefill": prefill, "productId": products[c.product]})
			if reg.Status != 201 {
				t.Fatalf("%s: %d %s", c.name, reg.Status, reg.Body)
			}
			a := applicant{r, "/visit/" + reg.JSON["handle"].(string), reg.JSON["publicToken"].(string)}
			a.post(t, "action", "consent")
			for _, form := range c.forms {
				a.post(t, form...)
			}
			a.giveUp(t)
			r.Until("the end", func() bool { return a.step(t) == "end" })
			event := r.Webhooks(a.publicToken, 1)[0]
			if got := fmt.Sprint(event["status"], " ", event["substatus"]); got != fmt.Sprint(c.status, " ", orNil(c.substatus)) ||
				!strings.Contains(a.get(t).Body, `data-end="`+c.end+`"`) {
				t.Errorf("%s: the webhook says %s, want %s %s and %s", c.name, got, c.status, c.substatus, c.end)
			}
		}
		// A visit that waits too long keeps nothing that was not handed over.
		a := tenant(t, r, "Acme")
		a.post(t, "action", "consent")
		a.post(t, "action", "verify", "stated", "1")
		a.post(t, "action", "source", "source", "documents")
		if got := a.upload(t, "letter.pdf", pdfOf("")); got.Status != http.StatusSeeOther {
			t.Fatalf("an upload answers %d", got.Status)
		}
		r.Advance(72 * time.Hour)
		if a.get(t); r.Count(`SELECT count(*) FROM documents`) != 0 {
			t.Error("a file stays")
		}
	})
}

func consumerOf(r *providertest.Server, a applicant) (id string) {
	if err := r.DB.SQL.QueryRow(`SELECT consumer_id FROM visits WHERE public_token = $1`, a.publicToken).Scan(&id); err != nil {
		r.T.Fatal(err)
	}
	return id
}

func orNil(s contract.Substatus) any {
	if s == "" {
		return nil
	}
	return string(s)
}
