package paystub

import (
	"cmp"
	"slices"
	"strings"

	"vestibule/internal/report"
)

// line is an amount of a stub with its label.
type line struct {
	item    item
	in      section
	label   string // in the form that plain returns
	page    int
	y       float64
	amount  [2]report.Cents // current, ytd
	cells   [2]*cell        // nil if not shown
	hours   *cell
	rate    *cell
	group   group
	counted bool // one of the lines that add up to a table's total
	weak    bool // used only if no other line has the item
}

// group identifies the table of a line: the header, and the table and title within it. The
// zero value is no table.
type group struct{ header, title int }

const (
	now    = 0
	toDate = 1
)

// table holds the amounts of a sheet.
type table struct {
	*steps
	headers  []header
	lines    []line
	titled   period            // the last title that names a period, if no table began after it
	vague    bool              // an amount of a table is in none of its columns
	unplaced []area            // amounts of a line, beside one that was read, in none of the columns
	inKind   [2]report.Cents   // taxed but not paid (imputed income)
	aside    [2][]report.Cents // amounts of tables that are neither earnings nor deductions
	allowed  report.Cents      // the period's allowances outside tables
	sent     report.Cents      // the largest payment to one account
}

// amounts reads the amounts of a sheet, from top to bottom.
func (s *sheet) amounts() *table {
	t := &table{steps: s.steps}
	for n := range s.rows {
		heads, rest := s.headers(n)
		for _, h := range heads {
			t.add(h)
		}
		t.row(s, n, rest)
	}
	t.classifyUntitled()
	t.count()
	t.determineTotals()
	t.inferTotals(s)
	return t
}

// add stores a header. A table without a header over its labels begins where a table beside
// it ends.
func (t *table) add(h header) {
	h.n, t.titled = len(t.headers)+1, noPeriod
	for i := len(t.headers) - 1; i >= 0 && t.headers[i].page == h.page && t.headers[i].y-h.y < 40; i-- {
		for _, beside := range t.headers[i].segments {
			if g := &h.segments[0]; g.from < 0 && beside.to-14 < g.columns[0].x0 {
				g.from = max(g.from, beside.to-12)
			}
		}
	}
	t.headers = append(t.headers, h)
}

// columnOf returns the table of a label and its amounts, and the kind of each amount. The
// table is the nearest one above with a column for one of the amounts.
func (t *table) columnOf(label *cell, numbers []*cell) (*header, *segment, []period) {
	kinds := make([]period, len(numbers))
	for i := len(t.headers) - 1; i >= 0; i-- {
		t.spend(1)
		h := &t.headers[i]
		// A table continues on the next page, up to a header there.
		if last := t.headers[len(t.headers)-1].page; h.page != numbers[0].page && (h.page != last || last != numbers[0].page-1) {
			break
		}
		for k := range h.segments {
			g := &h.segments[k]
			// The labels of the first table may begin to the left of its header.
			left := k == 0 && i == len(t.headers)-1 && label != nil && label.x0 < g.from && len(numbers) > 1 &&
				!slices.ContainsFunc(numbers, func(c *cell) bool { return c.money && g.kindOf(c) == noPeriod })
			if label != nil && (label.x0 < g.from && !left || label.x0 > g.columns[len(g.columns)-1].x1) {
				continue
			}
			next := 1e9
			if k+1 < len(h.segments) {
				next = h.segments[k+1].from
			}
			found := false
			t.spend(len(numbers))
			for m, c := range numbers {
				t.spend(len(g.columns))
				kinds[m] = noPeriod
				if c.x0 < next {
					kinds[m] = g.kindOf(c)
				}
				found = found || kinds[m] != noPeriod
			}
			if found {
				return h, g, kinds
			}
		}
	}
	clear(kinds)
	return nil, nil, kinds
}

