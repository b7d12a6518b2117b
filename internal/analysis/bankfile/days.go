package bankfile

import (
	"strings"
	"time"

	"vestibule/internal/report"
)

// layouts lists the parsers of date layouts, the most likely first.
var layouts = []func(string) (report.Date, bool){
	byNumbers(0, 1, 2, "-/."), // 2026-10-31
	byNumbers(2, 0, 1, "-/"),  // 10/31/2026
	byNumbers(2, 1, 0, "-/."), // 31.10.2026
	compact,                   // 20261031
	inWords,                   // Oct 31, 2026
}

// layoutsOf returns the indexes of the layouts that fit a day.
func layoutsOf(s string) (out []int) {
	for i, parse := range layouts {
		if _, ok := parse(s); ok {
			out = append(out, i)
		}
	}
	return out
}

// byNumbers returns a parser of three numbers separated by one of the marks. year, month and
// day are their positions. A year of two digits is in this century and is not the first
// number. A time may follow.
func byNumbers(year, month, day int, marks string) func(string) (report.Date, bool) {
	return func(s string) (report.Date, bool) {
		s, _, _ = strings.Cut(strings.Trim(s, "'"), " ")
		s, _, _ = strings.Cut(s, "T")
		mark := strings.IndexAny(s, marks)
		if mark < 0 {
			return report.Date{}, false
		}
		parts := strings.Split(s, s[mark:mark+1])
		if len(parts) != 3 {
			return report.Date{}, false
		}
		var n [3]int
		for i, p := range parts {
			if p == "" || len(p) > 4 || strings.Trim(p, "0123456789") != "" || (i == year) != (len(p) == 4) && (i != year || len(p) != 2 || i == 0) {
				return report.Date{}, false
			}
			for _, c := range p {
				n[i] = n[i]*10 + int(c-'0')
			}
		}
		if len(parts[year]) == 2 {
			n[year] += 2000
		}
		return parseDay(n[year], n[month], n[day])
	}
}

func compact(s string) (report.Date, bool) {
	if len(s) != 8 {
		return report.Date{}, false
	}
	return ofxDay(s)
}

// inWords parses days with an English month, abbreviated or not.
func inWords(s string) (report.Date, bool) {
	s = strings.Join(strings.Fields(strings.NewReplacer(",", " ", "-", " ").Replace(s)), " ")
	for _, layout := range []string{"Jan 2 2006", "January 2 2006", "2 Jan 2006", "2 January 2006", "2 Jan 06"} {
		if t, err := time.Parse(layout, s); err == nil {
			return parseDay(t.Year(), int(t.Month()), t.Day())
		}
	}
	return report.Date{}, false
}
