package bankdata

// Corrected replaces what Read finds about a transaction. Staff decide it after a dispute
// (package corrections).
type Corrected struct {
	Leaf  *Leaf  // its category; nil: as found
	Party string // its normalized counterparty; "": as found
	Payer string // the employer's name as it is written in a report; "": as found
	Ended bool   // its stream has ended, whatever the day of the last payment
}

// correct sets what staff decided about an entry, after its words were judged. A category
// that staff decided is final: the entry is no leg of a transfer that is found by amounts.
func (l *Ledger) correct(e *Entry, c *Corrected, parties *pool) {
	if c.Leaf != nil {
		e.Leaf, e.Tier, e.decided = *c.Leaf, TierCorrected, true
	}
	if c.Party != "" {
		n, hash := parties.find([]byte(c.Party))
		if n < 0 {
			n = parties.add([]byte(c.Party), hash)
		}
		e.Party = int32(n)
	}
}

// ended reports whether staff decided that the stream of an entry has ended.
func (l *Ledger) ended(e *Entry) bool {
	c := l.transaction(e).Corrected
	return c != nil && c.Ended
}

// LeafOf returns the leaf with a full name, as in "INCOME.PAYROLL", and false for another name.
func LeafOf(name string) (Leaf, bool) {
	for _, l := range Leaves() {
		if l.String() == name {
			return l, true
		}
	}
	return LeafOther, false
}
