package review

import (
	"testing"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// The page of a day leads to the days before and after it that have transactions.
func TestNearDays(t *testing.T) {
	day := func(n int) report.Date { return report.DateOf(time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC)) }
	a := &report.Analysis{Total: []report.Cents{1, 2, 3}}
	from := day(1)
	a.From = &from
	for _, n := range []int{9, 4, 4, 2, 20} {
		a.Transactions = append(a.Transactions, report.AnalysisTransaction{Date: day(n), Amount: 1})
	}
	v := TransactionsView{ReportView: ReportView{ApplicationID: "a-1", Analysis: a}}
	for of, want := range map[string][2]string{"2026-03-04": {"2026-03-02", "2026-03-09"}, "2026-03-05": {"2026-03-04", "2026-03-09"},
		"2026-03-01": {"", "2026-03-02"}, "2026-03-20": {"2026-03-09", ""}} {
		v.Selected.Day = of
		if before, after := v.near(); before != want[0] || after != want[1] {
			t.Errorf("%s: %q and %q, want %q", of, before, after, want)
		}
	}
	p := v.linked(i18n.English, ui.LinePlot{Values: []int64{1, 2, 3}})
	if p.Days == nil || p.Days.URL != "/review/applications/a-1/transactions?day="+ui.PlotDay || !p.Days.First.Equal(day(1).Time) {
		t.Errorf("%+v", p.Days)
	}
}
