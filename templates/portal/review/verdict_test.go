package review

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// TestVerdictNamesMissingAccounts checks that the verdict of each product with banks
// begins with the banks of which accounts are missing, and with what that means for the
// figures.
func TestVerdictNamesMissingAccounts(t *testing.T) {
	bank := func(id string, status contract.Status) report.Source {
		return report.Source{SourceID: id, SourceType: report.SourceBankTransaction, Status: status}
	}
	all := []report.Source{bank("BANK_ONE", contract.StatusError), bank("RIVER_TRUST", contract.StatusNotAuthenticated),
		bank("BANK_THREE", contract.StatusSuccess), {SourceID: "PAYSTUB", SourceType: report.SourcePaystub, Status: contract.StatusError}}
	failed := []report.FailedConnection{{SourceID: "BANK_ONE", InstitutionName: contract.Null("First Bank"), Status: contract.StatusError},
		{SourceID: "RIVER_TRUST", InstitutionName: contract.Null("River Trust"), Status: contract.StatusNotAuthenticated}}
	cashflow, income, eligibility := madeReport(), madeIncome(), madeEligibility()
	cashflow.Report.AccountDetails = []report.Account{{SourceID: "BANK_ONE", InstitutionName: contract.Null("First Bank")}}
	set := func(sources []report.Source, connections []report.FailedConnection) {
		cashflow.Report.Sources, income.Report.Sources, eligibility.Report.Assets.Failed = sources, sources, connections
	}
	for name, c := range map[string]struct {
		Measured
		in string
	}{"cashflow": {cashflow, "sources"}, "income": {income, "sources"}, "eligibility": {eligibility, "failed"}} {
		for l, word := range map[i18n.Lang]func(i18n.Key, ...string) string{i18n.English: i18ntest.EN, i18n.Spanish: i18ntest.ES} {
			set(all[2:], nil)
			before := len(decide(c.Measured).Decided().Findings)
			page := render(t, Application(ui.Page{Lang: l}, ApplicationView{Report: decide(c.Measured), HasReport: true}))
			if strings.Contains(page, word("review.ask.complete")) {
				t.Errorf("%s in %s: a complete report is not called so", name, l)
			}
			set(all, failed)
			findings := decide(c.Measured).Decided().Findings
			want := word("review.complete.part", "banks", "First Bank") + " " + word("review.complete.none", "banks", "River Trust") +
				" " + word("review.complete.low")
			if f := findings[0]; len(findings) != before+1 || f.Question != "review.ask.complete" || say(l, f.Answer...) != want {
				t.Errorf("%s in %s: %+v, want %q", name, l, f, want)
			}
			page = render(t, Application(ui.Page{Lang: l}, ApplicationView{Report: decide(c.Measured), HasReport: true}))
			_, page, _ = strings.Cut(page, `id="verdict"`)
			first, _, _ := strings.Cut(page, "</li>")
			mustHave(t, first, word("review.ask.complete"), want, word("review.finding.close"), `href="#`+c.in+`"`)
		}
	}
}

// TestVerdictCountsWhatWasNotChecked keeps a report without records from reading as a verified one.
func TestVerdictCountsWhatWasNotChecked(t *testing.T) {
	one, none := verdict.Finding{Level: verdict.Confirmed}, verdict.Finding{Level: verdict.Unknown}
	for want, findings := range map[[2]string][]verdict.Finding{
		{"Everything is verified", "Verified"}:                 {one, one},
		{"1 of 3 items verified", "1 of 3 verified"}:           {none, none, one},
		{"1 item to check before you decide", "1 to check"}:    {none, one, {Level: verdict.Check}},
		{i18ntest.EN("review.verdict.unknown"), "Not checked"}: {none},
	} {
		v := verdict.Verdict{Findings: findings}
		if got := [2]string{verdictWords(i18n.English, v), summaryWords(i18n.English, v.Summary())}; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
