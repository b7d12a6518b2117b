package review

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// IncomeView is an income report as a page.
type IncomeView struct {
	ApplicationID string
	Stated        *Stated // nil: the applicant stated nothing
	Place         *Place  // in the list from which the application was opened; nil for none
	Report        *report.Income
	Newest        bool // fetched from the service now, not the stored copy
	PDFImages     bool // the portal renders PDF files
}

// HasMonths reports whether there is a history for a spreadsheet.
func (v IncomeView) HasMonths() bool {
	return slices.ContainsFunc(v.accounts(), func(a report.FinancialAccount) bool { return len(IncomeMonths(a)) > 0 })
}

// HasStatements reports whether there are pay statements for a spreadsheet.
func (v IncomeView) HasStatements() bool {
	return v.Report.Income != nil && (len(v.Report.Income.Paystubs) > 0 ||
		slices.ContainsFunc(v.Report.Income.Payroll, func(p report.Payroll) bool { return len(p.Statements) > 0 }))
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

// identities returns the report's identities in the form of a cashflow report.
func (v IncomeView) identities() []report.Identity {
	var out []report.Identity
	for _, i := range v.Report.Identities {
		one := report.Identity{SourceID: i.SourceID, SourceRecordID: i.SourceRecordID, FirstName: i.FirstName, LastName: i.LastName,
			FullName: i.FullName, Emails: i.Emails}
		if i.Matching != nil {
			one.Matching = &report.Matching{FullName: report.MatchingField{
				Matched: recordRefs(i.Matching.FullName.Matched), Unmatched: recordRefs(i.Matching.FullName.Unmatched)}}
		}
		out = append(out, one)
	}
	return out
}

func recordRefs(all []report.RecordRef) []report.SourceRef {
	out := make([]report.SourceRef, len(all))
	for i, r := range all {
		out[i] = report.SourceRef{SourceID: r.SourceID, SourceRecordID: r.SourceRecordID}
	}
	return out
}

func (v IncomeView) sheet(l i18n.Lang) sheet {
	r := v.Report
	s := sheet{title: "review.report.income_title", stated: v.Stated.card(v, l), applicationID: v.ApplicationID, place: v.Place,
		identities: v.identities(), product: r.Product,
		meta: r.Meta, notices: append(noData(l, r.Meta), currencyNotices(l, v.currency(), v.inCurrency(l))...),
		keys: v.keys(l), findings: v.findings(l), sections: v.sections(l),
		downloads: []download{{"/report.json", "review.application.download"}}}
	if v.HasStatements() {
		s.downloads = append(s.downloads, download{"/report.csv", "review.report.rows"})
	}
	if v.HasMonths() {
		s.downloads = append(s.downloads, download{"/months.csv", "review.report.months_csv"})
	}
	s.newest = !v.Newest
	if v.Newest {
		// Downloads serve the stored copy.
		s.downloads, s.kept = nil, true
		s.notices = append(s.notices, notice{ui.Info, i18n.T(l, "review.income.newest")})
		if r.Meta.Revision == nil {
			s.notices = append(s.notices, notice{ui.Info, i18n.T(l, "review.income.not_revised")})
		}
	}
	if r.Income != nil && r.Income.Revised != nil {
		s.notices = append(s.notices, notice{ui.Info, i18n.T(l, "review.income.revised")})
	}
	return s
}

// sections returns the sections for which the report has data.
func (v IncomeView) sections(l i18n.Lang) []section {
	r := v.Report
	var out []section
	add := func(there bool, id string, title i18n.Key, body func() templ.Component) {
		if there {
			out = append(out, section{id, i18n.T(l, title), body()})
		}
	}
	income := r.Income
	if income == nil {
		income = &report.IncomeNode{}
	}
	add(len(income.FinancialAccounts) > 0, "bank", "review.income.from_bank", func() templ.Component { return incomeBank(l, v) })
	add(len(income.Payroll) > 0, "payroll", "review.income.from_payroll", func() templ.Component { return incomePayroll(l, income.Payroll) })
	add(len(income.Paystubs) > 0, "stubs", "review.income.from_stubs", func() templ.Component { return payStubs(l, v) })
	add(income.Revised != nil, "revised", "review.income.revised_values",
		func() templ.Component { return ui.Facts(revisedFacts(l, v.summaryCurrency(), income.Revised)) })
	add(len(r.Employment) > 0, "employment", "review.report.employment", func() templ.Component { return ui.Table(v.employment(l)) })
	add(len(r.Identities) > 0, "identity", "review.report.identities", func() templ.Component { return identityPart(l, v.identities()) })
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
			is: stubsSummary(l, v.Report.Income.Paystubs)})
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

