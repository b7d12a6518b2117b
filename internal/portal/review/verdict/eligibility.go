package verdict

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

// Eligibility says what an eligibility report means. Amounts are nil if unknown.
type Eligibility struct {
	Verdict
	Employers     []EmployerState // of each stated employer
	Gross, Net    *report.Cents   // a year's income from all payroll connections
	Deposited     *report.Cents   // a year's recurring income in the bank accounts
	Held, Average *report.Cents   // balances now and of six months, of the accounts for which both are known
}

// EmployerState is the result of verifying a stated employer.
type EmployerState int

const (
	EmployerOpen      EmployerState = iota // neither verified nor skipped
	EmployerVerified                       // by at least one source
	EmployerElsewhere                      // its sources name only other employers
	EmployerTried                          // its sources failed
	EmployerSkipped
)

// CountEmployers returns the number of stated employers with a state.
func (v Eligibility) CountEmployers(state EmployerState) (n int) {
	for _, s := range v.Employers {
		if s == state {
			n++
		}
	}
	return n
}

// OfEligibility decides what an eligibility report means.
func OfEligibility(r *report.Eligibility, stated prefill.Fields) (v Eligibility) {
	held := r.Assets
	if held == nil {
		held = &report.Assets{}
	}
	s := sources{incomeIs: "review.income.before_tax", currency: report.Dollars}
	var all []report.Identity
	for _, i := range r.Identities {
		all = append(all, report.Identity{SourceID: i.SourceID, SourceUUID: i.SourceUUID, FirstName: i.FirstName, LastName: i.LastName,
			FullName: i.FullName, Emails: i.Emails, Matching: i.Matching.Common()})
	}
	s.identities = identities(all)
	for _, e := range r.Employment {
		c := NotCompared
		switch {
		case len(e.Matching.EmployerName.Matched) > 0:
			c = Matched
		case len(e.Matching.EmployerName.Unmatched) > 0:
			c = Unmatched
		}
		s.employers = append(s.employers, value{report.Text(e.EmployerName), c})
	}
	v.sum(r, held)
	s.income = v.Gross
	for _, f := range held.Failed {
		s.gaps.add(Bank{report.Text(f.InstitutionName), f.SourceID},
			slices.ContainsFunc(held.AccountDetails, func(a report.AssetAccount) bool { return a.SourceID == f.SourceID }))
	}
	v.Verdict = verdictOf(stated, s)
	var findings []Finding
	if r.Assets == nil || len(r.StatedEmployers) > 0 {
		findings = append(findings, v.addIncomeShare(eligibilityIncome(r, held)), v.employersReal())
	}
	if r.Assets != nil {
		findings = append(findings, v.assetsReal(held))
	}
	if c := r.Checks[report.CheckDocuments]; c.Value != nil {
		f := confirmed(document, "documents", say("review.documents.readable"))
		if !*c.Value {
			f = found(unreadable, "documents", say("review.documents.unreadable"))
		}
		findings = append(findings, f)
	}
	v.Findings = s.gaps.qualify("failed", append(findings, v.personReal(v.Names)))
	return v
}

// sum sums up the employers and the amounts.
func (v *Eligibility) sum(r *report.Eligibility, held *report.Assets) {
	add := func(to **report.Cents, c *report.Cents) {
		if *to == nil {
			*to = new(report.Cents)
		}
		if c != nil {
			**to += *c
		}
	}
	for _, e := range r.StatedEmployers {
		v.Employers = append(v.Employers, employerState(r, e))
	}
	if r.Income != nil && slices.ContainsFunc(r.Income.Payroll, func(p report.EligibilityPayroll) bool { return p.AnnualGross != nil }) {
		for _, p := range r.Income.Payroll {
			add(&v.Gross, p.AnnualGross)
			add(&v.Net, p.AnnualNet)
		}
	}
	for _, x := range held.Inflows {
		if x.AnnualIncome != nil {
			add(&v.Deposited, x.AnnualIncome)
		}
	}
	for _, a := range held.AccountDetails {
		if !a.LeftOut && a.CurrentBalance != nil && a.AverageBalance != nil {
			add(&v.Held, a.CurrentBalance)
			add(&v.Average, a.AverageBalance)
		}
	}
}

// employerState returns the state of a stated employer. A payroll provider or pay stub that names only other
// employers does not verify it. A document counts as verified, because the reviewer reads it.
func employerState(r *report.Eligibility, e report.StatedEmployer) EmployerState {
	good := func(s report.VerificationSource) bool { return s.Status == contract.StatusSuccess }
	named := slices.ContainsFunc(r.Employment, func(j report.EligibilityEmployment) bool {
		return slices.Contains(j.Matching.EmployerName.Matched, report.StatedName{StatedEmployer: e.Name})
	})
	switch {
	case slices.ContainsFunc(e.VerificationSources, func(s report.VerificationSource) bool {
		return good(s) && (named || s.SourceType == report.VerifiedByDocument)
	}):
		return EmployerVerified
	case slices.ContainsFunc(e.VerificationSources, good):
		return EmployerElsewhere
	case e.SkippedReason != nil:
		return EmployerSkipped
	case len(e.VerificationSources) > 0:
		return EmployerTried
	}
	return EmployerOpen
}

func eligibilityIncome(r *report.Eligibility, held *report.Assets) Finding {
	switch {
	case r.HasStatements():
		return confirmed(income, "payroll", say("review.income_real.payroll"))
	case len(held.MatchedIncome) > 0:
		return confirmed(income, "inflows", say("review.income_real.employer_pays"))
	case len(held.Inflows) > 0:
		return found(otherIncome, "inflows", say("review.income_real.unstated"))
	}
	return found(otherIncome, "", say("review.income_real.no_income_shown"))
}

func (v Eligibility) employersReal() Finding {
	const section = "employers"
	all, verified := len(v.Employers), v.CountEmployers(EmployerVerified)
	switch all {
	case 0:
		return unknown(employer, "", say("review.employers_real.none_stated"))
	case verified:
		return confirmed(employer, section, say("review.employers_real.all"))
	}
	clauses := []Message{say("review.employers_real.some", "verified", verified, "all", all)}
	for _, x := range []struct {
		state EmployerState
		words i18n.Key
	}{{EmployerSkipped, "review.employers_real.skipped"}, {EmployerTried, "review.employers_real.tried"},
		{EmployerOpen, "review.employers_real.open"}} {
		if n := v.CountEmployers(x.state); n > 0 {
			clauses = append(clauses, say(x.words, "n", n))
		}
	}
	f := found(noEmployer, section, Message{Clauses: clauses})
	if n := v.CountEmployers(EmployerElsewhere); n > 0 {
		f.apply(otherEmployer, true)
		f.Answer = append(f.Answer, say("review.employers_real.elsewhere", "n", n))
	}
	return f
}

// assetsReal compares today's balances with average balances: recently deposited money may belong to another
// person.
func (v Eligibility) assetsReal(held *report.Assets) Finding {
	const section = "assets"
	switch {
	case len(held.AccountDetails) == 0:
		return found(noAccount, "failed", say("review.assets_real.no_account"))
	case v.Held == nil:
		return unknown(assets, section, say("review.assets_real.unknown"))
	case 100**v.Held > report.Cents(moreHeld.Limit)*max(*v.Average, 0) && *v.Held > 1000_00:
		return found(moreHeld, section, say("review.assets_real.more"))
	case 100**v.Held < report.Cents(lessHeld.Limit)**v.Average:
		return found(lessHeld, section, say("review.assets_real.less"))
	}
	return confirmed(assets, section, say("review.assets_real.same"))
}
