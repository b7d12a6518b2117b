package bankfile

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// UndecidedError is returned by Combine if two files may be of one account, and neither
// numbers nor transactions nor balances tell.
type UndecidedError struct{ First, Second string }

func (e *UndecidedError) Error() string {
	return fmt.Sprintf("%s and %s may be statements of one account or of two, and nothing in them tells", e.First, e.Second)
}

// Answer says whether the accounts of two files are one, if the files do not.
type Answer func(first, second string) (same, known bool)

// Combine merges files into the data of a report, and returns their as-of date: the day of
// the newest balance or transaction. Accounts with the same number become one account with
// each transaction once and the newest balance, and so do accounts whose transactions or
// balances show that they are one. Every account must have a balance. gaps names days between the files of an account.
func Combine(files []File, answers ...Answer) (out bankdata.Data, asOf report.Date, gaps []string, err error) {
	var all []*Account
	var names []string
	for i := range files {
		first := len(all)
		for j := range files[i].Accounts {
			a := files[i].Accounts[j]
			a.Transactions, a.keys, a.periods = slices.Clone(a.Transactions), slices.Clone(a.keys), slices.Clone(a.periods)
			known, err := joined(all, first, names, files[i].Name, &a, answers)
			if err != nil {
				return out, asOf, nil, err
			}
			if known != nil {
				known.merge(&a)
				continue
			}
			all, names = append(all, &a), append(names, files[i].Name)
		}
	}
	if len(all) == 0 {
		return out, asOf, nil, errors.New("no checking or savings account in the files")
	}
	for _, a := range all {
		if a.NoBalance {
			return out, asOf, nil, fmt.Errorf("no balance of the account %s", a.Name)
		}
		asOf, gaps = laterDate(asOf, a.newest()), append(gaps, a.gaps()...)
	}
	count := map[string]int{}
	for n, a := range all {
		i := slices.IndexFunc(out.Connections, func(c bankdata.Connection) bool { return c.Institution == a.Institution })
		if i < 0 {
			i = len(out.Connections)
			out.Connections = append(out.Connections, bankdata.Connection{ID: identifier("connection", a.Institution), Institution: a.Institution,
				SourceID: bankdata.SourceID(a.Institution, count[a.Institution]), Status: contract.StatusSuccess})
			count[a.Institution]++
		}
		a.ID = identifier("account", fmt.Sprint(n), a.Routing, a.Number, a.Subtype)
		for k := range a.Transactions {
			a.Transactions[k].ID = identifier(a.ID, fmt.Sprint(k), a.keys[k])
		}
		out.Connections[i].Accounts = append(out.Connections[i].Accounts, a.Account)
	}
	return out, asOf, gaps, nil
}

