package bankdata

import (
	"cmp"
	"slices"

	"vestibule/internal/report"
)

// Entry is a posted transaction in the history of a cash-equivalent account.
type Entry struct {
	Day     Day
	Account int32        // index into Ledger.Accounts
	Party   int32        // index into Ledger.Parties: the normalized counterparty
	Index   int32        // position in the input; see Ledger.Source
	Amount  report.Cents // positive: money in
	Leaf    Leaf
	Tier    Tier // the step that decided Leaf
	Out     bool // money out: the sign of Amount, for 0 the stated side
	Own     bool // a leg of a transfer between own accounts: one of a pair, or an OWN leaf
	NSF     int8 // 1 for an NSF or overdraft event; 0 also if counted with another entry, or refunded
	Waived  bool // an NSF or overdraft event whose fee was refunded; NSF is then 0
	decided bool // staff decided Leaf after a dispute
	paper   paper
}

// LedgerAccount is a cash-equivalent account of the input, in the ledger's currency.
type LedgerAccount struct {
	ID         string
	Subtype    string       // report.Checking, Savings or Other
	Balance    report.Cents // at the end of the fetch date
	Opening    report.Cents // before the oldest entry
	Connection int          // index into Data.Connections
	Position   int          // index into the connection's Accounts

	first int32 // Entry.Index of its first transaction
	count int32 // number of its transactions in the input

	transactions []Transaction // the input's
}

// Ledger is the history of all cash-equivalent accounts of one currency, with each
// transaction's category. Read makes it; it does not change afterwards.
type Ledger struct {
	Currency string // of all amounts; see Data.Currency
	Fetch    Day    // the fetch date
	Oldest   Day    // the oldest retrieved posted day; Fetch+1 without any
	Accounts []LedgerAccount
	Entries  []Entry // by day, account and transaction id, whatever the order of the input
	Parties  []string
	Streams  []Stream // in and out, the largest sum first

	ends []report.Cents // day-end balances, account by account
}

// Cadence is the rhythm of a stream.
type Cadence uint8

// The rhythms.
const (
	Irregular Cadence = iota // irregular income: gig, rental, person to person, cash
	Weekly
	Biweekly
	SemiMonthly
	Monthly
)

// Stream is a series of at least three payments of one counterparty in one
// direction that keeps a rhythm, or irregular income.
type Stream struct {
	Party       int32 // index into Ledger.Parties
	Leaf        Leaf
	In          bool
	Irregular   bool // income of one kind without a rhythm; Cadence is then Irregular
	Active      bool // the last payment is at most one and a half intervals and five days old
	Cadence     Cadence
	First, Last Day
	Count       int32
	Interval    int32        // mean days between payment days, in hundredths of a day
	Mean        report.Cents // per payment, without outliers; negative for money out
	Entries     []int32      // indices into Ledger.Entries, oldest first
}

// Read makes the ledger of all cash-equivalent accounts of the data's currency as of a
// fetch date: posted transactions from HistoryStart to the fetch date, both included. The
// order of the input's transactions affects only Index.
func Read(d Data, fetch report.Date) *Ledger {
	l := &Ledger{Currency: d.Currency(fetch), Fetch: DayOf(fetch)}
	l.load(d, DayOf(HistoryStart(fetch)))
	l.categorize()
	l.pairTransfers()
	l.countNSF()
	l.balance()
	l.findStreams()
	return l
}

// Source returns the position of an entry's transaction in the input: the connection, its
// account and the transaction. It panics on an unknown index.
func (l *Ledger) Source(index int32) (connection, account, transaction int) {
	i, _ := slices.BinarySearchFunc(l.Accounts, index, func(a LedgerAccount, x int32) int {
		return cmp.Compare(a.first+a.count, x+1)
	})
	a := l.Accounts[i]
	return a.Connection, a.Position, int(index - a.first)
}

// Days returns the number of days from Oldest to Fetch, both included; 0 without any
// entry.
func (l *Ledger) Days() int { return int(l.Fetch - l.Oldest + 1) }

// DayEnds returns the balance of one account at the end of each day from Oldest to
// Fetch, computed backward from the stated balance and the posted transactions. The
// ledger owns the slice: do not change it.
func (l *Ledger) DayEnds(account int) []report.Cents {
	n := l.Days()
	return l.ends[account*n : (account+1)*n : (account+1)*n]
}

// balance computes each account's balances backward from the fetch date.
func (l *Ledger) balance() {
	n := l.Days()
	l.ends = make([]report.Cents, n*len(l.Accounts))
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Day > l.Oldest {
			l.ends[int(e.Account)*n+int(e.Day-l.Oldest)-1] += e.Amount
		} else {
			l.Accounts[e.Account].Opening -= e.Amount
		}
	}
	for i := range l.Accounts {
		ends, b := l.DayEnds(i), l.Accounts[i].Balance
		for j := n - 1; j >= 0; j-- {
			b -= ends[j] // transactions posted on the following day
			ends[j] = b
		}
		l.Accounts[i].Opening += b
	}
}
