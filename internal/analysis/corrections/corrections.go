// Package corrections applies what staff decided about the data of a report after a
// dispute, before the report is computed again. It takes values and returns values, and
// does not change its input: the same data and corrections give the same report, and
// corrections that were taken back leave no trace.
package corrections

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

// Target is what a correction is about.
type Target string

// The targets.
const (
	Transaction  Target = "transaction"
	Account      Target = "account"
	Counterparty Target = "counterparty" // all payments in one direction: the streams of an employer or merchant
	Identity     Target = "identity"     // a name under which a source knows the person
	Employer     Target = "employer"     // of a payroll connection or pay stub
	Figures      Target = "figures"      // the four figures of an income report
	Statement    Target = "statement"    // the person's, by the number of the dispute
	Dispute      Target = "dispute"      // recorded in a passport, by its number
)

// Fields of the targets. Fields of Figures are report.RevisedNames.
const (
	Excluded  = "excluded"      // "yes": left out of every figure
	Category  = "category"      // full name of a leaf
	Side      = "side"          // "in" or "out"
	Payer     = "employer"      // name of the employer
	Same      = "same"          // the counterparty that it is, as in Ledger.Parties
	Ended     = "ended"         // "yes": its payments have ended
	First     = "first_name"    // of an identity
	Last      = "last_name"     //
	Name      = "employer_name" // of an employer
	Title     = "job_title"     //
	Status    = "status"        // of an employer: as in report.EmploymentActive
	Hired     = "hire_date"     // YYYY-MM-DD
	Text      = "text"          // of a statement or a dispute
	Filed     = "filed"         // of a dispute: YYYY-MM-DD
	Yes       = "yes"
	In        = "in"
	Out       = "out"
	Entered   = "entered" // ID of the identity that was typed
	maxLength = 120       // characters of a name
)

// Correction sets one field of one target. A later correction of the field replaces it; an
// empty value takes it back.
type Correction struct {
	Target  Target `json:"target"`
	Account string `json:"account,omitempty"` // id of a transaction's account
	ID      string `json:"id,omitempty"`      // empty for Figures
	Field   string `json:"field"`
	Value   string `json:"value,omitempty"`
}

// Key identifies the target in a form: 20 letters and digits that reveal nothing.
func (c Correction) Key() string {
	sum := sha256.Sum256([]byte(string(c.Target) + "\x00" + c.Account + "\x00" + c.ID))
	return hex.EncodeToString(sum[:10])
}

func (c Correction) same(d Correction) bool {
	return c.Target == d.Target && c.Account == d.Account && c.ID == d.ID && c.Field == d.Field
}

// Merge returns the corrections that are in force after later ones, in the order in which
// their fields were first corrected.
func Merge(earlier, later []Correction) []Correction {
	out := slices.Clone(earlier)
	for _, c := range later {
		i := slices.IndexFunc(out, c.same)
		switch {
		case i >= 0 && c.Value == "":
			out = slices.Delete(out, i, i+1)
		case i >= 0:
			out[i] = c
		case c.Value != "":
			out = append(out, c)
		}
	}
	return out
}

// Subject is the data of a report that can be corrected.
type Subject struct {
	Consumer *bankdata.Person // nil: no name was entered
	Bank     bankdata.Data
	Payroll  []income.Payroll
	Paystubs []income.Paystub
	Fetch    report.Date
}

// Data reports whether any of the corrections is about the data of a report, and not only
// about what is written in the computed report.
func Data(all []Correction) bool {
	return slices.ContainsFunc(all, func(c Correction) bool {
		return c.Target != Figures && c.Target != Statement && c.Target != Dispute
	})
}

// Apply returns the subject with the corrections. A correction of a target that the data do
// not have changes nothing.
func Apply(s Subject, all []Correction) Subject {
	if !Data(all) {
		return s
	}
	s.Bank = applyBank(s, all)
	s.Payroll, s.Paystubs = slices.Clone(s.Payroll), slices.Clone(s.Paystubs)
	if s.Consumer != nil {
		p := *s.Consumer
		applyIdentity(&p, Entered, all)
		s.Consumer = &p
	}
	for i := range s.Payroll {
		p := &s.Payroll[i]
		applyIdentity(&p.Owner.Person, p.Owner.RecordID, all)
		p.Jobs = slices.Clone(p.Jobs)
		for j := range p.Jobs {
			applyJob(&p.Jobs[j], all)
		}
	}
	for i := range s.Paystubs {
		p := &s.Paystubs[i]
		for _, c := range all {
			if c.Target == Employer && c.ID == p.ID && c.Field == Name {
				p.Employer = c.Value
			}
		}
	}
	return s
}

