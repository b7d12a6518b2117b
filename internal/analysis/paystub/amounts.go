package paystub

import (
	"vestibule/internal/report"
)

// line is an amount of a stub with what it is for.
type line struct {
	item    item
	in      section
	label   string // as plain gives it
	page    int
	y       float64
	amount  [2]report.Cents // current, ytd
	cells   [2]*cell        // nil: not shown
	hours   *cell
	rate    *cell
	group   group
	counted bool // one of a table's lines, which add up to its total
}

// group is the table that a line is in: below which header and which of its
// titles. The zero is none.
type group struct{ header, title int }

const (
	now    = 0
	toDate = 1
)

// header is a row that says what stands in the columns below.
type header struct {
	page  int
	y     float64
	cells []*cell
	kind  []period
	title []heading
	n     int // of the headers, from 1 on
}

// heading is the title of a table in its header.
type heading struct {
	x  float64
	in section
}

// table reads the amounts of a sheet.
type table struct {
	*steps
	headers []header
	lines   []line
}

// read goes through the rows from top to bottom.
func (s *sheet) amounts() *table {
	t := &table{steps: s.steps}
	for n, r := range s.rows {
		if h, ok := headerOf(r); ok {
			h.n = len(t.headers) + 1
			t.headers = append(t.headers, h)
			continue
		}
		t.row(s, n)
	}
	t.count()
	return t
}

// headerOf reads a row that has the words of columns and no amounts.
func headerOf(r row) (h header, ok bool) {
	h = header{page: r[0].page, y: r.y()}
	others := 0
	for _, c := range r {
		if c.money {
			return h, false
		}
		k := periodOf(c.words)
		if in := sectionOf(c.words); k == noPeriod && others > 0 && !ok && (in == earnings || in == deductions) {
			// Behind hours and rates, this is what they come to.
			k = current
			if len(h.title) == 0 {
				h.title = append(h.title, heading{r[0].x0, in})
			}
		}
		if k != noPeriod {
			h.cells, h.kind = append(h.cells, c), append(h.kind, k)
			if ok = ok || k == current || k == ytd; k == notMoney {
				others++
			}
		} else if in := sectionOf(c.words); in != noSection {
			h.title = append(h.title, heading{c.x0, in})
		}
	}
	return h, ok && (len(h.cells) > 1 || len(h.title) > 0) || others > 1
}

// column is what a cell's column is of, by the nearest header above that has one
// where the cell stands.
func (t *table) column(c *cell) (period, *header) {
	for i := len(t.headers) - 1; i >= 0; i-- {
		h := &t.headers[i]
		if h.page != c.page {
			return noPeriod, nil
		}
		t.spend(len(h.cells))
		best, at := 14.0, -1
		for k, head := range h.cells {
			d := min(abs(head.x1-c.x1), abs(head.x0-c.x0), abs(head.x0+head.x1-c.x0-c.x1)/2)
			if d < best {
				best, at = d, k
			}
		}
		if at < 0 { // wide columns, where letters at least stand below one another
			for k, head := range h.cells {
				if min(head.x1, c.x1)-max(head.x0, c.x0) > 0 {
					at = k
				}
			}
		}
		if at >= 0 {
			return h.kind[at], h
		}
	}
	return noPeriod, nil
}

// sectionAt is the section of a label that stands at x below a header.
func (h *header) sectionAt(x float64) (in section, of group) {
	of.header = h.n
	for i, t := range h.title {
		if t.x <= x+12 {
			in, of.title = t.in, i
		}
	}
	return in, of
}

// row reads the amounts of a row: a label and the amounts up to the next label.
func (t *table) row(s *sheet, n int) {
	r := s.rows[n]
	var label *cell
	var numbers []*cell
	flush := func() {
		if len(numbers) > 0 {
			t.take(s, n, label, numbers)
		}
		numbers = nil
	}
	for i, c := range r {
		switch {
		case c.number:
			numbers = append(numbers, c)
		case c.words == "": // a dash where there is nothing
		default:
			flush()
			label = c
			if i+1 < len(r) && r[i+1].number {
				continue // what it ends with is not the amount
			}
			if head, rest, ok := split(c); ok { // a label and its amount in one piece
				label, numbers = head, []*cell{rest}
			}
		}
	}
	flush()
}

