package review

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// The made reports with all figures in a currency. Nothing of them is from payroll or
// stated by the applicant, whose amounts are dollars.

func cashflowIn(cur string) ReportView {
	v := madeReport()
	v.Analysis.Currency = cur
	v.Report.AccountDetails = []report.Account{{CurrentBalance: c(1_234_50), BalanceTerms: report.BalanceTerms{Currency: cur}}}
	v.Report.Attributes = append(v.Report.Attributes,
		report.Attribute{Name: "UA_ASSET_TOTAL_TREND_6M", Description: "Least-squares slope of month-end total balance " +
			"in dollars per month, last 6 complete months", Node: "ASSET", Value: "1000.00", AdverseActionCode: "12"},
		report.Attribute{Name: "XX_LIMIT", Description: "Number of months with at least $200 of income, last 12 complete months",
			Node: "INFLOW", Value: "3", AdverseActionCode: "21"})
	return v
}

func incomeIn(cur string) IncomeView {
	v := madeIncome()
	v.Report.AccountDetails[0].Currency = cur
	n := v.Report.Income
	n.Payroll, n.Paystubs, n.FinancialAccounts[0].MatchedIncome.StatedAnnualIncome = nil, nil, nil
	return v
}

func assetsIn(cur string) EligibilityView {
	v := madeEligibility()
	v.Report.Assets.AccountDetails[0].Currency = cur
	v.Report.Income, v.Report.Employment = nil, nil
	return v
}

func comparisonIn(older, newer string) map[string]CompareView {
	pair := func(a, b Measured) CompareView {
		return CompareView{Reports: [2]Compared{{Report: decide(a)}, {Report: decide(b)}}}
	}
	return map[string]CompareView{"cashflow": pair(cashflowIn(older), cashflowIn(newer)), "income": pair(incomeIn(older), incomeIn(newer)),
		"eligibility": pair(assetsIn(older), assetsIn(newer))}
}

func pagesIn(t *testing.T, l i18n.Lang, cur string) map[string]string {
	p := ui.Page{Lang: l}
	out := map[string]string{"cashflow": render(t, ReportPage(p, decide(cashflowIn(cur)))),
		"income":      render(t, ReportPage(p, decide(incomeIn(cur)))),
		"eligibility": render(t, ReportPage(p, decide(assetsIn(cur))))}
	for kind, v := range comparisonIn(cur, cur) {
		out["two of "+kind] = render(t, Compare(p, v))
	}
	return out
}

// dollarAmounts are amounts as pages in dollars have them.
var dollarAmounts = regexp.MustCompile(`\$([0-9][0-9,]*(?:\.[0-9]+)?[kM]?)`)

// TestAmountCurrencies holds a page in euros to the page in dollars, amount
// by amount.
func TestAmountCurrencies(t *testing.T) {
	inWords := strings.NewReplacer("in dollars per", "in EUR per", "en dólares por", "en EUR por", " plot-wide", "",
		`<div class="notice notice-warning"><p>`+i18ntest.EN("review.currency.figures", "currency", "EUR")+"</p></div>", "",
		`<div class="notice notice-warning"><p>`+i18ntest.ES("review.currency.figures", "currency", "EUR")+"</p></div>", "")
	for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
		unnamed, dollars, euros := pagesIn(t, l, ""), pagesIn(t, l, "USD"), pagesIn(t, l, "EUR")
		for name, page := range euros {
			if strings.Contains(page, "$") || !strings.Contains(page, " EUR") ||
				strings.Contains(page, "dollar") || strings.Contains(page, "dólar") {
				t.Errorf("%s in %s: not every amount is in euros", name, l)
			}
			if diff := cmp.Diff(unnamed[name], dollars[name]); diff != "" || !strings.Contains(dollars[name], "$") ||
				strings.Contains(dollars[name], "plot-wide") {
				t.Errorf("%s in %s changes where its dollars are named: %s", name, l, diff)
			}
			want := inWords.Replace(dollarAmounts.ReplaceAllStringFunc(dollars[name], func(s string) string {
				return strings.TrimSuffix(s[1:], ".00") + " EUR"
			}))
			if diff := cmp.Diff(want, inWords.Replace(page)); diff != "" {
				t.Errorf("%s in %s is another page in euros: -want +got\n%s", name, l, diff)
			}
		}
	}
}

// TestUnknownAmounts are dollars in a report whose accounts are in euros.
func TestUnknownAmounts(t *testing.T) {
	income := madeIncome()
	income.Report.AccountDetails[0].Currency = "EUR"
	stated := prefill.Fields{StatedAnnualIncome: n(64_000)}
	page := incomePage(t, i18n.English, income, stated)
	mustHave(t, page, "$64,000", "50,000.50 EUR, Before taxes", i18ntest.EN("review.compare.currencies"), "50,000.50 EUR",
		"51,000 EUR", "$100,000", "$48,000.00", "$2,100.00", "−12.05 EUR")
	mustNotHave(t, page, "% of it was found")

	// Without income at the bank, the year's is that of payroll.
	income.Report.Income.FinancialAccounts = nil
	mustHave(t, incomePage(t, i18n.English, income, stated), "$50,000.50", "$51,000", "−12.05 EUR",
		"78%", "−$13,999.50")

	assets := madeEligibility()
	assets.Report.Assets.AccountDetails[0].Currency = "EUR"
	mustHave(t, render(t, ReportPage(ui.Page{Lang: i18n.English}, decide(assets))), "$44,720.00", "$21.50",
		"5,000 EUR", "12.34 EUR", "40,000 EUR")

	// A dollar account that a report in euros leaves out.
	assets.Report.Assets.AccountDetails = append(assets.Report.Assets.AccountDetails,
		report.AssetAccount{AccountName: contract.Null("Home"), CurrentBalance: c(77_00), AverageBalance: c(70_00),
			BalanceTerms: report.BalanceTerms{Currency: "USD", LeftOut: true}})
	page = render(t, ReportPage(ui.Page{Lang: i18n.English}, decide(assets)))
	mustHave(t, page, "$77.00", "$70.00", "Home (USD)", "Figures in this report are in EUR.")
	mustNotHave(t, page, "5,077", "5,070")
}

func TestReportsInDifferentCurrenciesHaveNoDifference(t *testing.T) {
	for l, want := range map[i18n.Lang]string{i18n.English: i18ntest.EN("review.compare.currencies"),
		i18n.Spanish: i18ntest.ES("review.compare.currencies")} {
		for kind, v := range comparisonIn("EUR", "USD") {
			amounts := 0
			for _, p := range v.pairs(l) {
				if p[0].in == "" || p[0].none || p[1].none {
					continue
				}
				amounts++
				if got := difference(l, p); got != want || !strings.HasSuffix(p[0].format(), " EUR") || !strings.Contains(p[1].format(), "$") {
					t.Errorf("%s in %s: %s of %s and %s differ by %q", kind, l, p[0].name, p[0].format(), p[1].format(), got)
				}
			}
			if amounts == 0 {
				t.Errorf("%s in %s compares no amounts", kind, l)
			}
		}
	}
}
