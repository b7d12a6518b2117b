package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/report"
)

// label returns the name of a column's meaning in the file, for messages.
func (t *table) label(c column) string {
	return fmt.Sprintf("%q", cmp.Or(t.nameOf(t.at[c], 0), columnNames[c]))
}

// dayOf returns the text of a row's day: when it was booked, else when it was made.
func (t *table) dayOf(r *row) string {
	s := t.text(r, posted)
	if strings.ContainsAny(s, "0123456789") {
		return s
	}
	return cmp.Or(t.text(r, transacted), s)
}

// sumInText matches an amount and its currency within a text.
var sumInText = regexp.MustCompile(`[-+\x{2212}(]?\s?(?:\p{Sc}|[A-Z]{3}\s)?` +
	`\s?[-+\x{2212}]?\d[\d.,'\x{2019}\s]*\)?(?:\s?\p{Sc}|\s?[A-Z]{2,3}\b)?`)

var dayInText = regexp.MustCompile(`\b(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}|(?:19|20)\d{6})\b`)

// readDays finds the order of day, month and year from all days of the file and parses them.
// Lines without a day become notes.
func (t *table) readDays() error {
	t.findDecimal()
	var days, texts []string
	balanced := 0
	for _, r := range t.rows {
		balanced += min(1, len(t.text(r, runningBalance)))
		if s := t.dayOf(r); s != "" {
			days, texts = append(days, s), append(texts, t.text(r, description))
		}
	}
	if len(days) == 0 {
		return errors.New("the file has no transaction")
	}
	best, err := t.findLayout(days, texts)
	if err != nil {
		return err
	}
	t.layout = best.layout
	var kept []*row
	for _, r := range t.rows {
		s := t.dayOf(r)
		r.day, r.dated = layouts[best.layout].parse(s)
		for _, l := range []int{0, 3, 6} { // not ambiguous
			if !r.dated && (l > 0 || len(s) > 4 && strings.Trim(s[:4], "0123456789") == "") {
				r.day, r.dated = layouts[l].parse(s)
			}
		}
		if !r.dated && (numbersOfDay.MatchString(s) || wordsOfDay.MatchString(s) || strings.HasPrefix(s, "##") ||
			(len(s) == 8 || len(s) == 6) && number(s) > 0) {
			return fmt.Errorf("line %d: the column %s has no valid day in the order %s, as the other lines have",
				r.line, t.label(t.dayColumn()), layouts[best.layout].name)
		}
		switch v := words["status"][plain(t.text(r, posted))]; {
		case v != "" && v != "booked":
			r.section = v
		case t.names == nil && slices.ContainsFunc(r.fields, func(s string) bool { return words["prefix"][plain(s)] == "pending" }):
			r.section = "pending"
		case t.text(r, posted)+t.text(r, runningBalance) == "" && len(t.at[posted]) > 0 && balanced*2 > len(t.rows):
			r.section = "pending" // neither booked nor in the balance
		}
		if r.dated {
			kept = append(kept, r)
		} else {
			t.notes = append(t.notes, r)
		}
	}
	if t.rows = kept; balanced > 2 {
		t.markUnbalanced()
	}
	return nil
}

// markUnbalanced marks the rows after the newest balance as pending, if all rows before it have one.
func (t *table) markUnbalanced() {
	var newest report.Date // with a balance
	for _, r := range t.rows {
		if t.text(r, runningBalance) != "" {
			newest = laterDate(newest, r.day)
		}
	}
	var after []*row
	for _, r := range t.rows {
		if r.day.After(newest.Time) {
			after = append(after, r)
		} else if t.text(r, runningBalance) == "" {
			return
		}
	}
	for _, r := range after {
		r.section = "pending"
	}
}

