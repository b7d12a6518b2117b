package ui

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"pgregory.net/rapid"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil/golden"
	"vestibule/internal/testutil/proptest"
)

func TestAxisSteps(t *testing.T) {
	for _, tc := range []struct {
		values []int64
		most   int
		want   []int64
	}{
		{nil, 6, []int64{0, 100}},
		{[]int64{0, 0}, 6, []int64{0, 100}},
		{[]int64{523_00, 1_204_00}, 6, []int64{0, 500_00, 1000_00, 1500_00}},
		{[]int64{-130_00, 420_00}, 6, []int64{-200_00, 0, 200_00, 400_00, 600_00}},
		{[]int64{-1}, 6, []int64{-100, 0}},
		{[]int64{50_000_00}, 3, []int64{0, 20_000_00, 40_000_00, 60_000_00}},
	} {
		if got := newAxis(tc.values, 100, tc.most, 100).ticks; !slices.Equal(got, tc.want) {
			t.Errorf("ticks of %v = %v, want %v", tc.values, got, tc.want)
		}
	}
}

func TestAxisRange(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		const far = 1_000_000_000_000_000
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-far, far), rapid.Int64Range(-500_00, 9_000_00)), 0, 30).Draw(t, "values")
		most := rapid.IntRange(2, 8).Draw(t, "most")
		a := newAxis(values, 260, most, 100)
		if len(a.ticks) < 2 || len(a.ticks) > most+1 || !slices.Contains(a.ticks, 0) {
			t.Fatalf("ticks %v for at most %d steps", a.ticks, most)
		}
		step := strconv.FormatInt(a.ticks[1]-a.ticks[0], 10)
		if !regexp.MustCompile(`^[125]0*$`).MatchString(step) {
			t.Fatalf("a step of %s", step)
		}
		for _, v := range append(values, 0, a.low, a.high) {
			if y := a.y(v); y < 0 || y > a.height {
				t.Fatalf("value %d has the position %d of %d", v, y, a.height)
			}
		}
	})
}

func TestSimplify(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-1000, 1000), 1, 900).Draw(t, "values")
		most := rapid.IntRange(4, 500).Draw(t, "most")
		got := simplify(values, most)
		if len(got) > most {
			t.Fatalf("%d points of %d values, want at most %d", len(got), len(values), most)
		}
		low, high := got[0].v, got[0].v
		for i, p := range got {
			if i > 0 && p.at <= got[i-1].at || values[p.at] != p.v {
				t.Fatalf("point %d is %v after %v", i, p, got[max(i-1, 0)])
			}
			low, high = min(low, p.v), max(high, p.v)
		}
		if got[0].at != 0 || got[len(got)-1].at != len(values)-1 || low != slices.Min(values) || high != slices.Max(values) {
			t.Fatalf("%v of %v", got, values)
		}
	})
}

// TestPlotBounds draws arbitrary series and checks every coordinate.
func TestPlotBounds(t *testing.T) {
	share := regexp.MustCompile(`"(-?[\d.]+)%"`)
	proptest.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-900_000_00, 900_000_00), 0, 800).Draw(t, "values")
		p := LinePlot{ID: "p", Label: "l", Values: values, Least: 100, Say: func(v int64) string { return strconv.FormatInt(v, 10) },
			Low: rapid.Bool().Draw(t, "low")}
		if len(values) > 2 {
			p.Marks, p.Spans = []PlotMark{{At: len(values) - 1, Text: "x", Rank: 1}}, []PlotSpan{{From: 1, To: len(values) - 1, Text: "y"}}
		}
		a := p.axis()
		for i, f := range strings.Fields(strings.TrimPrefix(p.line(a), "M")) {
			n, err := strconv.Atoi(f)
			most := int(a.height)
			if i%2 == 0 {
				most = p.last()
			}
			if err != nil || n < 0 || n > most {
				t.Fatalf("coordinate %d of the line is %s, beyond %d", i, f, most)
			}
		}
		bars := BarPlot{ID: "b", Label: "l", Least: 100, Say: p.Say}
		for i := 0; i+2 < len(values) && i < 40; i += 3 {
			abs := func(v int64) int64 { return max(v, -v) }
			bars.Compared = true
			bars.Bars = append(bars.Bars, Bars{Before: abs(values[i+1]), BeforeDown: abs(values[i]), First: abs(values[i]),
				More: abs(values[i+1]), Down: abs(values[i+2]), Mark: values[i], Text: "x"})
		}
		var out bytes.Buffer
		for _, err := range []error{Lines(p).Render(t.Context(), &out), BarsUpAndDown(bars).Render(t.Context(), &out)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range share.FindAllStringSubmatch(out.String(), -1) {
			if n, err := strconv.ParseFloat(m[1], 64); err != nil || n < 0 || n > 100 {
				t.Fatalf("an element has the position %s", m[0])
			}
		}
		if coordinate := regexp.MustCompile(`[MVH ]-\d`).FindString(bars.outline(bars.axis())); coordinate != "" {
			t.Fatalf("the outline has the coordinate %q", coordinate)
		}
		if strings.Contains(out.String(), `height="-`) || strings.Contains(out.String(), "style=") {
			t.Fatalf("a negative height or inline style:\n%s", out.String())
		}
	})
}