// split takes a cell as "Net Pay: $1,234.56" apart.
func split(c *cell) (label, amount *cell, ok bool) {
	for i := len(c.text) - 1; i > 0; i-- {
		if c.text[i] != ' ' && c.text[i] != ':' && c.text[i] != '$' {
			continue
		}
		v, is := money(c.text[i+1:])
		if !is {
			return nil, nil, false
		}
		a, b := *c, *c
		a.text, a.words = c.text[:i], plain(c.text[:i])
		b.text, b.words, b.amount, b.money, b.number = c.text[i+1:], "", v, true, true
		b.x0 = c.x0 + (c.x1-c.x0)*float64(i+1)/float64(len(c.text))
		return &a, &b, a.words != ""
	}
	return nil, nil, false
}

// take keeps what a label and its amounts say.
func (t *table) take(s *sheet, n int, label *cell, numbers []*cell) {
	if label != nil {
		if p := periodOf(label.words); p == current || p == ytd {
			t.across(s, n, p, numbers)
			return
		}
	}
	if label == nil || !t.take1(s, label, numbers) {
		for _, c := range numbers {
			if c.money {
				t.below(s, n, c)
			}
		}
	}
}

// take1 reads the usual line, and reports whether it knew what to make of it.
func (t *table) take1(s *sheet, label *cell, numbers []*cell) bool {
	l := line{label: label.words, page: label.page, y: label.y}
	kinds := make([]period, len(numbers))
	known := false
	for i, c := range numbers {
		var h *header
		kinds[i], h = t.column(c)
		if h != nil && l.in == noSection && kinds[i] != noPeriod {
			l.in, l.group = h.sectionAt(label.x0)
			l.counted = true
		}
		known = known || kinds[i] == current || kinds[i] == ytd
	}
	if l.in == elsewhere {
		return true
	}
	var of period
	l.item, of = itemOf(label.words, l.in)
	if !known {
		// No columns: the amount that is alone, or the two of a total.
		l.counted = false
		var amounts []*cell
		for _, c := range numbers {
			if c.money {
				amounts = append(amounts, c)
			}
		}
		switch {
		case len(amounts) == 1:
			l.set(max(of, current), amounts[0])
		case len(amounts) == 2 && l.item != noItem && of == noPeriod && amounts[0].amount <= amounts[1].amount:
			l.set(current, amounts[0])
			l.set(ytd, amounts[1])
		}
	} else {
		// Of a total's two amounts, one may stand apart from its column.
		if len(numbers) == 2 && l.item != noItem && of == noPeriod && numbers[0].money && numbers[1].money {
			for i := range kinds {
				if kinds[i] == noPeriod {
					kinds[i] = current + ytd - kinds[1-i]
				}
			}
		}
		for i, c := range numbers {
			switch {
			case kinds[i] == notMoney:
				if l.hours == nil {
					l.hours = c
				} else if l.rate == nil {
					l.rate = c
				}
			case c.money && kinds[i] == current && of == ytd && len(numbers) == 1:
				l.set(ytd, c)
			case c.money:
				l.set(kinds[i], c)
			}
		}
	}
	if l.cells[now] == nil && l.cells[toDate] == nil || l.item == noItem && !l.counted {
		return false
	}
	t.lines = append(t.lines, l)
	return true
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

// across reads a row whose label is a period: what the amounts are for stands
// above them.
func (t *table) across(s *sheet, n int, p period, numbers []*cell) {
	for _, c := range numbers {
		if !c.money {
			continue
		}
		if i, _ := t.above(s, n, c, 6); i != noItem {
			l := line{item: i, page: c.page, y: c.y}
			l.set(p, c)
			t.lines = append(t.lines, l)
		}
	}
}

// below reads an amount whose label stands over it.
func (t *table) below(s *sheet, n int, c *cell) {
	if i, of := t.above(s, n, c, 2); i != noItem {
		l := line{item: i, page: c.page, y: c.y}
		l.set(max(of, current), c)
		t.lines = append(t.lines, l)
	}
}

// above finds the item that stands above an amount, within so many rows.
func (t *table) above(s *sheet, n int, c *cell, rows int) (item, period) {
	for k := n - 1; k >= 0 && k >= n-rows; k-- {
		if s.rows[k][0].page != c.page || s.rows[k].y()-c.y > float64(rows)*3*max(c.size, 6) {
			break
		}
		s.spend(len(s.rows[k]))
		for _, h := range s.rows[k] {
			if h.number || min(h.x1, c.x1)-max(h.x0, c.x0) <= 0 && abs(h.x1-c.x1) > 6 {
				continue
			}
			s.spend(32 + len(h.words))
			if i, of := itemOf(h.words, noSection); i != noItem {
				return i, of
			}
		}
	}
	return noItem, noPeriod
}

func abs(f float64) float64 { return max(f, -f) }
