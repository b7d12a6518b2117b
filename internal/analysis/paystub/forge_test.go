package paystub_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
	"vestibule/internal/testutil/tools"
)

// reasonOf maps each kind of falsification to the reasons of which one should be found.
var reasonOf = map[paystubtest.Kind][]string{
	paystubtest.Appended:   {paystub.IncrementalUpdate},
	paystubtest.Edited:     {paystub.EditorProducer},
	paystubtest.Redated:    {paystub.DatesDisagree},
	paystubtest.TouchedUp:  {paystub.TextTouchedUp},
	paystubtest.OtherFont:  {paystub.OddFont},
	paystubtest.Covered:    {paystub.TextOverText},
	paystubtest.Consistent: {paystub.DeductionsOff},
	paystubtest.Invented:   {paystub.YearToDate, paystub.DeductionsOff},
}

// judged returns the worst status of files that are uploaded together, and all reasons.
func judged(t *testing.T, files [][]byte, asOf report.Date) (status string, reasons []string) {
	t.Helper()
	var docs []*paystub.Document
	for _, f := range files {
		d := paystub.Open(f)
		if d.Outcome != paystub.Read {
			t.Fatalf("outcome = %s", d.Outcome)
		}
		docs = append(docs, d)
	}
	status = report.IrregularityNotDetected
	for _, p := range paystub.Report(docs, paystub.Bank{}, asOf) {
		v := p.IrregularityDetection
		reasons = append(reasons, v.Reasons...)
		if v.Status == report.IrregularityDetected || status == report.IrregularityNotDetected {
			status = v.Status
		}
	}
	return status, reasons
}

// TestDetection measures how many forged stubs of each kind are found, and how many genuine
// stubs are reported. Both REVIEW and DETECTED count. docs/explanation/pay-stubs.md has the
// result of make test-full; other runs draw a quarter of the stubs.
func TestDetection(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	each := 51
	if tools.Full() || *update {
		each = 204
	}
	layouts := paystubtest.Layouts()
	var table strings.Builder
	table.WriteString("| kind | stubs | found | as `DETECTED` | by the reason meant for it |\n|---|---|---|---|---|\n")
	for k := range paystubtest.Kinds {
		draw := source(1000 + uint64(k))
		found, grave, own := 0, 0, 0
		missed := map[string]int{}
		for i := range each {
			l := layouts[i%len(layouts)]
			year := paystubtest.Year(draw, 2)
			status, reasons := judged(t, paystubtest.Forge(draw, k, l, year), year[1].Pay)
			if status != report.IrregularityNotDetected {
				found++
			} else {
				missed[l.Name]++
			}
			if status == report.IrregularityDetected {
				grave++
			}
			if slices.ContainsFunc(reasonOf[k], func(r string) bool { return slices.Contains(reasons, r) }) {
				own++
			}
		}
		fmt.Fprintf(&table, "| %s | %d | %.1f%% | %.1f%% | %.1f%% |\n", k, each, share(found, each), share(grave, each), share(own, each))
		if share(found, each) < 95 {
			t.Errorf("%s: %d of %d are found, want 95%%; missed by design: %v", k, found, each, missed)
		}
	}

	draw := source(999)
	genuine := 2 * each
	alarms, wrong := map[string]int{}, 0
	for i := range genuine {
		l := layouts[i%len(layouts)]
		year := paystubtest.Year(draw, 2)
		files := [][]byte{year[0].Printed(draw, l), year[1].Printed(draw, l)}
		if status, reasons := judged(t, files, report.DateOf(year[1].Pay.AddDate(0, 3, 0))); status != report.IrregularityNotDetected {
			wrong++
			alarms[l.Name+" "+strings.Join(reasons, " ")]++
		}
	}
	fmt.Fprintf(&table, "| genuine, two in a row | %d | %.1f%% | | |\n", genuine, share(wrong, genuine))
	if share(wrong, genuine) > 2 {
		t.Errorf("%d of %d genuine ones are taken for falsified, want 2%% at most: %v", wrong, genuine, alarms)
	}
	t.Log("\n" + table.String())
	if tools.Full() || *update {
		docsTable(t, "detection", table.String())
	}
}

// docsTable compares the text between two markers of docs/explanation/pay-stubs.md with a table.
// With -update, it replaces the text instead.
func docsTable(t *testing.T, name, table string) {
	t.Helper()
	const file = "../../../docs/explanation/pay-stubs.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(string(raw), begin)
	was, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("the page has no place for %s", name)
	}
	if *update {
		write(t, file, []byte(before+begin+table+end+after))
	} else if was != table {
		t.Errorf("the page differs from the program (-update rewrites it):\n%s", cmp.Diff(was, table))
	}
}

// TestReasonsAreDocumented checks that the documentation lists exactly the reasons.
func TestReasonsAreDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/explanation/pay-stubs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "<!-- begin reasons of pay stubs -->\n")
	table, _, found := strings.Cut(rest, "<!-- end reasons of pay stubs -->")
	if !found {
		t.Fatal("the page has no place for reasons")
	}
	var got []string
	for line := range strings.Lines(table) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "`"); ok && strings.HasPrefix(line, "| `") {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(paystub.Reasons(), got); diff != "" {
		t.Errorf("(-reasons +page):\n%s", diff)
	}
}

func share(n, of int) float64 { return 100 * float64(n) / float64(of) }
