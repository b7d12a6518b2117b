package income

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/payrolltax"
)

var update = flag.Bool("update", false, "rewrite the income tables of docs/analytics.md")

// TestTheManualsTaxTablesAreTheProgramsTables writes what stands between the
// income markers of docs/analytics.md anew and compares.
func TestTheManualsTaxTablesAreTheProgramsTables(t *testing.T) {
	const file = "../../../docs/analytics.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for name, table := range map[string]string{"taxes": taxTable(), "states": stateTable()} {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		before, rest, found := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("the manual has no place for %s", name)
		}
		page = before + begin + table + end + after
	}
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if again, _ := os.ReadFile(file); string(again) != page {
		t.Errorf("the manual differs from the program (-update rewrites it):\n%s", cmp.Diff(string(again), page))
	}
}

// percent writes hundredths of a percent.
func percent(rate int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%02d", rate/100, rate%100), "0"), ".") + " %"
}

func taxTable() string {
	var b strings.Builder
	b.WriteString("| year | standard deduction | federal brackets, of taxable income | social security | Medicare | source |\n|---|---|---|---|---|---|\n")
	for _, y := range taxYears {
		var brackets []string
		for _, x := range y.brackets {
			brackets = append(brackets, fmt.Sprintf("%s from $%d", percent(x.rate), x.from))
		}
		fmt.Fprintf(&b, "| %d | $%d | %s | %s up to $%d | %s, and %s above $%d | %s |\n", y.year, y.standardDeduction, strings.Join(brackets, ", "),
			percent(payrolltax.SocialSecurity), y.wageBase(), percent(payrolltax.Medicare), percent(payrolltax.Additional), payrolltax.AdditionalFrom/100, y.source)
	}
	return b.String()
}

func stateTable() string {
	by := map[int64][]string{}
	for s, rate := range stateRates {
		by[rate] = append(by[rate], s)
	}
	var b strings.Builder
	b.WriteString("| of the gross wage | states |\n|---|---|\n")
	for _, rate := range slices.Sorted(maps.Keys(by)) {
		slices.Sort(by[rate])
		fmt.Fprintf(&b, "| %s | %s |\n", percent(rate), strings.Join(by[rate], " "))
	}
	fmt.Fprintf(&b, "| %s | unknown, and the territories |\n", percent(elsewhere))
	return b.String()
}
