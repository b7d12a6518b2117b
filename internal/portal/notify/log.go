package notify

import (
	"context"
	"errors"
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
	stopped, err := stop(ctx, s.DB.SQL, s.URL)
	return Target{URL: s.URL, Stopped: stopped}, err
}

// Also is a callback that runs in the transaction of a manual action; may be nil.
type Also func(ctx context.Context, tx *store.Tx) error

func (f Also) do(ctx context.Context, tx *store.Tx) error {
	if f == nil {
		return nil
	}
	return f(ctx, tx)
}

// Resume resumes sending events after the receiver answered 410. Events of the time
// between are sent only by Redeliver.
func (s *Service) Resume(ctx context.Context, also Also) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if ok, err := deleteStop(ctx, tx, s.URL); err != nil || !ok {
			return err
		}
		return also.do(ctx, tx)
	})
}

// Filter selects deliveries. The zero value of a field matches all.
type Filter struct {
	State         webhook.State
	ApplicationID string
	Cursor        string // as returned by List
	Limit         int    // 1 to 100
}

// Delivery is a delivery of an event to the app.
type Delivery struct {
	ID            string
	EventID       string
	ApplicationID string
	Type          string
	Sequence      int64
	Happened      time.Time
	State         webhook.State
	Tries         int
	HTTP          int // status of the last response; 0 if there was none
	Created       time.Time
	Updated       time.Time
	Resends       int64 // number of manual resends of the event

	// Set by Service.Delivery only:
	Attempts []Attempt
	Body     []byte // as sent; nil if its application was deleted
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	At    time.Time
	HTTP  int // 0: no response
	Took  time.Duration
	Error webhook.Class // empty if there was a response
}

// List returns a page of deliveries, newest first, and the cursor of the next page,
// or "" after the last. It returns applications.ErrCursor for a malformed cursor.
func (s *Service) List(ctx context.Context, f Filter) ([]Delivery, string, error) {
	return deliveries(ctx, s.DB.SQL, f)
}

// Delivery returns a delivery with its attempts and its body, or store.ErrNotFound.
func (s *Service) Delivery(ctx context.Context, id string) (d Delivery, err error) {
	err = s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		var sealed []byte
		if d, sealed, err = deliveryOf(ctx, tx, id); err != nil {
			return err
		}
		if d.Attempts, err = attemptsOf(ctx, tx, id); err != nil {
			return err
		}
		d.Body, err = s.open(ctx, tx, event{id: d.EventID, applicationID: d.ApplicationID, body: sealed})
		if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
			d.Body, err = nil, nil
		}
		return err
	})
	return d, err
}

// Errors of Redeliver.
var (
	ErrOnItsWay = errors.New("notify: the event is on its way")
	ErrStopped  = errors.New("notify: there is no address, or it is stopped")
)

// Redeliver sends the event of a delivery again, with its ID and body, and returns
// the new delivery's ID. resends is the number of earlier resends: it makes Redeliver
// idempotent, with ErrOnItsWay for repetitions. Redeliver also returns ErrOnItsWay
// while a delivery of the event is pending.
func (s *Service) Redeliver(ctx context.Context, deliveryID string, resends int64, also Also) (id string, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		old, _, err := deliveryOf(ctx, tx, deliveryID)
		if err != nil {
			return err
		}
		stopped, err := stop(ctx, tx, s.URL)
		if err != nil {
			return err
		}
		if s.URL == "" || !stopped.IsZero() {
			return ErrStopped
		}
		ok, err := resend(ctx, tx, old.EventID, resends)
		if err != nil {
			return err
		}
		busy, err := onItsWay(ctx, tx, old.EventID)
		if err != nil {
			return err
		}
		if !ok || busy {
			return ErrOnItsWay
		}
		if id, err = s.send(ctx, tx, old.EventID, webhook.StatePending); err != nil {
			return err
		}
		return also.do(ctx, tx)
	})
	return id, err
}

// Kept is how long events and their deliveries are kept.
const Kept = 30 * 24 * time.Hour

// Sweep deletes events older than Kept.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return forget(ctx, tx, s.Now().Add(-Kept)) })
}
