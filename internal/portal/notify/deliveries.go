package notify

import (
	"context"
	"net/http"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Target is the receiver of events.
type Target struct {
	URL     string    // "": no receiver is configured
	Stopped time.Time // when sending stopped because the receiver answered 410; zero if it has not
}

// Target returns the current receiver of events.
func (s *Service) Target(ctx context.Context) (Target, error) {
	stopped, err := stoppedAt(ctx, s.DB.SQL, s.URL)
	return Target{URL: s.URL, Stopped: stopped}, err
}

// List returns a page of deliveries, newest first, and the cursor of the next page,
// or "" after the last. An empty cursor is the first page. It returns store.ErrCursor for a
// malformed cursor. A delivery's subject is the application.
func (s *Service) List(ctx context.Context, f webhook.Filter, cursor string) (page []webhook.Delivery, next string, err error) {
	if f.Before, err = store.ParseCursor(cursor); err != nil {
		return nil, "", err
	}
	size := f.Limit
	f.Limit++ // one more tells whether there is another page
	page, err = s.Outbox.List(ctx, s.DB.SQL, f)
	if err != nil || len(page) <= size {
		return page, "", err
	}
	last := page[size-1]
	return page[:size], store.Cursor{At: last.Created, ID: last.ID}.String(), nil
}

// Health returns the health of the receiver since each of some instants, and when the next
// retry is due; zero for none.
func (s *Service) Health(ctx context.Context, since ...time.Time) ([]webhook.Health, time.Time, error) {
	all, err := s.Outbox.Health(ctx, s.DB.SQL, webhook.Endpoint{}, since...)
	if err != nil {
		return nil, time.Time{}, err
	}
	next, err := s.Outbox.NextRetry(ctx, s.DB.SQL, webhook.Endpoint{})
	return all, next, err
}

// Delivery returns a delivery with its attempts and its body, or store.ErrNotFound.
func (s *Service) Delivery(ctx context.Context, id string) (webhook.Delivery, error) {
	return store.Value(ctx, s.DB.Read, func(ctx context.Context, tx *store.Tx) (webhook.Delivery, error) {
		return s.Outbox.Get(ctx, tx, "", id)
	})
}

// Redeliver sends the event of a delivery again, as webhook.Outbox.Redeliver does.
func (s *Service) Redeliver(ctx context.Context, tx *store.Tx, deliveryID string, resends int64) (id string, err error) {
	return s.Outbox.Redeliver(ctx, tx, "", deliveryID, resends)
}

// Listen answers with the events of a sandbox.
func (s *Service) Listen(w http.ResponseWriter, r *http.Request) error {
	return s.Outbox.Listen(w, r, s.Environment, "e.subject_id <> $1", "")
}
