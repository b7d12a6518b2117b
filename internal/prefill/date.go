package prefill

// Date is a day of the Gregorian calendar.
type Date struct{ Year, Month, Day int }

// DateOf converts the results of time.Time's Date method:
// prefill.DateOf(now.UTC().Date()).
func DateOf[M ~int](year int, month M, day int) Date { return Date{year, int(month), day} }

// ParseDate parses exactly YYYY-MM-DD and reports whether it is a valid date.
func ParseDate(s string) (Date, bool) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return Date{}, false
	}
	d := Date{number(s[:4]), number(s[5:7]), number(s[8:])}
	if d.Year < 0 || d.Month < 1 || d.Month > 12 || d.Day < 1 || d.Day > daysIn(d.Year, d.Month) {
		return Date{}, false
	}
	return d, true
}

// birthDate checks a date of birth: at least the first and not yet the 111th birthday.
// A birthday on February 29 counts as March 1 in other years.
func birthDate(s string, today Date) fault {
	d, ok := ParseDate(s)
	switch {
	case !ok:
		return noDate
	case today.before(d):
		return future
	case today.before(Date{d.Year + 1, d.Month, d.Day}):
		return tooYoung
	case !today.before(Date{d.Year + 111, d.Month, d.Day}):
		return tooOld
	}
	return fine
}

func (d Date) before(e Date) bool {
	if d.Year != e.Year {
		return d.Year < e.Year
	}
	if d.Month != e.Month {
		return d.Month < e.Month
	}
	return d.Day < e.Day
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// number parses decimal digits; -1 for anything else.
func number(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
