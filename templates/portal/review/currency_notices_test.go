package review

import (
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// TestPagesNameAccountsInAnotherCurrency has a balance in euros and one of an
// earlier day on the pages of three products.
func TestPagesNameAccountsInAnotherCurrency(t *testing.T) {
	day, cents, bank, name, kind := on("2026-02-11"), report.Cents(1_234_50), "Banque du Lac", "Épargne", report.CashEquivalent
	abroad, home := report.BalanceTerms{Currency: "EUR", LeftOut: true}, report.BalanceTerms{BalanceDate: &day}
	cashflow := madeReport()
	cashflow.Report.AccountDetails = []report.Account{{InstitutionName: &bank, AccountName: &name, CurrentBalance: &cents,
		BalanceTerms: abroad}, {CurrentBalance: &cents, BalanceTerms: home}}
	income := IncomeView{Report: &report.Income{Meta: &report.Meta{}, AccountDetails: []report.IncomeAccount{
		{InstitutionName: &bank, AccountName: &name, CurrentBalance: &cents, BalanceTerms: abroad},
		{CurrentBalance: &cents, BalanceTerms: home}}}}
	assets := EligibilityView{Report: &report.Eligibility{Meta: &report.Meta{}, Assets: &report.Assets{AccountDetails: []report.AssetAccount{
		{InstitutionName: &bank, AccountName: &name, AccountType: &kind, CurrentBalance: &cents, BalanceTerms: abroad},
		{AccountType: &kind, CurrentBalance: &cents, BalanceTerms: home}}}}}
	for l, wants := range map[i18n.Lang][]string{
		i18n.English: {"in another currency, so no figure includes them: Banque du Lac · Épargne (EUR)", "1,234.50 EUR",
			i18ntest.EN("review.stated.left_out"), "$1,234.50", i18ntest.EN("review.stated.as_caption"), "Feb 11, 2026"},
		i18n.Spanish: {"en otra moneda: Banque du Lac · Épargne (EUR)", "1,234.50 EUR",
			i18ntest.ES("review.stated.left_out"), "$1,234.50", "11 feb 2026"},
	} {
		p := ui.Page{Lang: l}
		for product, page := range map[string]string{"cashflow": render(t, ReportPage(p, decide(cashflow))),
			"income": render(t, ReportPage(p, decide(income))), "eligibility": render(t, ReportPage(p, decide(assets)))} {
			for _, want := range wants {
				if !strings.Contains(page, want) {
					t.Errorf("%s in %s lacks %q", product, l, want)
				}
			}
		}
	}
	cashflow.Report.AccountDetails = []report.Account{{CurrentBalance: &cents, BalanceTerms: report.BalanceTerms{Currency: "EUR"}}}
	if page := render(t, ReportPage(ui.Page{}, decide(cashflow))); !strings.Contains(page, "Figures in this report are in EUR.") ||
		strings.Contains(page, "another currency") {
		t.Error("figures in euros are not said to be")
	}
}
