package prefill

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/testutil/proptest"
)

// TestInteger compares integer with exact arithmetic.
func TestInteger(t *testing.T) {
	limit := big.NewRat(1e15, 1)
	proptest.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?(0|[1-9][0-9]{0,12})(\.[0-9]{1,8}|\.0{1,4})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is no number", s)
		}
		want := int64(-1)
		if exact.IsInt() && exact.Sign() >= 0 && exact.Cmp(limit) <= 0 {
			want = exact.Num().Int64()
		}
		if got := integer(s); got != want {
			t.Fatalf("integer(%q) = %d, want %d", s, got, want)
		}
	})
	for _, s := range []string{"1e999999999999", "1e-999999999999", "Infinity", "NaN", "0x1",
		strings.Repeat("9", 10000), "1." + strings.Repeat("0", 10000) + "1"} {
		if got := integer(s); got != -1 {
			t.Errorf("integer(%.20q) = %d, want -1", s, got)
		}
	}
	for _, s := range []string{"0e999999999", "-0.0e-5", "0.00"} {
		if got := integer(s); got != 0 {
			t.Errorf("integer(%q) = %d, want 0", s, got)
		}
	}
}

// TestLineRefusesHiddenText checks that characters that hide or reorder text are refused, and
// that text in scripts that need joiners is accepted.
func TestLineRefusesHiddenText(t *testing.T) {
	for _, c := range []rune{0x202e, 0x202a, 0x2066, 0x2069, 0x200e, 0x200f, 0x61c, 0x200b, 0x2060,
		0xfeff, 0xad, 0x180e, 0xe0041, 0x3164, 0x17b4, 0x2028,
		0x115f} {
		for _, text := range []string{"Acme " + string(c) + "Inc", string(c) + "Acme"} {
			if got := line(text, MaxEmployer, true); got != malformed {
				t.Errorf("%q is accepted as a line", text)
			}
		}
		if got := personName("Ana " + string(c) + "Lee"); got != malformed {
			t.Errorf("U+%04X is accepted in a name", c)
		}
	}
	for _, text := range []string{"Acme\u200dInc", "\u200cAcme"} {
		if got := line(text, MaxEmployer, true); got != malformed {
			t.Errorf("%q is accepted as a line", text)
		}
	}
	for _, text := range []string{"شرکت نرم\u200cافزار", "شركة", "חברה בע״מ", "क्\u200dष", "株式会社", "Société Générale", "บริษัท", "e\u0301"} {
		if got := line(text, MaxEmployer, true); got != fine {
			t.Errorf("%q is refused", text)
		}
	}
}
