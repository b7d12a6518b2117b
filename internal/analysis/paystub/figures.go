package paystub

import (
	"maps"
	"slices"
	"strings"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
)

// figures checks whether the amounts agree with one another and with the year's rates. A
// finding is grave only if the other amounts agree, because otherwise the stub may have been
// misread.
func (d *Document) figures() {
	t := &d.table
	var checked, ok, known, fits, short [2]bool
	whole := [2]bool{t.balances(now), t.balances(toDate)}
	for k := range checked {
		checked[k], ok[k], short[k] = t.sums(k)
		known[k], fits[k] = t.balance(k)
	}
	for k := range checked {
		other := 1 - k
		// The year's column may omit lines that have no amount in this period.
		if checked[k] && !ok[k] && (k == now || !short[k]) {
			d.find(Arithmetic, checked[other] && ok[other] && !t.vague, d.areas(k, gross, totalDeductions)...)
		}
		if known[k] && !fits[k] {
			less := k == toDate && t.unexplained() < 0
			d.find(Arithmetic, known[other] && fits[other] && !less && !t.vague, d.areas(k, gross, net)...)
		}
		for _, i := range []item{gross, net, totalDeductions} {
			if differs, onePage := t.differs(i, k); differs {
				d.find(Arithmetic, onePage && !d.fields.several && (whole[k] || whole[other]), t.shown(i, k)...)
			}
		}
	}
	if n := t.value(net, now); n != nil && *n > 0 && whole[now] && (t.sent > *n || t.otherNet(*n)) {
		d.find(Arithmetic, false, d.areas(now, net)...)
	}
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.in == earnings && !l.product() {
			d.find(Arithmetic, l.item == regular && whole[now], l.cells[now].area())
		}
	}
	if d.fields.several {
		d.find(DatesDisagree, false)
	}
	d.growth()
	d.rates()
}

// otherNet reports whether the stub also shows a larger net; a smaller one may be one of
// several payments.
func (t *table) otherNet(n report.Cents) bool {
	return slices.ContainsFunc(t.lines, func(l line) bool { return l.item == net && !l.weak && l.cells[now] != nil && l.amount[now] > n })
}

// balances reports whether a column was read completely: its lines add up to its totals, and
// gross less the deductions is net.
func (t *table) balances(k int) bool {
	checked, ok, _ := t.sums(k)
	known, fits := t.balance(k)
	return checked && ok && known && fits
}

// unexplained returns the year's net minus the year's gross less the deductions.
func (t *table) unexplained() report.Cents {
	g, n := t.value(gross, toDate), t.value(net, toDate)
	if g == nil || n == nil {
		return 0
	}
	less := report.Cents(0)
	for i := range t.lines {
		if l := &t.lines[i]; l.counted && l.in == deductions && l.cells[toDate] != nil {
			less += l.amount[toDate]
		}
	}
	return *n - (*g - less)
}

// differs reports whether the same label of a total has two different amounts, and whether they are on
// one page: pages may be several stubs.
func (t *table) differs(i item, k int) (differs, onePage bool) {
	for n := range t.lines {
		l := &t.lines[n]
		if l.item != i || l.cells[k] == nil || l.weak || l.amount[k] == 0 {
			continue
		}
		for m := range n {
			if o := &t.lines[m]; o.item == i && o.cells[k] != nil && !o.weak && o.amount[k] != 0 &&
				o.label == l.label && o.amount[k] != l.amount[k] {
				differs, onePage = true, onePage || o.page == l.page
			}
		}
	}
	return differs, onePage
}

