package paystub

import (
	"slices"

	"vestibule/internal/report"
)

// maxAside is the maximum number of amounts from other tables to keep for each column.
const maxAside = 60

// keepOtherAmounts keeps amounts of other tables: one of them may explain the difference that
// remains between gross less deductions and net.
func (t *table) keepOtherAmounts(numbers []*cell, kinds []period) {
	for i, c := range numbers {
		k := now
		if kinds[i] == ytd {
			k = toDate
		}
		if c.money && c.amount > 0 && (kinds[i] == current || kinds[i] == ytd) && len(t.aside[k]) < maxAside {
			t.aside[k] = append(t.aside[k], c.amount)
		}
	}
}

// isExplained reports whether a difference is zero, or an amount outside the earnings and
// deductions, such as a reimbursement or a payment in kind.
func (t *table) isExplained(left report.Cents, k int) bool {
	if near(left, 0, 2) {
		return true
	}
	if slices.ContainsFunc(t.aside[k], func(c report.Cents) bool { return near(left, c, 2) }) {
		return true
	}
	var untitled report.Cents // such as a table of reimbursements
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.in == noSection && l.cells[k] != nil {
			untitled += l.amount[k]
		}
	}
	return near(left, untitled, 2) || slices.ContainsFunc(t.lines, func(l line) bool {
		return l.cells[k] != nil && l.item == noItem && l.label != "" && !contains(l.label, "total") &&
			(!l.counted || l.in == noSection) && l.group != (group{}) && near(left, l.amount[k], 2)
	})
}

// extraAmounts returns the amounts that may be paid in addition to the gross.
func (t *table) extraAmounts(k int) []report.Cents {
	out := slices.Clone(t.aside[k])
	for i := range t.lines {
		if l := &t.lines[i]; l.cells[k] != nil && l.group != (group{}) &&
			(l.item == reimbursement || l.counted && l.in == noSection) && len(out) < 2*maxAside {
			out = append(out, l.amount[k])
		}
	}
	return out
}
