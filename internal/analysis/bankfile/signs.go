package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vestibule/internal/report"
)

// reading is a way to sign the amounts of a file.
type reading struct {
	how    string
	sign   func(r *row) report.Cents
	before bool // the balance in a line is that before its amount
}

// chain is how the running balance follows from the amounts of one account's rows.
type chain struct {
	order         []*row // oldest first
	steps, breaks int
	broken        *row // the first break
	daily         bool // balances are those at the end of the days
}

// follow examines the balance in the orders that the rows may have been written in, and after
// each row or each day. It returns the first with the fewest breaks.
func follow(rows []*row) (best chain) {
	if len(rows) == 0 {
		return best
	}
	backward := slices.Clone(rows)
	slices.Reverse(backward)
	orders := [][]*row{rows, backward}
	if rows[0].day.After(rows[len(rows)-1].day.Time) {
		slices.Reverse(orders)
	}
	for n := range 6 {
		c := chain{order: orders[n%2], daily: n > 3}
		if n > 1 {
			c.order = slices.Clone(c.order)
			slices.SortStableFunc(c.order, func(a, b *row) int { return a.day.Compare(b.day.Time) })
		}
		c.walk()
		if n == 0 || c.breaks < best.breaks && (n != 1 || !backwardInTime(c.order)) {
			best = c
		}
		if best.breaks == 0 {
			return best
		}
	}
	if !slices.ContainsFunc(rows, func(r *row) bool { return !r.balanced }) {
		slices.SortStableFunc(backward, func(a, b *row) int { return a.day.Compare(b.day.Time) })
		c := chain{order: matched(backward)}
		if c.walk(); c.breaks == 0 {
			return c
		}
	}
	return best
}

// matched orders the rows of each day so that each begins with the balance that another leaves,
// if the balances allow it: balances are the nodes and rows the edges of a path.
func matched(rows []*row) (out []*row) {
	for n := 0; n < len(rows); {
		next, start := map[report.Cents][]*row{}, rows[n].balance-rows[n].sum
		for first := n; n < len(rows) && rows[n].day.Equal(rows[first].day.Time); n++ {
			next[rows[n].balance-rows[n].sum] = append(next[rows[n].balance-rows[n].sum], rows[n])
		}
		if len(out) > 0 {
			start = out[len(out)-1].balance
		} else {
			left := map[report.Cents]int{}
			for _, r := range rows[:n] {
				left[r.balance]++
			}
			for balance, r := range next {
				if len(r) > left[balance] {
					start = balance
				}
			}
		}
		var path []*row
		var visit func(report.Cents)
		visit = func(balance report.Cents) {
			for len(next[balance]) > 0 {
				r := next[balance][0]
				next[balance] = next[balance][1:]
				visit(r.balance)
				path = append(path, r)
			}
		}
		visit(start)
		slices.Reverse(path)
		if out = append(out, path...); len(out) < n {
			return rows
		}
	}
	return out
}

func backwardInTime(rows []*row) bool { return rows[0].day.After(rows[len(rows)-1].day.Time) }

// walk counts the steps from one stated balance to the next, and those that the amounts do
// not explain.
func (c *chain) walk() {
	known, balance, since := false, report.Cents(0), report.Cents(0)
	for n, r := range c.order {
		if since += r.sum; !r.balanced && !c.daily {
			continue
		}
		if c.daily && n+1 < len(c.order) && c.order[n+1].day.Equal(r.day.Time) {
			continue
		}
		stated, ok := r.balance, r.balanced
		for k := n; c.daily && k >= 0 && c.order[k].day.Equal(r.day.Time); k-- { // any row of the day has it
			if o := c.order[k]; o.balanced {
				if ok && o.balance != stated {
					c.breaks, c.broken = len(c.order)+1, o
					return
				}
				stated, ok = o.balance, true
			}
		}
		if !ok {
			continue
		}
		if known {
			if c.steps++; stated != balance+since {
				if c.breaks++; c.broken == nil {
					c.broken = r
				}
			}
		}
		known, balance, since = true, stated, 0
	}
}

// sideOf returns -1 if the words of a row say money out, 1 for money in, or 0. clear reports
// words for no other thing, such as debit, and unlike payment.
func (t *table) sideOf(r *row) (sign int, clear bool) {
	for _, i := range t.at[side] {
		switch v := lookUp("side", r.cell(i)); v {
		case "out", "mostly out":
			return -1, v == "out"
		case "in", "mostly in":
			return 1, v == "in"
		}
	}
	return 0, false
}

// tally counts the amounts of a column by their signs and the words beside them.
type tally struct {
	negative, positive, marked, plus, unmarked int
	silent, outPlus, outMinus                  int  // without a word; positive and negative with a word of money out
	unsaid                                     *row // the first that is silent
}

