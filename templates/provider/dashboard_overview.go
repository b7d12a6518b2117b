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
	Since        time.Time // first day
	Until        time.Time // the day after the last; zero if that is today
	Days         []DashboardDay
	Results      []DashboardResult // the most frequent first
	Durations    []time.Duration   // from the start to the report, shortest first
	Progress     []int             // visits that got at least as far as the index
	Stops        []DashboardStop   // the most frequent first
	Institutions []DashboardStop   // the most frequent first
	Unlisted     []Unlisted        // institutions that applicants missed, most reports first
	Deliveries   []DashboardSent
	Answers      []DashboardAnswer // the most frequent first

	// Before has the days, deliveries and durations to compare with; nil if there are none, or
	// some are deleted.
	Before  *DashboardOverview
	Compare ui.Comparison
}

// DashboardDay counts the reports that were started on a day (UTC).
type DashboardDay struct {
	Day                    time.Time
	Ready, Pending, Failed int
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

// DashboardSent counts the deliveries that were created in an hour or on a day (UTC).
type DashboardSent struct {
	Start                      time.Time
	Delivered, Pending, Failed int
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

// last returns the last day.
func (v DashboardOverview) last() time.Time { return v.Days[len(v.Days)-1].Day }

func (v DashboardOverview) totals() (ready, pending, failed int) {
	for _, d := range v.Days {
		ready, pending, failed = ready+d.Ready, pending+d.Pending, failed+d.Failed
	}
	return ready, pending, failed
}

func (v DashboardOverview) sent() (delivered, pending, failed int) { return totalSent(v.Deliveries) }

func totalSent(all []DashboardSent) (delivered, pending, failed int) {
	for _, s := range all {
		delivered, pending, failed = delivered+s.Delivered, pending+s.Pending, failed+s.Failed
	}
	return delivered, pending, failed
}

// typical returns the time within which a share of the reports was ready, in hundredths; 0
// without reports.
func (v DashboardOverview) typical(share int) time.Duration {
	if len(v.Durations) == 0 {
		return 0
	}
	return v.Durations[(len(v.Durations)-1)*share/100]
}

func duration(t time.Duration) string {
	if t == 0 {
		return "–"
	}
	return ui.Roughly(t)
}

func (v DashboardOverview) figures(d Dashboard) []ui.KeyFigure {
	ready, pending, failed := v.totals()
	all := ready + pending + failed
	delivered, _, lost := v.sent()
	readyURL := v.reports("status", string(contract.StatusSuccess))
	out := []ui.KeyFigure{
		{Label: i18n.T(d.Lang, "dashboard.overview.started"), Value: number(all), URL: v.reports()},
		{Label: i18n.T(d.Lang, "dashboard.overview.ready_share", "percent", number((ready*100+all/2)/max(all, 1))), Value: number(ready),
			URL: readyURL, Tone: ui.Success},
		{Label: i18n.T(d.Lang, "dashboard.overview.median"), Value: duration(v.typical(50)), URL: readyURL},
		{Label: i18n.T(d.Lang, "dashboard.overview.most"), Value: duration(v.typical(90)), URL: readyURL},
		{Label: i18n.T(d.Lang, "dashboard.overview.delivered"), Value: number(delivered), Tone: ui.Success,
			URL: v.deliveries("state", "delivered")},
		{Label: i18n.T(d.Lang, "dashboard.overview.not_delivered"), Value: number(lost), URL: v.deliveries("state", "failed")},
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
	ready, pending, failed := v.totals()
	delivered, _, lost := v.sent()
	return []ui.Measure{{N: int64(ready + pending + failed)}, {N: int64(ready)}, {N: int64(v.typical(50)), Duration: true},
		{N: int64(v.typical(90)), Duration: true}, {N: int64(delivered)}, {N: int64(lost)}}
}

// beforeWords names the days to compare with.
func (v DashboardOverview) beforeWords(d Dashboard) string {
	return ui.EarlierDays(d.Lang, v.Before.Since, v.Before.last(), v.Since)
}

// bars returns the reports of each day.
func (v DashboardOverview) bars(d Dashboard) (out []ui.DayBar) {
	for _, x := range v.Days {
		day := x.Day.Format(time.DateOnly)
		out = append(out, ui.DayBar{Start: x.Day, First: x.Ready, More: x.Pending, Down: x.Failed,
			Words: i18n.T(d.Lang, "dashboard.overview.day", "ready", number(x.Ready), "pending", number(x.Pending), "failed", number(x.Failed)),
			URL:   dashboardLink("/dashboard/reports", "from", day, "to", day)})
	}
	return out
}

func (v DashboardOverview) plot(d Dashboard) ui.DayPlot {
	ready, pending, failed := v.totals()
	p := ui.DayPlot{ID: "days", Title: i18n.T(d.Lang, "dashboard.overview.by_day"), Bars: v.bars(d),
		Story: i18n.T(d.Lang, "dashboard.overview.story", "ready", number(ready), "pending", number(pending), "failed", number(failed)),
		Parts: [...]string{i18n.T(d.Lang, "dashboard.overview.ready"), i18n.T(d.Lang, "dashboard.overview.pending"),
			i18n.T(d.Lang, "dashboard.overview.failed")}}
	if v.Before != nil {
		p.Earlier = v.Before.bars(d)
	}
	return p
}

func (v DashboardOverview) sentPlot(d Dashboard) ui.DayPlot {
	p := sentPlot(d, "sent", i18n.T(d.Lang, "dashboard.overview.deliveries_by_day"), "", v.Deliveries, false)
	if v.Before != nil {
		p.Earlier = sentBars(d, "", v.Before.Deliveries, false)
	}
	return p
}

// sentPlot is a plot of deliveries by day or by hour.
func sentPlot(d Dashboard, id, title, endpoint string, all []DashboardSent, hourly bool) ui.DayPlot {
	return ui.DayPlot{ID: id, Title: title, Story: sentWords(d, all...), Hourly: hourly, Bars: sentBars(d, endpoint, all, hourly),
		None: i18n.T(d.Lang, "dashboard.overview.no_deliveries"),
		Parts: [...]string{i18n.T(d.Lang, "dashboard.overview.deliveries_delivered"),
			i18n.T(d.Lang, "dashboard.overview.deliveries_pending"), i18n.T(d.Lang, "dashboard.overview.deliveries_failed")}}
}

func sentBars(d Dashboard, endpoint string, all []DashboardSent, hourly bool) (out []ui.DayBar) {
	for _, x := range all {
		b := ui.DayBar{Start: x.Start, First: x.Delivered, More: x.Pending, Down: x.Failed, Words: sentWords(d, x)}
		if hourly {
			b.URL = dashboardLink("/dashboard/deliveries", "endpoint", endpoint, "hour", x.Start.Format(DashboardHour))
		} else {
			day := x.Start.Format(time.DateOnly)
			b.URL = dashboardLink("/dashboard/deliveries", "endpoint", endpoint, "from", day, "to", day)
		}
		out = append(out, b)
	}
	return out
}

// DashboardHour is the format of an hour in an address, in the user's time zone.
const DashboardHour = "2006-01-02T15:04"

func sentWords(d Dashboard, all ...DashboardSent) string {
	delivered, pending, failed := totalSent(all)
	return i18n.T(d.Lang, "dashboard.overview.deliveries_day",
		"delivered", number(delivered), "pending", number(pending), "failed", number(failed))
}

// counted returns a table of things with their number and share.
func (v DashboardOverview) counted(d Dashboard, caption, thing, unit i18n.Key) ui.Grid {
	return ui.Grid{Caption: i18n.T(d.Lang, caption), HideCaption: true, Columns: []ui.Column{{Label: i18n.T(d.Lang, thing)},
		{Label: i18n.T(d.Lang, unit), Number: true}, {Label: i18n.T(d.Lang, "dashboard.overview.share")}}}
}

func (v DashboardOverview) results(d Dashboard) ui.Grid {
	g := v.counted(d, "dashboard.overview.results", "dashboard.status", "dashboard.overview.reports")
	ready, pending, failed := v.totals()
	for _, r := range v.Results {
		url := v.reports("status", string(r.Status), "substatus", string(r.Substatus))
		g.Rows = append(g.Rows, []ui.Cell{{Body: resultLink(d, r, url)}, {Text: number(r.Count)},
			{Body: ui.Share(r.Count, ready+pending+failed)}})
	}
	return g
}

func (v DashboardOverview) progress(d Dashboard) ui.Grid {
	g := v.counted(d, "dashboard.overview.progress", "dashboard.overview.step", "dashboard.overview.visits")
	for i, n := range v.Progress {
		code := strconv.Itoa(i)
		g.Rows = append(g.Rows, []ui.Cell{{Body: rowLink(i18n.Code(d.Lang, "dashboard.reached", code), v.reports("reached", code))},
			{Text: number(n)}, {Body: ui.Share(n, v.Progress[0])}})
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
		g.Rows = append(g.Rows, []ui.Cell{{Body: rowLink(s.Name, v.reports(parameter, s.Code))}, {Text: number(s.Count)},
			{Body: ui.Share(s.Count, total)}})
	}
	return g
}

func (v DashboardOverview) answers(d Dashboard) ui.Grid {
	g := v.counted(d, "dashboard.overview.answers", "dashboard.answer", "dashboard.overview.events")
	delivered, pending, failed := v.sent()
	for _, a := range v.Answers {
		name := ui.Cell{Text: d.answer(a.Code)}
		if a.Code != 0 {
			name = ui.Cell{Body: rowLink(d.answer(a.Code), v.deliveries("answer", strconv.Itoa(a.Code)))}
		}
		g.Rows = append(g.Rows, []ui.Cell{name, {Text: number(a.Count)}, {Body: ui.Share(a.Count, delivered+pending+failed)}})
	}
	return g
}
