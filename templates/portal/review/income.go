package review

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// IncomeView is an income report as a page.
type IncomeView struct {
	By            string
	ApplicationID string
	Stated        *Stated // nil: nothing is known of it
	Report        *report.Income
	Newest        bool // fetched from the service now, not the stored copy
}

// HasMonths reports whether there is a history for a spreadsheet.
func (v IncomeView) HasMonths() bool {
	return slices.ContainsFunc(v.accounts(), func(a report.FinancialAccount) bool { return len(IncomeMonths(a)) > 0 })
}

// HasStatements reports whether there are pay statements for one.
func (v IncomeView) HasStatements() bool {
	return v.Report.Income != nil && (len(v.Report.Income.Paystubs) > 0 ||
		slices.ContainsFunc(v.Report.Income.Payroll, func(p report.Payroll) bool { return len(p.Statements) > 0 }))
}

// in is the currency of the figures from bank accounts.
func (v IncomeView) in() currency { return currency(v.Report.In()) }

func (v IncomeView) summaryIn() currency { return currency(v.Report.SummaryIn()) }

func (v IncomeView) accounts() []report.FinancialAccount {
	if v.Report.Income == nil {
		return nil
	}
	return v.Report.Income.FinancialAccounts
}

// identities are those of the report as a cashflow report has them.
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

func (v IncomeView) sheet(l contract.Lang) sheet {
	r := v.Report
	s := sheet{title: reportIncomeTitle, stated: v.Stated.beside(v, l), by: v.By, applicationID: v.ApplicationID, identities: v.identities(), product: r.Product,
		retrieved: r.Meta.CreatedAt.Time, notices: append(noData(r.Meta), currencyNotices(v.in(), v.inCurrency(l))...), keys: keyRow(v.keys(l)), findings: v.findings(l), sections: v.sections(l),
		downloads: []download{{"/report.json", reviewDownload}}}
	if v.HasStatements() {
		s.downloads = append(s.downloads, download{"/report.csv", reportRows})
	}
	if v.HasMonths() {
		s.downloads = append(s.downloads, download{"/months.csv", reportMonthsCSV})
	}
	s.newest = !v.Newest
	if v.Newest {
		// Downloads serve the stored copy.
		s.downloads, s.kept = nil, true
		s.notices = append(s.notices, notice{ui.Info, incomeNewest})
		if r.Meta.Revision == nil {
			s.notices = append(s.notices, notice{ui.Info, incomeNotRevised})
		}
	}
	if r.Income != nil && r.Income.Revised != nil {
		s.notices = append(s.notices, notice{ui.Info, incomeRevised})
	}
	return s
}

