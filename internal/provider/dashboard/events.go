package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// Keys of flash messages of all forms. The message catalog has the texts.
const (
	flashTwice    flash = "twice"
	flashTooOld   flash = "too old"
	flashNoChange flash = "no change"
)

// webhooks shows an endpoint with its failures and its newest deliveries: the one that the path
// names, or the first.
func (s *Service) webhooks(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	v, q, id := providerui.DashboardWebhooks{MaxTests: webhooks.MaxTests, Max: webhooks.MaxCallbacks}, s.DB.SQL, by.account.ID
	var err error
	if v.All, err = s.Webhooks.Callbacks(ctx, q, id); err != nil || len(v.All) == 0 {
		return providerui.DashboardWebhooksPage(d, v), err
	}
	if v.Callback, err = s.Webhooks.Callback(ctx, q, id, r.PathValue("id")); err != nil {
		return nil, err
	}
	if err := s.health(ctx, by, &v); err != nil {
		return nil, err
	}
	for of, f := range map[*[]webhook.Delivery]webhook.Filter{
		&v.Tests:    {Type: webhook.TypeTest, Limit: 1},
		&v.Failures: {Failed: true, Unresolved: true, Limit: 5},
		&v.Rows:     {Limit: 10},
	} {
		if *of, err = s.Webhooks.Deliveries(ctx, q, id, v.ID, f); err != nil {
			return nil, err
		}
	}
	v.FailedSince, v.Statuses = s.Now().In(by.Zone).AddDate(0, 0, -failedDays), webhooks.Subscribable()
	return providerui.DashboardWebhooksPage(d, v), nil
}

// health adds the deliveries of the last day by hour and of the last two weeks by day.
func (s *Service) health(ctx context.Context, by user, v *providerui.DashboardWebhooks) (err error) {
	now := s.Now().In(by.Zone)
	hours := webhook.Window{Since: now.Truncate(time.Hour).Add(-23 * time.Hour), Hourly: true}
	days := webhook.Window{Since: console.Midnight(now, by.Zone).AddDate(0, 0, -13)}
	if v.Hours, err = s.sent(ctx, s.DB.SQL, by.account.ID, v.ID, hours, 24, nil); err != nil {
		return err
	}
	if v.Days, err = s.sent(ctx, s.DB.SQL, by.account.ID, v.ID, days, 14, nil); err != nil {
		return err
	}
	v.Health, v.Next, err = s.Webhooks.Health(ctx, s.DB.SQL, v.Callback, hours.Since, days.Since)
	return err
}

// sent returns the deliveries of each of n steps to an endpoint, or to all with an empty id, and
// calls each with their counts.
func (s *Service) sent(ctx context.Context, q store.Queryer, customerID, id string, w webhook.Window, n int,
	each func(webhook.Count)) (ui.DayBars, error) {
	out := ui.NewDayBars(w.Since, n)
	for i := range out {
		if w.Hourly {
			out[i].Start = w.Since.Add(time.Duration(i) * time.Hour)
		}
	}
	all, err := s.Webhooks.Counts(ctx, q, customerID, id, w)
	for _, c := range all {
		step := &out[min(c.Step, n-1)]
		switch c.State {
		case webhook.StateDelivered:
			step.First += c.Count
		case webhook.StatePending:
			step.More += c.Count
		default:
			step.Down += c.Count
		}
		if each != nil {
			each(c)
		}
	}
	return out, err
}

// changeEndpoint makes a change of the endpoint that the path names, and records it as a change
// of that endpoint. The next page is the endpoint's.
func (s *Service) changeEndpoint(f func(context.Context, *store.Tx, user, webhook.Callback, input) (done, error)) change {
	return func(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
		c, err := s.Webhooks.Callback(ctx, tx, by.account.ID, in.id)
		if err != nil {
			return done{}, err
		}
		out, err := f(ctx, tx, by, c, in)
		if errors.Is(err, webhook.ErrStopped) {
			err = noChange{"no callback"}
		}
		out.object, out.detail = cmp.Or(out.object, c.FurtherID, "callback"), cmp.Or(out.detail, httpx.OriginOf(c.URL))
		return out, err
	}
}

// sendTest sends a test event to an endpoint.
func (s *Service) sendTest(ctx context.Context, tx *store.Tx, by user, c webhook.Callback, _ input) (done, error) {
	id, err := s.Webhooks.SendTest(ctx, tx, by.account.ID, c)
	if errors.Is(err, webhooks.ErrTooManyTests) {
		err = noChange{"too many tests"}
	}
	return done{action: "test event sent", object: id, to: "/dashboard/webhooks/" + c.ID + "#test"}, err
}

