package paystub

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// daysUntil2080 is the number of days from 1980 to 2079, the years that two digits can stand
// for.
const daysUntil2080 = 100*365 + 25

// TestAmountAndDateFormats checks that amounts and dates are read in every format.
func TestAmountAndDateFormats(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		c := report.Cents(rapid.Int64Range(0, 99_999_999_99).Draw(t, "amount"))
		text := c.String()
		if rapid.Bool().Draw(t, "commas") {
			for i := len(text) - 6; i > 0; i -= 3 {
				text = text[:i] + "," + text[i:]
			}
		}
		if got, ok := money(text); !ok || got != c {
			t.Fatalf("money(%q) = %d, %v, want %d", text, got, ok, c)
		}
		for _, negative := range []string{"-" + text, text + "-", "(" + text + ")", "-$" + text} {
			if got, ok := money(negative); !ok || got != -c {
				t.Fatalf("money(%q) = %d, %v, want %d", negative, got, ok, -c)
			}
		}
		day := report.DateOf(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, daysUntil2080-1).Draw(t, "day")))
		for _, layout := range []string{"01/02/2006", "1/2/2006", "1/2/06", "2006-01-02", "01-02-2006",
			"Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "Monday, January 2, 2006"} {
			if layout == "1/2/06" && day.Year() < 2000 {
				continue // two digits stand for a year of this century
			}
			if got, _, state := dateIn(day.Format(layout)); state != goodDate || !got.Equal(day.Time) {
				t.Fatalf("dateIn(%q) = %s, %d", day.Format(layout), got, state)
			}
		}
	})
}

// TestAnnualIncomeIsAtLeastTheYearToDate checks the annual income of stubs without a
// frequency.
func TestAnnualIncomeIsAtLeastTheYearToDate(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		day := func(name string) when {
			return when{true, report.Date{Time: on("2023-12-01").AddDate(0, 0, rapid.IntRange(0, 800).Draw(t, name))},
				rapid.Bool().Draw(t, name+" is shown"), nil}
		}
		d := simple()
		d.fields.frequency, d.fields.start, d.fields.end, d.fields.pay, d.fields.hire = "", when{}, day("end"), day("pay"), day("hire")
		d.judge()
		if in := d.Stub.Insights; in.AnnualGross != nil && (*in.AnnualGross < *d.Stub.GrossTotalYTD || *in.AnnualNet < *d.Stub.NetTotalYTD) {
			t.Fatalf("%+v: a year of %s", d.fields, *in.AnnualGross)
		}
	})
}

// TestOverlappingPeriodsDisagree checks that stubs disagree if and only if their periods
// overlap.
func TestOverlappingPeriodsDisagree(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		docs := make([]*Document, rapid.IntRange(2, 4).Draw(t, "stubs"))
		var days [4]map[time.Time]bool
		for i := range docs {
			d := simple()
			d.fields.start.date = report.Date{Time: on("2025-12-01").AddDate(0, 0, rapid.IntRange(0, 60).Draw(t, "start"))}
			d.fields.end.date = report.Date{Time: d.fields.start.date.AddDate(0, 0, rapid.IntRange(0, 16).Draw(t, "days"))}
			d.fields.pay.date = report.Date{Time: on("2025-12-10").AddDate(0, 0, 4*rapid.IntRange(0, 30).Draw(t, "pay")+i)}
			for n := range d.table.lines {
				d.table.lines[n].cells[toDate] = nil
			}
			d.judge()
			docs[i], days[i] = d, map[time.Time]bool{}
			for at := d.fields.start.date.Time; !at.After(d.fields.end.date.Time); at = at.AddDate(0, 0, 1) {
				days[i][at] = true
			}
		}
		for i, p := range Report(docs, Bank{}, on("2026-06-01")) {
			want := false
			for j := range docs {
				for at := range days[j] {
					want = want || i != j && days[i][at]
				}
			}
			if got := slices.Contains(p.IrregularityDetection.Reasons, StubsDisagree); got != want {
				t.Fatalf("stub %d of %v: disagrees %v, want %v", i, days, got, want)
			}
		}
	})
}

// TestCutKeepsCharacters checks that cut drops only spaces and dots.
func TestCutKeepsCharacters(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab1é. \u00a0\t"))).Draw(t, "text")
		r := pdf.Run{Text: text, X: 10, End: 10 + 5*float64(len([]rune(text)))}
		var kept, want string
		edge := 10.0
		var all strip
		all.add(&r, 0)
		for _, c := range all.cut(0) {
			if c.x0 < edge-0.001 || c.x1 > r.End+0.001 {
				t.Fatalf("%q: %q is from %g to %g", text, c.text, c.x0, c.x1)
			}
			edge = c.x1
			kept += c.text
		}
		for _, c := range text {
			if c == 'a' || c == 'b' || c == '1' || c == 'é' {
				want += string(c)
			}
		}
		got := ""
		for _, c := range kept {
			if c == 'a' || c == 'b' || c == '1' || c == 'é' {
				got += string(c)
			}
		}
		if got != want {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