// sections are the parts that the report has something for.
func (v IncomeView) sections(l contract.Lang) []section {
	r := v.Report
	var out []section
	add := func(there bool, id string, title contract.Words, body func() templ.Component) {
		if there {
			out = append(out, section{id, title.In(l), body()})
		}
	}
	income := r.Income
	if income == nil {
		income = &report.IncomeNode{}
	}
	add(len(income.FinancialAccounts) > 0, "bank", incomeFromBank, func() templ.Component { return incomeBank(l, v) })
	add(len(income.Payroll) > 0, "payroll", incomeFromPayroll, func() templ.Component { return incomePayroll(l, income.Payroll) })
	add(len(income.Paystubs) > 0, "stubs", incomeFromStubs, func() templ.Component { return payStubs(l, v) })
	add(income.Revised != nil, "revised", incomeRevisedValues, func() templ.Component { return ui.Facts(revisedFacts(l, v.summaryIn(), income.Revised)) })
	add(len(r.Employment) > 0, "employment", reportEmployment, func() templ.Component { return ui.Table(v.employment(l)) })
	add(len(r.Identities) > 0, "identity", reportIdentities, func() templ.Component { return identityPart(l, v.identities()) })
	add(len(r.AccountDetails) > 0, "accounts", reportAccounts, func() templ.Component { return incomeAccounts(l, r.AccountDetails) })
	add(len(r.Notices) > 0, "notices", reportNotices, func() templ.Component { return ui.Table(noticeGrid(l, r.Notices)) })
	add(len(r.Sources) > 0, "sources", reportSources, func() templ.Component { return ui.Table(sourceGrid(l, r.Sources)) })
	add(true, "about", reportAbout, func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

// keys are the numbers at the head: the year's income, what has become of it of
// late, what the applicant stated, and what the model says of the job.
func (v IncomeView) keys(l contract.Lang) []key {
	n := v.Report.Income
	if n == nil {
		return nil
	}
	cur, summary := v.in(), v.summaryIn()
	amount := func(label contract.Words, c *report.Cents, is string) key {
		if c == nil {
			return key{label: label.In(l), value: keyUnknown.In(l), is: is, none: true}
		}
		return key{label: label.In(l), value: summary.say(*c), is: is}
	}
	out := []key{amount(incomeAnnualGross, n.Summary.AnnualGross, incomeBeforeTax.In(l)), amount(incomeAnnualNet, n.Summary.AnnualNet, incomeAfterTax.In(l))}
	for _, a := range n.FinancialAccounts {
		if a.GrossRecent != nil {
			out = append(out, key{label: incomeRecentGross.In(l), value: cur.whole(*a.GrossRecent), is: change(l, a.GrossRecent, a.GrossAnnual)})
		}
		if m := a.MatchedIncome; m != nil && m.StatedAnnualIncome != nil {
			out = append(out, key{label: incomeStated.In(l), value: usd.whole(*m.StatedAnnualIncome), is: statedShare(l, cur, *m.StatedAnnualIncome, m.Gross)})
		}
		out = append(out, key{label: incomeConsistent.In(l), value: yesNo(l, a.IsConsistent), is: incomeConsistentIs.In(l)})
		if s := a.IncomeSuite2; s != nil {
			if s.JobIrregularityRisk != nil {
				out = append(out, key{label: incomeRisk.In(l), value: riskName(l, *s.JobIrregularityRisk), is: incomeRiskIs.In(l)})
			}
			out = append(out, key{label: incomePrimary.In(l), value: yesNo(l, s.PrimaryAccountDetected), is: incomePrimaryIs.In(l)})
		}
	}
	if n := len(n.Paystubs); n > 0 {
		out = append(out, key{label: incomeFromStubs.In(l), value: strconv.Itoa(n), is: stubsTold(v.Report.Income.Paystubs).In(l)})
	}
	return out
}

// change compares the last three months with the year.
func change(l contract.Lang, recent, annual *int64) string {
	if recent == nil || annual == nil || *annual <= 0 {
		return incomeRecentIs.In(l)
	}
	percent := (*recent - *annual) * 100 / *annual
	switch {
	case percent == 0:
		return incomeRecentIs.In(l) + " " + contract.Words{EN: "As over the year.", ES: "Como en el año."}.In(l)
	case percent > 0:
		return incomeRecentIs.In(l) + " " + contract.Words{EN: "Up " + strconv.FormatInt(percent, 10) + " % on the year.", ES: "Un " + strconv.FormatInt(percent, 10) + " % más que en el año."}.In(l)
	}
	return incomeRecentIs.In(l) + " " + contract.Words{EN: "Down " + strconv.FormatInt(-percent, 10) + " % on the year.", ES: "Un " + strconv.FormatInt(-percent, 10) + " % menos que en el año."}.In(l)
}

// statedShare tells which share of the stated income was found. Applicants state
// dollars, so it needs figures in dollars.
func statedShare(l contract.Lang, cur currency, stated int64, found *int64) string {
	if found == nil || stated <= 0 || cur != usd {
		return incomeStatedIs.In(l)
	}
	p := strconv.FormatInt(*found/max(stated/100, 1), 10)
	return contract.Words{EN: "By the applicant. " + p + " % of it was found at that employer.", ES: "Por el solicitante. El " + p + " % consta en ese empleador."}.In(l)
}

// findings answers whether income, employer, documents and person are real.
func (v IncomeView) findings(l contract.Lang) []finding {
	out := []finding{v.incomeReal(l), v.employerReal()}
	if n := v.Report.Income; n != nil && len(n.Paystubs) > 0 {
		out = append(out, stubsReal(n.Paystubs))
	}
	return append(out, v.personReal())
}

// personReal is person, with a warning for a name that only pay stubs show.
func (v IncomeView) personReal() finding {
	all := v.identities()
	f := person(all)
	if f.tone == ui.Success && !slices.ContainsFunc(all, func(i report.Identity) bool { return compare(all, i) == matched && !v.ofStub(i.SourceID) }) {
		f.tone, f.answer = ui.Warning, contract.Words{EN: "Only uploaded pay stubs bear the name that the applicant gave.", ES: "Solo los recibos subidos llevan el nombre indicado por el solicitante."}
	}
	return f
}

// ofStub reports whether a source is an uploaded pay stub.
func (v IncomeView) ofStub(sourceID string) bool {
	return v.Report.Income != nil && slices.ContainsFunc(v.Report.Income.Paystubs, func(p report.Paystub) bool { return p.SourceID == sourceID })
}

func (v IncomeView) incomeReal(l contract.Lang) finding {
	f := finding{question: askIncome}
	n := v.Report.Income
	switch {
	case n == nil:
		f.tone, f.answer = ui.Danger, contract.Words{EN: "No source has any income.", ES: "Ninguna fuente tiene ingresos."}
	case len(n.FinancialAccounts) > 0:
		a := n.FinancialAccounts[0]
		f.part = "bank"
		high := a.IncomeSuite2 != nil && report.Text(a.JobIrregularityRisk) == report.RiskHigh
		switch {
		case !a.IsConsistent:
			f.tone, f.answer = ui.Warning, contract.Words{EN: "Not every one of the last three complete months has income.", ES: "No todos los últimos tres meses completos tienen ingresos."}
		case high:
			f.tone, f.answer = ui.Warning, contract.Words{EN: "Income comes every month, but its amounts or dates vary widely.", ES: "Hay ingresos cada mes, pero sus importes o fechas varían mucho."}
		case a.GrossRecent != nil && a.GrossAnnual != nil && *a.GrossRecent < *a.GrossAnnual*3/4:
			f.tone, f.answer = ui.Warning, contract.Words{EN: "Income comes every month, but in the last three it is less than three quarters of the year's.", ES: "Hay ingresos cada mes, pero en los últimos tres son menos de tres cuartos de los del año."}
		default:
			f.tone, f.answer = ui.Success, contract.Words{EN: "The bank shows income in each of the last three complete months.", ES: "El banco muestra ingresos en cada uno de los últimos tres meses completos."}
		}
	case slices.ContainsFunc(n.Payroll, func(p report.Payroll) bool { return len(p.Statements) > 0 }):
		count := 0
		for _, p := range n.Payroll {
			count += len(p.Statements)
		}
		c := strconv.Itoa(count)
		f.tone, f.part = ui.Success, "payroll"
		f.answer = contract.Words{EN: "The employer's payroll has " + c + " statements of it.", ES: "La nómina del empleador tiene " + c + " recibos."}
	case len(n.Paystubs) > 0:
		f.tone, f.part = ui.Warning, "stubs"
		f.answer = contract.Words{EN: "Only uploaded pay stubs speak for it: no bank and no payroll.", ES: "Solo hablan de ellos los recibos subidos: ni banco ni nómina."}
	default:
		f.answer = contract.Words{EN: "No source tells where it comes from.", ES: "Ninguna fuente dice de dónde provienen."}
	}
	return f
}

// employerReal reports whether the employer that the applicant stated was found.
func (v IncomeView) employerReal() finding {
	f := finding{question: askEmployer, part: "employment"}
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
		f.tone, f.answer = ui.Warning, contract.Words{EN: "Only uploaded pay stubs name " + stated + ", which the applicant stated.", ES: "Solo los recibos subidos nombran a " + stated + ", que el solicitante indicó."}
	case found:
		f.tone, f.answer = ui.Success, contract.Words{EN: stated + ", which the applicant stated, was found by a source.", ES: "Una fuente encontró a " + stated + ", que el solicitante indicó."}
	case stated != "" && missed:
		f.tone, f.answer = ui.Danger, contract.Words{EN: "Another employer was found than " + stated + ", which the applicant stated.", ES: "Se encontró otro empleador que " + stated + ", el que indicó el solicitante."}
	case stated != "":
		f.tone, f.answer = ui.Warning, contract.Words{EN: stated + ", which the applicant stated, was found by no source.", ES: "Ninguna fuente encontró a " + stated + ", que el solicitante indicó."}
	case len(v.Report.Employment) > 0:
		f.answer = contract.Words{EN: "The applicant stated none; sources found " + v.employers() + ".", ES: "El solicitante no indicó ninguno; las fuentes encontraron " + v.employers() + "."}
	default:
		f.answer = contract.Words{EN: "The applicant stated none, and no source found one.", ES: "El solicitante no indicó ninguno y ninguna fuente lo encontró."}
	}
	return f
}

// employers names the employers of the report, each once.
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

func (v IncomeView) employment(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: employmentIs.In(l), Columns: []ui.Column{{Label: reportEmployer.In(l)}, {Label: reportSource.In(l)}, {Label: reportJob.In(l)},
		{Label: reviewState.In(l)}, {Label: reportSince.In(l)}, {Label: reportAddress.In(l)}, {Label: employerCompared.In(l)}}}
	for _, e := range v.Report.Employment {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(e.EmployerName))}, {Body: source(e.SourceID)},
			{Body: given(l, joined(" · ", report.Text(e.JobTitle), employmentWord(l, report.Text(e.Type))))},
			{Body: given(l, employmentWord(l, report.Text(e.Status)))}, {Body: hired(l, e.HireDate, e.EstimatedHireDate)},
			{Body: given(l, joined(", ", report.Text(e.EmployerLine1), report.Text(e.EmployerLine2), report.Text(e.EmployerCity), report.Text(e.EmployerState)))},
			{Body: compared(l, v.comparedEmployer(e))}})
	}
	return g
}

// joined is the texts that are not empty.
func joined(by string, all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), by)
}
