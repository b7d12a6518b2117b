package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// nameColumns sets t.at by a header row. It returns how many columns it knows, or 0 if the
// row lacks a required one or has values.
func (t *table) nameColumns(names []string) (known int) {
	t.at = [columns][]int{}
	for i, name := range names {
		meaning := meaningOf(name)
		if meaning == "" {
			if isDay(name) {
				return 0
			}
			continue
		}
		c := column(slices.Index(columnNames[:], meaning))
		t.at[c] = append(t.at[c], i)
		known++
	}
	day := len(t.at[posted])+len(t.at[transacted]) > 0
	sum := len(t.at[amount])+len(t.at[gross]) > 0 || len(t.at[moneyOut]) > 0 && len(t.at[moneyIn]) > 0
	if day != sum { // the one that misses may have a longer name
		wanted, at := transacted, []int(nil)
		if day {
			wanted = amount
		}
		for i, name := range names {
			if m := meaningOf(name); (m == "" || m == "other" && wanted == transacted) && find("likely", name) == columnNames[wanted] {
				at = append(at, i)
			}
		}
		if len(at) == 1 || len(at) > 1 && wanted == transacted {
			t.at[wanted], day, sum = at[:1], true, true
		}
	}
	if !day || !sum {
		return 0
	}
	if len(t.at[amount]) == 0 {
		t.at[amount] = t.at[gross]
	}
	if i := slices.IndexFunc(t.at[amount], func(i int) bool { return find("own", names[i]) != "" }); i >= 0 {
		if t.at[amount] = t.at[amount][i:]; find("own", names[t.at[amount][0]]) == "net" { // after fees
			t.at[fee] = nil
		}
	}
	return known
}

// errNoNames is returned for a table whose columns neither names nor values tell.
var errNoNames = errors.New("no line names the columns: a day (Date), a Description, and an Amount or Debit and Credit are needed")

// withoutNames sets t.at for a file whose columns are not named, or in no known words, by
// their values: the first days, amounts and texts. Two columns of amounts must be an amount
// and the balance after it, or debits and credits.
func (t *table) withoutNames() error {
	for n, r := range t.rows[:min(len(t.rows), 100)] {
		named := table{names: r.fields}
		for _, s := range signatures {
			if leftKinds[s.kind] && named.signed(s, nil) {
				t.file.leaveOut(fmt.Sprintf("%s left out with %s: %s", s.kind, count(len(t.rows)-n-1, "line"), onlyAccounts))
				return nil
			}
		}
	}
	isDay := isDay
	begins := func(r *row) bool {
		return slices.ContainsFunc(r.fields, isDay) && slices.ContainsFunc(r.fields, isNumeral) &&
			slices.ContainsFunc(r.fields, func(s string) bool { return !isDay(s) && strings.ContainsFunc(s, unicode.IsLetter) })
	}
	first := slices.IndexFunc(t.rows, begins)
	if first < 0 {
		isDay = isSixDigits
		first = slices.IndexFunc(t.rows, begins)
	}
	if first < 0 {
		return errNoNames
	}
	if first > 0 && len(t.rows[first-1].fields) == len(t.rows[first].fields) {
		t.names = t.rows[first-1].fields
	}
	for _, r := range t.rows[:first] {
		t.above = append(t.above, r.fields)
	}
	if t.rows = t.rows[first:]; t.statesAccount() {
		t.labelSums(t.rows[0].fields)
		t.file.note(fmt.Sprintf("line %d states the account", t.rows[0].line))
		t.above, t.rows = append(t.above, t.rows[0].fields), t.rows[1:]
	}
	t.nameColumns(t.names)
	for _, c := range append(amounts, side) {
		if c != side || isNumeral(t.text(t.rows[0], side)) {
			t.at[c] = nil
		}
	}
	sums := t.byValues(isDay)
	if len(t.at[posted])+len(t.at[transacted]) == 0 || len(t.rows[0].fields) < 3 || !t.placeSums(sums) || len(t.at[description]) == 0 {
		return errNoNames
	}
	slices.Reverse(t.at[description]) // of several with as many letters, the last
	slices.SortStableFunc(t.at[description], func(a, b int) int { return t.letters(b) - t.letters(a) })
	if t.names != nil || len(t.at[runningBalance])+len(t.at[moneyOut]) > 0 {
		t.file.note("columns without known names: read by their values")
	}
	return nil
}

// labelSums adds the last amounts of a line that states the account to the lines above the table,
// with labels: the closing balance, and the opening one before it.
func (t *table) labelSums(line []string) {
	sums := slices.DeleteFunc(slices.Clone(line), func(s string) bool { return isDay(s) || !twoDecimals.MatchString(s) || !isNumeral(s) })
	for n, s := range sums[max(0, len(sums)-2):] {
		label := []string{"Closing balance", "Opening balance"}[min(len(sums), 2)-n-1]
		t.above = append(t.above, slices.Concat([]string{label, s}, line))
	}
}

