package paystub

import (
	"slices"
	"strings"
)

// labelAcrossRow returns the label of a row of amounts that has two lines, one above and one below
// the row, or nil if none exists.
func (s *sheet) labelAcrossRow(n int, first *cell) *cell {
	if n == 0 || n+1 >= len(s.rows) {
		return nil
	}
	up, down := s.rows[n-1][0], s.rows[n+1][0]
	for _, c := range []*cell{up, down} {
		if c.number || c.page != first.page || c.x1 > first.x0 || abs(c.y-first.y) > 0.85*first.size {
			return nil
		}
	}
	if abs(up.x0-down.x0) > 1 {
		return nil
	}
	s.spend(len(up.words) + len(down.words))
	whole := *up
	whole.text, whole.words, whole.y = up.text+" "+down.text, up.words+" "+down.words, first.y
	return &whole
}

// wrapped returns the label of a row that consists of the words slightly above and below
// it. The result is empty if this label is not known.
func (s *sheet) wrapped(n int, label, first *cell) string {
	near := func(k int) string {
		if k < 0 || k >= len(s.rows) || s.rows[k][0].page != label.page || abs(s.rows[k].y()-label.y) > 0.85*label.size {
			return ""
		}
		s.spend(len(s.rows[k]))
		for i, c := range s.rows[k] {
			if !c.number && c.x0 > label.x0-4 && c.x1 < first.x1 && c.x0 < first.x0 && (i+1 == len(s.rows[k]) ||
				!s.rows[k][i+1].number) || !c.number && c.x0 > label.x0-4 && c.x1 < first.x1 &&
				i == 0 && s.rows[k][min(1, len(s.rows[k])-1)].x0 > first.x1 {
				return c.words
			}
		}
		return ""
	}
	words := strings.TrimSpace(near(n-1) + " " + near(n+1))
	if words == "" || !itemOfAny(words) {
		return ""
	}
	return words
}

// allBelow reads amounts whose labels are above them, and reports whether it found any.
func (t *table) allBelow(s *sheet, n int, numbers []*cell) (any bool) {
	for _, c := range numbers {
		if c.money && t.readBelowLabel(s, n, c) {
			any = true
		}
	}
	return any
}

// readPeriodRow reads a row whose label is a period, with the labels of the amounts above them.
func (t *table) readPeriodRow(s *sheet, n int, p period, numbers []*cell) (any bool) {
	for _, c := range numbers {
		if !c.money {
			continue
		}
		i, of := t.itemAbove(s, n, c, 6)
		if i == noItem || i == reimbursement {
			continue
		}
		if of == noPeriod {
			of = p
		}
		l := line{item: i, page: c.page, y: c.y, weak: i < gross || i > totalDeductions}
		l.set(of, c)
		t.lines = append(t.lines, l)
		any = true
	}
	return any
}

// readYearToDateBelow reads a year-to-date amount that is below the period's amount.
func (t *table) readYearToDateBelow(numbers []*cell) bool {
	if len(numbers) != 1 || len(t.lines) == 0 || !numbers[0].money {
		return false
	}
	c, l := numbers[0], &t.lines[len(t.lines)-1]
	if up := l.cells[now]; l.cells[toDate] != nil || up == nil || up.page != c.page || up.y-c.y > 2.2*max(up.size, c.size) ||
		up.y <= c.y || abs(up.x1-c.x1) > 3 || c.amount < up.amount {
		return false
	}
	l.set(ytd, c)
	return true
}

// underWords reports whether each amount of a row is left-aligned with a word of the row
// above.
func (s *sheet) underWords(n int, numbers []*cell) bool {
	if n == 0 || len(numbers) < 2 || s.rows[n-1][0].page != numbers[0].page {
		return false
	}
	s.spend(len(numbers) + len(s.rows[n-1]))
	if len(s.rows[n-1])*len(numbers) > 400 {
		return false
	}
	for _, c := range numbers {
		if !slices.ContainsFunc(s.rows[n-1], func(up *cell) bool { return !up.number && abs(up.x0-c.x0) < 2 && periodOf(up.words) == noPeriod }) {
			return false
		}
	}
	return true
}

// indented reads an amount beside a period, where the item's label is above the period.
func (t *table) indented(s *sheet, n int, p period, label *cell, numbers []*cell) bool {
	i, _ := t.itemAbove(s, n, label, 3)
	if len(numbers) != 1 || !numbers[0].money || i < gross || i > totalDeductions {
		return false
	}
	l := line{item: i, page: label.page, y: label.y}
	l.set(p, numbers[0])
	t.lines = append(t.lines, l)
	return true
}

// kindOf returns the kind of the column that an amount is in: of the only header that it
// overlaps, whatever its alignment, or else of the nearest one.
func (g *segment) kindOf(c *cell) period {
	best, at, over := 14.0, -1, 0
	for k, head := range g.columns {
		if min(head.x1, c.x1)-max(head.x0, c.x0) > 0 {
			at = k
			over++
		}
	}
	if over != 1 {
		for k, head := range g.columns {
			if d := min(abs(head.x1-c.x1), abs(head.x0-c.x0), abs(head.x0+head.x1-c.x0-c.x1)/2); d < best {
				best, at = d, k
			}
		}
	}
	if at < 0 { // the nearest column, if those beside it are far
		gap := func(head column) float64 { return max(head.x0-c.x1, c.x0-head.x1) }
		for k, head := range g.columns {
			if d := gap(head); d < 20 && (k == 0 || gap(g.columns[k-1]) > 2*d) && (k+1 == len(g.columns) || gap(g.columns[k+1]) > 2*d) {
				at = k
			}
		}
	}
	if at < 0 {
		return noPeriod
	}
	return g.columns[at].kind
}

// itemAbove finds the item above an amount, within the given number of rows. The first label
// above decides, together with the label above that one if both are one item.
func (t *table) itemAbove(s *sheet, n int, c *cell, rows int) (item, period) {
	var first *cell
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
			words := h.words
			if first != nil {
				words += " " + first.words
			}
			if i, of := itemOf(words, noSection); i != noItem && !unfit(words) {
				return i, of
			}
			if first != nil {
				return noItem, noPeriod
			}
			first = h
		}
	}
	return noItem, noPeriod
}