func TestPercent(t *testing.T) {
	for _, tc := range []struct {
		part, whole int64
		want        string
	}{{0, 10, "0%"}, {10, 10, "100%"}, {1, 3, "33.33%"}, {1, 8, "12.5%"}, {1, 1000, "0.1%"},
		{1, 2000, "0.05%"}, {-5, 10, "0%"}, {15, 10, "100%"}, {1, 0, "0%"}} {
		if got := percent(tc.part, tc.whole); got != tc.want {
			t.Errorf("percent(%d, %d) = %s, want %s", tc.part, tc.whole, got, tc.want)
		}
	}
}

// TestPlots holds small plots against their expected HTML.
func TestPlots(t *testing.T) {
	say := func(v int64) string { return strconv.FormatInt(v/100, 10) }
	for name, piece := range map[string]templ.Component{
		"plot-line": Lines(LinePlot{ID: "p", Label: "p-name", Story: "p-story", Least: 100, Say: say, Values: []int64{0, 500, -250, 1000},
			Marks: []PlotMark{{At: 1, Text: "2026", Rank: 1, Major: true}}, Spans: []PlotSpan{{From: 0, To: 3, Text: "<all>"}}}),
		"plot-line-above": Lines(LinePlot{ID: "p", Label: "p-name", Low: true, Least: 100, Say: say, Values: []int64{700}}),
		"plot-bars": BarsUpAndDown(BarPlot{ID: "b", Label: "b-name", Story: "b-story", Least: 100, Say: say,
			Bars: []Bars{{First: 100, More: 200, Down: 50, Mark: 250, Text: "Jan", Rank: 1, Title: "Jan: 2.50"},
				{Down: 300, Mark: -300, Text: "Feb", Rank: 2, Faint: true}}}),
		"plot-hours": DailyFigure(i18n.English, DayPlot{ID: "h", Title: "By hour", Story: "Six", Hourly: true,
			Parts: [...]string{"Up", "More", "Down"},
			Bars: []DayBar{{Start: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC), Down: 2, Words: "two", URL: "/nine"},
				{Start: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), First: 3, More: 1, Words: "four", URL: "/ten"}}}),
		"plot-days": DailyFigure(i18n.Spanish, DayPlot{ID: "d", Title: "By day", Story: "Eight", Parts: [...]string{"Up", "More", "Down"},
			Bars: []DayBar{{Start: time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC), Words: "none", URL: "/none"},
				{Start: time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC), First: 3, More: 1, Down: 1, Words: "five", URL: "/five"}},
			Earlier: []DayBar{{Start: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC), First: 2, Down: 1, Words: "three"},
				{Start: time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC), Words: "none"}}}),
		"meter": MeterBar(Meter{Value: 3, Most: 8, Mark: 4, Marked: true}),
		"dial":  DialScale(Dial{Label: "Score 512", Low: 300, High: 850, Value: 512, Mark: 840, Marked: true, MarkText: "Reference 840"}),
	} {
		var out bytes.Buffer
		if err := piece.Render(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		golden.CompareHTML(t, "testdata/"+name+".html", out.String())
	}
}
