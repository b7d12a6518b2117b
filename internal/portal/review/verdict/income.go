package verdict

import (
	"slices"
	"strings"

	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

// Income says what an income report means.
type Income struct {
	Verdict
	Employers []Comparison // of each employment with the stated employer
	Employer  Level        // of the answer about the employer
	Stubs     Message      // sums up the pay stubs
}

// OfIncome decides what an income report means.
func OfIncome(r *report.Income, stated prefill.Fields) (v Income) {
	institutions := map[string]string{}
	s := sources{incomeIs: "review.income.before_tax", currency: r.SummaryCurrency()}
	var all []report.Identity
	for _, i := range r.Identities {
		all = append(all, report.Identity{SourceID: i.SourceID, SourceRecordID: i.SourceRecordID, FirstName: i.FirstName,
			LastName: i.LastName, FullName: i.FullName, Emails: i.Emails, Matching: i.Matching.Common()})
	}
	s.identities = identities(all)
	for _, a := range r.AccountDetails {
		institutions[a.SourceID] = report.Text(a.InstitutionName)
		for _, x := range a.Addresses {
			s.addresses = append(s.addresses, value{text: x.Line()})
		}
	}
	for _, e := range r.Employment {
		c := compareEmployer(r, e)
		if v.Employers = append(v.Employers, c); c != Typed {
			s.employers = append(s.employers, value{report.Text(e.EmployerName), c})
		}
	}
	n := r.Income
	if n != nil {
		s.income = n.Summary.AnnualGross
	}
	s.gaps = sourceGaps(r.Sources, institutions)
	v.Verdict = verdictOf(stated, s)
	atEmployer := v.incomeEmployer(r)
	v.Employer = atEmployer.Level
	findings := []Finding{v.addIncomeShare(incomeReal(n)), atEmployer}
	if n != nil && len(n.Paystubs) > 0 {
		f := stubsGenuine(n.Paystubs)
		v.Stubs = f.Answer[0]
		findings = append(findings, f)
	}
	names := v.Names
	if names.Level == Confirmed && !slices.ContainsFunc(v.Identities,
		func(i Identity) bool { return i.Name == Matched && !isStub(n, i.SourceID) }) {
		names = found(stubNameOnly, "identity", say("review.person_real.stubs_only"))
	}
	v.Findings = s.gaps.qualify("sources", append(findings, v.personReal(names)))
	return v
}

// isStub reports whether a source is an uploaded pay stub.
func isStub(n *report.IncomeNode, sourceID string) bool {
	return n != nil && slices.ContainsFunc(n.Paystubs, func(p report.Paystub) bool { return p.SourceID == sourceID })
}

func incomeReal(n *report.IncomeNode) Finding {
	statements := 0
	if n != nil {
		for _, p := range n.Payroll {
			statements += len(p.Statements)
		}
	}
	switch {
	case n == nil:
		return found(noIncome, "", say("review.income_real.none"))
	case len(n.FinancialAccounts) > 0:
		a := n.FinancialAccounts[0]
		switch {
		case !a.IsConsistent:
			return found(incomeGap, "bank", say("review.income_real.gaps"))
		case a.IncomeSuite2 != nil && report.Text(a.JobIrregularityRisk) == report.RiskHigh:
			return found(irregularIncome, "bank", say("review.income_real.irregular"))
		case a.GrossRecent != nil && a.GrossAnnual != nil && *a.GrossRecent < *a.GrossAnnual*int64(fallingIncome.Limit)/100:
			return found(fallingIncome, "bank", say("review.income_real.falling"))
		}
		return confirmed(income, "bank", say("review.income_real.bank"))
	case statements > 0:
		return confirmed(income, "payroll", sayCount(statements, "review.income_real.statements.one", "review.income_real.statements.other"))
	case len(n.Paystubs) > 0:
		return found(stubIncome, "stubs", say("review.income_real.stubs_only"))
	}
	return unknown(income, "", say("review.income_real.unknown"))
}

// incomeEmployer answers whether the employer that the applicant stated was found.
func (v Income) incomeEmployer(r *report.Income) Finding {
	const section = "employment"
	stated, isStubOnly := "", true
	var names []string
	for i, e := range r.Employment {
		name := report.Text(e.EmployerName)
		switch v.Employers[i] {
		case Typed:
			stated = name
		case Matched:
			isStubOnly = isStubOnly && isStub(r.Income, e.SourceID)
		}
		if name != "" && !slices.ContainsFunc(names, func(n string) bool { return SameEmployer(n, name) }) {
			names = append(names, name)
		}
	}
	has := func(c Comparison) bool { return slices.Contains(v.Employers, c) }
	if stated == "" { // the report does not have what the applicant stated to the portal
		if f, ok := v.employerReal(section); ok {
			return f
		}
	}
	switch {
	case has(Matched) && isStubOnly:
		return found(stubEmployer, section, say("review.employer_real.stubs_only", "employer", stated))
	case has(Matched):
		return confirmed(employer, section, say("review.employer_real.found", "employer", stated))
	case stated != "" && has(Unmatched):
		return found(otherEmployer, section, say("review.employer_real.another", "employer", stated))
	case stated != "":
		return found(noEmployer, section, say("review.employer_real.not_found", "employer", stated))
	case len(r.Employment) > 0:
		return unknown(employer, section, say("review.employer_real.unstated", "employers", strings.Join(names, ", ")))
	}
	return unknown(employer, section, say("review.employer_real.none"))
}

// compareEmployer compares an employment with the employer that the applicant stated, by the report.
func compareEmployer(r *report.Income, of report.Employment) Comparison {
	if of.Matching != nil || isInput(of.SourceID) {
		return Typed
	}
	is := func(r report.RecordRef) bool {
		return r.SourceID == of.SourceID && report.Text(r.SourceRecordID) == report.Text(of.SourceRecordID)
	}
	for _, e := range r.Employment {
		switch {
		case e.Matching == nil:
		case slices.ContainsFunc(e.Matching.EmployerName.Matched, is):
			return Matched
		case slices.ContainsFunc(e.Matching.EmployerName.Unmatched, is):
			return Unmatched
		}
	}
	return NotCompared
}

// stubsGenuine answers whether the pay stubs are genuine.
func stubsGenuine(all []report.Paystub) Finding {
	f := confirmed(document, "stubs")
	altered, odd, broken, unchecked := 0, 0, 0, 0
	for _, p := range all {
		switch p.IrregularityDetection.Status {
		case report.IrregularityDetected:
			altered++
		case report.IrregularityReview:
			odd++
		case report.IrregularityNotDetected:
		default:
			unchecked++
		}
		for _, c := range p.ConsistencyChecks {
			if c.Value != nil && !*c.Value {
				broken++
			}
		}
	}
	f.apply(oddDocument, odd+broken+unchecked > 0)
	f.apply(forged, altered > 0)
	switch {
	case altered > 0:
		f.Answer = []Message{say("review.stubs.altered", "n", altered, "all", len(all))}
	case odd > 0:
		f.Answer = []Message{say("review.stubs.look", "n", odd, "all", len(all))}
	case broken > 0:
		f.Answer = []Message{sayCount(broken, "review.stubs.broken.one", "review.stubs.broken.other")}
	case unchecked > 0:
		f.Answer = []Message{say("review.stubs.unchecked", "n", unchecked, "all", len(all))}
	default:
		f.Answer = []Message{sayCount(len(all), "review.stubs.fine.one", "review.stubs.fine.other")}
	}
	return f
}
