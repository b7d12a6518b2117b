package bankdata

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vestibule/internal/testutil/proptest"
)

func TestNormalize(t *testing.T) {
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
		{"a letter and a number begin a name", "M1 FINANCE X1 A2", "M FINANCE"},
		{"a number glued to a word", "MURPHY7118ATWALMART AB12CDEFG ABCDE1F", "MURPHY"},
		{"nothing but numbers", "1234 *** 99", ""},
		{"broken UTF-8", "A\xffB", "A B"},
		{"other scripts", "ЯНДЕКС 王府", "ЯНДЕКС 王府"},
	} {
		if got := Normalize(c.in); got != c.want {
			t.Errorf("%s: Normalize(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestNormalizeLength(t *testing.T) {
	if got, want := Normalize(strings.Repeat("word ", 1000)), strings.Repeat("WORD ", maxWords); got+" " != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// reference is a simple implementation of Normalize.
func reference(s string) string {
	separated := strings.Map(func(r rune) rune {
		switch {
		case r >= utf8.RuneSelf:
			switch k := fold(r); k {
			case foldJoin:
				return -1
			case foldSeparator:
				return ' '
			default:
				return k
			}
		case r == '\'', r == '&':
			return -1
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToUpper(r)
		}
		return ' '
	}, s)
	var words []string
	for i, w := range strings.Fields(separated) {
		rest := maskBehind.ReplaceAllString(maskBefore.ReplaceAllString(w, ""), "")
		if m := gluedNumber.FindStringSubmatch(rest); m != nil {
			w = m[1]
			rest = maskBehind.ReplaceAllString(w, "")
		}
		code := strings.ContainsAny(rest, "0123456789") || len(rest) == 1 && len(w) > 1 && !(i == 0 && letterNumber.MatchString(w))
		if rest != "" && !code && len(words) < maxWords {
			words = append(words, rest)
		}
	}
	return strings.Join(words, " ")
}

var (
	maskBefore = regexp.MustCompile(`^([0-9]|XX+)*`)
	maskBehind = regexp.MustCompile(`([0-9]|XXX+)*$`)

	letterNumber = regexp.MustCompile(`^[A-Z][0-9]`)
	gluedNumber  = regexp.MustCompile(`^([A-Z]{5,})[0-9]+[A-Z]{4,}$`)
)

// garbled returns a text of known words mixed with numbers, masks and unusual letters.
func garbled(t *rapid.T) string {
	hard := rapid.SampledFrom([]string{
		" ", "  ", "-", "*", "#", "&", "'", "’", ".", "A", "a1", "1a", "x7", "MAXX", "é", "ß", "ﬁ",
		"Ⅷ", "ŉ", "ı", "ǅ", "٣", "王府", "\u0301", "\xff", "\xe2\x80",
	})
	mask := rapid.SampledFrom([]string{"X", "XX", "XXX", "xxxx", "0", "1234", " "})
	known := rapid.Custom(func(t *rapid.T) string {
		w := ruled().words[rapid.IntRange(0, len(ruled().words)-1).Draw(t, "number")].word
		if rapid.Bool().Draw(t, "small") {
			w = strings.ToLower(w)
		}
		return w
	})
	spaced := rapid.Custom(func(t *rapid.T) string { return known.Draw(t, "word") + " " })
	return strings.Join(rapid.SliceOfN(rapid.OneOf(hard, mask, known, spaced), 0, 16).Draw(t, "text"), "")
}

func TestNormalizeMatchesReference(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		s := garbled(t)
		if got, want := Normalize(s), reference(s); got != want {
			t.Fatalf("Normalize(%q) = %q, want %q", s, got, want)
		}
	})
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"", "Kroger #12 XX", "é\u0301ß ﬁ Ⅷ ǅ", "XX1XX A&B 'x'",
		"\xff\xfe", "ŉ ĸ", "A\u200dB", strings.Repeat("a b ", 60)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Normalize(s)
		if again := Normalize(got); again != got {
			t.Fatalf("Normalize(%q) = %q and, again, %q", s, got, again)
		}
		if want := reference(s); got != want {
			t.Fatalf("Normalize(%q) = %q, want %q", s, got, want)
		}
		if !utf8.ValidString(got) || strings.Contains(got, "  ") || strings.TrimSpace(got) != got {
			t.Fatalf("Normalize(%q) = %q", s, got)
		}
		for _, r := range got {
			if r != ' ' && !unicode.IsLetter(r) {
				t.Fatalf("Normalize(%q) = %q has %q", s, got, r)
			}
		}
		tx := Transaction{Description: s, Merchant: s, Memo: s}
		if first, second := categorize(tx, true), categorize(tx, true); first != second {
			t.Fatalf("%q is categorized in two ways", s)
		}
	})
}
