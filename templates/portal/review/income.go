package review

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// IncomeView is an income report as a page.
type IncomeView struct {
	Case
	Report  *report.Income
	Verdict verdict.Income
}

// Decided returns what the report means.
func (v IncomeView) Decided() verdict.Verdict { return v.Verdict.Verdict }

// HasMonths reports whether there is a history for a spreadsheet.
func (v IncomeView) HasMonths() bool {
	return slices.ContainsFunc(v.accounts(), func(a report.FinancialAccount) bool { return len(IncomeMonths(a)) > 0 })
}

// currency returns the currency of the figures from bank accounts.
func (v IncomeView) currency() currency { return currency(v.Report.CurrencyCode()) }

func (v IncomeView) summaryCurrency() currency { return currency(v.Report.SummaryCurrency()) }

func (v IncomeView) accounts() []report.FinancialAccount {
	if v.Report.Income == nil {
		return nil
	}
	return v.Report.Income.FinancialAccounts
}

func (v IncomeView) sheet(l i18n.Lang) sheet {
	r := v.Report
	s := sheet{Case: v.Case, title: "review.report.income_title", verdict: v.Decided(), product: r.Product, meta: r.Meta,
		notices: slices.Concat(alertNotices(l, r.Notices), noData(l, r.Meta), currencyNotices(l, v.currency(), r.AccountDetails,
			incomeAccountTitle, func(a report.IncomeAccount) report.BalanceTerms { return a.BalanceTerms })),
		keys: v.keys(l), sections: v.sections(l),
		downloads: []download{{"/report.json", "review.application.download"}}}
	if r.HasStatements() {
		s.downloads = append(s.downloads, download{"/report.csv", "review.report.rows"})
	}
	if v.HasMonths() {
		s.downloads = append(s.downloads, download{"/months.csv", "review.report.months_csv"})
	}
	if r.Income != nil && r.Income.Revised != nil {
		s.corrected = i18n.T(l, "review.income.revised")
	}
	return s
}

