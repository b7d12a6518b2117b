package cashflow

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// measure computes a figure over a window. Without any transaction, it is called only for
// figures of the fetch date.
type measure func(f *facts, w Window) figure

// blend is a sum of the subjects in plus less those in minus.
type blend struct {
	plus, minus []subject
	always      bool // 0 and not missing if the history has none of it
}

func of(s ...subject) blend { return blend{plus: s} }

// Blends of several subjects.
var (
	netFlow = blend{plus: []subject{moneyIn}, minus: []subject{moneyOut}, always: true}
	free    = blend{plus: []subject{income}, minus: []subject{essential, loanPayment, cardPayment, advanceRepaid}, always: true}
	debt    = of(loanPayment, cardPayment, advanceRepaid)
)

// sum returns the blend's total. over is f.in or f.inWhole.
func (b blend) sum(over func(subject, Window) cell, w Window) (total cell) {
	for _, s := range b.plus {
		c := over(s, w)
		total.sum, total.count = total.sum+c.sum, total.count+c.count
	}
	for _, s := range b.minus {
		c := over(s, w)
		total.sum, total.count = total.sum-c.sum, total.count+c.count
	}
	return total
}

// months returns the blend's sums of n months of the window, oldest first.
func (b blend) months(f *facts, w Window, n int) []int64 {
	out := make([]int64, n, historyMonths)
	for _, s := range b.plus {
		for i, c := range f.cells(s, w, n) {
			out[n-1-i] += c.sum
		}
	}
	for _, s := range b.minus {
		for i, c := range f.cells(s, w, n) {
			out[n-1-i] -= c.sum
		}
	}
	return out
}

// occurs reports whether the history has any transaction of the blend.
func (b blend) occurs(f *facts) bool { return b.always || b.sum(f.in, History).count > 0 }

// sumOf measures the blend's sum over the window.
func sumOf(b blend) measure {
	return func(f *facts, w Window) figure {
		if !f.used(w) {
			return missing(noValues)
		}
		return integer(b.sum(f.in, w).sum)
	}
}

// countOf measures the number of the subject's transactions in the window.
func countOf(s subject) measure {
	return func(f *facts, w Window) figure {
		if !f.used(w) {
			return missing(noValues)
		}
		return integer(f.in(s, w).count)
	}
}

// monthsOf measures the number of months of the window, including partly covered ones, in
// which the subject occurs.
func monthsOf(s subject) measure {
	return func(f *facts, w Window) figure {
		if !f.used(w) {
			return missing(noValues)
		}
		n := int64(0)
		for _, c := range f.cells(s, w, w.months()) {
			if c.count > 0 {
				n++
			}
		}
		return integer(n)
	}
}

// positiveMonths measures the number of months of the window with positive net cash flow.
func positiveMonths(f *facts, w Window) figure {
	if !f.used(w) {
		return missing(noValues)
	}
	n := int64(0)
	for _, v := range netFlow.months(f, w, w.months()) {
		if v > 0 {
			n++
		}
	}
	return integer(n)
}

// monthlyMean measures the blend's mean over the window's whole months.
func monthlyMean(b blend) measure {
	return func(f *facts, w Window) figure {
		n := f.wholeMonths(w)
		if n == 0 || !f.used(w) || !b.occurs(f) {
			return missing(noValues)
		}
		return ratioOf(b.sum(f.inWhole, w).sum, int64(n))
	}
}

// monthlyMin measures the blend's lowest sum of a whole month of the window.
func monthlyMin(b blend) measure {
	return func(f *facts, w Window) figure {
		n := f.wholeMonths(w)
		if n == 0 || !f.used(w) || !b.occurs(f) {
			return missing(noValues)
		}
		months := b.months(f, w, n)
		low := months[0]
		for _, v := range months[1:] {
			low = min(low, v)
		}
		return integer(low)
	}
}

// leastMonths is the minimum number of months for a slope or a variation.
const leastMonths = 3

// monthlyTrend measures the slope of the blend's sums over the window's whole months.
func monthlyTrend(b blend) measure {
	return func(f *facts, w Window) figure {
		n := f.wholeMonths(w)
		if n < leastMonths || !f.used(w) {
			return missing(noValues)
		}
		return slope(b.months(f, w, n))
	}
}

// monthlyVariation measures the standard deviation of those sums divided by their mean.
func monthlyVariation(b blend) measure {
	return func(f *facts, w Window) figure {
		n := f.wholeMonths(w)
		if n < leastMonths || !f.used(w) {
			return missing(noValues)
		}
		return variation(b.months(f, w, n))
	}
}