// heading sets the section of the following lines of a table from a title within it.
func (t *table) heading(c *cell) {
	if p := periodOf(c.words); p == current || p == ytd {
		t.titled = p
	}
	in := headingOf(c.words)
	if in == noSection {
		return
	}
	for i := len(t.headers) - 1; i >= 0; i-- {
		t.spend(1)
		h := &t.headers[i]
		if h.page != c.page {
			return
		}
		for k := range h.segments {
			if g := &h.segments[k]; c.x0 >= g.from && c.x0 < g.columns[len(g.columns)-1].x1 {
				g.in = in
				g.title++
				return
			}
		}
	}
}

// row reads the amounts of a row: a label and the amounts up to the next label.
func (t *table) row(s *sheet, n int, r row) {
	if s.totalsHeader(r) {
		return
	}
	var label, before, total *cell
	var numbers []*cell
	flush := func() {
		switch {
		case label != nil && itemOfAny(label.words):
			total = label
		case label != nil && total != nil && len(numbers) == 1 && numbers[0].money:
			// "Net Pay" or another item, then a period and its amount.
			if p := periodOf(label.words); p == current || p == ytd {
				whole := *label
				whole.words = total.words + " " + map[period]string{current: "current", ytd: "ytd"}[p]
				t.take(s, n, &whole, numbers)
				numbers = nil
				return
			}
		}
		switch {
		case len(numbers) > 0:
			t.take(s, n, label, numbers)
		case label != nil && before == nil && (n == 0 || s.labelAcrossRow(n-1, s.rows[n-1][0]) == nil):
			t.heading(label)
		}
		numbers = nil
	}
	for i, c := range r {
		switch {
		case c.number, c.words == "" && c.text != "" && label != nil: // a dash, or unknown letters, in place of an amount
			numbers = append(numbers, c)
		case c.words == "":
		default:
			if len(numbers) > 0 || label == nil || !t.between(label, c) {
				flush()
				if before = nil; len(numbers) == 0 && label != nil && i > 0 && !r[i-1].number {
					before = nil
				}
				label = c
			}
			if head, amount, ok := split(c); i+1 < len(r) && r[i+1].number &&
				!(ok && (periodOf(head.words) == current || periodOf(head.words) == ytd || t.inColumns(head, amount, r[i+1]))) {
				continue // the amount is in the next cell
			}
			if head, rest, ok := split(c); ok { // a label and its amount in one piece
				label, numbers = head, []*cell{rest}
			}
		}
	}
	flush()
}

// inColumns reports whether a table has the period's amount in one cell and the year's in the other.
func (t *table) inColumns(label *cell, amounts ...*cell) bool {
	_, _, kinds := t.columnOf(label, amounts)
	return slices.Contains(kinds, current) && slices.Contains(kinds, ytd)
}

// between reports whether a text is in a column of the label's table, such as a date or the
// name of an account.
func (t *table) between(label, c *cell) bool {
	if known := itemOfAny(label.words); !known && (itemOfAny(c.words) || isCode(label.words)) {
		return false
	}
	for i := len(t.headers) - 1; i >= 0; i-- {
		t.spend(1)
		h := &t.headers[i]
		if h.page != c.page {
			return false
		}
		for k := range h.segments {
			g := &h.segments[k]
			last := g.columns[len(g.columns)-1]
			if label.x0 < g.from || label.x0 > last.x1 {
				continue
			}
			next := 1e9
			if k+1 < len(h.segments) {
				next = h.segments[k+1].from
			}
			if g.names.x1 > 0 && label.x1 < g.names.x0 && c.x1 > g.names.x0-2 && c.x0 < g.names.x1 {
				return false // this column has the descriptions of lines
			}
			return c.x0 < last.x0 && c.x0 < next && label.x0 < c.x0 && last.kind != noPeriod
		}
	}
	return false
}

// isCode reports whether a word is the code of an item whose name is beside it.
func isCode(words string) bool {
	return len(words) <= 5 && strings.ContainsAny(words, "0123456789") && !strings.Contains(words, " ") &&
		!strings.HasPrefix(words, "40") && words != "457" && words != "125"
}

