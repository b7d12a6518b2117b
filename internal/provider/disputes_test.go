package provider_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
)

var itemPattern = regexp.MustCompile(`correct\?(?:dispute=D-[\w-]+&)?item=([0-9a-f]{20})[^>]*>([^<]+)<`)

// amountPattern finds an amount of the form of an item.
var amountPattern = regexp.MustCompile(`<dd>−?\$\d{1,3}(,\d{3})*\.\d\d</dd>`)

// openDispute opens a dispute as staff, and returns its number.
func (d *dashboardBrowser) openDispute(publicToken string) string {
	d.t.Helper()
	a := d.send("/dashboard/reports/"+d.reportNamed(publicToken)+"/dispute", d.form("kind", "transaction", "about", "the canary deposit",
		"statement", "The canary deposit is not mine.", "note", "I was paid once."))
	number, ok := strings.CutPrefix(a.header.Get("Location"), "/dashboard/disputes/")
	if a.status != 303 || !ok {
		d.t.Fatalf("opening: %d %s", a.status, a.raw)
	}
	return number
}

// TestStaffCorrectForDispute answers a dispute by a correction of a transaction.
func TestStaffCorrectForDispute(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, first, _ := b.incomeVisit(person("Default", "Harper"), map[string]any{"username": "default"})
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		number := d.openDispute(token)
		page, path := "/dashboard/disputes/"+number, "/dashboard/reports/"+d.reportNamed(token)+"/correct"
		says(t, "the queue", d.page("/dashboard/disputes"), []string{number}, "canary")
		says(t, "the dispute", d.page(page), []string{"The canary deposit is not mine.", path + "?dispute=" + number})
		answer := func(result string) answer {
			return d.send(page+"/answer", d.form("result", result, "answer", "You are right: it was another person’s.", "attach", "on"))
		}
		if a := answer("corrected"); a.status != 422 || !strings.Contains(string(a.raw), i18ntest.EN("dashboard.disputes.not_corrected")) {
			t.Errorf("an answer without a correction: %d", a.status)
		}
		// All wages of the only employer are refunds, so that no income is left.
		m := itemPattern.FindStringSubmatch(d.page(path + "?dispute=" + number))
		if m == nil {
			t.Fatal("nothing can be corrected")
		}
		if text := d.page(path + "?dispute=" + number + "&item=" + m[1]); !strings.Contains(text, m[2]) ||
			!strings.Contains(text, i18ntest.EN("review.categories.INCOME.PAYROLL")+"</dd>") || !amountPattern.MatchString(text) {
			t.Errorf("the item's form:\n%s", text)
		}
		form := d.form("item", m[1], "dispute", number, "revision", "0", "same", "", "ended", "", "category", "DEPOSIT.REFUND", "employer", "",
			"reason", "It is a refund and no wage.")
		if a := d.send(path+"/check", form); a.status != 200 || !strings.Contains(string(a.raw), "income.summary.annual_net_income") {
			t.Fatalf("the preview: %d %s", a.status, a.raw)
		}
		wrong := d.form("item", m[1], "revision", "0", "category", "NO.SUCH", "reason", "It is a refund and no wage.")
		if a := d.send(path+"/check", wrong); a.status != 422 {
			t.Errorf("another category: %d", a.status)
		}
		if a := d.send(path, form); a.status != 303 || a.header.Get("Location") != page {
			t.Fatalf("correcting: %d %s %s", a.status, a.header.Get("Location"), a.raw)
		}
		got := b.incomeReport(b.named(token))
		if report.Text(got.Meta.Revision) != "1" || got.Income != nil || first.Income == nil {
			t.Errorf("the report: %+v %+v", got.Meta, got.Income)
		}
		says(t, "the correction’s page does not list it", d.page(path), []string{i18ntest.EN("review.categories.DEPOSIT.REFUND"), number})
		for _, a := range []struct{ method, path string }{{"GET", page}, {"POST", page + "/answer"}, {"POST", page + "/facts"}} {
			form := eve.form("result", "confirmed", "answer", "No.", "facts", "None.").Encode()
			if got := eve.ask(a.method, a.path, form, "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin",
				"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Origin", "null"); got.status != 404 {
				t.Errorf("another customer: %s %s is %d", a.method, a.path, got.status)
			}
		}
		if a := answer("corrected"); a.status != 303 {
			t.Fatalf("the answer: %d %s", a.status, a.raw)
		}
		says(t, "the answered dispute", d.page(page), []string{"another person’s", i18ntest.EN("disputes.results.corrected")})
		if strings.Contains(b.log.String(), "canary") || strings.Contains(d.page("/dashboard/audit"), "canary") {
			t.Error("the log or the audit trail has words of the consumer")
		}
	})
}

