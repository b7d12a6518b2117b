package bankdata

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"case, number and punctuation", "Kroger #0412, Columbus OH 03/14", "KROGER COLUMBUS OH"},
		{"an apostrophe and an ampersand join", "MCDONALD'S & AT&T H&M0123", "MCDONALDS ATT HM"},
		{"an accent", "Café Peña – Łódź", "CAFE PENA LODZ"},
		{"a combining accent", "Cafe\u0301", "CAFE"},
		{"a mask before and behind letters", "XXSOC SEC GETPAIDXXXX XXXX1234", "SOC SEC GETPAID"},
		{"two X in a name", "EXXON TJ MAXX FEDEX1234", "EXXON TJ MAXX FEDEX"},
		{"a code of letters and digits", "AMZN MKTP US*2K4T81XYZ ON A1B2", "AMZN MKTP US ON"},
		{"a number before a name", "7-ELEVEN 24HOUR", "ELEVEN HOUR"},
		{"single letters stay, single letters of codes do not", "ATM W/D X7 Q", "ATM W D Q"},
		{"nothing but numbers", "1234 *** 99", ""},
		{"broken UTF-8", "A\xffB", "A B"},
		{"other scripts", "ЯНДЕКС 王府", "ЯНДЕКС 王府"},
	} {
		if got := Normalise(c.in); got != c.want {
			t.Errorf("%s: Normalise(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestNormaliseReadsNoMoreThanItsBound(t *testing.T) {
	if got, want := Normalise(strings.Repeat("word ", 1000)), strings.Repeat("WORD ", maxWords); got+" " != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"", "Kroger #12 XX", "é\u0301ß ﬁ Ⅷ ǅ", "XX1XX A&B 'x'", "\xff\xfe", "ŉ ĸ", "A\u200dB", strings.Repeat("a b ", 60)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Normalise(s)
		if again := Normalise(got); again != got {
			t.Fatalf("Normalise(%q) = %q and, again, %q", s, got, again)
		}
		if !utf8.ValidString(got) || strings.Contains(got, "  ") || strings.TrimSpace(got) != got {
			t.Fatalf("Normalise(%q) = %q", s, got)
		}
		for _, r := range got {
			if r != ' ' && !unicode.IsLetter(r) {
				t.Fatalf("Normalise(%q) = %q has %q", s, got, r)
			}
		}
		tx := Transaction{Description: s, Merchant: s, Memo: s}
		if Categorise(tx, true) != Categorise(tx, true) {
			t.Fatalf("%q is categorised in two ways", s)
		}
	})
}
