package income

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/payrolltax"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// TestNet compares with values computed by hand from the tables of the sources.
func TestNet(t *testing.T) {
	for _, c := range []struct {
		year  int
		state string
		gross report.Cents
		net   report.Cents
	}{
		{2026, "TX", 0, 0},
		{2026, "TX", -5, 0},
		{2026, "TX", 1, 1},
		{2026, "TX", 10_000_00, 9_235_00},                        // 7.65%
		{2026, "TX", 16_100_00, 14_868_35},                       // all of it deducted
		{2026, "TX", 60_000_00, 60_000_00 - 5_020_00 - 4_590_00}, // 1,240 and 12% of 31,500
		// 5,207.97 - 153 of 94,294 taxable, 1.2% for disability insurance
		{2025, "CA", 100_000_00, 100_000_00 - 13_449_00 - 7_650_00 - 5_054_97 - 1_200_00},
		{2026, "CA", 5_000_00, 5_000_00 - 382_50 - 65_00}, // the credit is more than the income tax
		// 4% of 8,500, 4.5% of 3,200, 5.25% of 2,200, 5.5% of 38,100; paid leave 0.39%, disability 31.20
		{2025, "NY", 60_000_00, 60_000_00 - 5_071_50 - 4_590_00 - 2_695_00 - 234_00 - 31_20},
		// nothing is deducted over 45,000
		{2025, "CT", 60_000_00, 60_000_00 - 5_071_50 - 4_590_00 - 2_550_00 - 300_00},
		{2025, "PA", 60_000_00, 60_000_00 - 5_071_50 - 4_590_00 - 1_842_00 - 42_00},
		// 100 + 60 cents by the brackets below 3,000, 5% of 53,000 but for 5% of the federal tax
		{2025, "AL", 60_000_00, 60_000_00 - 5_071_50 - 4_590_00 - 10_00 - 100_00 - 2_650_00 + 253_58},
		{2026, "PR", 60_000_00, 60_000_00 - 5_020_00 - 4_590_00 - 1_800_00}, // not listed
		{2026, "", 60_000_00, 60_000_00 - 5_020_00 - 4_590_00 - 1_800_00},
		{2026, "TX", 250_000_00, 250_000_00 - 51_304_00 - 11_439_00 - 3_625_00 - 450_00},
		{2025, "TX", 60_000_00, 60_000_00 - 5_071_50 - 4_590_00}, // 1,192.50 and 12% of 32,325
		{2025, "TX", 250_000_00, 250_000_00 - 52_023_00 - 10_918_20 - 3_625_00 - 450_00},
	} {
		if got := netOf(taxesOf(c.year), c.state).net(c.gross); got != c.net {
			t.Errorf("net of %s in %s %d = %s, want %s", c.gross, c.state, c.year, got, c.net)
		}
	}
}

func TestTaxesOf(t *testing.T) {
	for year, want := range map[int]int{2019: 2025, 2025: 2025, 2026: 2026, 2031: 2026} {
		if got := taxesOf(year).year; got != want {
			t.Errorf("the table of %d is of %d, want %d", year, got, want)
		}
	}
}

func TestStates(t *testing.T) {
	if n := len(stateTaxes()); n != 51 {
		t.Errorf("%d states, want 51", n)
	}
	for name, rules := range stateTaxes() {
		for _, s := range rules {
			if len(name) != 2 || !slices.IsSortedFunc(s.brackets, func(a, b bracket) int { return cmp.Compare(a.from, b.from) }) ||
				name != "UT" && !slices.IsSortedFunc(s.brackets, func(a, b bracket) int { return cmp.Compare(a.rate, b.rate) }) {
				t.Errorf("%s is %+v", name, s)
			}
		}
		if rules[0].year != 2025 {
			t.Errorf("%s begins with %d", name, rules[0].year)
		}
	}
	for _, s := range []string{"AK", "FL", "NV", "NH", "SD", "TN", "TX", "WA", "WY"} {
		if stateTaxes()[s][0].brackets != nil {
			t.Errorf("%s has no tax on wages", s)
		}
	}
}