// itemOfAny reports whether a label is for any item.
func itemOfAny(words string) bool {
	i, _ := itemOf(words, noSection)
	return i != noItem
}

// split splits a cell such as "Net Pay: $1,234.56" into the label and the amount.
func split(c *cell) (label, amount *cell, ok bool) {
	for i := len(c.text) - 1; i > 0; i-- {
		if c.text[i] != ' ' && c.text[i] != ':' && c.text[i] != '$' {
			continue
		}
		v, is := money(c.text[i+1:])
		if strings.HasPrefix(c.text, "(") && !is { // "(YTD 12.00)"
			v, is = money(strings.TrimSuffix(c.text[i+1:], ")"))
		}
		if !is {
			return nil, nil, false
		}
		a, b := *c, *c
		a.text = c.text[:i]
		if at := strings.Index(a.text, ": "); at > 0 && strings.Trim(a.text[at:], " :$") != "" {
			a.text = strings.TrimSpace(a.text[at+1:]) // "Remarks: YTD Gross 12.00"
		}
		a.words = plain(a.text)
		b.text, b.words, b.amount, b.money, b.number = c.text[i+1:], "", v, true, true
		b.x0 = c.x0 + (c.x1-c.x0)*float64(i+1)/float64(len(c.text))
		return &a, &b, a.words != ""
	}
	return nil, nil, false
}

// take reads a label and its amounts, including layouts where the label is not simply to the
// left of the amounts.
func (t *table) take(s *sheet, n int, label *cell, numbers []*cell) {
	if label != nil {
		if p := periodOf(label.words); (p == current || p == ytd) && !isTotalOf(label.words) { // "YTD Gross" has its own item
			_ = p == ytd && t.readYearToDateBelow(numbers) || t.readPeriodRow(s, n, p, numbers) || t.indented(s, n, p, label, numbers)
			return
		}
	}
	if (label == nil || s.underWords(n, numbers)) && t.allBelow(s, n, numbers) {
		return
	}
	if label == nil {
		label = s.labelAcrossRow(n, numbers[0])
	}
	if label != nil && !itemOfAny(label.words) {
		if words := s.wrapped(n, label, numbers[0]); words != "" {
			whole := *label
			whole.words, label = words, &whole
		}
	}
	if !t.takeLine(label, numbers) && label != nil {
		t.allBelow(s, n, numbers)
	}
}

// takeLine reads a line with the label to the left, and reports whether it was understood.
func (t *table) takeLine(label *cell, numbers []*cell) bool {
	l := line{page: numbers[0].page, y: numbers[0].y}
	if label != nil {
		l.label, l.y = label.words, label.y
		if at := strings.IndexByte(label.text, '('); at > 0 && strings.ContainsAny(label.text[at:], "0123456789") &&
			strings.Contains(label.text[at:], "hrs") {
			l.label = plain(label.text[:at]) // "PTO (6 hrs x $16.50)"
		}
	}
	h, g, kinds := t.columnOf(label, numbers)
	if i := slices.IndexFunc(numbers, func(c *cell) bool { return c.money }); i >= 0 && kinds[i] != ytd &&
		containsAny(l.label, wordList("account")) && (g == nil || g.in == elsewhere) {
		t.sent = max(t.sent, numbers[i].amount)
	}
	if g != nil {
		l.in, l.group, l.counted = g.in, group{h.n, g.n<<8 + g.title}, true
	}
	var of period
	year := t.titled == ytd && g != nil && !g.has(ytd) // the table is repeated for the year
	if year && l.in != elsewhere {
		l.in, l.group.title = noSection, l.group.title|128
	}
	if l.item, of = itemOf(l.label, l.in); of == noPeriod && (year || g != nil && g.has(ytd) && !g.has(current)) {
		of = ytd
	}
	if g != nil && l.item == net && !slices.Contains(kinds, current) && !slices.Contains(kinds, ytd) {
		g, l.in, l.group, l.counted = nil, noSection, group{}, false
	}
	if g != nil && l.in == elsewhere {
		if l.item != net {
			t.addInKind(l, numbers, kinds)
			t.keepOtherAmounts(numbers, kinds)
			return true
		}
		l.weak, l.counted = true, false
	}
	if g == nil {
		return label != nil && t.loose(l, of, numbers)
	}
	if label == nil && len(numbers) < 2 {
		return false
	}
	if g.net && l.item == noItem {
		l.item, l.in, l.counted, l.weak = net, noSection, false, true
	}
	t.inOrder(g, numbers, kinds)
	if len(numbers) == 2 && l.item != noItem && of == noPeriod && numbers[0].money && numbers[1].money {
		g.placeTotals(l.item, kinds)
	}
	t.vague = t.vague || l.in != elsewhere && slices.ContainsFunc(numbers, func(c *cell) bool { return c.money }) &&
		slices.Contains(kinds, noPeriod)
	l.setAll(of, numbers, kinds)
	for i, c := range numbers {
		if c.money && kinds[i] == noPeriod && l.item != noItem && l.in != elsewhere && (l.cells[now] != nil && l.cells[now] != c &&
			l.cells[toDate] == nil && c.amount >= l.amount[now] || l.cells[now] == nil && l.cells[toDate] != nil && c.amount != 0) {
			t.unplaced = append(t.unplaced, c.area())
		}
	}
	if l.cells[now] == nil && l.cells[toDate] == nil {
		return l.hours != nil
	}
	t.lines = append(t.lines, l)
	return true
}

