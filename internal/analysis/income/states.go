package income

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
)

// stateTax holds a state's taxes on a single filer's wage: its income tax and other taxes
// that employers withhold. Amounts are dollars a year, rates hundredths of a percent. It
// excludes local taxes, except the lowest one of Maryland's counties.
type stateTax struct {
	year      int       // first year in which it applies
	brackets  []bracket // of taxable income, ascending
	deduction int64     // from the wage; ofFederal for the federal standard deduction
	fades     [2]int64  // the wages between which the deduction falls to 0; zero if it does not
	credit    int64     // from the tax
	federal   int64     // maximum deduction of federal tax, at the rate topRate; 0 for none
	topRate   int64
	payroll   []levy
}

// levy is a rate on the wage up to an amount; upTo 0 means no limit.
type levy struct{ rate, upTo int64 }

const (
	ofFederal = -1
	noLimit   = math.MaxInt32
)

//go:embed states.tsv
var statesFile string

// stateTaxes returns the rules of each state, oldest first. It panics on an error in the
// embedded file.
var stateTaxes = sync.OnceValue(func() map[string][]stateTax {
	rules, err := parseStates(statesFile)
	if err != nil {
		panic("income: states.tsv: " + err.Error())
	}
	return rules
})

// parseStates parses states.tsv, whose header describes the format.
func parseStates(file string) (map[string][]stateTax, error) {
	out := map[string][]stateTax{}
	header := true
	for n, line := range strings.Split(strings.TrimSuffix(file, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if header {
			header = false
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 8 {
			return nil, fmt.Errorf("line %d has %d columns", n+1, len(columns))
		}
		p := stateParser{}
		s := stateTax{year: int(p.number(columns[1])), deduction: ofFederal}
		if columns[2] != "federal" {
			s.deduction = p.number(columns[2])
		}
		if from, to, ok := strings.Cut(columns[3], "-"); ok && from != "" {
			s.fades = [2]int64{p.number(from), p.number(to)}
		}
		s.credit = p.number(columns[4])
		if most, rate, ok := strings.Cut(columns[5], ":"); ok {
			if s.federal, s.topRate = noLimit, p.number(rate); most != "all" {
				s.federal = p.number(most)
			}
		}
		for _, x := range p.pairs(columns[6]) {
			s.payroll = append(s.payroll, levy{rate: x[0], upTo: x[1]})
		}
		for _, x := range p.pairs(columns[7]) {
			s.brackets = append(s.brackets, bracket{from: x[0], rate: x[1]})
		}
		if earlier := out[columns[0]]; p.err == nil && len(earlier) > 0 && earlier[len(earlier)-1].year >= s.year {
			p.err = errors.New("not after the row before")
		}
		if p.err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, p.err)
		}
		out[columns[0]] = append(out[columns[0]], s)
	}
	return out, nil
}

// stateParser parses numbers and keeps the first error.
type stateParser struct{ err error }

// number parses an amount or a rate; "-" is 0.
func (p *stateParser) number(text string) int64 {
	if text == "-" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && p.err == nil {
		p.err = err
	}
	return n
}

// pairs parses "a:b c:d"; the second number may be missing.
func (p *stateParser) pairs(text string) (out [][2]int64) {
	if text == "-" {
		return nil
	}
	for _, x := range strings.Fields(text) {
		a, b, two := strings.Cut(x, ":")
		pair := [2]int64{p.number(a), 0}
		if two {
			pair[1] = p.number(b)
		}
		out = append(out, pair)
	}
	return out
}

// averageRate is the rate for an unknown state and for the territories: approximately the
// average of the listed states, weighted by population.
const averageRate = 300

func stateOf(y *taxYear, state string) stateTax {
	rules := stateTaxes()[state]
	if len(rules) == 0 {
		return stateTax{brackets: []bracket{{0, averageRate}}}
	}
	s := rules[0]
	for _, later := range rules[1:] {
		if later.year <= y.year {
			s = later
		}
	}
	if s.deduction == ofFederal {
		s.deduction = y.standardDeduction
	}
	return s
}

// change is a change of the marginal tax rate at a wage.
type change struct{ at, by int64 }

// changes returns the changes of the state's marginal rate.
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

// taxable returns the taxable income of a wage, and the taxable share of the next dollar in
// hundredths of a percent.
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

// wage returns the lowest wage with the given taxable income, in whole dollars.
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

// income returns the changes of the income tax, which begins where it exceeds the credit.
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

// marginal returns the income tax rate on the next dollar after a wage.
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

// deducted returns the changes by the deduction of federal tax.
func (s *stateTax) deducted(y *taxYear) []change {
	var out []change
	paid, before, from := int64(0), int64(0), int64(0)
	for _, b := range append(slices.Clone(y.brackets), bracket{noLimit, 0}) {
		at := y.standardDeduction + b.from
		next := paid + before*(at-from)
		if next >= s.federal*parts { // the maximum is reached before this bracket
			at = from + (s.federal*parts-paid)/max(before, 1)
			return append(out, change{at, s.topRate * before / parts})
		}
		out = append(out, change{at, -(s.topRate*b.rate/parts - s.topRate*before/parts)})
		paid, before, from = next, b.rate, at
	}
	return out[:len(out)-1]
}

// netOf makes the curve of a year and a state from the changes of their marginal rates.
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
