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

// drawnMonths is how many months a plot has at most: two years and the begun month.
const drawnMonths = 25

// drawn is the months of a plot.
func drawn(a report.FinancialAccount) []IncomeMonth {
	all := IncomeMonths(a)
	return all[max(0, len(all)-drawnMonths):]
}

// begun reports whether a month was not over when the report was made.
func (v IncomeView) begun(m IncomeMonth) bool {
	return m.Month.AddDate(0, 1, 0).After(v.Report.Meta.CreatedAt.Time)
}

func cents(c *report.Cents) report.Cents {
	if c == nil {
		return 0
	}
	return *c
}

// amountOr is an amount in words, where a month may have none.
func amountOr(l contract.Lang, cur currency, c *report.Cents) string {
	if c == nil {
		return keyUnknown.In(l)
	}
	return cur.say(*c)
}

// incomeBars draws the months: net pay, and above it the deductions.
func incomeBars(l contract.Lang, v IncomeView, a report.FinancialAccount, id string) ui.BarPlot {
	cur := v.in()
	p := ui.BarPlot{ID: id + "-plot", Label: id + "-name", Story: id + "-story", Least: 100, Say: cur.onAxis, Unmarked: true}
	months := drawn(a)
	for _, m := range months {
		net := max(0, cents(m.Net))
		title := monthName(l, m.Month) + ": " + strings.ToLower(incomeGross.In(l)) + " " + amountOr(l, cur, m.Gross) + ", " + strings.ToLower(incomeNet.In(l)) + " " + amountOr(l, cur, m.Net)
		if v.begun(m) {
			title += " (" + reportPart.In(l) + ")"
		}
		p.Bars = append(p.Bars, ui.Bars{First: int64(net), More: int64(max(0, cents(m.Gross)-net)), Text: tick(l, m.Month),
			Rank: tickRank(m.Month, len(months)), Major: m.Month.Month() == time.January, Title: title, Faint: v.begun(m)})
	}
	return p
}

// incomeStory tells the last twelve complete months of a history in words.
func incomeStory(l contract.Lang, v IncomeView, a report.FinancialAccount) string {
	months := slices.DeleteFunc(slices.Clone(IncomeMonths(a)), v.begun)
	months = months[max(0, len(months)-12):]
	var gross, net report.Cents
	cur, paid := v.in(), 0
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
		return contract.Words{EN: "No month is complete yet.", ES: "Aún no hay ningún mes completo."}.In(l)
	}
	n, count, with := report.Cents(len(months)), strconv.Itoa(len(months)), strconv.Itoa(paid)
	at := func(m *IncomeMonth) string { return monthName(l, m.Month) + " (" + amountOr(l, cur, m.Net) + ")" }
	return contract.Words{
		EN: "Income in " + with + " of the last " + count + " complete months. On average gross " + cur.say(gross/n) + ", net " + cur.say(net/n) + ". Most in " + at(best) + ", least in " + at(worst) + ".",
		ES: "Ingresos en " + with + " de los últimos " + count + " meses completos. De media, bruto " + cur.say(gross/n) + ", neto " + cur.say(net/n) + ". El mayor, " + at(best) + "; el menor, " + at(worst) + ".",
	}.In(l)
}

func incomeMonthGrid(l contract.Lang, v IncomeView, a report.FinancialAccount) ui.Grid {
	g := ui.Grid{Caption: incomeHistory.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportMonth.In(l)},
		{Label: incomeGross.In(l), Number: true}, {Label: incomeNet.In(l), Number: true}}}
	for _, m := range slices.Backward(IncomeMonths(a)) {
		g.Rows = append(g.Rows, []ui.Cell{{Body: monthWords(l, m.Month, v.begun(m))}, money(l, v.in(), m.Gross), money(l, v.in(), m.Net)})
	}
	return g
}

// bankFacts lists a model's results for the accounts.
func bankFacts(l contract.Lang, cur currency, a report.FinancialAccount) []ui.Fact {
	wholeOf := func(cur currency, term contract.Words, n *int64) ui.Fact {
		if n == nil {
			return ui.Fact{Term: term.In(l), Body: given(l, "")}
		}
		return ui.Fact{Term: term.In(l), Text: cur.whole(*n)}
	}
	facts := []ui.Fact{wholeOf(cur, incomeAnnualGross, a.GrossAnnual), wholeOf(cur, incomeAnnualNet, a.NetAnnual),
		wholeOf(cur, incomeRecentGross, a.GrossRecent), wholeOf(cur, incomeRecentNet, a.NetRecent),
		{Term: incomeStreams.In(l), Body: list(l, a.Descriptions)}, {Term: reportSource.In(l), Body: sourceList(l, a.SourceIDs)},
		{Term: incomeModel.In(l), Text: joined(" ", a.ModelType, a.ModelVersion)}}
	if m := a.MatchedIncome; m != nil {
		facts = append(facts, ui.Fact{Term: incomeMatched.In(l), Text: joined(" → ", report.Text(m.StatedEmployer), report.Text(m.Description))},
			wholeOf(usd, incomeStated, m.StatedAnnualIncome), wholeOf(cur, incomeAnnualGrossThere, m.Gross), wholeOf(cur, incomeAnnualNetThere, m.Net))
	}
	return facts
}

