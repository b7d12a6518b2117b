package paystub

import (
	"cmp"
	"slices"
	"strings"
)

// joinAround moves labels of two lines into the row between these lines, where programs center the
// cells of a row vertically.
func (s *sheet) joinAround() {
	for n := 0; n+2 < len(s.rows); n++ {
		a, b, c := s.rows[n], s.rows[n+1], s.rows[n+2]
		if a[0].page != c[0].page || a.y()-c.y() > 1.35*a[0].size {
			continue
		}
		s.spend(len(c) * (len(a) + len(b)))
		rest, all, below := slices.Clone(a), slices.Clone(b), row(nil)
		for _, down := range c {
			at := slices.IndexFunc(rest, func(o *cell) bool {
				aligned := min(abs(o.x0-down.x0), abs(o.x1-down.x1), abs(o.x0+o.x1-down.x0-down.x1)/2) < 1
				words := o.words + " " + down.words
				what, p := labelOf(words), periodOf(words)
				known := what != noField && what != fieldOther && kindOf(labelOf(down.words)) != 0 ||
					p == current || p == ytd || totalOf(words) != noItem
				return aligned && known && !o.number && !down.number && !slices.ContainsFunc(b, func(m *cell) bool {
					return min(o.x1, m.x1) > max(o.x0, m.x0) || min(down.x1, m.x1) > max(down.x0, m.x0)
				})
			})
			if at < 0 {
				below = append(below, down)
				continue
			}
			one := *rest[at]
			one.set(one.text + " " + down.text)
			one.x0, one.x1, one.y, one.runs = min(one.x0, down.x0), max(one.x1, down.x1), b.y(), append(slices.Clone(one.runs), down.runs...)
			rest, all = slices.Delete(rest, at, at+1), append(all, &one)
		}
		slices.SortStableFunc(all, func(x, y *cell) int { return cmp.Compare(x.x0, y.x0) })
		s.rows = slices.Replace(s.rows, n, n+3, slices.DeleteFunc([]row{rest, all, below}, func(r row) bool { return len(r) == 0 })...)
	}
}

// joinStacked joins headers whose words are in two or three lines, such as "Period" over "End",
// into one row.
func (s *sheet) joinStacked() {
	for n := range s.rows {
		for lines := 3; lines > 1; lines-- {
			if n+lines >= len(s.rows) {
				continue
			}
			if r := s.stacked(s.rows[n:n+lines], s.rows[n+lines]); r != nil {
				s.rows = slices.Replace(s.rows, n, n+lines, r)
				break
			}
		}
	}
}

// stacked returns the row of headers that several rows form over a row of values, or nil if
// they do not: one of them must be the label of a date below it, or two must be over amounts.
func (s *sheet) stacked(rows []row, values row) (out row) {
	for k, r := range rows {
		s.spend(len(r) * (1 + len(out)))
		above := len(out)
		if k > 0 && (r[0].page != rows[0][0].page || rows[k-1].y()-r.y() > 1.35*r[0].size) {
			return nil
		}
		for _, c := range r {
			if c.number || strings.HasSuffix(c.text, ":") {
				return nil
			}
			if _, _, state := dateIn(c.text); state != noDate {
				return nil
			}
			var up *cell
			for _, o := range out[:above] {
				if min(o.x1, c.x1)-max(o.x0, c.x0) > 0 {
					if up != nil {
						return nil // over two columns
					}
					up = o
				}
			}
			if up == nil {
				one := *c
				out = append(out, &one)
				continue
			}
			if up.y == c.y || strings.Contains(up.words, " ") && strings.Contains(c.words, " ") && labelOf(up.words) != noField &&
				labelOf(c.words) != noField {
				return nil // two words over one, or two labels
			}
			up.text, up.words, up.y, up.runs = up.text+" "+c.text, up.words+" "+c.words, c.y, append(slices.Clone(up.runs), c.runs...)
			up.x0, up.x1 = min(up.x0, c.x0), max(up.x1, c.x1)
		}
	}
	dates, amounts := 0, 0
	for _, c := range out {
		what, kind := labelOf(c.words), periodOf(c.words)
		if !slices.ContainsFunc(rows, func(r row) bool { return slices.ContainsFunc(r, func(o *cell) bool { return o.words == c.words }) }) {
			for _, v := range values {
				if min(v.x1, c.x1)-max(v.x0, c.x0) <= 0 && abs(v.x0-c.x0) > 8 {
					continue
				}
				if kindOf(what) == 0 && mayBeValue(what, v.text) {
					dates++
				} else if v.number && (kind == current || kind == ytd) {
					amounts++
				}
			}
		}
		c.y = rows[len(rows)-1].y()
	}
	if dates == 0 && amounts < 2 {
		return nil
	}
	slices.SortStableFunc(out, func(a, b *cell) int { return cmp.Compare(a.x0, b.x0) })
	return out
}

// labelsOver returns the number of labels directly above a label, in one block with it.
func (s *sheet) labelsOver(n int, label *cell) (over int) {
	for k := n - 1; k >= 0 && k >= n-2; k-- {
		up := cellAbove(s.rows[k], label)
		if up == nil || abs(up.x0-label.x0) > 1 || labelOf(up.words) == noField {
			break
		}
		over++
		label = up
	}
	return over
}
