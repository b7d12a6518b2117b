package paystub

import (
	"slices"

	"vestibule/internal/report"
)

// classifyUntitled classifies tables without a title as earnings or deductions, by the items of their
// lines.
func (t *table) classifyUntitled() {
	type votes struct{ earned, taken int }
	all := map[group]*votes{}
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted || l.in != noSection {
			continue
		}
		v := all[l.group]
		if v == nil {
			v = &votes{}
			all[l.group] = v
		}
		switch l.item {
		case regular, overtime, bonus, commission:
			v.earned++
		case paidTimeOff, vacation, paidTimeOffDeduction, vacationDeduction: // either
		case socialSecurity, medicare, fica:
			v.taken++
		default:
			if containsAny(l.label, wordList("deduction")) {
				v.taken++
			}
		}
	}
	above := map[group]int{} // index of the line with a table's gross
	for i := range t.lines {
		if l := &t.lines[i]; l.item == gross && above[l.group] == 0 {
			above[l.group] = i
		}
	}
	for i := range t.lines {
		l := &t.lines[i]
		v := all[l.group]
		if !l.counted || l.in != noSection || v == nil || v.earned+v.taken == 0 {
			continue
		}
		l.in = earnings
		if v.taken > v.earned {
			l.in = deductions
			l.item, _ = itemOf(l.label, deductions)
		}
		if both := v.taken > 0 && v.earned > 0; both && i < above[l.group] { // lines that add up to the gross
			l.in = earnings
			l.item, _ = itemOf(l.label, earnings)
		} else if both { // a table with both: classify each line
			l.in = deductions
			if i, _ := itemOf(l.label, noSection); i >= regular && i <= vacation {
				l.in, l.item = earnings, i
			}
		}
	}
}

// sumOf returns the sum of a section's lines in some tables, and whether there are any.
func (t *table) sumOf(in section, of []group, k int) (sum report.Cents, any bool) {
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.cells[k] != nil && l.in == in && l.item != reimbursement && slices.Contains(of, l.group) {
			sum, any = sum+l.amount[k], true
		}
	}
	return sum, any
}

// groupsOf returns the tables of a section, from top to bottom.
func (t *table) groupsOf(in section) (out []group) {
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.in == in && !slices.Contains(out, l.group) {
			if out = append(out, l.group); len(out) > maxTables {
				break
			}
		}
	}
	return out
}

// maxTables is the maximum number of tables in a section for which all subsets are tried.
const maxTables = 8

// chooseTables keeps the largest subset of a section's tables whose lines add up to a sum, because
// other tables may repeat lines or show something else. If no subset does, it keeps all.
func (t *table) chooseTables(in section, sum [2]*report.Cents) {
	all := t.groupsOf(in)
	if len(all) < 2 || len(all) > maxTables || sum[now] == nil && sum[toDate] == nil {
		return
	}
	best, score := -1, 0
	for mask := 1; mask < 1<<len(all); mask++ {
		var some []group
		for i, g := range all {
			if mask>>i&1 == 1 {
				some = append(some, g)
			}
		}
		t.spend(len(t.lines))
		fits := 0
		for k := range sum {
			if sum[k] == nil {
				continue
			}
			if v, any := t.sumOf(in, some, k); any && (near(v, *sum[k], 2) || in == deductions &&
				slices.ContainsFunc(t.extraAmounts(k), func(c report.Cents) bool { return near(v, *sum[k]+c, 2) })) {
				fits += 100
			} else if any && v != 0 {
				fits -= 50
			}
		}
		if fits > 0 && fits+len(some) > score {
			best, score = mask, fits+len(some)
		}
	}
	if best < 0 || best == 1<<len(all)-1 {
		return
	}
	for i := range t.lines {
		l := &t.lines[i]
		if at := slices.Index(all, l.group); l.counted && l.in == in && at >= 0 && best>>at&1 == 0 {
			l.counted, l.in, l.item = false, elsewhere, noItem
		}
	}
}

// splitFICA treats lines with the label FICA as social security or Medicare, if the other tax
// has a line and the amounts match the rates.
func (t *table) splitFICA() {
	of := func(s, m report.Cents) bool { return near(s*145, m*620, 2*(145+620)) }
	for i := range t.lines {
		for k := range t.lines {
			if a, b := &t.lines[i], &t.lines[k]; a.item == fica && b.item == fica && b.amount[now] != 0 && of(a.amount[now], b.amount[now]) {
				a.item, b.item = socialSecurity, medicare
			}
		}
	}
	for k := range 2 {
		f, s, m := t.value(fica, k), t.value(socialSecurity, k), t.value(medicare, k)
		if f == nil || *f == 0 || (s == nil) == (m == nil) {
			continue
		}
		is := socialSecurity
		if s != nil {
			if is = medicare; !of(*s, *f) {
				continue
			}
		} else if !of(*f, *m) {
			continue
		}
		for i := range t.lines {
			if l := &t.lines[i]; l.item == fica {
				l.item = is
			}
		}
		return
	}
}

