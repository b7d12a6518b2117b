package review

import (
	"net/url"
	"testing"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// TestNearDays checks that the page of a day leads to the days before and after it that
// have transactions.
func TestNearDays(t *testing.T) {
	day := func(n int) report.Date { return report.DateOf(time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC)) }
	a := &report.Analysis{Total: []report.Cents{1, 2, 3}}
	from := day(1)
	a.From = &from
	for _, n := range []int{9, 4, 4, 2, 20} {
		a.Transactions = append(a.Transactions, report.AnalysisTransaction{Date: day(n), Amount: 1})
	}
	v := TransactionsView{ReportView: ReportView{Case: Case{ApplicationID: "a-1"}, Analysis: a}}
	for of, want := range map[string][2]string{"2026-03-04": {"2026-03-02", "2026-03-09"}, "2026-03-05": {"2026-03-04", "2026-03-09"},
		"2026-03-01": {"", "2026-03-02"}, "2026-03-20": {"2026-03-09", ""}} {
		v.Selected.Day = of
		if before, after := v.nearestDays(); before != want[0] || after != want[1] {
			t.Errorf("%s: %q and %q, want %q", of, before, after, want)
		}
	}
	for account, url := range []string{"?day=" + ui.PlotDay, "?account=1&day=" + ui.PlotDay} {
		p := v.linked(i18n.English, ui.LinePlot{Values: []int64{1, 2, 3}}, account)
		if p.Days == nil || p.Days.URL != "/review/applications/a-1/transactions"+url || !p.Days.First.Equal(day(1).Time) {
			t.Errorf("%+v", p.Days)
		}
	}
}

// TestTransactionsOfAccount checks that the page of an account's day has the transactions
// of that account alone.
func TestTransactionsOfAccount(t *testing.T) {
	day := func(n int) report.Date { return report.DateOf(time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC)) }
	a := &report.Analysis{Accounts: make([]report.AnalysisAccount, 2)}
	for account, days := range [][]int{{8, 5, 3}, {7, 5, 4}} {
		for _, n := range days {
			a.Transactions = append(a.Transactions, report.AnalysisTransaction{Date: day(n), Account: account, Amount: report.Cents(n)})
		}
	}
	v := TransactionsView{ReportView: ReportView{Case: Case{ApplicationID: "a-1"}, Analysis: a}}
	var ok bool
	if v.Selected, ok = ReadSelection(url.Values{"account": {"2"}, "day": {"2026-03-05"}}, a); !ok {
		t.Fatal("the selection is refused")
	}
	if all := v.all(); len(all) != 1 || all[0].Account != 1 {
		t.Errorf("%+v", all)
	}
	if before, after := v.nearestDays(); before != "2026-03-04" || after != "2026-03-07" {
		t.Errorf("near: %q and %q", before, after)
	}
	for _, n := range []string{"0", "3", "x"} {
		if _, ok := ReadSelection(url.Values{"account": {n}}, a); ok {
			t.Errorf("account %s of 2 is accepted", n)
		}
	}
}
