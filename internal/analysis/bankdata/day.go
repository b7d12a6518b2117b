package bankdata

import (
	"time"

	"vestibule/internal/report"
)

// Day is a UTC date as days since 1970-01-01.
type Day int32

const secondsPerDay = 24 * 60 * 60

// DayOf returns the day of a date.
func DayOf(d report.Date) Day {
	s := d.Unix()
	n := s / secondsPerDay
	if s%secondsPerDay < 0 {
		n--
	}
	return Day(n)
}

// Date returns the day as a date.
func (d Day) Date() report.Date { return report.Date{Time: time.Unix(int64(d)*secondsPerDay, 0).UTC()} }

// Weekday returns the day of the week, Sunday = 0.
func (d Day) Weekday() int { return int(((d+4)%7 + 7) % 7) }

// Civil returns the day's year, month (1–12) and day of the month. It is faster than
// Date.Date.
func (d Day) Civil() (year, month, day int) {
	z := int(d) + 719468 // days since 0000-03-01: the leap day is the last day of the year
	era := z / 146097
	if z < 0 {
		era = (z - 146096) / 146097
	}
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = doy - (153*mp+2)/5 + 1
	month = mp + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}
