package paystub

import (
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
)

// findMissing finds values that the stub shows, or that each stub shows, and that were not read:
// names, days, and amounts.
func (d *Document) findMissing(s *sheet) {
	f, t := &d.fields, &d.table
	var fields []area
	amounts := append(t.unplaced, t.unnamedTaxes()...)
	for n, r := range s.rows {
		s.spend(8 * len(r))
		if t.yearNotRead(r) {
			amounts = append(amounts, r[0].area())
		}
		for i, c := range r {
			if !c.number && f.lacks(c) && s.hasDigits(n, i) {
				fields = append(fields, c.area())
			}
			label, amount, ok := split(c)
			if !ok && i+1 < len(r) && r[i+1].money {
				label, amount, ok = c, r[i+1], true
			}
			if ok && amount.amount != 0 && t.lacks(label.words) {
				amounts = append(amounts, amount.area())
			}
		}
	}
	if f.employee == "" || f.employer == "" || !f.pay.shown && !f.end.shown || len(fields) > 0 {
		d.find(FieldsNotRead, false, fields...)
	}
	if n := d.Stub.NetTotal; n != nil && *n < 0 {
		amounts = append(amounts, d.areas(now, net)...)
	}
	lost := t.value(gross, now) == nil && t.value(gross, toDate) != nil
	if d.Stub.NetTotal == nil || lost || len(amounts) > 0 {
		d.find(AmountsNotRead, false, amounts...)
	}
}

// lacks reports whether a cell is the label of a day that was not read.
func (f *fields) lacks(c *cell) bool {
	what := labelOf(c.words)
	if first, _, colon := inline(c.text); what == noField && colon {
		what = first
	}
	return what == fieldPay && !f.pay.shown || what == fieldPeriod && !f.start.shown && !f.end.shown ||
		(what == fieldStart && !f.start.shown || what == fieldEnd && !f.end.shown) && contains(c.words, "period")
}

// numberOfPeriod matches the number of a pay period in its year, as in 13-26 and PP 04 2026.
var numberOfPeriod = regexp.MustCompile(`(?i)^(?:(?:pay period|pp)\b\W*)*\d{1,2}(?:[- ](?:20)?[2-3]\d| of \d\d)?$`)

// hasDigits reports whether a label has digits in its own text, or in the cell beside or
// below it, other than the number of a period.
func (s *sheet) hasDigits(n, i int) bool {
	c, near := s.rows[n][i], s.rows[n][i:min(i+2, len(s.rows[n]))]
	if n+1 < len(s.rows) {
		near = slices.Concat(near, s.rows[n+1])
	}
	return slices.ContainsFunc(near, func(o *cell) bool {
		return strings.ContainsAny(o.text, "0123456789") && !o.money && (o.y == c.y || isBelow(c, o)) && !numberOfPeriod.MatchString(o.text)
	})
}

// lacks reports whether words are the label of an item of which no amount was read.
func (t *table) lacks(words string) bool {
	i, _ := itemOf(words, noSection)
	switch i {
	case gross, net, regular, overtime, socialSecurity, medicare:
		return !unfit(words) && t.value(i, now) == nil && t.value(i, toDate) == nil && (i < medicare || t.value(fica, now) == nil)
	}
	return false
}

// yearNotRead reports whether a row has amounts of the year to date, of which no total was read.
func (t *table) yearNotRead(r row) bool {
	return periodOf(r[0].words) == ytd && len(r) > 2 && r[1].money && r[2].money &&
		t.value(gross, toDate) == nil && t.value(net, toDate) == nil
}

// unnamedTaxes returns the deductions without a known name that are social security or
// Medicare by their rate, if the stub does not name these.
func (t *table) unnamedTaxes() (out []area) {
	g := t.value(gross, now)
	if g == nil || *g <= 0 || t.value(fica, now) != nil {
		return nil
	}
	lost := func(tax item, rate, c report.Cents) bool {
		return t.value(tax, now) == nil && near(c, percent(*g, rate), 2)
	}
	for i := range t.lines {
		if l := &t.lines[i]; l.item == noItem && l.in != earnings && l.cells[now] != nil &&
			(lost(socialSecurity, payrolltax.SocialSecurity, l.amount[now]) || lost(medicare, payrolltax.Medicare, l.amount[now])) {
			out = append(out, l.cells[now].area())
		}
	}
	return out
}