// TestStatementOfConsumer finds a report right many times at once. The report gets the statement
// once, also a cashflow report, whose documents have no notices.
func TestStatementOfConsumer(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, _ := b.cashflowVisit("default")
		d := b.signIn(customerUser)
		number := d.openDispute(token)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				d.send("/dashboard/disputes/"+number+"/answer", d.form("result", "confirmed", "answer", "The bank says the same.", "attach", "on"))
			})
		}
		wait.Wait()
		a := b.get("/connect/cashflow/v2/json", b.named(token))
		body, err := report.ParseCashflow(a.raw)
		if err != nil || len(body.Notices) != 1 || !strings.HasSuffix(body.Notices[0].Description, ": I was paid once.") ||
			report.Text(body.Meta.Revision) != "1" {
			t.Errorf("the report: %+v %+v, %v", body.Meta, body.Notices, err)
		}
		if n := b.count(`SELECT count(*) FROM report_revisions`); n != 1 {
			t.Errorf("%d revisions", n)
		}
		says(t, "the list of answered disputes lacks it", d.page("/dashboard/disputes?state=answered"), []string{number})
	})
}

// TestDisputesAreKept checks that the data of a report stay while a dispute is open, and that the
// record of a dispute stays five years after its answer, without its files.
func TestDisputesAreKept(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, _ := b.cashflowVisit("default")
		other, _ := b.cashflowVisit("single")
		d := b.signIn(customerUser)
		path := "/dashboard/reports/" + d.reportNamed(token) + "/dispute"
		a := d.sendFile(path, d.form("kind", "account", "about", "the account", "statement", "It is not mine."), "file", "a.pdf", "%PDF-1.7")
		number := strings.TrimPrefix(a.header.Get("Location"), "/dashboard/disputes/")
		if a.status != 303 || b.count(`SELECT count(*) FROM dispute_files`) != 1 {
			t.Fatalf("opening: %d %s", a.status, a.raw)
		}
		keys := b.count(`SELECT count(*) FROM data_keys`)
		inputs := func(token string) int {
			return b.count(`SELECT count(*) FROM report_data WHERE input IS NOT NULL AND public_token = '` + token + `'`)
		}
		b.advance("744h") // 31 days
		if inputs(token) != 1 || inputs(other) != 0 {
			t.Errorf("after 31 days, %d inputs of the disputed report and %d of another", inputs(token), inputs(other))
		}
		b.advance("1464h") // 92 days in all
		page := "/dashboard/disputes/" + number
		d = b.signIn(customerUser)
		d.wantSent("of a deleted report", 303, page+"/answer", "result", "confirmed", "answer", "The report is gone.", "attach", "on")
		b.advance("2184h") // 91 days after the answer
		d = b.signIn(customerUser)
		if text := d.page(page); b.count(`SELECT count(*) FROM dispute_files`) != 0 || !strings.Contains(text, "It is not mine.") {
			t.Errorf("the record without files:\n%s", text)
		}
		b.advance(fmt.Sprint(5*365*24, "h"))
		if n := b.count(`SELECT count(*) FROM disputes`); n != 0 {
			t.Errorf("%d records after five years", n)
		}
		if now := b.count(`SELECT count(*) FROM data_keys`); now >= keys {
			t.Errorf("%d data keys, %d before", now, keys)
		}
	})
}

