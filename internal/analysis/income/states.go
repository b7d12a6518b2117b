package income

import (
	"cmp"
	"math"
	"slices"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
)

// stateTax is what a state takes of a single filer's wage: its income tax, and what
// it has employers withhold beside it. Amounts are dollars of a year, rates
// hundredths of a percent. Local taxes are left out, but for the least that a
// Maryland county takes.
type stateTax struct {
	brackets  []bracket // of the taxable income, ascending
	deduction int64     // from the wage; ofFederal is the federal standard deduction
	fades     [2]int64  // the wages between which the deduction falls to nothing; none: it stays
	credit    int64     // from the tax
	federal   int64     // at most so much federal tax is deducted, at the rate of topRate; 0: none
	topRate   int64
	payroll   []levy
}

// levy is a rate of the wage up to an amount; upTo 0 is all of it.
type levy struct{ rate, upTo int64 }

const (
	ofFederal = -1
	noLimit   = math.MaxInt32
)

// steps are brackets as pairs of where each begins and its rate.
func steps(pairs ...int64) []bracket {
	out := make([]bracket, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, bracket{pairs[i], pairs[i+1]})
	}
	return out
}

// stateTaxes are the states' rules of 2025, for single filers without other income,
// as this project knows them; laterTaxes says what it knows of 2026. A state without
// a tax on wages has only levies, if any.
var stateTaxes = map[string]stateTax{
	"AK": {payroll: []levy{{50, 53_400}}},
	"AL": {brackets: steps(0, 200, 500, 400, 3_000, 500), deduction: 4_000, federal: noLimit, topRate: 500},
	"AR": {brackets: steps(5_500, 200, 10_900, 300, 15_600, 340, 25_700, 390), deduction: 2_410, credit: 29},
	"AZ": {brackets: steps(0, 250), deduction: ofFederal},
	"CA": {brackets: steps(0, 100, 11_079, 200, 26_264, 400, 41_452, 600, 57_542, 800, 72_724, 930, 371_479, 1030, 445_771, 1130, 742_953, 1230, 1_000_000, 1330),
		deduction: 5_706, credit: 153, payroll: []levy{{120, 0}}},
	"CO": {brackets: steps(0, 440), deduction: ofFederal, payroll: []levy{{45, 176_100}}},
	"CT": {brackets: steps(0, 200, 10_000, 450, 50_000, 550, 100_000, 600, 200_000, 650, 250_000, 690, 500_000, 699), deduction: 15_000, fades: [2]int64{30_000, 45_000},
		payroll: []levy{{50, 176_100}}},
	"DC": {brackets: steps(0, 400, 10_000, 600, 40_000, 650, 60_000, 850, 250_000, 925, 500_000, 975, 1_000_000, 1075), deduction: 15_000},
	"DE": {brackets: steps(2_000, 220, 5_000, 390, 10_000, 480, 20_000, 520, 25_000, 555, 60_000, 660), deduction: 3_250, credit: 110},
	"FL": {},
	"GA": {brackets: steps(0, 519), deduction: 12_000},
	"HI": {brackets: steps(0, 140, 9_600, 320, 14_400, 550, 19_200, 640, 24_000, 680, 36_000, 720, 48_000, 760, 125_000, 790, 175_000, 825, 225_000, 900, 275_000, 1000, 325_000, 1100),
		deduction: 5_544, payroll: []levy{{50, 74_960}}},
	"IA": {brackets: steps(0, 380), deduction: ofFederal, credit: 40},
	"ID": {brackets: steps(4_811, 530), deduction: ofFederal},
	"IL": {brackets: steps(0, 495), deduction: 2_850},
	"IN": {brackets: steps(0, 300), deduction: 1_000},
	"KS": {brackets: steps(0, 520, 23_000, 558), deduction: 12_765},
	"KY": {brackets: steps(0, 400), deduction: 3_270},
	"LA": {brackets: steps(0, 300), deduction: 12_500},
	"MA": {brackets: steps(0, 500, 1_083_150, 900), deduction: 4_400, payroll: []levy{{46, 176_100}}},
	"MD": {brackets: steps(0, 425, 1_000, 525, 2_000, 625, 3_000, 700, 100_000, 725, 125_000, 750, 150_000, 775, 250_000, 800, 500_000, 850, 1_000_000, 875), deduction: 6_550},
	"ME": {brackets: steps(0, 580, 26_800, 675, 63_450, 715), deduction: 20_150, payroll: []levy{{50, 176_100}}},
	"MI": {brackets: steps(0, 425), deduction: 5_800},
	"MN": {brackets: steps(0, 535, 32_570, 680, 106_990, 785, 198_630, 985), deduction: 14_950},
	"MO": {brackets: steps(1_313, 200, 2_626, 250, 3_939, 300, 5_252, 350, 6_565, 400, 7_878, 450, 9_191, 470), deduction: ofFederal},
	"MS": {brackets: steps(10_000, 440), deduction: 8_300},
	"MT": {brackets: steps(0, 470, 21_100, 590), deduction: ofFederal},
	"NC": {brackets: steps(0, 425), deduction: 12_750},
	"ND": {brackets: steps(48_475, 195, 244_825, 250), deduction: ofFederal},
	"NE": {brackets: steps(0, 246, 4_030, 351, 24_120, 501, 38_870, 520), deduction: 8_600, credit: 171},
	"NH": {},
	"NJ": {brackets: steps(0, 140, 20_000, 175, 35_000, 350, 40_000, 552, 75_000, 637, 500_000, 897, 1_000_000, 1075), deduction: 1_000,
		payroll: []levy{{43, 43_300}, {56, 165_400}}},
	"NM": {brackets: steps(0, 150, 5_500, 320, 16_500, 430, 33_500, 470, 66_500, 490, 210_000, 590), deduction: ofFederal},
	"NV": {},
	"NY": {brackets: steps(0, 400, 8_500, 450, 11_700, 525, 13_900, 550, 80_650, 600, 215_400, 685, 1_077_550, 965, 5_000_000, 1030, 25_000_000, 1090), deduction: 8_000,
		payroll: []levy{{39, 91_373}, {50, 6_240}}},
	"OH": {brackets: steps(26_050, 275, 100_000, 313), deduction: 2_150},
	"OK": {brackets: steps(0, 25, 1_000, 75, 2_500, 175, 3_750, 275, 4_900, 375, 7_200, 475), deduction: 7_350},
	"OR": {brackets: steps(0, 475, 4_400, 675, 11_050, 875, 125_000, 990), deduction: 2_835, credit: 256, federal: 8_500, topRate: 875, payroll: []levy{{10, 0}, {60, 176_100}}},
	"PA": {brackets: steps(0, 307), payroll: []levy{{7, 0}}},
	"RI": {brackets: steps(0, 375, 79_900, 475, 181_650, 599), deduction: 16_000, payroll: []levy{{130, 89_200}}},
	"SC": {brackets: steps(3_560, 300, 17_830, 600), deduction: ofFederal},
	"SD": {},
	"TN": {},
	"TX": {},
	"UT": {brackets: steps(20_375, 580, 90_905, 450)}, // a credit of 6 % of the federal deduction, which fades by 1.3 % of the income over 18,213
	"VA": {brackets: steps(0, 200, 3_000, 300, 5_000, 500, 17_000, 575), deduction: 9_680},
	"VT": {brackets: steps(0, 335, 49_400, 660, 119_700, 760, 249_700, 875), deduction: 12_950, payroll: []levy{{11, 0}}},
	"WA": {payroll: []levy{{58, 0}, {66, 176_100}}},
	"WI": {brackets: steps(0, 350, 14_680, 440, 50_480, 530, 323_290, 765), deduction: 14_260, fades: [2]int64{19_550, 132_549}},
	"WV": {brackets: steps(0, 222, 10_000, 296, 25_000, 333, 40_000, 444, 60_000, 482), deduction: 2_000},
	"WY": {},
}

