package review

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// EligibilityView is an eligibility report as a page.
type EligibilityView struct {
	ApplicationID string
	Stated        *Stated // nil: the applicant stated nothing
	Place         *Place  // in the list from which the application was opened; nil for none
	Report        *report.Eligibility
	PDFImages     bool // the portal renders PDF files
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

// currency returns the currency of the accounts and their inflows.
func (v EligibilityView) currency() currency {
	assets := v.assets()
	return currency(assets.CurrencyCode())
}

// identities returns the report's identities in the form of a cashflow report.
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

func (v EligibilityView) sheet(l i18n.Lang) sheet {
	r := v.Report
	s := sheet{title: "review.report.eligibility_title", stated: v.Stated.card(v, l), applicationID: v.ApplicationID, place: v.Place,
		identities: v.identities(), product: r.Product,
		meta: r.Meta, notices: slices.Concat(otherShape(l, r.LeftOut), noData(l, r.Meta),
			currencyNotices(l, v.currency(), v.inCurrency(l))), keys: v.keys(l), findings: v.findings(l), sections: v.sections(l),
		downloads: []download{{"/report.json", "review.application.download"}}}
	if v.HasStatements() {
		s.downloads = append(s.downloads, download{"/report.csv", "review.report.rows"})
	}
	return s
}

// sections returns the sections for which the report has data.
func (v EligibilityView) sections(l i18n.Lang) []section {
	r, a := v.Report, v.assets()
	var out []section
	add := func(there bool, id string, title i18n.Key, body func() templ.Component) {
		if there {
			out = append(out, section{id, i18n.T(l, title), body()})
		}
	}
	add(len(r.StatedEmployers) > 0, "employers", "review.eligibility.employers", func() templ.Component { return ui.Table(v.employers(l)) })
	add(len(r.Employment) > 0, "employment", "review.eligibility.employment",
		func() templ.Component { return eligibilityJobs(l, r.Employment) })
	add(len(v.payroll()) > 0, "payroll", "review.income.from_payroll", func() templ.Component { return eligibilityPayrolls(l, v.payroll()) })
	add(len(a.AccountDetails) > 0, "assets", "review.eligibility.assets",
		func() templ.Component { return eligibilityAccounts(l, a.AccountDetails) })
	add(len(a.Inflows) > 0, "inflows", "review.income.inflows", func() templ.Component {
		return ui.Table(inflowGrid(l, v.currency(), a.Inflows, a.MatchedIncome, v.account(l)))
	})
	add(len(a.Failed) > 0, "failed", "review.eligibility.failed", func() templ.Component { return ui.Table(failedGrid(l, a.Failed)) })
	add(len(r.Checks) > 0, "checks", "review.eligibility.checks", func() templ.Component {
		return ui.Table(checkGrid(l, "review.eligibility.checks_caption", r.Checks, "review.completeness", report.CompletenessChecks()))
	})
	add(len(r.Documents) > 0, "documents", "review.eligibility.documents", func() templ.Component { return eligibilityDocuments(l, v) })
	add(len(r.Identities) > 0, "identity", "review.report.identities", func() templ.Component { return identityPart(l, v.identities()) })
	add(len(r.Notices) > 0, "notices", "review.report.notices", func() templ.Component { return ui.Table(noticeGrid(l, r.Notices)) })
	add(true, "about", "review.report.about", func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

// employerState is the result of verifying a stated employer.
type employerState int

const (
	employerOpen      employerState = iota // neither verified nor skipped
	employerVerified                       // by at least one source
	employerElsewhere                      // its sources name only other employers
	employerTried                          // its sources failed
	employerSkipped
)

// stateOf returns the state of a stated employer. A payroll provider or pay stub that
// names only other employers does not verify it. A document counts as verified, because
// the reviewer reads it.
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

func (s employerState) words() (ui.Tone, i18n.Key) {
	switch s {
	case employerVerified:
		return ui.Success, "review.eligibility.verified"
	case employerElsewhere:
		return ui.Danger, "review.eligibility.elsewhere"
	case employerTried:
		return ui.Danger, "review.eligibility.tried"
	case employerSkipped:
		return ui.Warning, "review.eligibility.skipped"
	}
	return ui.Warning, "review.eligibility.open"
}

// count counts the stated employers by state.
func (v EligibilityView) count() map[employerState]int {
	out := map[employerState]int{}
	for _, e := range v.Report.StatedEmployers {
		out[v.stateOf(e)]++
	}
	return out
}

// payrollIncome returns a year's income from all payroll connections; false if unknown.
func (v EligibilityView) payrollIncome() (gross, net report.Cents, ok bool) {
	for _, p := range v.payroll() {
		ok = ok || p.AnnualGross != nil
		gross, net = gross+cents(p.AnnualGross), net+cents(p.AnnualNet)
	}
	return gross, net, ok
}

// balances returns the sum of the current balances and of the six-month averages, of the
// accounts for which both are known.
func (v EligibilityView) balances() (now, average report.Cents, ok bool) {
	for _, a := range v.assets().AccountDetails {
		if !a.LeftOut && a.CurrentBalance != nil && a.AverageBalance != nil {
			now, average, ok = now+*a.CurrentBalance, average+*a.AverageBalance, true
		}
	}
	return now, average, ok
}

// deposited returns a year's recurring income in the bank accounts.
func (v EligibilityView) deposited() (sum report.Cents, ok bool) {
	for _, x := range v.assets().Inflows {
		if x.AnnualIncome != nil {
			sum, ok = sum+*x.AnnualIncome, true
		}
	}
	return sum, ok
}

func (v EligibilityView) keys(l i18n.Lang) []key {
	var out []key
	if gross, net, ok := v.payrollIncome(); ok {
		out = append(out, key{label: i18n.T(l, "review.income.annual_gross"), value: usd.format(gross),
			is: i18n.T(l, "review.eligibility.by_payroll")},
			key{label: i18n.T(l, "review.income.annual_net"), value: usd.format(net), is: i18n.T(l, "review.eligibility.by_payroll")})
	}
	if sum, ok := v.deposited(); ok {
		out = append(out, key{label: i18n.T(l, "review.eligibility.deposited"), value: v.currency().format(sum),
			is: i18n.T(l, "review.eligibility.deposited_explained")})
	}
	if now, average, ok := v.balances(); ok {
		out = append(out, key{label: i18n.T(l, "review.eligibility.held"), value: v.currency().format(now),
			is: i18n.T(l, "review.eligibility.held_explained")},
			key{label: i18n.T(l, "review.eligibility.average"), value: v.currency().format(average),
				is: i18n.T(l, "review.eligibility.average_explained")})
	}
	if n := len(v.Report.StatedEmployers); n > 0 {
		out = append(out, key{label: i18n.T(l, "review.eligibility.employers_short"),
			value: strconv.Itoa(v.count()[employerVerified]) + " " + i18n.T(l, "review.of") + " " + strconv.Itoa(n),
			is:    i18n.T(l, "review.eligibility.employers_are")})
	}
	return out
}

// findings answers whether the report is complete, and employers, income, assets, documents
// and identity are real.
func (v EligibilityView) findings(l i18n.Lang) []finding {
	var out []finding
	if v.Report.Assets == nil || len(v.Report.StatedEmployers) > 0 {
		out = append(out, v.Stated.addFoundShare(l, v.incomeReal(l), v.sources()), v.employersReal(l))
	}
	if v.Report.Assets != nil {
		out = append(out, v.assetsReal(l))
	}
	if c, ok := v.Report.Checks[report.CheckDocuments]; ok && c.Value != nil {
		f := finding{question: "review.ask.documents", part: "documents", tone: ui.Success, answer: i18n.T(l, "review.documents.readable")}
		if !*c.Value {
			f.tone, f.answer = ui.Warning, i18n.T(l, "review.documents.unreadable")
		}
		out = append(out, f)
	}
	return v.gaps(l).qualify(l, append(out, v.Stated.addPerson(l, person(l, v.identities()), v.sources())))
}

func (v EligibilityView) gaps(l i18n.Lang) gaps {
	g := gaps{in: "failed"}
	for _, f := range v.assets().Failed {
		g.add(cmp.Or(report.Text(f.InstitutionName), sourceWords(l, f.SourceID)), slices.ContainsFunc(v.assets().AccountDetails,
			func(a report.AssetAccount) bool { return a.SourceID == f.SourceID }))
	}
	return g
}

func (v EligibilityView) incomeReal(l i18n.Lang) finding {
	f := finding{question: "review.ask.income"}
	matched := len(v.assets().MatchedIncome)
	switch {
	case v.HasStatements():
		f.tone, f.part, f.answer = ui.Success, "payroll", i18n.T(l, "review.income_real.payroll")
	case matched > 0:
		f.tone, f.part, f.answer = ui.Success, "inflows", i18n.T(l, "review.income_real.employer_pays")
	case len(v.assets().Inflows) > 0:
		f.tone, f.part, f.answer = ui.Warning, "inflows", i18n.T(l, "review.income_real.unstated")
	default:
		f.tone, f.answer = ui.Warning, i18n.T(l, "review.income_real.no_income_shown")
	}
	return f
}

func (v EligibilityView) employersReal(l i18n.Lang) finding {
	n, by := len(v.Report.StatedEmployers), v.count()
	f := finding{question: "review.ask.employer", part: "employers"}
	s := strconv.Itoa
	switch {
	case n == 0:
		f.answer, f.part = i18n.T(l, "review.employers_real.none_stated"), ""
	case by[employerVerified] == n:
		f.tone, f.answer = ui.Success, i18n.T(l, "review.employers_real.all")
	default:
		f.tone = ui.Warning
		parts := []string{i18n.T(l, "review.employers_real.some", "verified", s(by[employerVerified]), "all", s(n))}
		if x := by[employerSkipped]; x > 0 {
			parts = append(parts, i18n.T(l, "review.employers_real.skipped", "n", s(x)))
		}
		if x := by[employerTried]; x > 0 {
			parts = append(parts, i18n.T(l, "review.employers_real.tried", "n", s(x)))
		}
		if x := by[employerOpen]; x > 0 {
			parts = append(parts, i18n.T(l, "review.employers_real.open", "n", s(x)))
		}
		f.answer = strings.Join(parts, ", ") + "."
		if x := by[employerElsewhere]; x > 0 {
			f.tone = ui.Danger
			f.answer += " " + i18n.T(l, "review.employers_real.elsewhere", "n", s(x))
		}
	}
	return f
}

// assetsReal compares today's balances with average balances: recently deposited
// money may belong to another person.
func (v EligibilityView) assetsReal(l i18n.Lang) finding {
	f := finding{question: "review.ask.assets", part: "assets"}
	now, average, ok := v.balances()
	switch {
	case len(v.assets().AccountDetails) == 0:
		f.tone, f.answer, f.part = ui.Warning, i18n.T(l, "review.assets_real.no_account"), "failed"
	case !ok:
		f.answer = i18n.T(l, "review.assets_real.unknown")
	case now > 2*max(average, 0) && now > 1000_00:
		f.tone, f.answer = ui.Warning, i18n.T(l, "review.assets_real.more")
	default:
		f.tone, f.answer = ui.Success, i18n.T(l, "review.assets_real.same")
		if 2*now < average {
			f.tone, f.answer = ui.Warning, i18n.T(l, "review.assets_real.less")
		}
	}
	return f
}
