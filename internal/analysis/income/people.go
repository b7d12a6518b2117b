package income

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/personname"
	"vestibule/internal/report"
)

func sources(in Input) []report.Source {
	var out []report.Source
	if in.Consumer != nil {
		out = append(out, in.EnteredSource())
	}
	for _, c := range in.Bank.Connections {
		out = append(out, report.Source{SourceID: c.SourceID, SourceType: report.SourceBankTransaction, Status: c.Status})
	}
	for i := range in.Payroll {
		p := &in.Payroll[i]
		out = append(out, report.Source{SourceID: p.SourceID, SourceType: report.SourcePayroll, Status: p.status()})
	}
	for i := range in.Paystubs {
		p := &in.Paystubs[i]
		out = append(out, report.Source{SourceID: p.SourceID, SourceType: report.SourcePaystub, Status: p.Status})
	}
	return append(out, in.Failed...)
}

// identities lists the consumer's or customer's input, then the owners known to banks,
// payroll connections and pay stubs. The consumer's input has the matching if there is
// another identity; the customer's input does not.
func identities(in Input) []report.IncomeIdentity {
	var out []report.IncomeIdentity
	if in.Consumer != nil {
		out = append(out, identity(in.InputSource, in.InputRecordID, *in.Consumer))
	}
	m := report.IncomeMatching{FullName: report.NewAgreement[report.RecordRef]()}
	known := func(source string, o bankdata.Owner) {
		id := identity(source, o.RecordID, o.Person)
		same := in.Consumer != nil && in.Consumer.Is(o.FullName())
		m.FullName.Add(same, report.RecordRef{SourceID: id.SourceID, SourceRecordID: id.SourceRecordID})
		out = append(out, id)
	}
	for _, c := range in.Bank.Connections {
		for _, o := range c.Owners {
			known(c.SourceID, o)
		}
	}
	for i := range in.Payroll {
		if p := &in.Payroll[i]; p.Owner.FullName() != "" {
			known(p.SourceID, p.Owner)
		}
	}
	for i := range in.Paystubs {
		if p := &in.Paystubs[i]; p.Status == contract.StatusSuccess && p.Stub.EmployeeName != nil {
			known(p.SourceID, bankdata.Owner{RecordID: p.ID, Person: personNamed(*p.Stub.EmployeeName)})
		}
	}
	if in.Consumer != nil && in.InputSource == report.ConsumerInput && len(out) > 1 {
		out[0].Matching = &m
	}
	return out
}

func personNamed(full string) (p bankdata.Person) {
	p.FirstName, p.LastName, p.Suffix = personname.Split(full)
	return p
}

func identity(source, record string, p bankdata.Person) report.IncomeIdentity {
	return report.IncomeIdentity{
		SourceID:       source,
		SourceRecordID: contract.Null(record),
		FirstName:      contract.Null(p.FirstName),
		LastName:       contract.Null(p.LastName),
		FullName:       contract.Null(p.FullName()),
		Emails:         append([]string{}, p.Emails...),
	}
}

// payers returns the inflows with a known employer.
func (f *facts) payers() (out []*inflow) {
	for n := range f.flows {
		if x := &f.flows[n]; x.payer != "" {
			out = append(out, x)
		}
	}
	return out
}

// employment lists the stated employers, then those that pay wages into an account, those
// of payroll connections and those of pay stubs. A stated one has the matching, unless it
// is the only item.
func (f *facts) employment(in *Input, stated []employer) []report.Employment {
	payers := f.payers()
	wages := f.wages(&in.Bank, payers)
	var out []report.Employment
	var like []int // the stated employer of each item that is not stated
	for i := range stated {
		id := identifier(in.PublicToken, "stated", stated[i].name)
		out = append(out, report.Employment{SourceID: in.InputSource, SourceRecordID: &id, EmployerName: &stated[i].name})
	}
	for _, x := range payers {
		c := &in.Bank.Connections[f.ledger.Accounts[x.account].Connection]
		id := identifier(in.PublicToken, "employer", x.party)
		e := report.Employment{SourceID: c.SourceID, SourceRecordID: &id, EmployerName: &x.payer, EstimatedHireDate: f.hired(x, wages)}
		if x.active {
			active := report.EmploymentActive
			e.Status = &active
		}
		out, like = append(out, e), append(like, x.employer)
	}
	items, known := employed(in.Payroll, stated)
	out, like = append(out, items...), append(like, known...)
	items, known = shownBy(in.Paystubs, stated)
	out, like = append(out, items...), append(like, known...)
	if len(out) < 2 {
		return out
	}
	for i := range stated {
		m := report.EmploymentMatching{EmployerName: report.NewAgreement[report.RecordRef]()}
		for n, e := range out[len(stated):] {
			m.EmployerName.Add(like[n] == i, report.RecordRef{SourceID: e.SourceID, SourceRecordID: e.SourceRecordID})
		}
		out[i].Matching = &m
	}
	return out
}