// laterTaxes are the known rules that changed with 2026.
var laterTaxes = map[string]func(*stateTax){
	"CA": func(s *stateTax) { s.payroll = []levy{{130, 0}} },
	"IN": func(s *stateTax) { s.brackets = steps(0, 295) },
	"KY": func(s *stateTax) { s.brackets = steps(0, 350) },
	"MS": func(s *stateTax) { s.brackets = steps(10_000, 400) },
	"NC": func(s *stateTax) { s.brackets = steps(0, 399) },
	"NE": func(s *stateTax) { s.brackets = steps(0, 246, 4_030, 351, 24_120, 455) },
	"OH": func(s *stateTax) { s.brackets = steps(26_050, 275) },
}

// elsewhere is the rate for an unknown state and for the territories: about what
// the listed ones take on average, by population.
const elsewhere = 300

// stateOf is the rule of a state in a year.
func stateOf(y *taxYear, state string) stateTax {
	s, known := stateTaxes[state]
	if !known {
		return stateTax{brackets: steps(0, elsewhere)}
	}
	if later := laterTaxes[state]; later != nil && y.year >= 2026 {
		later(&s)
	}
	if s.deduction == ofFederal {
		s.deduction = y.standardDeduction
	}
	return s
}

// change is how much more of each further dollar is taken from a wage on.
type change struct{ at, by int64 }