// removeCopies removes tables that repeat an earlier table, as on a check's second stub.
func (t *table) removeCopies() {
	for _, in := range []section{earnings, deductions} {
		all := t.groupsOf(in)
		if len(all) > maxTables {
			continue
		}
		for n, b := range all {
			if again := slices.ContainsFunc(all[:n], func(a group) bool { return a.header != b.header && t.isCopy(b, a, in) }); !again {
				continue
			}
			for i := range t.lines {
				if l := &t.lines[i]; l.counted && l.in == in && l.group == b {
					l.counted, l.in, l.item = false, elsewhere, noItem
				}
			}
		}
	}
}

// isCopy reports whether each line of a table is also in another table with the same amounts.
// It is false for a single line of earnings if both tables together add up to the gross.
func (t *table) isCopy(b, a group, in section) bool {
	t.spend(len(t.lines) * len(t.lines) / 8)
	n := 0
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted || l.in != in || l.group != b {
			continue
		}
		n++
		if !slices.ContainsFunc(t.lines, func(o line) bool {
			return o.counted && o.in == in && o.group == a && o.label == l.label && o.amount == l.amount &&
				(o.cells[now] == nil) == (l.cells[now] == nil) && (o.cells[toDate] == nil) == (l.cells[toDate] == nil)
		}) {
			return false
		}
	}
	if g := t.value(gross, now); g != nil && n == 1 && in == earnings {
		both, _ := t.sumOf(in, []group{a, b}, now)
		return !near(both, *g, 2)
	}
	return n > 0
}

// determineTotals determines the totals and the tables that they belong to.
func (t *table) determineTotals() {
	t.removeCopies()
	t.splitFICA()
	t.totals()
	var g, less [2]*report.Cents
	for k := range g {
		g[k] = t.value(gross, k)
		if n := t.value(net, k); n != nil && g[k] != nil {
			v := *g[k] - *n
			less[k] = &v
		}
	}
	t.chooseTables(earnings, g)
	t.chooseTables(deductions, less)
	// A part of the gross is at most the gross.
	if v := t.value(gross, now); v != nil && *v > 0 {
		for i := range t.lines {
			if l := &t.lines[i]; l.weak && l.cells[now] != nil && l.item >= regular && l.amount[now] > *v {
				l.item = noItem
			}
		}
	}
}

// inferTotals finds a gross without a label as the sum of the earnings, and a net without a label
// as gross less the deductions, if the stub shows this amount.
func (t *table) inferTotals(s *sheet) {
	lines := map[*cell]bool{}
	for i := range t.lines {
		for _, c := range t.lines[i].cells {
			if c != nil {
				lines[c] = true
			}
		}
	}
	earned := 0
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.in == earnings && l.amount[now] != 0 {
			earned++
		}
	}
	if sum, _ := t.sumOf(earnings, t.groupsOf(earnings), now); earned > 1 && sum > 0 && t.value(gross, now) == nil {
		t.addTotal(s, lines, gross, sum)
	}
	g := t.value(gross, now)
	less, any := t.sumOf(deductions, t.groupsOf(deductions), now)
	if v := t.value(totalDeductions, now); any && v != nil && *v > less {
		return // not all deductions were read
	}
	if any && g != nil && *g > less && t.value(net, now) == nil {
		t.addTotal(s, lines, net, *g-less)
	}
}

// addTotal adds a total if its amount is shown outside the lines of tables.
func (t *table) addTotal(s *sheet, lines map[*cell]bool, i item, v report.Cents) {
	for _, r := range s.rows {
		t.spend(len(r))
		for _, c := range r {
			if c.money && c.amount == v && !lines[c] {
				l := line{item: i, page: c.page, y: c.y}
				l.cells[now], l.amount[now] = c, v
				t.lines = append(t.lines, l)
				return
			}
		}
	}
}

// totals uses the line that shows the sum of a table as the gross or the total deductions, if
// no other line has this total.
func (t *table) totals() {
	for _, in := range []section{earnings, deductions} {
		i := gross
		if in == deductions {
			i = totalDeductions
		}
		shown := func(k int) bool {
			return slices.ContainsFunc(t.lines, func(l line) bool { return l.item == i && !l.weak && l.cells[k] != nil && l.amount[k] != 0 })
		}
		if shown(now) && shown(toDate) || in == deductions && shown(now) {
			continue
		}
		for n := range t.lines {
			l := &t.lines[n]
			if l.in != in || l.counted || l.item != noItem || l.group == (group{}) {
				continue
			}
			if in == deductions && ofTaxes(l.label) && slices.ContainsFunc(t.lines[n:],
				func(o line) bool { return o.counted && o.group == l.group }) {
				continue
			}
			t.spend(4 * len(t.lines))
			fits, other := false, false
			for k := range l.cells {
				if l.cells[k] != nil {
					v, any := t.sumOf(in, []group{l.group}, k)
					fits = fits || any && near(v, l.amount[k], 2)
					other = other || any && !near(v, l.amount[k], 2)
				}
			}
			if v := t.value(i, now); v != nil && (l.cells[now] == nil || l.amount[now] != *v) {
				continue
			}
			if (fits || !other || in == earnings) && (in == earnings || len(t.groupsOf(deductions)) == 1) {
				l.item = i
				break
			}
		}
	}
}