// placeTotals corrects the kinds of a total's two amounts, of which one may be outside its
// column.
func (g *segment) placeTotals(total item, kinds []period) {
	for i := range kinds {
		if kinds[i] == noPeriod && (kinds[1-i] == current || kinds[1-i] == ytd) {
			kinds[i] = current + ytd - kinds[1-i]
		}
	}
	if total <= totalDeductions && kinds[0] == ytd && kinds[1] == current && g.nowFirst() {
		kinds[0], kinds[1] = current, ytd // both amounts are to the left of their columns
	}
}

// setAll sets the amounts, the hours and the rate of a line from its numbers.
func (l *line) setAll(of period, numbers []*cell, kinds []period) {
	for i, c := range numbers {
		switch {
		case c.money && len(numbers) == 1 && (l.item >= gross && l.item <= totalDeductions || of == ytd && l.item != noItem):
			l.set(max(of, current), c) // a single total may be anywhere
		case kinds[i] == notMoney && l.hours == nil:
			l.hours = c
		case kinds[i] == rated && l.rate == nil:
			l.rate = c
		case c.money && kinds[i] == current && of == ytd && len(numbers) == 1:
			l.set(ytd, c)
		case c.money:
			l.set(kinds[i], c)
		}
	}
}

// inOrder corrects the kinds of a line's two amounts if both are offset from their columns,
// as in deductions that are further to the right than the earnings above them. A later line
// with a single amount is corrected if its amount is where the first of the two was.
func (t *table) inOrder(g *segment, numbers []*cell, kinds []period) {
	if g.has(ytd) && !g.nowFirst() {
		return
	}
	var at []int
	for i, c := range numbers {
		if c.money && (g.has(ytd) || kinds[i] == current || kinds[i] == noPeriod) {
			at = append(at, i)
		}
	}
	switch {
	case len(at) == 1 && g.moved != 0 && abs(numbers[at[0]].x1-g.moved) < 6:
		kinds[at[0]] = current
	case len(at) == 2 && kinds[at[0]] == current && kinds[at[1]] == noPeriod && !g.has(ytd) && numbers[at[1]].amount >= numbers[at[0]].amount:
		kinds[at[1]], t.vague = ytd, true // a column without a header
	case len(at) == 2 && kinds[at[0]] == kinds[at[1]] && (kinds[at[0]] == ytd || kinds[at[0]] == current),
		len(at) == 2 && kinds[at[0]] == ytd && kinds[at[1]] == noPeriod:
		if kinds[at[0]] == ytd {
			g.moved = numbers[at[0]].x1
		}
		kinds[at[0]], kinds[at[1]] = current, ytd
	}
}

