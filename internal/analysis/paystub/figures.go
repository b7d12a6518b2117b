package paystub

import (
	"slices"
	"strings"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
)

// figures looks at whether the amounts agree with one another and with the rates
// of the year.
func (d *Document) figures() {
	t := &d.table
	held := [2]bool{} // the sums of this column are as they should be, so that lines were understood
	broken := [2]bool{}
	for k := range held {
		checked, ok := t.sums(k)
		held[k], broken[k] = checked && ok, checked && !ok
	}
	for k := range broken {
		if broken[k] {
			d.find(Arithmetic, held[1-k])
		}
	}
	for k := range held {
		if known, ok := t.balance(k); known && !ok {
			d.find(Arithmetic, true)
		}
		for _, i := range []item{gross, net, totalDeductions} {
			if t.differs(i, k) {
				d.find(Arithmetic, true)
			}
		}
	}
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.in == earnings && !l.product() {
			d.find(Arithmetic, l.item == regular)
		}
	}
	d.growth()
	d.rates()
}

// differs says whether a total is shown twice, and not as the same.
func (t *table) differs(i item, k int) bool {
	v := t.value(i, k)
	for n := range t.lines {
		if l := &t.lines[n]; l.item == i && l.cells[k] != nil && l.amount[k] != *v {
			return true
		}
	}
	return false
}

// sums says whether the lines of earnings add up to gross, and those of deductions
// to their total, as far as there are lines. Deductions may have a total without
// the taxes, which are a table of their own then.
func (t *table) sums(k int) (checked, ok bool) {
	var sum [elsewhere + 1]report.Cents
	var count [elsewhere + 1]int
	parts := map[group]report.Cents{}
	for n := range t.lines {
		if l := &t.lines[n]; l.counted && l.cells[k] != nil && l.item != reimbursement {
			sum[l.in] += l.amount[k]
			count[l.in]++
			if l.in == deductions {
				parts[l.group] += l.amount[k]
			}
		}
	}
	ok = true
	if v := t.value(gross, k); v != nil && count[earnings] > 0 {
		checked, ok = true, near(sum[earnings], *v, 2)
	}
	if v := t.value(totalDeductions, k); v != nil && count[deductions] > 0 {
		agrees := near(sum[deductions], *v, 2)
		for _, part := range parts {
			agrees = agrees || near(part, *v, 2)
		}
		checked, ok = true, ok && agrees
	}
	return checked, ok
}

// balance says whether gross less the deductions is net.
func (t *table) balance(k int) (known, ok bool) {
	g, n := t.value(gross, k), t.value(net, k)
	if g == nil || n == nil {
		return false, false
	}
	var less, more report.Cents
	lines := 0
	for i := range t.lines {
		l := &t.lines[i]
		switch {
		case !l.counted || l.cells[k] == nil:
		case l.item == reimbursement:
			more += l.amount[k]
		case l.in == deductions:
			less += l.amount[k]
			lines++
		}
	}
	if total := t.value(totalDeductions, k); total != nil && lines == 0 {
		less, lines = *total, 1
	}
	return lines > 0, near(*g-less, *n, 2) || near(*g-less+more, *n, 2)
}

func near(a, b, by report.Cents) bool { return a-b <= by && b-a <= by }

// product says whether hours times rate is the amount, overtime's rate being the
// one that it is paid at or the one that it is reckoned from. What is shown was
// rounded.
func (l *line) product() bool {
	if l.hours == nil || l.rate == nil || l.cells[now] == nil {
		return true
	}
	h, okH := decimal(l.hours.text)
	r, okR := decimal(l.rate.text)
	if !okH || !okR || h <= 0 || r <= 0 || h > 1e8 || r > 1e9 {
		return true
	}
	for _, times := range []int64{2, 3, 4} { // halves
		exact := h * r / 1_000_000 * times / 2 // ten-thousandths of both, to cents
		by := report.Cents(2 + h*times/2/10_000)
		if near(report.Cents(exact), l.amount[now], by) {
			return true
		}
	}
	return false
}