// findings answers whether the report is complete, and income, employer, documents and
// identity are real.
func (v IncomeView) findings(l i18n.Lang) []finding {
	out := []finding{v.Stated.addFoundShare(l, v.incomeReal(l), v.sources()), v.employerReal(l)}
	if n := v.Report.Income; n != nil && len(n.Paystubs) > 0 {
		out = append(out, genuineFinding(l, n.Paystubs))
	}
	return v.gaps(l).qualify(l, append(out, v.Stated.addPerson(l, v.personReal(l), v.sources())))
}

func (v IncomeView) gaps(l i18n.Lang) gaps {
	institutions := map[string]string{}
	for _, a := range v.Report.AccountDetails {
		institutions[a.SourceID] = report.Text(a.InstitutionName)
	}
	return sourceGaps(l, v.Report.Sources, institutions)
}

// personReal answers like person, with a warning for a name that only pay stubs show.
func (v IncomeView) personReal(l i18n.Lang) finding {
	all := v.identities()
	f := person(l, all)
	if f.tone == ui.Success && !slices.ContainsFunc(all,
		func(i report.Identity) bool { return compare(all, i) == matched && !v.ofStub(i.SourceID) }) {
		f.tone, f.answer = ui.Warning, i18n.T(l, "review.person_real.stubs_only")
	}
	return f
}

// ofStub reports whether a source is an uploaded pay stub.
func (v IncomeView) ofStub(sourceID string) bool {
	return v.Report.Income != nil && slices.ContainsFunc(v.Report.Income.Paystubs,
		func(p report.Paystub) bool { return p.SourceID == sourceID })
}

func (v IncomeView) incomeReal(l i18n.Lang) finding {
	f := finding{question: "review.ask.income"}
	n := v.Report.Income
	switch {
	case n == nil:
		f.tone, f.answer = ui.Danger, i18n.T(l, "review.income_real.none")
	case len(n.FinancialAccounts) > 0:
		a := n.FinancialAccounts[0]
		f.part = "bank"
		high := a.IncomeSuite2 != nil && report.Text(a.JobIrregularityRisk) == report.RiskHigh
		switch {
		case !a.IsConsistent:
			f.tone, f.answer = ui.Warning, i18n.T(l, "review.income_real.gaps")
		case high:
			f.tone, f.answer = ui.Warning, i18n.T(l, "review.income_real.irregular")
		case a.GrossRecent != nil && a.GrossAnnual != nil && *a.GrossRecent < *a.GrossAnnual*3/4:
			f.tone, f.answer = ui.Warning, i18n.T(l, "review.income_real.falling")
		default:
			f.tone, f.answer = ui.Success, i18n.T(l, "review.income_real.bank")
		}
	case slices.ContainsFunc(n.Payroll, func(p report.Payroll) bool { return len(p.Statements) > 0 }):
		count := 0
		for _, p := range n.Payroll {
			count += len(p.Statements)
		}
		f.tone, f.part = ui.Success, "payroll"
		f.answer = i18n.N(l, "review.income_real.statements", count)
	case len(n.Paystubs) > 0:
		f.tone, f.part = ui.Warning, "stubs"
		f.answer = i18n.T(l, "review.income_real.stubs_only")
	default:
		f.answer = i18n.T(l, "review.income_real.unknown")
	}
	return f
}

