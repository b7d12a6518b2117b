package corrections

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// Item is one target that can be corrected, as staff see it.
type Item struct {
	Correction             // without Field and Value
	Label      string      // description, account, counterparty, name
	Source     string      // institution or source
	Day        report.Date // of a transaction: posted; of a counterparty: the last payment
	Amount     report.Cents
	Currency   string
	Category   string // full name of the leaf, as found
	Count      int    // payments of a counterparty
	In         bool
	Fields     []Field
}

// Field is a field of an item.
type Field struct {
	Name    string
	Kind    Kind
	Found   string   // value in the data; empty if the report is computed without one
	Value   string   // the correction in force; empty for none
	Options []string // of Choice
}

// Kind is the kind of a field's values.
type Kind string

// The kinds.
const (
	Choice Kind = "choice"
	Line   Kind = "line"
	Day    Kind = "day"
	Number Kind = "number" // whole amount
)

// Corrected reports whether a correction of the item is in force.
func (i Item) Corrected() bool {
	return slices.ContainsFunc(i.Fields, func(f Field) bool { return f.Value != "" })
}

// Valid reports whether value can be a correction of the field.
func (f Field) Valid(value string) bool {
	switch f.Kind {
	case Choice:
		return value == "" || slices.Contains(f.Options, value)
	case Day:
		_, err := time.Parse(time.DateOnly, value)
		return value == "" || err == nil
	case Number:
		n, err := strconv.ParseInt(value, 10, 64)
		return value == "" || err == nil && n >= 0
	}
	return IsText(value, maxLength) && !strings.Contains(value, "\n")
}

// Items lists what can be corrected in a report's data, with the corrections in force:
// accounts, counterparties by their sums, transactions from the newest, identities and
// employers. Employers and their payments are only in a report with income.
func Items(s Subject, inForce []Correction, income bool) (out []Item) {
	l := bankdata.Read(s.Bank, s.Fetch)
	leaves := leafNames()
	var parties []string
	type flow struct {
		item Item
		sum  report.Cents
	}
	known := map[string]int{}
	var flows []flow
	var transactions []Item
	for i := len(l.Entries) - 1; i >= 0; i-- {
		e := &l.Entries[i]
		c, a, t := l.Source(e.Index)
		account := &s.Bank.Connections[c].Accounts[a]
		tx := &account.Transactions[t]
		side := In
		if e.Out {
			side = Out
		}
		x := Item{Correction: Correction{Target: Transaction, Account: account.ID, ID: tx.ID}, Label: tx.Description,
			Source: account.Institution, Day: tx.Posted, Amount: tx.Amount, Currency: account.CurrencyCode(), Category: e.Leaf.String(), In: !e.Out,
			Fields: []Field{{Name: Excluded, Kind: Choice, Options: []string{Yes}},
				{Name: Category, Kind: Choice, Options: leaves, Found: e.Leaf.String()},
				{Name: Side, Kind: Choice, Options: []string{In, Out}, Found: side}}}
		if income && !e.Out {
			x.Fields = append(x.Fields, Field{Name: Payer, Kind: Line})
		}
		transactions = append(transactions, x)
		id := CounterpartyID(l.Parties[e.Party], e.Amount > 0)
		n, there := known[id]
		if !there {
			n = len(flows)
			known[id] = n
			flows = append(flows, flow{item: Item{Correction: Correction{Target: Counterparty, ID: id}, Label: l.Parties[e.Party], Day: tx.Posted,
				Currency: account.CurrencyCode(), Category: e.Leaf.String(), In: e.Amount > 0}})
		}
		flows[n].item.Count++
		flows[n].sum += e.Amount
	}
	flows = slices.DeleteFunc(flows, func(f flow) bool { return f.item.Count < 2 })
	slices.SortFunc(flows, func(a, b flow) int {
		return cmp.Or(cmp.Compare(max(b.sum, -b.sum), max(a.sum, -a.sum)), cmp.Compare(a.item.ID, b.item.ID))
	})
	for _, f := range flows {
		if !slices.Contains(parties, f.item.Label) && len(parties) < maxParties {
			parties = append(parties, f.item.Label)
		}
	}
	slices.Sort(parties)
	for _, c := range s.Bank.Connections {
		for _, a := range c.Accounts {
			out = append(out, Item{Correction: Correction{Target: Account, ID: a.ID}, Label: strings.TrimSpace(a.Name + " " + a.Mask()),
				Source: a.Institution, Amount: a.Balance, Currency: a.CurrencyCode(), Count: len(a.Transactions),
				Fields: []Field{{Name: Excluded, Kind: Choice, Options: []string{Yes}}}})
		}
	}
	for _, f := range flows {
		x := f.item
		x.Amount = f.sum
		others := slices.DeleteFunc(slices.Clone(parties), func(p string) bool { return p == x.Label })
		x.Fields = []Field{{Name: Same, Kind: Choice, Options: others}, {Name: Ended, Kind: Choice, Options: []string{Yes}},
			{Name: Category, Kind: Choice, Options: leaves, Found: x.Category}}
		if income && x.In {
			x.Fields = append(x.Fields, Field{Name: Payer, Kind: Line})
		}
		out = append(out, x)
	}
	out = append(out, transactions...)
	out = append(out, people(s)...)
	if income {
		out = append(out, employers(s)...)
	}
	for i := range out {
		out[i].setValues(inForce)
	}
	return out
}

