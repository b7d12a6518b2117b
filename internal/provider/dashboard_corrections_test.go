package provider_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	incomes "vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
)

// revised returns an income report.
func (b *testServer) revised(h headers) *report.Income {
	b.t.Helper()
	a := b.get("/connect/income/v2/json", h)
	b.want("the report", a, 200, "")
	r, err := report.ParseIncome(a.raw)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// TestCorrectReport corrects a report by the form, with a preview, and checks the report
// that its owner and a third party read, their events, and the audit trail.
func TestCorrectReport(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, first, _ := b.incomeVisit(person("Default", "Harper"), map[string]any{"username": "default"})
		thirdPartyInbox := b.thirdPartyInbox()
		relay := b.relayed(token)
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		page := "/dashboard/reports/" + d.reportNamed(token)
		if text := d.page(page); !strings.Contains(text, page+"/correct") || strings.Contains(text, "$") {
			t.Errorf("the report's page:\n%s", text)
		}
		a := first.Income.FinancialAccounts[0]
		text := d.page(page + "/correct")
		for _, n := range []*int64{a.GrossAnnual, a.NetAnnual, a.GrossRecent, a.NetRecent} {
			if !strings.Contains(text, i18ntest.EN("dashboard.present.now")+thousands(*n)) {
				t.Errorf("the form does not say %s", thousands(*n))
			}
		}
		const why = "Ana canary disputed:\nher second job was left out."
		net := *a.NetAnnual + 10_000
		form := d.form("revision", "0", "net_annual", fmt.Sprint(net), "reason", why)
		before := b.audited()
		checked := d.send(page+"/correct/check", form)
		if checked.status != 200 || !strings.Contains(string(checked.raw), i18ntest.EN("dashboard.outcome.estimated_anew")) ||
			!strings.Contains(string(checked.raw), thousands(net)) || b.audited() != before ||
			b.revised(b.named(token)).Meta.Revision != nil {
			t.Fatalf("what it would come to: %d\n%s", checked.status, checked.raw)
		}
		if done := d.send(page+"/correct", form); done.status != 303 || done.header.Get("Location") != page+"/correct" {
			t.Fatalf("correcting: %d %s\n%s", done.status, done.header.Get("Location"), done.raw)
		}
		if action, object, detail := b.last(); action != "report corrected" || "/dashboard/reports/"+
			object != page || detail != "revision 1, net_annual" {
			t.Errorf("the audit trail has %s of %s: %s", action, object, detail)
		}
		got := b.revised(b.named(token))
		if n := got.Income.FinancialAccounts[0]; report.Text(got.Meta.Revision) != "1" || got.Meta.RevisionCreatedAt == nil ||
			*n.NetAnnual != net || *got.Income.Summary.AnnualNet != report.Cents(net)*100 ||
			*got.Income.Revised.NetAnnual != net || *got.Income.Revised.GrossAnnual <= *a.GrossAnnual ||
			*got.Income.Revised.NetRecent != *a.NetRecent || len(got.Notices) == 0 {
			t.Errorf("the report: meta %+v, income %+v", got.Meta, got.Income)
		}
		if r := b.revised(b.relay(relay)); r.Meta.PublicToken != relay ||
			report.Text(r.Meta.Revision) != "1" || *r.Income.Revised.NetAnnual != net {
			t.Errorf("the third party reads %+v", r.Meta)
		}
		for _, c := range []struct {
			*inbox
			token string
		}{{b.inbox, token}, {thirdPartyInbox, relay}} {
			e := c.wait(t, 2)
			if e[1].PublicToken != c.token || e[1].Status != contract.StatusSuccess || e[1].EventID == e[0].EventID {
				t.Errorf("events: %+v", e)
			}
		}
		text = d.page(page + "/correct")
		for _, want := range []string{i18ntest.EN("dashboard.flash.corrected"), "her second job was left out",
			"ada@customer.example", thousands(net), i18ntest.EN("dashboard.present.now") + thousands(*got.Income.Revised.GrossAnnual)} {
			if !strings.Contains(text, want) {
				t.Errorf("the page after it does not say %q", want)
			}
		}
		if text := d.page(page); !strings.Contains(text, i18ntest.EN("dashboard.timeline.corrected")) || strings.Contains(text, "canary") {
			t.Error("the timeline does not say it, or too much")
		}
		if text := d.page("/dashboard/audit"); !strings.Contains(text, i18ntest.EN("dashboard.actions.report_corrected")) ||
			strings.Contains(text, "canary") {
			t.Error("the audit trail's page does not say it, or too much")
		}
		for _, s := range []string{"canary", fmt.Sprint(net), thousands(net)} {
			if strings.Contains(b.log.String(), s) {
				t.Errorf("%q is in the log", s)
			}
		}

		// Reports of another customer or kind cannot be corrected.
		cashflow, _ := b.cashflowVisit("default")
		for _, path := range []string{page + "/correct", "/dashboard/reports/" + d.reportNamed(cashflow) + "/correct"} {
			who := eve
			if !strings.HasPrefix(path, page) {
				who = d
			}
			if a := who.ask("GET", path, ""); a.status != 404 {
				t.Errorf("GET %s: %d, want 404", path, a.status)
			}
			for _, to := range []string{path, path + "/check"} {
				if a := who.send(to, who.form("revision", "0", "net_annual", "1", "reason", why)); a.status != 404 {
					t.Errorf("POST %s: %d, want 404", to, a.status)
				}
			}
		}
	})
}