// findLayout returns how the days are read, by these days of the rows with their texts, and by others of the file.
func (t *table) findLayout(days, texts []string) (fit, error) {
	preferred := monthFirst
	name := headerKey(t.nameOf(slices.Concat(t.at[posted], t.at[transacted]), 0))
	if t.decimal == ',' || name != "" && !strings.Contains(name, "date") && !strings.Contains(name, "post") {
		preferred = dayFirst
	}
	best, others := chooseLayout(days, preferred, len(texts) > 2 && texts[0] != "" && len(slices.Compact(slices.Clone(texts))) == 1)
	if best.read == 0 {
		return best, fmt.Errorf("no day that can be read in the column %s, as 2026-10-31 or 10/31/2026", t.label(t.dayColumn()))
	}
	var more []string // days outside of the column
	for _, line := range t.above {
		more = append(more, dayInText.FindAllString(strings.Join(line, " "), -1)...)
	}
	for _, r := range t.rows {
		more = append(more, t.text(r, transacted))
	}
	for _, s := range more {
		if _, ok := layouts[best.layout].parse(s); !ok {
			for n, other := range others {
				if _, ok := layouts[other.layout].parse(s); ok {
					best, others[n] = other, best
				}
			}
		}
	}
	if best.layout >= sixDigits { // in other orders, the days may lie decades apart
		others = slices.DeleteFunc(others, func(f fit) bool { return f.span > best.span+3650 || f.turns > best.turns+1 })
		if len(others) > 0 {
			return best, fmt.Errorf("the order of day, month and year is unclear: the column %s can be read as %s and as %s",
				t.label(t.dayColumn()), layouts[best.layout].name, layouts[others[0].layout].name)
		}
	}
	how := "days are read as " + layouts[best.layout].name
	for n, other := range others {
		how += fmt.Sprintf("%s %s is possible too", []string{":", ", and"}[min(n, 1)], layouts[other.layout].name)
	}
	if len(others) > 0 {
		how += fmt.Sprintf(" (the days span %s, or else %d)", count(best.span, "day"), others[0].span)
	}
	t.file.note(how)
	return best, nil
}

func (t *table) dayColumn() column {
	if len(t.at[posted]) > 0 {
		return posted
	}
	return transacted
}

// statusOfText matches a status before a description, as in PENDING - SHOP, or after it, as in SHOP (pending).
var statusOfText = regexp.MustCompile(`^[\[(*]*\s*(\pL+)(?:\s*[\])*:|]|\s+-|-\s)|[\[(*]\s*(\pL+)\s*[\])*]$`)

// leftOutAs names the states of transactions that are not booked.
var leftOutAs = []struct{ state, noun string }{{"pending", "pending transaction"}, {"future", "scheduled or announced transaction"},
	{"never", "failed, declined, reversed or canceled transaction"}}

// readStatus sets which rows count: the booked ones. Others are left out, by their status or
// the line above them.
func (t *table) readStatus() error {
	for i := range t.names { // a column without a known name
		states := map[string]int{}
		for _, r := range t.rows {
			states[words["status"][plain(r.cell(i))]]++
		}
		if states["booked"] > 0 && states[""] == 0 && len(states) > 1 && len(t.at[status]) == 0 &&
			!slices.Contains(slices.Concat(t.at[:]...), i) {
			t.at[status] = []int{i}
		}
	}
	at, most, whole := -1, 0, false
	for _, i := range t.at[status] {
		known, filled := 0, 0
		for _, r := range t.rows {
			if r.cell(i) != "" {
				if filled++; lookUp("status", r.fields[i]) != "" {
					known++
				}
			}
		}
		if known == 0 && filled > 0 {
			t.file.note(fmt.Sprintf("the column %q says nothing known about a status", t.names[i]))
		}
		if known > most {
			at, most, whole = i, known, known*2 < filled // whole: a column of other texts too
		}
	}
	for i, name := range t.names { // Pending? with yes and no
		state, says := words["flag"][plain(name)], func(r *row) string { return words["yes"][plain(r.cell(i))] }
		if state == "" || slices.ContainsFunc(t.rows, func(r *row) bool { return says(r) == "" && r.cell(i) != "" }) ||
			!slices.ContainsFunc(t.rows, func(r *row) bool { return says(r) != "" }) {
			continue
		}
		for _, r := range t.rows {
			if (says(r) == "yes") != (state == "booked") {
				r.section = "pending"
			}
		}
	}
	first, counts, unknown := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, r := range t.rows {
		state := cmp.Or(r.section, "booked")
		if at >= 0 && r.cell(at) != "" {
			v := words["status"][plain(r.fields[at])]
			if !whole {
				v = lookUp("status", r.fields[at])
			}
			if state = cmp.Or(v, state); v == "" {
				unknown[r.fields[at]] = true
			}
		}
		for _, i := range t.at[side] {
			word := plain(r.cell(i))
			if v := cmp.Or(words["status"][word], find("typed", word)); v != "" && v != "booked" && words["side"][word] == "" {
				state = v
			}
		}
		if m := statusOfText.FindStringSubmatch(t.text(r, description)); m != nil {
			state = cmp.Or(words["prefix"][plain(m[1]+m[2])], state)
		}
		r.counts = state == "booked"
		if counts[state]++; counts[state] == 1 {
			first[state] = r.line
		}
	}
	for _, s := range leftOutAs {
		if n := counts[s.state]; n > 0 {
			t.file.leaveOut(fmt.Sprintf("%s left out, from line %d on", count(n, s.noun), first[s.state]))
		}
	}
	for word := range unknown {
		if len(unknown) < 10 {
			t.file.note(fmt.Sprintf("the unknown status %q is read as booked", clean(word)))
		}
	}
	return nil
}

