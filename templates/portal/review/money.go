package review

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

var (
	reportBalances     = contract.Words{EN: "Balance over time", ES: "Saldo a lo largo del tiempo"}
	reportAllAccounts  = contract.Words{EN: "All accounts together, at the end of each day", ES: "Todas las cuentas juntas, al cierre de cada día"}
	reportOneAccount   = contract.Words{EN: "At the end of each day", ES: "Al cierre de cada día"}
	reportEachAccount  = contract.Words{EN: "Each account on its own", ES: "Cada cuenta por separado"}
	reportBalanceTable = contract.Words{EN: "Balances by month, as a table", ES: "Saldos por mes, en una tabla"}
	reportMonthEnd     = contract.Words{EN: "At the end", ES: "Al cierre"}
	reportLowest       = contract.Words{EN: "Lowest", ES: "El más bajo"}
	reportMoney        = contract.Words{EN: "Money in and out by month", ES: "Entradas y salidas por mes"}
	reportMoneyIs      = contract.Words{EN: "Transfers between own accounts are left out.", ES: "Sin las transferencias entre cuentas propias."}
	reportMoneyTable   = contract.Words{EN: "Month by month, as a table", ES: "Mes a mes, en una tabla"}
	reportMonth        = contract.Words{EN: "Month", ES: "Mes"}
	reportIn           = contract.Words{EN: "In", ES: "Entradas"}
	reportIncome       = contract.Words{EN: "Of it income", ES: "De ellas, ingresos"}
	reportOut          = contract.Words{EN: "Out", ES: "Salidas"}
	reportNet          = contract.Words{EN: "Net", ES: "Neto"}
	reportNSF          = contract.Words{EN: "NSF or overdraft", ES: "Sin fondos o sobregiro"}
	reportPart         = contract.Words{EN: "not complete", ES: "incompleto"}
	legendIncome       = contract.Words{EN: "Income", ES: "Ingresos"}
	legendOther        = contract.Words{EN: "Other money in", ES: "Otras entradas"}
	legendOut          = contract.Words{EN: "Money out", ES: "Salidas"}
	legendPart         = contract.Words{EN: "Paler: the month is not complete", ES: "Más claro: el mes no está completo"}
	reportPending      = contract.Words{EN: "Balances, months and categories are still being fetched. Open this page again in a moment.", ES: "Los saldos, los meses y las categorías aún se están obteniendo. Vuelva a abrir esta página en un momento."}
	wordsDay           = contract.Words{EN: "day", ES: "día"}
	wordsDays          = contract.Words{EN: "days", ES: "días"}
)

// date is the day of an index of the analysis' series.
func seriesDay(a *report.Analysis, i int) time.Time { return a.From.AddDate(0, 0, i) }

// monthName is a month in words, as in "Mar 2026".
func monthName(l contract.Lang, t time.Time) string {
	return ui.MonthWords(l, t.Month()) + " " + strconv.Itoa(t.Year())
}

// tick is a month below a plot: January is its year.
func tick(l contract.Lang, t time.Time) string {
	if t.Month() == time.January {
		return strconv.Itoa(t.Year())
	}
	return ui.MonthWords(l, t.Month())
}

// tickRank is a ui.PlotMark's Rank: half-years always show, quarters and months of a
// long history only where the width allows.
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

// balanceLine draws a series of balances.
func balanceLine(l contract.Lang, a *report.Analysis, id string, series []report.Cents, low bool) ui.LinePlot {
	cur := currency(a.In())
	p := ui.LinePlot{ID: id, Label: id + "-name", Story: id + "-story", Low: low, Least: 100, Say: cur.onAxis, Values: make([]int64, len(series))}
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
			strings.ToLower(reportMonthEnd.In(l)) + " " + cur.say(series[to]) + ", " + strings.ToLower(reportLowest.In(l)) + " " + cur.say(slices.Min(series[from:to+1]))})
	}
	return p
}

// monthStarts are the indices at which a month begins, the first day included.
func monthStarts(a *report.Analysis) []int {
	out := []int{0}
	for i := 1; i < a.Days(); i++ {
		if seriesDay(a, i).Day() == 1 {
			out = append(out, i)
		}
	}
	return out
}

// balanceStory tells a series in words.
func balanceStory(l contract.Lang, a *report.Analysis, series []report.Cents) string {
	cur := currency(a.In())
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
	zero := contract.Words{EN: "Never below zero.", ES: "Nunca por debajo de cero."}
	if below > 0 {
		n, all := grouped(strconv.Itoa(below)), grouped(strconv.Itoa(len(series)))
		zero = contract.Words{EN: "Below zero on " + n + " of " + all + " days.", ES: "Por debajo de cero " + n + " de " + all + " días."}
	}
	return contract.Words{
		EN: cur.say(series[last]) + " on " + at(last) + ", " + cur.say(series[first]) + " on " + at(first) + ". Highest " + cur.say(series[high]) + " on " + at(high) +
			", lowest " + cur.say(series[low]) + " on " + at(low) + ". " + zero.EN,
		ES: cur.say(series[last]) + " el " + at(last) + "; " + cur.say(series[first]) + " el " + at(first) + ". El más alto, " + cur.say(series[high]) + " el " + at(high) +
			"; el más bajo, " + cur.say(series[low]) + " el " + at(low) + ". " + zero.ES,
	}.In(l)
}

