package webhooks

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Limits of an answer of Listen.
const (
	listenTime  = 8 * time.Second        // how long it waits for an event
	listenPause = 400 * time.Millisecond // between looks for one
	listenCount = 50
)

// Listen answers with the events of a sandbox that follow the one that `after` names, oldest first,
// as webhooks send them: those of the caller, and of its child accounts without a callback. It waits
// for an event for some seconds. Without `after` it answers with the newest event's id only, in
// `last`. It serves `vestibule listen`; production has webhooks only.
func (s *Service) Listen(w http.ResponseWriter, r *http.Request) error {
	caller := auth.CallerOf(r.Context())
	if caller.Environment != contract.Sandbox {
		return httpx.NewError(contract.CodeNotFound, errors.New("events of production are not listed"))
	}
	out := struct {
		Events []json.RawMessage `json:"events"`
		Last   string            `json:"last"`
	}{Events: []json.RawMessage{}}
	ctx, q := r.Context(), s.DB.SQL
	if !r.URL.Query().Has("after") {
		var err error
		if out.Last, err = newestEvent(ctx, q, caller.CustomerID); err != nil {
			return err
		}
		return httpx.JSON(w, http.StatusOK, out)
	}
	out.Last = r.URL.Query().Get("after")
	if len(out.Last) > 64 || out.Last != "" && !contract.IsIdentifier(out.Last) {
		return httpx.NewError(contract.CodeInvalidParameters, errors.New("after is no id"),
			httpx.Detail{Field: "after", Message: "must be the id of an event"})
	}
	until := time.NewTimer(listenTime)
	defer until.Stop()
	again := time.NewTicker(listenPause)
	defer again.Stop()
	for {
		all, err := eventsAfter(ctx, q, caller.CustomerID, out.Last, listenCount)
		if err != nil {
			return err
		}
		for _, e := range all {
			body, err := s.body(ctx, q, webhook.Delivery{EventID: e.id, Subject: e.publicToken, Type: string(e.status),
				Detail: string(e.substatus), Happened: e.created})
			if err == nil {
				out.Events = append(out.Events, body)
			} else if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrShredded) { // its report was deleted
				return err
			}
			out.Last = e.id
		}
		if len(all) > 0 {
			return httpx.JSON(w, http.StatusOK, out)
		}
		select {
		case <-until.C:
			return httpx.JSON(w, http.StatusOK, out)
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}