func (t *table) tally(rows []*row) (n tally) {
	for _, r := range t.rows { // also those that do not count
		if r.value[amount] < 0 {
			n.negative++
		}
	}
	for _, r := range rows {
		v := r.value[amount]
		said, clear := t.sideOf(r)
		if n.negative > 0 && !clear {
			said = 0
		}
		switch {
		case v == 0:
		case said == 0 && !r.marked:
			n.silent, n.unsaid = n.silent+1, cmp.Or(n.unsaid, r)
		case said < 0 && v > 0:
			n.outPlus++
		case said < 0:
			n.outMinus++
		}
		if v > 0 {
			n.positive++
		}
		switch {
		case r.marked:
			n.marked++
		case r.plus:
			n.plus++
		case v > 0:
			n.unmarked++
		}
	}
	return n
}

// readings lists the ways to sign the amounts. The first is what the signs and words say; it
// is empty if they do not say enough, and then why says so.
func (t *table) readings(rows []*row) (all []reading, why error) {
	if len(t.at[moneyOut]) > 0 && len(t.at[moneyIn]) > 0 {
		return t.readingsApart(rows)
	}
	value := func(r *row) report.Cents { return r.value[amount] }
	minus := func(r *row) report.Cents { return -r.value[amount] }
	signed := reading{how: "amounts have signs", sign: value}
	opposite := reading{how: "amounts are positive for money out, as the balance says", sign: minus}
	sides := reading{how: "amounts are signed by the column " + t.label(side), sign: func(r *row) report.Cents {
		if said, _ := t.sideOf(r); said < 0 {
			return minus(r)
		}
		return value(r)
	}}
	n := t.tally(rows)
	reversed, mixed, doubt := t.reversed(rows)
	if doubt != nil {
		t.file.note(fmt.Sprintf("line %d: its words name income, but its sign says money out", doubt.line))
	}
	switch {
	case reversed:
		all = []reading{{how: "amounts are positive for money out, as the words of income and purchases say", sign: minus}, signed, sides}
	case n.marked+n.plus > 0 && n.unmarked > 0 && n.negative == 0:
		all = []reading{{how: "amounts without CR or + are money out", sign: func(r *row) report.Cents {
			if !r.marked && !r.plus {
				return minus(r)
			}
			return value(r)
		}}, signed, opposite}
	case n.marked > 0:
		all = []reading{{how: "amounts are signed by CR and DR", sign: value}}
	case n.plus > 0:
		all = []reading{signed, opposite}
	case n.outPlus > n.outMinus && n.silent == 0, n.negative == 0 && n.silent == 0 && n.positive > 0:
		all = []reading{sides, signed, opposite}
	case n.negative > 0 && n.outPlus > n.outMinus:
		why = fmt.Errorf("line %d: the column %s does not say whether this amount is money in or out", n.unsaid.line, t.label(side))
		all = []reading{signed, sides, opposite}
	case n.negative > 0:
		all = []reading{signed, opposite, sides}
		if mixed {
			why = errors.New("some amounts have a minus, but what is bought by its words has none: nothing says which are money out")
		}
	case n.unsaid != nil && n.silent < len(rows):
		why = fmt.Errorf("line %d: all amounts are positive, and the column %s does not say whether this one is money in or out",
			n.unsaid.line, t.label(side))
		all = []reading{signed, opposite}
	case !slices.ContainsFunc(rows, func(r *row) bool { return t.wordsOf(r) <= 0 }):
		all = []reading{{how: "amounts are money in, as their words say", sign: value}, opposite}
	default:
		why = errors.New("all amounts are positive, and no column says which are money out")
		all = []reading{signed, opposite}
	}
	return t.withFees(all, rows), why
}

// reversed reports whether all money that is income by its words is negative and all that is
// spent positive. doubt is a row of the former if no words tell of the latter. mixed reports
// whether both are positive.
func (t *table) reversed(rows []*row) (reversed, mixed bool, doubt *row) {
	earned, spent := [2]int{}, [2]int{} // money out and in, by the sign
	for _, r := range rows {
		n, v := 0, r.value[amount]
		if v > 0 {
			n = 1
		}
		switch word := t.wordsOf(r); {
		case v == 0 || r.marked:
		case word > 0:
			if earned[n]++; v < 0 {
				doubt = r
			}
		case word < 0:
			spent[n]++
		}
	}
	if earned[0] == 0 || earned[1] > 0 || spent[0] > 0 {
		return false, earned[1] > 0 && spent[1] > 1 && spent[0] == 0, nil
	}
	return spent[1] > 0, false, doubt
}

