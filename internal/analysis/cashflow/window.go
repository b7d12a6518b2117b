package cashflow

import (
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// Window is the time frame of an attribute.
type Window uint8

// The windows of attributes (docs/explanation/analytics.md, "Windows").
const (
	Current   Window = iota // at the fetch
	Last1                   // the last complete calendar month
	Last3                   // the last 3
	Last6                   // the last 6
	Last12                  // the last 12
	Rolling12               // from the same date a year earlier through the day before the fetch date
	History                 // all that was retrieved, the fetch date included
)

// historyMonths is the maximum number of complete months.
const historyMonths = 24

type window struct {
	name   string
	months int
	about  string
}

var windows = [...]window{
	Current:   {"CUR", 0, "at the fetch"},
	Last1:     {"1M", 1, "the last complete calendar month"},
	Last3:     {"3M", 3, "the last 3 complete calendar months"},
	Last6:     {"6M", 6, "the last 6 complete calendar months"},
	Last12:    {"12M", 12, "the last 12 complete calendar months"},
	Rolling12: {"12R", 12, "from the same date a year earlier through the day before the fetch date"},
	History:   {"ALL", historyMonths, "the whole retrieved history, at most two years, the fetch date included"},
}

// String returns the window's name, as in "12M".
func (w Window) String() string { return windows[w].name }

// months returns the maximum number of months in the window.
func (w Window) months() int { return windows[w].months }

// calendar holds the first days of the months before a fetch date, newest first. Month k
// runs from month[k] to the day before month[k-1], and rolling month k likewise; month 0 is
// the current one, and rolling[0] is the fetch date.
type calendar struct {
	fetch, oldest bankdata.Day
	month         [historyMonths + 1]bankdata.Day
	rolling       [12 + 1]bankdata.Day
	whole         int // months 1 to whole begin on oldest or later
	wholeRolling  int
}

func newCalendar(fetch, oldest bankdata.Day) calendar {
	c := calendar{fetch: fetch, oldest: oldest}
	date := fetch.Date()
	first := report.Date{Time: time.Date(date.Year(), date.Month(), 1, 0, 0, 0, 0, time.UTC)}
	for k := range c.month {
		c.month[k] = bankdata.DayOf(bankdata.MonthsBefore(first, k))
		if k > 0 && c.month[k] >= oldest {
			c.whole = k
		}
	}
	for k := range c.rolling {
		c.rolling[k] = bankdata.DayOf(bankdata.MonthsBefore(date, k))
		if k > 0 && c.rolling[k] >= oldest {
			c.wholeRolling = k
		}
	}
	return c
}

// bounds returns the window's first day and the day after its last one.
func (c *calendar) bounds(w Window) (from, until bankdata.Day) {
	switch w {
	case Rolling12:
		return c.rolling[12], c.fetch
	case History, Current:
		return c.oldest, c.fetch + 1
	}
	return c.month[w.months()], c.month[0]
}

// wholeMonths returns the number of months of the window that the history covers from their
// first day.
func (c *calendar) wholeMonths(w Window) int {
	if w == Rolling12 {
		return c.wholeRolling
	}
	return min(c.whole, w.months())
}

// wholeBounds returns the bounds of those months; they are equal if there are none.
func (c *calendar) wholeBounds(w Window) (from, until bankdata.Day) {
	n := c.wholeMonths(w)
	if w == Rolling12 {
		return c.rolling[n], c.fetch
	}
	return c.month[n], c.month[0]
}

func (c *calendar) monthOf(d bankdata.Day) int {
	for k := range c.month {
		if d >= c.month[k] {
			return k
		}
	}
	return historyMonths
}
