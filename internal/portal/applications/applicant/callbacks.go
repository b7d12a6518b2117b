package applicant

import (
	"context"
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// maxTimeline bounds the timeline entries that browsers can cause; callbacks beyond it
// are ignored.
const maxTimeline = 500

// callbackBody is the body of a widget callback (docs/reference/widget.md). Status and
// errorType are ignored unless the API defines their values.
type callbackBody struct {
	EventID     string `json:"eventId"`
	Type        string `json:"type"` // onOpen, onSuccess, onExit, onError
	Attempt     int    `json:"attempt"`
	Resumable   bool   `json:"resumable"` // onOpen: a reloaded page resumes the visit
	PublicToken string `json:"publicToken"`
	Status      string `json:"status"`
	ErrorType   string `json:"errorType"`
}

var callbackKinds = map[string]journey.Kind{"onSuccess": journey.CallbackSuccess,
	"onExit": journey.CallbackExit, "onError": journey.CallbackError}

// callback handles a widget callback. It neither trusts nor stores what the callback says
// about a report.
func (s *Handler) callback(w http.ResponseWriter, r *http.Request) error {
	a, v, err := s.Authorize(w, r)
	if err != nil {
		return err
	}
	var b callbackBody
	if err := httpx.DecodeJSON(w, r, 8<<10, &b); err != nil {
		return err
	}
	kind, hint := callbackKinds[b.Type]
	if !hint && b.Type != "onOpen" || !isEventID(b.EventID) || b.Attempt < 1 || b.Attempt > a.Journey.Attempt {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("not a callback of this application"))
	}
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if !hint {
			if !b.Resumable {
				return s.Service.UseToken(ctx, tx, a.ID, b.Attempt)
			}
			return s.Service.MarkOpened(ctx, tx, a.ID, b.Attempt, v.Holder)
		}
		if kind == journey.CallbackError {
			// A new page load gets another token; only that can help.
			if err := s.Service.UseToken(ctx, tx, a.ID, b.Attempt); err != nil {
				return err
			}
		}
		if a.Version > maxTimeline {
			return nil
		}
		in := journey.Input{Kind: kind, Attempt: b.Attempt, EventID: b.EventID}
		if status := contract.Status(b.Status); status.Valid() {
			in.Status = status
		}
		if e := contract.WidgetError(b.ErrorType); e.Valid() {
			in.Error = e
		} else if kind == journey.CallbackError {
			in.Error = contract.WidgetInternalError
		}
		_, err := s.Service.Advance(ctx, tx, a.ID, in)
		return err
	})
	if err != nil {
		return err
	}
	s.Service.Wake(a.ID)
	w.Header().Set("Cache-Control", "no-store")
	return httpx.NoContent(w)
}

func isEventID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
