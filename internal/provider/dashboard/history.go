package dashboard

import (
	"context"
	"errors"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// history adds the report's events to v: its visit, changes of status, corrections,
// consent, and shares, each in order.
func (s *Service) history(ctx context.Context, q store.Queryer, r reports.Report, v *providerui.DashboardReport) error {
	add := func(at time.Time, kind, text string) {
		v.Moments = append(v.Moments, providerui.DashboardMoment{At: at, Kind: kind, Text: text})
	}
	if err := s.visitHistory(ctx, q, r, v, add); err != nil {
		return err
	}
	changes, err := s.Webhooks.Changes(ctx, q, r.CustomerID, r.PublicToken)
	if err != nil {
		return err
	}
	for _, c := range changes {
		m := providerui.DashboardMoment{At: c.At, Kind: "status", Status: c.Status, Substatus: c.Substatus}
		if c.Status == contract.StatusError && c.Substatus == "" {
			crashed, err := s.Crashed(ctx, q, r.PublicToken)
			if err != nil {
				return err
			}
			if crashed {
				m.Reason = "crashed"
			}
		}
		v.Moments = append(v.Moments, m)
	}
	corrected, err := s.Reports.Revised(ctx, q, r.PublicToken)
	if err != nil {
		return err
	}
	for i, at := range corrected {
		add(at, "corrected", strconv.Itoa(i+1))
	}
	reads, err := s.reads(ctx, q, r)
	if err != nil {
		return err
	}
	for _, x := range reads {
		add(x.First, "read", x.Reader)
	}
	withdrawn, err := s.Sharing.Withdrawn(ctx, q, r.PublicToken)
	if err != nil {
		return err
	}
	if !withdrawn.IsZero() {
		add(withdrawn, "consent", "")
	}
	shares, err := s.Sharing.Shares(ctx, q, r.CustomerID, r.PublicToken)
	if err != nil {
		return err
	}
	for _, x := range shares {
		a, err := s.Customers.ByID(ctx, q, x.ThirdPartyID)
		if err != nil {
			return err
		}
		happened := func(at time.Time, kind string) {
			if !at.IsZero() {
				add(at, kind, a.PublicID)
			}
		}
		happened(x.Created, "relay made")
		happened(x.Read, "relay read")
		happened(x.Revoked, "relay revoked")
		if x.State(s.Now()) == sharing.Expired {
			happened(x.Expires, "relay expired")
		}
	}
	return nil
}

// reads returns who read a report, the last first.
func (s *Service) reads(ctx context.Context, q store.Queryer, r reports.Report) (out []providerui.AccessRead, err error) {
	all, err := s.Reports.Reads(ctx, q, r.PublicToken)
	for _, x := range all {
		a, err := s.Customers.ByID(ctx, q, x.Reader)
		if err != nil {
			return nil, err
		}
		out = append(out, providerui.AccessRead{Reader: a.Name, Kind: r.Kind, Report: r.Created, Revision: x.Revision, First: x.First,
			Last: x.Last, Days: x.Days})
	}
	return out, err
}

// visitHistory adds the visit of the report; a submission has none.
func (s *Service) visitHistory(ctx context.Context, q store.Queryer, r reports.Report,
	v *providerui.DashboardReport, add func(at time.Time, kind, text string)) error {
	visit, err := s.Visits.Summary(ctx, q, r.PublicToken)
	if errors.Is(err, store.ErrNotFound) {
		if r.Forgotten {
			v.Origin = "forgotten"
		}
		return nil
	}
	if err != nil {
		return err
	}
	v.Origin, v.State = "visit", string(visit.State)
	for _, x := range visit.Sources {
		v.Sources = append(v.Sources, providerui.DashboardSource{Type: string(x.Type), Institution: x.Institution, Empty: x.Empty,
			Skipped: x.Skipped, Failed: x.Failed, Substatus: x.Substatus, Reason: x.Reason})
	}
	events, err := s.Visits.Sources.Events(ctx, q, r.PublicToken)
	if err != nil {
		return err
	}
	for _, e := range events {
		m := providerui.DashboardMoment{At: e.At, Kind: "source " + e.Kind, Reason: string(e.Reason),
			Text: s.Visits.InstitutionName(visit.Environment, e.Institution)}
		v.Moments = append(v.Moments, m)
	}
	if visit.Ended.IsZero() {
		v.Expires = visit.Expires
	}
	lines, err := s.Visits.Timeline(ctx, q, r.PublicToken)
	if err != nil {
		return err
	}
	for _, l := range lines {
		add(l.At, "visit "+l.Kind, "")
	}
	redirect, err := s.Redirects.OfVisit(ctx, q, visit.ID)
	if err != nil {
		return store.OrNone(err)
	}
	v.Origin = "redirect"
	if redirect.FormOnly {
		v.Origin = "form"
	}
	add(redirect.Created, "redirect", "")
	return nil
}