// changes are where the state takes more of the wage, or less again.
func (s *stateTax) changes(y *taxYear) []change {
	var out []change
	for _, l := range s.payroll {
		out = append(out, change{0, l.rate})
		if l.upTo > 0 {
			out = append(out, change{l.upTo, -l.rate})
		}
	}
	if len(s.brackets) == 0 {
		return out
	}
	out = append(out, s.income()...)
	if s.federal > 0 {
		out = append(out, s.deducted(y)...)
	}
	return out
}

// taxable is the income that is taxed of a wage, and how many hundredths of a
// percent of the next dollar are.
func (s *stateTax) taxable(wage int64) (income, share int64) {
	switch from, to := s.fades[0], s.fades[1]; {
	case wage < s.deduction:
		return 0, 0
	case to == 0 || wage < from:
		return wage - s.deduction, parts
	case wage < to:
		return wage - s.deduction + s.deduction*(wage-from)/(to-from), parts + parts*s.deduction/(to-from)
	}
	return wage, parts
}

// wage is the least wage of which an income is taxed, to a dollar.
func (s *stateTax) wage(income int64) int64 {
	low, high := income, income+s.deduction
	for low < high {
		middle := (low + high) / 2
		if taxed, share := s.taxable(middle); taxed >= income && share > 0 {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// income are the changes of the income tax, which begins where it is more than the
// credit.
func (s *stateTax) income() []change {
	at := []int64{s.fades[0], s.fades[1], s.wage(0)}
	for _, b := range s.brackets {
		at = append(at, s.wage(b.from))
	}
	slices.Sort(at)
	at = slices.Compact(at)
	var out []change
	credit, before := s.credit*parts, int64(0)
	for i, from := range at {
		rate := s.marginal(from)
		if credit > 0 {
			to := int64(noLimit)
			if i+1 < len(at) {
				to = at[i+1]
			}
			if rate*(to-from) <= credit {
				credit -= rate * (to - from)
				continue
			}
			from += (credit + rate/2) / rate
			credit = 0
		}
		if rate != before {
			out = append(out, change{from, rate - before})
			before = rate
		}
	}
	return out
}

// marginal is what the income tax takes of the dollar after a wage.
func (s *stateTax) marginal(wage int64) int64 {
	income, share := s.taxable(wage)
	rate := int64(0)
	for _, b := range s.brackets {
		if income >= b.from {
			rate = b.rate
		}
	}
	return (rate*share + parts/2) / parts
}

// deducted are the changes by the federal tax that the state deducts.
func (s *stateTax) deducted(y *taxYear) []change {
	var out []change
	paid, before, from := int64(0), int64(0), int64(0)
	for _, b := range append(slices.Clone(y.brackets), bracket{noLimit, 0}) {
		at := y.standardDeduction + b.from
		next := paid + before*(at-from)
		if next >= s.federal*parts { // the most is reached before this bracket
			at = from + (s.federal*parts-paid)/max(before, 1)
			return append(out, change{at, s.topRate * before / parts})
		}
		out = append(out, change{at, -(s.topRate*b.rate/parts - s.topRate*before/parts)})
		paid, before, from = next, b.rate, at
	}
	return out[:len(out)-1]
}

// netOf makes the curve of a table and a state. Each tax begins somewhere and takes
// more of the gross from there on, or less again.
func netOf(y *taxYear, state string) curve {
	s := stateOf(y, state)
	changes := append([]change{{0, payrolltax.SocialSecurity + payrolltax.Medicare},
		{y.wageBase(), -payrolltax.SocialSecurity}, {int64(payrolltax.AdditionalFrom / 100), payrolltax.Additional}}, s.changes(y)...)
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
