package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/invites"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
)

func (s *Service) reports(ctx context.Context, r *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	q := chosen(r, "status")
	before, err := parseCursor(q.Get("after"))
	f := reports.Filter{Status: contract.Status(q.Get("status")), Before: before, Limit: pageSize}
	if err != nil || f.Status != "" && !f.Status.Valid() {
		return nil, unknown("list")
	}
	if before.ID != "" {
		f.Before.ID = s.token(before.ID)
	}
	all, err := s.Reports.List(ctx, s.DB.SQL, by.account.ID, f)
	if err != nil {
		return nil, err
	}
	v := s.reportList(q, all)
	if n := len(all); n > 0 {
		v.Pager = pager(q, "/dashboard/reports", n == pageSize, store.Cursor{At: all[n-1].Created, ID: s.reference(all[n-1].PublicToken)})
	}
	return pages.DashboardReportsPage(d, v), nil
}

func (s *Service) reportList(q url.Values, all []reports.Report) pages.DashboardReports {
	var v pages.DashboardReports
	for _, st := range append([]contract.Status{""}, contract.Statuses()...) {
		v.Chips = append(v.Chips, chip(q, "/dashboard/reports", "status", string(st)))
	}
	for _, x := range all {
		v.Rows = append(v.Rows, s.reportView(x))
	}
	return v
}

func (s *Service) reportView(x reports.Report) pages.DashboardReport {
	return pages.DashboardReport{Reference: s.reference(x.PublicToken), ProductID: x.ProductID, Kind: x.Kind, ExternalID: x.ExternalID,
		Status: x.Status, Substatus: x.Substatus, Created: x.Created, Retrieved: x.Retrieved}
}

// own returns a report of the user's account, of any age, or store.ErrNotFound.
func (s *Service) own(ctx context.Context, q store.Queryer, by user, publicToken string) (reports.Report, error) {
	r, err := s.Reports.Get(ctx, q, publicToken)
	if err == nil && r.CustomerID != by.account.ID {
		err = store.ErrNotFound
	}
	return r, err
}

// toList redirects a reloaded search to the list.
func (s *Service) toList(path string) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		httpx.SeeOther(w, path)
		return nil
	}
}

// finder searches for a person and returns the address of the result, or "" and the
// page that says that there is none.
type finder func(ctx context.Context, by user, query string) (to string, missed page, err error)

// find handles a search form.
func (s *Service) find(look finder) http.Handler {
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		form, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		by, err := s.current(r.Context(), s.DB.SQL, r)
		if err != nil {
			return err
		}
		if by.ID == "" {
			return s.toSignIn(w, r)
		}
		query := strings.TrimSpace(form.Get("query"))
		if len(query) > 400 { // an externalId has at most 64 characters
			query = ""
		}
		to, missed, err := look(r.Context(), by, query)
		if err != nil {
			return err
		}
		if to != "" {
			httpx.SeeOther(w, to)
			return nil
		}
		d := s.frameOf(r, by)
		d.Given = url.Values{"query": {query}}
		return s.render(w, r, by, http.StatusOK, d, missed)
	})
}

// named returns the report with a publicToken or an externalId, or nil.
func (s *Service) named(ctx context.Context, by user, query string) (*reports.Report, error) {
	if query == "" {
		return nil, nil
	}
	if contract.IsUUID(query) {
		query = strings.ToLower(query)
	}
	all, err := s.Reports.List(ctx, s.DB.SQL, by.account.ID, reports.Filter{Named: query, Limit: 1})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

func (s *Service) findReports(ctx context.Context, by user, query string) (string, page, error) {
	x, err := s.named(ctx, by, query)
	if err != nil || query == "" {
		return "/dashboard/reports", nil, err
	}
	if x != nil {
		return "/dashboard/reports/" + s.reference(x.PublicToken), nil, nil
	}
	return "", func(_ context.Context, _ *http.Request, _ user, d pages.Dashboard) (templ.Component, error) {
		v := s.reportList(url.Values{}, nil)
		v.Searched = query
		return pages.DashboardReportsPage(d, v), nil
	}, nil
}

func (s *Service) findDeliveries(ctx context.Context, by user, query string) (string, page, error) {
	x, err := s.named(ctx, by, query)
	if err != nil || query == "" {
		return "/dashboard/deliveries", nil, err
	}
	if x != nil {
		return "/dashboard/deliveries?report=" + s.reference(x.PublicToken), nil, nil
	}
	return "", func(_ context.Context, _ *http.Request, _ user, d pages.Dashboard) (templ.Component, error) {
		return pages.DashboardDeliveriesPage(d, pages.DashboardDeliveries{Chips: deliveryChips(url.Values{})}), nil
	}, nil
}

func (s *Service) report(ctx context.Context, r *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	token := s.token(r.PathValue("id"))
	if token == "" {
		return nil, unknown("report")
	}
	var v pages.DashboardReport
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		x, err := s.own(ctx, tx, by, token)
		if err != nil {
			return err
		}
		v = s.reportView(x)
		v.PublicToken, v.Way, v.Revisable = x.PublicToken, "submission", s.Reports.Revisable(x)
		v.Moments = []pages.DashboardMoment{{At: x.Created, Kind: "report"}}
		if err := s.history(ctx, tx, x, &v); err != nil {
			return err
		}
		sent, err := s.Webhooks.Deliveries(ctx, tx, by.account.ID, webhooks.Filter{PublicToken: token, Limit: 50})
		if err != nil {
			return err
		}
		for _, x := range sent {
			v.Deliveries = append(v.Deliveries, deliveryView(x))
			v.Moments = append(v.Moments, pages.DashboardMoment{At: x.Created, Kind: "delivery", Text: x.Type})
		}
		// The stable sort keeps the order of simultaneous events.
		slices.SortStableFunc(v.Moments, func(a, b pages.DashboardMoment) int { return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro()) })
		return nil
	})
	return pages.DashboardReportPage(d, v), err
}

