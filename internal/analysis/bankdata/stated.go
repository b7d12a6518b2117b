package bankdata

import (
	"cmp"
	"slices"

	"vestibule/internal/report"
)

// CurrencyCode returns the currency of the account's amounts.
func (a *Account) CurrencyCode() string { return cmp.Or(a.Currency, report.Dollars) }

// Currency returns the currency of the report's figures: the one whose accounts have
// the most posted transactions in the history. Ties go to dollars, then to the first by
// code. Only cash-equivalent accounts count, unless there are none.
func (d *Data) Currency(fetch report.Date) string {
	counts := map[string]int{}
	for _, kind := range []bool{true, false} {
		for ci := range d.Connections {
			for ai := range d.Connections[ci].Accounts {
				if a := &d.Connections[ci].Accounts[ai]; (a.Type == report.CashEquivalent) == kind {
					counts[a.CurrencyCode()] += 0
				}
			}
		}
		if len(counts) > 0 {
			d.countPosted(counts, kind, fetch)
			break
		}
	}
	best, most := report.Dollars, -1
	for c, n := range counts {
		if n > most || n == most && best != report.Dollars && (c == report.Dollars || c < best) {
			best, most = c, n
		}
	}
	return best
}

// Counts reports whether the account is in figures of a currency.
func (a *Account) Counts(currency string) bool {
	return a.Type == report.CashEquivalent && a.CurrencyCode() == currency
}

// Terms returns the currency and date of the account's balance, for a report whose figures
// are in a currency.
func (a *Account) Terms(currency string, fetch report.Date) (t report.BalanceTerms) {
	if t.LeftOut = a.CurrencyCode() != currency; t.LeftOut || currency != report.Dollars {
		t.Currency = a.CurrencyCode()
	}
	if a.BalanceDate != nil && DayOf(*a.BalanceDate) != DayOf(fetch) {
		t.BalanceDate = a.BalanceDate
	}
	return t
}

// Banks returns the source ids of the connections that have accounts in figures of a
// currency.
func (d *Data) Banks(currency string) []string {
	out := []string{}
	for i := range d.Connections {
		c := &d.Connections[i]
		if slices.ContainsFunc(c.Accounts, func(a Account) bool { return a.Counts(currency) }) {
			out = append(out, c.SourceID)
		}
	}
	return out
}

// countPosted counts the transactions of each currency, unless there is only one.
func (d *Data) countPosted(counts map[string]int, cash bool, fetch report.Date) {
	if len(counts) == 1 {
		return
	}
	first, last := DayOf(HistoryStart(fetch)), DayOf(fetch)
	for ci := range d.Connections {
		for ai := range d.Connections[ci].Accounts {
			a := &d.Connections[ci].Accounts[ai]
			if (a.Type == report.CashEquivalent) != cash {
				continue
			}
			for i := range a.Transactions {
				t := &a.Transactions[i]
				if day := DayOf(t.Posted); !t.Pending && day >= first && day <= last {
					counts[a.CurrencyCode()]++
				}
			}
		}
	}
}

// balanceOn returns the account's balance at the end of a day: the stated balance and the
// transactions posted between the two days.
func (a *Account) balanceOn(day Day) report.Cents {
	if a.BalanceDate == nil {
		return a.Balance
	}
	stated, balance := DayOf(*a.BalanceDate), a.Balance
	for i := range a.Transactions {
		t := &a.Transactions[i]
		if t.Pending {
			continue
		}
		switch posted := DayOf(t.Posted); {
		case posted > stated && posted <= day:
			balance += t.Amount
		case posted > day && posted <= stated:
			balance -= t.Amount
		}
	}
	return balance
}