// wordsOf returns 1 if the texts of a row name income, -1 if they name what is bought, or 0.
func (t *table) wordsOf(r *row) int {
	text := ""
	for _, i := range slices.Concat(t.at[description], t.at[memo], t.at[side], t.at[unused]) {
		text += " " + r.cell(i)
	}
	switch {
	case find("payment", text) == "refund": // of what is bought, or a correction
	case find("income", text) != "":
		return 1
	case find("spent", text) != "":
		return -1
	}
	return 0
}

// withFees adds readings that subtract the column of fees.
func (t *table) withFees(all []reading, rows []*row) []reading {
	if !slices.ContainsFunc(rows, func(r *row) bool { return r.value[fee] != 0 }) {
		return all
	}
	for _, rd := range slices.Clone(all) {
		all = append(all, reading{how: rd.how + ", fees are subtracted", sign: func(r *row) report.Cents {
			return rd.sign(r) - max(r.value[fee], -r.value[fee])
		}})
	}
	return all
}

// readingsApart lists the ways to sign a column of money out and one of money in: their usual
// sign is without meaning, the other one is a correction. Without a balance, it must be clear which is.
func (t *table) readingsApart(rows []*row) (all []reading, why error) {
	usual, unusual := map[column]int{}, map[column]int{}
	for _, r := range rows {
		if r.value[moneyOut] != 0 && r.value[moneyIn] != 0 {
			return nil, fmt.Errorf("line %d has an amount in the column %s and in the column %s", r.line, t.label(moneyOut), t.label(moneyIn))
		}
		for _, c := range []column{moneyOut, moneyIn} {
			if r.value[c] < 0 {
				unusual[c]++
			} else if r.value[c] > 0 {
				usual[c]++
			}
		}
	}
	how, signs := "columns of money in and money out", map[column][]report.Cents{}
	for _, c := range []column{moneyOut, moneyIn} {
		few, many := min(usual[c], unusual[c]), max(usual[c], unusual[c])
		if signs[c] = []report.Cents{1, -1}; unusual[c] > usual[c] {
			slices.Reverse(signs[c])
		}
		if few == 0 {
			signs[c] = signs[c][:1]
			continue
		}
		how = "columns of money in and money out; an amount with the other sign is a correction"
		if few*2 >= many {
			why = fmt.Errorf("the column %s has amounts of both signs, and no balance says which are corrections", t.label(c))
		}
	}
	add := func(how string, outward, inward report.Cents) {
		all = append(all, reading{how: how, sign: func(r *row) report.Cents {
			if !r.has[moneyOut] && !r.has[moneyIn] {
				return r.value[amount]
			}
			return inward*r.value[moneyIn] - outward*r.value[moneyOut]
		}})
	}
	for _, outward := range signs[moneyOut] {
		for _, inward := range signs[moneyIn] {
			add(how, outward, inward)
		}
	}
	add("columns of money in and money out, exchanged as the balance says", -signs[moneyOut][0], -signs[moneyIn][0])
	all = append(all, reading{how: "columns of money in and money out without signs", sign: func(r *row) report.Cents {
		return max(r.value[moneyIn], -r.value[moneyIn]) - max(r.value[moneyOut], -r.value[moneyOut])
	}})
	return t.withFees(all, rows), why
}

// sign chooses the reading that the running balance of every group confirms, else the first,
// and sets the rows' sums. It refuses a balance that contradicts every reading.
func (t *table) sign(groups []*group, closing, opening *statedBalance) error {
	var rows []*row
	for _, g := range groups {
		rows = append(rows, g.rows...)
	}
	transactions := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return !r.counts })
	readings, why := t.readings(transactions)
	switch changes := t.byBalance(groups, transactions); {
	case len(readings) == 0:
		return why
	case why != nil:
		readings = append(changes, readings...)
	default:
		readings = append(readings, changes...)
	}
	steps, _, _ := readings[0].try(groups, closing, opening)
	if steps > 0 && constant(groups) {
		steps, t.flat = 0, rows[0].balance != 0
		t.file.note(map[bool]string{true: "every line has the same balance: it is that of the account now",
			false: "every line has a balance of zero, which is not used"}[t.flat])
		for _, r := range rows {
			r.balanced = t.flat
		}
	}
	if steps == 0 || t.flat {
		if why == nil {
			t.file.note(readings[0].how)
		}
		if slices.ContainsFunc(transactions, func(r *row) bool { return r.value[fee] != 0 }) {
			t.file.leaveOut("the column " + t.label(fee) + " left out: no balance tells whether the amounts include it")
		}
		return why
	}
	for _, rd := range slices.Clone(readings) {
		rd.how, rd.before = rd.how+", after the balance in their lines", true
		readings = append(readings, rd)
	}
	for _, rd := range readings {
		if n, breaks, _ := rd.try(groups, closing, opening); breaks == 0 && (!rd.before || n > 1) {
			t.owed = strings.Contains(rd.how, "as the balance says")
			t.file.note(rd.how + "; the balance agrees in " + count(steps, "line"))
			for _, r := range transactions {
				if r.sum == 0 && r.value[amount] != 0 {
					r.counts = false
					t.file.leaveOut(fmt.Sprintf("line %d left out: nothing says whether its amount is money in or out", r.line))
				}
			}
			return nil
		}
	}
	_, _, broken := readings[0].try(groups, closing, opening)
	switch {
	case len(t.at[availableBalance]) > 0: // it may hold what is not booked
		for _, r := range rows {
			r.balanced = false
		}
		readings[0].try(groups, closing, opening)
		t.file.leaveOut("the column " + t.label(runningBalance) + " left out: it does not follow from the amounts")
		return why
	case why != nil:
		return why
	}
	return fmt.Errorf("line %d: the balance does not follow from the amounts before it: a line is missing, moved, or read with a wrong sign",
		broken.line)
}

