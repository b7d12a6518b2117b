package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// group is the rows of one account.
type group struct {
	number, name, kind string
	rows               []*row
	chain              chain
}

// ErrUnknownKind is returned for a file that may be of a checking account or of one that is left out.
var ErrUnknownKind = errors.New("nothing tells whether this is a checking account")

var errMayBeCard = fmt.Errorf("payments and refunds may be of a checking account or of a credit card: %w", ErrUnknownKind)

// accounts makes the accounts of the table. kind is the kind of the account if the caller
// knows it.
func (t *table) accounts(kind string) error {
	balances, number, name, err := t.statedAround()
	if err != nil {
		return err
	}
	rows := t.booked()
	if !slices.ContainsFunc(rows, func(r *row) bool { return r.counts }) {
		if len(t.file.LeftOut) > 0 {
			return nil
		}
		return errors.New("the file has no transaction")
	}
	if kind == "" {
		if kind, err = t.kind(rows); err != nil {
			return err
		}
	}
	if k := kindOf(name + " " + number); kind == "" && leftKinds[k] {
		kind = k
	}
	if left := leftKinds[kind]; left {
		t.file.leaveOut(fmt.Sprintf("%s left out with %s: %s", kind, count(len(rows), "line"), onlyAccounts))
		return nil
	}
	owned := slices.ContainsFunc(rows, func(r *row) bool { return r.owner != "" })
	for _, r := range rows { // of a part of the file without a line of its own
		if owned && r.owner == "" {
			r.owner = strings.TrimSpace(name + " " + number)
		}
	}
	groups, err := t.groups(rows, number)
	if err != nil {
		return err
	}
	var stated [2]*statedBalance // closing, opening
	if len(groups) == 1 {
		stated = [2]*statedBalance{balanceOf(balances, "closing"), balanceOf(balances, "opening")}
		groups[0].number, groups[0].name = cmp.Or(groups[0].number, number), cmp.Or(groups[0].name, name)
	}
	kept := slices.DeleteFunc(slices.Clone(groups), func(g *group) bool {
		if k := kindOf(g.name + " " + g.kind); kind == "" && leftKinds[k] {
			t.file.leaveOut(fmt.Sprintf("%s %q%s left out with %s: %s", k, cmp.Or(g.name, g.kind), endingIn(g.number),
				count(len(g.rows), "line"), onlyAccounts))
			return true
		}
		return false
	})
	if len(kept) == 0 {
		return nil
	}
	if len(kept) > maxAccounts {
		return fmt.Errorf("more than %d accounts", maxAccounts)
	}
	t.findSide(rows)
	t.findBalance(kept)
	if stated[1] != nil && t.bare && t.areTotals(rows, kept, stated[0], stated[1]) {
		stated = [2]*statedBalance{}
	}
	t.leaveOutFunded(rows, stated[0], stated[1])
	if err := t.sign(kept, stated[0], stated[1]); err != nil {
		return err
	}
	if kind == "" {
		if k, sure := t.kindByPayments(rows); leftKinds[k] && !sure {
			return errMayBeCard
		} else if leftKinds[k] {
			t.file.leaveOut(fmt.Sprintf("%s left out with %s: its payments are those to a card", k, count(len(rows), "line")))
			return nil
		}
	}
	for _, g := range kept {
		if err := t.account(g, kind, stated[0], len(groups) > 1); err != nil {
			return err
		}
	}
	return nil
}

func balanceOf(stated map[string]statedBalance, which string) *statedBalance {
	if b, ok := stated[which]; ok {
		return &b
	}
	return nil
}