// balanceGrid is the balances by month, newest first: the total's end and lowest,
// and each account's end.
func balanceGrid(l contract.Lang, a *report.Analysis) ui.Grid {
	cur := currency(a.In())
	g := ui.Grid{Caption: reportBalances.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportMonth.In(l)},
		{Label: reportMonthEnd.In(l), Number: true}, {Label: reportLowest.In(l), Number: true}}}
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
		row := []ui.Cell{{Text: monthName(l, seriesDay(a, from))}, {Text: cur.say(a.Total[to-1])}, {Text: cur.say(slices.Min(a.Total[from:to]))}}
		for _, x := range each {
			row = append(row, ui.Cell{Text: cur.say(x.Balances[to-1])})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// analysisAccount names an account of the analysis.
func analysisAccount(l contract.Lang, a report.AnalysisAccount) string {
	return accountTitle(l, report.Account{InstitutionName: a.Institution, AccountName: a.Name, TruncatedNumber: a.TruncatedNumber})
}

// hasMonths reports whether there are months to draw.
func (v ReportView) hasMonths() bool {
	return v.Analysis != nil && slices.ContainsFunc(v.Analysis.Months, func(m report.AnalysisMonth) bool { return m.Count > 0 })
}

func parseMonth(m report.AnalysisMonth) time.Time {
	t, _ := time.Parse("2006-01", m.Month) // ParseAnalysis has read it
	return t
}

func monthBars(l contract.Lang, a *report.Analysis) ui.BarPlot {
	cur := currency(a.In())
	p := ui.BarPlot{ID: "money-plot", Label: "money", Story: "money-story", Least: 100, Say: cur.onAxis}
	for _, m := range a.Months {
		t := parseMonth(m)
		income := min(m.Income, m.In)
		title := monthName(l, t) + ": " + strings.ToLower(reportIn.In(l)) + " " + cur.say(m.In) + ", " + strings.ToLower(reportOut.In(l)) + " " + cur.say(-m.Out) + ", " +
			strings.ToLower(reportNet.In(l)) + " " + cur.say(m.In+m.Out)
		if !m.Complete {
			title += " (" + reportPart.In(l) + ")"
		}
		p.Bars = append(p.Bars, ui.Bars{First: int64(income), More: int64(m.In - income), Down: int64(-m.Out), Mark: int64(m.In + m.Out),
			Text: tick(l, t), Rank: tickRank(t, len(a.Months)), Major: t.Month() == time.January, Title: title, Faint: !m.Complete})
	}
	return p
}

// moneyStory tells the complete months in words.
func moneyStory(l contract.Lang, a *report.Analysis) string {
	cur := currency(a.In())
	var in, income, out report.Cents
	var best, worst *report.AnalysisMonth
	n := report.Cents(0)
	for i := range a.Months {
		m := &a.Months[i]
		if !m.Complete {
			continue
		}
		n, in, income, out = n+1, in+m.In, income+m.Income, out+m.Out
		if best == nil || m.In+m.Out > best.In+best.Out {
			best = m
		}
		if worst == nil || m.In+m.Out < worst.In+worst.Out {
			worst = m
		}
	}
	if n == 0 {
		return contract.Words{EN: "No month is complete yet.", ES: "Aún no hay ningún mes completo."}.In(l)
	}
	count := strconv.Itoa(int(n))
	net := func(m *report.AnalysisMonth) string {
		return monthName(l, parseMonth(*m)) + " (" + cur.say(m.In+m.Out) + ")"
	}
	if n == 1 {
		return contract.Words{EN: "In the one complete month: in " + cur.say(in) + ", of it income " + cur.say(income) + "; out " + cur.say(-out) + "; net " + cur.say(in+out) + ".",
			ES: "En el único mes completo: entradas " + cur.say(in) + ", de ellas ingresos " + cur.say(income) + "; salidas " + cur.say(-out) + "; neto " + cur.say(in+out) + "."}.In(l)
	}
	return contract.Words{
		EN: "On average of " + count + " complete months: in " + cur.say(in/n) + ", of it income " + cur.say(income/n) + "; out " + cur.say(-out/n) + "; net " + cur.say((in+out)/n) +
			". Best month " + net(best) + ", weakest " + net(worst) + ".",
		ES: "De media en " + count + " meses completos: entradas " + cur.say(in/n) + ", de ellas ingresos " + cur.say(income/n) + "; salidas " + cur.say(-out/n) + "; neto " + cur.say((in+out)/n) +
			". Mejor mes, " + net(best) + "; el más flojo, " + net(worst) + ".",
	}.In(l)
}

// monthGrid is the months newest first.
func monthGrid(l contract.Lang, a *report.Analysis) ui.Grid {
	cur := currency(a.In())
	g := ui.Grid{Caption: reportMoney.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportMonth.In(l)}}}
	for _, w := range []contract.Words{reportIn, reportIncome, reportOut, reportNet, reportMonthEnd, reportLowest, reportNSF} {
		g.Columns = append(g.Columns, ui.Column{Label: w.In(l), Number: true})
	}
	for _, m := range slices.Backward(a.Months) {
		row := []ui.Cell{{Body: monthCell(l, m)}}
		for _, c := range []report.Cents{m.In, m.Income, -m.Out, m.In + m.Out, m.End, m.Lowest} {
			row = append(row, ui.Cell{Text: cur.say(c)})
		}
		g.Rows = append(g.Rows, append(row, ui.Cell{Text: strconv.Itoa(m.Returned)}))
	}
	return g
}
