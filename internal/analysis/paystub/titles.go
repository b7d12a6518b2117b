package paystub

import (
	"slices"
	"strings"
)

// section is which lines follow a title.
type section int

const (
	noSection section = iota
	earnings
	deductions
	elsewhere // employer's contributions, balances: of no concern
)

// payers are words for employers, in titles of what they pay besides wages.
var payers = []string{"employer", "company", "county", "city", "state", "district", "agency", "government", "govt", "university", "college", "school", "contractor", "firm", "organization", "hospital", "er", "union", "trust", "department", "church", "board", "co"}

// sectionOf says what a title is over. Taxes are deductions.
func sectionOf(words string) section {
	words = unnumbered(words)
	if len(words) > 60 || words == "" || labelOf(words) != noField {
		return noSection
	}
	for _, w := range strings.Fields(words) {
		if w[0] >= '0' && w[0] <= '9' && len(w) < 3 || strings.Trim(w, "0123456789") == "" && w != "401" && w != "403" && w != "457" && w != "125" && unnumbered(words) == words {
			return noSection // a date, a number of something
		}
	}
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return strings.Contains(words, w) })
	}
	whole := func(all ...string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return contains(words, w) })
	}
	paid := whole("paid", "pays", "provided", "funded", "cost", "costs", "share", "benefits", "contribution", "contributions", "match", "taxes", "tax", "fringe", "items", "portion", "liability", "liabilities", "expense", "expenses")
	switch {
	case strings.HasPrefix(words, "employer"), strings.HasPrefix(words, "company"), paid && whole(payers...) && !whole("state tax", "state taxes", "city tax", "county tax", "state income"),
		has("benefits paid", "on your behalf", "for you", "not included", "not in net", "informational", "accrual", "leave", "balance", "time off", "absence", "entitlement balance", "contribution by", "direct deposit", "distribution", "allocation", "taxable", "tax base", "tax data", "tax info", "memo", "imputed", "fringe",
			"non cash", "noncash", "deposits", "payment information", "payment method", "payment details", "payments", "other information", "other benefits", "messages", "vacation hours", "sick", "accumulat", "deposited", "patronal", "balance de"),
		words == "benefits", words == "other benefits and information", words == "deposit":
		return elsewhere
	case has("earning") && has("deduction"):
		return noSection // each line says for itself
	case has("adjustments to net", "deduction", "withh", "withheld", "garnish", "allotment", "voluntary", "statutory", "pre tax", "pretax", "post tax", "after tax", "before tax", "deduccion", "retencion", "contribucion", "impuestos"), whole("taxes", "tax"):
		return deductions
	case has("ingresos", "devengado", "earning", "hours and pay", "gross pay", "pay details", "description of pay", "remuneration", "compensation", "earned"), whole("wages", "income", "pay", "hours"):
		return earnings
	}
	return noSection
}

// headingWords are all the words that a title within a table is made of.
var headingWords = strings.Fields("earnings earning deductions deduction taxes tax withholdings withholding withheld statutory other others pre post before after pretax posttax employee employer company paid benefits benefit contributions contribution voluntary mandatory involuntary memo information hours and or pay wages gross " +
	"leave accruals accrual time off fringe imputed income costs cost informational total totals summary taxable bases base memos from of the your you to additional adjustments statement details detail cash non elective reductions items noncash ingresos deducciones retenciones impuestos personal payroll required court ordered garnishments insurance")

// headingOf says what a row without amounts is the title of.
func headingOf(words string) section {
	if len(words) > maxLabel {
		return noSection
	}
	words = unnumbered(words)
	for _, w := range strings.Fields(words) {
		if !slices.Contains(headingWords, w) && !slices.Contains(payers, w) {
			return noSection
		}
	}
	return sectionOf(words)
}
