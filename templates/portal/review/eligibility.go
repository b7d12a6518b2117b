package review

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// EligibilityView is an eligibility report as a page.
type EligibilityView struct {
	By            string
	ApplicationID string
	Stated        *Stated // nil: nothing is known of it
	Report        *report.Eligibility
}

// HasStatements reports whether there are pay statements for a spreadsheet.
func (v EligibilityView) HasStatements() bool {
	return slices.ContainsFunc(v.payroll(), func(p report.EligibilityPayroll) bool { return len(p.Statements) > 0 })
}

func (v EligibilityView) payroll() []report.EligibilityPayroll {
	if v.Report.Income == nil {
		return nil
	}
	return v.Report.Income.Payroll
}

func (v EligibilityView) assets() report.Assets {
	if v.Report.Assets == nil {
		return report.Assets{}
	}
	return *v.Report.Assets
}

// in is the currency of the accounts and their inflows.
func (v EligibilityView) in() currency {
	assets := v.assets()
	return currency(assets.In())
}

// identities are those of the report as a cashflow report has them.
func (v EligibilityView) identities() []report.Identity {
	var out []report.Identity
	for _, i := range v.Report.Identities {
		one := report.Identity{SourceID: i.SourceID, SourceUUID: i.SourceUUID, FirstName: i.FirstName, LastName: i.LastName,
			FullName: i.FullName, Emails: i.Emails}
		if i.Matching != nil {
			one.Matching = &report.Matching{FullName: report.MatchingField{
				Matched: connectionRefs(i.Matching.FullName.Matched), Unmatched: connectionRefs(i.Matching.FullName.Unmatched)}}
		}
		out = append(out, one)
	}
	return out
}

func connectionRefs(all []report.ConnectionRef) []report.SourceRef {
	out := make([]report.SourceRef, len(all))
	for i, r := range all {
		out[i] = report.SourceRef{SourceID: r.SourceID, SourceUUID: r.SourceUUID}
	}
	return out
}

func (v EligibilityView) sheet(l contract.Lang) sheet {
	r := v.Report
	s := sheet{title: reportEligibilityTitle, stated: v.Stated.beside(v, l), by: v.By, applicationID: v.ApplicationID, identities: v.identities(), product: r.Product,
		retrieved: r.Meta.CreatedAt.Time, notices: slices.Concat(otherShape(r.LeftOut), noData(r.Meta), currencyNotices(v.in(), v.inCurrency(l))), keys: keyRow(v.keys(l)), findings: v.findings(), sections: v.sections(l),
		downloads: []download{{"/report.json", reviewDownload}}}
	if v.HasStatements() {
		s.downloads = append(s.downloads, download{"/report.csv", reportRows})
	}
	return s
}

