package cashflow

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// Score v2.1 uses figures of a person's own money with the card's bins. Borrowing, refunds,
// own transfers, fees and returned payments never raise it, and income never lowers it
// (docs/explanation/analytics.md, "Version 2.1").

// leastIncome is the minimum income of a month that counts.
const leastIncome = 200_00

// Own describes the figures of the bins A to M of score v2.1.
func Own() []string { return append([]string(nil), ownAbout[:]...) }

var ownAbout = [cardBins]string{
	"Mean end-of-day balance of own money, last 3 complete months",
	"Lowest end-of-day balance of own money, last 3 complete months",
	"Days on which own money of all accounts ended below 0, last 3 complete months",
	"NSF and overdraft fee events, reversed fees included, last 12 complete months",
	"Number of months with at least $200 of income, last 12 complete months",
	"Average monthly income that counts beside its variation, last 12 complete months",
	"Standard deviation divided by mean of the monthly income that counts, last 12 complete months",
	"Debits divided by credits, without own transfers, borrowed money, refunds and reversals, last 3 complete months",
	"Number of months with more external credits than debits, last 12 complete months",
	"Loan, card and advance payments divided by income of at least $200 a month, last 3 complete months",
	"Transfers to savings and investments outside the report divided by debits, last 12 complete months",
	"Number of payday-loan, earned-wage or cash-advance credits, last 6 complete months",
	"Days since the oldest purchase, bill or other spending",
}

// notOwnMoney reports whether an entry is a credit that is not the person's own money.
func notOwnMoney(e *bankdata.Entry) bool { return e.Amount > 0 && notOwn[e.Leaf] }

// isExcluded reports whether an entry is excluded from the balances of own money: borrowed or
// refunded money, an own transfer, and the repayment of an advance.
func isExcluded(e *bankdata.Entry) bool {
	return e.Own || notOwnMoney(e) || e.Amount < 0 && e.Leaf == bankdata.LeafAdvanceOut
}

// spending reports whether an entry is a debit that proves activity of the person: not a
// bank's fee, nor an excluded entry.
func spending(e *bankdata.Entry) bool {
	group := e.Leaf.Group()
	return e.Amount < 0 && !isExcluded(e) && group != bankdata.GroupFee && group != bankdata.GroupDeposit
}

var notOwn = func() (set [256]bool) {
	for _, l := range notExternal {
		set[l] = true
	}
	return set
}()

// own holds the input of v2.1 besides the ledger's facts.
type own struct {
	facts               // balances of own money, from the oldest spending on
	events      int64   // NSF and overdraft events of the last 12 complete months
	saved       int64   // cents transferred to savings outside the report in these months
	income      incomes // of the last historyMonths months
	spent, late bool    // any spending; spending or income in the rolling 12 months
}

func newOwn(f *facts) *own {
	o := &own{facts: facts{calendar: f.calendar, ledger: f.ledger}}
	oldest := f.fetch + 1
	from, until := f.bounds(Last12)
	balances := make([]report.Cents, len(f.total))
	for i := range f.ledger.Entries {
		e := &f.ledger.Entries[i]
		if spending(e) {
			oldest = min(oldest, e.Day)
		}
		earned := e.Amount > 0 && !e.Own && e.Leaf.Group() == bankdata.GroupIncome
		if earned {
			o.income.add(f, e)
		}
		o.late = o.late || (earned || spending(e)) && e.Day >= f.rolling[12] && e.Day < f.fetch
		if isExcluded(e) {
			balances[f.offset(e.Day)] -= e.Amount
		}
		if e.Day >= from && e.Day < until {
			if e.NSF > 0 || e.Waived {
				o.events++
			}
			if e.Amount < 0 && !e.Own && (e.Leaf == bankdata.LeafSavingsOut || e.Leaf == bankdata.LeafInvestOut) {
				o.saved -= int64(e.Amount)
			}
		}
	}
	if o.spent = oldest <= f.fetch; !o.spent {
		return o
	}
	out := report.Cents(0)
	negative := make([]bool, len(balances))
	for i := range balances {
		out += balances[i]
		balances[i] = f.total[i] + out
		negative[i] = balances[i] < 0
	}
	at := f.offset(oldest)
	o.calendar = newCalendar(f.fetch, oldest)
	o.total, o.negative = balances[at:], negative[at:]
	return o
}

// scorable reports whether the data suffice for a score. The history begins with the oldest
// spending.
func (o *own) scorable() bool { return o.spent && o.late && o.historyDays() >= leastScoreDays }

// ownLines returns the lines of the card of score v2.1.
func ownLines(f *facts, v *values) []scored {
	if !f.records() {
		return nil
	}
	o := newOwn(f)
	if !o.scorable() {
		return nil
	}
	sum := func(s subject, w Window) int64 { return f.in(s, w).sum }
	kept := o.income.best(o.whole)
	positive := int64(0)
	for k := 1; k <= Last12.months(); k++ {
		if f.by[external].month[k].sum > f.by[moneyOut].month[k].sum {
			positive++
		}
	}
	debts := missing(undefined)
	if income := sum(income, Last3); income >= leastIncome*int64(Last3.months()) {
		debts = ratioOf(debt.sum(f.in, Last3).sum, income)
	}
	figures := [cardBins]figure{
		balanceMean(allAccounts)(&o.facts, Last3),
		balanceEdge(lower)(&o.facts, Last3),
		negativeDays(&o.facts, Last3),
		integer(o.events),
		integer(kept.months),
		kept.mean,
		kept.variation,
		ratioOf(sum(moneyOut, Last3), sum(external, Last3)),
		integer(positive),
		debts,
		ratioOf(o.saved, sum(moneyOut, Last12)),
		integer(f.in(advance, Last6).count),
		oldest(&o.facts, History),
	}
	out := make([]scored, len(card))
	for i := range card {
		b := &card[i]
		line := b.line(universal[b.at].Type.value(figures[i]))
		line.about = ownAbout[i]
		if i < 3 && b.points(v[b.at]) > line.points && sum(borrowed, History) > 0 {
			// The bank's balances give more points, so borrowed money costs the difference.
			line.code = universal[index("UA_INFLOW_ADVANCE_SUM_3M")].Code
		}
		out[i] = line
	}
	return out
}
