package provider_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	incomes "vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
)

// incomeReport returns an income report.
func (b *testServer) incomeReport(h headers) *report.Income {
	b.t.Helper()
	a := b.get("/connect/income/v2/json", h)
	b.want("the report", a, 200, "")
	r, err := report.ParseIncome(a.raw)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// says checks that a text has words, and has none of others.
func says(t *testing.T, what, text string, want []string, never ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q is missing", what, w)
		}
	}
	for _, w := range never {
		pattern := regexp.QuoteMeta(w)
		if strings.Trim(w, "0123456789") == "" { // random ids have the same digits now and then
			pattern = `\b` + pattern + `\b`
		}
		if regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("%s: it has %q", what, w)
		}
	}
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
		const why = "Ana canary disputed:\nher second job was left out."
		account, now := a0(first), i18ntest.EN("dashboard.present.now")
		net := *account.NetAnnual + 10_000
		form := d.form("revision", "0", "net_annual", fmt.Sprint(net), "reason", why)
		b.run("the form says the present figures", func(t *testing.T) {
			says(t, "the report's page", d.page(page), []string{page + "/correct"}, "$")
			says(t, "the form", d.page(page+"/correct"), []string{now + thousands(*account.GrossAnnual), now + thousands(*account.NetAnnual),
				now + thousands(*account.GrossRecent), now + thousands(*account.NetRecent)})
		})
		b.run("a preview changes nothing", func(t *testing.T) {
			before := b.audited()
			checked := d.send(page+"/correct/check", form)
			says(t, "the preview", string(checked.raw), []string{"income.summary.annual_gross_income", fmt.Sprint(net, ".00")})
			if checked.status != 200 || b.audited() != before || b.incomeReport(b.named(token)).Meta.Revision != nil {
				t.Errorf("the preview: %d", checked.status)
			}
		})
		b.run("the correction is audited without its figures", func(t *testing.T) {
			if done := d.send(page+"/correct", form); done.status != 303 || done.header.Get("Location") != page+"/correct" {
				t.Fatalf("correcting: %d %s\n%s", done.status, done.header.Get("Location"), done.raw)
			}
			says(t, "the page after it", d.page(page+"/correct"), []string{i18ntest.EN("dashboard.flash.corrected"), "her second job was left out",
				"ada@customer.example", thousands(net), now + thousands(*b.incomeReport(b.named(token)).Income.Revised.GrossAnnual)})
			if action, object, detail := b.last(); action != "report corrected" || "/dashboard/reports/"+object != page ||
				detail != "revision 1, net_annual" {
				t.Errorf("the audit trail has %s of %s: %s", action, object, detail)
			}
			says(t, "the audit trail", d.page("/dashboard/audit"), []string{i18ntest.EN("dashboard.actions.report_corrected")}, "canary")
			says(t, "the timeline", d.page(page), []string{i18ntest.EN("dashboard.timeline.corrected")}, "canary")
		})
		b.run("the owner and the third party read the revision and get an event", func(t *testing.T) {
			got := b.incomeReport(b.named(token))
			if n := a0(got); report.Text(got.Meta.Revision) != "1" || got.Meta.RevisionCreatedAt == nil ||
				*n.NetAnnual != net || *got.Income.Summary.AnnualNet != report.Cents(net)*100 ||
				*got.Income.Revised.NetAnnual != net || *got.Income.Revised.GrossAnnual <= *account.GrossAnnual ||
				*got.Income.Revised.NetRecent != *account.NetRecent || len(got.Notices) == 0 {
				t.Errorf("the report: meta %+v, income %+v", got.Meta, got.Income)
			}
			if r := b.incomeReport(b.relay(relay)); r.Meta.PublicToken != relay || report.Text(r.Meta.Revision) != "1" ||
				*r.Income.Revised.NetAnnual != net {
				t.Errorf("the third party reads %+v", r.Meta)
			}
			for token, in := range map[string]*inbox{token: b.inbox, relay: thirdPartyInbox} {
				if e := in.wait(t, 2); e[1].PublicToken != token || e[1].Status != contract.StatusSuccess || e[1].EventID == e[0].EventID {
					t.Errorf("events: %+v", e)
				}
			}
			says(t, "the original", d.page(page+"/revisions/0"), []string{fmt.Sprint(*account.NetAnnual)})
			says(t, "the log", b.log.String(), nil, "canary", fmt.Sprint(net), thousands(net))
		})
		b.run("another customer, and one without the feature, can neither correct nor read", func(*testing.T) {
			for _, who := range []*dashboardBrowser{eve, d} {
				if who == d {
					b.entitle(b.seed.PublicID, false, customers.Corrections)
				}
				who.unknown(page+"/correct", page+"/dispute", page+"/revisions/0")
				for _, path := range []string{"/correct", "/correct/check", "/dispute"} {
					who.wantSent(path, 404, page+path, "revision", "1", "net_annual", "1", "reason", why)
				}
			}
		})
	})
}

func a0(r *report.Income) report.FinancialAccount { return r.Income.FinancialAccounts[0] }

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
		d.unknown(strings.Replace(page, "/correct", "x/correct", 1))
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
		d.unknown(page)
		says(t, "after 90 days the report's page leads to a correction", d.page(strings.TrimSuffix(page, "/correct")), nil, page)
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
		figures, dollars := a0(b.incomeReport(b.named(token))), []string{"$", "dollar"}
		euros := func(n int64) string { return strings.TrimPrefix(thousands(n), "$") + " EUR" }
		now := i18ntest.EN("dashboard.present.now")
		says(t, "the form", d.page(page), []string{now + euros(*figures.GrossAnnual), now + euros(*figures.NetRecent),
			i18ntest.EN("dashboard.correction.net_income") + " (EUR)"}, dollars...)
		net := *figures.NetAnnual + 10_000
		form := d.form("revision", "0", "net_annual", fmt.Sprint(net), "reason", "The consumer disputed this.")
		says(t, "the result", string(d.send(page+"/check", form).raw), []string{fmt.Sprint(net), fmt.Sprint(*figures.NetAnnual)}, dollars...)
		says(t, "a refusal", string(d.send(page+"/check", d.form("revision", "0", "net_annual", "1.5",
			"reason", "The consumer disputed this.")).raw), []string{i18ntest.EN("dashboard.correction.amount_invalid")}, dollars...)
		if a := d.send(page, form); a.status != 303 {
			t.Fatalf("correcting: %d", a.status)
		}
		says(t, "the page after it", d.page(page), []string{now + euros(net)}, dollars...)
	})
}