func TestParseStatesRefuses(t *testing.T) {
	const header = "state\tyear\tdeduction\tfades\tcredit\tfederal\tlevies\tbrackets\n"
	for name, rows := range map[string]string{
		"a missing column":  "AK\t2025\t-\t-\t-\t-\t-\n",
		"words for numbers": "AK\t2025\t-\t-\tmuch\t-\t-\t-\n",
		"a broken bracket":  "AK\t2025\t-\t-\t-\t-\t-\t0:x\n",
		"years out of order": "AK\t2026\t-\t-\t-\t-\t-\t-\n" +
			"AK\t2025\t-\t-\t-\t-\t-\t-\n",
	} {
		if rules, err := parseStates(header + rows); err == nil {
			t.Errorf("%s: %+v", name, rules)
		}
	}
}

// tax computes the taxes of a year independently, in fractions.
func tax(y *taxYear, rate int64, gross report.Cents) *big.Rat {
	dollars := func(n int64) *big.Rat { return big.NewRat(n, 1) }
	part := func(from, to *big.Rat, rate int64) *big.Rat {
		g := big.NewRat(int64(gross), 100)
		if to != nil && g.Cmp(to) > 0 {
			g = to
		}
		if g.Cmp(from) <= 0 {
			return new(big.Rat)
		}
		return new(big.Rat).Mul(new(big.Rat).Sub(g, from), big.NewRat(rate, 10_000))
	}
	sum := new(big.Rat)
	sum.Add(sum, part(dollars(0), nil, rate+payrolltax.Medicare))
	sum.Add(sum, part(dollars(0), dollars(y.wageBase()), payrolltax.SocialSecurity))
	sum.Add(sum, part(dollars(int64(payrolltax.AdditionalFrom/100)), nil, payrolltax.Additional))
	for i, b := range y.brackets {
		var to *big.Rat
		if i+1 < len(y.brackets) {
			to = dollars(y.standardDeduction + y.brackets[i+1].from)
		}
		sum.Add(sum, part(dollars(y.standardDeduction+b.from), to, b.rate))
	}
	return sum
}

// owed computes a state's taxes independently, in floating point.
func owed(y *taxYear, state string, gross report.Cents) float64 {
	s, wage := stateOf(y, state), float64(gross)/100
	sum := 0.0
	for _, l := range s.payroll {
		of := wage
		if l.upTo > 0 {
			of = min(of, float64(l.upTo))
		}
		sum += of * float64(l.rate) / 10_000
	}
	by := func(income float64, brackets []bracket) (tax float64) {
		for i, b := range brackets {
			to := math.Inf(1)
			if i+1 < len(brackets) {
				to = float64(brackets[i+1].from)
			}
			tax += max(0, min(income, to)-float64(b.from)) * float64(b.rate) / 10_000
		}
		return tax
	}
	deduction := float64(s.deduction)
	if s.fades[1] > 0 {
		left := (float64(s.fades[1]) - wage) / float64(s.fades[1]-s.fades[0])
		deduction *= min(1, max(0, left))
	}
	federal := min(float64(s.federal), by(max(0, wage-float64(y.standardDeduction)), y.brackets))
	return sum + max(0, by(max(0, wage-deduction), s.brackets)-float64(s.credit)) - federal*float64(s.topRate)/10_000
}

func drawCurve(t *rapid.T) (*taxYear, string, curve) {
	y := &taxYears[rapid.IntRange(0, len(taxYears)-1).Draw(t, "year")]
	states := append(slices.Sorted(maps.Keys(stateTaxes())), "", "GU")
	s := rapid.SampledFrom(states).Draw(t, "state")
	return y, s, netOf(y, s)
}

func drawWage(t *rapid.T, name string) report.Cents {
	return report.Cents(rapid.OneOf(rapid.Int64Range(0, 1_000_000_00), rapid.Int64Range(0, 100_000_000_000_00)).Draw(t, name))
}