// leaveOutFunded leaves out payments that a column says another account paid, if the balances agree without them.
func (t *table) leaveOutFunded(rows []*row, closing, opening *statedBalance) {
	source := slices.IndexFunc(t.names, func(s string) bool { return words["flag"][plain(s)] == "funding" })
	if source < 0 || closing == nil || opening == nil {
		return
	}
	rest, others := closing.cents-opening.cents, []*row(nil)
	for _, r := range rows {
		if s := plain(r.cell(source)); s == "" || strings.Contains(s, "balance") {
			rest -= r.value[amount]
		} else {
			others = append(others, r)
		}
	}
	if n := len(others); n > 0 && rest == 0 {
		t.file.leaveOut(count(n, "payment") + " with money of another account left out")
		for _, r := range others {
			r.counts = false
		}
	}
}

// areTotals reports whether two amounts that are stated without names contradict the rows as balances, and may be totals.
func (t *table) areTotals(rows []*row, kept []*group, closing, opening *statedBalance) bool {
	readings, _ := t.readings(slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return !r.counts }))
	if len(readings) == 0 {
		return false
	}
	_, breaks, _ := readings[0].try(kept, closing, opening)
	return breaks > 0
}

var accountDigits = regexp.MustCompile(`[A-Z]{0,2}\d[\dA-Z ./*-]*\d`)

// numberAndName splits what names an account, as Everyday Checking (1234).
func numberAndName(s string) (number, name string) {
	for _, digits := range append(accountDigits.FindAllString(s, -1), s) {
		if digits = strings.TrimLeft(digits, "*xX.…•- "); number == "" && strings.ContainsAny(digits, "0123456789") ||
			digits != s && len(digits) > len(number) {
			number = digits
		}
	}
	if number == "" || inLowerCase.MatchString(strings.Trim(s, "xX")) || kindOf(s) != "" {
		name = s
	}
	return number, name
}

var inLowerCase = regexp.MustCompile(`\p{Ll}{3}`)

// own lists the columns that name the account of a row. A column with gaps, with one
// description for each of its values, or without the number that a line above the table
// states, names the other side's account.
func (t *table) own(rows []*row, number string) (at []int, err error) {
	if slices.ContainsFunc(signatures, func(s signature) bool { return s.kind == oneAccount && t.signed(s, nil) }) {
		return nil, nil
	}
	one := slices.ContainsFunc(t.at[accountNumber], func(i int) bool { // the same in all rows
		return rows[0].cell(i) != "" && !slices.ContainsFunc(rows, func(r *row) bool { return r.cell(i) != rows[0].cell(i) })
	})
	for _, i := range slices.Concat(t.at[accountNumber], t.at[accountName], t.at[accountType]) {
		texts, gap := map[string]map[string]bool{}, (*row)(nil)
		for _, r := range rows {
			v := r.cell(i)
			if v == "" {
				gap = r
				continue
			}
			if texts[v] == nil {
				texts[v] = map[string]bool{}
			}
			text, _ := t.describe(r)
			texts[v][text] = true
		}
		named := slices.Contains(t.at[accountName], i)
		kinds := slices.ContainsFunc(rows, func(r *row) bool { return kindOf(r.cell(i)) != "" })
		most := 0
		for _, different := range texts {
			most = max(most, len(different))
		}
		switch {
		case len(texts) > 1 && gap != nil && named:
			return nil, fmt.Errorf("line %d: the column %q names no account", gap.line, t.names[i])
		case len(texts) == 0 || gap != nil, len(texts) > 2 && most == 1 && !named && !kinds,
			len(texts) > 1 && one && slices.Contains(t.at[accountNumber], i),
			len(texts) > 1 && number != "" && texts[number] == nil && slices.Contains(t.at[accountNumber], i):
			if len(texts) > 0 {
				t.file.note(fmt.Sprintf("the column %q is read as the other party's account", t.names[i]))
			}
		default:
			at = append(at, i)
		}
	}
	return at, nil
}

