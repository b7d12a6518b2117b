package paystub

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vestibule/internal/report"
)

// twoDates reads two dates and the separator between them, and returns the text after them.
func twoDates(text string) (a, b report.Date, after string, first, second int) {
	if len(text) > 2*maxLabel {
		return a, b, "", noDate, noDate
	}
	a, rest, first := dateIn(text)
	if first == noDate {
		// The first date may lack the year.
		if head, later, ok := cutJoin(text); ok {
			if month, _, spaced := strings.Cut(head, " "); spaced && monthOf(strings.TrimRight(month, ".")) > 0 && later != "" && isDigit(later[0]) {
				later = month + " " + later // "Sep 1 - 15, 2026"
			}
			if b, after, second = dateIn(later); second == goodDate {
				head = strings.TrimRight(head, " ,")
				if strings.Trim(head, "0123456789") == "" { // "1 - 15 Sep 2026"
					head += b.Format(" Jan")
				}
				if a, rest, first = dateIn(head + ", " + b.Format("2006")); first == goodDate && rest == "" {
					if a.After(b.Time) {
						a = report.Date{Time: a.AddDate(-1, 0, 0)}
					}
					return a, b, after, first, second
				}
			}
		}
		return a, b, "", noDate, noDate
	}
	_, later, ok := cutJoin(rest)
	if !ok {
		later = strings.TrimPrefix(rest, ",")
	}
	b, after, second = dateIn(strings.TrimLeft(later, " "))
	return a, b, after, first, second
}

// cutJoin cuts a text at the separator between two dates.
func cutJoin(text string) (before, after string, found bool) {
	lower := strings.ToLower(text)
	for _, w := range []string{" - ", " – ", " — ", "–", "—", " through ", " thru ", " to ", " a ", " al ", " until ",
		" and ", "/", "-", "~", ".."} {
		trimmed := strings.TrimLeft(lower, " ")
		if strings.HasPrefix(trimmed+" ", strings.TrimLeft(w, " ")) {
			at := len(lower) - len(trimmed)
			return "", strings.TrimLeft(text[min(len(text), at+len(strings.TrimLeft(w, " "))):], " "), true
		}
	}
	for _, w := range []string{" - ", " – ", " — ", "–", " through ", " thru ", " to ", " al ", "-"} {
		if i := strings.Index(lower, w); i >= 0 {
			return text[:i], text[i+len(w):], true
		}
	}
	return text, "", false
}

// The states that dateIn returns.
const (
	noDate = iota
	badDate
	goodDate
)

// dateForm matches a date: three numbers or words, which marks or an ordinal may separate.
var dateForm = regexp.MustCompile(`^(\d+|[A-Za-z]+)((?i:st|nd|rd|th)[, ]+| / |[-/., ']{0,2})(\d+|[A-Za-z]+)` +
	`((?i:st|nd|rd|th)[, ]+| / |[-/., ']{0,2})(\d+|[A-Za-z]+)`)

// dateIn reads a date at the beginning of a text, as in 01/31/2026, 1-31-26,
// 2026-01-31, Jan 31, 2026 and 31 January 2026, and returns the text after it. A date that
// does not exist is a bad date.
func dateIn(s string) (d report.Date, rest string, state int) {
	s = strings.TrimSpace(s)
	if head, rest, ok := strings.Cut(s, " "); ok && isWeekday(strings.TrimRight(head, ".,")) { // Friday, …
		s = strings.TrimLeft(rest, " ")
	}
	// Eight digits without separators, as in 03202026 and 20260320.
	if n := len(s) - len(strings.TrimLeft(s, "0123456789")); n == 8 {
		for _, to := range []string{s[:2] + "/" + s[2:4] + "/" + s[4:8], s[:4] + "-" + s[4:6] + "-" + s[6:8]} {
			if d, _, state = dateIn(to); state == goodDate && d.Year() >= 2000 && d.Year() < 2080 {
				return d, s[8:], goodDate
			}
		}
		return report.Date{}, s, noDate
	}
	word := s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsLetter))]
	if !strings.ContainsAny(s, "0123456789") || word != "" && monthOf(word) == 0 {
		return d, s, noDate // most texts, without the expression
	}
	m := dateForm.FindStringSubmatch(s)
	if m == nil {
		return d, s, noDate
	}
	glued := func(k int) bool { return m[k] == "" && isDigit(m[k-1][0]) == isDigit(m[k+1][0]) }
	rest = s[len(m[0]):]
	y, month, day, ok := ymd([3]string{m[1], m[3], m[5]})
	if !ok || glued(2) || glued(4) || rest != "" && (isDigit(rest[0]) || rest[0] == '/') ||
		monthOf(m[1]) > 0 && m[2][:min(1, len(m[2]))] == " " && strings.Trim(m[4], " ") == "-" { // "March 1-14, 2026"
		return d, s, noDate
	}
	t := time.Date(y, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if month < 1 || month > 12 || day < 1 || t.Day() != day || y < 1950 || y > 2100 {
		return d, rest, badDate
	}
	return report.Date{Time: t}, rest, goodDate
}

