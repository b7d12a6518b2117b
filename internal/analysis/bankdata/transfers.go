package bankdata

import (
	"cmp"
	"math/bits"
	"slices"

	"vestibule/internal/report"
)

// Maximum days between the legs of an own transfer.
const (
	pairDays  = 3
	paperDays = 5 // for a check or cash
)

// pairTransfers finds transfers between own accounts: equal amounts of opposite sign in two
// accounts within pairDays, or paperDays for a check or cash, unless the words name a
// purchase, a rent or a wage. The closest days pair first; ties go to the earlier entries.
func (l *Ledger) pairTransfers() {
	if len(l.Accounts) < 2 {
		return
	}
	legs := l.transferCandidates()
	slices.SortFunc(legs, func(a, b leg) int {
		if a.amount != b.amount {
			return cmp.Compare(a.amount, b.amount)
		}
		return cmp.Compare(a.entry, b.entry)
	})
	for i := 0; i < len(legs); {
		j := i + 1
		for j < len(legs) && legs[j].amount == legs[i].amount {
			j++
		}
		l.pairAmount(legs[i:j])
		i = j
	}
}

// transferCandidates lists the entries that may be a leg and may have an opposite one. A few bits of the
// amount rule out most entries.
func (l *Ledger) transferCandidates() []leg {
	const in, out = 1, 2
	shift := 64 - bits.Len(uint(4*len(l.Entries)))
	seen := make([]uint8, 1<<(64-shift))
	for i := range l.Entries {
		if e := &l.Entries[i]; mayPair(e) {
			side := uint8(in)
			if e.Amount < 0 {
				side = out
			}
			seen[mix(abs(e.Amount))>>shift] |= side
		}
	}
	var legs []leg
	for i := range l.Entries {
		if e := &l.Entries[i]; mayPair(e) && seen[mix(abs(e.Amount))>>shift] == in|out {
			legs = append(legs, leg{abs(e.Amount), int32(i)})
		}
	}
	return legs
}

// leg is an entry that may be one side of an own transfer.
type leg struct {
	amount report.Cents // without its sign
	entry  int32
}

// paper says whether a transaction's words mention a check or cash.
type paper uint8

const (
	paperCheck paper = 1 << iota
	paperCash
)

func (r *reader) paper() (p paper) {
	if r.seen.has(r.lex.check) && !r.seen.has(r.lex.card) {
		p |= paperCheck
	}
	if r.seen.has(r.lex.cash) {
		p |= paperCash
	}
	return p
}

func mayPair(e *Entry) bool { return e.Amount != 0 && !e.decided && pairs[e.Leaf.valid()] }

// pairs marks the categories that a leg may have: transfers, unknown, checks and cash.
var pairs = func() (p [leafEnd]bool) {
	for l := range leafEnd {
		p[l] = l.Group() == GroupTransfer
	}
	p[LeafOther], p[LeafCashDeposit], p[LeafCheckMobile], p[LeafCashWithdrawal] = true, true, true, true
	return p
}()

// unspecific reports whether an entry's words name a transfer, nothing, or only that it was
// cash or a check.
func (e *Entry) unspecific() bool {
	if e.Tier == TierOther || e.Leaf.Group() == GroupTransfer {
		return true
	}
	return e.Tier == TierPattern && (e.Leaf == LeafCashDeposit || e.Leaf == LeafCheckMobile || e.Leaf == LeafCashWithdrawal)
}

// check reports whether an entry may be a paid or deposited check.
func (e *Entry) check() bool {
	switch e.Leaf {
	case LeafOther:
		return e.Out && e.paper&paperCheck != 0
	case LeafCashDeposit:
		return e.paper != paperCash
	}
	return e.Leaf == LeafCheckMobile
}

// cash reports whether an entry may be withdrawn or deposited cash.
func (e *Entry) cash() bool {
	return e.Leaf == LeafCashWithdrawal || e.Leaf == LeafCashDeposit && e.paper != paperCheck
}

// pairGap returns the maximum days between two legs, or -1 if they cannot be a pair. Cash
// is withdrawn before it is deposited.
func pairGap(out, in *Entry) Day {
	switch {
	case out.check() && in.check(), out.cash() && in.cash() && out.Day <= in.Day:
		return paperDays
	case out.unspecific() && in.unspecific() && !(out.check() && in.Leaf.Group() == GroupTransfer):
		return pairDays
	}
	return -1
}

// maxLegs is the maximum number of later legs of the same amount that are compared with
// one leg.
const maxLegs = 64

// pairAmount pairs legs of one amount, in the ledger's order.
func (l *Ledger) pairAmount(legs []leg) {
	if len(legs) < 2 {
		return
	}
	taken := make([]bool, len(legs))
	for gap := Day(0); gap <= paperDays; gap++ {
		for i, x := range legs {
			a := &l.Entries[x.entry]
			for j := i + 1; j < len(legs) && j <= i+maxLegs && !taken[i]; j++ {
				b := &l.Entries[legs[j].entry]
				if b.Day-a.Day > gap {
					break
				}
				if taken[j] || b.Day-a.Day != gap || b.Account == a.Account || b.Amount != -a.Amount {
					continue
				}
				out, in := a, b
				if in.Out {
					out, in = b, a
				}
				if gap <= pairGap(out, in) {
					taken[i], taken[j] = true, true
					l.pair(out, in)
				}
			}
		}
	}
}

// pair marks the two legs of an own transfer. In a transfer to or from savings, the leg of
// the other account has the savings category.
func (l *Ledger) pair(a, b *Entry) {
	from, to := l.Accounts[a.Account].Subtype == report.Savings, l.Accounts[b.Account].Subtype == report.Savings
	out, in := LeafOwnOut, LeafOwnIn
	switch {
	case to && !from:
		out = LeafSavingsOut
	case from && !to:
		in = LeafSavingsIn
	}
	a.markOwnTransfer(out)
	b.markOwnTransfer(in)
}

// markOwnTransfer makes the entry a leg of an own transfer. It keeps the leaf of its words if that is
// the same, or more specific: savings or investments.
func (e *Entry) markOwnTransfer(leaf Leaf) {
	e.Own = true
	saving := e.Leaf == LeafSavingsIn || e.Leaf == LeafSavingsOut || e.Leaf == LeafInvestIn || e.Leaf == LeafInvestOut
	if e.Leaf != leaf && !(saving && (leaf == LeafOwnIn || leaf == LeafOwnOut)) {
		e.Leaf, e.Tier = leaf, TierDirection
	}
}

func abs(c report.Cents) report.Cents {
	if c < 0 {
		return -c
	}
	return c
}
