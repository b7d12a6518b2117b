package bankdata

import (
	"cmp"
	"slices"
)

// load copies the accounts and their transactions in the ledger's order.
func (l *Ledger) load(d Data, start Day) {
	total := 0
	for ci := range d.Connections {
		for ai := range d.Connections[ci].Accounts {
			a := &d.Connections[ci].Accounts[ai]
			if !a.Counts(l.Currency) {
				continue
			}
			l.Accounts = append(l.Accounts, LedgerAccount{
				ID: a.ID, Subtype: a.Subtype, Balance: a.balanceOn(l.Fetch),
				Connection: ci, Position: ai, first: int32(total), count: int32(len(a.Transactions)),
				transactions: a.Transactions,
			})
			total += len(a.Transactions)
		}
	}
	l.addEntries(start, total)
	for i := 0; i < len(l.Entries); {
		j := i + 1
		for j < len(l.Entries) && l.Entries[j].Day == l.Entries[i].Day {
			j++
		}
		l.sortDay(l.Entries[i:j])
		i = j
	}
}

// sortDay sorts the entries of one day. Most days have few entries, which most banks list
// in order.
func (l *Ledger) sortDay(day []Entry) {
	if len(day) > 16 {
		slices.SortFunc(day, func(a, b Entry) int { return l.compare(&a, &b) })
		return
	}
	for i := 1; i < len(day); i++ {
		for j := i; j > 0 && l.compare(&day[j-1], &day[j]) > 0; j-- {
			day[j-1], day[j] = day[j], day[j-1]
		}
	}
}

// addEntries makes the entries, sorted by day.
func (l *Ledger) addEntries(start Day, total int) {
	next := make([]int32, l.Fetch-start+2) // by day: the index of its next entry
	days := make([]int16, 0, total)        // since start; -1 if left out
	kept := 0
	for n := range l.Accounts {
		txs := l.Accounts[n].transactions
		for i := range txs {
			day := DayOf(txs[i].Posted) - start
			if txs[i].Pending || day < 0 || day > l.Fetch-start {
				days = append(days, -1)
				continue
			}
			days = append(days, int16(day))
			next[day+1]++
			kept++
		}
	}
	l.Oldest = l.Fetch + 1
	for i := range next[1:] {
		if next[i+1] > 0 {
			l.Oldest = min(l.Oldest, start+Day(i))
		}
		next[i+1] += next[i]
	}
	l.Entries = make([]Entry, kept)
	for n := range l.Accounts {
		a := &l.Accounts[n]
		for i := range a.transactions {
			index := a.first + int32(i)
			if day := days[index]; day >= 0 {
				l.Entries[next[day]] = Entry{
					Day: start + Day(day), Account: int32(n), Amount: a.transactions[i].Amount, Index: index,
					Out: a.transactions[i].Out(),
				}
				next[day]++
			}
		}
	}
}

func (l *Ledger) transaction(e *Entry) *Transaction {
	a := &l.Accounts[e.Account]
	return &a.transactions[e.Index-a.first]
}

// compare orders the entries of one day by account and ID. The rest is for data in which
// IDs are not unique.
func (l *Ledger) compare(a, b *Entry) int {
	if a.Account != b.Account {
		return cmp.Compare(a.Account, b.Account)
	}
	s, t := l.transaction(a), l.transaction(b)
	if s.ID != t.ID {
		return cmp.Compare(s.ID, t.ID)
	}
	if a.Out != b.Out {
		return map[bool]int{true: -1, false: 1}[a.Out]
	}
	return cmp.Or(cmp.Compare(a.Amount, b.Amount), cmp.Compare(s.Description, t.Description),
		cmp.Compare(s.Merchant, t.Merchant), cmp.Compare(s.Memo, t.Memo))
}

// judged is the result for a transaction's words, in both directions.
type judged struct {
	credit, debit Verdict
	party         int32
	paper         paper
}

// maxJudged is the maximum number of cached judgments, which fit the processor's cache.
const maxJudged = 4096

// categorize sets each entry's category and counterparty. It caches judgments by words,
// because most descriptors differ only in numbers and codes.
func (l *Ledger) categorize() {
	r := newReader()
	expected := min(len(l.Entries)/4, maxJudged/4)
	seen, parties := newPool(expected), newPool(expected)
	kept := make([]judged, 0, expected)
	for i := range l.Entries {
		e := &l.Entries[i]
		r.read(l.transaction(e))
		words := r.all()
		n, hash := seen.find(words)
		var j judged
		if n >= 0 {
			j = kept[n]
		} else {
			j.credit, j.debit = r.verdicts()
			j.paper = r.paper()
			name := r.party()
			p, hashed := parties.find(name)
			if p < 0 {
				p = parties.add(name, hashed)
			}
			j.party = int32(p)
			if len(kept) < maxJudged {
				seen.add(words, hash)
				kept = append(kept, j)
			}
		}
		v := j.credit
		if e.Out {
			v = j.debit
		}
		e.Leaf, e.Tier, e.Party, e.paper = v.Leaf, v.Tier, j.party, j.paper
		if c := l.transaction(e).Corrected; c != nil {
			l.correct(e, c, &parties)
		}
		e.Own = e.Leaf == LeafOwnIn || e.Leaf == LeafOwnOut
	}
	l.Parties = parties.all()
}
