package review

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

func seriesDay(a *report.Analysis, i int) time.Time { return a.From.AddDate(0, 0, i) }

// monthName formats a month, as in "Mar 2026".
func monthName(l i18n.Lang, t time.Time) string {
	return ui.MonthWords(l, t.Month()) + " " + strconv.Itoa(t.Year())
}

// monthText is monthName with a note for a month that is incomplete.
func monthText(l i18n.Lang, t time.Time, part bool) string {
	if part {
		return monthName(l, t) + " (" + i18n.T(l, "review.report.part") + ")"
	}
	return monthName(l, t)
}

// tick returns the label of a month below a plot; January shows its year.
func tick(l i18n.Lang, t time.Time) string {
	if t.Month() == time.January {
		return strconv.Itoa(t.Year())
	}
	return ui.MonthWords(l, t.Month())
}

// tickRank returns the Rank of a ui.PlotMark. Half-years are always shown, quarters and
// months of a long history only if the width allows.
func tickRank(t time.Time, months int) int {
	switch {
	case months <= 6 || (t.Month()-1)%6 == 0:
		return 1
	case months <= 12 || (t.Month()-1)%3 == 0:
		return 2
	}
	return 3
}

// hasDays reports whether there are balances to draw.
func (v ReportView) hasDays() bool { return v.Analysis != nil && len(v.Analysis.Total) > 1 }

func balanceLine(l i18n.Lang, a *report.Analysis, id string, series []report.Cents, low bool) ui.LinePlot {
	cur := currency(a.CurrencyCode())
	p := ui.LinePlot{ID: id, Label: id + "-name", Story: id + "-story", Low: low, Least: 100,
		Say: cur.onAxis, Values: make([]int64, len(series))}
	for i, c := range series {
		p.Values[i] = int64(c)
	}
	months := monthStarts(a)
	for _, i := range months {
		if d := seriesDay(a, i); d.Day() == 1 {
			p.Marks = append(p.Marks, ui.PlotMark{At: i, Text: tick(l, d), Rank: tickRank(d, len(months)), Major: d.Month() == time.January})
		}
	}
	for n, from := range months {
		to := len(series) - 1
		if n+1 < len(months) {
			to = months[n+1] - 1
		}
		p.Spans = append(p.Spans, ui.PlotSpan{From: from, To: min(to+1, len(series)-1), Text: monthName(l, seriesDay(a, from)) + ": " +
			strings.ToLower(i18n.T(l, "review.report.month_end")) + " " + cur.format(series[to]) + ", " +
			strings.ToLower(i18n.T(l, "review.report.lowest")) + " " + cur.format(slices.Min(series[from:to+1]))})
	}
	return p
}

// linked links the months and days of a plot of balances to their transactions: those of an
// account, counted from 1, or of all accounts for 0.
func (v ReportView) linked(l i18n.Lang, p ui.LinePlot, account int) ui.LinePlot {
	for i := range p.Spans {
		p.Spans[i].URL = v.transactions(Selection{Account: account, Month: seriesDay(v.Analysis, p.Spans[i].From).Format("2006-01")})
	}
	if to := v.transactions(Selection{Account: account, Day: ui.PlotDay}); to != "" {
		p.Days = &ui.PlotDays{First: seriesDay(v.Analysis, 0), URL: to, Currency: v.Analysis.CurrencyCode(),
			Hint: i18n.T(l, "review.report.days_hint")}
	}
	return p
}

// monthStarts returns the indices at which a month begins, including the first day.
func monthStarts(a *report.Analysis) []int {
	out := []int{0}
	for d := a.From.AddDate(0, 1, 1-a.From.Day()); !d.After(a.To.Time); d = d.AddDate(0, 1, 0) {
		out = append(out, int(d.Sub(a.From.Time)/(24*time.Hour)))
	}
	return out
}

func balanceSummary(l i18n.Lang, a *report.Analysis, series []report.Cents) string {
	cur := currency(a.CurrencyCode())
	low, high, below := 0, 0, 0
	for i, c := range series {
		if c < series[low] {
			low = i
		}
		if c > series[high] {
			high = i
		}
		if c < 0 {
			below++
		}
	}
	at := func(i int) string { return ui.DayWords(l, seriesDay(a, i)) }
	first, last := 0, len(series)-1
	zero := i18n.T(l, "review.story.never_below_zero")
	if below > 0 {
		n, all := i18n.Count(below), i18n.Count(len(series))
		zero = i18n.T(l, "review.story.below_zero", "n", n, "all", all)
	}
	return i18n.T(l, "review.story.balance", "last", cur.format(series[last]), "last_day", at(last),
		"first", cur.format(series[first]), "first_day", at(first),
		"high", cur.format(series[high]), "high_day", at(high), "low", cur.format(series[low]), "low_day", at(low)) + " " + zero
}

