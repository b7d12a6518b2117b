package review

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

const (
	maxDays = 366 // of an overview
	oneDay  = 24 * time.Hour
)

// periodsOf returns the time of the days until now, and as long an earlier time to compare with.
func periodsOf(d console.Days, now time.Time, p contract.Product) (in, before applications.Period) {
	in = applications.Period{From: d.First, To: d.Last.AddDate(0, 0, 1), Product: p}
	if in.To.After(now) {
		in.To = now.Add(time.Microsecond)
	}
	return in, applications.Period{From: d.Before, To: d.Before.Add(in.To.Sub(in.From)), Product: p}
}

// overviewChoices sets the periods and the products to choose from: each keeps the other.
func overviewChoices(l i18n.Lang, v *pages.OverviewView, days console.Days) {
	address := func(period int, p contract.Product) string {
		q := days.Params(period)
		if p != "" {
			q.Set("product", string(p))
		}
		return "/review/overview?" + q.Encode()
	}
	v.Periods = days.Links(l, func(period int) string { return address(period, v.Product) })
	for _, p := range append([]contract.Product{""}, contract.Products()...) {
		v.Products = append(v.Products, pages.OverviewProduct{Product: p, URL: address(days.Period, p), Current: p == v.Product})
	}
}

// overview shows how many applications were started, how far they got, how long reports
// took, and why there are none: of all products or of one.
func (d *Handler) overview(w http.ResponseWriter, r *http.Request, by staff.User) error {
	product := contract.Product(r.URL.Query().Get("product"))
	if product != "" && !product.Valid() {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such product"))
	}
	waiting := filter{Filter: pages.Filter{Queue: queueToDecide, Product: product}, user: by.ID}
	v := pages.OverviewView{Product: product, ToDecideURL: waiting.url("")}
	err := d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		days, ok := console.ReadDays(r.URL.Query(), tx.Now, by.Zone, maxDays)
		if !ok {
			return httpx.NewError(contract.CodeNotFound, errors.New("no such period"))
		}
		v.From, v.To, v.Today = console.FormatDay(days.First), console.FormatDay(days.Last), console.FormatDay(tx.Now.In(by.Zone))
		v.Compare = ui.Comparison{By: days.Compare, First: days.Before, Last: days.Before.AddDate(0, 0, days.Count()-1)}
		overviewChoices(d.Page(r).Lang, &v, days)
		in, before := periodsOf(days, tx.Now, product)
		var err error
		if v.OverviewFigures, err = d.overviewFigures(ctx, tx, in, days.Count()); err != nil {
			return err
		}
		// Deleted applications are missing from the time before.
		if n := d.Deletion.RetentionDays; n == 0 || !before.From.Before(tx.Now.AddDate(0, 0, -n)) {
			then, err := d.overviewFigures(ctx, tx, before, days.Count())
			if err != nil {
				return err
			}
			if then.Progress.Started > 0 {
				v.Before = &then
			}
		}
		if v.ToDecide, err = d.Index.Count(ctx, tx, waiting.selection(tx.Now)); err != nil {
			return err
		}
		endings, err := d.Applications.Endings(ctx, tx, in)
		for _, e := range endings {
			list := filter{Filter: pages.Filter{State: e.State, Product: product, From: days.First}}
			if days.Period == 0 {
				list.To = days.Last
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
	v.Days = ui.NewDayBars(in.From, days)
	for i, x := range v.Days {
		v.Days[i].URL = filter{Filter: pages.Filter{Product: in.Product, From: x.Start, To: x.Start}}.url("")
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
			day.First += c.Count
		case journey.Failed, journey.Exited, journey.Expired:
			day.Down += c.Count
		default:
			day.More += c.Count
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