// withoutWords reports whether a line has a day and otherwise only days, amounts and numbers of accounts.
func withoutWords(line []string) bool {
	return slices.ContainsFunc(line, isDay) && !slices.ContainsFunc(line, func(s string) bool {
		return s != "" && !isDay(s) && !isNumeral(s) && (!strings.ContainsAny(s, "0123456789") || inLowerCase.MatchString(s))
	})
}

// byValues sets the meanings of the columns that have no known name by their values, but for the columns
// of amounts, which it returns.
func (t *table) byValues(isDay func(string) bool) (sums []int) {
	known := slices.Concat(t.at[:]...)
	for i := range t.rows[0].fields {
		days, numerals, cents, texts, statuses, sides, filled := 0, 0, 0, 0, 0, 0, 0
		for _, r := range t.rows {
			s := r.cell(i)
			if s == "" || slices.Contains(known, i) {
				continue
			}
			filled++
			if isDay(s) {
				days++
			} else if n, ok := parseNumeral(s); ok {
				numerals++
				if n.negative || strings.ContainsAny(n.digits, ".,") {
					cents++
				}
			} else if words["status"][plain(s)] != "" {
				statuses++
			} else if strings.ContainsFunc(s, unicode.IsLetter) {
				texts++
			}
			if v := words["side"][plain(s)]; v == "in" || v == "out" {
				sides++
			}
		}
		switch {
		case filled == 0:
		case days*10 >= len(t.rows)*9 && len(t.at[posted])+len(t.at[transacted]) == 0:
			t.at[posted] = []int{i}
		case numerals == filled && cents > 0:
			sums = append(sums, i)
		case sides == filled && texts+statuses == filled && len(t.at[side]) == 0:
			t.at[side] = []int{i}
		case statuses == filled:
			t.at[status] = []int{i}
		case texts*2 > filled:
			t.at[description] = append(t.at[description], i)
		}
	}
	return sums
}

// statesAccount reports whether the first line states the account, as no other does: it has no
// day where all others have one, or one with the year at the other end.
func (t *table) statesAccount() bool {
	form := func(r *row, i int) string {
		_, yearFirst := layouts[0].parse(r.cell(i))
		return fmt.Sprint(isDay(r.cell(i)), yearFirst)
	}
	for i, s := range t.rows[0].fields {
		if len(t.rows) < 3 || words["status"][plain(s)] != "" {
			return false
		}
		if others := form(t.rows[1], i); isDay(t.rows[1].cell(i)) && form(t.rows[0], i) != others &&
			!slices.ContainsFunc(t.rows[1:], func(r *row) bool { return form(r, i) != others }) {
			return true
		}
	}
	return false
}

// explains reports whether the size of each step of a column of balances is that of the amount
// in the line before the step, or in the line after it.
func (t *table) explains(amount, balance int) bool {
	return slices.ContainsFunc([]int{0, 1}, func(offset int) bool {
		for n := range len(t.rows) - 1 {
			from, isFrom := parseFigure(t.rows[n].cell(balance), t.decimal)
			to, isTo := parseFigure(t.rows[n+1].cell(balance), t.decimal)
			sum, isSum := parseFigure(t.rows[n+offset].cell(amount), t.decimal)
			if step := to.cents - from.cents; !isFrom || !isTo || !isSum || step != sum.cents && step != -sum.cents {
				return false
			}
		}
		return len(t.rows) > 2
	})
}

// placeSums sets which columns of amounts are the amount, money out and in, and the balance. It
// reports whether their values tell.
func (t *table) placeSums(sums []int) bool {
	apart := len(sums) > 1 && !slices.ContainsFunc(t.rows, func(r *row) bool { return r.cell(sums[0]) != "" && r.cell(sums[1]) != "" })
	switch {
	case apart && len(sums) < 4:
		t.at[moneyOut], t.at[moneyIn], t.at[runningBalance] = sums[:1], sums[1:2], sums[2:]
	case len(sums) == 1 || len(sums) == 2:
		t.at[amount], t.at[runningBalance] = sums[:1], sums[1:]
		if t.findDecimal(); len(sums) == 2 && !t.explains(sums[0], sums[1]) && t.explains(sums[1], sums[0]) {
			t.at[amount], t.at[runningBalance] = sums[1:], sums[:1]
		}
	case len(sums) == 3 && t.explains(sums[2], sums[1]) && !t.explains(sums[1], sums[2]): // the first is the balance before
		t.at[runningBalance], t.at[amount] = sums[1:2], sums[2:]
	default:
		return false
	}
	return true
}

