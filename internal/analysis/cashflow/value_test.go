package cashflow

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/testutil/proptest"
)

func TestValueTypes(t *testing.T) {
	for _, c := range []struct {
		kind ValueType
		of   figure
		want string
	}{
		{Dollar, integer(0), "0.00"},
		{Dollar, integer(-5), "-0.05"},
		{Dollar, ratioOf(1, 2), "0.01"},
		{Dollar, ratioOf(-1, 2), "-0.01"},
		{Dollar, ratioOf(49, 100), "0.00"},
		{Dollar, ratioOf(-49, 100), "0.00"},
		{Dollar, ratioOf(1, -2), "-0.01"},
		{Dollar, integer(9_999_995_00), "9999995.00"},
		{Dollar, integer(9_999_995_01), "9999995.00"},
		{Dollar, integer(9_999_994_99), "9999994.99"},
		{Dollar, integer(-9_999_999_99), "-9999999.99"},
		{Dollar, integer(-10_000_000_00), "-9999999.99"},
		{Dollar, integer(math.MaxInt64), "9999995.00"},
		{Dollar, integer(math.MinInt64), "-9999999.99"},
		{Dollar, ratioOf(1, 0), "9999995.00"},
		{Dollar, missing(noValues), "9999996"},
		{Dollar, missing(noRecords), "9999998"},
		{Float, ratioOf(1, 3), "0.33333"},
		{Float, ratioOf(2, 3), "0.66667"},
		{Float, ratioOf(-2, 3), "-0.66667"},
		{Float, ratioOf(1, 200_000), "0.00001"},
		{Float, ratioOf(1, 200_001), "0.00000"},
		{Float, integer(9_999_995), "9999995.00000"},
		{Float, integer(9_999_996), "9999995.00000"},
		{Float, integer(math.MaxInt64), "9999995.00000"},
		{Float, integer(-10_000_000), "-9999999.99999"},
		{Float, ratioOf(0, 0), "9999995.00000"},
		{Float, missing(noValues), "9999996"},
		{Float, missing(noRecords), "9999998"},
		{Short, integer(0), "0"},
		{Short, integer(-1), "0"},
		{Short, integer(9_995), "9995"},
		{Short, integer(9_996), "9995"},
		{Short, integer(100_000), "9995"},
		{Short, missing(noValues), "9996"},
		{Short, missing(noRecords), "9998"},

		{OldBoolean, yesNo(false), "0"},
		{OldBoolean, yesNo(true), "1"},
		{OldBoolean, missing(undefined), "5"},
		{OldBoolean, missing(noValues), "6"},
		{OldBoolean, missing(noCategory), "7"},
		{OldBoolean, missing(noRecords), "8"},
		{OldDollar, integer(9_999_994_99), "9999994.99"},
		{OldDollar, integer(9_999_995_00), "9999995.00"},
		{OldDollar, missing(noCategory), "9999997"},
		{OldFloat, ratioOf(9_999_994_99999, 100_000), "9999994.99999"},
		{OldFloat, integer(9_999_996), "9999995.00000"},
		{OldFloat, missing(noCategory), "9999997"},
		{OldShort, integer(9_994), "9994"},
		{OldShort, integer(9_995), "9995"},
		{OldShort, integer(-10_000), "-9999"},
		{OldShort, missing(noCategory), "9997"},
		{OldLong, integer(9_999_995), "9999995"},
		{OldLong, integer(-10_000_000), "-9999999"},
		{OldLong, missing(noValues), "9999996"},
		{OldLong, missing(noCategory), "9999997"},
		{OldLong, missing(noRecords), "9999998"},
	} {
		if got := string(c.kind.append(nil, c.kind.value(c.of))); got != c.want {
			t.Errorf("%s of %+v = %s, want %s", c.kind, c.of, got, c.want)
		}
	}
}

// TestRoundMatchesRationals compares round with big rationals.
func TestRoundMatchesRationals(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		num, den := rapid.Int64().Draw(t, "num"), rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "den")
		scale := rapid.SampledFrom([]int64{1, 100_000}).Draw(t, "scale")
		got, fits := round(num, uint64(scale), den)
		exact := new(big.Rat).SetFrac(big.NewInt(num), big.NewInt(den))
		exact.Mul(exact, new(big.Rat).SetInt64(scale))
		want, _ := new(big.Int).SetString(exact.FloatString(0), 10) // half away from zero
		if fits && want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%d × %d ÷ %d = %d, want %s", num, scale, den, got, want)
		}
		if !fits && want.CmpAbs(big.NewInt(1<<62)) < 0 {
			t.Fatalf("%d × %d ÷ %d = %s does not fit", num, scale, den, want)
		}
	})
}

// TestVariationRounding checks the result k, in hundred-thousandths, by its square: (2k−1)²
// and (2k+1)² enclose the exact one.
func TestVariationRounding(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		months := rapid.SliceOfN(rapid.Int64Range(0, 1_000_000_000_00), 1, 24).Draw(t, "months")
		n := big.NewInt(int64(len(months)))
		sum, squares := new(big.Int), new(big.Int)
		for _, m := range months {
			b := big.NewInt(m)
			sum.Add(sum, b)
			squares.Add(squares, new(big.Int).Mul(b, b))
		}
		got := variation(months)
		if sum.Sign() == 0 {
			if got.state != undefined {
				t.Fatalf("variation of nothing is %+v", got)
			}
			return
		}
		under := new(big.Int).Mul(n, squares)
		under.Sub(under, new(big.Int).Mul(sum, sum))
		exact := new(big.Rat).SetFrac(under, new(big.Int).Mul(sum, sum)) // the square of the quotient
		square := func(halves int64) *big.Rat {
			r := big.NewRat(halves, 200_000)
			return r.Mul(r, r)
		}
		if got.num > 0 && exact.Cmp(square(2*got.num-1)) < 0 || exact.Cmp(square(2*got.num+1)) >= 0 {
			t.Fatalf("variation of %v = %d hundred-thousandths; its square is %s", months, got.num, exact.FloatString(12))
		}
	})
}

func TestSlope(t *testing.T) {
	for _, c := range []struct {
		y    []int64
		want string
	}{
		{[]int64{0, 100, 200}, "1.00"},
		{[]int64{300, 200, 100}, "-1.00"},
		{[]int64{0, 0, 100}, "0.50"},
		{[]int64{5, 5, 5, 5}, "0.00"},
		{[]int64{1, 2, 1, 2}, "0.00"}, // a fifth of a cent
		{[]int64{7}, "9999995.00"},
	} {
		if got := string(Dollar.append(nil, Dollar.value(slope(c.y)))); got != c.want {
			t.Errorf("slope of %v = %s, want %s", c.y, got, c.want)
		}
	}
}

func TestValuesAreJSONNumbers(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		kind := ValueType(rapid.IntRange(0, len(valueTypes)-1).Draw(t, "type"))
		f := figure{state: state(rapid.IntRange(0, int(noRecords)).Draw(t, "state"))}
		if f.state == exact {
			f.num, f.den = rapid.Int64().Draw(t, "num"), rapid.Int64Range(1, math.MaxInt64).Draw(t, "den")
		}
		text := kind.append(nil, kind.value(f))
		if !json.Valid(text) {
			t.Fatalf("%s writes %s", kind, text)
		}
		point := len(text)
		for i, c := range text {
			if c == '.' {
				point = i + 1
			}
		}
		want := valueTypes[kind].decimals
		if f.state >= noValues {
			want = 0
		}
		if len(text)-point != want {
			t.Fatalf("%s writes %s, want %d decimals", kind, text, want)
		}
	})
}