// nowFirst reports whether a table has the period's amounts to the left of the year's.
func (g *segment) nowFirst() bool {
	of := func(p period) int { return slices.IndexFunc(g.columns, func(c column) bool { return c.kind == p }) }
	return of(current) >= 0 && of(current) < of(ytd)
}

// has reports whether a table has a column of a kind.
func (g *segment) has(p period) bool {
	return slices.ContainsFunc(g.columns, func(c column) bool { return c.kind == p })
}

// addInKind adds an amount that is taxed but not paid, such as life insurance or a car.
func (t *table) addInKind(l line, numbers []*cell, kinds []period) {
	if !containsAny(l.label, wordList("in kind")) && !contains(l.label, "life") && !contains(l.label, "auto") ||
		strings.Contains(l.label, "wages") || strings.Contains(l.label, "gross") {
		return
	}
	for i, c := range numbers {
		if c.money && kinds[i] == current {
			t.inKind[now] += max(0, c.amount)
		} else if c.money && kinds[i] == ytd {
			t.inKind[toDate] += max(0, c.amount)
		}
	}
}

// loose reads a line without a header above it: a single amount, a total with two amounts,
// or hours, a rate and an amount.
func (t *table) loose(l line, of period, numbers []*cell) bool {
	if i := slices.IndexFunc(numbers, func(c *cell) bool { return c.money }); i >= 0 && containsAny(l.label, wordList("untaxed")) {
		t.allowed += max(0, numbers[i].amount)
	}
	l.weak = l.item < gross || l.item > totalDeductions
	if l.item == noItem || l.weak && unfit(l.label) {
		return false
	}
	var amounts []*cell
	for _, c := range numbers {
		if c.money {
			amounts = append(amounts, c)
		}
	}
	if of == noPeriod && len(numbers) >= 3 { // hours, a rate and their product
		for i := range len(numbers) - 2 {
			l.hours, l.rate = numbers[i], numbers[i+1]
			if l.set(current, numbers[i+2]); numbers[i+2].money && l.product() && l.amount[now] != 0 {
				if i+3 < len(numbers) && numbers[len(numbers)-1].money && numbers[len(numbers)-1].amount >= l.amount[now] {
					l.set(ytd, numbers[len(numbers)-1])
				}
				t.lines = append(t.lines, l)
				return true
			}
			l.hours, l.rate, l.cells, l.amount = nil, nil, [2]*cell{}, [2]report.Cents{}
		}
	}
	switch {
	case len(amounts) == 1:
		l.set(cmp.Or(of, t.titled, current), amounts[0])
	case len(amounts) == 2 && of == noPeriod && amounts[0].amount <= amounts[1].amount:
		l.set(current, amounts[0])
		l.set(ytd, amounts[1])
	default:
		return false
	}
	t.lines = append(t.lines, l)
	return true
}

// unfit reports whether a label is for something other than an amount that was paid or
// deducted, such as a rate or a balance.
func unfit(words string) bool {
	if strings.HasSuffix(words, "hours") || strings.HasSuffix(words, "hrs") {
		return true
	}
	return containsAny(words, wordList("not an amount"))
}

func (l *line) set(p period, c *cell) {
	k := now
	if p == ytd {
		k = toDate
	} else if p != current {
		return
	}
	if l.cells[k] == nil {
		l.cells[k], l.amount[k] = c, c.amount
	}
}

// readBelowLabel reads an amount whose label is above it, and reports whether there is one.
func (t *table) readBelowLabel(s *sheet, n int, c *cell) bool {
	i, of := t.itemAbove(s, n, c, 2)
	if i != noItem {
		l := line{item: i, page: c.page, y: c.y, weak: i < gross || i > totalDeductions}
		l.set(max(of, current), c)
		t.lines = append(t.lines, l)
	}
	return i != noItem
}

func abs(f float64) float64 { return max(f, -f) }
