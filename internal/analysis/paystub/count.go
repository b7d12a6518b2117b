package paystub

import (
	"slices"
	"strings"

	"vestibule/internal/report"
)

// count decides which lines belong to their table: those without wide gaps between them from
// the header to the total.
func (t *table) count() {
	type end struct {
		y    float64
		over map[section]bool
		left bool // a wide gap was crossed
	}
	last := map[group]*end{}
	sums, taxed := map[group]*[2]report.Cents{}, map[group]bool{} // after a total of taxes, a table is another one
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted {
			continue
		}
		if taxed[l.group] {
			l.group.title |= 64
		}
		c := l.cells[now]
		if c == nil {
			c = l.cells[toDate]
		}
		table := group{l.group.header, l.group.title >> 8}
		e := last[table]
		if e == nil {
			e = &end{y: l.y, over: map[section]bool{}}
			last[table] = e
		}
		apart := 3.6
		if sums[l.group] == nil { // the first line after a title
			sums[l.group] = &[2]report.Cents{}
			clear(e.over)
			e.left, apart = false, 8
		}
		if e.y-l.y > apart*max(c.size, 6) {
			e.over[earnings], e.over[deductions], e.over[noSection] = true, true, true
			e.left = true
		}
		e.y = l.y
		sum := sums[l.group]
		total := isTotal(l.label) && sum[now] == 0 && sum[toDate] == 0 && t.isSubtotal(i) || l.item >= gross &&
			l.item <= totalDeductions || l.item == paidByCheck || contains(l.label, "total") ||
			contains(l.label, "totals") || contains(l.label, "subtotal") || l.label == "" ||
			isTotal(l.label) && (l.cells[now] == nil || near(sum[now], l.amount[now], 2)) &&
				(l.cells[toDate] == nil || near(sum[toDate], l.amount[toDate], 2))
		l.counted = !e.over[l.in] && !total && !slices.Contains(itemSections(l.label), "employer's line")
		if !l.counted && l.item >= regular && l.item != paidByCheck {
			if l.weak = true; e.left || l.item < medicare || l.item > fica { // after the end of a table
				l.item = noItem
			}
		}
		if l.counted {
			sum[now] += l.amount[now]
			sum[toDate] += l.amount[toDate]
		}
		switch {
		case total && sum[now] == 0 && sum[toDate] == 0 && t.isSubtotal(i): // the total is above its lines
		case l.item == gross: // deductions may follow in the same table
			e.over[earnings], e.over[noSection] = true, true
		case total && l.in == deductions && ofTaxes(l.label): // other deductions may follow
			taxed[l.group] = true
		case total:
			e.over[l.in] = true
		}
	}
	t.positive()
}

// ofTaxes reports whether a total is for the taxes only.
func ofTaxes(words string) bool {
	any := false
	for _, w := range strings.Fields(words) {
		tax := w == "taxes" || w == "tax"
		if any = any || tax; !tax && w != "total" && w != "totals" && w != "employee" && w != "statutory" {
			return false
		}
	}
	return any
}

// isSubtotal reports whether the lines after a line in its table add up to its amounts.
func (t *table) isSubtotal(i int) bool {
	first := &t.lines[i]
	var sum [2]report.Cents
	n := 0
	for k := i + 1; k < len(t.lines); k++ {
		t.spend(1)
		l := &t.lines[k]
		if l.group != first.group {
			continue
		}
		if isTotal(l.label) {
			break
		}
		sum[now] += l.amount[now]
		sum[toDate] += l.amount[toDate]
		n++
		if n > 0 && (first.cells[now] == nil || near(sum[now], first.amount[now], 2)) &&
			(first.cells[toDate] == nil || near(sum[toDate], first.amount[toDate], 2)) {
			return sum != [2]report.Cents{}
		}
	}
	return false
}

// positive negates the deductions of tables that show most of them as negative amounts, in
// one column or both.
func (t *table) positive() {
	if g := t.value(gross, now); g != nil && *g < 0 {
		return // a check that was reversed
	}
	taken := func(l *line) bool {
		switch l.item {
		case socialSecurity, medicare, fica, totalDeductions:
			return true
		}
		return l.counted && l.in == deductions
	}
	for k := range 2 {
		below, all := map[group]int{}, map[group]int{}
		for i := range t.lines {
			if l := &t.lines[i]; taken(l) && l.cells[k] != nil && l.amount[k] != 0 {
				if all[l.group]++; l.amount[k] < 0 {
					below[l.group]++
				}
			}
		}
		for i := range t.lines {
			if l := &t.lines[i]; taken(l) && below[l.group]*4 >= all[l.group]*3 && (l.counted || l.amount[k] < 0) {
				l.amount[k] = -l.amount[k]
			}
		}
	}
}
