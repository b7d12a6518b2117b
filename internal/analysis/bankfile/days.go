package bankfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/report"
)

// layout is an order of day, month and year.
type layout struct {
	name  string
	parse func(string) (report.Date, bool)
}

// layouts lists the orders, the most likely first where the month is before the day.
var layouts = []layout{
	{"year-month-day", byNumbers(0, 1, 2)},
	{"month/day/year", byNumbers(2, 0, 1)},
	{"day/month/year", byNumbers(2, 1, 0)},
	{"YYYYMMDD", compact(8, 0, 4, 6)},
	{"MMDDYYYY", compact(8, 4, 0, 2)},
	{"DDMMYYYY", compact(8, 4, 2, 0)},
	{"months in words", inWords},
	{"days since 1900, as spreadsheets count them", since(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC), 24*time.Hour, 5)},
	{"seconds since 1970, in UTC", since(time.Unix(0, 0).UTC(), time.Second, 10)},
	{"milliseconds since 1970, in UTC", since(time.Unix(0, 0).UTC(), time.Millisecond, 13)},
	{"YYMMDD", compact(6, 0, 2, 4)},
	{"MMDDYY", compact(6, 4, 0, 2)},
	{"DDMMYY", compact(6, 4, 2, 0)},
}

// monthFirst, dayFirst, counted and sixDigits are indexes of layouts; from counted on, a day is a
// number, from sixDigits on one of six digits.
const monthFirst, dayFirst, counted, sixDigits = 1, 2, 7, 10

// anyDay parses a day in any layout that no other number has.
func anyDay(s string) (day report.Date, ok bool) {
	for _, l := range layouts[:counted] {
		if day, ok = l.parse(s); ok {
			return day, true
		}
	}
	return day, false
}

var numbersOfDay = regexp.MustCompile(`^(?:\pL{2,10}[.,]?\s+)?'?(\d{1,4})([-/.])\s?(\d{1,4})([-/.])\s?(\d{1,4})['.]?(?:[T ,].*)?$`)

// byNumbers returns a parser of three numbers with a mark between them. year, month and day
// are their positions. A year of two digits is in this century. A weekday may precede and a
// time follow.
func byNumbers(year, month, day int) func(string) (report.Date, bool) {
	return func(s string) (report.Date, bool) {
		m := numbersOfDay.FindStringSubmatch(s)
		if m == nil || m[2] != m[4] {
			return report.Date{}, false
		}
		parts := [3]string{m[1], m[3], m[5]}
		for i, p := range parts {
			if len(p) > 2 && (i != year || len(p) == 3) || i == year && len(p) == 1 {
				return report.Date{}, false
			}
		}
		y := number(parts[year])
		if len(parts[year]) == 2 {
			y += 2000
		}
		return parseDay(y, number(parts[month]), number(parts[day]))
	}
}

// wordsOfDay matches a day with a month in words, in any language.
var wordsOfDay = regexp.MustCompile(`^(?:\d{1,2}[\s./-]+\pL+[\s./-]+\d{2,4}|\pL+\.?\s\d{1,2},?\s\d{4})$`)

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// compact returns a parser of eight digits, after which a time may follow, or of six, of which a
// spreadsheet may have dropped a first zero. year, month and day are their offsets.
func compact(digits, year, month, day int) func(string) (report.Date, bool) {
	return func(s string) (report.Date, bool) {
		if len(s) == 5 && digits == 6 {
			s = "0" + s
		}
		if len(s) != digits && (len(s) != 14 || digits != 8) || strings.Trim(s, "0123456789") != "" {
			return report.Date{}, false
		}
		y := number(s[year : year+digits-4])
		if digits == 6 {
			y += 2000
		}
		return parseDay(y, number(s[month:month+2]), number(s[day:day+2]))
	}
}

// since returns a parser of a number of units with that many digits, and maybe decimals.
func since(start time.Time, unit time.Duration, digits int) func(string) (report.Date, bool) {
	return func(s string) (report.Date, bool) {
		s, _, _ = strings.Cut(s, ".")
		n := number(s)
		day := start.Add(time.Duration(n) * unit)
		return report.DateOf(day), len(s) == digits && n > 0 && day.Year() >= 1990 && day.Year() < 2100
	}
}

var (
	timeOfDay  = regexp.MustCompile(`[\sT,]+\d{1,2}:\d.*$`)
	gluedMonth = regexp.MustCompile(`^(\d{1,2})(\pL{3})(\d{2,4})$`) // 02Mar2026
)

// inWords parses days with a month in words, abbreviated or not, as 31 de octubre de 2026.
func inWords(s string) (report.Date, bool) {
	if len(s) > 60 || !strings.ContainsAny(s, "0123456789") {
		return report.Date{}, false
	}
	month, n := 0, []string(nil)
	for _, word := range strings.Fields(plain(gluedMonth.ReplaceAllString(timeOfDay.ReplaceAllString(s, ""), "$1 $2 $3"))) {
		if m := number(words["month"][word]); m > 0 && month == 0 {
			month = m
		} else if digits := strings.TrimRight(word, "stndrh"); digits != "" && strings.Trim(digits, "0123456789") == "" {
			n = append(n, digits)
		} else if len(word) > 10 || len(n) > 1 {
			return report.Date{}, false
		}
	}
	if month == 0 || len(n) != 2 {
		return report.Date{}, false
	}
	if len(n[0]) == 4 {
		slices.Reverse(n)
	}
	year := number(n[1])
	if len(n[1]) == 2 {
		year += 2000
	}
	return parseDay(year, month, number(n[0]))
}

// fit is how a layout reads the days of a file.
type fit struct {
	layout, read, turns, span int
}

// chooseLayout returns the layout that reads most days. Of several, it prefers one in which
// the lines are in chronological order, then the one in which they lie closest together, then
// preferred. others are the layouts that read as many days, differently.
func chooseLayout(days []string, preferred int, spread bool) (best fit, others []fit) {
	var fits []fit
	for l, layout := range layouts {
		f := fit{layout: l}
		var first, last, previous report.Date
		direction := 0
		for _, s := range days {
			d, ok := layout.parse(s)
			if !ok {
				continue
			}
			if step := d.Compare(previous.Time); f.read > 0 && step != 0 {
				if direction != 0 && step != direction {
					f.turns++
				}
				direction = step
			}
			if f.read == 0 || d.Before(first.Time) {
				first = d
			}
			if f.read == 0 || d.After(last.Time) {
				last = d
			}
			previous = d
			f.read++
		}
		f.span = int(last.Sub(first.Time).Hours() / 24)
		if f.read > 0 {
			fits = append(fits, f)
		}
	}
	if len(fits) == 0 {
		return best, nil
	}
	most := slices.MaxFunc(fits, func(a, b fit) int { return a.read - b.read }).read
	fits = slices.DeleteFunc(fits, func(f fit) bool { return f.read < most })
	slices.SortStableFunc(fits, func(a, b fit) int {
		switch {
		case a.turns != b.turns:
			return a.turns - b.turns
		case a.span != b.span && spread:
			return b.span - a.span
		case a.span != b.span:
			return a.span - b.span
		case a.layout == preferred:
			return -1
		case b.layout == preferred:
			return 1
		}
		return 0
	})
	for _, f := range fits[1:] {
		if slices.ContainsFunc(days, func(s string) bool {
			a, _ := layouts[fits[0].layout].parse(s)
			b, ok := layouts[f.layout].parse(s)
			return ok && !a.Equal(b.Time)
		}) {
			others = append(others, f)
		}
	}
	return fits[0], others
}