// sections are the parts that the report has something for.
func (v EligibilityView) sections(l contract.Lang) []section {
	r, a := v.Report, v.assets()
	var out []section
	add := func(there bool, id string, title contract.Words, body func() templ.Component) {
		if there {
			out = append(out, section{id, title.In(l), body()})
		}
	}
	add(len(r.StatedEmployers) > 0, "employers", eligibilityEmployers, func() templ.Component { return ui.Table(v.employers(l)) })
	add(len(r.Employment) > 0, "employment", eligibilityEmployment, func() templ.Component { return eligibilityJobs(l, r.Employment) })
	add(len(v.payroll()) > 0, "payroll", incomeFromPayroll, func() templ.Component { return eligibilityPayrolls(l, v.payroll()) })
	add(len(a.AccountDetails) > 0, "assets", eligibilityAssets, func() templ.Component { return eligibilityAccounts(l, a.AccountDetails) })
	add(len(a.Inflows) > 0, "inflows", incomeInflows, func() templ.Component {
		return ui.Table(inflowGrid(l, v.in(), a.Inflows, a.MatchedIncome, v.account(l)))
	})
	add(len(a.Failed) > 0, "failed", eligibilityFailed, func() templ.Component { return ui.Table(failedGrid(l, a.Failed)) })
	add(len(r.Checks) > 0, "checks", eligibilityChecks, func() templ.Component {
		return ui.Table(checkGrid(l, eligibilityChecksOf, r.Checks, completenessWords, report.CompletenessChecks()))
	})
	add(len(r.Documents) > 0, "documents", eligibilityDocuments, func() templ.Component { return ui.Table(v.documents(l)) })
	add(len(r.Identities) > 0, "identity", reportIdentities, func() templ.Component { return identityPart(l, v.identities()) })
	add(len(r.Notices) > 0, "notices", reportNotices, func() templ.Component { return ui.Table(noticeGrid(l, r.Notices)) })
	add(true, "about", reportAbout, func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

// employerState is what became of an employer that the applicant stated.
type employerState int

const (
	employerOpen      employerState = iota // neither verified nor skipped
	employerVerified                       // by at least one source
	employerElsewhere                      // its sources name others only
	employerTried                          // by sources that failed
	employerSkipped
)

// stateOf says what became of an employer. A payroll provider or pay stub that was
// shown for it and names others only does not verify it; a document is for the reviewer
// to read.
func (v EligibilityView) stateOf(e report.StatedEmployer) employerState {
	good := func(s report.VerificationSource) bool { return s.Status == contract.StatusSuccess }
	named := slices.ContainsFunc(v.Report.Employment, func(j report.EligibilityEmployment) bool {
		return slices.Contains(j.Matching.EmployerName.Matched, report.StatedName{StatedEmployer: e.Name})
	})
	switch {
	case slices.ContainsFunc(e.VerificationSources, func(s report.VerificationSource) bool {
		return good(s) && (named || s.SourceType == report.VerifiedByDocument)
	}):
		return employerVerified
	case slices.ContainsFunc(e.VerificationSources, good):
		return employerElsewhere
	case e.SkippedReason != nil:
		return employerSkipped
	case len(e.VerificationSources) > 0:
		return employerTried
	}
	return employerOpen
}

func (s employerState) words() (ui.Tone, contract.Words) {
	switch s {
	case employerVerified:
		return ui.Success, eligibilityVerified
	case employerElsewhere:
		return ui.Danger, eligibilityElsewhere
	case employerTried:
		return ui.Danger, eligibilityTried
	case employerSkipped:
		return ui.Warning, eligibilitySkipped
	}
	return ui.Warning, eligibilityOpen
}

// count says how many of the stated employers are in each state.
func (v EligibilityView) count() map[employerState]int {
	out := map[employerState]int{}
	for _, e := range v.Report.StatedEmployers {
		out[v.stateOf(e)]++
	}
	return out
}

// payrollIncome is a year's income by all payroll connections; false if none has it.
func (v EligibilityView) payrollIncome() (gross, net report.Cents, ok bool) {
	for _, p := range v.payroll() {
		ok = ok || p.AnnualGross != nil
		gross, net = gross+cents(p.AnnualGross), net+cents(p.AnnualNet)
	}
	return gross, net, ok
}

// held is what all accounts hold, now and on average of six months, of those of
// which both are known.
func (v EligibilityView) held() (now, average report.Cents, ok bool) {
	for _, a := range v.assets().AccountDetails {
		if !a.LeftOut && a.CurrentBalance != nil && a.AverageBalance != nil {
			now, average, ok = now+*a.CurrentBalance, average+*a.AverageBalance, true
		}
	}
	return now, average, ok
}

// deposited is the recurring income at the bank, of a year.
func (v EligibilityView) deposited() (sum report.Cents, ok bool) {
	for _, x := range v.assets().Inflows {
		if x.AnnualIncome != nil {
			sum, ok = sum+*x.AnnualIncome, true
		}
	}
	return sum, ok
}

func (v EligibilityView) keys(l contract.Lang) []key {
	var out []key
	if gross, net, ok := v.payrollIncome(); ok {
		out = append(out, key{label: incomeAnnualGross.In(l), value: usd.say(gross), is: eligibilityByPayroll.In(l)},
			key{label: incomeAnnualNet.In(l), value: usd.say(net), is: eligibilityByPayroll.In(l)})
	}
	if sum, ok := v.deposited(); ok {
		out = append(out, key{label: eligibilityDeposited.In(l), value: v.in().say(sum), is: eligibilityDepositedIs.In(l)})
	}
	if now, average, ok := v.held(); ok {
		out = append(out, key{label: eligibilityHeld.In(l), value: v.in().say(now), is: eligibilityHeldIs.In(l)},
			key{label: eligibilityAverage.In(l), value: v.in().say(average), is: eligibilityAverageIs.In(l)})
	}
	if n := len(v.Report.StatedEmployers); n > 0 {
		out = append(out, key{label: eligibilityEmployersShort.In(l), value: strconv.Itoa(v.count()[employerVerified]) + " " + wordsOf.In(l) + " " + strconv.Itoa(n), is: eligibilityEmployersAre.In(l)})
	}
	return out
}

// findings answers whether employers, income, savings, documents and person are
// real.
func (v EligibilityView) findings() []finding {
	var out []finding
	if v.Report.Assets == nil || len(v.Report.StatedEmployers) > 0 {
		out = append(out, v.incomeReal(), v.employersReal())
	}
	if v.Report.Assets != nil {
		out = append(out, v.assetsReal())
	}
	if c, ok := v.Report.Checks[report.CheckDocuments]; ok && c.Value != nil {
		f := finding{question: askDocuments, part: "documents", tone: ui.Success, answer: contract.Words{EN: "Every uploaded document could be read.", ES: "Todos los documentos subidos pudieron leerse."}}
		if !*c.Value {
			f.tone, f.answer = ui.Warning, contract.Words{EN: "Some uploaded documents could not be read.", ES: "Algunos documentos subidos no pudieron leerse."}
		}
		out = append(out, f)
	}
	return append(out, person(v.identities()))
}

func (v EligibilityView) incomeReal() finding {
	f := finding{question: askIncome}
	matched := len(v.assets().MatchedIncome)
	switch {
	case v.HasStatements():
		f.tone, f.part, f.answer = ui.Success, "payroll", contract.Words{EN: "Payroll has pay statements of it.", ES: "La nómina tiene recibos."}
	case matched > 0:
		f.tone, f.part, f.answer = ui.Success, "inflows", contract.Words{EN: "A stated employer pays into an account of the report.", ES: "Un empleador indicado paga en una cuenta del informe."}
	case len(v.assets().Inflows) > 0:
		f.tone, f.part, f.answer = ui.Warning, "inflows", contract.Words{EN: "The bank shows recurring income, but from none of the stated employers.", ES: "El banco muestra ingresos periódicos, pero de ninguno de los empleadores indicados."}
	default:
		f.tone, f.answer = ui.Warning, contract.Words{EN: "No source shows income.", ES: "Ninguna fuente muestra ingresos."}
	}
	return f
}

func (v EligibilityView) employersReal() finding {
	n, by := len(v.Report.StatedEmployers), v.count()
	f := finding{question: askEmployer, part: "employers"}
	s := strconv.Itoa
	switch {
	case n == 0:
		f.answer, f.part = contract.Words{EN: "The applicant stated none.", ES: "El solicitante no indicó ninguno."}, ""
	case by[employerVerified] == n:
		f.tone, f.answer = ui.Success, contract.Words{EN: "Every stated employer was verified.", ES: "Todos los empleadores indicados se verificaron."}
	default:
		f.tone = ui.Warning
		f.answer = contract.Words{
			EN: s(by[employerVerified]) + " of " + s(n) + " stated employers verified, " + s(by[employerSkipped]) + " skipped, " + s(by[employerTried]) + " tried without success, " + s(by[employerOpen]) + " open.",
			ES: s(by[employerVerified]) + " de " + s(n) + " empleadores indicados verificados, " + s(by[employerSkipped]) + " omitidos, " + s(by[employerTried]) + " intentados sin éxito, " + s(by[employerOpen]) + " pendientes."}
		if x := by[employerElsewhere]; x > 0 {
			f.tone = ui.Danger
			f.answer.EN += " The sources shown for " + s(x) + " name other employers only."
			f.answer.ES += " Las fuentes mostradas para " + s(x) + " solo nombran otros empleadores."
		}
	}
	return f
}

// assetsReal compares today's balances with average balances: recently deposited
// money may belong to another person.
func (v EligibilityView) assetsReal() finding {
	f := finding{question: askAssets, part: "assets"}
	now, average, ok := v.held()
	switch {
	case len(v.assets().AccountDetails) == 0:
		f.tone, f.answer, f.part = ui.Warning, contract.Words{EN: "No account was connected.", ES: "No se conectó ninguna cuenta."}, "failed"
	case !ok:
		f.answer = contract.Words{EN: "No account has both a balance and an average.", ES: "Ninguna cuenta tiene a la vez saldo y media."}
	case now > 2*max(average, 0) && now > 1000_00:
		f.tone, f.answer = ui.Warning, contract.Words{EN: "The accounts hold more than twice their average of six months. See where it came from.", ES: "Las cuentas tienen más del doble de su media de seis meses. Vea de dónde vino."}
	default:
		f.tone, f.answer = ui.Success, contract.Words{EN: "The accounts hold about what they held over six months.", ES: "Las cuentas tienen aproximadamente lo que tuvieron en seis meses."}
		if 2*now < average {
			f.tone, f.answer = ui.Warning, contract.Words{EN: "The accounts hold less than half of their average of six months.", ES: "Las cuentas tienen menos de la mitad de su media de seis meses."}
		}
	}
	return f
}