// sections returns the sections for which the report has data.
func (v IncomeView) sections(l i18n.Lang) (out []section) {
	r := v.Report
	add := adder(l, &out)
	income := r.Income
	if income == nil {
		income = &report.IncomeNode{}
	}
	add(len(income.FinancialAccounts) > 0, "bank", "review.income.from_bank", func() templ.Component { return incomeBank(l, v) })
	add(len(income.Payroll) > 0, "payroll", "review.income.from_payroll", func() templ.Component { return incomePayroll(l, v) })
	add(len(income.Paystubs) > 0, "stubs", "review.income.from_stubs", func() templ.Component { return payStubs(l, v) })
	add(income.Revised != nil, "revised", "review.income.revised_values",
		func() templ.Component { return ui.Facts(revisedFacts(l, v.summaryCurrency(), income.Revised)) })
	add(len(r.Employment) > 0, "employment", "review.report.employment", func() templ.Component { return ui.Table(v.employment(l)) })
	add(len(r.Identities) > 0, "identity", "review.report.identities", func() templ.Component { return identityPart(l, v.Decided()) })
	add(len(r.AccountDetails) > 0, "accounts", "review.report.accounts", func() templ.Component { return incomeAccounts(l, r.AccountDetails) })
	add(len(r.Notices) > 0, "notices", "review.report.notices", func() templ.Component { return ui.Table(noticeGrid(l, r.Notices)) })
	add(len(r.Sources) > 0, "sources", "review.report.sources", func() templ.Component { return ui.Table(sourceGrid(l, r.Sources)) })
	add(true, "about", "review.report.about", func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

// keys returns the figures at the top of the page: the year's income, the recent income,
// the stated income, and the model's results for the job.
func (v IncomeView) keys(l i18n.Lang) []key {
	n := v.Report.Income
	if n == nil {
		return nil
	}
	cur, summary := v.currency(), v.summaryCurrency()
	amount := func(label i18n.Key, c *report.Cents, is string) key {
		if c == nil {
			return key{label: i18n.T(l, label), value: i18n.T(l, "review.key.unknown"), is: is, none: true}
		}
		return key{label: i18n.T(l, label), value: summary.format(*c), is: is}
	}
	out := []key{amount("review.income.annual_gross", n.Summary.AnnualGross, i18n.T(l, "review.income.before_tax")),
		amount("review.income.annual_net", n.Summary.AnnualNet, i18n.T(l, "review.income.after_tax"))}
	for _, a := range n.FinancialAccounts {
		if a.GrossRecent != nil {
			out = append(out, key{label: i18n.T(l, "review.income.recent_gross"), value: cur.whole(*a.GrossRecent),
				is: change(l, a.GrossRecent, a.GrossAnnual)})
		}
		if m := a.MatchedIncome; m != nil && m.StatedAnnualIncome != nil {
			out = append(out, key{label: i18n.T(l, "review.income.stated"), value: usd.whole(*m.StatedAnnualIncome),
				is: statedShare(l, cur, *m.StatedAnnualIncome, m.Gross)})
		}
		out = append(out, key{label: i18n.T(l, "review.income.consistent"), value: yesNo(l, a.IsConsistent),
			is: i18n.T(l, "review.income.consistent_explained")})
		if s := a.IncomeSuite2; s != nil {
			if s.JobIrregularityRisk != nil {
				out = append(out, key{label: i18n.T(l, "review.income.risk"), value: riskName(l, *s.JobIrregularityRisk),
					is: i18n.T(l, "review.income.risk_explained")})
			}
			out = append(out, key{label: i18n.T(l, "review.income.primary"), value: yesNo(l, s.PrimaryAccountDetected),
				is: i18n.T(l, "review.income.primary_explained")})
		}
	}
	if n := len(n.Paystubs); n > 0 {
		out = append(out, key{label: i18n.T(l, "review.income.from_stubs"), value: strconv.Itoa(n),
			is: say(l, v.Verdict.Stubs)})
	}
	return out
}

// change compares the last three months with the year.
func change(l i18n.Lang, recent, annual *int64) string {
	if recent == nil || annual == nil || *annual <= 0 {
		return i18n.T(l, "review.income.recent_explained")
	}
	percent := (*recent - *annual) * 100 / *annual
	switch {
	case percent == 0:
		return i18n.T(l, "review.income.recent_explained") + " " + i18n.T(l, "review.income_change.same")
	case percent > 0:
		return i18n.T(l, "review.income.recent_explained") + " " + i18n.T(l, "review.income_change.up", "percent", strconv.FormatInt(percent, 10))
	}
	return i18n.T(l, "review.income.recent_explained") + " " + i18n.T(l, "review.income_change.down", "percent", strconv.FormatInt(-percent,
		10))
}

// statedShare returns the text of the share of the stated income that was found.
// Applicants state dollars, so it needs figures in dollars.
func statedShare(l i18n.Lang, cur currency, stated int64, found *int64) string {
	if found == nil || stated <= 0 || cur != usd {
		return i18n.T(l, "review.income.stated_explained")
	}
	p := strconv.FormatInt(*found/max(stated/100, 1), 10)
	return i18n.T(l, "review.income.stated_share", "percent", p)
}

func (v IncomeView) employment(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.employment.explained"),
		Columns: columns(l, 0, "review.report.employer", "review.report.source", "review.report.job", "review.application.state",
			"review.since", "review.report.address", "review.employer.compared")}
	for i, e := range v.Report.Employment {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(e.EmployerName))}, {Body: source(l, e.SourceID)},
			{Body: textOrDash(l, joined(" · ", report.Text(e.JobTitle), employmentWord(l, report.Text(e.Type))))},
			{Body: textOrDash(l, employmentWord(l, report.Text(e.Status)))}, {Body: hired(l, e.HireDate, e.EstimatedHireDate)},
			{Body: textOrDash(l, joined(", ", report.Text(e.EmployerLine1), report.Text(e.EmployerLine2),
				report.Text(e.EmployerCity), report.Text(e.EmployerState)))},
			{Body: compared(l, v.Verdict.Employers[i], v.Verdict.Employer)}})
	}
	return g
}

// joined joins the texts that are not empty.
func joined(by string, all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), by)
}

// PayrollEmployers returns the employer of each payroll item, nil where it is unclear.
func (v IncomeView) PayrollEmployers() []*string {
	return jobsOf(v.Report.Income.Payroll, func(p report.Payroll) string { return p.SourceID }, v.Report.Employment,
		func(e report.Employment) (string, *string) { return e.SourceID, e.EmployerName })
}

// jobsOf returns the employer of each item. The items and the jobs of a connection are in one order.
func jobsOf[P, E any](items []P, connection func(P) string, jobs []E, job func(E) (id string, name *string)) []*string {
	names, surplus, out := map[string][]*string{}, map[string]int{}, make([]*string, len(items))
	for _, j := range jobs {
		id, name := job(j)
		names[id], surplus[id] = append(names[id], name), surplus[id]+1
	}
	for _, p := range items {
		surplus[connection(p)]--
	}
	for i, p := range items {
		if id := connection(p); surplus[id] == 0 {
			out[i], names[id] = names[id][0], names[id][1:]
		}
	}
	return out
}