// maxParties is the maximum number of counterparties that one can be set equal to.
const maxParties = 200

func leafNames() (out []string) {
	for _, l := range bankdata.Leaves() {
		out = append(out, l.String())
	}
	return out
}

// setValues sets the corrections in force.
func (i *Item) setValues(inForce []Correction) {
	for n := range i.Fields {
		c := i.Correction
		c.Field = i.Fields[n].Name
		if at := slices.IndexFunc(inForce, c.same); at >= 0 {
			i.Fields[n].Value = inForce[at].Value
		}
	}
}

func people(s Subject) (out []Item) {
	add := func(id, source string, p bankdata.Person) {
		if id != "" && p.FullName() != "" {
			out = append(out, Item{Correction: Correction{Target: Identity, ID: id}, Label: p.FullName(), Source: source,
				Fields: []Field{{Name: First, Kind: Line, Found: strings.TrimSpace(p.FirstName + " " + p.MiddleName)},
					{Name: Last, Kind: Line, Found: strings.TrimSpace(p.LastName + " " + p.Suffix)}}})
		}
	}
	if s.Consumer != nil {
		add(Entered, "", *s.Consumer)
	}
	for _, c := range s.Bank.Connections {
		for _, o := range c.Owners {
			add(o.RecordID, c.Institution, o.Person)
		}
	}
	for _, p := range s.Payroll {
		add(p.Owner.RecordID, p.Provider, p.Owner.Person)
	}
	return out
}

func employers(s Subject) (out []Item) {
	for _, p := range s.Payroll {
		for _, j := range p.Jobs {
			hired := ""
			if j.Hired != nil {
				hired = j.Hired.String()
			}
			out = append(out, Item{Correction: Correction{Target: Employer, ID: j.RecordID}, Label: j.Employer, Source: p.Provider,
				Fields: []Field{{Name: Name, Kind: Line, Found: j.Employer}, {Name: Title, Kind: Line, Found: j.Title},
					{Name: Status, Kind: Choice, Options: []string{report.EmploymentActive, report.EmploymentTerminated}, Found: j.Status},
					{Name: Hired, Kind: Day, Found: hired}}})
		}
	}
	for _, p := range s.Paystubs {
		out = append(out, Item{Correction: Correction{Target: Employer, ID: p.ID}, Label: cmp.Or(p.Employer, p.SourceID), Source: p.SourceID,
			Fields: []Field{{Name: Name, Kind: Line, Found: p.Employer}}})
	}
	return out
}
