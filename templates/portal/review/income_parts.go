package review

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// IncomeMonth is the income of one month; nil is a month without data.
type IncomeMonth struct {
	Month      time.Time
	Gross, Net *report.Cents
}

// IncomeMonths returns an account's history, oldest month first, from the first
// month with data to the last. The report lists the months of a year latest first.
func IncomeMonths(a report.FinancialAccount) []IncomeMonth {
	var out []IncomeMonth
	for _, y := range a.History {
		at := func(all []*report.Cents, i int) *report.Cents {
			if i < len(all) {
				return all[i]
			}
			return nil
		}
		for i := range 12 {
			out = append(out, IncomeMonth{time.Date(y.Year, time.Month(12-i), 1, 0, 0, 0, 0, time.UTC), at(y.Gross, i), at(y.Net, i)})
		}
	}
	slices.SortStableFunc(out, func(a, b IncomeMonth) int { return a.Month.Compare(b.Month) })
	known := func(m IncomeMonth) bool { return m.Gross != nil || m.Net != nil }
	first := slices.IndexFunc(out, known)
	if first < 0 {
		return nil
	}
	last := len(out) - 1
	for !known(out[last]) {
		last--
	}
	return out[first : last+1]
}

// maxPlotMonths is the maximum number of months in a plot: two years and the current month.
const maxPlotMonths = 25

func plotMonths(a report.FinancialAccount) []IncomeMonth {
	all := IncomeMonths(a)
	return all[max(0, len(all)-maxPlotMonths):]
}

// begun reports whether a month had not ended when the report was created.
func (v IncomeView) begun(m IncomeMonth) bool {
	return m.Month.AddDate(0, 1, 0).After(v.Report.Meta.CreatedAt.Time)
}

func cents(c *report.Cents) report.Cents {
	if c == nil {
		return 0
	}
	return *c
}

// amountOr formats an amount; for nil it says that the amount is unknown.
func amountOr(l i18n.Lang, cur currency, c *report.Cents) string {
	if c == nil {
		return i18n.T(l, "review.key.unknown")
	}
	return cur.format(*c)
}

// incomeBars returns the plot of the months: net pay, and above it the deductions.
func incomeBars(l i18n.Lang, v IncomeView, a report.FinancialAccount, id string) ui.BarPlot {
	cur := v.currency()
	p := ui.BarPlot{ID: id + "-plot", Label: id + "-name", Story: id + "-story", Least: 100, Say: cur.onAxis, Unmarked: true}
	months := plotMonths(a)
	for _, m := range months {
		net := max(0, cents(m.Net))
		title := monthName(l, m.Month) + ": " + strings.ToLower(i18n.T(l, "review.gross")) + " " + amountOr(l, cur,
			m.Gross) + ", " + strings.ToLower(i18n.T(l, "review.net")) + " " + amountOr(l, cur, m.Net)
		if v.begun(m) {
			title += " (" + i18n.T(l, "review.report.part") + ")"
		}
		p.Bars = append(p.Bars, ui.Bars{First: int64(net), More: int64(max(0, cents(m.Gross)-net)), Text: tick(l, m.Month),
			Rank: tickRank(m.Month, len(months)), Major: m.Month.Month() == time.January, Title: title, Faint: v.begun(m)})
	}
	return p
}

// incomeSummary describes the last twelve complete months of a history.
func incomeSummary(l i18n.Lang, v IncomeView, a report.FinancialAccount) string {
	months := slices.DeleteFunc(slices.Clone(IncomeMonths(a)), v.begun)
	months = months[max(0, len(months)-12):]
	var gross, net report.Cents
	cur, paid := v.currency(), 0
	var best, worst *IncomeMonth
	for i := range months {
		m := &months[i]
		gross, net = gross+cents(m.Gross), net+cents(m.Net)
		if cents(m.Net) > 0 || cents(m.Gross) > 0 {
			paid++
		}
		if best == nil || cents(m.Net) > cents(best.Net) {
			best = m
		}
		if worst == nil || cents(m.Net) < cents(worst.Net) {
			worst = m
		}
	}
	if len(months) == 0 {
		return i18n.T(l, "review.story.no_month")
	}
	n, count, with := report.Cents(len(months)), strconv.Itoa(len(months)), strconv.Itoa(paid)
	at := func(m *IncomeMonth) string { return monthName(l, m.Month) + " (" + amountOr(l, cur, m.Net) + ")" }
	return i18n.T(l, "review.story.income", "months", with, "count", count, "gross", cur.format(gross/n),
		"net", cur.format(net/n), "most", at(best), "least", at(worst))
}

