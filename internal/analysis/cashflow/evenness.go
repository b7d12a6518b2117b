package cashflow

import (
	"slices"

	"vestibule/internal/analysis/bankdata"
)

// incomes is the income of the months before the fetch date; 1 is the last complete
// month. If a month begins on days that are not business days, credits of the last
// business day before them may belong to either month.
type incomes struct {
	wages   [historyMonths + 1]int64 // cents, without tax refunds
	refunds [historyMonths + 1]int64 // of taxes
	early   [historyMonths + 1]int64 // of wages: what may be of the next month
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

// kept is what of a year's income counts.
type kept struct {
	months          int64 // with leastIncome or more
	mean, variation figure
	points          int
}

// The bins that are looked up together.
var (
	monthsBin    = letter("E")
	meanBin      = letter("F")
	variationBin = letter("G")
)

// letter returns the bin of a letter.
func letter(letter string) *Bin {
	return &card[slices.IndexFunc(card[:], func(b Bin) bool { return b.Letter == letter })]
}

// best returns the reading of the last 12 complete months with the most points; n of them are
// covered from their first day. It assigns early credits to either month, and uses as
// much of the income as helps its variation.
func (in *incomes) best(n int) kept {
	n = min(n, Last12.months())
	var moves []int
	for k := 2; k <= Last12.months()+1; k++ { // out of the months there is nothing to gain
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
		for b, f := range map[*Bin]figure{monthsBin: whole(months), meanBin: mean, variationBin: variation} {
			k.points += b.points(universal[b.at].Type.value(f)) // in any order
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
	mean := over(sum+refunds, int64(n))
	if n < leastMonths {
		try(mean, missing(noValues))
		return best
	}
	try(mean, missing(undefined))
	slices.Sort(covered)
	for _, level := range append([]Cell{{}}, meanBin.Cells...) {
		least := max(leastIncome*int64(n), level.Bound*int64(n)-refunds)
		if least <= sum {
			try(over(least+refunds, int64(n)), variation(cutTo(covered, least)))
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

// cutTo cuts ascending amounts at a height that leaves a sum, which is at most theirs;
// all are scaled by one factor, so that they are integers. Of all amounts up to these
// with that sum, they vary the least.
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
