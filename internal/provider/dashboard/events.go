package dashboard

import (
	"cmp"
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
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	pages "vestibule/templates/provider"
)

// pageSize is the number of entries on a page of a list.
const pageSize = 25

// Actions in the audit trail and keys of flash messages. The templates have the texts.
const (
	saidTwice    flash = "twice"
	saidTooOld   flash = "too old"
	saidNoChange flash = "no change"
)

const (
	week  = 7 * 24 * time.Hour
	month = 30 * 24 * time.Hour
)

func (s *Service) overview(ctx context.Context, _ *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	v := pages.DashboardOverview{Environment: by.account.Environment, Statuses: contract.Statuses(), Callback: "on"}
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, id := tx.Now, by.account.ID
		for i, since := range []time.Time{now.Add(-week), now.Add(-month)} {
			reports, err := s.Reports.Counts(ctx, tx, id, since)
			if err != nil {
				return err
			}
			sent, err := s.Webhooks.DeliveryCounts(ctx, tx, id, since)
			if err != nil {
				return err
			}
			if i == 0 {
				v.Week = reports
			} else {
				v.Month, v.Pending = reports, sent[webhook.StatePending]
			}
			v.Failed[i] = sent[webhook.StateGivenUp] + sent[webhook.StateDisabled]
		}
		if err := s.overviewDays(ctx, tx, id, &v); err != nil {
			return err
		}
		c, err := s.Webhooks.Callback(ctx, tx, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			v.Callback = "none"
		case err != nil:
			return err
		case !c.Disabled.IsZero():
			v.Callback = "off"
		}
		return nil
	})
	return pages.DashboardOverviewPage(d, v), err
}

// overviewDays adds the reports of each of the last 30 days, and why there are none.
func (s *Service) overviewDays(ctx context.Context, tx *store.Tx, customerID string, v *pages.DashboardOverview) error {
	const days = int(month / (24 * time.Hour))
	since := tx.Now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	for i := range days {
		v.Days = append(v.Days, pages.DashboardDay{Day: since.AddDate(0, 0, i)})
	}
	all, err := s.Reports.CountDays(ctx, tx, customerID, since)
	if err != nil {
		return err
	}
	causes := map[pages.DashboardCause]int{}
	for _, c := range all {
		day := &v.Days[min(c.Day, days-1)]
		switch c.Status {
		case contract.StatusSuccess:
			day.Ready += c.Count
		case contract.StatusPending:
			day.Pending += c.Count
		default:
			day.Failed += c.Count
			causes[pages.DashboardCause{Status: c.Status, Substatus: c.Substatus}] += c.Count
		}
	}
	for c, n := range causes {
		c.Count = n
		v.Causes = append(v.Causes, c)
	}
	slices.SortFunc(v.Causes, func(a, b pages.DashboardCause) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Substatus, b.Substatus))
	})
	return nil
}

func (s *Service) webhooks(ctx context.Context, _ *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	c, err := s.Webhooks.Callback(ctx, s.DB.SQL, by.account.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	v := pages.DashboardWebhooks{URL: c.URL, Disabled: c.Disabled}
	for _, st := range webhooks.Subscribable() {
		v.Statuses = append(v.Statuses, pages.DashboardStatus{Status: st, Chosen: c.Statuses == nil || slices.Contains(c.Statuses, st)})
	}
	for _, g := range c.Signers {
		v.Signers = append(v.Signers, pages.DashboardSigner(g))
	}
	return pages.DashboardWebhooksPage(d, v), nil
}

// originOf returns the origin of a URL for the audit trail, because the path may be
// secret.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func (s *Service) setCallback(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	address := in.field("url")
	if s.Webhooks.CheckURL(address) != nil {
		return done{}, wrong("url", "dashboard.callback.invalid")
	}
	secret, err := s.Webhooks.SetURL(ctx, tx, by.account.ID, address)
	out := done{action: "callback set", object: "callback", detail: originOf(address), flash: "callback", secret: secret}
	if secret != "" {
		out.flash = "signer"
	}
	return out, err
}

func (s *Service) switchCallback(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	state := in.Get("state")
	if state != "on" && state != "off" {
		return done{}, malformed("state")
	}
	changed, err := s.Webhooks.SetEnabled(ctx, tx, by.account.ID, state == "on")
	if err == nil && !changed {
		err = nothing{saidNoChange}
	}
	return done{action: "callback " + state, object: "callback", flash: flash("callback " + state)}, err
}

// malformed is the error of a field that no form of these pages sends.
func malformed(field string) error {
	return httpx.NewError(contract.CodeMalformedBody, errors.New("no form of ours: "+field))
}

func (s *Service) subscribe(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	var chosen []contract.Status
	for _, v := range in.Values["status"] {
		if !slices.Contains(webhooks.Subscribable(), contract.Status(v)) {
			return done{}, malformed("status")
		}
		chosen = append(chosen, contract.Status(v))
	}
	if len(chosen) == 0 {
		return done{}, wrong("status", "dashboard.subscription.none")
	}
	return done{action: "subscription changed", object: "callback", detail: strconv.Itoa(len(chosen)) +
			"/" + strconv.Itoa(len(webhooks.Subscribable())), flash: "subscription"},
		s.Webhooks.Subscribe(ctx, tx, by.account.ID, chosen)
}

