package bankfile

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"vestibule/internal/report"
)

// parseDay returns the date of a year, month and day, and whether it is valid and between
// 1950 and 2099.
func parseDay(year, month, day int) (report.Date, bool) {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1950 || year > 2099 || int(t.Month()) != month || t.Day() != day {
		return report.Date{}, false
	}
	return report.DateOf(t), true
}

// figure is an amount of money as a file writes it.
type figure struct {
	cents   report.Cents
	side    int  // 1 for CR, -1 for DR, 0 without such a mark; cents has this sign
	rounded bool // it had parts of a cent
	plus    bool // it has the sign +
	minus   bool // it is money out, even if it is zero
}

// numeral is the text of an amount without sign, currency, spaces and words.
type numeral struct {
	digits   string // digits, points and commas
	negative bool
	plus     bool
	side     int
}

var (
	wordInParentheses = regexp.MustCompile(`\((\pL+\.?)\)`)

	lettersOf   = regexp.MustCompile(`\pL+\.?`)
	withinWords = regexp.MustCompile(`\d\s*\pL+\.?\s*\d|\d\s+(?:\d{1,2}|\d{4,})(?:\D|$)`) // or a space that groups no digits
)

// parseNumeral parses -1,234.56, (1.234,56), $12, 12.00-, USD 5, 5.00 EUR, 12.34 DR.
func parseNumeral(s string) (n numeral, ok bool) {
	if s = strings.TrimSpace(strings.ReplaceAll(s, "\u00a0", " ")); strings.HasSuffix(s, ")") {
		s = wordInParentheses.ReplaceAllString(s, "$1")
	}
	if len(s) > 64 || withinWords.MatchString(s) {
		return n, false
	}
	foreign := false
	s = lettersOf.ReplaceAllStringFunc(s, func(word string) string {
		switch plain := strings.TrimSuffix(strings.ToUpper(word), "."); {
		case plain == "CR" || plain == "DR" || plain == "OD" || len(plain) == 1 && strings.Contains("CHDS", plain) && strings.HasSuffix(s, word):
			foreign = foreign || n.side != 0 // twice
			n.side = 1
			if strings.ContainsAny(plain, "DS") { // OD is overdrawn
				n.side = -1
			}
		case strings.Contains("|KR|KČ|ZŁ|FR|R|RD|US|CA|AU|A|C|MX|RS|LEI|FT|", "|"+plain+"|"):
		case len(word) == 3 && word == plain && strings.Trim(plain, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		default:
			foreign = true
		}
		return ""
	})
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("\u2212\u2013\u2014\ufe63\uff0d", r):
			return '-'
		case r == '\uff0b':
			return '+'
		case unicode.IsSpace(r), unicode.Is(unicode.Sc, r), unicode.Is(unicode.Cf, r), strings.ContainsRune("'\u2019\u02bc*", r):
			return -1
		}
		return r
	}, s)
	signs := 0
	for range 2 { // a sign may be outside and inside of parentheses
		for _, sign := range []string{"-", "+"} {
			for _, cut := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
				if rest, found := cut(s, sign); found {
					s, n.negative, n.plus = rest, n.negative || sign == "-", sign == "+"
					signs++
				}
			}
		}
		if inner, found := strings.CutPrefix(s, "("); found {
			if inner, found = strings.CutSuffix(inner, ")"); !found {
				return n, false
			}
			s, n.negative = inner, true
		}
	}
	n.digits = s
	return n, !foreign && signs < 2 && strings.Trim(s, "0123456789.,") == "" && strings.ContainsAny(s, "0123456789")
}

// decimalMark returns the decimal mark that a numeral shows, or 0, and whether the numeral has
// one mark before three digits, which may be decimals or a group.
func (n numeral) decimalMark() (mark byte, ambiguous bool) {
	i := strings.LastIndexAny(n.digits, ".,")
	if i < 0 {
		return 0, false
	}
	other := byte('.' + ',' - n.digits[i])
	switch repeated := strings.Count(n.digits, n.digits[i:i+1]) > 1; {
	case strings.IndexByte(n.digits, other) >= 0 && !repeated:
		return n.digits[i], false
	case repeated:
		return other, false
	case len(n.digits)-i-1 == 3 && i >= 1 && i <= 3 && n.digits[0] != '0':
		return 0, true
	}
	return n.digits[i], false
}

// parseFigure parses an amount in a file whose decimal mark is known; 0 stands for one that
// each amount must show. Parts of a cent are rounded.
func parseFigure(s string, decimal byte) (f figure, ok bool) {
	n, ok := parseNumeral(s)
	if !ok {
		return f, false
	}
	mark, ambiguous := n.decimalMark()
	switch {
	case ambiguous && decimal == 0 && strings.Contains(n.digits, "."):
		return f, false
	case ambiguous && decimal == 0:
		mark = '.'
	case ambiguous:
		mark = decimal
	}
	whole, fraction := n.digits, ""
	if i := strings.LastIndexByte(n.digits, mark); mark != 0 && i >= 0 {
		whole, fraction = n.digits[:i], n.digits[i+1:]
	}
	whole, ok = ungroup(whole)
	if !ok || strings.ContainsAny(fraction, ".,") || whole+fraction == "" {
		return f, false
	}
	cents := int64(0)
	for _, c := range whole + (fraction + "00")[:2] {
		if cents = cents*10 + int64(c-'0'); cents > maxCents {
			return f, false
		}
	}
	if len(fraction) > 2 {
		rest := fraction[2:]
		if rest[0] >= '5' {
			cents++
		}
		f.rounded = strings.Trim(rest, "0") != "" && !strings.HasPrefix(rest, "0000") && !strings.HasPrefix(rest, "9999")
	}
	if f.side, f.plus, f.minus = n.side, n.plus, n.negative || n.side < 0; f.minus {
		cents = -cents
	}
	f.cents = report.Cents(cents)
	return f, !n.negative || n.side <= 0
}

// ungroup removes the marks between groups of three digits, or of two before the last, as in
// India.
func ungroup(s string) (string, bool) {
	mark := strings.IndexAny(s, ".,")
	if mark < 0 {
		return s, true
	}
	groups := strings.Split(s, s[mark:mark+1])
	for i, g := range groups {
		last := i == len(groups)-1
		if strings.Trim(g, "0123456789") != "" || i > 0 && len(g) != 3 && (len(g) != 2 || last) || i == 0 && (len(g) > 3 || g == "") {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}