// balanceGrid returns the balances by month, newest first: the total's closing and lowest
// balance, and each account's closing balance.
func balanceGrid(l i18n.Lang, a *report.Analysis) ui.Grid {
	cur := currency(a.CurrencyCode())
	g := ui.Grid{Caption: i18n.T(l, "review.report.balances"), HideCaption: true,
		Columns: columns(l, 2, "review.report.month", "review.report.month_end", "review.report.lowest")}
	each := a.Accounts
	if len(each) < 2 || len(each) > 6 {
		each = nil
	}
	for _, x := range each {
		g.Columns = append(g.Columns, ui.Column{Label: analysisAccount(l, x), Number: true})
	}
	months := monthStarts(a)
	for n := len(months) - 1; n >= 0; n-- {
		from, to := months[n], len(a.Total)
		if n+1 < len(months) {
			to = months[n+1]
		}
		row := []ui.Cell{{Text: monthName(l, seriesDay(a, from))}, {Text: cur.format(a.Total[to-1])},
			{Text: cur.format(slices.Min(a.Total[from:to]))}}
		for _, x := range each {
			row = append(row, ui.Cell{Text: cur.format(x.Balances[to-1])})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func analysisAccount(l i18n.Lang, a report.AnalysisAccount) string {
	return accountTitle(l, report.Account{InstitutionName: a.Institution, AccountName: a.Name, TruncatedNumber: a.TruncatedNumber})
}

// hasMonths reports whether there are months to draw.
func (v ReportView) hasMonths() bool {
	return v.Analysis != nil && slices.ContainsFunc(v.Analysis.Months, func(m report.AnalysisMonth) bool { return m.Count > 0 })
}

func parseMonth(m report.AnalysisMonth) time.Time {
	t, _ := time.Parse("2006-01", m.Month) // ParseAnalysis has validated it
	return t
}

func (v ReportView) monthBars(l i18n.Lang) ui.BarPlot {
	a := v.Analysis
	cur := currency(a.CurrencyCode())
	p := ui.BarPlot{ID: "money-plot", Label: "money", Story: "money-story", Least: 100, Say: cur.onAxis}
	for _, m := range a.Months {
		t := parseMonth(m)
		income := min(m.Income, m.In)
		title := monthName(l, t) + ": " + strings.ToLower(i18n.T(l, "review.report.in")) + " " + cur.format(m.In) + ", " +
			strings.ToLower(i18n.T(l, "review.report.out")) + " " + cur.format(-m.Out) + ", " +
			strings.ToLower(i18n.T(l, "review.net")) + " " + cur.format(m.In+m.Out)
		if !m.Complete {
			title += " (" + i18n.T(l, "review.report.part") + ")"
		}
		p.Bars = append(p.Bars, ui.Bars{First: int64(income), More: int64(m.In - income), Down: int64(-m.Out), Mark: int64(m.In + m.Out),
			Text: tick(l, t), Rank: tickRank(t, len(a.Months)), Major: t.Month() == time.January, Title: title, Faint: !m.Complete,
			URL: v.transactions(Selection{Month: m.Month})})
	}
	return p
}

// moneySummary describes the last year.
func moneySummary(l i18n.Lang, a *report.Analysis) string {
	months, cur := lastYear(a), currency(a.CurrencyCode())
	if len(months) == 0 {
		return i18n.T(l, "review.story.no_month")
	}
	y, left := sumOf(months), func(a, b report.AnalysisMonth) int { return cmp.Compare(a.In+a.Out, b.In+b.Out) }
	net := func(m report.AnalysisMonth) string {
		return monthName(l, parseMonth(m)) + " (" + cur.format(m.In+m.Out) + ")"
	}
	if len(months) == 1 {
		return i18n.T(l, "review.story.money.one", "in", cur.format(y.In), "income", cur.format(y.Income),
			"out", cur.format(-y.Out), "net", cur.format(y.In+y.Out))
	}
	return i18n.T(l, "review.story.money.other", "count", strconv.Itoa(len(months)), "in", cur.format(y.In),
		"income", cur.format(y.Income), "out", cur.format(-y.Out), "net", cur.format(y.In+y.Out),
		"best", net(slices.MaxFunc(months, left)), "weakest", net(slices.MinFunc(months, left)))
}

// monthGrid returns the months, newest first.
func (v ReportView) monthGrid(l i18n.Lang) ui.Grid {
	a := v.Analysis
	cur := currency(a.CurrencyCode())
	g := ui.Grid{Caption: i18n.T(l, "review.report.money"), HideCaption: true,
		Columns: []ui.Column{{Label: i18n.T(l, "review.report.month")}}}
	for _, w := range []i18n.Key{"review.report.in", "review.report.income", "review.report.out", "review.net", "review.report.month_end",
		"review.report.lowest", "review.report.nsf"} {
		g.Columns = append(g.Columns, ui.Column{Label: i18n.T(l, w), Number: true})
	}
	for _, m := range slices.Backward(a.Months) {
		row := []ui.Cell{{Body: as(monthCell(l, m, v.transactions(Selection{Month: m.Month})), monthText(l, parseMonth(m), !m.Complete))}}
		for _, c := range []report.Cents{m.In, m.Income, -m.Out, m.In + m.Out, m.End, m.Lowest} {
			row = append(row, ui.Cell{Text: cur.format(c)})
		}
		g.Rows = append(g.Rows, append(row, ui.Cell{Text: strconv.Itoa(m.Returned)}))
	}
	return g
}
