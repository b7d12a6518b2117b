package review

import (
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

var (
	statedAsOf    = contract.Words{EN: "as of", ES: "al"}
	statedLeftOut = contract.Words{EN: "Not in any figure", ES: "En ninguna cifra"}
)

// inCurrency is an account's name with what its balance is.
type inCurrency struct {
	name  string
	terms report.BalanceTerms
}

// currencyNotices say which accounts no figure counts, and that figures are not in
// US dollars.
func currencyNotices(figures currency, all []inCurrency) []notice {
	var names []string
	for _, a := range all {
		if a.terms.LeftOut {
			names = append(names, joined(" ", a.name, "("+a.terms.In()+")"))
		}
	}
	var out []notice
	if figures != usd {
		out = append(out, notice{ui.Warning, contract.Words{
			EN: "The figures of this report are in " + string(figures) + ". Nothing was converted.",
			ES: "Las cifras de este informe están en " + string(figures) + ". No se convirtió nada."}})
	}
	if len(names) > 0 {
		list := strings.Join(names, "; ")
		out = append(out, notice{ui.Warning, contract.Words{
			EN: "No figure counts these accounts, because they are in another currency: " + list + ".",
			ES: "Ninguna cifra cuenta estas cuentas, porque están en otra moneda: " + list + "."}})
	}
	return out
}

func (v ReportView) inCurrency(l contract.Lang) []inCurrency {
	var out []inCurrency
	for _, a := range v.Report.AccountDetails {
		out = append(out, inCurrency{accountTitle(l, a), a.BalanceTerms})
	}
	return out
}

func (v IncomeView) inCurrency(l contract.Lang) []inCurrency {
	var out []inCurrency
	for _, a := range v.Report.AccountDetails {
		out = append(out, inCurrency{incomeAccountTitle(l, a), a.BalanceTerms})
	}
	return out
}

func (v EligibilityView) inCurrency(l contract.Lang) []inCurrency {
	var out []inCurrency
	if v.Report.Assets != nil {
		for _, a := range v.Report.Assets.AccountDetails {
			out = append(out, inCurrency{assetTitle(l, a), a.BalanceTerms})
		}
	}
	return out
}
