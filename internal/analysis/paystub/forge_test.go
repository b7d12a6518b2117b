package paystub_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/analysis/paystub/paystubtest"
	"vestibule/internal/report"
)

// reasonOf is the reason that a kind of falsification should be found by; any of
// them, where there are two.
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

// judged is the worst status of some files that are handed in together, and all
// reasons.
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

// TestDetection measures how many of each kind of falsification are found, and how
// many genuine stubs are taken for falsified: REVIEW counts as much as DETECTED,
// for both.
func TestDetection(t *testing.T) {
	each := 204
	if testing.Short() {
		each = 60
	}
	layouts := paystubtest.Layouts()
	t.Logf("%-24s %6s %8s %8s %8s", "kind", "stubs", "found", "DETECTED", "by its own reason")
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
		t.Logf("%-24s %6d %7.1f%% %7.1f%% %7.1f%%", k, each, share(found, each), share(grave, each), share(own, each))
		if share(found, each) < 95 {
			t.Errorf("%s: %d of %d are found, want 95 %%; missed by design: %v", k, found, each, missed)
		}
	}

	draw := source(999)
	alarms, genuine := map[string]int{}, 2*each
	wrong := 0
	for i := range genuine {
		l := layouts[i%len(layouts)]
		year := paystubtest.Year(draw, 2)
		files := [][]byte{year[0].Printed(draw, l), year[1].Printed(draw, l)}
		if status, reasons := judged(t, files, report.DateOf(year[1].Pay.AddDate(0, 3, 0))); status != report.IrregularityNotDetected {
			wrong++
			alarms[l.Name+" "+strings.Join(reasons, " ")]++
		}
	}
	t.Logf("%-24s %6d %7.1f%%", "genuine, in pairs", genuine, share(wrong, genuine))
	if share(wrong, genuine) > 2 {
		for _, why := range slices.Sorted(maps.Keys(alarms)) {
			t.Logf("%4d %s", alarms[why], why)
		}
		t.Errorf("%d of %d genuine ones are taken for falsified, want 2 %% at most", wrong, genuine)
	}
}

func share(n, of int) float64 { return 100 * float64(n) / float64(of) }
