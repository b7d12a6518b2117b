package income

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/testutil/golden"
)

// TestDocumentedTaxTables compares the tables between the income markers of
// docs/explanation/analytics.md with the code.
func TestDocumentedTaxTables(t *testing.T) {
	golden.CompareTables(t, "../../../docs/explanation/analytics.md",
		map[string]string{"taxes": taxTable(), "states": stateTable()})
}

// percent formats hundredths of a percent.
func percent(rate int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%02d", rate/100, rate%100), "0"), ".") + "%"
}

func taxTable() string {
	var b strings.Builder
	b.WriteString("| year | standard deduction | federal brackets, of taxable income | social " +
		"security | Medicare | source |\n|---|---|---|---|---|---|\n")
	for _, y := range taxYears {
		var brackets []string
		for _, x := range y.brackets {
			brackets = append(brackets, fmt.Sprintf("%s from $%d", percent(x.rate), x.from))
		}
		fmt.Fprintf(&b, "| %d | $%d | %s | %s up to $%d | %s, and %s above $%d | %s |\n",
			y.year, y.standardDeduction, strings.Join(brackets, ", "),
			percent(payrolltax.SocialSecurity), y.wageBase(), percent(payrolltax.Medicare),
			percent(payrolltax.Additional), payrolltax.AdditionalFrom/100, y.source)
	}
	return b.String()
}

func stateTable() string {
	var b strings.Builder
	b.WriteString("| state | deducted from the wage | rates of the rest | other withholding |\n|---|---|---|---|\n")
	rates := func(brackets []bracket) string {
		var out []string
		for _, x := range brackets {
			out = append(out, fmt.Sprintf("%s from $%d", percent(x.rate), x.from))
		}
		return cmp.Or(strings.Join(out, ", "), "none")
	}
	for _, name := range slices.Sorted(maps.Keys(stateTaxes())) {
		s := stateTaxes()[name][0]
		deduction := fmt.Sprintf("$%d", s.deduction)
		switch {
		case s.deduction == ofFederal:
			deduction = "the federal standard deduction"
		case s.fades[1] > 0:
			deduction += fmt.Sprintf(", to nothing from $%d to $%d", s.fades[0], s.fades[1])
		case s.brackets == nil:
			deduction = ""
		}
		if s.federal == noLimit {
			deduction += ", and the federal tax"
		} else if s.federal > 0 {
			deduction += fmt.Sprintf(", and up to $%d of the federal tax", s.federal)
		}
		tax := rates(s.brackets)
		if s.credit > 0 {
			tax += fmt.Sprintf("; less $%d", s.credit)
		}
		var levies []string
		for _, l := range s.payroll {
			levy := percent(l.rate)
			if l.upTo > 0 {
				levy += fmt.Sprintf(" up to $%d", l.upTo)
			}
			levies = append(levies, levy)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, deduction, tax, strings.Join(levies, ", "))
	}
	fmt.Fprintf(&b, "| unknown, and the territories | $0 | %s of the wage | |\n", percent(averageRate))
	return b.String()
}
