package review

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// passed are the states that an application passes before its present one.
var passed = map[journey.State][]journey.State{
	journey.Started:    {},
	journey.Connecting: {journey.Connecting},
	journey.Returned:   {journey.Connecting, journey.Returned},
	journey.Pending:    {journey.Connecting, journey.Pending},
	journey.Ready:      {journey.Connecting, journey.Pending, journey.Ready},
	journey.Failed:     {journey.Connecting, journey.Returned, journey.Failed},
	journey.Exited:     {journey.Connecting, journey.Exited},
	journey.Expired:    {journey.Expired},
}

// TestOverviewCountsApplications compares the overview with a count over all
// applications.
func TestOverviewCountsApplications(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		d.addRandom()
		for _, days := range console.Periods {
			t.Run(fmt.Sprintf("%d days", days), func(t *testing.T) {
				since := noon.Truncate(24*time.Hour).AddDate(0, 0, 1-days)
				x := countSince(d.reporter.rows, since)
				x.compare(t, d, applications.Period{From: since, To: noon.Add(time.Second)})
				_, page := d.get("/review/overview?days=" + strconv.Itoa(days))
				figures := regexp.MustCompile(`key-figure-value">([^<]*?)\s*<`).FindAllStringSubmatch(page, -1)
				if len(figures) != 5 || figures[0][1] != strconv.Itoa(x.progress.Started) || figures[1][1] != strconv.Itoa(x.progress.Reported) {
					t.Errorf("the page's figures are %v, want %+v", figures, x.progress)
				}
				if bars := strings.Count(page, `class="plot-bars`); bars != days {
					t.Errorf("%d bars for %d days", bars, days)
				}
			})
		}
		for _, bad := range []string{"x", "0", "-7", "31", "100000"} {
			if resp, _ := d.get("/review/overview?days=" + bad); resp.StatusCode != 404 {
				t.Errorf("%s days: %d", bad, resp.StatusCode)
			}
		}
	})
}

// TestDaysAreThoseOfTheBrowser reads the overview and the list in time zones: an application of
// noon in UTC is of the next day in Auckland.
func TestDaysAreThoseOfTheBrowser(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		const id = "bbbbbbbb-0000-4000-8000-000000000001"
		began := noon.AddDate(0, 0, -3)
		d.add(stored{Application: one(id, contract.Income, journey.Ready, began, noon)})
		for zone, offset := range map[string]int{"": 0, "America/New_York": 0, "Pacific/Auckland": 1, "Local": 0, "../etc/passwd": 0, "x": 0} {
			read := func(path string) string {
				req, err := http.NewRequest("GET", d.srv.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.AddCookie(&http.Cookie{Name: "zone", Value: zone})
				_, page := d.do(req)
				return page
			}
			day := began.AddDate(0, 0, offset)
			if page := read("/review/overview?days=7"); !strings.Contains(page, ui.DayWords(i18n.English, day)+": 1 ") {
				t.Errorf("in %q, the overview has nothing on %s", zone, day)
			}
			for off := -1; off <= 1; off++ {
				on := day.AddDate(0, 0, off).Format(time.DateOnly)
				if page := read("/review?queue=all&from=" + on + "&to=" + on); strings.Contains(page, id) != (off == 0) {
					t.Errorf("in %q, the list of %s is wrong", zone, on)
				}
			}
		}
	})
}

