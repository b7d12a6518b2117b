package bankdata

import (
	"cmp"
	"slices"

	"vestibule/internal/report"
)

const (
	returnDays   = 2  // maximum days between a fee and its returned payment
	reversalDays = 90 // maximum days from a fee to its refund
)

// countNSF marks the NSF and overdraft events: fees and returned payments. A fee and one
// returned payment of the same account within returnDays are one event. Neither is an event
// if the fee is refunded within reversalDays.
func (l *Ledger) countNSF() {
	var fees, returns, reversals []int32
	for i := range l.Entries {
		switch e := &l.Entries[i]; {
		case (e.Leaf == LeafNSFFee || e.Leaf == LeafOverdraftFee) && e.Amount < 0:
			fees = append(fees, int32(i))
			e.NSF = 1
		case e.Leaf == LeafReversal && e.Amount > 0:
			returns = append(returns, int32(i))
			e.NSF = 1
		case e.Leaf == LeafFeeReversal && e.Amount > 0:
			reversals = append(reversals, int32(i))
		}
	}
	l.joinReturns(fees, returns)
	l.dropReversed(fees, reversals)
}

// joinReturns stops counting returned payments that belong to a fee: for each, the
// earliest fee without another returned payment.
func (l *Ledger) joinReturns(fees, returns []int32) {
	byAccount := func(a, b int32) int {
		return cmp.Or(cmp.Compare(l.Entries[a].Account, l.Entries[b].Account), cmp.Compare(a, b))
	}
	slices.SortFunc(fees, byAccount)
	slices.SortFunc(returns, byAccount)
	f := 0
	for _, x := range returns {
		r := &l.Entries[x]
		for f < len(fees) {
			e := &l.Entries[fees[f]]
			if e.Account > r.Account || e.Account == r.Account && e.Day > r.Day+returnDays {
				break
			}
			f++
			if e.Account == r.Account && e.Day >= r.Day-returnDays {
				r.NSF = 0
				break
			}
		}
	}
}

// dropReversed stops counting refunded fees: for each refund, the latest earlier fee of
// that amount.
func (l *Ledger) dropReversed(fees, reversals []int32) {
	if len(reversals) == 0 || len(fees) == 0 {
		return
	}
	type key struct {
		account int32
		amount  report.Cents
	}
	open := map[key][]int32{}
	slices.Sort(fees)
	next := 0
	for _, x := range reversals {
		for ; next < len(fees) && (fees[next] < x || l.Entries[fees[next]].Day == l.Entries[x].Day); next++ {
			e := &l.Entries[fees[next]]
			k := key{e.Account, -e.Amount}
			open[k] = append(open[k], fees[next])
		}
		r := &l.Entries[x]
		k := key{r.Account, r.Amount}
		if stack := open[k]; len(stack) > 0 {
			if e := &l.Entries[stack[len(stack)-1]]; r.Day-e.Day <= reversalDays {
				e.NSF, e.Waived = 0, true
				open[k] = stack[:len(stack)-1]
			}
		}
	}
}
