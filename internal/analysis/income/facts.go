package income

import (
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// historyMonths is the maximum number of complete months.
const historyMonths = 24

// maxJobs is the maximum number of jobs that are taxed separately.
const maxJobs = 4

// Kinds of an income payment for taxes: a wage of one of the jobs, from which taxes
// were withheld (the payment is net), or a payment without withholding.
const (
	wage  = 0       // of the first job; the other jobs follow
	other = maxJobs // paid without withholding
	kinds = maxJobs + 1
)

// sums holds net income by kind.
type sums [kinds]report.Cents

func (s *sums) add(kind int, c report.Cents) { s[kind] = addCapped(s[kind], c) }

func (s sums) plus(t sums) sums {
	for i := range s {
		s[i] = addCapped(s[i], t[i])
	}
	return s
}

// total returns the net income of all kinds.
func (s sums) total() (all report.Cents) {
	for _, c := range s {
		all = addCapped(all, c)
	}
	return all
}

// gross returns the gross income of all kinds.
func (s sums) gross(r rates) report.Cents {
	all := s[other]
	for i, c := range s[:maxJobs] {
		all = addCapped(all, r[i].grossOf(c))
	}
	return all
}

// annual scales the sums of n months to a year.
func (s sums) annual(n int) sums {
	for i := range s {
		s[i] = annual(s[i], n)
	}
	return s
}

// rates are the ratios of gross to net of the jobs.
type rates [maxJobs]ratio

// ratesOf computes each job's ratio from its wages of a year, because an employer withholds
// as if it were the only one.
func ratesOf(year sums, taxes curve) (r rates) {
	for i, net := range year[:maxJobs] {
		r[i] = ratio{net: net, gross: taxes.gross(net)}
	}
	return r
}

// isIncome reports whether an entry is a wage, and whether it is income, by its category.
func isIncome(e *bankdata.Entry) (wage, is bool) {
	if e.Amount <= 0 || e.Own || e.Leaf.Group() != bankdata.GroupIncome || e.Leaf == bankdata.LeafTaxRefund {
		return false, false
	}
	return e.Leaf == bankdata.LeafPayroll, true
}

// kindOf returns an entry's kind of income and whether it is income. It excludes entries of
// promoted streams.
func (f *facts) kindOf(at int32) (kind int, is bool) {
	e := &f.ledger.Entries[at]
	earned, is := isIncome(e)
	switch {
	case !is || f.taken != nil && f.taken[at]:
		return 0, false
	case earned:
		return f.job(e.Party), true
	}
	return other, true
}

// facts holds the ledger's facts about income. Month 0 is the current one, 1 the last
// complete one.
type facts struct {
	consumer *bankdata.Person // an employer never has this name; nil if not entered
	ledger   *bankdata.Ledger
	start    [historyMonths + 1]bankdata.Day // first day of each month
	year     int                             // of month 0
	calendar int                             // calendar month of month 0, 1 to 12
	whole    int                             // the history covers months 1 to whole wholly
	covered  int                             // the history covers months 0 to covered-1 at least partly
	month    [historyMonths + 1]sums
	any      bool // whether there is any income

	promoted []bool        // by stream; see promote
	taken    []bool        // by entry: whether its stream is promoted
	jobs     map[int32]int // by party: the job of its wages, by default main
	main     int
	accounts []accountFacts // by account of the ledger
	flows    []inflow
}

// accountFacts holds the facts about an account.
type accountFacts struct {
	oldest bankdata.Day // of the first entry; without any, the day after the fetch date
	income bool         // whether a deposit is income
	recent report.Cents // income of months 1 to 3
	spent  [4]bool      // by month: whether there was a debit other than an own transfer
}

// read computes the facts in one pass over the ledger. employers are the stated ones.
func read(l *bankdata.Ledger, employers []employer) *facts {
	f := &facts{ledger: l, accounts: make([]accountFacts, len(l.Accounts))}
	f.months()
	for i := range f.accounts {
		f.accounts[i].oldest = l.Fetch + 1
	}
	f.promote(employers)
	f.findJobs()
	k := historyMonths
	for i := range l.Entries {
		e := &l.Entries[i]
		for k > 0 && e.Day >= f.start[k-1] {
			k--
		}
		a := &f.accounts[e.Account]
		a.oldest = min(a.oldest, e.Day)
		if e.Amount < 0 && !e.Own && k <= 3 {
			a.spent[k] = true
		}
		if kind, is := f.kindOf(int32(i)); is {
			f.count(e, kind, k)
		}
	}
	for n, yes := range f.promoted {
		if yes {
			for _, at := range l.Streams[n].Entries {
				e := &l.Entries[at]
				f.count(e, f.job(e.Party), f.monthOf(e.Day))
			}
		}
	}
	return f
}

func (f *facts) count(e *bankdata.Entry, kind, month int) {
	f.any = true
	f.month[month].add(kind, e.Amount)
	a := &f.accounts[e.Account]
	if a.income = true; month >= 1 && month <= 3 {
		a.recent = addCapped(a.recent, e.Amount)
	}
}

func (f *facts) months() {
	date := f.ledger.Fetch.Date()
	f.year, f.calendar = date.Year(), int(date.Month())
	first := report.Date{Time: time.Date(date.Year(), date.Month(), 1, 0, 0, 0, 0, time.UTC)}
	for k := range f.start {
		f.start[k] = bankdata.DayOf(bankdata.MonthsBefore(first, k))
		if k > 0 && f.start[k] >= f.ledger.Oldest {
			f.whole = k
		}
	}
	if f.ledger.Oldest <= f.ledger.Fetch {
		f.covered = f.monthOf(f.ledger.Oldest) + 1
	}
}

func (f *facts) monthOf(d bankdata.Day) int {
	for k := range f.start {
		if d >= f.start[k] {
			return k
		}
	}
	return historyMonths
}

// lastMonths returns the sum of the last n complete months.
func (f *facts) lastMonths(n int) (s sums) {
	for _, m := range f.month[1 : n+1] {
		s = s.plus(m)
	}
	return s
}

// annualized returns the sum over the wholly covered ones of the last n complete months,
// scaled to a year, and false if there are none.
func (f *facts) annualized(n int) (sums, bool) {
	n = min(n, f.whole)
	if n == 0 {
		return sums{}, false
	}
	return f.lastMonths(n).annual(n), true
}

// consistent reports whether there is income in each of the last three complete
// months.
func (f *facts) consistent() bool {
	return !slices.ContainsFunc(f.month[1:4], func(m sums) bool { return m.total() == 0 })
}

// base returns each job's net wages of a year, which determine its tax rate: those of the
// last 12 complete months, scaled to a year by the covered ones; or of the whole history, if
// these months have none.
func (f *facts) base() (base sums) {
	var all sums
	for _, m := range f.month[:f.covered] {
		all = all.plus(m)
	}
	n := min(f.covered-1, 12)
	var year sums
	if n > 0 {
		year = f.lastMonths(n)
	}
	for i := range base[:maxJobs] {
		if year[i] > 0 {
			base[i] = annual(year[i], n)
		} else {
			base[i] = annual(all[i], max(f.covered, 1))
		}
	}
	return base
}

// primaryAccount reports whether one account receives at least half of the income of the
// last three complete months, and has debits in each of them.
func (f *facts) primaryAccount() bool {
	all := f.lastMonths(3).total()
	for _, a := range f.accounts {
		if a.recent > 0 && 2*a.recent >= all && a.spent[1] && a.spent[2] && a.spent[3] {
			return true
		}
	}
	return false
}

// history returns the months' sums by calendar year, the most recent first.
func (f *facts) history(r rates) []report.IncomeYear {
	var out []report.IncomeYear
	for k := range f.covered {
		number := 12*f.year + f.calendar - 1 - k // of the month, since year 0
		year, at := number/12, 11-number%12
		if n := len(out); n == 0 || out[n-1].Year != year {
			out = append(out, report.IncomeYear{Year: year, Gross: make([]*report.Cents, 12), Net: make([]*report.Cents, 12)})
		}
		y := &out[len(out)-1]
		net, gross := f.month[k].total(), f.month[k].gross(r)
		y.Net[at], y.Gross[at] = &net, &gross
	}
	return out
}