// checkCallback returns the problem of a field whose address cannot receive webhooks.
func (s *Service) checkCallback(field, address string) error {
	switch err := s.Webhooks.Sender.CheckURL(address); {
	case errors.Is(err, webhook.ErrPrivate):
		return fieldProblem(field, "dashboard.callback.private")
	case err != nil:
		return fieldProblem(field, "dashboard.callback.invalid")
	}
	return nil
}

func (s *Service) addCallback(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	address := in.Field("endpoint")
	if err := s.checkCallback("endpoint", address); err != nil {
		return done{}, err
	}
	id, secret, err := s.Webhooks.Add(ctx, tx, by.account.ID, address)
	if errors.Is(err, webhooks.ErrTooManyCallbacks) {
		err = noChange{"too many endpoints"}
	}
	return done{action: actionCallbackSet, object: id, detail: httpx.OriginOf(address), flash: "signer", secret: secret,
		to:     "/dashboard/webhooks/" + id,
		values: staff.Changed(staff.Value{Setting: staff.SettingCallbackURL, After: httpx.OriginOf(address)})}, err
}

func (s *Service) setCallback(ctx context.Context, tx *store.Tx, _ user, c webhook.Callback, in input) (done, error) {
	address := in.Field("url")
	if err := s.checkCallback("url", address); err != nil {
		return done{}, err
	}
	return done{action: actionCallbackSet, detail: httpx.OriginOf(address), flash: "callback",
		values: staff.Changed(staff.Value{Setting: staff.SettingCallbackURL, Before: httpx.OriginOf(c.URL),
			After: httpx.OriginOf(address)})}, s.Webhooks.SetURL(ctx, tx, c, address)
}

func (s *Service) removeCallback(ctx context.Context, tx *store.Tx, _ user, c webhook.Callback, _ input) (done, error) {
	err := unlessChanged(s.Webhooks.Remove(ctx, tx, c))
	return done{action: "endpoint removed", flash: "endpoint removed", to: "/dashboard/webhooks"}, err
}

func (s *Service) switchCallback(ctx context.Context, tx *store.Tx, _ user, c webhook.Callback, in input) (done, error) {
	out := done{action: actionCallbackOff, flash: "callback off"}
	switch in.Get("state") {
	case "on":
		out.action, out.flash = actionCallbackOn, "callback on"
	case "off":
	default:
		return done{}, malformed("state")
	}
	return out, unlessChanged(s.Webhooks.SetEnabled(ctx, tx, c, out.action == actionCallbackOn))
}

// malformed is the error of a field that no form of these pages sends.
func malformed(field string) error {
	return httpx.NewError(contract.CodeMalformedBody, errors.New("no form of this page: "+field))
}

func (s *Service) subscribe(ctx context.Context, tx *store.Tx, _ user, c webhook.Callback, in input) (done, error) {
	var chosen []contract.Status
	for _, v := range in.Values["status"] {
		if !slices.Contains(webhooks.Subscribable(), contract.Status(v)) {
			return done{}, malformed("status")
		}
		chosen = append(chosen, contract.Status(v))
	}
	if len(chosen) == 0 {
		return done{}, fieldProblem("status", "dashboard.subscription.none")
	}
	return done{action: "subscription changed", detail: strconv.Itoa(len(chosen)) +
			"/" + strconv.Itoa(len(webhooks.Subscribable())), flash: "subscription",
			values: staff.Changed(staff.Value{Setting: staff.SettingStatuses, Before: statusCodes(c.Statuses), After: statusCodes(chosen)})},
		s.Webhooks.Subscribe(ctx, tx, c, chosen)
}

// statusCodes returns the statuses of a subscription for the audit trail; nil are all.
func statusCodes(chosen []contract.Status) string {
	var out []string
	for _, st := range webhooks.Subscribable() {
		if chosen == nil || slices.Contains(chosen, st) {
			out = append(out, string(st))
		}
	}
	return strings.Join(out, ",")
}

func (s *Service) rotateSigner(ctx context.Context, tx *store.Tx, _ user, c webhook.Callback, in input) (done, error) {
	id := in.Get("secret")
	if !contract.IsUUID(id) {
		return done{}, malformed("secret")
	}
	secret, ok, err := s.Webhooks.Rotate(ctx, tx, c, id)
	if err == nil && !ok {
		err = noChange{flashNoChange}
	}
	return done{action: actionSignerRotated, object: id, flash: "signer rotated", secret: secret}, err
}

func unknown(what string) error {
	return httpx.NewError(contract.CodeNotFound, errors.New("no such "+what))
}

// failedDays is the number of days whose failed events are sent again unless the user
// chooses another.
const failedDays = 7