// try sets the sums of all rows by a reading. It returns how many changes of the balance they
// could explain, how many they do not, and the first row of the latter.
func (rd reading) try(groups []*group, closing, opening *statedBalance) (steps, breaks int, broken *row) {
	total := report.Cents(0)
	for _, g := range groups {
		for _, r := range g.rows {
			if r.sum = 0; r.counts {
				r.sum = rd.sign(r)
				cent := *r
				if cent.value[amount] = 1; r.minus {
					cent.value[amount] = -1
				}
				r.out = rd.sign(&cent) < 0 || r.has[moneyOut] && (!r.has[moneyIn] || r.minus)
			}
			if total, r.balance = total+r.sum, r.written; rd.before {
				r.balance += r.sum
			}
		}
		g.chain = follow(g.rows)
		steps, breaks, broken = steps+g.chain.steps, breaks+g.chain.breaks, cmp.Or(broken, g.chain.broken)
	}
	if len(groups) == 1 && steps == 0 && closing != nil && opening != nil {
		if steps = 1; opening.cents+total != closing.cents {
			breaks, broken = 1, groups[0].rows[0]
		}
	}
	return steps, breaks, broken
}

// constant reports whether all rows of each account have the same balance, although money
// moved.
func constant(groups []*group) bool {
	moved := 0
	for _, g := range groups {
		for _, r := range g.rows {
			if !r.balanced || r.balance != g.rows[0].balance {
				return false
			}
			if r.sum != 0 {
				moved++
			}
		}
	}
	return moved > 2 || moved > 1 && groups[0].rows[0].balance == 0
}

// byBalance lists the ways to sign unsigned amounts by the change of the balance from row to
// row, in both orders. The oldest row's sign is that of its words, of its column, of rows with the
// same text, or money in if its balance is its amount; else its sum is zero.
func (t *table) byBalance(groups []*group, transactions []*row) (all []reading) {
	if slices.ContainsFunc(transactions, func(r *row) bool { return !r.balanced || r.value[amount] < 0 }) {
		return nil
	}
	for _, backward := range []bool{false, true} {
		sums := map[*row]report.Cents{}
		for _, g := range groups {
			order := slices.Clone(g.rows)
			if backward != backwardInTime(order) {
				slices.Reverse(order)
			}
			first := order[0]
			named := map[string]int{"out": -1, "in": 1}[words["header"][headerKey(t.nameOf(t.at[amount], 0))]]
			for n, r := range order[1:] {
				sums[r] = r.value[amount]
				if r.balance == order[n].balance-sums[r] {
					sums[r] = -sums[r]
				}
			}
			for i, word := range first.fields { // of lines that all go one way, and the others the other way
				var signs, lines [2]int
				for _, r := range order[1:] {
					same := map[bool]int{true: 1}[r.cell(i) == word]
					signs[same], lines[same] = signs[same]+cmp.Compare(sums[r], 0), lines[same]+1
				}
				apart := signs[0]*signs[1] < 0 && max(signs[0], -signs[0]) == lines[0]
				if named == 0 && max(signs[1], -signs[1]) == lines[1] && !strings.ContainsAny(word, "0123456789") &&
					(apart || slices.Contains(t.at[description], i)) {
					named = cmp.Compare(signs[1], 0)
				}
			}
			said, _ := t.sideOf(first)
			if said = cmp.Or(said, t.wordsOf(first), named); said == 0 && first.balance == first.value[amount] {
				said = 1
			}
			sums[first] = report.Cents(said) * first.value[amount]
		}
		all = append(all, reading{how: "amounts are signed by the change of the balance", sign: func(r *row) report.Cents { return sums[r] }})
	}
	return all
}