// sums reports whether the lines of earnings add up to gross, and the lines of deductions to
// their total, which may exclude the taxes if these are in a separate table. checked reports
// whether there was anything to compare, and short whether no sum was too large.
func (t *table) sums(k int) (checked, ok, short bool) {
	var sum [elsewhere + 1]report.Cents
	var inKind report.Cents
	var count [elsewhere + 1]int
	parts := map[group]report.Cents{}
	for n := range t.lines {
		if l := &t.lines[n]; l.counted && l.cells[k] != nil && l.item != reimbursement {
			sum[l.in] += l.amount[k]
			count[l.in]++
			if l.in == earnings && containsAny(l.label, wordList("in kind")) {
				inKind += l.amount[k]
			}
			if l.in == deductions {
				parts[l.group] += l.amount[k]
			}
		}
	}
	ok = true
	if v := t.value(gross, k); v != nil && count[earnings] > 0 {
		checked, ok = true, t.isExplained(*v-sum[earnings], k) || near(sum[earnings]-inKind, *v, 2)
		short = sum[earnings] < *v
	}
	if v := t.value(totalDeductions, k); v != nil && *v != 0 && count[deductions] > 0 {
		agrees := near(sum[deductions], *v, 2)
		agrees = agrees || addUpTo(parts, *v)
		short = (ok || short) && (agrees || sum[deductions] < *v)
		checked, ok = true, ok && agrees
	}
	return checked, ok, short
}

// addUpTo reports whether some of the parts add up to a sum.
func addUpTo(parts map[group]report.Cents, sum report.Cents) bool {
	all := slices.Collect(maps.Values(parts))
	if len(all) > maxTables {
		return slices.ContainsFunc(all, func(c report.Cents) bool { return near(c, sum, 2) })
	}
	for mask := 1; mask < 1<<len(all); mask++ {
		var some report.Cents
		for i, c := range all {
			if mask>>i&1 == 1 {
				some += c
			}
		}
		if near(some, sum, 2) {
			return true
		}
	}
	return false
}

// balance reports whether gross less the deductions is net, and whether this is known.
func (t *table) balance(k int) (known, ok bool) {
	g, n := t.value(gross, k), t.value(net, k)
	if g == nil || n == nil {
		return false, false
	}
	var less, more, inKind report.Cents
	lines, lost := 0, false
	for i := range t.lines {
		l := &t.lines[i]
		switch {
		case l.counted && l.in == deductions && k == toDate && l.cells[k] == nil && l.amount[now] != 0:
			lost = true // the year's amount was not read, or is not shown
		case !l.counted || l.cells[k] == nil:
		case l.item == reimbursement:
			more += l.amount[k]
		case l.in == earnings && containsAny(l.label, wordList("in kind")):
			inKind += l.amount[k]
		case l.in == deductions:
			less += l.amount[k]
			lines++
		}
	}
	if total := t.value(totalDeductions, k); total != nil && lines == 0 {
		less, lines = *total, 1
	}
	return lines > 0 && !lost, t.isExplained(*n-(*g-less), k) || near(*g-less+more, *n, 2) || near(*g-less+more-inKind, *n, 2)
}

func near(a, b, by report.Cents) bool { return a-b <= by && b-a <= by }

// product reports whether hours times rate is the amount, except for rounding, or true if
// this is unknown. Overtime may show its own rate or the base rate.
func (l *line) product() bool {
	if l.hours == nil || l.rate == nil || l.cells[now] == nil {
		return true
	}
	h, okH := timed(l.hours.text)
	r, okR := decimal(l.rate.text)
	if !okH || !okR || h <= 0 || r <= 0 || h > 1e8 || r > 1e9 {
		return true
	}
	amount := max(l.amount[now], -l.amount[now]) // of a check that was reversed
	if r == int64(amount)*100 {                  // the rate is for the whole period
		return true
	}
	// 38.15 may be 38 hours and 15 minutes
	if whole, minutes, ok := strings.Cut(l.hours.text, "."); ok && len(minutes) == 2 && minutes < "60" {
		if h, ok := timed(whole + ":" + minutes); ok && near(report.Cents(h*r/1_000_000), amount, 2) {
			return true
		}
	}
	fits := func(r, halves int64) bool { // both factors are in ten-thousandths, and the amount is in cents
		return near(report.Cents(h*r/1_000_000*halves/2), amount, report.Cents(2+h*halves/2/10_000))
	}
	if text := strings.TrimSpace(l.rate.text); len(text) >= 4 && strings.Trim(text, "0123456789") == "" && fits(r/10_000, 2) {
		return true // the rate is printed without its decimal point
	}
	return slices.ContainsFunc([]int64{2, 3, 4, 1}, func(halves int64) bool { return fits(r, halves) }) // 1 is the premium on top of the rate
}