// redeliverFailed sends the failed events of an endpoint again since the beginning of a day.
func (s *Service) redeliverFailed(ctx context.Context, tx *store.Tx, by user, c webhook.Callback, in input) (done, error) {
	since, err := time.ParseInLocation(time.DateOnly, in.Field("since"), by.Zone)
	if err != nil || since.After(tx.Now) {
		return done{}, fieldProblem("since", "dashboard.failed.invalid")
	}
	there, err := s.Webhooks.HasFailed(ctx, tx, by.account.ID, c.ID, since)
	if err == nil && !there {
		err = noChange{"no failed"}
	}
	if err == nil {
		err = s.Webhooks.RedeliverFailed(ctx, tx, c, since)
	}
	return done{action: "failed events redelivered", detail: since.Format(time.DateOnly), flash: "failed redelivered"}, err
}

// deliveries lists deliveries. State "failed" selects those that were given up or disabled.
func (s *Service) deliveries(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	q := selectionParams(r, "endpoint", "state", "status", "answer", "report", "hour", "from", "to", "sort")
	f := webhook.Filter{State: webhook.State(q.Get("state")), Type: q.Get("status"), Limit: pageSize}
	if f.State == failed {
		f.State, f.Failed = "", true
	}
	var err, err2, err3 error
	f.Before, err = store.ParseCursor(q.Get("after"))
	f.Since, f.Until, err2 = parseTimes(q, by.Zone)
	if q.Has("answer") {
		f.Answer, err3 = strconv.Atoi(q.Get("answer"))
	}
	sort := reports.Sort(q.Get("sort"))
	f.Oldest = sort == reports.Oldest
	if errors.Join(err, err2, err3) != nil || f.State != "" && !slices.Contains(webhook.States(), f.State) ||
		f.Type != "" && f.Type != webhook.TypeTest && !contract.Status(f.Type).Valid() || sort != reports.Newest && sort != reports.Oldest {
		return nil, unknown("list")
	}
	if ref := q.Get("report"); ref != "" {
		rep, err := s.own(ctx, s.DB.SQL, by, s.token(ref))
		if err != nil {
			return nil, err
		}
		f.Subject = rep.PublicToken
	}
	all, err := s.Webhooks.Deliveries(ctx, s.DB.SQL, by.account.ID, q.Get("endpoint"), f)
	if err != nil {
		return nil, err
	}
	v := providerui.DashboardDeliveries{Report: q.Get("report"), List: listOf("/dashboard/deliveries", q)}
	if v.Endpoints, err = s.Webhooks.Callbacks(ctx, s.DB.SQL, by.account.ID); err != nil {
		return nil, err
	}
	v.List.Statuses, v.Rows = webhooks.Subscribable(), all
	if n := len(all); n > 0 {
		v.List.Pager = pager(q, "/dashboard/deliveries", n == pageSize, store.Cursor{At: all[n-1].Created, ID: all[n-1].ID}.String())
	}
	return providerui.DashboardDeliveriesPage(d, v), nil
}

func (s *Service) delivery(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	x, err := s.Webhooks.Delivery(ctx, s.DB.SQL, by.account.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	v := providerui.DashboardDelivery{Delivery: x}
	if v.Endpoints, err = s.Webhooks.Callbacks(ctx, s.DB.SQL, by.account.ID); err != nil {
		return nil, err
	}
	others, err := s.Webhooks.Deliveries(ctx, s.DB.SQL, by.account.ID, "", webhook.Filter{EventID: x.EventID, Limit: pageSize})
	if err != nil {
		return nil, err
	}
	v.Others = slices.DeleteFunc(others, func(o webhook.Delivery) bool { return o.ID == x.ID })
	// A third party's event may be about another customer's report.
	switch _, err := s.own(ctx, s.DB.SQL, by, x.Subject); {
	case err == nil:
		v.Report = s.Reference(x.Subject)
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	}
	return providerui.DashboardDeliveryPage(d, v), nil
}

func (s *Service) redeliver(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	resends, err := strconv.ParseInt(in.Get("resends"), 10, 64)
	if !contract.IsUUID(in.id) {
		return done{}, unknown("delivery")
	}
	if err != nil || resends < 0 {
		return done{}, malformed("resends")
	}
	id, err := s.Webhooks.Redeliver(ctx, tx, by.account.ID, in.id, resends)
	switch {
	case errors.Is(err, webhook.ErrPending):
		err = noChange{"on its way"}
	case errors.Is(err, webhook.ErrStopped):
		err = noChange{"no callback"}
	}
	return done{action: "event redelivered", object: id, flash: "redelivered", to: "/dashboard/deliveries/" + id}, err
}