// thousands writes dollars as the dashboard does.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return "$" + s
}

// TestRejectedCorrections checks the message at the field of every invalid correction, in
// the preview and when the form is sent.
func TestRejectedCorrections(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		banked, _, _ := b.incomeVisit(person("Default", "Harper"), map[string]any{"username": "default"})
		jobs, _, _ := b.incomeVisit(person("Multi", "Chen"),
			map[string]any{"payroll": map[string]any{"provider": "great-lakes-medical", "username": "two_jobs"}})
		empty, _, _ := b.incomeVisit(person("Noincome", "Quill"), map[string]any{"username": "noincome"})
		d := b.signIn(customerUser)
		const why = "The consumer disputed this."
		reached := map[string]bool{}
		refuse := func(token, reason, at string, pairs ...string) {
			t.Helper()
			page := "/dashboard/reports/" + d.reportNamed(token) + "/correct"
			for _, to := range []string{page + "/check", page} {
				form := d.form(append([]string{"revision", "0"}, pairs...)...)
				if !form.Has("reason") {
					form.Set("reason", why)
				}
				a := d.send(to, form)
				if text := string(a.raw); a.status != 422 || !strings.Contains(text, `href="#`+at+`"`) ||
					strings.Contains(text, i18ntest.EN("dashboard.correction.what_it_comes")) {
					t.Errorf("%s, %v: %d", to, pairs, a.status)
				}
			}
			reached[reason] = true
		}
		refuse(banked, incomes.UnfitNone, "gross_annual")
		refuse(banked, incomes.UnfitRange, "gross_annual", "gross_annual", "12.50")
		refuse(banked, incomes.UnfitRange, "gross_annual", "gross_annual", "1,00")
		refuse(banked, incomes.UnfitRange, "net_recent", "net_recent", "2147483648")
		refuse(banked, incomes.UnfitRange, "net_recent", "net_recent", "-5")
		refuse(banked, incomes.UnfitNet, "net_annual", "gross_annual", "1")
		refuse(jobs, incomes.UnfitAbsent, "gross_recent", "gross_recent", "9000")
		refuse(empty, incomes.UnfitMissing, "net_annual", "gross_annual", "9000")
		refuse(banked, "", "reason", "gross_annual", "900000", "reason", "short")
		refuse(banked, "", "reason", "gross_annual", "900000", "reason", strings.Repeat("é", 1001))
		refuse(banked, "", "reason", "gross_annual", "900000", "reason", "a bell \x07 in the reason")

		page := "/dashboard/reports/" + d.reportNamed(banked) + "/correct"
		for _, revision := range []string{"", "-1", "x"} {
			if a := d.send(page, d.form("revision", revision, "gross_annual", "900000", "reason", why)); a.status != 400 {
				t.Errorf("of revision %q: %d, want 400", revision, a.status)
			}
		}
		if a := d.send(page, d.form("revision", "7", "gross_annual", "900000", "reason", why)); a.status != 303 ||
			!strings.Contains(d.page(page), i18ntest.EN("dashboard.flash.corrected_meanwhile")) {
			t.Errorf("of another revision: %d", a.status)
		}
		if a := d.ask("GET", strings.Replace(page, "/correct", "x/correct", 1), ""); a.status != 404 {
			t.Errorf("of no reference: %d", a.status)
		}
		if a := b.browser().send(page+"/check", url.Values{}); a.status != 303 {
			t.Errorf("without a user: %d", a.status)
		}
		b.advance("745h") // 31 days and an hour: the session is of today
		refuse(banked, incomes.UnfitUnknown, "gross_annual", "net_annual", "1")
		for _, reason := range []string{incomes.UnfitNone, incomes.UnfitAbsent, incomes.UnfitRange,
			incomes.UnfitMissing, incomes.UnfitNet, incomes.UnfitUnknown} {
			if !reached[reason] {
				t.Errorf("%q is not reached", reason)
			}
		}
		if n := b.count(`SELECT COUNT(*) FROM report_revisions`); n != 0 {
			t.Errorf("%d revisions were made", n)
		}
		b.advance("1440h") // and 60 days
		if a := d.ask("GET", page, ""); a.status != 404 {
			t.Errorf("after 90 days: %d", a.status)
		}
		if text := d.page(strings.TrimSuffix(page, "/correct")); strings.Contains(text, page) {
			t.Error("after 90 days the report's page leads to a correction")
		}
	})
}

