// Package console holds what the review dashboard and the provider's dashboard share above
// their users: the days of filters and overviews, the height of rows, live parts of pages, and
// the language, which all pages of the portal have.
package console

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// ParseDay parses a day of a filter, such as 2026-01-31, in a time zone. "" gives the zero time.
func ParseDay(s string, zone *time.Location) (time.Time, bool) {
	if s == "" {
		return time.Time{}, true
	}
	t, err := time.ParseInLocation(time.DateOnly, s, zone)
	return t, err == nil && t.Year() >= 1970 && t.Year() < 3000
}

// FormatDay formats a day for ParseDay; the zero time gives "".
func FormatDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// ParseDays parses the first and the last day of a filter, from and to.
func ParseDays(q url.Values, zone *time.Location) (from, to time.Time, err error) {
	from, ok1 := ParseDay(q.Get("from"), zone)
	to, ok2 := ParseDay(q.Get("to"), zone)
	if !ok1 || !ok2 {
		err = errors.New("no such day")
	}
	return from, to, err
}

// Periods are the numbers of days to today that an overview offers, in order.
var Periods = [...]int{7, 30, 90}

const usualPeriod = 30

// Days is a range of whole days of a time zone, none of which is in the future.
type Days struct {
	First, Last time.Time // at 00:00
	Period      int       // the one of Periods that was chosen; 0 for other days

	Before  time.Time // first of the earlier days to compare with, which are as many
	Compare string    // how those were chosen: CompareYear, CompareDay, "" for the days just before
}

// Ways to choose the days to compare with.
const (
	CompareYear = "year" // the same days of the year before
	CompareDay  = "day"  // those from the day since
)

// Params returns the parameters of an overview's address with a number of Periods, or with
// the same days for 0. It compares with the same kind of days.
func (d Days) Params(period int) url.Values {
	q := url.Values{}
	if period > 0 {
		q.Set("days", strconv.Itoa(period))
	} else {
		q.Set("from", FormatDay(d.First))
		q.Set("to", FormatDay(d.Last))
	}
	if d.Compare != "" {
		q.Set("compare", d.Compare)
	}
	if d.Compare == CompareDay {
		q.Set("since", FormatDay(d.Before))
	}
	return q
}

// Links returns links to an overview of each of Periods.
func (d Days) Links(l i18n.Lang, address func(period int) string) (out []ui.Link) {
	for _, n := range Periods {
		out = append(out, ui.Link{Text: i18n.T(l, "ui.days.last", "n", strconv.Itoa(n)), URL: address(n), Current: n == d.Period})
	}
	return out
}

// compare reads the days to compare with. The default are those just before.
func (d Days) compare(q url.Values) (Days, bool) {
	since, ok := ParseDay(q.Get("since"), d.First.Location())
	d.Compare, d.Before = q.Get("compare"), d.First.AddDate(0, 0, -d.Count())
	switch {
	case d.Compare == CompareYear:
		d.Before = d.First.AddDate(-1, 0, 0)
	case d.Compare == CompareDay && since.IsZero():
		d.Compare = ""
	case d.Compare == CompareDay:
		d.Before, ok = since, ok && since.Before(d.First)
	case d.Compare != "":
		ok = false
	}
	return d, ok
}

// Count returns the number of days, some of which may have 23 or 25 hours.
func (d Days) Count() int { return int(d.Last.Sub(d.First).Hours()/24 + 1.5) }

// Midnight returns the beginning of the day of t in a time zone.
func Midnight(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// ReadDays reads the days of an overview in a time zone from its address: a number of Periods, or the first
// and the last day in either order, and the earlier days to compare with. Of more than most
// days it returns the last ones. false: the address is wrong.
func ReadDays(q url.Values, now time.Time, zone *time.Location, most int) (d Days, ok bool) {
	today := Midnight(now, zone)
	from, to, err := ParseDays(q, zone)
	days := usualPeriod
	if text := q.Get("days"); text != "" {
		days, _ = strconv.Atoi(text)
	}
	if err != nil || !slices.Contains(Periods[:], days) {
		return d, false
	}
	if from.IsZero() && to.IsZero() {
		return Days{First: today.AddDate(0, 0, 1-days), Last: today, Period: days}.compare(q)
	}
	if !to.IsZero() && from.After(to) {
		from, to = to, from
	}
	if to.IsZero() || to.After(today) {
		to = today
	}
	switch earliest := to.AddDate(0, 0, 1-most); {
	case from.IsZero():
		from = to.AddDate(0, 0, 1-days)
	case from.After(to):
		from = to
	case from.Before(earliest):
		from = earliest
	}
	return Days{First: from, Last: to}.compare(q)
}