// TestPassportRecordsDispute checks that a passport has an opened dispute, and that it is resolved.
func TestPassportRecordsDispute(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token := b.passportVisit(report.Suppliers()[0].Code, applicantNamed("Default", "Harper"))
		d := b.signIn(customerUser)
		opened := b.do("POST", "/disputes", map[string]any{"publicToken": token, "kind": "account", "about": "the loan",
			"statement": "It is paid.", "note": "I was paid once."})
		b.want("the control", opened, 201, "")
		b.want("a dispute of nothing", b.do("POST", "/disputes", map[string]any{"publicToken": token}), 400, contract.CodeInvalidParameters)
		number := opened.text("number")
		read := func(status string) *report.Passport {
			t.Helper()
			p, err := report.ParsePassport(b.get(contract.Passport.Path()+"/json", b.named(token)).raw)
			if err != nil {
				t.Fatal(err)
			}
			n := len(p.Disputes)
			if n == 0 || p.Disputes[n-1].Status != status || report.Text(p.Disputes[n-1].Description) != "Dispute "+number {
				t.Errorf("disputes: %+v", p.Disputes)
			}
			return p
		}
		read("OPEN")
		// The bureau gets the dispute, and the facts that are added.
		b.until(1, `SELECT count(*) FROM disputes WHERE passing = 'passed'`)
		b.exec(`UPDATE disputes SET passing = ''`)
		if text := d.page("/dashboard/disputes/" + number); !strings.Contains(text, report.Suppliers()[0].Code+"-") ||
			!strings.Contains(text, "We look into the dispute.") {
			t.Errorf("the bureau’s answer:\n%s", text)
		}
		d.wantSent("facts", 303, "/dashboard/disputes/"+number+"/facts", "facts", "The bank’s letter of May.")
		b.until(1, `SELECT count(*) FROM disputes WHERE passing = 'passed'`)
		says(t, "the bureau’s second answer", d.page("/dashboard/disputes/"+number), []string{"We added the new facts."})
		if a := d.send("/dashboard/disputes/"+number+"/answer", url.Values{"once": d.form()["once"], "result": {"confirmed"},
			"answer": {"The bureau says the same."}, "attach": {"on"}}); a.status != 303 {
			t.Fatalf("the answer: %d %s", a.status, a.raw)
		}
		if p := read("RESOLVED"); report.Text(p.Meta.Revision) != "2" ||
			!strings.HasSuffix(p.Notices[len(p.Notices)-1].Description, "I was paid once.") {
			t.Errorf("the passport: %+v %+v", p.Meta, p.Notices)
		}
	})
}

// TestDisputeOfASubmission opens a dispute for a person of whom only the customer's submission has the address. The
// letters reach it, and the dispute is found by it.
func TestDisputeOfASubmission(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token := b.submit(submission()).text("publicToken")
		b.until(1, `SELECT count(*) FROM reports WHERE status = 'SUCCESS'`)
		d := b.signIn(customerUser)
		number := d.openDispute(token)
		if text := d.page("/dashboard/outbox"); strings.Count(text, ">ana@example.com<") != 1 || !strings.Contains(text, number) {
			t.Errorf("the letter of receipt:\n%s", text)
		}
		d.wantSent("the answer", 303, "/dashboard/disputes/"+number+"/answer", "result", "confirmed", "answer", "It is right.")
		if text := d.page("/dashboard/outbox"); strings.Count(text, ">ana@example.com<") != 2 {
			t.Errorf("the letter of the result:\n%s", text)
		}
		if n := b.count(`SELECT count(*) FROM disputes d JOIN reports r ON r.mailbox = d.mailbox`); n != 1 {
			t.Errorf("%d disputes have the person's mailbox", n)
		}
	})
}

// TestKnownRevisions asks for reports of every kind in the revision that the caller has, and in another one.
func TestKnownRevisions(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		income, _, _ := b.incomeVisit(person("Default", "Harper"), map[string]any{"username": "default"})
		eligibility, _, _ := b.eligibilityVisit("Eligibility, assets only", "prefill", resident)
		passport := b.passportVisit(report.Suppliers()[0].Code, applicantNamed("Default", "Harper"))
		for path, token := range map[string]string{contract.Income.Path() + "/json": income, contract.Eligibility.Path() + "/json": eligibility,
			contract.Passport.Path() + "/json": passport, contract.Passport.Path() + "/pdf": passport} {
			for known, status := range map[string]int{`"0"`: 304, `"1"`: 200} {
				if a := b.get(path, append(b.named(token), "If-None-Match", known)); a.status != status || (len(a.raw) == 0) != (status == 304) {
					t.Errorf("%s, %s: %d with %d bytes", path, known, a.status, len(a.raw))
				}
			}
		}
	})
}
