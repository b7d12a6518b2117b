package paystub

import "vestibule/internal/report"

// count leaves as lines of a table those that follow one another closely from its
// header on, up to its total.
func (t *table) count() {
	type end struct {
		y    float64
		over map[section]bool
		left bool // a wide gap was crossed
	}
	last := map[group]*end{}
	sums := map[group]*[2]report.Cents{}
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted {
			continue
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
		apart := 3.2
		if sums[l.group] == nil { // behind a title
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
		total := l.item >= gross && l.item <= totalDeductions || l.item == paidByCheck || contains(l.label, "total") || contains(l.label, "totals") || contains(l.label, "subtotal") || l.label == "" ||
			isTotal(l.label) && (l.cells[now] == nil || near(sum[now], l.amount[now], 2)) && (l.cells[toDate] == nil || near(sum[toDate], l.amount[toDate], 2))
		l.counted = !e.over[l.in] && !total && !notOurs(l.label)
		if !l.counted && l.item >= regular && l.item != paidByCheck {
			if l.weak = true; e.left || l.item < medicare || l.item > fica { // behind the end of a table
				l.item = noItem
			}
		}
		if l.counted {
			sum[now] += l.amount[now]
			sum[toDate] += l.amount[toDate]
		}
		switch {
		case l.item == gross: // deductions may follow in the same table
			e.over[earnings], e.over[noSection] = true, true
		case total:
			e.over[l.in] = true
		}
	}
	t.positive()
}

// positive turns deductions around that are shown as what they take away, with a
// sign, in one column or both.
func (t *table) positive() {
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