// groups splits rows by their account; number is that of a line above. A running balance that
// goes on through all rows is that of one account.
func (t *table) groups(rows []*row, number string) ([]*group, error) {
	at, err := t.own(rows, number)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*group{}
	var all []*group
	for _, r := range rows {
		g := group{}
		g.number, g.name = numberAndName(r.owner)
		key := r.owner + "\x00"
		for _, i := range at {
			v := r.fields[i]
			key += v + "\x00"
			number, name := numberAndName(v)
			if book, _, path := strings.Cut(plain(v), " "); path && strings.Contains(v, ":") && words["book"][book] != "" {
				return nil, fmt.Errorf("line %d: books of several accounts, such as %q, are no bank's statement", r.line, clean(v))
			}
			switch {
			case slices.Contains(t.at[accountType], i):
				g.kind = v
			case slices.Contains(t.at[accountName], i):
				g.name = strings.TrimSpace(g.name + " " + v)
			default:
				g.number, g.name = cmp.Or(g.number, number), strings.TrimSpace(g.name+" "+name)
			}
		}
		known := byKey[key]
		if known == nil {
			known = &g
			byKey[key] = known
			all = append(all, known)
		}
		known.rows = append(known.rows, r)
	}
	if len(all) > 1 && !slices.ContainsFunc(rows, func(r *row) bool { return r.owner != rows[0].owner }) {
		if one := (&group{rows: rows}); t.continues(one) {
			t.file.note("one balance runs through all lines: they are of one account")
			return []*group{one}, nil
		}
	}
	for _, g := range all {
		if err := t.oneCurrency(g); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// continues reports whether the balance follows from the amounts through all rows of a group.
func (t *table) continues(g *group) bool {
	transactions := slices.DeleteFunc(slices.Clone(g.rows), func(r *row) bool { return !r.counts })
	readings, _ := t.readings(transactions)
	return slices.ContainsFunc(readings, func(rd reading) bool {
		steps, breaks, _ := rd.try([]*group{g}, nil, nil)
		return steps > 0 && breaks == 0
	})
}

// findSide finds a column without a known name that has a word for the side in every row.
func (t *table) findSide(rows []*row) {
	silent := func(i int) bool {
		return slices.ContainsFunc(rows, func(r *row) bool { v := words["side"][plain(r.cell(i))]; return v != "in" && v != "out" })
	}
	for i := range t.names {
		if len(t.at[side]) == 0 && !slices.Contains(slices.Concat(t.at[:]...), i) && !silent(i) {
			t.at[side] = []int{i}
		}
	}
}

// findBalance finds a running balance in a column without a known name: the amounts explain
// all of its changes.
func (t *table) findBalance(groups []*group) {
	if len(t.at[runningBalance]) > 0 {
		return
	}
	known := slices.Concat(t.at[:]...)
	for i := range t.names {
		if slices.Contains(known, i) {
			continue
		}
		found := true
		for _, g := range groups {
			for _, r := range g.rows {
				f, ok := parseFigure(r.cell(i), t.decimal)
				r.balance, r.written, r.balanced, found = f.cents, f.cents, ok, found && ok
			}
			found = found && (len(g.rows) > 2 || len(g.rows) > 1 && find("balance", t.names[i]) == "closing") && t.continues(g)
		}
		if found {
			t.at[runningBalance] = []int{i}
			t.file.note(fmt.Sprintf("the column %q is read as the balance", t.names[i]))
			return
		}
		for _, g := range groups {
			for _, r := range g.rows {
				r.balance, r.balanced = 0, false
			}
		}
	}
}

// oneCurrency leaves out the rows of a group that are in another currency than most.
func (t *table) oneCurrency(g *group) error {
	counts := map[string]int{}
	for _, r := range g.rows {
		if c := t.currencyOf(r); c != "" {
			counts[c]++
		}
	}
	most := ""
	for c, n := range counts {
		if n > counts[most] || n == counts[most] && c < most {
			most = c
		}
	}
	foreign := 0
	g.rows = slices.DeleteFunc(slices.Clone(g.rows), func(r *row) bool {
		c := t.currencyOf(r)
		if c != "" && c != most {
			foreign++
		}
		return c != "" && c != most
	})
	if foreign > 0 {
		t.file.leaveOut(fmt.Sprintf("%s in another currency than %s left out", count(foreign, "transaction"), most))
	}
	return nil
}

var currencyInText = regexp.MustCompile(`(?:\b|\d)(?:USD|EUR|GBP|CAD|AUD|CHF|MXN|SEK|NOK|DKK|PLN|INR|NZD|COP|CLP|PEN|DOP|JPY|BRL|ZAR|` +
	`RUB|CZK|HUF|RON|ILS|SGD|HKD|AED|CNY|KRW|PHP|THB|ARS|MYR|UAH|EUROA|EUROS?)\b|[€£¥円₹₩]|R\$`)

// currencyOf returns the currency of a row by its column, by its amount, or by the name of the
// amount's column.
func (t *table) currencyOf(r *row) string {
	if c := strings.ToUpper(t.text(r, currency)); len(c) == 3 {
		return c
	}
	for _, c := range []column{amount, moneyOut, moneyIn, runningBalance} {
		for _, s := range []string{t.text(r, c), t.nameOf(t.at[c], 0)} {
			if found := currencyIn(s); found != "" {
				return found
			}
		}
	}
	if strings.Contains(t.text(r, amount)+t.text(r, moneyOut)+t.text(r, moneyIn), "$") {
		return "USD"
	}
	return ""
}

func currencyIn(s string) string {
	found := strings.TrimLeft(currencyInText.FindString(strings.ToUpper(s)), "0123456789")
	return cmp.Or(words["symbol"][plain(found)], found)
}

// besideDigits matches a currency beside digits.
var besideDigits = regexp.MustCompile(`(?:` + currencyInText.String() + `)\s?[-+]?\d|\d\s?(?:` + currencyInText.String() + `)`)

// currencyAbove returns the only currency of the lines above the table, and one of their amounts that are no balance, as a
// limit, which says nothing of the account.
func (t *table) currencyAbove() (only, aside string) {
	for _, line := range t.above {
		text := strings.ToUpper(strings.Join(line, " "))
		other := besideDigits.MatchString(text) && find("balance", text) == "" && ownerIn(line) == "" && !withoutWords(line)
		for _, s := range line {
			switch c := currencyIn(s); {
			case other:
				aside = cmp.Or(aside, c)
			case c != "" && only != "" && c != only:
				only = "two"
			case c != "":
				only = c
			}
		}
	}
	return strings.TrimPrefix(only, "two"), aside
}

// currencyOfAccount sets the currency of an account: the one that the rows or the lines above them state. Else the account's
// country, the bank, ways to pay of one country or the language tell it. If they do not, it is USD, or
// empty if the language or the numbers are of elsewhere.
func (t *table) currencyOfAccount(a *Account, g *group, bank string) {
	names := strings.Join(t.names, " ")
	dollars, local, counts := strings.Contains(names, "USD"), "", map[string]int{}
	for _, r := range g.rows {
		all := strings.Join(r.fields, " ")
		a.Currency, dollars = cmp.Or(a.Currency, t.currencyOf(r)), dollars || strings.Contains(all, "USD")
		if c := find("local", all); c != "" && t.layout != monthFirst {
			if counts[c]++; counts[c]*5 >= len(g.rows) && counts[c] > counts[local] {
				local = c
			}
		}
	}
	only, aside := t.currencyAbove()
	if a.Currency == "" && only != "" {
		a.Currency = only
		t.file.note("the currency " + only + " is that in the lines above the table")
	}
	likely := cmp.Or(words["country"][strings.ToLower(a.Number[:min(len(a.Number)/15*2, 2)])], // of an IBAN
		find("local", names), words["money"][plain(bank)], local, find("money", names))
	foreign := t.layout != monthFirst && (likely == "?" || likely == "" && (t.decimal == ',' || aside != "" && aside != "USD"))
	likely = strings.Trim(likely, "?")
	if certain := a.Currency != "USD" || dollars || only != ""; a.Currency != "" && // $ may be of another country
		(certain || likely == "" && !foreign && t.layout != dayFirst) {
		return
	}
	if a.NoCurrency, a.Currency = true, cmp.Or(likely, "USD"); foreign {
		a.Currency = ""
		return
	}
	t.file.note("the currency is not stated, and read as " + a.Currency)
}

// account adds the account of a group.
func (t *table) account(g *group, kind string, closing *statedBalance, several bool) error {
	a := Account{NoBalance: true, guessed: true}
	a.Type, a.Subtype = report.CashEquivalent, report.Checking
	a.Number, _ = numberAndName(g.number)
	own := g.name + " " + g.kind
	around := t.file.Name + " " + own
	for _, line := range t.above {
		around += " " + strings.Join(line, " ")
	}
	named := kindOf(own)
	if named == "" && !several {
		named = kindOf(around)
	}
	switch {
	case kind == "savings" || kind == "" && named == "savings":
		a.Subtype, a.guessed = report.Savings, false
	case kind != "" || named == "cash account":
		a.guessed = false
	}
	base, _, _ := strings.Cut(t.file.Name, ".")
	bank := cmp.Or(t.text(g.rows[0], bankName), find("bank", around))
	a.Institution, a.bankKnown = cmp.Or(bank, clean(base), "Bank"), bank != ""
	a.Name = cmp.Or(g.name, strings.ToLower(a.Subtype)) + endingIn(a.Number)
	t.currencyOfAccount(&a, g, bank)
	if t.whole && words["whole"][a.Currency] == "" {
		small := slices.ContainsFunc(g.rows, func(r *row) bool { return r.counts && max(r.sum, -r.sum) < 10000 })
		odd := slices.DeleteFunc(slices.Clone(g.rows), func(r *row) bool { return r.sum%1000 == 0 })
		if n := len(odd); !small && n > 2 && n*3 > len(g.rows) {
			return errors.New("no amount has decimals, and nothing tells whether they are cents: name their column amount_cents, or write decimals")
		}
		t.file.note("no amount has decimals: they are read as whole units, not as cents")
	}
	a.layout = strings.Join(t.names, "\x00")
	for _, r := range g.chain.order {
		switch {
		case t.flat, r.balanced:
			a.Balance, a.BalanceDate, a.NoBalance = r.balance, &r.day, false
		case !a.NoBalance && (!g.chain.daily || r.day.After(a.BalanceDate.Time)):
			a.Balance, a.BalanceDate = a.Balance+r.sum, &r.day // the balance is that of the day's end
		}
		if r.balanced && len(a.Transactions) == 0 {
			opening := r.balance - r.sum
			a.opening = &opening
		}
		if !r.counts {
			continue
		}
		said, _ := t.sideOf(r)
		x := bankdata.Transaction{Posted: r.day, Amount: r.sum, Debit: r.sum == 0 && (said < 0 || said == 0 && r.out)}
		x.Description, x.Memo = t.describe(r)
		key := fmt.Sprintf("%s %d %s %d", x.Posted, x.Amount, cmp.Or(t.text(r, reference), x.Description), r.balance)
		if err := a.add(x, key); err != nil {
			return err
		}
	}
	day := a.newest()
	if closing != nil && (a.NoBalance || g.chain.steps == 0 && !t.flat && len(t.at[runningBalance]) == 0) &&
		(closing.day == nil || !closing.day.Before(day.Time)) {
		day = *cmp.Or(closing.day, &day)
		a.Balance, a.BalanceDate, a.NoBalance = closing.cents, &day, false
		t.file.note("the balance is from a line outside of the table")
	} else if closing != nil && a.NoBalance {
		t.file.leaveOut("the balance in a line outside of the table left out: it is older than the last transaction")
	}
	a.cover(report.Date{})
	t.file.Accounts = append(t.file.Accounts, a)
	return nil
}