// addRandom adds applications of all states in the last hundred days.
func (d *testServer) addRandom() {
	random := rand.New(rand.NewPCG(1, 2))
	states := journey.States()
	for i := range 90 {
		state := states[random.IntN(len(states))]
		product := contract.Cashflow
		if i%4 == 0 {
			product = contract.Income // too few to say how long applicants need
		}
		created := noon.Add(-time.Duration(random.IntN(100*24*60)) * time.Minute)
		a := one(fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", i), product, state, created, created)
		r := stored{Application: a}
		at := created
		for n, to := range passed[state] {
			at = at.Add(time.Duration(random.IntN(600)) * time.Second)
			r.Timeline = append(r.Timeline, applications.TimelineEntry{Seq: int64(n + 1), At: at, Kind: "test", To: string(to)})
		}
		switch state {
		case journey.Ready:
			r.Body, r.Report.Attempt = []byte(`{}`), 1
			r.Report.At = created.Add(time.Duration(random.IntN(5000)) * time.Second)
		case journey.Failed:
			r.Journey.Status = []contract.Status{contract.StatusError, contract.StatusSupplierUnresponsive}[random.IntN(2)]
		}
		d.add(r)
	}
}

// counted is what an overview says of applications that began since a day.
type counted struct {
	progress  applications.Progress
	durations []time.Duration // until the report
	usual     map[contract.Product]time.Duration
	byDay     map[[2]string]int // by day and state
	endings   map[string]int
}

func countSince(rows map[string]stored, since time.Time) counted {
	x := counted{usual: map[contract.Product]time.Duration{}, byDay: map[[2]string]int{}, endings: map[string]int{}}
	add := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	finished := map[contract.Product][]time.Duration{}
	for _, r := range rows {
		if r.CreatedAt.Before(since) {
			continue
		}
		reached := map[string]bool{}
		var end time.Time
		for _, l := range r.Timeline {
			reached[l.To] = true
			if (l.To == "returned" || l.To == "pending" || l.To == "ready") && (end.IsZero() || l.At.Before(end)) {
				end = l.At
			}
		}
		if !end.IsZero() {
			finished[r.Product] = append(finished[r.Product], end.Sub(r.CreatedAt))
		}
		add(&x.progress.Started, true)
		add(&x.progress.Visited, reached["connecting"])
		add(&x.progress.Finished, reached["returned"] || reached["pending"] || reached["ready"])
		add(&x.progress.Reported, reached["ready"])
		if !r.Report.At.IsZero() {
			x.durations = append(x.durations, r.Report.At.Sub(r.CreatedAt))
		}
		x.byDay[[2]string{r.CreatedAt.Format(time.DateOnly), string(r.Journey.State)}]++
		switch r.Journey.State {
		case journey.Failed, journey.Exited, journey.Expired:
			x.endings[fmt.Sprint(r.Journey.State, r.Journey.Status, r.Journey.Substatus, r.Journey.Error)]++
		}
	}
	slices.Sort(x.durations)
	for p, all := range finished {
		if slices.Sort(all); len(all) >= 20 {
			x.usual[p] = all[(3*len(all)-1)/4]
		}
	}
	return x
}

// compare compares the counts with those of a period.
func (x counted) compare(t *testing.T, d *testServer, in applications.Period) {
	t.Helper()
	db := d.DB
	if got, err := d.Applications.UsualTimes(t.Context(), db.SQL, in.From); err != nil || !maps.Equal(got, x.usual) {
		t.Errorf("applicants need %v, want %v: %v", got, x.usual, err)
	}

	got, err := d.Applications.Progress(t.Context(), db.SQL, in)
	if err != nil || got != x.progress {
		t.Errorf("%+v, want %+v: %v", got, x.progress, err)
	}
	took, err := d.Applications.TimesToReport(t.Context(), db.SQL, in)
	if err != nil || !slices.Equal(took, x.durations) {
		t.Errorf("reports took %v, want %v: %v", took, x.durations, err)
	}
	counts, err := search.CountDays(t.Context(), db.SQL, in)
	for _, c := range counts {
		x.byDay[[2]string{in.From.AddDate(0, 0, c.Day).Format(time.DateOnly), c.State}] -= c.Count
	}
	for at, n := range x.byDay {
		if n != 0 || err != nil {
			t.Errorf("on %s, %d more are %s: %v", at[0], n, at[1], err)
		}
	}
	ended, err := d.Applications.Endings(t.Context(), db.SQL, in)
	for _, e := range ended {
		x.endings[fmt.Sprint(e.State, e.Status, e.Substatus, e.Error)] -= e.Count
	}
	for as, n := range x.endings {
		if n != 0 || err != nil {
			t.Errorf("%d more ended as %s: %v", n, as, err)
		}
	}
}

// TestOverviewLinksToItsApplications checks that a link of the overview opens a list with
// what it counts.
func TestOverviewLinksToItsApplications(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		const id = "bbbbbbbb-0000-4000-8000-000000000001"
		d.add(stored{Application: one(id, contract.Income, journey.Failed, noon.AddDate(0, 0, -3), noon)})
		_, page := d.get("/review/overview")
		links := map[string]bool{}
		for _, m := range regexp.MustCompile(`href="(/review\?[^"]*)"`).FindAllStringSubmatch(page, -1) {
			url := strings.ReplaceAll(m[1], "&amp;", "&")
			if _, list := d.get(url); strings.Contains(list, id) {
				links[url] = true
			}
		}
		day := noon.AddDate(0, 0, -3).Format(time.DateOnly)
		if !links["/review?from="+day+"&to="+day] || len(links) < 2 {
			t.Errorf("of the day's bar and of the cause only %v show the application", links)
		}
		if words := i18ntest.EN("review.overview.endings"); !strings.Contains(page, words) {
			t.Errorf("the page lacks %q", words)
		}
	})
}

// TestOverviewOfNothing checks that the overview without applications has words in place
// of figures.
func TestOverviewOfNothing(t *testing.T) {
	var page strings.Builder
	v := pages.OverviewView{OverviewFigures: pages.OverviewFigures{Days: ui.NewDayBars(noon, 2)}}
	if err := pages.Overview(ui.Page{Lang: i18n.English}, v).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	for _, key := range []i18n.Key{"review.overview.no_reports", "review.overview.no_endings"} {
		if !strings.Contains(page.String(), i18ntest.EN(key)) {
			t.Errorf("the page lacks %q", i18ntest.EN(key))
		}
	}
}

// ago returns a day before noon's, as addresses write it.
func ago(days int) string { return noon.AddDate(0, 0, -days).Format(time.DateOnly) }

