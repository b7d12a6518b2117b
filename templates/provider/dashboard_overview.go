package provider

import (
	"net/url"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// DashboardOverview is the first page: the reports, visits and deliveries of the last days.
type DashboardOverview struct {
	Environment  contract.Environment
	Callback     string // "none", "on", "off"
	Periods      []ui.Link
	Since        time.Time         // first day
	Until        time.Time         // the day after the last; zero if that is today
	Days         ui.DayBars        // reports: ready, pending, failed
	Results      []DashboardResult // the most frequent first
	Durations    []time.Duration   // from the start to the report, shortest first
	Progress     []int             // visits that got at least as far as the index
	Stops        []DashboardStop   // the most frequent first
	Institutions []DashboardStop   // the most frequent first
	Unlisted     []Unlisted        // institutions that applicants missed, most reports first
	Deliveries   ui.DayBars        // delivered, pending, failed
	Answers      []DashboardAnswer // the most frequent first

	// Before has the days, deliveries and durations to compare with; nil if there are none, or
	// some are deleted.
	Before  *DashboardOverview
	Compare ui.Comparison
}

// DashboardResult counts the reports with a status.
type DashboardResult struct {
	Status    contract.Status
	Substatus contract.Substatus
	Count     int
}

// DashboardStop counts the visits that stopped at a step or an institution.
type DashboardStop struct {
	Code  string
	Name  string
	Count int
}

// DashboardAnswer counts the deliveries with a last answer: a status, -1 for no answer, 0
// before the first attempt.
type DashboardAnswer struct{ Code, Count int }

// dashboardLink returns an address with the query parameters that are not empty.
func dashboardLink(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// reports returns the address of the list of the period's reports with a selection.
func (v DashboardOverview) reports(pairs ...string) string {
	return v.list("/dashboard/reports", pairs)
}

func (v DashboardOverview) deliveries(pairs ...string) string {
	return v.list("/dashboard/deliveries", pairs)
}

func (v DashboardOverview) list(path string, pairs []string) string {
	pairs = append(pairs, "from", v.Since.Format(time.DateOnly))
	if !v.Until.IsZero() {
		pairs = append(pairs, "to", v.last().Format(time.DateOnly))
	}
	return dashboardLink(path, pairs...)
}

func (v DashboardOverview) last() time.Time { return v.Days[len(v.Days)-1].Start }

func duration(t time.Duration) string {
	if t == 0 {
		return "–"
	}
	return ui.Roughly(t)
}

func (v DashboardOverview) figures(d Dashboard) []ui.KeyFigure {
	ready, pending, failed := v.Days.Totals()
	all := ready + pending + failed
	delivered, _, lost := v.Deliveries.Totals()
	readyURL := v.reports("status", string(contract.StatusSuccess))
	out := []ui.KeyFigure{
		{Label: i18n.T(d.Lang, "dashboard.overview.started"), Value: i18n.Count(all), URL: v.reports()},
		{Label: i18n.T(d.Lang, "dashboard.overview.ready_share", "percent", i18n.Count((ready*100+all/2)/max(all, 1))), Value: i18n.Count(ready),
			URL: readyURL, Tone: ui.Success},
		{Label: i18n.T(d.Lang, "dashboard.overview.median"), Value: duration(ui.Typical(v.Durations, 50)), URL: readyURL},
		{Label: i18n.T(d.Lang, "dashboard.overview.most"), Value: duration(ui.Typical(v.Durations, 90)), URL: readyURL},
		{Label: i18n.T(d.Lang, "dashboard.overview.delivered"), Value: i18n.Count(delivered), Tone: ui.Success,
			URL: v.deliveries("state", "delivered")},
		{Label: i18n.T(d.Lang, "dashboard.overview.not_delivered"), Value: i18n.Count(lost), URL: v.deliveries("state", "failed")},
	}
	if lost > 0 {
		out[5].Tone = ui.Danger
	}
	if v.Before != nil {
		ui.Compare(d.Lang, out, v.measures(), v.Before.measures(), v.beforeWords(d))
	}
	return out
}

// measures returns the figures of the overview as numbers, in their order.
func (v DashboardOverview) measures() []ui.Measure {
	ready, pending, failed := v.Days.Totals()
	delivered, _, lost := v.Deliveries.Totals()
	return []ui.Measure{{N: int64(ready + pending + failed)}, {N: int64(ready)}, {N: int64(ui.Typical(v.Durations, 50)), Duration: true},
		{N: int64(ui.Typical(v.Durations, 90)), Duration: true}, {N: int64(delivered)}, {N: int64(lost)}}
}

// beforeWords names the days to compare with.
func (v DashboardOverview) beforeWords(d Dashboard) string {
	return ui.EarlierDays(d.Lang, v.Before.Since, v.Before.last(), v.Since)
}

func (v DashboardOverview) plot(d Dashboard) ui.DayPlot {
	words := func(key i18n.Key) func(ready, pending, failed int) string {
		return func(ready, pending, failed int) string {
			return i18n.T(d.Lang, key, "ready", i18n.Count(ready), "pending", i18n.Count(pending), "failed", i18n.Count(failed))
		}
	}
	url := func(start time.Time) string { return onDay("/dashboard/reports", start) }
	p := ui.DayPlot{ID: "days", Title: i18n.T(d.Lang, "dashboard.overview.by_day"), Bars: v.Days.Worded(words("dashboard.overview.day"), url),
		Story: words("dashboard.overview.story")(v.Days.Totals()),
		Parts: [...]string{i18n.T(d.Lang, "dashboard.overview.ready"), i18n.T(d.Lang, "dashboard.overview.pending"),
			i18n.T(d.Lang, "dashboard.overview.failed")}}
	if v.Before != nil {
		p.Earlier = v.Before.Days.Worded(words("dashboard.overview.day"), url)
	}
	return p
}

// onDay returns the address of a list's entries of a day.
func onDay(path string, day time.Time, pairs ...string) string {
	on := day.Format(time.DateOnly)
	return dashboardLink(path, append(pairs, "from", on, "to", on)...)
}

func (v DashboardOverview) sentPlot(d Dashboard) ui.DayPlot {
	p := sentPlot(d, "sent", i18n.T(d.Lang, "dashboard.overview.deliveries_by_day"), "", v.Deliveries, false)
	if v.Before != nil {
		p.Earlier = sentPlot(d, "", "", "", v.Before.Deliveries, false).Bars
	}
	return p
}

// sentPlot is a plot of deliveries by day or by hour.
func sentPlot(d Dashboard, id, title, endpoint string, all ui.DayBars, hourly bool) ui.DayPlot {
	words := func(delivered, pending, failed int) string {
		return i18n.T(d.Lang, "dashboard.overview.deliveries_day",
			"delivered", i18n.Count(delivered), "pending", i18n.Count(pending), "failed", i18n.Count(failed))
	}
	return ui.DayPlot{ID: id, Title: title, Story: words(all.Totals()), Hourly: hourly,
		Bars: all.Worded(words, func(start time.Time) string {
			if hourly {
				return dashboardLink("/dashboard/deliveries", "endpoint", endpoint, "hour", start.Format(DashboardHour))
			}
			return onDay("/dashboard/deliveries", start, "endpoint", endpoint)
		}),
		None: i18n.T(d.Lang, "dashboard.overview.no_deliveries"),
		Parts: [...]string{i18n.T(d.Lang, "dashboard.overview.deliveries_delivered"),
			i18n.T(d.Lang, "dashboard.overview.deliveries_pending"), i18n.T(d.Lang, "dashboard.overview.deliveries_failed")}}
}

// DashboardHour is the format of an hour in an address, in the user's time zone.
const DashboardHour = "2006-01-02T15:04"

// counted returns a table of things with their number and share.
func (v DashboardOverview) counted(d Dashboard, caption, thing, unit i18n.Key) ui.Grid {
	return ui.Grid{Caption: i18n.T(d.Lang, caption), HideCaption: true, Columns: []ui.Column{{Label: i18n.T(d.Lang, thing)},
		{Label: i18n.T(d.Lang, unit), Number: true}, {Label: i18n.T(d.Lang, "dashboard.overview.share")}}}
}

func (v DashboardOverview) results(d Dashboard) ui.Grid {
	g := v.counted(d, "dashboard.overview.results", "dashboard.status", "dashboard.overview.reports")
	ready, pending, failed := v.Days.Totals()
	for _, r := range v.Results {
		url := v.reports("status", string(r.Status), "substatus", string(r.Substatus))
		g.Rows = append(g.Rows, []ui.Cell{{Body: resultLink(d, r, url)}, {Text: i18n.Count(r.Count)},
			{Body: ui.Share(r.Count, ready+pending+failed)}})
	}
	return g
}

func (v DashboardOverview) progress(d Dashboard) ui.Grid {
	g := v.counted(d, "dashboard.overview.progress", "dashboard.overview.step", "dashboard.overview.visits")
	for i, n := range v.Progress {
		code := strconv.Itoa(i)
		g.Rows = append(g.Rows, []ui.Cell{{Body: rowLink(i18n.Code(d.Lang, "dashboard.reached", code), v.reports("reached", code))},
			{Text: i18n.Count(n)}, {Body: ui.Share(n, v.Progress[0])}})
	}
	return g
}

// stops lists where visits stopped; parameter is that of the list's filter.
func (v DashboardOverview) stops(d Dashboard, caption, thing i18n.Key, parameter string, all []DashboardStop) ui.Grid {
	g := v.counted(d, caption, thing, "dashboard.overview.visits")
	total := 0
	for _, s := range v.Stops {
		total += s.Count
	}
	for _, s := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: rowLink(s.Name, v.reports(parameter, s.Code))}, {Text: i18n.Count(s.Count)},
			{Body: ui.Share(s.Count, total)}})
	}
	return g
}

func (v DashboardOverview) answers(d Dashboard) ui.Grid {
	g := v.counted(d, "dashboard.overview.answers", "dashboard.answer", "dashboard.overview.events")
	delivered, pending, failed := v.Deliveries.Totals()
	for _, a := range v.Answers {
		name := ui.Cell{Text: d.answer(a.Code)}
		if a.Code != 0 {
			name = ui.Cell{Body: rowLink(d.answer(a.Code), v.deliveries("answer", strconv.Itoa(a.Code)))}
		}
		g.Rows = append(g.Rows, []ui.Cell{name, {Text: i18n.Count(a.Count)}, {Body: ui.Share(a.Count, delivered+pending+failed)}})
	}
	return g
}
