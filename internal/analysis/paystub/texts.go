package paystub

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/report"
)

// plain returns a text in the form in which labels are compared: lower case, letters and
// digits, single spaces.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, c := range s {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(folded(unicode.ToLower(c)))
		} else if c == '#' {
			if b.Len() > 0 {
				b.WriteString(" no")
			}
			gap = true
		} else if c != '\'' && c != '’' && c != '.' {
			gap = true
		}
	}
	return b.String()
}

// folded returns a Spanish letter without its accent, because stubs print both forms.
func folded(c rune) rune {
	if c > 0x7f {
		if i := strings.IndexRune("áéíóúüñ", c); i >= 0 {
			return rune("aeiouun"[i/2]) // two bytes have a letter with an accent
		}
	}
	return c
}

// money parses an amount with two decimals, as in 1,234.56, $1,234.56, (12.00), -12.00,
// 12.00- and 12.00*.
func money(s string) (report.Cents, bool) {
	s = strings.TrimSpace(s)
	negative := false
	if inner, ok := strings.CutPrefix(strings.TrimPrefix(s, "$"), "("); ok && strings.HasSuffix(inner, ")") {
		s, negative = strings.TrimSpace(inner[:len(inner)-1]), true
	} else if inner, ok := strings.CutPrefix(s, "<"); ok && strings.HasSuffix(inner, ">") {
		s, negative = strings.TrimSpace(inner[:len(inner)-1]), true
	}
	s = strings.TrimRight(s, " *†‡#+")
	for range 3 {
		switch {
		case strings.HasPrefix(s, "-"), strings.HasPrefix(s, "−"), strings.HasPrefix(s, "–"), strings.HasPrefix(s, "‑"):
			_, n := utf8.DecodeRuneInString(s)
			s, negative = s[n:], true
		case strings.HasSuffix(s, "-"):
			s, negative = s[:len(s)-1], true
		case strings.HasPrefix(s, "+"), strings.HasPrefix(s, "="):
			s = s[1:]
		case strings.HasPrefix(s, "$"):
			s = s[1:]
		case strings.HasPrefix(s, "USD"):
			s = s[3:]
		case strings.HasSuffix(s, "USD"):
			s = s[:len(s)-3]
		case strings.HasSuffix(s, "CR"), strings.HasSuffix(s, "DR"):
			s, negative = s[:len(s)-2], negative || s[len(s)-2] == 'C'
		}
		s = strings.TrimSpace(s)
	}
	s = strings.TrimLeft(s, "*")
	whole, cents, ok := strings.Cut(s, ".")
	if !ok || len(cents) != 2 || len(whole) > 13 {
		return 0, false
	}
	var n report.Cents
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + report.Cents(c-'0')
		case i != len(whole) && (c != ',' || i == 0 || i > len(whole) || (len(whole)-i)%4 != 0):
			return 0, false
		}
	}
	if negative {
		n = -n
	}
	return n, true
}

// number reports whether a text is a number, such as hours or a rate.
func number(s string) bool {
	s = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "$"))
	for _, unit := range []string{"/hr", "/hour", "/h", " hrs", "hrs", "h"} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			s = strings.TrimRight(rest, " .")
			break
		}
	}
	digits := 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c != '.' && c != ',' && c != '-' && c != '%' && c != ':':
			return false
		}
	}
	return digits > 0 && len(s) < 20
}

// ligatures replaces ligatures by their letters and no-break spaces by spaces, and removes
// invisible characters.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ",
	"ffl", "ﬅ", "st", "ﬆ", "st", "\u00a0", " ", "\u2009", " ", "\u202f", " ", "\u00ad", "", "\u200b", "")

// withoutRule removes the rule, drawn with signs such as "-----", before and after a text.
func withoutRule(text string) string {
	for _, sign := range "-=_+~" {
		if line := strings.Repeat(string(sign), 4); strings.Contains(text, line) {
			for _, trim := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
				if rest, found := trim(text, line); found {
					text = strings.TrimSpace(strings.Trim(rest, string(sign)))
				}
			}
		}
	}
	return text
}

// dollars reports whether a text is the part of an amount before the decimal point.
func dollars(s string) bool {
	_, ok := money(s + ".00")
	return ok && s != ""
}

// isCents reports whether a text is two digits, which a minus sign may follow.
func isCents(s string) bool {
	s = strings.TrimSuffix(s, "-")
	return len(s) == 2 && isDigit(s[0]) && isDigit(s[1])
}