// employerReal reports whether the employer that the applicant stated was found.
func (v IncomeView) employerReal(l i18n.Lang) finding {
	f := finding{question: "review.ask.employer", part: "employment"}
	stated, found, missed, stub := "", false, false, true
	for _, e := range v.Report.Employment {
		switch v.comparedEmployer(e) {
		case typed:
			stated = report.Text(e.EmployerName)
		case matched:
			found, stub = true, stub && v.ofStub(e.SourceID)
		case unmatched:
			missed = true
		}
	}
	switch {
	case found && stub:
		f.tone, f.answer = ui.Warning, i18n.T(l, "review.employer_real.stubs_only", "employer", stated)
	case found:
		f.tone, f.answer = ui.Success, i18n.T(l, "review.employer_real.found", "employer", stated)
	case stated != "" && missed:
		f.tone, f.answer = ui.Danger, i18n.T(l, "review.employer_real.another", "employer", stated)
	case stated != "":
		f.tone, f.answer = ui.Warning, i18n.T(l, "review.employer_real.not_found", "employer", stated)
	case len(v.Report.Employment) > 0:
		f.answer = i18n.T(l, "review.employer_real.unstated", "employers", v.employers())
	default:
		f.answer = i18n.T(l, "review.employer_real.none")
	}
	if stated == "" { // the report does not have what the applicant stated to the portal
		if by, ok := v.Stated.employerReal(l, v.sources()); ok {
			return by
		}
	}
	return f
}

// employers returns the names of the report's employers, each once.
func (v IncomeView) employers() string {
	var out []string
	for _, e := range v.Report.Employment {
		if name := report.Text(e.EmployerName); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// comparedEmployer compares an employment with the employer that the applicant
// stated.
func (v IncomeView) comparedEmployer(of report.Employment) comparison {
	if of.Matching != nil || of.SourceID == report.ConsumerInput || of.SourceID == report.CustomerInput {
		return typed
	}
	is := func(r report.RecordRef) bool {
		return r.SourceID == of.SourceID && report.Text(r.SourceRecordID) == report.Text(of.SourceRecordID)
	}
	for _, e := range v.Report.Employment {
		if e.Matching == nil {
			continue
		}
		if slices.ContainsFunc(e.Matching.EmployerName.Matched, is) {
			return matched
		}
		if slices.ContainsFunc(e.Matching.EmployerName.Unmatched, is) {
			return unmatched
		}
	}
	return notCompared
}

func (v IncomeView) employment(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.employment.explained"),
		Columns: []ui.Column{{Label: i18n.T(l, "review.report.employer")}, {Label: i18n.T(l, "review.report.source")},
			{Label: i18n.T(l, "review.report.job")},
			{Label: i18n.T(l, "review.application.state")}, {Label: i18n.T(l, "review.since")},
			{Label: i18n.T(l, "review.report.address")}, {Label: i18n.T(l, "review.employer.compared")}}}
	for _, e := range v.Report.Employment {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(e.EmployerName))}, {Body: source(l, e.SourceID)},
			{Body: textOrDash(l, joined(" · ", report.Text(e.JobTitle), employmentWord(l, report.Text(e.Type))))},
			{Body: textOrDash(l, employmentWord(l, report.Text(e.Status)))}, {Body: hired(l, e.HireDate, e.EstimatedHireDate)},
			{Body: textOrDash(l, joined(", ", report.Text(e.EmployerLine1), report.Text(e.EmployerLine2),
				report.Text(e.EmployerCity), report.Text(e.EmployerState)))},
			{Body: compared(l, v.comparedEmployer(e), v.employerReal(l).tone)}})
	}
	return g
}

// joined joins the texts that are not empty.
func joined(by string, all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), by)
}
