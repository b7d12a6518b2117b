package bankdata

import (
	"cmp"
	"slices"

	"vestibule/internal/report"
)

// load takes over the accounts and their transactions in the ledger's order.
func (l *Ledger) load(d Data, start Day) {
	total := 0
	for ci := range d.Connections {
		for ai := range d.Connections[ci].Accounts {
			a := &d.Connections[ci].Accounts[ai]
			if a.Type != report.CashEquivalent {
				continue
			}
			l.Accounts = append(l.Accounts, LedgerAccount{
				ID: a.ID, Subtype: a.Subtype, Balance: a.Balance,
				Connection: ci, Position: ai, first: int32(total), count: int32(len(a.Transactions)),
			})
			total += len(a.Transactions)
		}
	}
	l.Entries = make([]Entry, 0, total)
	l.Oldest = l.Fetch + 1
	for n := range l.Accounts {
		a := &l.Accounts[n]
		txs := d.Connections[a.Connection].Accounts[a.Position].Transactions
		for i := range txs {
			day := DayOf(txs[i].Posted)
			if txs[i].Pending || day < start || day > l.Fetch {
				continue
			}
			l.Oldest = min(l.Oldest, day)
			l.Entries = append(l.Entries, Entry{
				Day: day, Account: int32(n), Amount: txs[i].Amount, Index: a.first + int32(i),
				Tier: TierOther,
			})
		}
	}
	tx := func(e *Entry) *Transaction {
		a := &l.Accounts[e.Account]
		return &d.Connections[a.Connection].Accounts[a.Position].Transactions[e.Index-a.first]
	}
	slices.SortFunc(l.Entries, func(a, b Entry) int {
		if c := cmp.Compare(a.Day, b.Day); c != 0 {
			return c
		}
		if c := cmp.Compare(a.Account, b.Account); c != 0 {
			return c
		}
		return cmp.Compare(tx(&a).ID, tx(&b).ID)
	})
	l.Parties = []string{""}
}
