package paystub

import (
	"slices"

	"vestibule/internal/report"
)

// vote says of tables without a title whether they are of earnings or deductions, by
// what their lines are for.
func (t *table) vote() {
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
			if isTaking(l.label) {
				v.taken++
			}
		}
	}
	above := map[group]int{} // where the gross of a table stands
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
		if both := v.taken > 0 && v.earned > 0; both && i < above[l.group] { // what comes to the gross
			l.in = earnings
			l.item, _ = itemOf(l.label, earnings)
		} else if both { // one table of both: each line for itself
			l.in = deductions
			if i, _ := itemOf(l.label, noSection); i >= regular && i <= vacation {
				l.in, l.item = earnings, i
			}
		}
	}
}

// isTaking says whether a label is of something that is taken off.
func isTaking(words string) bool {
	for _, w := range []string{"federal", "fed", "fit", "fitw", "sit", "sitw", "state", "tax", "withholding", "w h", "401k", "401", "403b", "403", "457", "medical", "dental", "vision", "insurance", "ins", "health", "hsa", "fsa", "garnishment", "child support", "union dues", "dues", "retirement", "pension", "roth", "life", "loan", "sdi", "sui", "pfl"} {
		if contains(words, w) {
			return true
		}
	}
	return false
}

// sumOf is what the lines of a section in some tables come to.
func (t *table) sumOf(in section, of []group, k int) (sum report.Cents, any bool) {
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.cells[k] != nil && l.in == in && l.item != reimbursement && slices.Contains(of, l.group) {
			sum, any = sum+l.amount[k], true
		}
	}
	return sum, any
}

// groupsOf are the tables of a section, from top to bottom.
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

// maxTables is how many tables of a section are tried in every choice.
const maxTables = 8

// choose finds the tables of a section whose lines come to a sum: all of them, or the
// largest choice that does, for some say the same again or are of something else.
func (t *table) choose(in section, sum [2]*report.Cents) {
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
			if v, any := t.sumOf(in, some, k); any && (near(v, *sum[k], 2) || in == deductions && slices.ContainsFunc(t.extras(k), func(c report.Cents) bool { return near(v, *sum[k]+c, 2) })) {
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

// understand settles what the totals are and which tables they are of.
func (t *table) understand() {
	t.totals()
	var g, less [2]*report.Cents
	for k := range g {
		g[k] = t.value(gross, k)
		if n := t.value(net, k); n != nil && g[k] != nil {
			v := *g[k] - *n
			less[k] = &v
		}
	}
	t.choose(earnings, g)
	t.choose(deductions, less)
	// An amount of something that is part of the gross is no more than that.
	if v := t.value(gross, now); v != nil && *v > 0 {
		for i := range t.lines {
			if l := &t.lines[i]; l.weak && l.cells[now] != nil && l.item >= regular && l.amount[now] > *v {
				l.item = noItem
			}
		}
	}
}

// totals takes as gross, and as total deductions, what a table's last line says
// that its lines come to.
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
