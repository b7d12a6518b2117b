package ui

import (
	"slices"
	"strconv"
	"time"

	"vestibule/internal/i18n"
)

// DayPlot is a plot of counts by day or by hour, with its words and a table of the same numbers.
type DayPlot struct {
	ID      string // unique on the page
	Title   string
	Story   string    // the counts of all days in words
	None    string    // instead of a plot without counts; "" shows that plot
	Parts   [3]string // names of the two parts upwards and of the one downwards
	Bars    DayBars   // consecutive days or hours
	Earlier DayBars   // as many of the time before; nil for none
	Hourly  bool
}

// DayBar is the bar of a day or an hour: two parts upwards and one downwards.
type DayBar struct {
	Start             time.Time
	First, More, Down int
	Words             string // its counts
	URL               string // of what it counts; used if there is something
}

func (b DayBar) count() int { return b.First + b.More + b.Down }

// DayBars are the bars of consecutive days or hours, oldest first.
type DayBars []DayBar

// NewDayBars returns the bars of n days, without counts.
func NewDayBars(first time.Time, n int) DayBars {
	out := make(DayBars, n)
	for i := range out {
		out[i].Start = first.AddDate(0, 0, i)
	}
	return out
}

// Totals adds up the parts of all bars.
func (b DayBars) Totals() (first, more, down int) {
	for _, x := range b {
		first, more, down = first+x.First, more+x.More, down+x.Down
	}
	return first, more, down
}

// Worded returns the bars with words for their counts, and with links unless url is nil.
func (b DayBars) Worded(words func(first, more, down int) string, url func(start time.Time) string) DayBars {
	out := slices.Clone(b)
	for i, x := range b {
		if out[i].Words = words(x.First, x.More, x.Down); url != nil {
			out[i].URL = url(x.Start)
		}
	}
	return out
}

func (p DayPlot) count() int {
	first, more, down := append(p.Bars[:len(p.Bars):len(p.Bars)], p.Earlier...).Totals()
	return first + more + down
}

// Typical returns the time within which a share of durations lie, in hundredths, of those sorted
// by length; 0 of none.
func Typical(sorted []time.Duration, share int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*share/100]
}

// when names a day or an hour.
func (p DayPlot) when(l i18n.Lang, at time.Time) string {
	if p.Hourly {
		return HourWords(l, at)
	}
	return DayWords(l, at)
}

// every returns the distance of the bars that have a label, in bars.
func (p DayPlot) every() int {
	switch n := len(p.Bars); {
	case p.Hourly:
		return 4
	case n > 120:
		return (n + 7) / 8
	case n <= 7:
		return 2
	case n <= 14:
		return 4
	case n <= 31:
		return 7
	}
	return 14
}

func (p DayPlot) plot(l i18n.Lang) BarPlot {
	out := BarPlot{ID: p.ID, Label: p.ID + "-name", Story: p.ID + "-story", Least: 1, Unmarked: true, Failures: true,
		Compared: p.Earlier != nil, Say: func(n int64) string { return i18n.Grouped(strconv.FormatInt(max(n, -n), 10)) }}
	every := p.every()
	for i, d := range p.Bars {
		b := Bars{First: int64(d.First), More: int64(d.More), Down: int64(d.Down), Rank: 1,
			Title: p.when(l, d.Start) + ": " + d.Words}
		if d.count() > 0 {
			b.URL = d.URL
		}
		if p.Earlier != nil {
			then := p.Earlier[i]
			b.Before, b.BeforeDown = int64(then.First+then.More), int64(then.Down)
			b.Title += ". " + p.when(l, then.Start) + ": " + then.Words
		}
		if fromLast := len(p.Bars) - 1 - i; fromLast%every == 0 {
			b.Text = DayAndMonth(l, d.Start)
			if p.Hourly {
				b.Text = d.Start.Format("15:04")
			}
			if fromLast%(2*every) != 0 {
				b.Rank = 2
			}
		}
		out.Bars = append(out.Bars, b)
	}
	return out
}

