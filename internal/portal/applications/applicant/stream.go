package applicant

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

// Times of a stream. Proxies close connections that are silent for a minute. httpx.LimitPace
// ends a stream whose client does not read. A stream ends after streamLife, and the browser
// opens another.
const (
	heartbeat  = 15 * time.Second
	streamLife = 10 * time.Minute
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
	moved, leave := s.Service.Subscribe(a.ID, s.Limit.Networks(r))
	if moved == nil {
		return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: 5 * time.Second, Why: errors.New("too many streams")}
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
	s.follow(r.Context(), a.ID, last, write, moved, beat.C, life.C)
	return nil
}

// follow writes the application's state after each change since version last, until a
// final state, the end of the stream's life, or a disconnect.
func (s *Handler) follow(ctx context.Context, id string, last int64, write func(string, ...any) bool,
	moved <-chan struct{}, beat, life <-chan time.Time) {
	for {
		a, err := s.Service.Get(ctx, s.Service.DB.SQL, id)
		if err != nil {
			return // the response has begun; the browser reconnects
		}
		if a.Version > last {
			last = a.Version
			if !write("id: %d\nevent: state\ndata: {\"state\":%q,\"version\":%d}\n\n", a.Version, a.Journey.State, a.Version) {
				return
			}
		}
		if a.Final() {
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
		case <-s.Service.Done():
			return
		}
	}
}
