package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// Plots are drawn on the server in integers: values are in the caller's unit (cents,
// for example), heights in tenths of a pixel. A plot is as wide as its container:
// horizontal positions are percentages, so text keeps its size at any width without
// script or inline styles. Each plot is one image to a screen reader, with ids for
// name and description that the page provides.

// LinePlot is a series of values at even distances, with the area between it and zero.
type LinePlot struct {
	ID     string // ID of the drawing; unique on the page
	Label  string // ID of the element that names the plot
	Story  string // ID of the element that describes it; "" for none
	Low    bool   // a small plot
	Values []int64
	Least  int64              // smallest step of the axis
	Say    func(int64) string // formats a value on the axis
	Marks  []PlotMark         // by index of Values
	Spans  []PlotSpan
	Days   *PlotDays // nil if the values are not those of days with details
}

// PlotDays are the days of a LinePlot whose values are amounts in cents, one a day. A script
// lets the pointer and the arrow keys choose a day and open its details.
type PlotDays struct {
	First    time.Time
	URL      string // of a day's details, with PlotDay in place of the day
	Currency string // ISO 4217
	Hint     string // says how to choose a day
}

// PlotDay is the place of the day in PlotDays.URL.
const PlotDay = "YYYY-MM-DD"

// PlotMark is a label below the plot. Rank 1 is always shown, 2 not in a narrow
// container, 3 only in a wide one.
type PlotMark struct {
	At    int
	Text  string
	Rank  int
	Major bool // such as the beginning of a year
}

// PlotSpan is a range of a plot, from one index to another, with a tooltip.
type PlotSpan struct {
	From, To int
	Text     string
	URL      string // of its details; "" for none
}

// BarPlot has at each of even places a bar upwards, in two parts, and a bar downwards,
// with a mark across them.
type BarPlot struct {
	ID, Label, Story string // as in LinePlot
	Bars             []Bars
	Least            int64
	Say              func(int64) string
	Unmarked         bool // the bars have no mark
	Failures         bool // the bars downwards count failures
	Compared         bool // behind the bars is the outline of an earlier time's bars
}

// Bars holds the bars of one place. No value is negative: Down is drawn downwards.
type Bars struct {
	First, More int64 // the two parts of the bar upwards
	Down        int64
	Mark        int64
	Before      int64  // height upwards at an earlier time
	BeforeDown  int64  // height downwards at that time
	Text        string // below
	Rank        int    // as in PlotMark
	Major       bool
	Title       string // tooltip
	URL         string // of its details; "" for none
	Faint       bool   // for incomplete data
}

// The heights of the plots in pixels, as in the style sheet.
const (
	plotTall = 260
	plotLow  = 104
)

// maxPoints is the maximum number of points of a line, more than a screen shows.
const maxPoints = 400

// axis is a range of values, from low to high, over a height in tenths of a pixel.
type axis struct {
	low, high int64
	height    int64
	ticks     []int64
}

// newAxis returns an axis for the values and zero with at most `most` steps, each 1, 2 or
// 5 times a power of ten of least, and a tick at each.
func newAxis(values []int64, height, most int, least int64) axis {
	var low, high int64
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high {
		high = least
	}
	step := niceStep(low, high, int64(most), least)
	a := axis{low: -steps(-low, step) * step, high: steps(high, step) * step, height: int64(height) * 10}
	for v := a.low; v <= a.high; v += step {
		a.ticks = append(a.ticks, v)
	}
	return a
}

func niceStep(low, high, most, least int64) int64 {
	for unit := max(least, 1); ; unit *= 10 {
		for _, m := range [...]int64{1, 2, 5} {
			if s := m * unit; steps(-low, s)+steps(high, s) <= most {
				return s
			}
		}
	}
}

// steps returns the number of steps that reach v, which is not negative.
func steps(v, step int64) int64 { return (v + step - 1) / step }

// y returns the vertical position of a value, in tenths of a pixel from the top.
func (a axis) y(v int64) int64 { return (a.high - v) * a.height / (a.high - a.low) }

// wide reports whether a tick has more than one word, as in "1.5k EUR", and needs more
// space.
func (a axis) wide(say func(int64) string) bool {
	return slices.ContainsFunc(a.ticks, func(v int64) bool { return strings.Contains(say(v), " ") })
}

// px formats tenths of a pixel as pixels.
func px(tenths int64) string {
	s := strconv.FormatInt(tenths/10, 10)
	if d := tenths % 10; d != 0 {
		s += "." + strconv.FormatInt(d, 10)
	}
	return s
}

// percent formats part of whole as a percentage with at most two decimals.
func percent(part, whole int64) string {
	if whole <= 0 {
		return "0%"
	}
	n := max(0, min(part, whole)) * 10_000 / whole
	s := strconv.FormatInt(n/100, 10)
	if d := n % 100; d != 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(100+d, 10)[1:], "0")
	}
	return s + "%"
}

type point struct {
	at int
	v  int64
}

// simplify keeps at most `most` values: the first, the last, and the lowest and highest of
// each range in their order, so that no low is lost.
func simplify(values []int64, most int) []point {
	n := len(values)
	out := make([]point, 0, min(n, most))
	if n <= most {
		for i, v := range values {
			out = append(out, point{i, v})
		}
		return out
	}
	out = append(out, point{0, values[0]})
	stretches := (most - 2) / 2
	for s := range stretches {
		from, to := 1+s*(n-2)/stretches, 1+(s+1)*(n-2)/stretches
		low, high := from, from
		for i := from; i < to; i++ {
			if values[i] < values[low] {
				low = i
			}
			if values[i] > values[high] {
				high = i
			}
		}
		first, second := min(low, high), max(low, high)
		out = append(out, point{first, values[first]})
		if second != first {
			out = append(out, point{second, values[second]})
		}
	}
	return append(out, point{n - 1, values[n-1]})
}

