package income

import (
	"math/bits"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
)

// taxYear holds a year's federal income tax for a single filer without other income,
// deductions or credits. Amounts are in dollars, rates in hundredths of a percent.
type taxYear struct {
	year              int
	source            string
	standardDeduction int64
	brackets          []bracket // of taxable income, ascending
}

// wageBase returns the maximum wages subject to Social Security, in dollars.
func (y *taxYear) wageBase() int64 {
	base, _ := payrolltax.WageBase(y.year)
	return int64(base / 100)
}

// bracket is the rate on taxable income above an amount.
type bracket struct{ from, rate int64 }

// taxYears lists the known years in ascending order.
var taxYears = []taxYear{
	{
		year: 2025, source: "Rev. Proc. 2024-40, the standard deduction by Pub. L. 119-21; SSA, contribution and benefit base",
		standardDeduction: 15_750,
		brackets: []bracket{{0, 1000}, {11_925, 1200}, {48_475, 2200}, {103_350, 2400},
			{197_300, 3200}, {250_525, 3500}, {626_350, 3700}},
	},
	{
		year: 2026, source: "Rev. Proc. 2025-32; SSA, contribution and benefit base",
		standardDeduction: 16_100,
		brackets: []bracket{{0, 1000}, {12_400, 1200}, {50_400, 2200}, {105_700, 2400},
			{201_775, 3200}, {256_225, 3500}, {640_600, 3700}},
	},
}

// LastTaxYear returns the last year whose tax tables are known.
func LastTaxYear() int { return taxYears[len(taxYears)-1].year }

// taxesOf returns the table of a year, or of the nearest known year.
func taxesOf(year int) *taxYear {
	for i := range taxYears {
		if taxYears[i].year >= year {
			return &taxYears[i]
		}
	}
	return &taxYears[len(taxYears)-1]
}

// curve is the year's net wage as a piecewise linear function of the gross wage. Its points
// ascend in both.
type curve []point

// point is the beginning of a line.
type point struct {
	gross report.Cents
	net   int64 // exact, in ten-thousandths of a cent
	slope int64 // net per gross, in hundredths of a percent
}

// parts is the number of ten-thousandths of a cent in a cent, and of hundredths of a percent
// in 1.
const parts = 10_000

// net returns a year's net wage for a gross wage, rounded half up. Negative amounts
// count as zero.
func (c curve) net(gross report.Cents) report.Cents {
	if gross <= 0 {
		return 0
	}
	p := c[0]
	for _, q := range c[1:] {
		if q.gross <= gross {
			p = q
		}
	}
	hi, lo := bits.Mul64(uint64(gross-p.gross), uint64(p.slope))
	lo, carry := bits.Add64(lo, uint64(p.net), 0)
	return divide(hi+carry, lo, parts)
}

// gross returns the gross wage for a net wage, rounded half up: the inverse of net. The
// maximum is most.
func (c curve) gross(net report.Cents) report.Cents {
	if net <= 0 {
		return 0
	}
	net = min(net, most)
	p := c[0]
	for _, q := range c[1:] {
		if (q.net+parts-1)/parts <= int64(net) {
			p = q
		}
	}
	hi, lo := bits.Mul64(uint64(net), parts)
	lo, borrow := bits.Sub64(lo, uint64(p.net), 0)
	return min(p.gross+divide(hi-borrow, lo, uint64(p.slope)), most)
}

// ratio converts net wages to gross wages by the ratio of their sums.
type ratio struct{ net, gross report.Cents }

// grossOf returns the gross of a net amount. Without wages in r, that is the net amount.
func (r ratio) grossOf(net report.Cents) report.Cents {
	if r.net <= 0 || net <= 0 {
		return max(net, 0)
	}
	hi, lo := bits.Mul64(uint64(net), uint64(r.gross))
	return divide(hi, lo, uint64(r.net))
}

// divide returns a number of 128 bits divided by d, rounded half up. The maximum is most.
func divide(hi, lo, d uint64) report.Cents {
	lo, carry := bits.Add64(lo, d/2, 0)
	if hi += carry; hi >= d {
		return most
	}
	q, _ := bits.Div64(hi, lo, d)
	return report.Cents(min(q, uint64(most)))
}

// most is the maximum amount of a report, ten trillion dollars. Sums of income are limited
// to it, so that none overflows.
const most report.Cents = 1_000_000_000_000_000

// addCapped adds two nonnegative amounts. The maximum is most.
func addCapped(a, b report.Cents) report.Cents { return min(a+b, most) }

// annual scales a sum over n months to a year, rounded half up.
func annual(sum report.Cents, n int) report.Cents {
	m := report.Cents(n)
	return min((sum*24+m)/(2*m), most)
}

// dollars rounds to whole dollars, half up.
func dollars(c report.Cents) int64 { return int64(c+50) / 100 }
