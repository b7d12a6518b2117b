package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// periods are the numbers of days that the overview can show; the first is the default.
var periods = [...]int{30, 7, 90}

const (
	maxDays = 366
	oneDay  = 24 * time.Hour
)

// span is a range of days, in UTC.
type span struct {
	from  time.Time
	days  int
	fixed bool // the last days, as one of periods
}

// readSpan reads the days of the overview from its address: a number of days to today, or the
// first and the last day. false: there is no such period.
func readSpan(q url.Values, today time.Time) (s span, ok bool) {
	if !q.Has("from") && !q.Has("to") {
		s = span{days: periods[0], fixed: true}
		if text := q.Get("days"); text != "" {
			s.days, _ = strconv.Atoi(text)
		}
		s.from = today.AddDate(0, 0, 1-s.days)
		return s, slices.Contains(periods[:], s.days)
	}
	from, ok1 := search.ParseDay(q.Get("from"))
	to, ok2 := search.ParseDay(q.Get("to"))
	if to.IsZero() || to.After(today) {
		to = today
	}
	if from.IsZero() {
		from = to.AddDate(0, 0, 1-periods[0])
	}
	if from.After(to) {
		from, to = to, from
	}
	s = span{from: from, days: int(to.Sub(from)/oneDay) + 1}
	if s.days > maxDays {
		s.from, s.days = to.AddDate(0, 0, 1-maxDays), maxDays
	}
	return s, ok1 && ok2
}

func (s span) last() time.Time { return s.from.AddDate(0, 0, s.days-1) }

// period returns the time of the span until now, and as long a time before it.
func (s span) period(now time.Time) (in, before applications.Period) {
	in = applications.Period{From: s.from, To: s.last().Add(oneDay)}
	if in.To.After(now) {
		in.To = now.Add(time.Microsecond)
	}
	return in, applications.Period{From: in.From.AddDate(0, 0, -s.days), To: in.To.AddDate(0, 0, -s.days)}
}

// overview shows how many applications were started, how far they got, how long reports
// took, and why there are none.
func (d *Handler) overview(w http.ResponseWriter, r *http.Request, by staff.User) error {
	waiting := filter{queue: queueToDecide, user: by.ID}
	v := pages.OverviewView{ToDecideURL: waiting.url("")}
	err := d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		s, ok := readSpan(r.URL.Query(), tx.Now.UTC().Truncate(oneDay))
		if !ok {
			return httpx.NewError(contract.CodeNotFound, errors.New("no such period"))
		}
		v.From, v.To, v.Today = search.FormatDay(s.from), search.FormatDay(s.last()), search.FormatDay(tx.Now.UTC())
		for _, n := range slices.Sorted(slices.Values(periods[:])) {
			v.Periods = append(v.Periods, pages.OverviewPeriod{Days: n, URL: "/review/overview?days=" + strconv.Itoa(n),
				Current: s.fixed && n == s.days})
		}
		in, before := s.period(tx.Now)
		var err error
		if v.OverviewFigures, err = d.overviewFigures(ctx, tx, in, s.days); err != nil {
			return err
		}
		// Deleted applications are missing from the time before.
		if n := d.Deletion.RetentionDays; n == 0 || !before.From.Before(tx.Now.AddDate(0, 0, -n)) {
			then, err := d.overviewFigures(ctx, tx, before, s.days)
			if err != nil {
				return err
			}
			v.Before = &then
		}
		if v.ToDecide, err = d.Index.Count(ctx, tx, waiting.selection(tx.Now)); err != nil {
			return err
		}
		endings, err := d.Applications.Endings(ctx, tx, in)
		for _, e := range endings {
			list := filter{state: string(e.State), from: s.from}
			if !s.fixed {
				list.to = s.last()
			}
			v.Endings = append(v.Endings, pages.OverviewEnding{State: string(e.State), Status: e.Status, Substatus: e.Substatus,
				Error: e.Error, Count: e.Count, URL: list.url("")})
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Overview(p, v) })
}

// overviewFigures counts the applications of a period of some days.
func (d *Handler) overviewFigures(ctx context.Context, tx *store.Tx, in applications.Period,
	days int) (v pages.OverviewFigures, err error) {
	v.Days = make([]pages.OverviewDay, days)
	for i := range v.Days {
		day := in.From.AddDate(0, 0, i)
		v.Days[i] = pages.OverviewDay{Day: day, URL: filter{from: day, to: day}.url("")}
	}
	counts, err := search.CountDays(ctx, tx, in)
	if err != nil {
		return v, err
	}
	for _, c := range counts {
		if c.Decided {
			v.Decided += c.Count
		}
		day := &v.Days[min(c.Day, days-1)]
		switch journey.State(c.State) {
		case journey.Ready:
			day.Ready += c.Count
		case journey.Failed, journey.Exited, journey.Expired:
			day.Ended += c.Count
		default:
			day.Open += c.Count
		}
	}
	progress, err := d.Applications.Progress(ctx, tx, in)
	if err != nil {
		return v, err
	}
	v.Progress = pages.OverviewProgress(progress)
	v.Durations, err = d.Applications.TimesToReport(ctx, tx, in)
	return v, err
}