// someDays are the days that TestOverviewOfDays shows.
var someDays = "/review/overview?from=" + ago(205) + "&to=" + ago(200)

// captured returns what the first group of a pattern captures.
func captured(page, pattern string) (out []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(page, -1) {
		out = append(out, strings.TrimSpace(m[1]))
	}
	return out
}

// requireFigures gets an overview, and checks its first figures and their changes.
func (d *testServer) requireFigures(path, want string, texts ...string) string {
	d.t.Helper()
	page := d.requirePage(path, texts...)
	got := strings.Join(captured(page, `key-figure-value">([^<]*)<`)[:3], " ") + ", " +
		strings.Join(captured(page, `key-figure-change">([^<]*)<`), ", ")
	if got != want {
		d.t.Errorf("%s: the figures are %q, want %q", path, got, want)
	}
	return page
}

// TestOverviewOfDays shows the days from one to another, beside as many before them.
func TestOverviewOfDays(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		today := noon.Truncate(24 * time.Hour)
		for i, days := range []int{200, 204, 204, 205, 208, 209, 210} { // 4 from 205 to 200, 3 before
			at, product := today.AddDate(0, 0, -days), contract.Income
			if i == 1 {
				product = contract.Cashflow
			}
			d.add(stored{Application: one(fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", i), product, journey.Failed, at, at)})
		}
		before := ui.DaysWords(i18n.English, today.AddDate(0, 0, -211), today.AddDate(0, 0, -206))
		more := i18ntest.EN("ui.change.more", "percent", "33", "days", before)
		same := i18ntest.EN("ui.change.same", "days", before)
		income := "/review/overview?from=" + ago(205) + "&product=income&to=" + ago(200)
		d.run("all products", func(t *testing.T, d *testServer) {
			counted := func(days, n int) string {
				return ui.DayWords(i18n.English, today.AddDate(0, 0, -days)) + ": " +
					i18ntest.EN("review.overview.day", "ready", "0", "open", "0", "ended", strconv.Itoa(n))
			}
			page := d.requireFigures(someDays, "4 0 4, "+more+", "+more, counted(204, 2)+". "+counted(210, 1),
				"/review?from="+ago(205)+"&amp;state=failed&amp;to="+ago(200), strings.ReplaceAll(income, "&", "&amp;"))
			if n, m := strings.Count(page, `class="plot-bars`), strings.Count(page, `class="plot-before"`); n != 6 || m != 1 {
				t.Errorf("%d days, and %d lines before", n, m)
			}
			d.requireFigures("/review/overview?from="+ago(200)+"&to="+ago(205), "4 0 4, "+more+", "+more) // from the last to the first
		})
		d.run("one product", func(_ *testing.T, d *testServer) {
			d.requireFigures(income, "3 0 3, "+same+", "+same, "/review/overview?days=7&amp;product=income",
				"/review?from="+ago(205)+"&amp;product=income&amp;state=failed&amp;to="+ago(200))
		})
		d.run("deleted applications before", func(_ *testing.T, d *testServer) {
			d.Deletion.RetentionDays = 208
			d.requireFigures(someDays, "4 0 4, ")
		})
		d.run("range", func(t *testing.T, d *testServer) {
			for query, want := range map[string][2]string{
				"from=" + ago(10):                            {ago(10), ago(0)},
				"to=" + ago(10):                              {ago(39), ago(10)},
				"from=" + ago(1) + "&to=2100-01-01":          {ago(1), ago(0)},
				"from=1990-01-01&to=" + ago(3):               {ago(3 + maxDays - 1), ago(3)},
				"from=" + ago(2) + "&to=" + ago(2) + "&days": {ago(2), ago(2)},
			} {
				_, page := d.get("/review/overview?" + query)
				if got := captured(page, `id="overview-[^>]*value="([^"]*)"`); !slices.Equal(got, want[:]) {
					t.Errorf("%s: %v, want %v", query, got, want)
				}
			}
			for _, bad := range []string{"compare=x", "compare=day&since=" + ago(0), "product=x", "from=x",
				"from=2026-02-30&to=2026-03-01", "to=1&from="} {
				d.requireStatus(404, "/review/overview?"+bad)
			}
		})
		d.run("comparison", func(_ *testing.T, d *testServer) {
			d.Deletion.RetentionDays = 0
			same := i18ntest.EN("ui.change.same", "days", ui.DaysWords(i18n.English, today.AddDate(0, 0, -210), today.AddDate(0, 0, -205)))
			d.requireFigures(someDays+"&compare=day&since="+ago(210), "4 0 4, "+same+", "+same, "?compare=day&amp;days=7&amp;since="+ago(210))
			first := today.AddDate(0, 0, -205).AddDate(-1, 0, 0)
			none := i18ntest.EN("ui.compare.none", "days", ui.EarlierDays(i18n.English, first, first.AddDate(0, 0, 5), time.Time{}))
			d.requireFigures(someDays+"&compare=year", "4 0 4, ", "?compare=year&amp;days=7", none)
		})
	})
}