// meanOf measures the mean amount of the subject's transactions in whole months.
func meanOf(s subject) measure {
	return func(f *facts, w Window) figure {
		c := f.inWhole(s, w)
		if c.count == 0 {
			return missing(noValues)
		}
		return ratioOf(c.sum, c.count)
	}
}

// recency measures the days from the subject's last transaction to the fetch date.
func recency(s subject) measure {
	return func(f *facts, _ Window) figure {
		if f.by[s].all.count == 0 {
			return missing(noValues)
		}
		return days(f.fetch - f.by[s].last)
	}
}

// shareSince measures since divided by the days of history.
func shareSince(s subject) measure {
	return func(f *facts, w Window) figure {
		d := recency(s)(f, w)
		if d.state != exact {
			return d
		}
		return ratioOf(d.num, f.historyDays())
	}
}

// historyDays returns the fetch date less the oldest retrieved day.
func (f *facts) historyDays() int64 { return max(0, int64(f.fetch-f.oldest)) }

func oldest(f *facts, _ Window) figure { return days(f.fetch - f.oldest) }

// sumPer30 measures the blend's sum per 30 days of history.
func sumPer30(b blend) measure {
	return func(f *facts, w Window) figure { return ratioOf(30*b.sum(f.in, w).sum, f.historyDays()) }
}

// countPer30 measures the number of the subject's transactions per 30 days of history.
func countPer30(s subject) measure {
	return func(f *facts, w Window) figure { return ratioOf(30*f.in(s, w).count, f.historyDays()) }
}

// ratio measures one blend's sum over the window divided by another's.
func ratio(num, den blend) measure {
	return func(f *facts, w Window) figure {
		if !f.used(w) {
			return missing(noValues)
		}
		return ratioOf(num.sum(f.in, w).sum, den.sum(f.in, w).sum)
	}
}

// recentShare measures the last 3 months' sum times 4, divided by the window's sum.
func recentShare(b blend) measure {
	return func(f *facts, w Window) figure {
		if !f.used(w) {
			return missing(noValues)
		}
		return ratioOf(4*b.sum(f.in, Last3).sum, b.sum(f.in, w).sum)
	}
}

// reserve measures the mean balance divided by the mean monthly debits, in whole months.
func reserve(f *facts, w Window) figure {
	n := f.wholeMonths(w)
	if n == 0 || !f.used(w) {
		return missing(noValues)
	}
	sum, count := f.daySum(f.total, w)
	return ratioOf(sum*int64(n), count*f.inWhole(debits, w).sum)
}

// topStream measures the largest recurring stream's share of the window's income.
func topStream(f *facts, w Window) figure {
	if !f.used(w) {
		return missing(noValues)
	}
	from, until := f.bounds(w)
	top := int64(0)
	for i := range f.ledger.Streams {
		s := &f.ledger.Streams[i]
		if !isIncome(s) {
			continue
		}
		sum := int64(0)
		for _, at := range s.Entries {
			if e := &f.ledger.Entries[at]; e.Day >= from && e.Day < until {
				sum += int64(e.Amount)
			}
		}
		top = max(top, sum)
	}
	return ratioOf(top, f.in(income, w).sum)
}

// interval measures the mean gap between the primary income stream's payment days in the
// window.
func interval(f *facts, w Window) figure {
	s := f.primary(false)
	if s == nil {
		return missing(noValues)
	}
	from, until := f.bounds(w)
	var first, last bankdata.Day
	gaps := int64(-1)
	for _, at := range s.Entries {
		d := f.ledger.Entries[at].Day
		switch {
		case d < from || d >= until:
			continue
		case gaps < 0:
			first, last, gaps = d, d, 0
		case d > last:
			last = d
			gaps++
		}
	}
	if gaps < 1 {
		return missing(noValues)
	}
	return ratioOf(int64(last-first), gaps)
}

// longestGap measures the longest gap between two days of income. The window is always
// Last12.
func longestGap(f *facts, _ Window) figure {
	if f.gap < 0 {
		return missing(noValues)
	}
	return integer(f.gap)
}

// tenure measures the days since the first credit of the primary active income stream.
func tenure(f *facts, _ Window) figure {
	s := f.primary(true)
	if s == nil {
		return missing(noValues)
	}
	return days(f.fetch - s.First)
}

// activeStreams measures the number of active recurring streams of income, or of debits.
func activeStreams(in bool) measure {
	return func(f *facts, _ Window) figure {
		n := int64(0)
		for i := range f.ledger.Streams {
			s := &f.ledger.Streams[i]
			if s.Active && !s.Irregular && s.In == in && (!in || isIncome(s)) {
				n++
			}
		}
		return integer(n)
	}
}

