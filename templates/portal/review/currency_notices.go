package review

import (
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// inCurrency is an account's name with the terms of its balance.
type inCurrency struct {
	name  string
	terms report.BalanceTerms
}

// currencyNotices returns notices of accounts that the figures leave out, and of figures
// that are not in US dollars.
func currencyNotices(l i18n.Lang, figures currency, all []inCurrency) []notice {
	var names []string
	for _, a := range all {
		if a.terms.LeftOut {
			names = append(names, joined(" ", a.name, "("+a.terms.CurrencyCode()+")"))
		}
	}
	var out []notice
	if figures != usd {
		out = append(out, notice{ui.Warning, i18n.T(l, "review.currency.figures", "currency", string(figures))})
	}
	if len(names) > 0 {
		out = append(out, notice{ui.Warning, i18n.T(l, "review.currency.left_out", "accounts", strings.Join(names, "; "))})
	}
	return out
}

func (v ReportView) inCurrency(l i18n.Lang) []inCurrency {
	var out []inCurrency
	for _, a := range v.Report.AccountDetails {
		out = append(out, inCurrency{accountTitle(l, a), a.BalanceTerms})
	}
	return out
}

func (v IncomeView) inCurrency(l i18n.Lang) []inCurrency {
	var out []inCurrency
	for _, a := range v.Report.AccountDetails {
		out = append(out, inCurrency{incomeAccountTitle(l, a), a.BalanceTerms})
	}
	return out
}

func (v EligibilityView) inCurrency(l i18n.Lang) []inCurrency {
	var out []inCurrency
	if v.Report.Assets != nil {
		for _, a := range v.Report.Assets.AccountDetails {
			out = append(out, inCurrency{assetTitle(l, a), a.BalanceTerms})
		}
	}
	return out
}