// withSlashes returns a text whose words of six digits are days of the years since 2013, as in
// 030126, with slashes between the parts of each day. None of them fits another order of the parts.
func withSlashes(text string) string {
	digits := 0
	for i := range len(text) + 1 {
		if i < len(text) && isDigit(text[i]) {
			digits++
			continue
		}
		if at := i - digits; digits == 6 && (at == 0 || text[at-1] == ' ' || text[at-1] == '-') {
			day := text[at:at+2] + "/" + text[at+2:at+4] + "/" + text[i-2:i]
			if _, _, state := dateIn(day); state == goodDate && text[i-2:i] > "12" && text[i-2:i] < "60" {
				return text[:at] + day + withSlashes(text[i:])
			}
		}
		digits = 0
	}
	return text
}

var (
	dayWithoutYear = regexp.MustCompile(`(?i)\b(?:\d{1,2}/|[a-z]{3,9}\.? )\d{1,2}\b`)
	yearOfDay      = regexp.MustCompile(`\d{4}|\d/\d{1,2}/\d|'\d\d`)
)

// withYears returns a text without any year whose days are of the years that bring them closest
// to another day.
func withYears(text string, near report.Date) string {
	if len(text) > maxLabel || yearOfDay.MatchString(text) {
		return text
	}
	return dayWithoutYear.ReplaceAllStringFunc(text, func(day string) string {
		out, least := day, 200*24*time.Hour
		for year := near.Year() - 1; year <= near.Year()+1; year++ {
			whole := day + map[bool]string{true: "/", false: ", "}[isDigit(day[0])] + strconv.Itoa(year)
			if d, _, state := dateIn(whole); state == goodDate && d.Sub(near.Time).Abs() < least {
				out, least = whole, d.Sub(near.Time).Abs()
			}
		}
		return out
	})
}

var ordinals = []string{"st", "nd", "rd", "th"}

// isWeekday reports whether a word is the name of a weekday or an abbreviation of it.
func isWeekday(s string) bool {
	return len(s) >= 3 && slices.ContainsFunc(weekdays, func(day string) bool { return abbreviates(s, day, 5) })
}

// abbreviates reports whether a text is a name, or the first letters of it, of which an abbreviation
// has so many at most.
func abbreviates(s, name string, most int) bool {
	return (len(s) == len(name) || len(s) <= min(most, len(name))) && strings.EqualFold(s, name[:len(s)])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// ymd returns the year, month and day from the three parts of a date.
func ymd(p [3]string) (y, m, d int, ok bool) {
	n := func(s string) int {
		if !isDigit(s[0]) || len(s) > 4 {
			return -1
		}
		v, _ := strconv.Atoi(s) // only digits
		return v
	}
	switch {
	case monthOf(p[0]) > 0:
		y, m, d = n(p[2]), monthOf(p[0]), n(p[1])
	case monthOf(p[1]) > 0:
		y, m, d = n(p[2]), monthOf(p[1]), n(p[0])
	case len(p[0]) == 4:
		y, m, d = n(p[0]), n(p[1]), n(p[2])
	default:
		y, m, d = n(p[2]), n(p[0]), n(p[1])
	}
	if y >= 0 && y < 100 && (len(p[2]) == 2) {
		y += 2000
		if y > 2079 {
			y -= 100
		}
	}
	return y, m, d, y >= 1000 && m >= 0 && d >= 0
}

var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

var months = []string{"january", "february", "march", "april", "may", "june", "july",
	"august", "september", "october", "november", "december"}

// monthOf returns a month's number from its name or its first three or four letters, or 0
// for other words.
func monthOf(s string) int {
	if len(s) < 3 || isDigit(s[0]) {
		return 0
	}
	return 1 + slices.IndexFunc(months, func(name string) bool { return abbreviates(s, name, 4) })
}

// frequencies maps the words for a pay frequency to the contract's value.
var frequencies = inverted(map[string][]string{
	report.PayWeekly:      wordList("paid weekly"),
	report.PayBiweekly:    wordList("paid every two weeks"),
	report.PaySemiMonthly: wordList("paid twice a month"),
	report.PayMonthly:     wordList("paid monthly"),
})

// frequencyOf returns the pay frequency that words name, which may only have words about
// pay beside them. It is empty for unknown words, and for those that are ambiguous, such as
// bi-monthly, or not in the contract, such as four-weekly.
func frequencyOf(words string) string {
	w := strings.Fields(words)
	for len(w) > 0 && slices.Contains(wordList("about pay"), w[0]) {
		w = w[1:]
	}
	for len(w) > 0 && slices.Contains(wordList("about pay"), w[len(w)-1]) {
		w = w[:len(w)-1]
	}
	return frequencies[strings.Join(w, " ")]
}

// frequencyOfPeriod returns the pay frequency of a period's length, or an empty string if
// there is none.
func frequencyOfPeriod(start, end report.Date) string {
	days := int(end.Sub(start.Time).Hours()/24) + 1
	next := end.AddDate(0, 0, 1).Day()
	lastOfMonth := next == 1
	switch {
	case days == 7:
		return report.PayWeekly
	case start.Day() == 1 && end.Day() == 15 && days == 15, start.Day() == 16 && lastOfMonth && days < 17:
		return report.PaySemiMonthly
	case days == 14:
		return report.PayBiweekly
	case days == 15, days == 16, days == 13:
		return report.PaySemiMonthly
	case days == 28 && next != start.Day():
		return "" // four weeks that are not a month
	case days >= 28 && days <= 31:
		return report.PayMonthly
	}
	return ""
}
