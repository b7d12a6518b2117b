package income

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// What the eligibility report takes from here, so that both reports say the same
// of the same data.

// Inflows returns the recurring inflows of a ledger, the largest of the last 12 complete
// months first, with the stated employers that they are from; neither is nil. Data
// is what the ledger was made of, and publicToken the report's, of which the ids of
// the inflows are made.
func Inflows(l *bankdata.Ledger, data *bankdata.Data, publicToken string,
	employers []string) ([]report.Inflow, []report.MatchedIncomeSource) {
	stated := employersOf(employers)
	f := read(l, stated)
	f.flows = f.inflowsOf(data, stated)
	return f.listed(publicToken, stated)
}

// listed returns the inflows as reports have them.
func (f *facts) listed(publicToken string, stated []employer) ([]report.Inflow, []report.MatchedIncomeSource) {
	inflows, matched := make([]report.Inflow, 0, len(f.flows)), []report.MatchedIncomeSource{}
	for i := range f.flows {
		x := &f.flows[i]
		id := identifier(publicToken, "inflow", x.party, x.leaf.String())
		inflows = append(inflows, report.Inflow{
			InflowID: id, Description: x.description, AnnualIncome: f.annual(x), RecentIncome: f.recent(x),
			AccountID: f.ledger.Accounts[x.account].ID,
		})
		if x.employer >= 0 {
			matched = append(matched, report.MatchedIncomeSource{StatedEmployer: stated[x.employer].name, MatchedInflowID: id})
		}
	}
	return inflows, matched
}

// EmployerOf returns the stated employer that a name is the most like; of equals the
// first, and empty when none is.
func EmployerOf(stated []string, name string) string {
	all := employersOf(stated)
	if i := surest(all, employerOf(name)); i >= 0 {
		return all[i].name
	}
	return ""
}

// SameCompany reports whether two names are of one company, as far as names tell.
func SameCompany(a, b string) bool {
	x, y := employerOf(a), employerOf(b)
	return alike(&x, &y) > 0
}

// Addresses returns a bank's contact addresses as reports have them, never nil.
func Addresses(known []bankdata.Address) []report.IncomeAddress { return addresses(known) }

// NewestStubs returns the readable pay stubs of which none of the same employer and
// employee is newer.
func NewestStubs(all []Paystub) []*Paystub { return newest(all) }

// Employee returns the employee that a readable pay stub names; false for none.
func (p *Paystub) Employee() (bankdata.Person, bool) {
	if p.Status != contract.StatusSuccess || p.Stub.EmployeeName == nil {
		return bankdata.Person{}, false
	}
	return named(*p.Stub.EmployeeName), true
}
