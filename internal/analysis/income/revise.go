package income

import (
	"math"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// After a dispute, staff may correct a report's figures. The regenerated report has the
// corrected figures of the whole report, and all valid figures in revised_report_values.
// Data of a source do not change: the months of the history, inflows, payroll and pay
// stubs.

// Recent reports whether a report can have figures of the last three months, which are only
// in reports from bank data.
func Recent(r *report.Income) bool { return len(r.AccountDetails) > 0 }

// Estimated reports whether a report's gross figures are estimated from its net ones.
func Estimated(r *report.Income) bool { return r.Income != nil && len(r.Income.FinancialAccounts) > 0 }

// Figures returns the correctable figures of a report; nil for missing ones.
func Figures(r *report.Income) (v report.RevisedValues) {
	switch n := r.Income; {
	case n == nil:
	case n.Revised != nil:
		v = *n.Revised
	case Estimated(r):
		a := &n.FinancialAccounts[0]
		v = report.RevisedValues{GrossAnnual: a.GrossAnnual, NetAnnual: a.NetAnnual, GrossRecent: a.GrossRecent, NetRecent: a.NetRecent}
	default:
		v.GrossAnnual, v.NetAnnual = inDollarsOf(n.Summary.AnnualGross), inDollarsOf(n.Summary.AnnualNet)
	}
	return v
}

func inDollarsOf(c *report.Cents) *int64 {
	if c == nil {
		return nil
	}
	return inDollars(*c)
}

// Values of Unfit.Reason.
const (
	UnfitNone    = "nothing is corrected"
	UnfitAbsent  = "the report has no such figure"
	UnfitRange   = "no whole dollars"
	UnfitMissing = "the report does not say it"
	UnfitNet     = "more net than gross"
	UnfitUnknown = "what it was estimated from is deleted"
)

// largestRevised is the maximum of a corrected figure.
const largestRevised = math.MaxInt32

// Unfit is the error of an invalid correction.
type Unfit struct {
	Figure string // one of report.RevisedNames; "" for all
	Reason string // one of the Unfit… constants
}

func (u Unfit) Error() string { return "income: " + u.Figure + ": " + u.Reason }

// Corrected returns a report's figures with those of v that are not nil. If the report's
// gross is estimated and only the net is corrected, estimate estimates the gross again; it
// may fail. All other errors are an Unfit.
func Corrected(r *report.Income, v report.RevisedValues,
	estimate func(report.RevisedValues) (report.RevisedValues, error)) (report.RevisedValues, error) {
	now, then, changed := Figures(r), v, false
	for _, name := range report.RevisedNames() {
		to, from := then.Figure(name), *now.Figure(name)
		if *to == nil {
			continue
		}
		if report.RevisedRecent(name) && !Recent(r) {
			return v, Unfit{name, UnfitAbsent}
		}
		if **to < 0 || **to > largestRevised {
			return v, Unfit{name, UnfitRange}
		}
		if from != nil && *from == **to {
			*to = nil // unchanged
			continue
		}
		changed = true
	}
	if !changed {
		return v, Unfit{"", UnfitNone}
	}
	alone := then.NetAnnual != nil && v.GrossAnnual == nil || then.NetRecent != nil && v.GrossRecent == nil
	if alone && Estimated(r) {
		anew, err := estimate(then)
		if err != nil {
			return v, err
		}
		if then.NetAnnual != nil && v.GrossAnnual == nil {
			then.GrossAnnual = anew.GrossAnnual
		}
		if then.NetRecent != nil && v.GrossRecent == nil {
			then.GrossRecent = anew.GrossRecent
		}
	}
	for _, name := range report.RevisedNames() {
		if to := then.Figure(name); *to == nil {
			*to = *now.Figure(name)
		}
	}
	return then, fits(then)
}

// fits returns an error if the figures of a regenerated report are inconsistent.
func fits(v report.RevisedValues) error {
	for _, pair := range [][2]string{{"gross_annual", "net_annual"}, {"gross_recent", "net_recent"}} {
		gross, net := *v.Figure(pair[0]), *v.Figure(pair[1])
		switch {
		case gross == nil && net == nil && report.RevisedRecent(pair[0]):
		case gross == nil:
			return Unfit{pair[0], UnfitMissing}
		case net == nil:
			return Unfit{pair[1], UnfitMissing}
		case *net > *gross:
			return Unfit{pair[1], UnfitNet}
		}
	}
	return nil
}

// Gross estimates the gross of net figures, in whole dollars. It uses the proportion of
// wages in the report of the input.
func Gross(in Input, net report.RevisedValues, asOf time.Time) (out report.RevisedValues) {
	f := read(bankdata.Read(in.Bank, report.DateOf(asOf)), employersOf(in.StatedEmployers))
	taxes := netOf(taxesOf(f.year), f.state(&in))
	if net.NetAnnual != nil {
		was := f.lastMonths(12)
		now := was.like(report.Cents(*net.NetAnnual) * 100)
		// Wages of less than a year are taxed at the rate of a whole year.
		base := now
		for i, c := range f.base() {
			if was[i] > 0 {
				base[i] = ratio{net: was[i], gross: now[i]}.grossOf(c)
			}
		}
		out.GrossAnnual = inDollars(now.gross(ratesOf(base, taxes)))
	}
	if net.NetRecent != nil {
		was, _ := f.annualized(3)
		now := was.like(report.Cents(*net.NetRecent) * 100)
		out.GrossRecent = inDollars(now.gross(ratesOf(now, taxes)))
	}
	return out
}

// like splits a net income into kinds in the proportions of s. If s is empty, all is wages.
func (s sums) like(net report.Cents) (now sums) {
	total := s.total()
	if total == 0 {
		now[wage] = net
		return now
	}
	rest, last := net, wage
	for i, c := range s {
		if c > 0 {
			now[i] = min(ratio{net: total, gross: net}.grossOf(c), rest)
			rest -= now[i]
			last = i
		}
	}
	now[last] += rest
	return now
}

// Revise returns the report with the figures that Corrected returned, as a revision with
// the given number. The matched income changes in the proportion of the annual figures. It
// does not change r.
func Revise(r report.Income, v report.RevisedValues, revision int, at time.Time) report.Income {
	now := Figures(&r)
	r.Meta = r.Meta.Revised(revision, at)
	if r.Income == nil && v == (report.RevisedValues{}) {
		return r
	}
	node := report.IncomeNode{}
	if r.Income != nil {
		node = *r.Income
	}
	// An unchanged amount keeps its cents.
	set := func(c **report.Cents, was, is *int64) {
		if is != nil && (*c == nil || was == nil || *was != *is) {
			cents := report.Cents(*is) * 100
			*c = &cents
		}
	}
	set(&node.Summary.AnnualGross, now.GrossAnnual, v.GrossAnnual)
	set(&node.Summary.AnnualNet, now.NetAnnual, v.NetAnnual)
	if Estimated(&r) {
		accounts := append([]report.FinancialAccount(nil), node.FinancialAccounts...)
		a := &accounts[0]
		a.GrossAnnual, a.NetAnnual, a.GrossRecent, a.NetRecent = v.GrossAnnual, v.NetAnnual, v.GrossRecent, v.NetRecent
		if a.MatchedIncome != nil {
			m := *a.MatchedIncome
			m.Gross, m.Net = scaled(m.Gross, now.GrossAnnual, v.GrossAnnual), scaled(m.Net, now.NetAnnual, v.NetAnnual)
			a.MatchedIncome = &m
		}
		node.FinancialAccounts = accounts
	}
	node.Revised = &v
	r.Income = &node
	return r
}

// scaled returns n in the proportion in which a figure changed, rounded half up.
func scaled(n, was, is *int64) *int64 {
	if n == nil || was == nil || is == nil || *was <= 0 {
		return n
	}
	return new((2**n**is + *was) / (2 * *was))
}
