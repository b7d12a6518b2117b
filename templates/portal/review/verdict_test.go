package review

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
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
	failed := []report.FailedConnection{{SourceID: "BANK_ONE", InstitutionName: report.Null("First Bank"), Status: contract.StatusError},
		{SourceID: "RIVER_TRUST", InstitutionName: report.Null("River Trust"), Status: contract.StatusNotAuthenticated}}
	cashflow, income, eligibility := madeReport(), madeIncome(), madeEligibility()
	cashflow.Report.AccountDetails = []report.Account{{SourceID: "BANK_ONE", InstitutionName: report.Null("First Bank")}}
	set := func(sources []report.Source, connections []report.FailedConnection) {
		cashflow.Report.Sources, income.Report.Sources, eligibility.Report.Assets.Failed = sources, sources, connections
	}
	for name, c := range map[string]struct {
		Measured
		in string
	}{"cashflow": {cashflow, "sources"}, "income": {income, "sources"}, "eligibility": {eligibility, "failed"}} {
		for l, word := range map[i18n.Lang]func(i18n.Key, ...string) string{i18n.English: i18ntest.EN, i18n.Spanish: i18ntest.ES} {
			set(all[2:], nil)
			before := len(c.sheet(l).findings)
			page := render(t, Application(ui.Page{Lang: l}, ApplicationView{Report: c.Measured, HasReport: true}))
			if strings.Contains(page, word("review.ask.complete")) {
				t.Errorf("%s in %s: a complete report is not called so", name, l)
			}
			set(all, failed)
			s := c.sheet(l)
			want := word("review.complete.part", "banks", "First Bank") + " " + word("review.complete.none", "banks", "River Trust") +
				" " + word("review.complete.low")
			if f := s.findings[0]; len(s.findings) != before+1 || f.question != "review.ask.complete" || f.tone != ui.Warning || f.answer != want {
				t.Errorf("%s in %s: %+v, want %q", name, l, f, want)
			}
			page = render(t, Application(ui.Page{Lang: l}, ApplicationView{Report: c.Measured, HasReport: true}))
			_, page, _ = strings.Cut(page, `id="verdict"`)
			first, _, _ := strings.Cut(page, "</li>")
			mustHave(t, first, word("review.ask.complete"), want, word("review.finding.close"), `href="#`+c.in+`"`)
		}
	}
}

// TestLowIncomeOfIncompleteReport checks that low income does not contradict the
// applicant if accounts are missing.
func TestLowIncomeOfIncompleteReport(t *testing.T) {
	v := madeIncome()
	v.Stated = &Stated{}
	v.Stated.Fields.StatedAnnualIncome = n(200_000)
	tone := func() ui.Tone {
		for _, f := range v.findings(i18n.English) {
			if f.question == "review.ask.income" {
				return f.tone
			}
		}
		return ""
	}
	if got := tone(); got != ui.Danger {
		t.Fatalf("a quarter of the stated income is %s", got)
	}
	v.Report.Sources[0].Status = contract.StatusSupplierUnresponsive
	if got := tone(); got != ui.Warning {
		t.Errorf("the same of an incomplete report is %s", got)
	}
	mustHave(t, render(t, v.Stated.card(v, i18n.English)), render(t, ui.Badge(ui.Warning, "25%")))
}

// TestVerdictUsesWhatThePortalKnows checks that a report that does not have what the applicant
// stated is compared with what they stated to the portal.
func TestVerdictUsesWhatThePortalKnows(t *testing.T) {
	stated := func(first, last, employer string) *Stated {
		return &Stated{Fields: prefill.Fields{FirstName: first, LastName: last, StatedEmployerName: employer}}
	}
	for name, c := range map[string]struct {
		stated                  *Stated
		names                   []string
		person, employer        ui.Tone
		personWords, employerIs i18n.Key
	}{
		"nothing stated": {nil, []string{"ANA NUNEZ"},
			ui.Neutral, ui.Neutral, "review.person_real.nothing_to_compare", "review.employer_real.unstated"},
		"all agree": {stated("Ana", "Núñez", "Tern"), []string{"NUNEZ ANA"},
			ui.Success, ui.Success, "review.report.all_match", "review.employer_real.found"},
		"one name": {stated("Ana", "Núñez", "TERN"), []string{"ANA NUNEZ", "A. Stranger"},
			ui.Warning, ui.Success, "review.report.some_differ", "review.employer_real.found"},
		"another": {stated("Zoë", "Hart", "Heron"), []string{"ANA NUNEZ"},
			ui.Danger, ui.Danger, "review.person_real.unknown", "review.employer_real.another"},
	} {
		t.Run(name, func(t *testing.T) {
			v := madeIncome()
			v.Stated, v.Report.Identities = c.stated, nil
			for _, n := range c.names {
				v.Report.Identities = append(v.Report.Identities, report.IncomeIdentity{SourceID: "BANK_ONE", FullName: report.Null(n)})
			}
			v.Report.Employment = []report.Employment{{SourceID: "BANK_ONE", EmployerName: report.Null("TERN")}}
			tones, answers := map[i18n.Key]ui.Tone{}, map[i18n.Key]string{}
			for _, f := range v.findings(i18n.English) {
				tones[f.question], answers[f.question] = f.tone, f.answer
			}
			employer := ""
			if c.stated != nil {
				employer = c.stated.Fields.StatedEmployerName
			}
			person, is := i18ntest.EN(c.personWords), i18ntest.EN(c.employerIs, "employer", employer, "employers", "TERN")
			if tones["review.ask.person"] != c.person || answers["review.ask.person"] != person ||
				tones["review.ask.employer"] != c.employer || answers["review.ask.employer"] != is {
				t.Errorf("%v %v; want person %q %q, employer %q %q", tones, answers, c.person, person, c.employer, is)
			}
		})
	}
}
