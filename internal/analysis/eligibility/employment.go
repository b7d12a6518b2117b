package eligibility

import (
	"slices"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// names returns the stated employers without empty and duplicate names.
func (in *Input) names() []string {
	var out []string
	for _, n := range in.StatedEmployers {
		if strings.TrimSpace(n) != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// stated lists the stated employers with the result of each source, payroll before
// documents. A payroll connection made without a stated employer counts for those whose
// name matches one of its employers.
func (in *Input) stated() []report.StatedEmployer {
	var out []report.StatedEmployer
	for _, name := range in.names() {
		e := report.StatedEmployer{Name: name, InputMethod: in.InputSource, VerificationSources: []report.VerificationSource{},
			SkippedReason: contract.Null(in.Skipped[name])}
		for i := range in.Payroll {
			if c := &in.Payroll[i]; in.concerns(c, name) {
				status, sub := c.sourceStatus()
				e.VerificationSources = append(e.VerificationSources, report.VerificationSource{
					SourceID: c.Payroll.SourceID, SourceUUID: c.Payroll.ID, SourceType: report.SourcePayroll, Status: status,
					Substatus: contract.Null(sub)})
			}
		}
		for _, d := range in.Documents {
			if in.documents(d, name) {
				e.VerificationSources = append(e.VerificationSources, report.VerificationSource{
					SourceID: d.SourceID, SourceUUID: d.SourceUUID, SourceType: d.Type, Status: d.Status, Substatus: contract.Null(d.Substatus)})
			}
		}
		out = append(out, e)
	}
	return out
}

// concerns reports whether a payroll connection is about the stated employer name.
func (in *Input) concerns(c *Connected, name string) bool {
	if c.Employer != "" {
		return c.Employer == name
	}
	return slices.ContainsFunc(c.jobs(), func(j *income.Job) bool { return income.EmployerOf(in.names(), j.Employer) == name })
}

// documents reports whether a document is about the stated employer name.
func (in *Input) documents(d Document, name string) bool {
	if d.Employer != "" || d.Paystub == nil {
		return d.Employer == name
	}
	return income.EmployerOf(in.names(), d.Paystub.Employer) == name
}

// stubs returns the pay stubs of a workflow with income.
func (in *Input) stubs() (out []income.Paystub) {
	for _, d := range in.Documents {
		if d.Paystub != nil && in.workflow().Income() {
			out = append(out, *d.Paystub)
		}
	}
	return out
}

// employment lists the jobs of the successful payroll connections, then the employers on
// pay stubs.
func (in *Input) employment() []report.EligibilityEmployment {
	var out []report.EligibilityEmployment
	for i := range in.Payroll {
		c := &in.Payroll[i]
		if !c.successful() {
			continue
		}
		for _, j := range c.jobs() {
			e := report.EligibilityEmployment{
				SourceID:      c.Payroll.SourceID,
				SourceUUID:    c.Payroll.ID,
				EmployerName:  &j.Employer,
				EmployerLine1: contract.Null(j.Address.Line1),
				EmployerLine2: contract.Null(j.Address.Line2),
				EmployerCity:  contract.Null(j.Address.City),
				EmployerState: contract.Null(j.Address.State),
				Type:          contract.Null(j.Type),
				Status:        contract.Null(j.Status),
				JobTitle:      contract.Null(j.Title),
				HireDate:      j.Hired,
				Matching:      report.EmployerMatches{EmployerName: in.namesOf(j.Employer)},
			}
			if j.Status != report.EmploymentActive {
				e.TerminationDate = j.Ended
			}
			if j.Rate > 0 {
				e.BasePayRate, e.BasePayPeriod = &j.Rate, contract.Null(j.RatePer)
			}
			if in.workflow().Assets() {
				e.Matching.DirectDeposits = in.deposits(j.Deposits)
			}
			out = append(out, e)
		}
	}
	for _, p := range income.NewestStubs(in.stubs()) {
		if p.Employer == "" {
			continue
		}
		e := report.EligibilityEmployment{SourceID: p.SourceID, SourceUUID: p.ID, EmployerName: &p.Employer, HireDate: p.Stub.HireDate,
			Matching: report.EmployerMatches{EmployerName: in.namesOf(p.Employer)}}
		if in.workflow().Assets() {
			e.Matching.DirectDeposits = in.deposits(nil)
		}
		out = append(out, e)
	}
	return out
}

// namesOf separates the stated employer that matches a name from the others.
func (in *Input) namesOf(employer string) report.EmployerNameMatching {
	m := report.EmployerNameMatching{Matched: []report.StatedName{}, Unmatched: []report.StatedName{}}
	names := in.names()
	same := income.EmployerOf(names, employer)
	for _, name := range names {
		if name == same {
			m.Matched = append(m.Matched, report.StatedName{StatedEmployer: name})
		} else {
			m.Unmatched = append(m.Unmatched, report.StatedName{StatedEmployer: name})
		}
	}
	return m
}

// deposits separates the deposits of a job to the report's accounts from the others.
func (in *Input) deposits(all []income.Deposit) *report.DirectDepositsMatching {
	m := report.DirectDepositsMatching{Matched: []report.MatchedDeposit{}, Unmatched: []report.UnmatchedDeposit{}}
	for _, d := range all {
		if a := in.account(d); a != nil {
			m.Matched = append(m.Matched, report.MatchedDeposit{AccountID: a.ID, TruncatedNumber: contract.Null(a.Mask()),
				InstitutionName: contract.Null(a.Institution)})
		} else {
			m.Unmatched = append(m.Unmatched, report.UnmatchedDeposit{TruncatedNumber: contract.Null(d.Mask),
				InstitutionName: contract.Null(d.Institution)})
		}
	}
	return &m
}

// account returns the only account with a deposit's last four digits and bank, or nil. If
// the payroll provider does not name the bank, the digits decide.
func (in *Input) account(d income.Deposit) *bankdata.Account {
	var found *bankdata.Account
	for i := range in.Bank.Connections {
		accounts := in.Bank.Connections[i].Accounts
		for k := range accounts {
			a := &accounts[k]
			if d.Mask == "" || a.Mask() != d.Mask || d.Institution != "" && !sameBank(d.Institution, a.Institution) {
				continue
			}
			if found != nil {
				return nil
			}
			found = a
		}
	}
	return found
}

// sameBank reports whether two names are of one bank.
func sameBank(a, b string) bool {
	x, y := bankdata.Normalize(a), bankdata.Normalize(b)
	return x != "" && x == y || income.SameCompany(a, b)
}