// table lists the days with counts, newest first.
func (p DayPlot) table(l i18n.Lang) Grid {
	first := i18n.T(l, "ui.days.day")
	if p.Hourly {
		first = i18n.T(l, "ui.days.hour")
	}
	g := Grid{Caption: p.Title, HideCaption: true, Named: true, Columns: []Column{{Label: first}}}
	for _, name := range p.Parts {
		g.Columns = append(g.Columns, Column{Label: name, Number: true})
	}
	if p.Earlier != nil {
		g.Columns = append(g.Columns, Column{Label: i18n.T(l, "ui.days.before"), Number: true})
	}
	for i := len(p.Bars) - 1; i >= 0; i-- {
		b, before := p.Bars[i], 0
		if p.Earlier != nil {
			before = p.Earlier[i].count()
		}
		if b.count()+before == 0 {
			continue
		}
		row := []Cell{{Text: p.when(l, b.Start)}}
		for _, n := range [...]int{b.First, b.More, b.Down} {
			row = append(row, Cell{Text: i18n.Count(n)})
		}
		if p.Earlier != nil {
			row = append(row, Cell{Text: i18n.Count(before)})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// Measure is the number behind a key figure: a count, or a duration, of which 0 is unknown.
type Measure struct {
	N        int64
	Duration bool
}

// Compare says of each figure how it changed since earlier days. now and before are the numbers
// of the first figures; a duration is only compared with another one.
func Compare(l i18n.Lang, figures []KeyFigure, now, before []Measure, days string) {
	for i, m := range now {
		if !m.Duration || m.N > 0 && before[i].N > 0 {
			figures[i].Change = change(l, m.N, before[i].N, days)
		}
	}
}

// change says by how much a number differs from that of earlier days: "12% more than Nov 12 to
// 18". Where one of them is 0, it says the earlier number, and nothing if both are.
func change(l i18n.Lang, now, before int64, days string) string {
	if now == 0 && before == 0 {
		return ""
	}
	if now == 0 || before == 0 {
		return i18n.T(l, "ui.change.before", "days", days, "n", i18n.Grouped(strconv.FormatInt(before, 10)))
	}
	switch percent := ((max(now, before)-min(now, before))*100 + before/2) / before; {
	case percent == 0:
		return i18n.T(l, "ui.change.same", "days", days)
	case now > before:
		return i18n.T(l, "ui.change.more", "percent", i18n.Grouped(strconv.FormatInt(percent, 10)), "days", days)
	default:
		return i18n.T(l, "ui.change.less", "percent", strconv.FormatInt(percent, 10), "days", days)
	}
}

// EarlierDays names earlier days, with their year if it is not that of a later day.
func EarlierDays(l i18n.Lang, first, last, later time.Time) string {
	switch {
	case first.Year() == later.Year():
		return DaysWords(l, first, last)
	case first.Equal(last):
		return i18n.T(l, "ui.days.one", "day", DayWords(l, first))
	}
	return i18n.T(l, "ui.days.range", "first", DayWords(l, first), "last", DayWords(l, last))
}

// DaysWords names the days from one to another without their years: "Nov 12 to 18".
func DaysWords(l i18n.Lang, first, last time.Time) string {
	from, to := DayAndMonth(l, first), DayAndMonth(l, last)
	switch {
	case first.Equal(last):
		return i18n.T(l, "ui.days.one", "day", to)
	case first.Year() != last.Year():
		from, to = DayWords(l, first), DayWords(l, last)
	case first.Month() == last.Month() && l == i18n.Spanish:
		from = strconv.Itoa(first.Day())
	case first.Month() == last.Month():
		to = strconv.Itoa(last.Day())
	}
	return i18n.T(l, "ui.days.range", "first", from, "last", to)
}
