package cashflow

import (
	"slices"

	"vestibule/internal/analysis/bankdata"
)

// incomes holds the income of the months before the fetch date; 1 is the last complete
// month. If a month begins on days that are not business days, credits of the last
// business day before them may belong to either month.
type incomes struct {
	wages   [historyMonths + 1]int64 // income without tax refunds, in cents
	refunds [historyMonths + 1]int64 // tax refunds
	early   [historyMonths + 1]int64 // part of wages that may belong to the next month
}

func (in *incomes) add(f *facts, e *bankdata.Entry) {
	k := f.monthOf(e.Day)
	if e.Leaf == bankdata.LeafTaxRefund {
		in.refunds[k] += int64(e.Amount)
		return
	}
	in.wages[k] += int64(e.Amount)
	if k > 0 && e.Day == lastBefore(f.month[k-1]) {
		in.early[k] += int64(e.Amount)
	}
}

// kept is the part of a year's income that counts.
type kept struct {
	months          int64 // months with at least leastIncome
	mean, variation figure
	points          int
}

// The bins whose points best maximizes together.
var (
	monthsBin    = letter("E")
	meanBin      = letter("F")
	variationBin = letter("G")
)

func letter(letter string) *Bin {
	return &card[slices.IndexFunc(card[:], func(b Bin) bool { return b.Letter == letter })]
}

// best returns the reading of the last 12 complete months with the most points. The history
// covers n of them. best assigns early credits to either month, and counts as much of the
// income as gives the most points with its variation.
func (in *incomes) best(n int) kept {
	n = min(n, Last12.months())
	var moves []int
	for k := 2; k <= Last12.months()+1; k++ { // moving credits out of the 12 months gains nothing
		if in.early[k] > 0 {
			moves = append(moves, k)
		}
	}
	best := kept{points: -1}
	for choice := range 1 << len(moves) {
		wages := in.wages
		for i, k := range moves {
			if choice&(1<<i) != 0 {
				wages[k] -= in.early[k]
				wages[k-1] += in.early[k]
			}
		}
		if k := in.read(&wages, n); k.points > best.points {
			best = k
		}
	}
	return best
}

// read returns the best reading of the given months.
func (in *incomes) read(wages *[historyMonths + 1]int64, n int) kept {
	months := int64(0)
	for k := 1; k <= Last12.months(); k++ {
		if wages[k]+in.refunds[k] >= leastIncome {
			months++
		}
	}
	best := kept{points: -1}
	try := func(mean, variation figure) {
		k := kept{months: months, mean: mean, variation: variation}
		for b, f := range map[*Bin]figure{monthsBin: integer(months), meanBin: mean, variationBin: variation} {
			k.points += b.points(universal[b.at].Type.value(f)) // the order of the map does not matter
		}
		if k.points > best.points {
			best = k
		}
	}
	if n == 0 {
		try(missing(noValues), missing(noValues))
		return best
	}
	covered := slices.Clone(wages[1 : n+1])
	sum, refunds := total(covered), total(in.refunds[1:n+1])
	mean := ratioOf(sum+refunds, int64(n))
	if n < leastMonths {
		try(mean, missing(noValues))
		return best
	}
	try(mean, missing(undefined))
	slices.Sort(covered)
	for _, level := range append([]Cell{{}}, meanBin.Cells...) {
		least := max(leastIncome*int64(n), level.Bound*int64(n)-refunds)
		if least <= sum {
			try(ratioOf(least+refunds, int64(n)), variation(cutTo(covered, least)))
		}
	}
	return best
}

func total(cents []int64) (sum int64) {
	for _, c := range cents {
		sum += c
	}
	return sum
}

// cutTo caps ascending amounts at the height that leaves a sum, which is at most theirs.
// The results are scaled by one factor so that they are integers. No other amounts up to
// these with that sum vary less.
func cutTo(amounts []int64, sum int64) []int64 {
	out := make([]int64, len(amounts))
	low := int64(0)
	for i, a := range amounts {
		rest := int64(len(amounts) - i)
		if a*rest < sum-low {
			low += a
			continue
		}
		for j := range out {
			out[j] = sum - low
			if j < i {
				out[j] = amounts[j] * rest
			}
		}
		return out
	}
	return amounts
}
