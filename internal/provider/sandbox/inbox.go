package sandbox

import (
	"encoding/json"
	"errors"
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/report"
	"vestibule/internal/webhook"
)

// inboxSize is the maximum number of events in the inbox.
const inboxSize = 100

// received is an event of the inbox.
type received struct {
	At    report.Timestamp `json:"receivedAt"`
	Times int              `json:"times"`
	Event json.RawMessage  `json:"event"`
}

// inbox answers with the webhooks that the third party has received, newest first.
func (c *Control) inbox(w http.ResponseWriter, r *http.Request) error {
	all, err := inboxEvents(r.Context(), c.DB.SQL)
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, all)
}

// receive accepts a webhook for the third party. It rejects one without a valid
// signature.
func (c *Control) receive(w http.ResponseWriter, r *http.Request) error {
	e, err := c.Receive(r)
	if errors.Is(err, webhook.ErrOtherType) {
		return httpx.NoContent(w)
	}
	if err != nil {
		return httpx.NewError(webhook.Code(err), err)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := putInbox(r.Context(), c.DB.SQL, e.EventID, raw, c.Clock.Now()); err != nil {
		return err
	}
	return httpx.NoContent(w)
}