// paidBy holds the payments of a counterparty in the whole history.
type paidBy struct {
	employer employer // by the words of a wage; without words if it paid none
	first    bankdata.Day
	known    bankdata.Day // first day on which all accounts that it paid into have a history
}

// wages returns the payments of each counterparty that paid a wage. A payer's other income
// and credits of unknown category count too.
func (f *facts) wages(data *bankdata.Data, payers []*inflow) map[int32]*paidBy {
	out := map[int32]*paidBy{}
	add := func(e *bankdata.Entry) *paidBy {
		p := out[e.Party]
		if p == nil {
			p = &paidBy{first: e.Day, known: f.accounts[e.Account].oldest}
			out[e.Party] = p
		}
		p.first = min(p.first, e.Day)
		p.known = max(p.known, f.accounts[e.Account].oldest)
		return p
	}
	wage := func(e *bankdata.Entry) {
		if p := add(e); len(p.employer.words) == 0 {
			p.employer = employerOf(f.payer(data, e))
		}
	}
	of := map[int32]bool{}
	for _, x := range payers {
		of[x.number] = true
	}
	for i := range f.ledger.Entries {
		switch e := &f.ledger.Entries[i]; {
		case e.Amount <= 0 || e.Own:
		case e.Leaf == bankdata.LeafPayroll:
			wage(e)
		case of[e.Party]:
			if _, is := isIncome(e); is || e.Leaf == bankdata.LeafOther {
				add(e)
			}
		}
	}
	for n, yes := range f.promoted {
		if yes {
			for _, at := range f.ledger.Streams[n].Entries {
				wage(&f.ledger.Entries[at])
			}
		}
	}
	return out
}

// hired returns the day of the employer's first payment, in any wording, account and
// cadence. It returns nil unless the history of each account that it paid into begins more
// than one and a half intervals and five days earlier.
func (f *facts) hired(x *inflow, wages map[int32]*paidBy) *report.Date {
	own := wages[x.number]
	first, known := own.first, own.known
	who := employerOf(x.payer)
	for _, p := range wages {
		if similarity(&who, &p.employer) > 0 {
			first, known = min(first, p.first), max(known, p.known)
		}
	}
	if int32(first-known)*100 <= x.interval*3/2+500 {
		return nil
	}
	d := first.Date()
	return &d
}

func accounts(d bankdata.Data, fetch report.Date) []report.IncomeAccount {
	currency := d.Currency(fetch)
	var out []report.IncomeAccount
	for _, c := range d.Connections {
		for _, a := range c.Accounts {
			balance := a.Balance
			out = append(out, report.IncomeAccount{
				SourceID:        c.SourceID,
				AccountID:       a.ID,
				OwnerFullName:   contract.Null(a.Owner),
				InstitutionName: contract.Null(a.Institution),
				AccountName:     contract.Null(a.Name),
				AccountType:     a.Type,
				DateOpened:      a.Opened,
				TruncatedNumber: contract.Null(a.Mask()),
				Responsibility:  contract.Null(a.Responsibility),
				Addresses:       Addresses(a.Addresses),
				CurrentBalance:  &balance,
				BalanceTerms:    a.Terms(currency, fetch),
			})
		}
	}
	return out
}

// Addresses returns a bank's contact addresses for a report. The result is not nil.
func Addresses(known []bankdata.Address) []report.IncomeAddress {
	out := []report.IncomeAddress{}
	for _, a := range known {
		out = append(out, report.IncomeAddress{
			AddressID: a.ID,
			Address:   contract.Null(a.Line()),
			Street:    contract.Null(a.Street),
			City:      contract.Null(a.City),
			ZIPCode:   contract.Null(a.ZIP),
			State:     contract.Null(a.State),
		})
	}
	return out
}
