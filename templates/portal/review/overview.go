package review

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// OverviewView is the overview of the applications that were started in a period.
type OverviewView struct {
	OverviewFigures
	Before          *OverviewFigures // to compare with; nil if there are none, or some are deleted
	Compare         ui.Comparison
	Product         contract.Product // "" for all
	Periods         []ui.Link
	Products        []OverviewProduct
	From, To, Today string // days in ISO 8601 format
	ToDecide        int    // of all times
	ToDecideURL     string
	Endings         []OverviewEnding
}

// OverviewFigures counts the applications of a period.
type OverviewFigures struct {
	Days      ui.DayBars // with a report, under way, without a report
	Progress  OverviewProgress
	Decided   int
	Durations []time.Duration // from start to report, shortest first
}

// OverviewProduct is a product to choose, or all.
type OverviewProduct struct {
	Product contract.Product
	URL     string
	Current bool
}

func (p OverviewProduct) name(l i18n.Lang) string {
	if p.Product == "" {
		return i18n.T(l, "review.overview.all_products")
	}
	return i18n.Code(l, "review.products", p.Product)
}

// OverviewProgress says how far applications got.
type OverviewProgress struct{ Started, Visited, Finished, Reported int }

// OverviewEnding is a way in which applications ended without a report.
type OverviewEnding struct {
	State     string
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	Count     int
	URL       string // of the applications in this state
}

// measures returns what is compared with an earlier time, in the order of figures.
func (v OverviewFigures) measures() []ui.Measure {
	_, _, ended := v.Days.Totals()
	return []ui.Measure{{N: int64(v.Progress.Started)}, {N: int64(v.Progress.Reported)}, {N: int64(ended)},
		{N: int64(ui.Typical(v.Durations, 50)), Duration: true}}
}

func (v OverviewView) figures(l i18n.Lang) []ui.KeyFigure {
	median := "–"
	if len(v.Durations) > 0 {
		median = ui.Roughly(ui.Typical(v.Durations, 50))
	}
	_, _, ended := v.Days.Totals()
	out := []ui.KeyFigure{
		{Label: i18n.T(l, "review.overview.started"), Value: i18n.Count(v.Progress.Started)},
		{Label: i18n.T(l, "review.overview.reported"), Value: i18n.Count(v.Progress.Reported), Tone: ui.Success},
		{Label: i18n.T(l, "review.overview.ended"), Value: i18n.Count(ended)},
		{Label: i18n.T(l, "review.overview.median"), Value: median},
		{Label: i18n.T(l, "review.overview.to_decide"), Value: i18n.Count(v.ToDecide), URL: v.ToDecideURL, Tone: ui.Info},
	}
	if ended > 0 {
		out[2].Tone = ui.Danger
	}
	if v.Before != nil {
		ui.Compare(l, out, v.measures(), v.Before.measures(), v.beforeWords(l))
	}
	return out
}

// beforeWords names the days to compare with.
func (v OverviewView) beforeWords(l i18n.Lang) string {
	return ui.EarlierDays(l, v.Before.Days[0].Start, v.Before.Days[len(v.Before.Days)-1].Start, v.Days[0].Start)
}

func (v OverviewView) plot(l i18n.Lang) ui.DayPlot {
	words := func(key i18n.Key) func(ready, open, ended int) string {
		return func(ready, open, ended int) string {
			return i18n.T(l, key, "ready", i18n.Count(ready), "open", i18n.Count(open), "ended", i18n.Count(ended))
		}
	}
	p := ui.DayPlot{ID: "overview-days", Title: i18n.T(l, "review.overview.by_day"), Bars: v.Days.Worded(words("review.overview.day"), nil),
		Story: words("review.overview.story")(v.Days.Totals()), None: i18n.T(l, "review.overview.no_applications"),
		Parts: [...]string{i18n.T(l, "review.overview.with_report"), i18n.T(l, "review.overview.open"), i18n.T(l, "review.overview.ended")}}
	if v.Before != nil {
		p.Earlier = v.Before.Days.Worded(words("review.overview.day"), nil)
	}
	return p
}

// steps lists how far applications got, with their share of all, and how many in the time before.
func (v OverviewView) steps(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.overview.steps"), HideCaption: true, Named: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.overview.step")}, {Label: i18n.T(l, "review.overview.applications"), Number: true},
		{Label: i18n.T(l, "review.overview.share")}}}
	names := []i18n.Key{"review.overview.step_started", "review.overview.step_visited", "review.overview.step_finished",
		"review.overview.step_reported", "review.overview.step_decided"}
	for i, n := range v.reached() {
		row := []ui.Cell{{Text: i18n.T(l, names[i])}, {Text: i18n.Count(n)}, {Body: ui.Share(n, v.Progress.Started)}}
		if v.Before != nil {
			row = slices.Insert(row, 2, ui.Cell{Body: overviewBefore(l, i18n.Count(v.Before.reached()[i]))})
		}
		g.Rows = append(g.Rows, row)
	}
	if v.Before != nil {
		g.Columns = slices.Insert(g.Columns, 2, ui.Column{Label: i18n.T(l, "review.overview.before"), Number: true})
	}
	return g
}

// reached counts the applications that reached each step.
func (v OverviewFigures) reached() [5]int {
	p := v.Progress
	return [...]int{p.Started, p.Visited, p.Finished, p.Reported, v.Decided}
}

// waits lists how many reports took how long.
func (v OverviewView) waits(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.overview.waits"), HideCaption: true, Named: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.overview.within")}, {Label: i18n.T(l, "review.overview.reports"), Number: true},
		{Label: i18n.T(l, "review.overview.share")}}}
	limits := []time.Duration{5 * time.Minute, 15 * time.Minute, time.Hour, 24 * time.Hour}
	counts := make([]int, len(limits)+1)
	for _, d := range v.Durations {
		i := 0
		for i < len(limits) && d > limits[i] {
			i++
		}
		counts[i]++
	}
	for i, n := range counts {
		name := i18n.T(l, "review.overview.longer")
		if i < len(limits) {
			name = strings.ReplaceAll("≤ "+ui.Roughly(limits[i]), " ", "\u00a0") // in one line
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: name}, {Text: i18n.Count(n)}, {Body: ui.Share(n, len(v.Durations))}})
	}
	return g
}

// endings lists why applications have no report.
func (v OverviewView) endings(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.overview.endings"), HideCaption: true, Named: true, Columns: columns(l, 1,
		"review.overview.ending", "review.overview.cause", "review.overview.applications")}
	for _, e := range v.Endings {
		cause := cmp.Or(Result(l, e.Status, e.Substatus, e.Error), "–")
		g.Rows = append(g.Rows, []ui.Cell{{Text: i18n.Code(l, "review.states", e.State), URL: e.URL}, {Text: cause},
			{Text: i18n.Count(e.Count)}})
	}
	return g
}