// timed parses hours, as in 76.50 or 76:30, to ten-thousandths.
func timed(s string) (int64, bool) {
	h, m, ok := strings.Cut(strings.TrimSpace(s), ":")
	if !ok {
		return decimal(s)
	}
	hours, ok1 := decimal(h)
	minutes, ok2 := decimal(m)
	return hours + minutes/60, ok1 && ok2 && minutes < 60_0000
}

// decimal parses a number to ten-thousandths.
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

// growth compares the year to date with the period.
func (d *Document) growth() {
	t := &d.table
	sure := (t.balances(now) || t.balances(toDate)) && !t.vague
	for i := range t.lines {
		if l := &t.lines[i]; !l.weak && l.cells[now] != nil && l.cells[toDate] != nil && l.item != noItem &&
			l.amount[now] > max(0, l.amount[toDate]) {
			d.find(YearToDate, sure, l.cells[now].area(), l.cells[toDate].area())
		}
	}
	p := &d.Stub
	if p.GrossTotal == nil || p.GrossTotalYTD == nil {
		return
	}
	if *p.GrossTotalYTD < *p.GrossTotal {
		d.find(YearToDate, sure, d.areas(toDate, gross)...)
	}
	// By March, an employee hired before this year has earned more than in one period.
	if pay, hire := d.fields.pay, d.fields.hire; pay.valid && hire.valid && hire.date.Year() < pay.date.Year() &&
		pay.date.YearDay() > 62 && *p.GrossTotalYTD <= *p.GrossTotal {
		d.find(YearToDate, false, d.areas(toDate, gross)...)
	}
}

// rates checks the social security and Medicare taxes. They apply to gross less some of the
// other deductions; it is unknown which, so that each tax has a minimum and a maximum.
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
	g, other := *p.GrossTotal, d.exempt(now)+d.table.untaxed(now)
	inKind, inKindYTD := d.table.inKind[now], d.table.inKind[toDate]
	before, otherYTD := report.Cents(-1), d.exempt(toDate)+d.table.untaxed(toDate) // wages of the year until this period
	if p.GrossTotalYTD != nil && *p.GrossTotalYTD >= g {
		before = *p.GrossTotalYTD - g
	}
	// Social security.
	least, most := percent(g-other, payrolltax.SocialSecurity), percent(g+inKind, payrolltax.SocialSecurity)
	if !known || before < 0 && g > base/60 {
		least = 0
	} else if before >= 0 {
		least = percent(max(0, min(g-other, base-before)), payrolltax.SocialSecurity)
		most = percent(max(0, min(g+inKind, base-before+otherYTD)), payrolltax.SocialSecurity)
	}
	leastM, mostM := percent(g-other, payrolltax.Medicare), percent(g+inKind, payrolltax.Medicare)
	if before < 0 {
		mostM += percent(g, payrolltax.Additional)
	} else {
		over := before + g - payrolltax.AdditionalFrom
		leastM += percent(max(0, min(g-other, over-otherYTD)), payrolltax.Additional)
		mostM += percent(max(0, min(g, over)), payrolltax.Additional)
	}
	d.checkTaxRange(socialSecurity, now, least, most, 2)
	d.checkTaxRange(medicare, now, leastM, mostM, 2)
	d.checkTaxRange(fica, now, least+leastM, most+mostM, 3)

	// Both taxes apply to the same wage up to the wage base.
	if s, m := p.SocialSecurityTax, p.MedicareTax; s != nil && m != nil && *s > 0 && *m > 0 &&
		before >= 0 && before+g <= min(base, payrolltax.AdditionalFrom) {
		off := *s*payrolltax.Medicare - *m*payrolltax.SocialSecurity
		if by := report.Cents(2 * (payrolltax.Medicare + payrolltax.SocialSecurity)); !near(off, 0, by) {
			d.find(DeductionsOff, d.table.balances(now) && !near(off, 0, 100*payrolltax.SocialSecurity),
				d.areas(now, socialSecurity, medicare)...)
		}
	}
	if p.GrossTotalYTD == nil || !known {
		return
	}
	// The year to date, in which each period was rounded separately.
	y := *p.GrossTotalYTD
	least, most = percent(min(max(0, y-otherYTD), base), payrolltax.SocialSecurity), percent(min(y+inKindYTD, base), payrolltax.SocialSecurity)
	of := func(wage report.Cents) report.Cents {
		return percent(max(0, wage), payrolltax.Medicare) + percent(max(0, wage-payrolltax.AdditionalFrom), payrolltax.Additional)
	}
	leastM, mostM = of(y-otherYTD), of(y+inKindYTD)
	d.checkTaxRange(socialSecurity, toDate, least, most, 60)
	d.checkTaxRange(medicare, toDate, leastM, mostM, 60)
	d.checkTaxRange(fica, toDate, least+leastM, most+mostM, 60)
}