// TestNetIsGrossWithoutTaxes compares with tax and owed. The state's tax is exact to a few
// dollars, because lines begin at whole dollars and rates are in hundredths of a percent.
func TestNetIsGrossWithoutTaxes(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		y, s, c := drawCurve(t)
		gross := drawWage(t, "gross")
		federal, _ := tax(y, 0, gross).Float64()
		want := float64(gross)/100 - federal - owed(y, s, gross)
		if off := float64(c.net(gross))/100 - want; math.Abs(off) > 2+float64(gross)/100*0.0001 {
			t.Fatalf("net of %s in %q %d = %s, want %.2f", gross, s, y.year, c.net(gross), want)
		}
	})
}

func TestGrossIsTheInverseOfNet(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		_, s, c := drawCurve(t)
		net := drawWage(t, "net")
		gross := c.gross(net)
		if back := c.net(gross); back < net-1 || back > net+1 {
			t.Fatalf("net(gross(%s)) = net(%s) = %s in %q", net, gross, back, s)
		}
		if gross < net || gross == net && net > 10 {
			t.Fatalf("gross(%s) = %s", net, gross)
		}
		if again := c.gross(c.net(gross)); again < gross-1 || again > gross+1 {
			t.Fatalf("gross(net(%s)) = %s", gross, again)
		}
	})
}

func TestGrossRisesWithNet(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		_, _, c := drawCurve(t)
		a, b := drawWage(t, "a"), drawWage(t, "b")
		if a > b {
			a, b = b, a
		}
		if c.gross(a) > c.gross(b) || c.net(a) > c.net(b) {
			t.Fatalf("of %s and %s the gross is %s and %s, the net %s and %s", a, b, c.gross(a), c.gross(b), c.net(a), c.net(b))
		}
		if b > a && c.gross(b) == c.gross(a) {
			t.Fatalf("%s and %s have one gross", a, b)
		}
	})
}

func TestCurveBounds(t *testing.T) {
	for _, y := range taxYears {
		for s := range stateTaxes() {
			c := netOf(&y, s)
			if c.gross(0) != 0 || c.gross(-1) != 0 || c.net(0) != 0 {
				t.Error("nothing is not nothing")
			}
			for i, p := range c {
				for off := report.Cents(-2); off <= 2; off++ {
					g := max(p.gross+off, 0)
					if back := c.gross(c.net(g)); back < g-1 || back > g+1 {
						t.Errorf("%d %s, line %d: gross(net(%s)) = %s", y.year, s, i, g, back)
					}
				}
				if p.slope <= 4_000 || i > 0 && p.gross < c[i-1].gross {
					t.Errorf("%d %s, line %d begins at %s and leaves %d", y.year, s, i, p.gross, p.slope)
				}
			}
			if got := c.gross(most); got != most {
				t.Errorf("the gross of the largest amount is %s", got)
			}
		}
	}
}

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		r         ratio
		net, want report.Cents
	}{
		{ratio{}, 5, 5},
		{ratio{}, -5, 0},
		{ratio{2, 3}, 0, 0},
		{ratio{2, 3}, 2, 3},
		{ratio{2, 3}, 1, 2},
		{ratio{3, 4}, 1, 1},
		{ratio{most, most}, most, most},
		{ratio{1, most}, most, most},
	} {
		if got := c.r.grossOf(c.net); got != c.want {
			t.Errorf("%v of %d = %d, want %d", c.r, c.net, got, c.want)
		}
	}
}

func TestAnnual(t *testing.T) {
	for _, c := range []struct {
		sum  report.Cents
		n    int
		want report.Cents
	}{{0, 1, 0}, {1, 12, 1}, {100, 3, 400}, {100, 7, 171}, {1, 5, 2}, {3, 8, 5}, {most, 1, most}} {
		if got := annual(c.sum, c.n); got != c.want {
			t.Errorf("annual(%d, %d) = %d, want %d", c.sum, c.n, got, c.want)
		}
	}
}
