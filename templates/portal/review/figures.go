package review

import (
	"encoding/json"
	"slices"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// nodes lists the kinds of the report's attributes in the order of the report.
func (v ReportView) nodes() []string {
	var out []string
	for _, a := range v.Report.Attributes {
		if !slices.Contains(out, a.Node) {
			out = append(out, a.Node)
		}
	}
	return out
}

func (v ReportView) kinds(l i18n.Lang) []ui.Option {
	var out []ui.Option
	for _, n := range v.nodes() {
		out = append(out, ui.Option{Value: n, Label: i18n.Code(l, "review.nodes", n), Chosen: n == v.Node})
	}
	return out
}

// searched reports whether a search selects the figures.
func (v ReportView) searched() bool { return v.Query != "" || v.Node != "" }

// figures returns the selected attributes of a node.
func (v ReportView) figures(l i18n.Lang, node string) []report.Attribute {
	var out []report.Attribute
	cur := v.currency()
	for _, a := range v.Report.Attributes {
		if a.Node == node && (v.Node == "" || v.Node == node) && (v.Query == "" || fits(v.Query, searchText(l, cur, a))) {
			out = append(out, a)
		}
	}
	return out
}

func (v ReportView) found(l i18n.Lang) string {
	n := 0
	for _, node := range v.nodes() {
		n += len(v.figures(l, node))
	}
	return foundWords(l, n)
}

func foundWords(l i18n.Lang, n int) string {
	if n == 0 {
		return i18n.T(l, "review.figures.found.none")
	}
	return i18n.N(l, "review.figures.found", n)
}

// searchText returns the folded text that a search matches for an attribute: its name, its
// description, its group and its reason.
func searchText(l i18n.Lang, cur currency, a report.Attribute) string {
	words, _ := cur.attributeWords(l, a.Name, a.Description)
	return verdict.Fold(strings.Join([]string{a.Name, strings.ReplaceAll(a.Name, "_", " "), words, i18n.Code(l, "review.nodes", a.Node),
		reasonOf(l, a)}, " "))
}

// reasonOf returns an attribute's reason with its code; only the code for another
// provider's attribute.
func reasonOf(l i18n.Lang, a report.Attribute) string {
	text, ok := i18n.Find(l, "review.reasons", a.AdverseActionCode)
	if _, lang := ui.AttributeWords(i18n.Spanish, a.Name, ""); !ok || lang != i18n.Spanish {
		return a.AdverseActionCode
	}
	return text + " (" + a.AdverseActionCode + ")"
}

// fits reports whether a folded text contains all words of a query. The page's script
// does the same.
func fits(query, text string) bool {
	return !slices.ContainsFunc(strings.Fields(verdict.Fold(query)), func(word string) bool { return !strings.Contains(text, word) })
}

// sentinel says why an attribute has no value; "" for an ordinary value.
func sentinel(l i18n.Lang, name string, value json.Number) string {
	return i18n.Code(l, "review.report", report.Attribute{Name: name, Value: value}.Missing())
}

// figureValue formats a value, or returns the text of its sentinel
// (docs/explanation/analytics.md). A value with two decimals is an amount.
func figureValue(l i18n.Lang, cur currency, a report.Attribute) string {
	if s := sentinel(l, a.Name, a.Value); s != "" {
		return s
	}
	s := a.Value.String()
	if _, decimals, ok := strings.Cut(s, "."); ok && len(decimals) == 2 {
		if c, err := report.ParseCents(s); err == nil {
			return cur.format(c)
		}
	}
	return i18n.Grouped(plain(s))
}

// The attributes of the last twelve months before the current one, without transfers between own accounts.
const incomeOfYear, netOfYear = "UA_INFLOW_INCOME_SUM_12M", "UA_CASHFLOW_NET_SUM_12M"

// keyFigures lists the attributes at the top of the page. The page omits those that the
// report does not have.
var keyFigures = []struct {
	name  string
	label i18n.Key
}{
	{incomeOfYear, "review.key_figures.income_12_months"},
	{netOfYear, "review.key_figures.net_12_months"},
	{"UA_ASSET_TOTAL_BAL_CUR", "review.key_figures.balance_now"},
	{"UA_ASSET_TOTAL_MIN_3M", "review.key_figures.lowest_balance_3_months"},
	{"UA_ASSET_NEGDAYS_CNT_3M", "review.key_figures.days_below_zero_3_months"},
	{"UA_EXPENSE_NSFOD_CNT_12M", "review.key_figures.nsf_or_overdraft_12_months"},
	{"UA_EXPENSE_RETURNED_CNT_12M", "review.key_figures.returned_payments_12_months"},
}

func (v ReportView) keys(l i18n.Lang) []key {
	var out []key
	for _, k := range keyFigures {
		a := v.Report.Attribute(k.name)
		if a == nil {
			continue
		}
		if k.name == netOfYear {
			out = append(out, v.flowsOfYear(l)...)
		}
		one := key{label: i18n.T(l, k.label), value: figureValue(l, v.currency(), *a), none: sentinel(l, a.Name, a.Value) != "",
			below: strings.HasPrefix(a.Value.String(), "-")}
		lang := l
		if one.is, lang = v.currency().attributeWords(l, a.Name, a.Description); lang != l {
			one.lang = lang
		}
		out = append(out, one)
	}
	return out
}