// decimal reads a number to ten-thousandths.
func decimal(s string) (int64, bool) {
	s = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(s), "$"), ",", "")
	whole, part, _ := strings.Cut(s, ".")
	if len(whole) > 9 || len(part) > 8 || whole+part == "" {
		return 0, false
	}
	part = (part + "0000")[:4]
	n := int64(0)
	for _, c := range whole + part {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// growth looks at the year to date beside the period.
func (d *Document) growth() {
	for i := range d.table.lines {
		if l := &d.table.lines[i]; l.cells[now] != nil && l.cells[toDate] != nil && l.item != noItem && l.amount[now] > l.amount[toDate] {
			d.find(YearToDate, true)
		}
	}
	p := &d.Stub
	if p.GrossTotal == nil || p.GrossTotalYTD == nil {
		return
	}
	if *p.GrossTotalYTD < *p.GrossTotal {
		d.find(YearToDate, true)
	}
	// One who worked all year has earned more by March than in one period.
	if pay, hire := d.fields.pay, d.fields.hire; pay.valid && hire.valid && hire.date.Year() < pay.date.Year() && pay.date.YearDay() > 62 && *p.GrossTotalYTD <= *p.GrossTotal {
		d.find(YearToDate, false)
	}
}

// rates looks at social security and Medicare. What they are taken of is gross
// less some of the other deductions, which it is cannot be told, so that there is
// a least and a most.
func (d *Document) rates() {
	year := 0
	switch f := &d.fields; {
	case f.pay.valid:
		year = f.pay.date.Year()
	case f.end.valid:
		year = f.end.date.Year()
	default:
		return
	}
	base, known := payrolltax.WageBase(year)
	p := &d.Stub
	if p.GrossTotal == nil || *p.GrossTotal <= 0 {
		return
	}
	g, other := *p.GrossTotal, d.exempt(now)
	before, otherYTD := report.Cents(-1), d.exempt(toDate) // wages of the year until this period
	if p.GrossTotalYTD != nil && *p.GrossTotalYTD >= g {
		before = *p.GrossTotalYTD - g
	}
	// Of social security.
	least, most := percent(g-other, payrolltax.SocialSecurity), percent(g, payrolltax.SocialSecurity)
	if !known || before < 0 && g > base/60 {
		least = 0
	} else if before >= 0 {
		least = percent(max(0, min(g-other, base-before)), payrolltax.SocialSecurity)
		most = percent(max(0, min(g, base-before+otherYTD)), payrolltax.SocialSecurity)
	}
	leastM, mostM := percent(g-other, payrolltax.Medicare), percent(g, payrolltax.Medicare)
	if before < 0 {
		mostM += percent(g, payrolltax.Additional)
	} else {
		over := before + g - payrolltax.AdditionalFrom
		leastM += percent(max(0, min(g-other, over-otherYTD)), payrolltax.Additional)
		mostM += percent(max(0, min(g, over)), payrolltax.Additional)
	}
	d.within(p.SocialSecurityTax, least, most, 2)
	d.within(p.MedicareTax, leastM, mostM, 2)
	d.within(p.FICATax, least+leastM, most+mostM, 3)

	// Both are of the same wage, up to the base.
	if s, m := p.SocialSecurityTax, p.MedicareTax; s != nil && m != nil && *s > 0 && *m > 0 && before >= 0 && before+g <= min(base, payrolltax.AdditionalFrom) {
		off := *s*payrolltax.Medicare - *m*payrolltax.SocialSecurity
		if by := report.Cents(2 * (payrolltax.Medicare + payrolltax.SocialSecurity)); !near(off, 0, by) {
			d.find(DeductionsOff, !near(off, 0, 100*payrolltax.SocialSecurity))
		}
	}
	if p.GrossTotalYTD == nil || !known {
		return
	}
	// Of the year to date; each period was rounded for itself.
	y := *p.GrossTotalYTD
	least, most = percent(min(max(0, y-otherYTD), base), payrolltax.SocialSecurity), percent(min(y, base), payrolltax.SocialSecurity)
	of := func(wage report.Cents) report.Cents {
		return percent(max(0, wage), payrolltax.Medicare) + percent(max(0, wage-payrolltax.AdditionalFrom), payrolltax.Additional)
	}
	leastM, mostM = of(y-otherYTD), of(y)
	d.within(p.SocialSecurityTaxYTD, least, most, 60)
	d.within(p.MedicareTaxYTD, leastM, mostM, 60)
	d.within(p.FICATaxYTD, least+leastM, most+mostM, 60)
}

// within looks at a tax; one that is not shown, or nothing, is of somebody exempt.
func (d *Document) within(c *report.Cents, least, most, by report.Cents) {
	if c == nil || *c == 0 {
		return
	}
	if v := *c; v < 0 || v < least-by || v > most+by {
		d.find(DeductionsOff, v < least-100 || v > most+100)
	}
}

func percent(c report.Cents, rate report.Cents) report.Cents { return (c*rate + 5_000) / 10_000 }

// exempt is the most that may not be taxed: by the lines of the deductions, or
// where they are not in a table, all that is taken off but these taxes.
func (d *Document) exempt(k int) report.Cents {
	if slices.ContainsFunc(d.table.lines, func(l line) bool { return l.counted && l.in == deductions && l.cells[k] != nil }) {
		return d.table.exempt(k)
	}
	g, left := d.table.value(gross, k), report.Cents(0)
	if g == nil {
		return 0
	}
	for _, i := range []item{net, socialSecurity, medicare, fica} {
		if v := d.table.value(i, k); v != nil {
			left += *v
		}
	}
	return max(0, *g-left)
}

// exempt is the deductions that may lessen the wage that social security is taken
// of: those that are no tax and no saving for retirement.
func (t *table) exempt(k int) (sum report.Cents) {
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted || l.in != deductions || l.cells[k] == nil || l.item == socialSecurity || l.item == medicare || l.item == fica {
			continue
		}
		if word := func(w string) bool { return contains(l.label, w) }; strings.Contains(l.label, "tax") && !word("pre") || word("federal") || word("fed") || word("state") || strings.Contains(l.label, "withh") || word("w h") ||
			strings.Contains(l.label, "401") || strings.Contains(l.label, "retire") || word("pension") || word("roth") {
			continue
		}
		sum += max(l.amount[k], 0)
	}
	return sum
}