// TestConsumerNotices checks that income reports state contacts and estimates, and
// eligibility reports the notices of income and assets.
func TestConsumerNotices(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		_, r, _ := b.incomeVisit(person("Default", "Harper"), map[string]any{"username": "default"})
		if n := r.Notices; len(n) != 3 || n[0].SourceReference != nil || report.Text(n[2].SourceReference) != r.Sources[1].SourceID {
			t.Errorf("of bank data: %+v", r.Notices)
		}
		_, r, _ = b.incomeVisit(person("Multi", "Chen"),
			map[string]any{"payroll": map[string]any{"provider": "great-lakes-medical", "username": "two_jobs"}})
		if n := r.Notices; len(n) != 2 {
			t.Errorf("of payroll: %+v", n)
		}
		token := b.complete(b.begin("productId", b.seed.Products[contract.Cashflow], "prefill", person("Default", "Harper")),
			map[string]any{"username": "default"}).text("publicToken")
		var body map[string]json.RawMessage
		if err := json.Unmarshal(b.get("/connect/cashflow/v2/json", b.named(token)).raw, &body); err != nil || body["consumer_notices"] != nil {
			t.Errorf("a cashflow report has notices: %s, %v", body["consumer_notices"], err)
		}
	})
}

// TestCorrectionInReportCurrency checks that the form shows and accepts amounts in the
// currency of the report.
func TestCorrectionInReportCurrency(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		abroad := earner()
		abroad["accounts"].([]any)[0].(map[string]any)["currency"] = "EUR"
		_, token := b.prepared(contract.Income, map[string]any{"submission": abroad})
		d := b.signIn(customerUser)
		page := "/dashboard/reports/" + d.reportNamed(token) + "/correct"
		now := b.revised(b.named(token)).Income.FinancialAccounts[0]
		euros := func(n int64) string { return strings.TrimPrefix(thousands(n), "$") + " EUR" }
		read := func(what, text string, want ...string) {
			t.Helper()
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s does not say %q", what, w)
				}
			}
			if strings.Contains(text, "$") || strings.Contains(text, "dollar") {
				t.Errorf("%s mentions dollars", what)
			}
		}
		currently := i18ntest.EN("dashboard.present.now")
		read("the form", d.page(page), currently+euros(*now.GrossAnnual), currently+euros(*now.NetRecent),
			i18ntest.EN("dashboard.correction.net_income")+" (EUR)")
		net := *now.NetAnnual + 10_000
		form := d.form("revision", "0", "net_annual", fmt.Sprint(net), "reason", "The consumer disputed this.")
		read("the result", string(d.send(page+"/check", form).raw), euros(net), euros(*now.NetAnnual))
		read("a refusal", string(d.send(page+"/check", d.form("revision", "0", "net_annual", "1.5",
			"reason", "The consumer disputed this.")).raw), i18ntest.EN("dashboard.correction.amount_invalid"))
		if a := d.send(page, form); a.status != 303 {
			t.Fatalf("correcting: %d", a.status)
		}
		read("the page after it", d.page(page), i18ntest.EN("dashboard.present.now")+euros(net), euros(*now.NetAnnual))
	})
}
