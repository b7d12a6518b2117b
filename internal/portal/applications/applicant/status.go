package applicant

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/report"
	"vestibule/internal/store"
	portalui "vestibule/templates/portal"
	"vestibule/templates/ui"
)

// slowAfter is when the page tells the applicant that it takes longer than usual.
const slowAfter = 90 * time.Second

// status handles the status page.
func (s *Handler) status(w http.ResponseWriter, r *http.Request) error {
	a, v, err := s.Authorize(w, r)
	if err != nil {
		return err
	}
	lines, err := s.Service.Timeline(r.Context(), a.ID, 0, 50)
	if err != nil {
		return err
	}
	m := s.StatusView(s.Base(r), a, v, lines)
	if err := s.Service.SetLanguage(r.Context(), a, m.Lang); err != nil {
		return err
	}
	if m.Decision == journey.MoreAsked && s.RequestText != nil {
		if m.Asked, err = s.RequestText(r.Context(), m.Lang, a.ID); err != nil {
			return err
		}
	}
	if m.Receipt, err = s.receipt(r.Context(), a); err != nil {
		return err
	}
	httpx.SetSecurityHeaders(w, v.Policy(httpx.CSP{FormAction: s.Service.FormTargets}))
	return httpx.HTML(w, r, http.StatusOK, portalui.StatusPage(m))
}

// receipt returns what the applicant shared with the newest report, or nil without one.
func (s *Handler) receipt(ctx context.Context, a applications.Application) (*portalui.Receipt, error) {
	if a.Journey.State != journey.Ready || !a.HasReport() {
		return nil, nil
	}
	of, raw, err := s.Service.NewestReport(ctx, s.Service.DB.SQL, a.ID)
	if errors.Is(err, applications.ErrNoReport) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	from, err := report.SharedSources(raw)
	if err != nil { // a report of another form names no sources
		s.Service.Log.WarnContext(ctx, "sources of a report not read", "application", a.ID, "err", err.Error())
	}
	return &portalui.Receipt{From: from, Shared: a.SharedAt, Until: of.Until, Days: s.RetentionDays,
		Shows: s.Service.NotifiesOf(journey.Approved), Emails: s.ResumeByEmail}, nil
}

// StatusView returns the content of an application's status page: its state, the
// reason, and the next steps.
func (s *Handler) StatusView(base portalui.Base, a applications.Application, v Visitor,
	lines []applications.TimelineEntry) portalui.Status {
	j, state := a.Journey, a.Journey.State
	moving := state == journey.Returned || state == journey.Pending
	text := s.Service.StatusTexts(a)
	m := portalui.Status{Base: base, ID: a.ID, Product: a.Product, State: string(state), Version: a.Version,
		Title: title(a), Text: text[len(text)-1], Moving: moving, Final: a.Final(),
		Slow:   moving && s.Service.Now().Sub(time.Unix(j.Since, 0)) > slowAfter,
		Retry:  state != journey.Connecting && j.CanRetry(),
		Stream: StreamURL(a.ID) + v.QuerySuffix, Self: StatusURL(a.ID) + v.QuerySuffix, Restart: RestartURL(a.ID) + v.QuerySuffix}
	if v.Framed {
		m.Base = m.In(v.Origin, a.ID)
	}
	if state == journey.Started || state == journey.Connecting {
		m.Connect, m.Other = ConnectURL(a.ID)+v.QuerySuffix, a.Mode == applications.Embedded && a.HasApplicant
	}
	switch {
	case state == journey.Ready && !v.Framed: // in a frame, the framing page continues
		m.Detail, m.Tone = "status.close_page", ui.Success
	case state != journey.Failed:
	case m.Retry:
		m.Support = base.Brand.Support
	case correctable(j) && a.Origin == applications.FromWeb && !v.Framed:
		m.Detail, m.Tone, m.Correct = "status.failed.correct_details", ui.Warning, "/apply/"+string(a.Product)
	case correctable(j):
		m.Detail, m.Tone, m.Support = "status.failed.no_retry", ui.Warning, base.Brand.Support
	default: // the text names whom to contact
		m.Support = base.Brand.Support
	}
	if a.Final() || state == journey.Exited || s.Service.ShowsDecision(a) {
		m.ReturnURL = a.ReturnURL
	}
	if !a.Final() || m.Retry {
		m.Resume = s.ResumeOptions(a.ID, v.Framed)
	}
	if s.Service.ShowsDecision(a) {
		s.showDecision(&m, a)
	}
	for _, l := range lines {
		if words, ok := timelineText(l); ok {
			m.Lines = append(m.Lines, portalui.StatusLine{At: l.At, Text: words})
		}
	}
	return m
}

// showDecision sets a status page to show the decision. The status handler adds the
// reviewer's request.
func (s *Handler) showDecision(m *portalui.Status, a applications.Application) {
	m.Decision = a.Decision.Kind
	title, text := applications.DecisionTexts(a.Decision.Kind)
	switch a.Decision.Kind {
	case journey.Approved, journey.Declined:
		m.Title, m.Text, m.Tone = title, text, ui.Success
		if a.Decision.Kind == journey.Declined {
			m.Tone = ui.Neutral
		}
		m.Detail, m.Moving, m.Slow, m.Retry, m.Connect, m.Other, m.Correct = "", false, false, false, "", false, ""
		m.Resume = portalui.ResumeOptions{}
		if a.Decision.Outdated {
			m.Detail, m.Tone = "status.revised.text", ui.Info
		}
	case journey.MoreAsked:
		if m.Moving {
			return // the answer is on its way; the page shows the request again if anything is still missing
		}
		m.Title, m.Text, m.Detail, m.Tone = title, text, "", ui.Warning
		if a.Journey.State == journey.Ready {
			m.Retry = a.Resumable()
		}
	}
}

// restart opens another attempt, in the mode that the form names.
func (s *Handler) restart(w http.ResponseWriter, r *http.Request) error {
	a, v, err := s.Authorize(w, r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	mode := cmp.Or(applications.Mode(form.Get("mode")), a.Mode)
	if !mode.Valid() {
		return httpx.NewError(contract.CodeMalformedBody, applications.ErrBadMode)
	}
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		return s.Service.Restart(ctx, tx, a.ID, mode)
	})
	if errors.Is(err, applications.ErrClosed) {
		return httpx.SeeOther(w, StatusURL(a.ID)+v.QuerySuffix)
	}
	if err != nil {
		return err
	}
	s.Service.Wake(a.ID)
	return httpx.SeeOther(w, ConnectURL(a.ID)+v.QuerySuffix)
}
