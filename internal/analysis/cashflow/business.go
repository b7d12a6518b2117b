package cashflow

import "vestibule/internal/analysis/bankdata"

// lastBefore returns the last business day before a day that is not one, and -1 for a
// business day.
func lastBefore(day bankdata.Day) bankdata.Day {
	if business(day) {
		return -1
	}
	for day--; !business(day); day-- {
	}
	return day
}

// business reports whether d is a business day of banks: a weekday that is not a federal
// holiday. A holiday on a Sunday moves to Monday, one on a Saturday does not move (5 U.S.C.
// 6103; the Federal Reserve Banks' calendar).
func business(d bankdata.Day) bool {
	weekday := d.Weekday()
	if weekday == 0 || weekday == 6 {
		return false
	}
	if holiday(d) {
		return false
	}
	return weekday != 1 || !dated(d-1)
}

// dated reports whether a day is a holiday with a fixed date.
func dated(d bankdata.Day) bool {
	year, month, day := d.Civil()
	switch [2]int{month, day} {
	case [2]int{1, 1}, [2]int{7, 4}, [2]int{11, 11}, [2]int{12, 25}:
		return true
	case [2]int{6, 19}:
		return year >= 2021
	}
	return false
}

// holiday reports whether a weekday is a federal holiday that did not move.
func holiday(d bankdata.Day) bool {
	_, month, day := d.Civil()
	switch weekday := d.Weekday(); {
	case dated(d):
		return true
	case weekday == 1 && (month == 1 || month == 2): // Martin Luther King's and Washington's birthday
		return day >= 15 && day <= 21
	case weekday == 1 && month == 5: // Memorial Day
		return day >= 25
	case weekday == 1 && month == 9: // Labor Day
		return day <= 7
	case weekday == 1 && month == 10: // Columbus Day
		return day >= 8 && day <= 14
	case weekday == 4 && month == 11: // Thanksgiving
		return day >= 22 && day <= 28
	}
	return false
}
