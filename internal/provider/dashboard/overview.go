package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// maxInstitutions is the number of institutions on the overview.
const maxInstitutions = 10

// maxPeriod is the maximum number of days of an overview.
const maxPeriod = 90

func period(q url.Values, now time.Time, zone *time.Location, l i18n.Lang, v *providerui.DashboardOverview) error {
	days, ok := console.ReadDays(q, now, zone, maxPeriod)
	if !ok {
		return unknown("period")
	}
	v.Periods = days.Links(l, func(period int) string { return "/dashboard?" + days.Params(period).Encode() })
	v.Compare = ui.Comparison{By: days.Compare, First: days.Before, Last: days.Before.AddDate(0, 0, days.Count()-1)}
	v.Since, v.Days = days.First, ui.NewDayBars(days.First, days.Count())
	if until := days.Last.AddDate(0, 0, 1); until.Before(now) {
		v.Until = until
	}
	return nil
}

// overview shows the reports, visits and deliveries of some days.
func (s *Service) overview(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	v := providerui.DashboardOverview{Environment: by.account.Environment, Callback: "on"}
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		id := by.account.ID
		err := period(r.URL.Query(), tx.Now, by.Zone, d.Lang, &v)
		if err != nil {
			return err
		}
		if err = s.overviewReports(ctx, tx, id, &v); err != nil {
			return err
		}
		if err = s.overviewDeliveries(ctx, tx, id, &v); err != nil {
			return err
		}
		if v.Durations, err = s.Reports.TimesToReport(ctx, tx, id, v.Since, v.Until); err != nil {
			return err
		}
		if err := s.overviewBefore(ctx, tx, by, &v); err != nil {
			return err
		}
		progress, err := s.Visits.ProgressOf(ctx, tx, id, v.Since, v.Until)
		if err != nil {
			return err
		}
		v.Progress = progress[:]
		if err := s.overviewStops(ctx, tx, by, d.Lang, &v); err != nil {
			return err
		}
		if v.Unlisted, err = s.Visits.Unlisted(ctx, tx, id, 10); err != nil {
			return err
		}
		endpoints, err := s.Webhooks.Callbacks(ctx, tx, id)
		switch {
		case len(endpoints) == 0:
			v.Callback = "none"
		case slices.ContainsFunc(endpoints, func(c webhook.Callback) bool { return !c.Disabled.IsZero() }):
			v.Callback = "off"
		}
		return err
	})
	return providerui.DashboardOverviewPage(d, v), err
}

func (s *Service) overviewReports(ctx context.Context, tx *store.Tx, customerID string, v *providerui.DashboardOverview) error {
	all, err := s.Reports.CountDays(ctx, tx, customerID, v.Since, v.Until)
	addReports(all, v)
	results := map[providerui.DashboardResult]int{}
	for _, c := range all {
		results[providerui.DashboardResult{Status: c.Status, Substatus: c.Substatus}] += c.Count
	}
	for r, n := range results {
		r.Count = n
		v.Results = append(v.Results, r)
	}
	slices.SortFunc(v.Results, func(a, b providerui.DashboardResult) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Substatus, b.Substatus))
	})
	return err
}

func addReports(all []reports.DayCount, v *providerui.DashboardOverview) {
	for _, c := range all {
		day := &v.Days[min(c.Day, len(v.Days)-1)]
		switch c.Status {
		case contract.StatusSuccess:
			day.First += c.Count
		case contract.StatusPending:
			day.More += c.Count
		default:
			day.Down += c.Count
		}
	}
}

func (s *Service) overviewDeliveries(ctx context.Context, tx *store.Tx, customerID string, v *providerui.DashboardOverview) (err error) {
	answers := map[int]int{}
	v.Deliveries, err = s.sent(ctx, tx, customerID, "", webhook.Window{Since: v.Since, Until: v.Until}, len(v.Days),
		func(c webhook.Count) { answers[c.Answer] += c.Count })
	for code, n := range answers {
		v.Answers = append(v.Answers, providerui.DashboardAnswer{Code: code, Count: n})
	}
	slices.SortFunc(v.Answers, func(a, b providerui.DashboardAnswer) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return err
}

// overviewBefore adds the figures of the earlier days to compare with, if the account existed
// then, all of its reports and events are still kept, and there are some.
func (s *Service) overviewBefore(ctx context.Context, tx *store.Tx, by user, v *providerui.DashboardOverview) error {
	until := v.Until
	if until.IsZero() {
		until = tx.Now
	}
	since := v.Compare.First
	until = since.Add(until.Sub(v.Since))
	if since.Before(by.account.Created) || tx.Now.Sub(since) > min(reports.MaxAge, webhooks.MaxAge) {
		return nil
	}
	before := providerui.DashboardOverview{Since: since, Days: ui.NewDayBars(since, len(v.Days))}
	all, err := s.Reports.CountDays(ctx, tx, by.account.ID, since, until)
	if err != nil {
		return err
	}
	addReports(all, &before)
	w, events := webhook.Window{Since: since, Until: until}, 0
	before.Deliveries, err = s.sent(ctx, tx, by.account.ID, "", w, len(v.Days), func(c webhook.Count) { events += c.Count })
	if err != nil || len(all) == 0 && events == 0 {
		return err
	}
	before.Durations, err = s.Reports.TimesToReport(ctx, tx, by.account.ID, since, until)
	v.Before = &before
	return err
}

// overviewStops adds where visits stopped: all steps, and the most frequent institutions.
func (s *Service) overviewStops(ctx context.Context, tx *store.Tx, by user, lang i18n.Lang, v *providerui.DashboardOverview) error {
	all, err := s.Visits.StopsOf(ctx, tx, by.account.ID, v.Since, v.Until)
	if err != nil {
		return err
	}
	add := func(to *[]providerui.DashboardStop, c visits.Stop, code, name string) {
		i := slices.IndexFunc(*to, func(x providerui.DashboardStop) bool { return x.Code == code })
		if i < 0 {
			i = len(*to)
			*to = append(*to, providerui.DashboardStop{Code: code, Name: name})
		}
		(*to)[i].Count += c.Count
	}
	for _, c := range all {
		add(&v.Stops, c, string(c.Step), i18n.Code(lang, "dashboard.steps", c.Step))
		if c.Institution != "" {
			add(&v.Institutions, c, c.Institution, s.Visits.InstitutionName(by.account.Environment, c.Institution))
		}
	}
	for _, list := range [][]providerui.DashboardStop{v.Stops, v.Institutions} {
		slices.SortStableFunc(list, func(a, b providerui.DashboardStop) int { return cmp.Compare(b.Count, a.Count) })
	}
	v.Institutions = v.Institutions[:min(len(v.Institutions), maxInstitutions)]
	return nil
}