func incomeMonthGrid(l i18n.Lang, v IncomeView, a report.FinancialAccount) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.income.history"), HideCaption: true,
		Columns: columns(l, 2, "review.report.month", "review.gross", "review.net")}
	for _, m := range slices.Backward(IncomeMonths(a)) {
		g.Rows = append(g.Rows, []ui.Cell{{Body: as(monthWords(l, m.Month, v.begun(m)), monthText(l, m.Month, v.begun(m)))},
			money(l, v.currency(), m.Gross), money(l, v.currency(), m.Net)})
	}
	return g
}

// bankFacts lists a model's results for the accounts.
func bankFacts(l i18n.Lang, cur currency, a report.FinancialAccount) []ui.Fact {
	wholeOf := func(cur currency, term i18n.Key, n *int64) ui.Fact {
		if n == nil {
			return ui.Fact{Term: i18n.T(l, term), Body: textOrDash(l, "")}
		}
		return ui.Fact{Term: i18n.T(l, term), Text: cur.whole(*n)}
	}
	facts := []ui.Fact{wholeOf(cur, "review.income.annual_gross", a.GrossAnnual), wholeOf(cur, "review.income.annual_net", a.NetAnnual),
		wholeOf(cur, "review.income.recent_gross", a.GrossRecent), wholeOf(cur, "review.income.recent_net", a.NetRecent),
		{Term: i18n.T(l, "review.income.streams"), Body: list(l, a.Descriptions)}, {Term: i18n.T(l, "review.report.source"),
			Body: sourceList(l, a.SourceIDs)},
		{Term: i18n.T(l, "review.income.model"), Text: joined(" ", code(l, a.ModelType), a.ModelVersion)}}
	if m := a.MatchedIncome; m != nil {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.income.matched"),
			Text: joined(" → ", report.Text(m.StatedEmployer), report.Text(m.Description))},
			wholeOf(usd, "review.income.stated", m.StatedAnnualIncome), wholeOf(cur, "review.income.annual_gross_there", m.Gross),
			wholeOf(cur, "review.income.annual_net_there", m.Net))
	}
	return facts
}

// inflowGrid lists recurring income with the matching stated employer and the
// account that receives it.
func inflowGrid(l i18n.Lang, cur currency, inflows []report.Inflow, from []report.MatchedIncomeSource,
	account func(id string) string) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.income.inflows_caption"), HideCaption: true,
		Columns: columns(l, 2, "review.income.inflow", "review.income.of_employer", "review.report.account", "review.income.year",
			"review.income.recently")}
	for _, x := range inflows {
		stated := ui.Cell{Body: badge(ui.Neutral, i18n.T(l, "review.income.unmatched"))}
		if i := slices.IndexFunc(from, func(m report.MatchedIncomeSource) bool { return m.MatchedInflowID == x.InflowID }); i >= 0 {
			stated = ui.Cell{Body: badge(ui.Success, from[i].StatedEmployer)}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: x.Description}, stated, {Body: textOrDash(l, account(x.AccountID))},
			money(l, cur, x.AnnualIncome), money(l, cur, x.RecentIncome)})
	}
	return g
}

// account returns a function that returns the name of an account by its ID.
func (v IncomeView) account(l i18n.Lang) func(id string) string {
	return func(id string) string {
		for _, a := range v.Report.AccountDetails {
			if a.AccountID == id {
				return incomeAccountTitle(l, a)
			}
		}
		return ""
	}
}