// holdings selects the accounts of a balance.
type holdings uint8

const (
	allAccounts holdings = iota
	checkingAccounts
	savingsAccounts
)

func (h holdings) ends(f *facts) []report.Cents {
	switch h {
	case checkingAccounts:
		return f.checking
	case savingsAccounts:
		return f.savings
	}
	return f.total
}

func (h holdings) has(a *bankdata.LedgerAccount) bool {
	switch h {
	case checkingAccounts:
		return a.Subtype == report.Checking
	case savingsAccounts:
		return a.Subtype == report.Savings
	}
	return true
}

func (h holdings) count(f *facts) int {
	n := 0
	for i := range f.ledger.Accounts {
		if h.has(&f.ledger.Accounts[i]) {
			n++
		}
	}
	return n
}

// balanceNow measures the sum of current balances.
func balanceNow(h holdings) measure {
	return func(f *facts, _ Window) figure {
		sum := int64(0)
		for i := range f.ledger.Accounts {
			if a := &f.ledger.Accounts[i]; h.has(a) {
				sum += int64(a.Balance)
			}
		}
		return integer(sum)
	}
}

func accountCount(f *facts, _ Window) figure { return integer(int64(len(f.ledger.Accounts))) }

// wholeDays returns the day-end balances in the window's whole months.
func (f *facts) wholeDays(ends []report.Cents, w Window) []report.Cents {
	if ends == nil || f.wholeMonths(w) == 0 {
		return nil
	}
	from, until := f.wholeBounds(w)
	return ends[f.offset(from):f.offset(until)]
}

func (f *facts) daySum(ends []report.Cents, w Window) (sum, count int64) {
	for _, c := range f.wholeDays(ends, w) {
		sum += int64(c)
		count++
	}
	return sum, count
}

// balanceMean measures the mean day-end balance of whole months.
func balanceMean(h holdings) measure {
	return func(f *facts, w Window) figure {
		sum, n := f.daySum(h.ends(f), w)
		if n == 0 {
			return missing(noValues)
		}
		return ratioOf(sum, n)
	}
}

// balanceEdge measures the lowest or highest day-end balance of whole months.
func balanceEdge(better func(a, b report.Cents) report.Cents) measure {
	return func(f *facts, w Window) figure {
		ends := f.wholeDays(f.total, w)
		if len(ends) == 0 {
			return missing(noValues)
		}
		edge := ends[0]
		for _, c := range ends[1:] {
			edge = better(edge, c)
		}
		return integer(int64(edge))
	}
}

func lower(a, b report.Cents) report.Cents  { return min(a, b) }
func higher(a, b report.Cents) report.Cents { return max(a, b) }

// balanceTrend measures the slope of the total balance at the ends of whole months.
func balanceTrend(f *facts, w Window) figure {
	n := f.wholeMonths(w)
	if n < leastMonths {
		return missing(noValues)
	}
	ends := make([]int64, n, historyMonths)
	for k := 1; k <= n; k++ {
		ends[n-k] = int64(f.total[f.offset(f.month[k-1])-1])
	}
	return slope(ends)
}

// covered returns the values of the days of the window that the history covers.
func covered[T any](f *facts, ends []T, w Window) []T {
	from, until := f.bounds(w)
	from = max(from, f.oldest)
	if from >= until {
		return nil
	}
	return ends[f.offset(from):f.offset(until)]
}

// negativeDays measures the number of days of the window on which an account ended below 0.
func negativeDays(f *facts, w Window) figure {
	ends := covered(f, f.negative, w)
	if len(ends) == 0 {
		return missing(noValues)
	}
	n := int64(0)
	for _, below := range ends {
		if below {
			n++
		}
	}
	return integer(n)
}

// sinceNegative measures the days since the last of these days before the fetch date.
func sinceNegative(f *facts, _ Window) figure {
	for d := f.fetch - 1; d >= f.oldest; d-- {
		if f.negative[f.offset(d)] {
			return days(f.fetch - d)
		}
	}
	return missing(noValues)
}

// lowBalance is the total balance below which a day counts as low.
const lowBalance report.Cents = 100_00

// lowDays measures the number of days of the window that ended below lowBalance.
func lowDays(f *facts, w Window) figure {
	ends := covered(f, f.total, w)
	if len(ends) == 0 {
		return missing(noValues)
	}
	n := int64(0)
	for _, c := range ends {
		if c < lowBalance {
			n++
		}
	}
	return integer(n)
}
