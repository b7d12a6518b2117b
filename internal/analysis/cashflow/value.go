package cashflow

import (
	"math/bits"
	"sort"
	"strconv"
)

// ValueType is the format of an attribute's value and its bounds
// (docs/explanation/analytics.md, "Values").
type ValueType uint8

// The value types: three of the universal family, five of the deprecated one.
const (
	Dollar ValueType = iota
	Float
	Short

	OldBoolean
	OldDollar
	OldFloat
	OldShort
	OldLong
)

// limits holds a value type's decimals, bounds and sentinels. min, max and cap are in units
// of the last decimal; a value above max becomes cap, one below min becomes min. Sentinels
// are written as integers.
type limits struct {
	name                            string
	decimals                        int
	min, max, cap                   int64
	noRecords, noCategory, noValues int64
}

var valueTypes = [...]limits{
	Dollar: {"DOLLAR", 2, -9_999_999_99, 9_999_995_00, 9_999_995_00, 9_999_998, 9_999_998, 9_999_996},
	Float:  {"FLOAT", 5, -9_999_999_99999, 9_999_995_00000, 9_999_995_00000, 9_999_998, 9_999_998, 9_999_996},
	Short:  {"SHORT", 0, 0, 9_995, 9_995, 9_998, 9_998, 9_996},

	OldBoolean: {"BOOLEAN", 0, 0, 1, 5, 8, 7, 6},
	OldDollar:  {"DOLLAR", 2, -9_999_999_99, 9_999_994_99, 9_999_995_00, 9_999_998, 9_999_997, 9_999_996},
	OldFloat:   {"FLOAT", 5, -9_999_999_99999, 9_999_994_99999, 9_999_995_00000, 9_999_998, 9_999_997, 9_999_996},
	OldShort:   {"SHORT", 0, -9_999, 9_994, 9_995, 9_998, 9_997, 9_996},
	OldLong:    {"LONG", 0, -9_999_999, 9_999_994, 9_999_995, 9_999_998, 9_999_997, 9_999_996},
}

// String returns the type's name, as in "DOLLAR".
func (t ValueType) String() string { return valueTypes[t].name }

// scale returns the number of units of the last decimal in 1.
func (t ValueType) scale() int64 {
	n := int64(1)
	for range valueTypes[t].decimals {
		n *= 10
	}
	return n
}

// state says why a figure is missing, if it is.
type state uint8

const (
	exact      state = iota
	undefined        // division by zero: reported as the cap
	noValues         // records, but none that meet a constraint
	noCategory       // records, but none of the category; only in the deprecated family
	noRecords        // no account, or no transaction
)

// figure is an exact number before rounding: num divided by den, in cents for amounts of
// money. Both are 0 unless state is exact.
type figure struct {
	state    state
	num, den int64
}

func integer(n int64) figure    { return figure{num: n, den: 1} }
func missing(s state) figure    { return figure{state: s} }
func days[T ~int32](n T) figure { return integer(int64(n)) }
func yesNo(yes bool) figure     { return integer(map[bool]int64{true: 1}[yes]) }

// ratioOf returns num/den, which is undefined if den is 0.
func ratioOf(num, den int64) figure {
	if den == 0 {
		return missing(undefined)
	}
	return figure{num: num, den: den}
}

// value is a figure as reported: n counts units of the type's last decimal, or is the
// sentinel, depending on state.
type value struct {
	state state
	n     int64
}

// value rounds a figure half away from zero and applies the type's bounds. Figures of Dollar
// types are in cents.
func (t ValueType) value(f figure) value {
	l := &valueTypes[t]
	switch f.state {
	case undefined:
		return value{undefined, l.cap}
	case noValues:
		return value{noValues, l.noValues}
	case noCategory:
		return value{noCategory, l.noCategory}
	case noRecords:
		return value{noRecords, l.noRecords}
	}
	scale := uint64(1)
	if l.decimals == 5 {
		scale = 100_000
	}
	n, fits := round(f.num, scale, f.den)
	switch negative := (f.num < 0) != (f.den < 0); {
	case fits && n > l.max, !fits && !negative:
		n = l.cap
	case fits && n < l.min, !fits:
		n = l.min
	}
	return value{n: n}
}

// round returns num × scale ÷ den, rounded half away from zero and computed with 128 bits.
// It reports whether the result's magnitude is below 2⁶².
func round(num int64, scale uint64, den int64) (int64, bool) {
	negative := (num < 0) != (den < 0)
	d := magnitude(den)
	hi, lo := bits.Mul64(magnitude(num), scale)
	if hi >= d {
		return 0, false
	}
	q, r := bits.Div64(hi, lo, d)
	if q >= 1<<62 {
		return 0, false
	}
	if r >= d-r {
		q++
	}
	if negative {
		return -int64(q), true
	}
	return int64(q), true
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// append appends a value as a JSON number with the type's decimals, or a sentinel as an
// integer.
func (t ValueType) append(b []byte, v value) []byte {
	d := valueTypes[t].decimals
	if d == 0 || v.state >= noValues {
		return strconv.AppendInt(b, v.n, 10)
	}
	if v.n < 0 {
		b = append(b, '-')
	}
	scale := uint64(t.scale())
	n := magnitude(v.n)
	b = strconv.AppendUint(b, n/scale, 10)
	b = append(b, '.')
	n %= scale
	for scale /= 10; scale > 0; scale /= 10 {
		b = append(b, byte('0'+n/scale%10))
	}
	return b
}

// slope returns the least-squares slope of values at 0, 1, 2, …, per step.
func slope(y []int64) figure {
	n := int64(len(y))
	var sx, sxx, sy, sxy int64
	for i, v := range y {
		x := int64(i)
		sx, sxx, sy, sxy = sx+x, sxx+x*x, sy+v, sxy+x*v
	}
	return ratioOf(n*sxy-sx*sy, n*sxx-sx*sx)
}

// variation returns the population standard deviation of nonnegative amounts divided by
// their mean, rounded to five decimals: √(n·Σy² − (Σy)²) ÷ Σy. It takes up to 24 amounts of
// at most 10¹⁷ each, for which it is below √24.
func variation(y []int64) figure {
	var sum uint64
	var squares wide
	for _, v := range y {
		sum += uint64(v)
		squares = squares.plus(product(uint64(v), uint64(v)))
	}
	if sum == 0 {
		return missing(undefined)
	}
	square := product(sum, sum)
	under := squares.times(uint64(len(y))).minus(square).times(4 * 100_000 * 100_000)
	// The nearest k is the largest one with (2k−1)²·(Σy)² ≤ 4·10¹⁰·under.
	k := sort.Search(5*100_000, func(k int) bool {
		next := uint64(2*k + 1)
		return under.below(square.times(next * next))
	})
	return ratioOf(int64(k), 100_000)
}

// wide is an unsigned integer of 192 bits, lowest word first.
type wide [3]uint64

func product(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{lo, hi}
}

func (a wide) plus(b wide) (sum wide) {
	var carry uint64
	for i := range a {
		sum[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return sum
}

func (a wide) minus(b wide) (rest wide) {
	var borrow uint64
	for i := range a {
		rest[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return rest
}

func (a wide) times(n uint64) (out wide) {
	var carry uint64
	for i := range a {
		hi, lo := bits.Mul64(a[i], n)
		var c uint64
		out[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return out
}

func (a wide) below(b wide) bool {
	_, borrow := bits.Sub64(a[0], b[0], 0)
	_, borrow = bits.Sub64(a[1], b[1], borrow)
	_, borrow = bits.Sub64(a[2], b[2], borrow)
	return borrow == 1
}