func (s *Service) sharing(ctx context.Context, r *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	q := chosen(r)
	before, err := parseCursor(q.Get("after"))
	if err != nil {
		return nil, unknown("list")
	}
	if before.ID != "" {
		before.ID = s.token(before.ID)
	}
	granted, err := s.Sharing.Granted(ctx, s.DB.SQL, by.account.ID, false, before, pageSize)
	if err != nil {
		return nil, err
	}
	var received []sharing.Share
	if before.At.IsZero() {
		if received, err = s.Sharing.Granted(ctx, s.DB.SQL, by.account.ID, true, store.Cursor{}, pageSize); err != nil {
			return nil, err
		}
	}
	var v pages.DashboardSharing
	for _, x := range granted {
		row, err := s.shareView(ctx, x, x.ThirdPartyID)
		if err != nil {
			return nil, err
		}
		row.Report = s.reference(x.PublicToken)
		v.Granted = append(v.Granted, row)
	}
	for _, x := range received {
		row, err := s.shareView(ctx, x, x.CustomerID)
		if err != nil {
			return nil, err
		}
		v.Received = append(v.Received, row)
	}
	if n := len(granted); n > 0 {
		v.Pager = pager(q, "/dashboard/relay-tokens", n == pageSize,
			store.Cursor{At: granted[n-1].Created, ID: s.reference(granted[n-1].RelayToken)})
	}
	return pages.DashboardSharingPage(d, v), nil
}

// shareView returns a share as shown on a page. It shows the report to the owner only.
func (s *Service) shareView(ctx context.Context, x sharing.Share, with string) (pages.DashboardShare, error) {
	a, err := s.Customers.ByID(ctx, s.DB.SQL, with)
	return pages.DashboardShare{Reference: s.reference(x.RelayToken), RelayToken: x.RelayToken, With: a.PublicID, WithName: a.ApplicantName(),
		State: string(x.State(s.Now())), Created: x.Created, Expires: x.Expires, Read: x.Read, Revoked: x.Revoked}, err
}

func (s *Service) share(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := strings.ToLower(in.field("publicToken"))
	if !contract.IsUUID(token) {
		return done{}, wrong("publicToken", "dashboard.share.token_invalid")
	}
	return s.grant(ctx, tx, by, in, token, "publicToken")
}

// shareReport shares the report of the form's page.
func (s *Service) shareReport(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := s.token(in.id)
	if token == "" {
		return done{}, unknown("report")
	}
	if _, err := s.own(ctx, tx, by, token); err != nil {
		return done{}, err
	}
	return s.grant(ctx, tx, by, in, token, "publicId")
}

// grant shares a report; field is the form field for the error.
func (s *Service) grant(ctx context.Context, tx *store.Tx, by user, in input, token, field string) (done, error) {
	if !isPublicID(in.field("publicId")) {
		return done{}, wrong("publicId", "dashboard.share.account_invalid")
	}
	relay, err := s.Sharing.Grant(ctx, tx, by.account.Caller(), token, in.field("publicId"))
	var no *httpx.Error
	if errors.As(err, &no) {
		switch no.Code {
		case contract.CodeInvalidToken:
			return done{}, wrong(field, "dashboard.share.no_report")
		case contract.CodeReportNotReady:
			return done{}, wrong(field, "dashboard.share.no_body")
		case contract.CodeInvalidPublicID:
			return done{}, wrong("publicId", "dashboard.share.no_account")
		case contract.CodeRelayTokenExpired:
			return done{}, wrong(field, "dashboard.share.too_old")
		case contract.CodeRelayTokenRevoked:
			return done{}, wrong("publicId", "dashboard.share.withdrawn")
		}
	}
	return done{action: "report shared", object: s.reference(relay), detail: in.field("publicId"),
		flash: "shared", to: "/dashboard/relay-tokens"}, err
}

func (s *Service) withdraw(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := s.token(in.id)
	if token == "" {
		return done{}, unknown("relay token")
	}
	ok, err := s.Sharing.Withdraw(ctx, tx, by.account.ID, token)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return done{action: "share withdrawn", object: in.id, flash: "withdrawn"}, err
}

// outbox renders the emails to applicants, whose text users can pass on.
func (s *Service) outbox(ctx context.Context, r *http.Request, by user, d pages.Dashboard) (templ.Component, error) {
	q := chosen(r)
	before, err := parseCursor(q.Get("after"))
	if err != nil {
		return nil, unknown("list")
	}
	all, err := s.Invites.Outbox(ctx, s.DB.SQL, by.account.ID, before)
	if err != nil {
		return nil, err
	}
	v := pages.DashboardOutbox{Sends: s.Invites.Sends()}
	for _, l := range all {
		v.Letters = append(v.Letters, pages.DashboardLetter{Report: s.reference(l.About), To: l.To, Subject: l.Subject, Body: l.Text,
			Created: l.Created, Expires: l.Expires, Sent: l.Sent, Failed: l.Failed})
	}
	if n := len(all); n > 0 {
		v.Pager = pager(q, "/dashboard/outbox", n == invites.PageSize, store.Cursor{At: all[n-1].Created, ID: all[n-1].ID})
	}
	return pages.DashboardOutboxPage(d, v), nil
}