// checkTaxRange checks that a tax is in its range. A missing or zero tax means that the employee is
// exempt. A tax of all wages, without the wage base and the additional rate, is a mistake that
// employers make, too.
func (d *Document) checkTaxRange(i item, k int, least, most, by report.Cents) {
	c := d.table.value(i, k)
	if c == nil || *c == 0 {
		return
	}
	if v := *c; v < 0 || v < least-by || v > most+by {
		rate := map[item]report.Cents{socialSecurity: payrolltax.SocialSecurity, medicare: payrolltax.Medicare,
			fica: payrolltax.SocialSecurity + payrolltax.Medicare}[i]
		if g := d.table.value(gross, k); g != nil {
			least = min(least, percent(*g-d.exempt(k)-d.table.untaxed(k), rate))
			most = max(most, percent(*g+d.table.inKind[k], rate))
		}
		d.find(DeductionsOff, d.table.balances(now) && (v < least-100 || v > most+100), d.areas(k, i)...)
	}
}

func percent(c report.Cents, rate report.Cents) report.Cents { return (c*rate + 5_000) / 10_000 }

// exempt returns the maximum deductions that may reduce the wages for these taxes. Without a
// complete table of deductions, these are all deductions except the taxes themselves.
func (d *Document) exempt(k int) report.Cents {
	lines := slices.ContainsFunc(d.table.lines, func(l line) bool { return l.counted && l.in == deductions && l.cells[k] != nil })
	if known, fits := d.table.balance(k); lines && (fits || !known) {
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

// untaxed returns the earnings that may not be wages, such as allowances for housing and
// food.
func (t *table) untaxed(k int) (sum report.Cents) {
	if sum = t.allowed; sum > 0 && k == toDate {
		if v := t.value(gross, k); v != nil {
			return *v // the year's allowances are unknown
		}
	}
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted || l.in != earnings || l.cells[now] == nil && l.cells[k] == nil {
			continue
		}
		if containsAny(l.label, wordList("untaxed")) {
			if sum += max(l.amount[k], 0); l.cells[k] == nil {
				if v := t.value(gross, k); v != nil {
					return *v
				}
			}
		}
	}
	return sum
}

// exempt returns the deductions that may reduce the wages for social security: those that
// are neither taxes nor retirement savings.
func (t *table) exempt(k int) (sum report.Cents) {
	for i := range t.lines {
		l := &t.lines[i]
		if !l.counted || l.in != deductions || l.cells[k] == nil || l.item == socialSecurity || l.item == medicare || l.item == fica {
			continue
		}
		if word := func(w string) bool { return contains(l.label, w) }; strings.Contains(l.label, "tax") && !word("pre") &&
			!strings.Contains(l.label, "pretax") || word("federal") || word("fed") || word("state") ||
			strings.Contains(l.label, "withh") || word("w h") ||
			strings.Contains(l.label, "401") || strings.Contains(l.label, "retire") || word("pension") ||
			word("roth") || containsAny(l.label, wordList("tax code")) {
			continue
		}
		sum += max(l.amount[k], 0)
	}
	return sum
}