func applyIdentity(p *bankdata.Person, id string, all []Correction) {
	for _, c := range all {
		switch {
		case c.Target != Identity || c.ID != id || id == "":
		case c.Field == First:
			p.FirstName, p.MiddleName = c.Value, ""
		case c.Field == Last:
			p.LastName, p.Suffix = c.Value, ""
		}
	}
}

func applyJob(j *income.Job, all []Correction) {
	for _, c := range all {
		if c.Target != Employer || c.ID != j.RecordID {
			continue
		}
		switch c.Field {
		case Name:
			j.Employer = c.Value
		case Title:
			j.Title = c.Value
		case Status:
			j.Status = c.Value
		case Hired:
			if t, err := time.Parse(time.DateOnly, c.Value); err == nil {
				j.Hired = &report.Date{Time: t}
			}
		}
	}
}

// at is the position of a transaction in the data.
type at struct{ connection, account, transaction int }

// applyBank corrects owners, accounts and transactions. Corrections of a counterparty come
// before those of its transactions.
func applyBank(s Subject, all []Correction) bankdata.Data {
	type key struct{ account, id string }
	single := map[key][]Correction{}
	party := map[string][]Correction{}
	left := map[string]bool{} // accounts
	for _, c := range all {
		switch c.Target {
		case Transaction:
			single[key{c.Account, c.ID}] = append(single[key{c.Account, c.ID}], c)
		case Counterparty:
			party[c.ID] = append(party[c.ID], c)
		case Account:
			left[c.ID] = c.Value == Yes
		}
	}
	found := map[at][]Correction{}
	if len(party) > 0 {
		l := bankdata.Read(s.Bank, s.Fetch)
		for i := range l.Entries {
			e := &l.Entries[i]
			if these := party[CounterpartyID(l.Parties[e.Party], e.Amount > 0)]; these != nil {
				c, a, t := l.Source(e.Index)
				found[at{c, a, t}] = these
			}
		}
	}
	var out bankdata.Data
	for ci, c := range s.Bank.Connections {
		accounts := c.Accounts
		c.Owners, c.Accounts = slices.Clone(c.Owners), make([]bankdata.Account, 0, len(accounts))
		for i := range c.Owners {
			applyIdentity(&c.Owners[i].Person, c.Owners[i].RecordID, all)
		}
		for ai, a := range accounts {
			if left[a.ID] {
				continue
			}
			txs := a.Transactions
			a.Transactions = make([]bankdata.Transaction, 0, len(txs))
			for ti, t := range txs {
				if applyTransaction(&t, found[at{ci, ai, ti}], single[key{a.ID, t.ID}]) {
					a.Transactions = append(a.Transactions, t)
				}
			}
			c.Accounts = append(c.Accounts, a)
		}
		out.Connections = append(out.Connections, c)
	}
	return out
}

// applyTransaction corrects a transaction. It returns false for one that is left out.
func applyTransaction(t *bankdata.Transaction, lists ...[]Correction) (kept bool) {
	kept = true
	var fixed bankdata.Corrected
	some := false
	for _, c := range slices.Concat(lists...) {
		some = true
		switch c.Field {
		case Excluded:
			kept = c.Value != Yes
		case Category:
			if l, ok := bankdata.LeafOf(c.Value); ok {
				fixed.Leaf = &l
			}
		case Side:
			if (c.Value == Out) != t.Out() {
				t.Amount, t.Debit = -t.Amount, !t.Debit
			}
		case Payer:
			fixed.Payer, fixed.Party = c.Value, bankdata.Normalize(c.Value)
		case Same:
			fixed.Party = c.Value
		case Ended:
			fixed.Ended = c.Value == Yes
		}
	}
	if some {
		t.Corrected = &fixed
	}
	return kept
}

// CounterpartyID is the ID of a counterparty's payments in one direction.
func CounterpartyID(party string, in bool) string {
	if in {
		return In + ":" + party
	}
	return Out + ":" + party
}

// IsText reports whether a text of at most most characters can be shown as it is.
func IsText(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' || prefill.IsInvisible(r) })
}
