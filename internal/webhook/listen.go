package webhook

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

// Limits of an answer of Listen.
const (
	listenTime  = 8 * time.Second        // how long it waits for an event
	listenPause = 400 * time.Millisecond // between looks for one
	listenCount = 50
)

// Listen answers with the events of a sandbox that follow the one that `after` names, oldest first,
// as they are sent. It waits for an event for some seconds. Without `after` it answers with the newest
// event's id only, in `last`. It serves `vestibule listen`; production sends events only. The events are
// those e of which a condition on $1, which is of, holds.
func (o *Outbox) Listen(w http.ResponseWriter, r *http.Request, in contract.Environment, condition, of string) (err error) {
	if in != contract.Sandbox {
		return httpx.NewError(contract.CodeNotFound, errors.New("events of production are not listed"))
	}
	out := struct {
		Events []json.RawMessage `json:"events"`
		Last   string            `json:"last"`
	}{Events: []json.RawMessage{}}
	ctx, q := r.Context(), o.DB.SQL
	if !r.URL.Query().Has("after") {
		if out.Last, err = newestEvent(ctx, q, condition, of); err != nil {
			return err
		}
		return httpx.JSON(w, http.StatusOK, out)
	}
	out.Last = r.URL.Query().Get("after")
	word := httpx.Placeholder(out.Last)
	if word != "" || len(out.Last) > 64 || out.Last != "" && !contract.IsIdentifier(out.Last) {
		return httpx.NewError(contract.CodeInvalidParameters, errors.New("after is no id"),
			httpx.Detail{Field: "after", Message: cmp.Or(word, "must be the id of an event")})
	}
	until := time.NewTimer(listenTime)
	defer until.Stop()
	again := time.NewTicker(listenPause)
	defer again.Stop()
	for {
		all, err := eventsAfter(ctx, q, condition, of, out.Last, listenCount)
		if err != nil {
			return err
		}
		for _, e := range all {
			if o.Body == nil {
				e.Body, err = o.body(ctx, q, &e)
			} else {
				e.Body, _, err = o.Body(ctx, q, e)
			}
			if err == nil {
				out.Events = append(out.Events, e.Body)
			} else if !isDeleted(err) {
				return err
			}
			out.Last = e.EventID
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
