package notify

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Target is where events go.
type Target struct {
	URL     string    // "": nowhere
	Stopped time.Time // since when nothing is sent, because it answered 410; zero: it is not stopped
}

// Target says where events go now.
func (s *Service) Target(ctx context.Context) (Target, error) {
	stopped, err := stop(ctx, s.DB.SQL, s.URL)
	return Target{URL: s.URL, Stopped: stopped}, err
}

// Also is what else belongs to the transaction of something done by hand; nil is
// nothing.
type Also func(ctx context.Context, tx *store.Tx) error

func (f Also) do(ctx context.Context, tx *store.Tx) error {
	if f == nil {
		return nil
	}
	return f(ctx, tx)
}

// Resume sends events again after the address answered 410. Those of the time
// between are sent by hand.
func (s *Service) Resume(ctx context.Context, also Also) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if ok, err := deleteStop(ctx, tx, s.URL); err != nil || !ok {
			return err
		}
		return also.do(ctx, tx)
	})
}

// Filter chooses deliveries. The zero value of a field is any.
type Filter struct {
	State         webhook.State
	ApplicationID string
	Cursor        string // as List returned it
	Limit         int    // 1 to 100
}

// Delivery is an event on its way to the app, or there.
type Delivery struct {
	ID            string
	EventID       string
	ApplicationID string
	Type          string
	Sequence      int64
	Happened      time.Time
	State         webhook.State
	Tries         int
	HTTP          int // the last answer's status; 0 is none
	Created       time.Time
	Updated       time.Time
	Resends       int64 // how often the event was sent again by hand

	// Of Delivery only:
	Attempts []Attempt
	Body     []byte // as it is sent; nil when its application was deleted
}

// Attempt is one try of a delivery.
type Attempt struct {
	At    time.Time
	HTTP  int // 0: no answer
	Took  time.Duration
	Error webhook.Class // empty where there was an answer
}

// List returns a page of deliveries, newest first, and the cursor of the next; ""
// when there is none. A malformed cursor is applications.ErrCursor.
func (s *Service) List(ctx context.Context, f Filter) ([]Delivery, string, error) {
	return deliveries(ctx, s.DB.SQL, f)
}

// Delivery returns one delivery with its attempts and its body; store.ErrNotFound
// if there is none.
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

// What can be wrong with sending an event again.
var (
	ErrOnItsWay = errors.New("notify: the event is on its way")
	ErrStopped  = errors.New("notify: there is no address, or it is stopped")
)

// Redeliver sends the event of a delivery once more, under its id and with its
// body, and returns the new delivery's id. resends is how often that was done
// before: a request that is repeated does it once, and the repetition is
// ErrOnItsWay, as is one while a delivery of the event is pending.
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

// Kept is how long an event is kept with its deliveries.
const Kept = 30 * 24 * time.Hour

// Sweep forgets the events that are older than Kept.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return forget(ctx, tx, s.Now().Add(-Kept)) })
}
