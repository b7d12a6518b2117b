package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// periods are the numbers of days that the overview can show; the first is the default.
var periods = [...]int{30, 7, 90}

// overview shows how many applications were started, how far they got, how long reports
// took, and why there are none.
func (d *Handler) overview(w http.ResponseWriter, r *http.Request, by staff.User) error {
	days := periods[0]
	if text := r.URL.Query().Get("days"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(periods[:], n) {
			return httpx.NewError(contract.CodeNotFound, errors.New("no such period"))
		}
		days = n
	}
	v := pages.OverviewView{Days: make([]pages.OverviewDay, days)}
	for _, n := range slices.Sorted(slices.Values(periods[:])) {
		v.Periods = append(v.Periods, pages.OverviewPeriod{Days: n, URL: "/review/overview?days=" + strconv.Itoa(n), Current: n == days})
	}
	waiting := filter{queue: queueToDecide, user: by.ID}
	v.ToDecideURL = waiting.url("")
	err := d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		today := tx.Now.UTC().Truncate(24 * time.Hour)
		since := today.AddDate(0, 0, 1-days)
		for i := range v.Days {
			day := since.AddDate(0, 0, i)
			v.Days[i] = pages.OverviewDay{Day: day, URL: filter{from: day, to: day}.url("")}
		}
		counts, err := search.CountDays(ctx, tx, since)
		if err != nil {
			return err
		}
		for _, c := range counts {
			v.Decided += decidedOf(c)
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
		if v.ToDecide, err = d.Index.Count(ctx, tx, waiting.selection(tx.Now)); err != nil {
			return err
		}
		progress, err := d.Applications.ProgressSince(ctx, tx, since)
		if err != nil {
			return err
		}
		v.Progress = pages.OverviewProgress(progress)
		if v.Durations, err = d.Applications.TimesToReport(ctx, tx, since); err != nil {
			return err
		}
		endings, err := d.Applications.EndingsSince(ctx, tx, since)
		for _, e := range endings {
			v.Endings = append(v.Endings, pages.OverviewEnding{State: string(e.State), Status: e.Status, Substatus: e.Substatus,
				Error: e.Error, Count: e.Count, URL: filter{state: string(e.State), from: since}.url("")})
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Overview(p, v) })
}

func decidedOf(c search.DayCount) int {
	if c.Decided {
		return c.Count
	}
	return 0
}