// mendRows joins the parts of a value that a separator without quotes divides, if only one
// way gives a day and an amount.
func (t *table) mendRows() error {
	width := cmp.Or(len(t.names), len(t.rows[0].fields))
	texts := slices.Concat(t.at[description], t.at[memo], t.at[accountName], t.at[unused])
	for n := 0; n+1 < len(t.rows); n++ {
		a, b := t.rows[n], t.rows[n+1]
		if last := len(a.fields) - 1; len(a.fields) > 1 && len(b.fields) > 1 && last+len(b.fields) == width {
			whole := slices.Concat(a.fields[:last], []string{a.fields[last] + " " + b.fields[0]}, b.fields[1:])
			if _, ok := t.fits(whole); ok && slices.Contains(texts, last) {
				a.fields, t.rows = whole, slices.Delete(t.rows, n+1, n+2)
				t.file.note(fmt.Sprintf("line %d: a value with a line break and without quotes is joined", a.line))
			}
		}
	}
	var joined []int
	for _, r := range t.rows {
		for len(r.fields) > width && r.fields[len(r.fields)-1] == "" {
			r.fields = r.fields[:len(r.fields)-1]
		}
		if r.loose {
			t.file.note(fmt.Sprintf("line %d: a stray quote is read as part of the text", r.line))
		}
		extra := len(r.fields) - width
		for _, i := range t.sums() { // 1 and 850.00, in a column that is no amount
			if next := r.cell(i + 1); extra <= 0 && !slices.Contains(t.sums(), i+1) && twoDecimals.MatchString(next) &&
				!strings.Contains(r.cell(i), ",") && groupedDigits.MatchString(r.cell(i)+","+next) {
				return fmt.Errorf("line %d: an amount is divided at its comma: put amounts with a comma in quotes", r.line)
			}
		}
		if extra <= 0 {
			continue
		}
		found := map[string][]string{} // by day and amounts
		if extra < 8 {
			t.joinings(r.fields, 0, width, texts, found)
		}
		_, fits := t.fits(r.fields)
		switch {
		case len(found) == 0 && fits && !slices.ContainsFunc(r.fields[width:], isNumeral): // more than the columns with names
		case len(found) == 1:
			for _, fields := range found {
				r.fields = fields
			}
			joined = append(joined, r.line)
		case r.loose || slices.ContainsFunc(r.fields, isNumeral):
			return fmt.Errorf("line %d has %d values for %d columns: put the value that contains the separator in quotes",
				r.line, width+extra, width)
		}
	}
	if n := len(joined); n > 0 {
		t.file.note(fmt.Sprintf("%s with a separator in a value without quotes: its parts are joined, from line %d on",
			count(n, "line"), joined[0]))
	}
	return nil
}

// joinings finds the ways to join fields to width values from column i on: texts with any others that
// are no numerals, and amounts with groups of their digits.
func (t *table) joinings(fields []string, i, width int, texts []int, found map[string][]string) {
	if t.tried++; len(fields) == width {
		if key, ok := t.fits(fields); ok && found[key] == nil {
			found[key] = fields
		}
		return
	}
	for ; i < width && t.tried < 1<<18; i++ {
		for n := 1; n <= len(fields)-width; n++ {
			parts, mark := fields[i:i+n+1], ", "
			switch {
			case slices.Contains(texts, i) && parts[0] != "" &&
				!slices.ContainsFunc(parts, func(s string) bool { return isNumeral(strings.Trim(s, "()")) }):
			case slices.Contains(t.sums(), i) && groupedDigits.MatchString(strings.Join(parts, ",")):
				mark = ","
			default:
				continue
			}
			t.joinings(slices.Concat(fields[:i], []string{strings.Join(parts, mark)}, fields[i+n+1:]), i+1, width, texts, found)
		}
	}
}

// groupedDigits matches an amount with commas between groups of its digits.
var groupedDigits = regexp.MustCompile(`^[-+(]*\s?\p{Sc}?\s?-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:\)|\s?\pL*)$`)

// sums lists the columns of amounts.
func (t *table) sums() []int {
	return slices.Concat(t.at[amount], t.at[moneyOut], t.at[moneyIn], t.at[runningBalance], t.at[availableBalance])
}

func isDay(s string) bool {
	_, ok := anyDay(s)
	return ok
}

func isSixDigits(s string) bool {
	return slices.ContainsFunc(layouts[sixDigits:], func(l layout) bool { _, ok := l.parse(s); return ok })
}

func isNumeral(s string) bool {
	_, ok := parseNumeral(s)
	return ok
}

// fits reports whether a row has a day and amounts where they must be, and returns them.
func (t *table) fits(fields []string) (key string, ok bool) {
	r := &row{fields: fields}
	sums := 0
	for _, c := range []column{posted, transacted, amount, moneyOut, moneyIn, runningBalance} {
		s := t.text(r, c)
		if s != "" && (c <= transacted && !isDay(s) || c > transacted && !isNumeral(s)) {
			return "", false
		}
		if s != "" && c >= amount && c <= moneyIn {
			sums++
		}
		key += s + "\x00"
	}
	return key, sums > 0 && (len(t.at[moneyOut]) == 0 || sums == 1)
}

