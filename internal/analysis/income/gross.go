package income

import (
	"cmp"
	"math/bits"
	"slices"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
)

// taxYear is what a year's taxes are reckoned by, beside those of payrolltax: a
// single filer without other income, deductions or credits. Amounts are dollars, rates hundredths of a
// percent.
type taxYear struct {
	year              int
	source            string
	standardDeduction int64
	brackets          []bracket // of taxable income, ascending
}

// wageBase is what social security is taken of, at most.
func (y *taxYear) wageBase() int64 {
	base, _ := payrolltax.WageBase(y.year)
	return int64(base / 100)
}

// bracket is a rate from an amount of taxable income on.
type bracket struct{ from, rate int64 }

// taxYears are the years that are known, ascending.
var taxYears = []taxYear{
	{
		year: 2025, source: "Rev. Proc. 2024-40, the standard deduction by Pub. L. 119-21; SSA, contribution and benefit base",
		standardDeduction: 15_750,
		brackets:          []bracket{{0, 1000}, {11_925, 1200}, {48_475, 2200}, {103_350, 2400}, {197_300, 3200}, {250_525, 3500}, {626_350, 3700}},
	},
	{
		year: 2026, source: "Rev. Proc. 2025-32; SSA, contribution and benefit base",
		standardDeduction: 16_100,
		brackets:          []bracket{{0, 1000}, {12_400, 1200}, {50_400, 2200}, {105_700, 2400}, {201_775, 3200}, {256_225, 3500}, {640_600, 3700}},
	},
}

// taxesOf is the table of a year; of the nearest one that is known, where it is
// none of them.
func taxesOf(year int) *taxYear {
	for i := range taxYears {
		if taxYears[i].year >= year {
			return &taxYears[i]
		}
	}
	return &taxYears[len(taxYears)-1]
}

// stateRates are what states take of a wage: the income tax of a single filer
// with a wage of $60,000 in 2025 over that wage, to the nearest half percent, in
// hundredths of a percent. They are estimates of this project from the states'
// brackets and deductions, and leave out local taxes and states' payroll
// contributions. A state that is not listed has elsewhere.
var stateRates = map[string]int64{
	"AK": 0, "AL": 400, "AR": 300, "AZ": 200, "CA": 300, "CO": 350, "CT": 400, "DC": 400, "DE": 450, "FL": 0,
	"GA": 450, "HI": 500, "IA": 300, "ID": 350, "IL": 450, "IN": 300, "KS": 450, "KY": 400, "LA": 250, "MA": 450,
	"MD": 400, "ME": 400, "MI": 400, "MN": 450, "MO": 300, "MS": 300, "MT": 400, "NC": 350, "ND": 0, "NE": 350,
	"NH": 0, "NJ": 300, "NM": 300, "NV": 0, "NY": 450, "OH": 200, "OK": 400, "OR": 650, "PA": 300, "RI": 300,
	"SC": 350, "SD": 0, "TN": 0, "TX": 0, "UT": 400, "VA": 450, "VT": 250, "WA": 0, "WI": 350, "WV": 350, "WY": 0,
}

// elsewhere is the rate for an unknown state and for the territories: about what
// the listed ones take on average, by population.
const elsewhere = 300

// curve is the year's net wage as a function of the gross one: lines between
// points, ascending in both.
type curve []point

// point is where a line begins.
type point struct {
	gross report.Cents
	net   int64 // exact, in ten-thousandths of a cent
	slope int64 // the net of each further unit of gross, in hundredths of a percent
}

// parts is how many parts of a cent make a cent, and how many hundredths of a
// percent make everything.
const parts = 10_000

// netOf makes the curve of a table and a state's rate. Each tax begins somewhere
// and takes more of the gross from there on, or less again.
func netOf(y *taxYear, state string) curve {
	rate, known := stateRates[state]
	if !known {
		rate = elsewhere
	}
	type change struct{ at, by int64 } // dollars, hundredths of a percent
	changes := make([]change, 0, 3+len(y.brackets))
	changes = append(changes, change{0, payrolltax.SocialSecurity + payrolltax.Medicare + rate},
		change{y.wageBase(), -payrolltax.SocialSecurity}, change{int64(payrolltax.AdditionalFrom / 100), payrolltax.Additional})
	before := int64(0)
	for _, b := range y.brackets {
		changes = append(changes, change{y.standardDeduction + b.from, b.rate - before})
		before = b.rate
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	c := make(curve, 0, len(changes))
	at, net, slope := int64(0), int64(0), int64(parts)
	for _, x := range changes {
		net += (x.at - at) * 100 * slope
		at, slope = x.at, slope-x.by
		c = append(c, point{gross: report.Cents(at * 100), net: net, slope: slope})
	}
	return c
}

// net is what is left of a year's gross wage, rounded half up. A negative amount
// is nothing.
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

// gross is the wage that leaves net, rounded half up: the inverse of net, by the
// line that net is on. It is at most the largest amount of a report.
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

// ratio makes gross wages of net ones: all by what one sum of them comes to.
type ratio struct{ net, gross report.Cents }

// of is the gross of a net amount; the same, where there is no ratio.
func (r ratio) of(net report.Cents) report.Cents {
	if r.net <= 0 || net <= 0 {
		return max(net, 0)
	}
	hi, lo := bits.Mul64(uint64(net), uint64(r.gross))
	return divide(hi, lo, uint64(r.net))
}

// divide is a number of 128 bits over d, rounded half up, and at most the largest
// amount of a report.
func divide(hi, lo, d uint64) report.Cents {
	lo, carry := bits.Add64(lo, d/2, 0)
	if hi += carry; hi >= d {
		return most
	}
	q, _ := bits.Div64(hi, lo, d)
	return report.Cents(min(q, uint64(most)))
}

// most is the largest amount of a report: ten trillion dollars. Sums of income
// stay there, so that none overflows.
const most report.Cents = 1_000_000_000_000_000

// plus adds two amounts, neither of them negative; the sum stays at most.
func plus(a, b report.Cents) report.Cents { return min(a+b, most) }

// annual is a sum over n months as that of a year, rounded half up.
func annual(sum report.Cents, n int) report.Cents {
	m := report.Cents(n)
	return min((sum*24+m)/(2*m), most)
}

// dollars rounds to whole dollars, half up.
func dollars(c report.Cents) int64 { return int64(c+50) / 100 }