// identifier derives a UUID (RFC 9562, version 8) from names.
func identifier(names ...string) string {
	sum := sha256.Sum256([]byte("vestibule bank file\x00" + strings.Join(names, "\x00")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// joined returns the account that is the same as a: of all, or of those of one file, from
// index own on, only one with its number. names are the files of all.
func joined(all []*Account, own int, names []string, name string, a *Account, answers []Answer) (*Account, error) {
	asked := -1
	for i, b := range all {
		switch same, decided := b.isSame(a); {
		case same && (i < own || a.Number != ""):
			return b, nil
		case !decided && i < own && asked < 0:
			asked = i
		}
	}
	if asked < 0 {
		return nil, nil
	}
	for _, answer := range answers {
		if same, known := answer(names[asked], name); known && same {
			return all[asked], nil
		} else if known {
			return nil, nil
		}
	}
	return nil, &UndecidedError{names[asked], name}
}

// isSame reports whether two accounts are one, by their numbers, else by transactions that
// both have, else by a balance of one that goes on in the other.
func (a *Account) isSame(b *Account) (same, decided bool) {
	switch {
	case a.Currency != b.Currency, a.bankKnown && b.bankKnown && a.Institution != b.Institution,
		a.Subtype != b.Subtype && !a.guessed && !b.guessed:
		return false, true
	case a.Number != "" && b.Number != "":
		if a.Number == b.Number {
			return a.Routing == b.Routing || a.Routing == "" || b.Routing == "", true
		}
		short, long := shown(a.Number), shown(b.Number)
		if len(short) > len(long) {
			short, long = long, short
		}
		if !strings.HasSuffix(long, short) { // banks mask numbers, and put those of branches before them
			return false, true
		}
	}
	if len(a.Transactions) == 0 || len(b.Transactions) == 0 {
		return false, false
	}
	older, newer := a, b
	first, last := a.overlap(b)
	if _, until := b.span(); until.Before(first.Time) {
		older, newer = b, a
	}
	if !first.After(last.Time) {
		shared, all, others := common(a.moves(first, last, move), b.moves(first, last, move))
		named, _, _ := common(a.moves(first, last, movedText), b.moves(first, last, movedText))
		switch {
		case shared*2 > min(all, others) && (shared > 1 || named > 0):
			return true, true
		case shared == 0 && all > 0 && others > 0 && (all+others > 2 || first.Before(last.Time)):
			return false, true
		}
		return false, false
	}
	same = !older.NoBalance && newer.opening != nil && older.Balance == *newer.opening && older.Balance != 0
	return same, same
}

var masked = regexp.MustCompile(`.*(?:[Xx]{2}|[*•…#.])|\W+|_`)

// shown returns the part of an account's number that is not masked, without zeros before it.
func shown(number string) string {
	return strings.TrimLeft(strings.ToUpper(masked.ReplaceAllString(number, "")), "0")
}

// moves counts transactions between two days by a key.
func (a *Account) moves(from, to report.Date, key func(*bankdata.Transaction) string) map[string]int {
	out := map[string]int{}
	for i := range a.Transactions {
		if t := &a.Transactions[i]; !t.Posted.Before(from.Time) && !t.Posted.After(to.Time) {
			out[key(t)]++
		}
	}
	return out
}

func move(t *bankdata.Transaction) string { return fmt.Sprintf("%s %d", t.Posted, t.Amount) }

func movedText(t *bankdata.Transaction) string { return move(t) + plain(t.Description) }

// common returns how many transactions two counts share, and the sums of both.
func common(a, b map[string]int) (shared, inA, inB int) {
	for key, n := range a {
		shared, inA = shared+min(n, b[key]), inA+n
	}
	for _, n := range b {
		inB += n
	}
	return shared, inA, inB
}

// span returns the days of the oldest and the newest transaction.
func (a *Account) span() (first, last report.Date) {
	if len(a.Transactions) > 0 {
		byDay := func(x, y bankdata.Transaction) int { return x.Posted.Compare(y.Posted.Time) }
		first, last = slices.MinFunc(a.Transactions, byDay).Posted, slices.MaxFunc(a.Transactions, byDay).Posted
	}
	return first, last
}

// overlap returns the days that both accounts' transactions cover, the last before the first if none.
func (a *Account) overlap(b *Account) (first, last report.Date) {
	first, last = a.span()
	from, until := b.span()
	if until.Before(last.Time) {
		last = until
	}
	return laterDate(first, from), last
}

// overlap counts lines by their keys, in the part or file that has most of them.
type overlap map[string]int

// add counts the lines of another part, and returns which of them no part before has.
func (o overlap) add(keys []string) (fresh []bool) {
	here := map[string]int{}
	for _, key := range keys {
		here[key]++
		fresh = append(fresh, here[key] > o[key])
	}
	for key, n := range here {
		o[key] = max(o[key], n)
	}
	return fresh
}

// merge adds the transactions of the same account in another file. Of transactions with the
// same key, it keeps as many as the file with the most of them has. Files of different form
// have different keys, and some banks give others each time, so that their transactions are
// compared by day and amount.
func (a *Account) merge(b *Account) {
	changed := a.layout != b.layout || a.layout == ""
	if from, until := a.overlap(b); !changed && from.Before(until.Time) {
		same, _, _ := common(a.moves(from, until, movedText), b.moves(from, until, movedText))
		keys := overlap{}
		fresh := append(keys.add(a.keys), keys.add(b.keys)...)
		changed = same > 0 && !slices.Contains(fresh, false)
	}
	key := func(x *Account, i int) string {
		if changed {
			return move(&x.Transactions[i])
		}
		return x.keys[i]
	}
	have, others := overlap{}, make([]string, len(b.keys))
	for i := range a.keys {
		have[key(a, i)]++
	}
	for i := range b.keys {
		others[i] = key(b, i)
	}
	moved := a.Balance // by what is new
	for i, fresh := range have.add(others) {
		if fresh {
			moved += b.Transactions[i].Amount
			a.Transactions, a.keys = append(a.Transactions, b.Transactions[i]), append(a.keys, b.keys[i])
		}
	}
	if !b.NoBalance && (a.NoBalance || a.BalanceDate == nil || b.BalanceDate != nil && (b.BalanceDate.After(a.BalanceDate.Time) ||
		b.BalanceDate.Equal(a.BalanceDate.Time) && b.Balance == moved)) {
		a.Balance, a.BalanceDate, a.NoBalance = b.Balance, b.BalanceDate, false
	}
	if a.guessed && !b.guessed {
		a.Subtype, a.guessed = b.Subtype, false
	}
	a.periods = append(a.periods, b.periods...)
	a.Number, a.Routing = cmp.Or(a.Number, b.Number), cmp.Or(a.Routing, b.Routing)
	a.Institution, a.Name = cmp.Or(a.Institution, b.Institution), cmp.Or(a.Name, b.Name)
}