// role returns the ARIA role: a plot with links is a group of them, another one an image.
func (p LinePlot) role() string {
	return plotRole(slices.ContainsFunc(p.Spans, func(s PlotSpan) bool { return s.URL != "" }))
}

func (p BarPlot) role() string {
	return plotRole(slices.ContainsFunc(p.Bars, func(b Bars) bool { return b.URL != "" }))
}

func plotRole(linked bool) string {
	if linked {
		return "group"
	}
	return "img"
}

// days returns the attributes with which parts/plots.ts finds the days.
func (p LinePlot) days() templ.Attributes {
	if p.Days == nil {
		return nil
	}
	var values []byte
	for i, v := range p.Values {
		if i > 0 {
			values = append(values, ' ')
		}
		values = strconv.AppendInt(values, v, 10)
	}
	return templ.Attributes{"data-days": p.Days.First.Format(time.DateOnly), "data-values": string(values),
		"data-url": p.Days.URL, "data-currency": p.Days.Currency, "data-hint": p.Days.Hint}
}

func (p LinePlot) height() int {
	if p.Low {
		return plotLow
	}
	return plotTall
}

func (p LinePlot) axis() axis {
	if p.Low {
		return newAxis(p.Values, plotLow, 3, p.Least)
	}
	return newAxis(p.Values, plotTall, 6, p.Least)
}

// last returns the index at the right edge; a single value is a level line.
func (p LinePlot) last() int { return max(len(p.Values)-1, 1) }

// line returns the path of the values. x values are indices, y values tenths of a pixel.
func (p LinePlot) line(a axis) string {
	points := simplify(p.Values, maxPoints)
	if len(points) == 0 {
		return ""
	}
	if len(points) == 1 {
		points = append(points, point{1, points[0].v})
	}
	path := []byte{'M'}
	for i, q := range points {
		if i > 0 {
			path = append(path, ' ')
		}
		path = append(strconv.AppendInt(path, int64(q.at), 10), ' ')
		path = strconv.AppendInt(path, a.y(q.v), 10)
	}
	return string(path)
}

// area returns the path of a line, closed at zero.
func (a axis) area(line string) string {
	if line == "" {
		return ""
	}
	return line + "V" + strconv.FormatInt(a.y(0), 10) + "H0Z"
}

// box returns the view box of a line: the whole, or the part below zero.
func (p LinePlot) box(top, height int64) string {
	return "0 " + strconv.FormatInt(top, 10) + " " + strconv.Itoa(p.last()) + " " + strconv.FormatInt(height, 10)
}

func (p LinePlot) at(i int) string { return percent(int64(i), int64(p.last())) }

func (p BarPlot) axis() axis {
	var all []int64
	for _, b := range p.Bars {
		all = append(all, b.First+b.More, -b.Down, b.Mark, b.Before, -b.BeforeDown)
	}
	return newAxis(all, plotTall, 7, p.Least)
}

// outline returns the path around the bars of the earlier time. x values are places, y values
// tenths of a pixel.
func (p BarPlot) outline(a axis) string {
	var above, below strings.Builder
	for i, b := range p.Bars {
		y := strconv.FormatInt(a.y(b.Before), 10)
		if i == 0 {
			above.WriteString("M0 " + y)
		}
		above.WriteString("V" + y + "H" + strconv.Itoa(i+1))
		last := len(p.Bars) - 1 - i
		below.WriteString("V" + strconv.FormatInt(a.y(-p.Bars[last].BeforeDown), 10) + "H" + strconv.Itoa(last))
	}
	return above.String() + below.String() + "Z"
}

// box returns the view box of the outline.
func (p BarPlot) box(a axis) string {
	return "0 0 " + strconv.Itoa(len(p.Bars)) + " " + strconv.FormatInt(a.height, 10)
}

// at returns a horizontal position in a place, in hundredths of its width.
func (p BarPlot) at(i, hundredths int) string {
	return percent(int64(i*100+hundredths), int64(len(p.Bars)*100))
}

func (p BarPlot) wide(hundredths int) string {
	return percent(int64(hundredths), int64(len(p.Bars)*100))
}

func rank(n int) string { return "plot-x plot-rank-" + strconv.Itoa(n) }

// Meter is a bar of points: the points, their maximum and the position of a mark.
type Meter struct {
	Value, Most int64
	Mark        int64 // with Marked
	Marked      bool
	Quiet       bool // in a neutral color
}

// Dial is a value on a scale of whole numbers, with a second mark on it.
type Dial struct {
	Label     string // accessible name of the whole
	Low, High int
	Value     int
	Mark      int
	Marked    bool
	MarkText  string // label of the second mark
}

func (d Dial) at(v int) string { return percent(int64(v-d.Low), int64(d.High-d.Low)) }

func (d Dial) height() string {
	if d.Marked {
		return "94" // with the line of the mark's label
	}
	return "74"
}

// anchor returns the text anchor that keeps a label within the scale. near is the distance
// to an end, in hundredths of the scale.
func (d Dial) anchor(v, near int) string {
	switch place := (v - d.Low) * 100 / max(d.High-d.Low, 1); {
	case place < near:
		return "start"
	case place > 100-near:
		return "end"
	}
	return "middle"
}

func described(id string) templ.Attributes {
	if id == "" {
		return nil
	}
	return templ.Attributes{"aria-describedby": id}
}
