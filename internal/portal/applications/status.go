package applications

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	pages "vestibule/templates/portal"
	"vestibule/templates/ui"

	"vestibule/internal/store"
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
	if err := s.Service.Speak(r.Context(), a, m.Lang); err != nil {
		return err
	}
	if m.Decision == journey.MoreAsked && s.Asked != nil {
		if m.Asked, err = s.Asked(r.Context(), a.ID); err != nil {
			return err
		}
	}
	httpx.SetSecurityHeaders(w, policy(v, httpx.CSP{FormAction: s.Service.FormTargets}))
	return httpx.HTML(w, r, http.StatusOK, pages.StatusPage(m))
}

// StatusView returns the content of an application's status page: its state, the
// reason, and the next steps.
func (s *Handler) StatusView(base pages.Base, a Application, v Visitor, lines []TimelineEntry) pages.Status {
	j, state := a.Journey, a.Journey.State
	moving := state == journey.Returned || state == journey.Pending
	text := s.Service.Words(a)
	m := pages.Status{Base: base, ID: a.ID, Product: a.Product, State: string(state), Version: a.Version,
		Title: title(j), Text: text[len(text)-1], Moving: moving, Final: a.final(),
		Slow:   moving && s.Service.now().Sub(time.Unix(j.Since, 0)) > slowAfter,
		Retry:  state != journey.Connecting && j.CanRetry(),
		Stream: StreamURL(a.ID) + v.QuerySuffix, Self: StatusURL(a.ID) + v.QuerySuffix, Restart: RestartURL(a.ID) + v.QuerySuffix}
	if v.Framed {
		m.Base = m.In(v.Origin, a.ID)
	}
	if state == journey.Started || state == journey.Connecting {
		m.Connect, m.Other = ConnectURL(a.ID)+v.QuerySuffix, a.Mode == Embedded && a.HasApplicant
	}
	switch {
	case state == journey.Ready && !v.Framed: // in a frame, the framing page continues
		m.Detail, m.Tone = wordsClose, ui.Success
	case state != journey.Failed:
	case m.Retry:
		m.Support = base.Brand.Support
	case corrects(j) && a.Origin == FromWeb && !v.Framed:
		m.Detail, m.Tone, m.Correct = wordsCorrect, ui.Warning, "/apply/"+string(a.Product)
	case corrects(j):
		m.Detail, m.Tone, m.Support = wordsNoRetry, ui.Warning, base.Brand.Support
	default: // the text names whom to contact
		m.Support = base.Brand.Support
	}
	if a.final() || state == journey.Exited || s.Service.tells(a) {
		m.ReturnURL = a.ReturnURL
	}
	if !a.final() || m.Retry {
		m.Elsewhere = s.ResumeOptions(a.ID, v.Framed)
	}
	if s.Service.tells(a) {
		s.decided(&m, a)
	}
	for _, l := range lines {
		if words, ok := happened(l); ok {
			m.Lines = append(m.Lines, pages.StatusLine{At: l.At, Words: words})
		}
	}
	return m
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
	mode := Mode(form.Get("mode"))
	if mode == "" {
		mode = a.Mode
	}
	if !mode.Valid() {
		return httpx.NewError(contract.CodeMalformedBody, ErrBadMode)
	}
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		return s.Service.Restart(ctx, tx, a.ID, mode)
	})
	if errors.Is(err, ErrClosed) {
		httpx.SeeOther(w, StatusURL(a.ID)+v.QuerySuffix)
		return nil
	}
	if err != nil {
		return err
	}
	s.Service.hub.nudge(a.ID)
	httpx.SeeOther(w, ConnectURL(a.ID)+v.QuerySuffix)
	return nil
}

// Times of a stream. Proxies close connections that are silent for a minute. A stream
// ends after streamLife, and the browser opens another.
const (
	heartbeat  = 15 * time.Second
	streamLife = 10 * time.Minute
	writeTime  = 10 * time.Second
)

// stream sends an event with the version as its ID whenever the application changes,
// and ends in a final state. The event holds only the state; scripts reload the page
// for the rest.
func (s *Handler) stream(w http.ResponseWriter, r *http.Request) error {
	a, _, err := s.Authorize(w, r)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("a stream has no HEAD"))
	}
	moved, leave := s.Service.hub.subscribe(a.ID, s.Service.now(), s.Service.moved)
	if moved == nil {
		return &httpx.Error{Code: contract.CodeUnavailable, RetryAfter: 5 * time.Second, Why: errors.New("no stream to spare")}
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	write := func(format string, args ...any) bool {
		_ = out.SetWriteDeadline(time.Now().Add(writeTime)) // not supported by every writer
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && out.Flush() == nil
	}
	if !write("retry: 2000\n\n") {
		return nil
	}
	last, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		last = -1
	}
	beat, life := time.NewTicker(heartbeat), time.NewTimer(streamLife)
	defer beat.Stop()
	defer life.Stop()
	s.Service.follow(r.Context(), a.ID, last, write, moved, beat.C, life.C)
	return nil
}

// follow writes the application's state after each change since version last, until a
// final state, the end of the stream's life, or a disconnect.
func (s *Service) follow(ctx context.Context, id string, last int64, write func(string, ...any) bool, moved <-chan struct{}, beat, life <-chan time.Time) {
	for {
		a, err := s.Get(ctx, id)
		if err != nil {
			return // the response has begun; the browser reconnects
		}
		if a.Version > last {
			last = a.Version
			if !write("id: %d\nevent: state\ndata: {\"state\":%q,\"version\":%d}\n\n", a.Version, a.Journey.State, a.Version) {
				return
			}
		}
		if a.final() {
			write("event: end\ndata: {}\n\n")
			return
		}
		select {
		case <-moved:
		case <-beat: // read again: the hub misses changes by a replica whose clock is behind
			if !write(": still here\n\n") {
				return
			}
		case <-life:
			return
		case <-ctx.Done():
			return
		case <-s.hub.done():
			return
		}
	}
}

// Close ends every stream. Call it first when the portal stops.
func (s *Service) Close() { s.hub.end() }