var (
	incomeAnnualGrossThere = contract.Words{EN: "Gross of a year from there", ES: "Bruto anual de ahí"}
	incomeAnnualNetThere   = contract.Words{EN: "Net of a year from there", ES: "Neto anual de ahí"}
)

// inflowGrid lists recurring income with the matching stated employer and the
// account that receives it.
func inflowGrid(l contract.Lang, cur currency, inflows []report.Inflow, from []report.MatchedIncomeSource, account func(id string) string) ui.Grid {
	g := ui.Grid{Caption: incomeInflowsOf.In(l), HideCaption: true, Columns: []ui.Column{{Label: incomeInflow.In(l)}, {Label: incomeOfEmployer.In(l)}, {Label: reportAccount.In(l)},
		{Label: incomeYear.In(l), Number: true}, {Label: incomeRecently.In(l), Number: true}}}
	for _, x := range inflows {
		stated := ui.Cell{Body: ui.Badge(ui.Neutral, incomeUnmatched.In(l))}
		if i := slices.IndexFunc(from, func(m report.MatchedIncomeSource) bool { return m.MatchedInflowID == x.InflowID }); i >= 0 {
			stated = ui.Cell{Body: ui.Badge(ui.Success, from[i].StatedEmployer)}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: x.Description}, stated, {Body: given(l, account(x.AccountID))}, money(l, cur, x.AnnualIncome), money(l, cur, x.RecentIncome)})
	}
	return g
}

// account names the account of an id.
func (v IncomeView) account(l contract.Lang) func(id string) string {
	return func(id string) string {
		for _, a := range v.Report.AccountDetails {
			if a.AccountID == id {
				return incomeAccountTitle(l, a)
			}
		}
		return ""
	}
}

func incomeAccountTitle(l contract.Lang, a report.IncomeAccount) string {
	return accountTitle(l, report.Account{InstitutionName: a.InstitutionName, AccountName: a.AccountName, TruncatedNumber: a.TruncatedNumber})
}

func incomeAccountGrid(l contract.Lang, all []report.IncomeAccount) ui.Grid {
	g := ui.Grid{Caption: reportAccountsSum.In(l), Columns: []ui.Column{{Label: reportInstitution.In(l)}, {Label: reportAccount.In(l)},
		{Label: reportNumber.In(l)}, {Label: reportSubtype.In(l)}, {Label: reportOwner.In(l)}, {Label: reportOpened.In(l)}, {Label: reportBalance.In(l), Number: true}}}
	for _, a := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(a.InstitutionName))}, {Body: given(l, report.Text(a.AccountName))},
			{Body: ending(l, report.Text(a.TruncatedNumber))}, {Text: joined(" · ", code(l, a.AccountType), code(l, report.Text(a.Responsibility)))},
			{Body: given(l, report.Text(a.OwnerFullName))}, {Body: date(l, a.DateOpened)}, {Body: stated(l, a.CurrentBalance, a.BalanceTerms)}})
	}
	return g
}

// mailingLine is an address in one line.
func mailingLine(a report.IncomeAddress) string {
	return mailing(report.Address{Address: a.Address, Street: a.Street, City: a.City, State: a.State, ZIPCode: a.ZIPCode})
}

func payrollFacts(l contract.Lang, p report.Payroll) []ui.Fact {
	return []ui.Fact{
		{Term: payrollSalary.In(l), Body: balance(l, usd, p.AnnualSalaryRate)}, {Term: payrollGross.In(l), Body: balance(l, usd, p.EstimatedGrossAnnual)},
		{Term: payrollNet.In(l), Body: balance(l, usd, p.EstimatedNetAnnual)}, {Term: payrollFrequency.In(l), Body: given(l, known(l, frequencyWords, report.Text(p.PayFrequency)))},
		{Term: payrollPeriod.In(l), Body: span(l, p.PayPeriodStart, p.PayPeriodEnd)}, {Term: reportSource.In(l), Body: source(p.SourceID)}}
}

func statementGrid(l contract.Lang, all []report.Statement) ui.Grid {
	g := ui.Grid{Caption: payrollStatements.In(l), HideCaption: true, Columns: []ui.Column{{Label: payrollDate.In(l)}, {Label: incomeGross.In(l), Number: true},
		{Label: incomeGross.In(l) + ", " + payrollYTD.In(l), Number: true}, {Label: incomeNet.In(l), Number: true}, {Label: incomeNet.In(l) + ", " + payrollYTD.In(l), Number: true}}}
	for _, s := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, s.PayDate)}, money(l, usd, s.GrossTotal), money(l, usd, s.GrossTotalYTD), money(l, usd, s.NetTotal), money(l, usd, s.NetTotalYTD)})
	}
	return g
}

func revisedFacts(l contract.Lang, cur currency, r *report.RevisedValues) []ui.Fact {
	var facts []ui.Fact
	for _, f := range []struct {
		term contract.Words
		n    *int64
	}{{incomeAnnualGross, r.GrossAnnual}, {incomeAnnualNet, r.NetAnnual}, {incomeRecentGross, r.GrossRecent}, {incomeRecentNet, r.NetRecent}} {
		if f.n != nil {
			facts = append(facts, ui.Fact{Term: f.term.In(l), Text: cur.whole(*f.n)})
		}
	}
	return facts
}

// payrollName is a provider's name, or a generic term without one.
func payrollName(l contract.Lang, name *string) string {
	if s := report.Text(name); s != "" {
		return s
	}
	return incomeFromPayroll.In(l)
}
