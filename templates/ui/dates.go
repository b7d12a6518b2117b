package ui

import (
	"strconv"
	"time"

	"vestibule/internal/i18n"
)

var spanishMonths = [...]string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"}

// DayWords formats a date, as in "Jan 2, 2006".
func DayWords(l i18n.Lang, t time.Time) string {
	if l == i18n.Spanish {
		return strconv.Itoa(t.Day()) + " " + spanishMonths[t.Month()-1] + " " + strconv.Itoa(t.Year())
	}
	return t.Format("Jan 2, 2006")
}

var spanishMonthNames = [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
	"noviembre", "diciembre"}

// LongDay formats a date for a letter, as in "January 2, 2006".
func LongDay(l i18n.Lang, t time.Time) string {
	if l == i18n.Spanish {
		return strconv.Itoa(t.Day()) + " de " + spanishMonthNames[t.Month()-1] + " de " + strconv.Itoa(t.Year())
	}
	return t.Format("January 2, 2006")
}

// DayAndMonth formats a date without its year, as in "Jan 2".
func DayAndMonth(l i18n.Lang, t time.Time) string {
	if l == i18n.Spanish {
		return strconv.Itoa(t.Day()) + " " + spanishMonths[t.Month()-1]
	}
	return t.Format("Jan 2")
}

// MonthWords returns the short name of a month.
func MonthWords(l i18n.Lang, m time.Month) string {
	if l == i18n.Spanish {
		return spanishMonths[m-1]
	}
	return m.String()[:3]
}

// MomentWords formats an instant in UTC, as in "Jan 2, 2006, 15:04 UTC".
func MomentWords(l i18n.Lang, t time.Time) string {
	return DayWords(l, t.UTC()) + ", " + t.UTC().Format("15:04") + " UTC"
}

// DayInZone formats a date with its time zone, as in "Jan 2, 2006 (UTC-05:00)".
func DayInZone(l i18n.Lang, t time.Time) string {
	zone := t.Format("UTC-07:00")
	if _, behind := t.Zone(); behind == 0 {
		zone = "UTC"
	}
	return DayWords(l, t) + " (" + zone + ")"
}

// HourWords names an hour, as in "Jan 2, 2006, 15:00–16:00".
func HourWords(l i18n.Lang, at time.Time) string {
	return DayWords(l, at) + ", " + at.Format("15:04") + "–" + at.Add(time.Hour).Format("15:04")
}

// MachineTime formats an instant for the attribute datetime.
func MachineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Roughly formats a duration in its largest unit, by the units' international symbols.
func Roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return "< 1 s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Round(time.Second).Seconds())) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Round(time.Minute).Minutes())) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Round(time.Hour).Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " d"
}