func (s *Service) rotateSigner(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	id := in.Get("secret")
	if !contract.IsUUID(id) {
		return done{}, malformed("secret")
	}
	secret, ok, err := s.Webhooks.Rotate(ctx, tx, by.account.ID, id)
	if err == nil && !ok {
		err = nothing{saidNoChange}
	}
	return done{action: "signer rotated", object: id, flash: "signer rotated", secret: secret}, err
}

// pager returns the link after a full page. path may have a query.
func pager(query url.Values, path string, full bool, last store.Cursor) pages.DashboardPager {
	var p pages.DashboardPager
	to := func(after string) string {
		q := url.Values{}
		for k, v := range query {
			if k != "after" && len(v) == 1 && v[0] != "" {
				q[k] = v
			}
		}
		if after != "" {
			q.Set("after", after)
		}
		if len(q) == 0 {
			return path
		}
		return path + "?" + q.Encode()
	}
	if full {
		p.Older = to(cursorText(last))
	}
	if query.Get("after") != "" {
		p.Newest = to("")
	}
	return p
}

// chosen returns the query parameters that select what a list shows.
func chosen(r *http.Request, names ...string) url.Values {
	q := url.Values{}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		for _, name := range append(names, "after") {
			if v := r.URL.Query().Get(name); v != "" {
				q.Set(name, v)
			}
		}
	}
	return q
}

func unknown(what string) error {
	return httpx.NewError(contract.CodeNotFound, errors.New("no such "+what))
}

func (s *Service) deliveries(ctx context.Context, r *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	q := chosen(r, "state", "report")
	before, err := parseCursor(q.Get("after"))
	f := webhooks.Filter{State: webhook.State(q.Get("state")), Before: before, Limit: pageSize}
	if err != nil || f.State != "" && !slices.Contains(webhook.States(), f.State) {
		return nil, unknown("list")
	}
	if ref := q.Get("report"); ref != "" {
		rep, err := s.own(ctx, s.DB.SQL, by, s.token(ref))
		if err != nil {
			return nil, err
		}
		f.PublicToken = rep.PublicToken
	}
	all, err := s.Webhooks.Deliveries(ctx, s.DB.SQL, by.account.ID, f)
	if err != nil {
		return nil, err
	}
	v := pages.DashboardDeliveries{Report: q.Get("report"), Chips: deliveryChips(q)}
	for _, x := range all {
		v.Rows = append(v.Rows, deliveryView(x))
	}
	if n := len(all); n > 0 {
		v.Pager = pager(q, "/dashboard/deliveries", n == pageSize, store.Cursor{At: all[n-1].Created, ID: all[n-1].ID})
	}
	return pages.DashboardDeliveriesPage(d, v), nil
}

// deliveryChips returns the links that filter deliveries by state.
func deliveryChips(query url.Values) (out []pages.DashboardChip) {
	for _, state := range append([]webhook.State{""}, webhook.States()...) {
		out = append(out, chip(query, "/dashboard/deliveries", "state", string(state)))
	}
	return out
}

// chip returns a link that filters a list by one value; empty selects all.
func chip(query url.Values, path, name, value string) pages.DashboardChip {
	q := url.Values{}
	for k, v := range query {
		if k != "after" && k != name {
			q[k] = v
		}
	}
	if value != "" {
		q.Set(name, value)
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return pages.DashboardChip{Name: value, URL: path, Current: query.Get(name) == value}
}

func deliveryView(x webhook.Delivery) pages.DashboardDelivery {
	v := pages.DashboardDelivery{ID: x.ID, EventID: x.EventID, Status: contract.Status(x.Type),
		Substatus: contract.Substatus(x.Detail), Happened: x.Happened, State: string(x.State), Tries: x.Tries, HTTP: x.HTTP,
		Created: x.Created, Resends: x.Resends, Body: string(x.Body), Shredded: x.Shredded}
	for _, a := range x.Attempts {
		v.Attempts = append(v.Attempts, pages.DashboardAttempt{At: a.At, HTTP: a.HTTP, Took: a.Took, Error: string(a.Error)})
	}
	return v
}

func (s *Service) delivery(ctx context.Context, r *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return nil, unknown("delivery")
	}
	x, err := s.Webhooks.Delivery(ctx, s.DB.SQL, by.account.ID, id)
	if err != nil {
		return nil, err
	}
	v := deliveryView(x)
	// A third party's event may be about another customer's report.
	switch _, err := s.own(ctx, s.DB.SQL, by, x.Subject); {
	case err == nil:
		v.Report = s.reference(x.Subject)
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	}
	return pages.DashboardDeliveryPage(d, v), nil
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
		err = nothing{"on its way"}
	case errors.Is(err, webhook.ErrStopped):
		err = nothing{"no callback"}
	}
	return done{action: "event redelivered", object: id, flash: "redelivered", to: "/dashboard/deliveries/" + id}, err
}