var twoDecimals = regexp.MustCompile(`\d[.,]\d\d\b`)

// amounts lists the columns of amounts.
var amounts = []column{amount, moneyOut, moneyIn, fee, runningBalance}

// findDecimal finds the decimal mark of the file: from amounts that show theirs, else from the
// separator and the days.
func (t *table) findDecimal() {
	if len(t.at[runningBalance]) == 0 {
		t.at[runningBalance] = t.at[availableBalance]
	} else {
		t.at[availableBalance] = nil
	}
	votes, dots := map[byte]int{}, 0
	grouped, whole := "", 0 // marks before three digits, and amounts without any
	for _, r := range t.rows {
		for _, c := range amounts {
			if n, ok := parseNumeral(t.text(r, c)); ok {
				mark, ambiguous := n.decimalMark()
				if votes[mark]++; ambiguous {
					grouped += strings.Trim(n.digits, "0123456789")
				} else if mark == 0 {
					whole++
				}
			}
		}
		if s := t.dayOf(r); strings.Count(s, ".") == 2 {
			dots++
		}
	}
	switch point, comma := votes['.'], votes[',']; {
	case point > 0 && comma == 0:
		t.decimal = '.'
	case comma > 0 && point == 0, point+comma == 0 && t.separator == ';' && (dots > 0 || whole > 0 && strings.Trim(grouped, ".") == ""):
		t.decimal = ','
	}
	if at, balance := t.at[amount], t.at[runningBalance]; len(at) > 1 && len(balance) > 0 {
		i := slices.IndexFunc(at, func(i int) bool { return t.explains(i, balance[0]) })
		t.at[amount] = at[max(i, 0):]
	}
	if i := slices.IndexFunc(t.at[currency], func(i int) bool { return len(t.at[amount]) > 0 && i > t.at[amount][0] }); i > 0 {
		t.at[currency] = t.at[currency][i:] // the one of the amount
	}
}

