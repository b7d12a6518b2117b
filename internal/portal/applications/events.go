package applications

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/webhook"

	"vestibule/internal/store"
)

// maxLines bounds the timeline entries that browsers can cause; callbacks beyond it
// are ignored.
const maxLines = 500

// hookBody is the body of a widget callback (docs/widget.md). Status and errorType
// are kept only if the API defines them.
type hookBody struct {
	EventID     string `json:"eventId"`
	Type        string `json:"type"` // onOpen, onSuccess, onExit, onError
	Attempt     int    `json:"attempt"`
	Resumable   bool   `json:"resumable"` // onOpen: a reloaded page resumes the visit
	PublicToken string `json:"publicToken"`
	Status      string `json:"status"`
	ErrorType   string `json:"errorType"`
}

var callbackKinds = map[string]journey.Kind{"onSuccess": journey.CallbackSuccess, "onExit": journey.CallbackExit, "onError": journey.CallbackError}

// hook handles a widget callback. It neither trusts nor stores what the callback says
// about a report.
func (s *Handler) hook(w http.ResponseWriter, r *http.Request) error {
	a, v, err := s.Authorize(w, r)
	if err != nil {
		return err
	}
	var b hookBody
	if err := httpx.DecodeJSON(w, r, 8<<10, &b); err != nil {
		return err
	}
	kind, hint := callbackKinds[b.Type]
	if !hint && b.Type != "onOpen" || !eventID(b.EventID) || b.Attempt < 1 || b.Attempt > a.Journey.Attempt {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("not a hook of this application"))
	}
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if !hint {
			if !b.Resumable {
				return spend(ctx, tx, a.ID, b.Attempt)
			}
			return s.Service.MarkOpened(ctx, tx, a.ID, b.Attempt, v)
		}
		if kind == journey.CallbackError {
			// A new page load gets another token; only that can help.
			if err := spend(ctx, tx, a.ID, b.Attempt); err != nil {
				return err
			}
		}
		if a.Version > maxLines {
			return nil
		}
		in := journey.Input{Kind: kind, Attempt: b.Attempt, EventID: b.EventID, At: s.Service.now().Unix()}
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
	s.Service.hub.nudge(a.ID)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func eventID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// announced handles a visit webhook. It acknowledges the webhook after storing its
// content; a webhook for an unknown application is acknowledged and dropped.
func (s *Handler) announced(w http.ResponseWriter, r *http.Request) error {
	raw, err := httpx.ReadBody(w, r, webhook.MaxBody)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	e, err := s.Webhooks.Receive(r)
	if errors.Is(err, webhook.ErrOtherType) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		if code := webhook.Code(err); code != "" {
			return httpx.NewError(code, err)
		}
		return err
	}
	if e.PublicID != "" && e.PublicID != s.PublicID || e.Environment != "" && e.Environment != s.Service.Environment {
		return httpx.NewError(contract.CodeUnknownCustomer, errors.New("webhook of another account or environment"))
	}
	known := false
	var id string
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		var err error
		id, known, err = s.Service.HandleWebhook(ctx, tx, e)
		return err
	})
	if err != nil {
		return err
	}
	if !known {
		s.Service.Log.InfoContext(r.Context(), "webhook about no attempt of ours", "requestId", httpx.RequestID(r.Context()))
	}
	s.Service.hub.nudge(id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
