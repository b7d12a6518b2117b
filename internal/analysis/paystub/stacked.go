package paystub

import (
	"cmp"
	"slices"
	"strings"
)

// labelsOver returns the number of labels of days directly above a label, in one block with it, and
// the height of the block. A block beside it may have rows in between.
func (s *sheet) labelsOver(n int, label *cell) (over int, height float64) {
	for _, by := range []int{-1, 1} {
		last := label
		for k := n + by; k >= 0 && k < len(s.rows) && abs(s.rows[k].y()-last.y) < 2.2*last.size && s.rows[k][0].page == label.page; k += by {
			s.spend(len(s.rows[k]))
			at := slices.IndexFunc(s.rows[k], func(o *cell) bool { return isBelow(o, last) || isBelow(last, o) })
			if at < 0 {
				continue
			}
			next := s.rows[k][at]
			if labelOf(next.words) == noField || min(abs(next.x0-last.x0), abs(next.x1-last.x1)) > 1 {
				break
			}
			if last = next; by < 0 && kindOf(labelOf(next.words)) == 0 {
				over++
			}
		}
		height += abs(last.y - label.y)
	}
	return over, height
}

// joinLabels joins the labels of days, and of columns for the period and the year, whose words are in
// lines below one another, such as "Period" over "End", beside other text with other lines, if the day or
// the amount is below them, or the day to the right of one line.
func (s *sheet) joinLabels() {
	for n := 0; n < len(s.rows); n++ {
		for _, c := range s.rows[n] {
			kinds, _ := madeOf(strings.Fields(c.words), 0)
			if what := labelOf(c.words); kinds&(payWord|periodWord|dateWord|beginWord|endWord|nowWord|yearWord) == 0 || len(c.words) > 16 ||
				kindOf(what) == 0 && what != fieldPeriod && strings.Contains(c.words, " ") {
				continue
			}
			one, block, last := *c, []*cell{c}, n
			var label cell // of the most lines
			end, at := 0, 0
			for len(block) < 3 {
				k, down := s.under(last, block[len(block)-1], 1.6)
				if down == nil || down.number || mayBeValue(fieldPay, down.text) || strings.HasSuffix(one.text, ":") {
					break
				}
				one.join(down)
				block, last = append(block, down), k
				if what := labelOf(one.words); what == noField || kindOf(what) != 0 {
					p := periodOf(one.words)
					if _, v := s.under(last, &one, 3); v != nil && v.number && (p == current || p == ytd) {
						label, end, at = one, len(block), last
					}
					continue
				}
				if day, row := s.dayOf(&one, n, last); day != nil {
					label, end, at = one, len(block), row
					if row != last {
						label.y = day.y
					}
				}
			}
			if end == 0 {
				continue
			}
			block, moved := block[:end], row{&label}
			for _, o := range s.rows[n] { // labels of one line in the first row, over the same values
				if k, down := s.under(n, o, 6); at == last && down != nil && k > last && labelOf(o.words) != noField && labelOf(down.words) == noField {
					one := *o
					one.y = label.y
					block, moved = append(block, o), append(moved, &one)
				}
			}
			for k := n; k <= last; k++ {
				s.rows[k] = slices.DeleteFunc(s.rows[k], func(o *cell) bool { return slices.Contains(block, o) })
			}
			s.rows[at] = append(s.rows[at], moved...)
			slices.SortStableFunc(s.rows[at], func(a, b *cell) int { return cmp.Compare(a.x0, b.x0) })
			s.rows = slices.DeleteFunc(s.rows, func(r row) bool { return len(r) == 0 })
			n--
			break
		}
	}
}

// join adds a cell below to a cell.
func (c *cell) join(down *cell) {
	c.text, c.words, c.y = c.text+" "+down.text, c.words+" "+down.words, down.y
	c.x0, c.x1, c.runs = min(c.x0, down.x0), max(c.x1, down.x1), append(slices.Clone(c.runs), down.runs...)
}

// under returns the only cell of the nearest row that is below a cell of row n, within some lines.
func (s *sheet) under(n int, c *cell, lines float64) (k int, down *cell) {
	for k = n + 1; k < len(s.rows) && s.rows[k][0].page == c.page && c.y-s.rows[k].y() < lines*max(c.size, s.rows[k][0].size); k++ {
		s.spend(len(s.rows[k]))
		for _, o := range s.rows[k] {
			if min(o.x1, c.x1)-max(o.x0, c.x0) <= 0 {
				continue
			}
			if down != nil {
				return k, nil
			}
			down = o
		}
		if down != nil {
			return k, down
		}
	}
	return k, nil
}

// dayOf returns the day below a label of the lines in rows n to last, or else the only day beside them
// if nothing is in between, and its row, which is last for a day below.
func (s *sheet) dayOf(label *cell, n, last int) (day *cell, at int) {
	if _, down := s.under(last, label, 3); down != nil && mayBeValue(fieldPay, down.text) {
		return down, last
	}
	days := 0
	for k := n; k <= last; k++ {
		for _, o := range s.rows[k] {
			if o.x0 < label.x1 || o.x0-label.x1 > 220 {
				continue
			}
			if mayBeValue(fieldPay, o.text) {
				days++
			}
			if s.spend(32); day == nil || o.x0 < day.x0 {
				day, at = o, k
			}
		}
	}
	if days != 1 || !mayBeValue(fieldPay, day.text) {
		return nil, 0
	}
	return day, at
}