// readFigures parses the amounts of the rows. It refuses amounts of booked rows that it cannot
// read.
func (t *table) readFigures() error {
	t.whole = find("minor", strings.Join(t.names, " ")) == ""
	for _, r := range t.rows {
		for _, c := range amounts {
			s := t.text(r, c)
			if !strings.ContainsAny(s, "0123456789") && !strings.HasPrefix(s, "#") { // ##### and #VALUE! of spreadsheets
				continue
			}
			t.whole = t.whole && !strings.ContainsAny(s, ".,")
			f, ok := parseFigure(s, t.decimal)
			if !ok && r.counts && c != fee {
				return fmt.Errorf("line %d: the column %s has an amount that cannot be read, or could be read in two ways", r.line, t.label(c))
			}
			if name := t.nameOf(t.at[c], 0); !strings.ContainsAny(s, ".,") && find("minor", name) != "" {
				f.cents /= 100
				t.file.note(fmt.Sprintf("the column %q is read as hundredths", name))
			}
			r.has[c], r.value[c] = ok, f.cents
			if c == amount {
				r.marked, r.plus = f.side != 0, f.plus
			}
			r.minus = r.minus || f.minus && (c == amount || c == moneyOut)
			if f.rounded && c != fee {
				t.rounded++
			}
		}
		r.balance, r.balanced = r.value[runningBalance], r.has[runningBalance]
		if at := t.at[side]; len(at) == 2 && t.nameOf(at, 0) == t.nameOf(at, 1) && strings.HasSuffix(lookUp("side", r.cell(at[1])), "out") {
			r.balance = min(r.balance, -r.balance) // the second is the side of the balance
		}
		r.written = r.balance
		if empty := !r.has[amount] && !r.has[moneyOut] && !r.has[moneyIn]; r.counts && (empty || t.onlyBalance(r)) {
			r.counts, r.opening = false, r.balanced
			if empty && !r.balanced {
				t.notes = append(t.notes, r)
			}
		}
	}
	if n := len(t.rows); n > 1 && t.file.cut {
		last, at := t.rows[n-1], len(t.rows[n-1].fields)-1
		ends := func(r *row) bool { // with fewer values than columns, or within an amount
			s := r.cell(at)
			return at+1 < len(t.names) && len(r.fields) <= at+1 || at+1 >= len(t.names) && isNumeral(s) && !twoDecimals.MatchString(s)
		}
		if ends(last) && !slices.ContainsFunc(t.rows[:n-1], ends) {
			return fmt.Errorf("line %d: the file ends within this line", last.line)
		}
	}
	if t.rounded > 0 {
		t.file.note(count(t.rounded, "amount") + " with parts of a cent rounded")
	}
	return nil
}

// accountOnly matches a description that is the number of an account.
var accountOnly = regexp.MustCompile(`^\d[\d ]{7,}[A-Z]?$`)

var notBalance = regexp.MustCompile(`[\d.,/:-]+|\b(?:as of|of|for|on|at|am|vom|al|au|as|the)\b`)

// onlyBalance reports whether a line with a day and an amount states a balance by its
// description, and notes it if no column of balances has it.
func (t *table) onlyBalance(r *row) bool {
	text, _ := t.describe(r)
	label := plain(notBalance.ReplaceAllString(strings.ToLower(text), " "))
	kind := words["balance"][label]
	switch last := r == t.rows[len(t.rows)-1] && t.names == nil; {
	case label == "new balance": // which is also a shop's name
		return false
	case strings.Contains(plain(text), " ") && words["total"][plain(text)] != "", plain(text) == "totals",
		words["total"][strings.Join(slices.DeleteFunc(strings.Fields(label), func(s string) bool {
			return words["month"][s] != ""
		}), " ")] != "" && t.addsUp(r):
		t.file.note(fmt.Sprintf("line %d states a total", r.line))
		return true
	case kind == "" && last && len(t.at[runningBalance]) == 0 && accountOnly.MatchString(text):
		kind = "closing"
	case kind == "":
		return false
	}
	said, _ := t.sideOf(r)
	sum := r.value[amount] + r.value[moneyIn] - r.value[moneyOut]
	if said < 0 {
		sum = -sum
	}
	if !r.balanced {
		t.stated[kind] = statedBalance{cents: sum, day: &r.day}
	}
	t.file.note(fmt.Sprintf("line %d states a balance", r.line))
	return true
}

// addsUp reports whether the amounts of a row are the sums of those before it.
func (t *table) addsUp(r *row) bool {
	rest := r.value
	for _, o := range t.rows[:slices.Index(t.rows, r)] {
		for _, c := range amounts[:3] {
			rest[c] -= o.value[c]
		}
	}
	return r.value != [columns]report.Cents{} && !slices.ContainsFunc(amounts[:3], func(c column) bool { return r.has[c] && rest[c] != 0 })
}

// booked returns the rows that count, and those that only state a balance.
func (t *table) booked() (rows []*row) {
	for _, r := range t.rows {
		if r.counts || r.opening {
			rows = append(rows, r)
		}
	}
	return rows
}

// statedBalance is a balance in a line outside of the table's rows.
type statedBalance struct {
	cents report.Cents
	day   *report.Date
}

