package income

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// The functions of this file make the eligibility report consistent with the income report.

// Inflows returns the recurring inflows of a ledger, sorted by their sum of the last 12
// complete months, the largest first, and their stated employers. Neither is nil. data is
// the ledger's input. The inflows' IDs depend on the report's publicToken.
func Inflows(l *bankdata.Ledger, data *bankdata.Data, publicToken string,
	employers []string) ([]report.Inflow, []report.MatchedIncomeSource) {
	stated := employersOf(employers)
	f := read(l, stated)
	f.flows = f.inflowsOf(data, stated)
	return f.listed(publicToken, stated)
}

// listed returns the inflows for a report.
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

// EmployerOf returns the stated employer that is most like a name, the first one of equals,
// or "".
func EmployerOf(stated []string, name string) string {
	all := employersOf(stated)
	if i := bestMatch(all, employerOf(name)); i >= 0 {
		return all[i].name
	}
	return ""
}

// SameCompany reports whether two names are probably of one company.
func SameCompany(a, b string) bool {
	x, y := employerOf(a), employerOf(b)
	return similarity(&x, &y) > 0
}

// Employee returns the employee on a readable pay stub, and false if it names none.
func (p *Paystub) Employee() (bankdata.Person, bool) {
	if p.Status != contract.StatusSuccess || p.Stub.EmployeeName == nil {
		return bankdata.Person{}, false
	}
	return personNamed(*p.Stub.EmployeeName), true
}
