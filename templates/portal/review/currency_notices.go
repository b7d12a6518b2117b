package review

import (
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// currencyNotices returns notices of accounts that the figures leave out, and of figures
// that are not in US dollars.
func currencyNotices[A any](l i18n.Lang, figures currency, all []A, title func(i18n.Lang, A) string,
	terms func(A) report.BalanceTerms) []notice {
	var names []string
	for _, a := range all {
		if t := terms(a); t.LeftOut {
			names = append(names, joined(" ", title(l, a), "("+t.CurrencyCode()+")"))
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
