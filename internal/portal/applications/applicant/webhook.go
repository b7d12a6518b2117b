package applicant

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/webhook"
)

// visitWebhook handles a visit webhook. It acknowledges the webhook after storing its
// content; a webhook for an unknown application, or about another account, such as a child of
// the portal's, is acknowledged and dropped.
func (s *Handler) visitWebhook(w http.ResponseWriter, r *http.Request) error {
	raw, err := httpx.ReadBody(w, r, webhook.MaxBody)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	e, err := s.Webhooks.Receive(r)
	if errors.Is(err, webhook.ErrOtherType) {
		return httpx.NoContent(w)
	}
	if err != nil {
		if code := webhook.Code(err); code != "" {
			return httpx.NewError(code, err)
		}
		return err
	}
	if e.Environment != "" && e.Environment != s.Service.Environment {
		return httpx.NewError(contract.CodeUnknownCustomer, errors.New("webhook of another environment"))
	}
	if e.PublicID != "" && e.PublicID != s.PublicID {
		s.Service.Log.InfoContext(r.Context(), "webhook about another account", "requestId", httpx.RequestID(r.Context()))
		return httpx.NoContent(w)
	}
	known, err := s.Service.ReceiveWebhook(r.Context(), e)
	if err != nil {
		return err
	}
	if !known {
		s.Service.Log.InfoContext(r.Context(), "webhook for an unknown attempt", "requestId", httpx.RequestID(r.Context()))
	}
	return httpx.NoContent(w)
}
