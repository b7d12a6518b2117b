package cashflow

import (
	"math/bits"
	"slices"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// cell is the total of one subject in one month.
type cell struct {
	sum   int64 // cents
	count int64
}

// series holds the totals of one subject.
type series struct {
	month   [historyMonths + 1]cell // by calendar month; 0 is the current one
	rolling [12 + 1]cell            // by rolling month; 0 is the fetch date
	all     cell
	last    bankdata.Day // valid if all.count > 0
}

// facts holds the input of all attributes: each subject's totals by month, computed in one
// pass over the ledger, and the balances of each day.
type facts struct {
	calendar
	ledger   *bankdata.Ledger
	by       [subjects]series
	total    []report.Cents // day-end balances from the oldest day to the fetch date
	checking []report.Cents // nil without such an account
	savings  []report.Cents
	negative []bool // whether an account ended the day below 0
	read     mask   // subjects that measures have read since it was cleared
	gap      int64  // longest gap between days of income in the last 12 months; -1 with fewer than two days
}

func newFacts(l *bankdata.Ledger) *facts {
	f := &facts{calendar: newCalendar(l.Fetch, l.Oldest), ledger: l, gap: -1}
	if !f.records() {
		return f
	}
	f.entries()
	f.streams()
	f.balances()
	return f
}

// records reports whether there is any transaction.
func (f *facts) records() bool { return len(f.ledger.Entries) > 0 }

// entries adds the entries to their subjects' totals, oldest first.
func (f *facts) entries() {
	month, rolling := historyMonths, 12
	from, until := f.bounds(Last12)
	day, paid := f.oldest-1, bankdata.Day(-1)
	for i := range f.ledger.Entries {
		e := &f.ledger.Entries[i]
		for month > 0 && e.Day >= f.month[month-1] {
			month--
		}
		for rolling > 0 && e.Day >= f.rolling[rolling-1] {
			rolling--
		}
		m := subjectsOf(e)
		if e.Day != day {
			day = e.Day
			m |= activeDay.bit()
		}
		f.add(e, m, month, rolling)
		if m&income.bit() != 0 && e.Day >= from && e.Day < until && e.Day != paid {
			if paid >= from {
				f.gap = max(f.gap, int64(e.Day-paid))
			}
			paid = e.Day
		}
	}
}

// subjectsOf returns an entry's subjects, without those that depend on streams.
func subjectsOf(e *bankdata.Entry) mask {
	m := everything.bit()
	if e.Out {
		m |= leafMasks[e.Leaf].debit
		if !e.Own {
			m |= moneyOut.bit()
		}
	} else {
		m |= leafMasks[e.Leaf].credit
		if !e.Own {
			m |= moneyIn.bit()
			if !slices.Contains(notExternal, e.Leaf) {
				m |= external.bit()
			}
		}
	}
	if e.Own {
		m |= transfer.bit()
	}
	if e.NSF > 0 {
		m |= nsf.bit()
	}
	return m
}

// add counts an entry for the subjects of m.
func (f *facts) add(e *bankdata.Entry, m mask, month, rolling int) {
	amount := int64(e.Amount)
	size := int64(magnitude(amount))
	inYear := e.Day >= f.rolling[12]
	for ; m != 0; m &= m - 1 {
		s := subject(bits.TrailingZeros32(uint32(m)))
		v := size
		if s == bankFee {
			v = -amount
		}
		b := &f.by[s]
		b.month[month].sum += v
		b.month[month].count++
		if inYear {
			b.rolling[rolling].sum += v
			b.rolling[rolling].count++
		}
		b.all.sum += v
		b.all.count++
		b.last = max(b.last, e.Day)
	}
}

// streams adds the entries of recurring debits to their subjects' totals.
func (f *facts) streams() {
	for i := range f.ledger.Streams {
		s := &f.ledger.Streams[i]
		if s.In || s.Irregular {
			continue
		}
		for _, at := range s.Entries {
			e := &f.ledger.Entries[at]
			m := recurring.bit()
			if e.Leaf.Group() == bankdata.GroupBill || leafMasks[e.Leaf].debit&(loanPayment.bit()|cardPayment.bit()) != 0 {
				m |= obligation.bit()
			}
			f.add(e, m, f.monthOf(e.Day), 0)
		}
	}
}

func (f *facts) balances() {
	n := f.ledger.Days()
	sums := make([]report.Cents, 3*n)
	f.total = sums[:n:n]
	f.negative = make([]bool, n)
	for i := range f.ledger.Accounts {
		var kind []report.Cents
		switch f.ledger.Accounts[i].Subtype {
		case report.Checking:
			f.checking = sums[n : 2*n : 2*n]
			kind = f.checking
		case report.Savings:
			f.savings = sums[2*n:]
			kind = f.savings
		}
		ends := f.ledger.DayEnds(i)
		for j, c := range ends {
			f.total[j] += c
			if c < 0 {
				f.negative[j] = true
			}
		}
		for j := range kind {
			kind[j] += ends[j]
		}
	}
}

// offset returns a day's index in the balances.
func (f *facts) offset(d bankdata.Day) int { return int(d - f.oldest) }

// cells returns a subject's totals in the newest n months of a window, newest first.
func (f *facts) cells(s subject, w Window, n int) []cell {
	f.read |= s.bit()
	if w == Rolling12 {
		return f.by[s].rolling[1 : 1+n]
	}
	return f.by[s].month[1 : 1+n]
}

// in returns a subject's total in a window, including partly covered months.
func (f *facts) in(s subject, w Window) cell {
	f.read |= s.bit()
	if w == History {
		return f.by[s].all
	}
	return add(f.cells(s, w, w.months()))
}

// inWhole returns a subject's total in the window's wholly covered months.
func (f *facts) inWhole(s subject, w Window) cell { return add(f.cells(s, w, f.wholeMonths(w))) }

func add(cells []cell) (sum cell) {
	for _, c := range cells {
		sum.sum += c.sum
		sum.count += c.count
	}
	return sum
}

func (f *facts) used(w Window) bool {
	read := f.read
	used := f.in(everything, w).count > 0
	f.read = read
	return used
}

// primary returns the largest recurring stream of income, or nil. With active, it must be
// active.
func (f *facts) primary(active bool) *bankdata.Stream {
	for i := range f.ledger.Streams {
		if s := &f.ledger.Streams[i]; isIncome(s) && (s.Active || !active) {
			return s
		}
	}
	return nil
}

func isIncome(s *bankdata.Stream) bool {
	return s.In && !s.Irregular && s.Leaf.Group() == bankdata.GroupIncome
}