// dropRepeated drops lines that an earlier part of the file has: parts begin with a line of
// the columns' names, or with the first lines again, and may overlap as several files may.
func (t *table) dropRepeated() error {
	same := func(a, b *row) bool { return slices.Equal(a.fields, b.fields) }
	if half := len(t.rows) / 2; half > 2 && slices.EqualFunc(t.rows[:half], t.rows[half:], same) && !same(t.rows[0], t.rows[1]) {
		for _, r := range t.rows[half:] {
			r.segment++
		}
	}
	seen, kept := overlap{}, t.rows[:0:0]
	for rest := t.rows; len(rest) > 0; {
		var keys []string
		for len(keys) < len(rest) && rest[len(keys)].segment == rest[0].segment {
			keys = append(keys, rest[len(keys)].owner+"\x00"+strings.Join(rest[len(keys)].fields, "\x00"))
		}
		for i, fresh := range seen.add(keys) {
			if fresh {
				kept = append(kept, rest[i])
			}
		}
		rest = rest[len(keys):]
	}
	if dropped := len(t.rows) - len(kept); dropped > 0 {
		t.file.note(fmt.Sprintf("%s counted once that several parts of the file have", count(dropped, "line")))
	}
	t.rows = kept
	return nil
}

// letters returns how much a column looks like descriptions: its letters, more if its values
// differ.
func (t *table) letters(i int) int {
	letters, different := 0, map[string]bool{}
	for _, r := range t.rows {
		if s := r.cell(i); r.counts || !r.dated {
			different[s] = true
			for _, c := range s {
				if unicode.IsLetter(c) {
					letters++
				}
			}
		}
	}
	if letters <= 2*len(different) {
		return 0
	}
	return letters * min(len(different), 3)
}

// readTexts finds the columns of descriptions that no name tells: the two with most letters, if
// none is known, and those with more letters than the known one. It finds the column of
// currencies by its values, too.
func (t *table) readTexts() error {
	for range 2 {
		if slices.ContainsFunc(t.rows, func(r *row) bool { return r.counts && t.text(r, description) != "" }) {
			break
		}
		t.at[description], t.at[memo] = t.at[memo], nil
	}
	known, named := slices.Concat(t.at[:]...), len(t.at[description]) > 0
	letters := make([]int, max(len(t.names), len(t.rows[0].fields)))
	for i := range letters {
		letters[i] = t.letters(i)
	}
	var found []int
	for i := range letters {
		typed := slices.Contains(t.at[side], i)
		codes, sides, longer := 0, 0, 0
		for _, r := range t.rows {
			s := r.cell(i)
			if len(s) == 3 && currencyInText.MatchString(s) {
				codes++
			}
			if typed && lookUp("side", s) != "" {
				sides++
			}
			if named && !slices.Contains(known, i) && strings.HasPrefix(s, r.cell(t.at[description][0])) {
				longer++
			}
		}
		more := !named || letters[i] > letters[t.at[description][0]]
		switch {
		case codes == len(t.rows) && len(t.at[currency]) == 0 && find("other", t.nameOf([]int{i}, 0)) == "":
			t.at[currency] = []int{i}
			t.at[description] = slices.DeleteFunc(t.at[description], func(k int) bool { return k == i })
		case typed && sides == 0 && more, !slices.Contains(known, i) && letters[i] > 0 && (!named || longer > 0 && more):
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return letters[b] - letters[a] })
	for _, i := range found[:min(2, len(found))] {
		t.at[description] = append(t.at[description], i)
		t.file.note(fmt.Sprintf("descriptions are from the column %q", t.nameOf([]int{i}, 0)))
	}
	if len(t.at[description])+len(t.at[side]) == 0 && slices.ContainsFunc(t.rows, func(r *row) bool { return r.counts }) {
		t.file.leaveOut("descriptions left out: no column has them")
	}
	return nil
}

// describe returns the description of a row, and its other texts as the memo.
func (t *table) describe(r *row) (text, more string) {
	for _, i := range slices.Concat(t.at[description], t.at[memo]) {
		switch {
		case r.cell(i) == "":
		case text == "":
			text = r.fields[i]
		case !strings.Contains(text, r.fields[i]) && !strings.Contains(more, r.fields[i]):
			more = clean(more + " " + r.fields[i])
		}
	}
	return cmp.Or(text, t.text(r, side), "Transaction"), more
}

// nameOf returns the name of one of a meaning's columns, or empty.
func (t *table) nameOf(at []int, n int) string {
	if n < len(at) && at[n] < len(t.names) {
		return t.names[at[n]]
	}
	return ""
}