// statedAround reads the lines before and after the transactions: balances under their
// names, the account's number and name. It names lines that it cannot use.
func (t *table) statedAround() (balances map[string]statedBalance, number, name string, err error) {
	balances = t.stated
	lines := slices.Clone(t.above)
	for _, r := range t.notes {
		lines = append(lines, r.fields)
		f, ok := parseFigure(t.text(r, runningBalance), t.decimal)
		if ok && labelOf("total", strings.Join(r.fields, " ")) == "" {
			balances["closing"] = statedBalance{cents: f.cents}
		}
		for i, s := range r.fields {
			if f, ok := parseFigure(s, t.decimal); ok && labelOf("balance", t.nameOf([]int{i}, 0)) == "opening" {
				balances["opening"] = statedBalance{cents: f.cents}
			}
		}
	}
	for n, line := range lines {
		for i, cell := range line {
			label, value, colon := strings.Cut(cell, ":")
			if value = strings.TrimSpace(value); value == "" {
				value = strings.Join(slices.DeleteFunc(slices.Clone(line[i+1:]), func(s string) bool { return s == "" }), "\x00")
				value, _, _ = strings.Cut(value, "\x00")
			}
			meaning := meaningOf(label)
			within := labelOf("balance", label) != "" && strings.ContainsAny(label, "0123456789") // the value too
			if value == "" && !within || n+1 < len(lines) && i+1 < len(line) && words["header"][headerKey(value)] != "" {
				if n+1 >= len(lines) || i >= len(lines[n+1]) || len(line) < 2 { // a name above its value
					continue
				}
				value = lines[n+1][i]
			}
			_, isSum := parseFigure(value, t.decimal)
			switch kind := labelOf("balance", label); {
			case kind != "":
				if b, ok := t.statedIn(append([]string{label, value}, line[i+1:]...)); ok && balances[kind] == (statedBalance{}) {
					balances[kind] = b
				}
			case meaning == "number" && strings.ContainsAny(value, "0123456789") && number == "" && (colon || value != ""):
				number = value
			case meaning == "account" && name == "" && !isSum:
				name = value
			}
		}
	}
	return balances, number, name, t.nameNotes()
}

// statedIn returns the first amount of texts and the newest day that they name.
func (t *table) statedIn(texts []string) (b statedBalance, ok bool) {
	for _, s := range texts {
		s = dayInText.ReplaceAllStringFunc(s, func(day string) string {
			for _, l := range []int{t.layout, 0, 3} {
				if d, ok := layouts[l].parse(day); ok && (b.day == nil || d.After(b.day.Time)) {
					b.day = &d
				}
			}
			return ""
		})
		if f, sum := parseFigure(sumInText.FindString(s), t.decimal); sum && !ok {
			b.cents, ok = f.cents, true
		}
	}
	return b, ok
}

// nameNotes names the lines after the header that are no transactions. It refuses a file with
// too many of them.
func (t *table) nameNotes() error {
	var lines [2][]int // without an amount, and with one
	for _, r := range t.notes {
		text, filled := strings.Join(r.fields, " "), slices.DeleteFunc(slices.Clone(r.fields), func(s string) bool { return s == "" })
		with := map[bool]int{true: 1}[slices.ContainsFunc(amounts[:4], func(c column) bool { return isNumeral(t.text(r, c)) })]
		if with == 0 && len(filled) < 2 || labelOf("balance", text) != "" || labelOf("total", text) != "" ||
			words["section"][plain(text)] != "" || ownerIn(r.fields) != "" {
			continue
		}
		lines[with] = append(lines[with], r.line)
	}
	all := slices.Concat(lines[0], lines[1])
	if n := len(all); n > 3 && n*10 > len(t.rows)+n {
		return fmt.Errorf("%d of %d lines have no day or no amount that can be read, the first in line %d", n, len(t.rows)+n, slices.Min(all))
	}
	for n, what := range []string{" without a day and an amount", " with an amount and without a day"} {
		if len(lines[n]) > 0 {
			t.file.leaveOut(fmt.Sprintf("%s%s left out, from line %d on", count(len(lines[n]), "line"), what, slices.Min(lines[n])))
		}
	}
	return nil
}