func incomeAccountTitle(l i18n.Lang, a report.IncomeAccount) string {
	return accountTitle(l, report.Account{InstitutionName: a.InstitutionName, AccountName: a.AccountName, TruncatedNumber: a.TruncatedNumber})
}

func incomeAccountGrid(l i18n.Lang, all []report.IncomeAccount) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.accounts_sum"),
		Columns: columns(l, 1, "review.report.institution", "review.report.account", "review.report.number", "review.report.subtype",
			"review.report.owner", "review.report.opened", "review.report.balance")}
	for _, a := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(a.InstitutionName))},
			{Body: textOrDash(l, report.Text(a.AccountName))},
			{Body: lastDigits(l, report.Text(a.TruncatedNumber))},
			{Text: joined(" · ", code(l, a.AccountType), code(l, report.Text(a.Responsibility)))},
			{Body: textOrDash(l, report.Text(a.OwnerFullName))}, {Body: date(l, a.DateOpened)}, {Body: stated(l, a.CurrentBalance, a.BalanceTerms)}})
	}
	return g
}

func payrollFacts(l i18n.Lang, p report.Payroll) []ui.Fact {
	return []ui.Fact{
		{Term: i18n.T(l, "review.payroll.salary"), Body: balance(l, usd, p.AnnualSalaryRate)}, {Term: i18n.T(l, "review.payroll.gross"),
			Body: balance(l, usd, p.EstimatedGrossAnnual)},
		{Term: i18n.T(l, "review.payroll.net"), Body: balance(l, usd, p.EstimatedNetAnnual)}, {Term: i18n.T(l, "review.payroll.frequency"),
			Body: textOrDash(l, i18n.Code(l, "review.frequencies", report.Text(p.PayFrequency)))},
		{Term: i18n.T(l, "review.payroll.period"), Body: span(l, p.PayPeriodStart,
			p.PayPeriodEnd)}, {Term: i18n.T(l, "review.report.source"), Body: source(l, p.SourceID)}}
}

func statementGrid(l i18n.Lang, all []report.Statement) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.payroll.statements"), HideCaption: true,
		Columns: []ui.Column{{Label: i18n.T(l, "review.paid_on")}, {Label: i18n.T(l, "review.gross"), Number: true},
			{Label: i18n.T(l, "review.gross") + ", " + i18n.T(l, "review.payroll.ytd"), Number: true}, {Label: i18n.T(l, "review.net"),
				Number: true}, {Label: i18n.T(l, "review.net") + ", " + i18n.T(l, "review.payroll.ytd"), Number: true}}}
	for _, s := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, s.PayDate)}, money(l, usd, s.GrossTotal), money(l, usd, s.GrossTotalYTD),
			money(l, usd, s.NetTotal), money(l, usd, s.NetTotalYTD)})
	}
	return g
}

func revisedFacts(l i18n.Lang, cur currency, r *report.RevisedValues) []ui.Fact {
	var facts []ui.Fact
	for _, f := range []struct {
		term i18n.Key
		n    *int64
	}{{"review.income.annual_gross", r.GrossAnnual}, {"review.income.annual_net", r.NetAnnual},
		{"review.income.recent_gross", r.GrossRecent}, {"review.income.recent_net", r.NetRecent}} {
		if f.n != nil {
			facts = append(facts, ui.Fact{Term: i18n.T(l, f.term), Text: cur.whole(*f.n)})
		}
	}
	return facts
}

func sourceList(l i18n.Lang, all []string) printed {
	if len(all) == 0 {
		return textOrDash(l, "")
	}
	var words []string
	for _, s := range all {
		words = append(words, sourceWords(l, s))
	}
	return as(sourceLines(l, all), words...)
}

// hired shows a hire date, marked if it is estimated.
func hired(l i18n.Lang, known, estimated *report.Date) printed {
	if known != nil || estimated == nil {
		return date(l, known)
	}
	return as(estimatedDate(l, estimated), ui.DayWords(l, estimated.Time)+" ("+i18n.T(l, "review.report.estimated")+")")
}
