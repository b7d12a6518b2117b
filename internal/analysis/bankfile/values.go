package bankfile

import (
	"strings"
	"time"

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

// parseAmount parses an amount of money: 1234.5, -1,234.56, (1.234,56), $12, 12.00-,
// USD 5. The last point or comma before one or two digits at the end is the decimal mark;
// others must group three digits. It refuses 1.234, whose point may group digits.
func parseAmount(s string) (report.Cents, bool) {
	s = strings.TrimSpace(s)
	negative := false
	if inner, ok := strings.CutPrefix(s, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); !ok {
			return 0, false
		}
		s, negative = inner, true
	}
	s = strings.Map(func(r rune) rune {
		switch r {
		case '$', '€', '£', ' ', '\u00a0', '\u202f', '\'':
			return -1
		case '\u2212':
			return '-'
		}
		return r
	}, s)
	if len(s) > 3 && strings.Trim(s[:3], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		s = s[3:]
	}
	signs := 0
	for _, sign := range []string{"-", "+"} {
		for _, cut := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
			if rest, ok := cut(s, sign); ok {
				s, negative = rest, negative != (sign == "-")
				signs++
			}
		}
	}
	if signs > 1 || len(s) > 32 {
		return 0, false
	}
	whole, fraction := s, ""
	if i := strings.LastIndexAny(s, ".,"); i >= 0 {
		after := len(s) - i - 1
		grouped := after == 3 && s[i] == ',' || after == 3 && strings.Count(s, string(s[i])) > 1
		if !grouped {
			whole, fraction = s[:i], s[i+1:]
		}
	}
	if len(fraction) > 3 { // three digits may be a group
		fraction = fraction[:2] + strings.TrimRight(fraction[2:], "0")
	}
	if len(fraction) > 2 || strings.ContainsAny(fraction, ".,") {
		return 0, false
	}
	if whole, ok := ungroup(whole); ok && whole+fraction != "" {
		var n int64
		for _, c := range whole + (fraction + "00")[:2] {
			if n = n*10 + int64(c-'0'); n > maxCents {
				return 0, false
			}
		}
		if strings.Trim(fraction, "0123456789") != "" {
			return 0, false
		}
		if negative {
			n = -n
		}
		return report.Cents(n), true
	}
	return 0, false
}

// ungroup removes the marks between groups of three digits.
func ungroup(s string) (string, bool) {
	mark := strings.IndexAny(s, ".,")
	if mark < 0 {
		return s, strings.Trim(s, "0123456789") == ""
	}
	groups := strings.Split(s, s[mark:mark+1])
	for i, g := range groups {
		if strings.Trim(g, "0123456789") != "" || i > 0 && len(g) != 3 || i == 0 && (len(g) > 3 || g == "") {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}
