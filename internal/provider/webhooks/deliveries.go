package webhooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Functions for the dashboard.

// Callback is the destination of a customer's webhooks.
type Callback struct {
	URL      string
	Created  time.Time
	Disabled time.Time         // zero if enabled
	Statuses []contract.Status // subscribed statuses; nil for all
	Signers  []Signer          // secrets that sign now, newest first

	id string
}

// Signer describes a secret without containing it.
type Signer struct {
	ID      string
	Created time.Time
	Ends    time.Time // zero: no end
}

// Callback returns the customer's callback, or store.ErrNotFound.
func (s *Service) Callback(ctx context.Context, q store.Queryer, customerID string) (Callback, error) {
	c, err := callback(ctx, q, customerID)
	if err != nil {
		return c, err
	}
	c.Signers, err = signers(ctx, q, c.id, s.Now())
	return c, err
}

// Direct sets the URL for the customer's webhooks and enables the callback. The secret
// is returned only when the callback is created; otherwise it is empty.
func (s *Service) Direct(ctx context.Context, tx *store.Tx, customerID, url string) (secret string, err error) {
	c, err := s.Callback(ctx, tx, customerID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	secret, err = s.SetCallback(ctx, tx, customerID, url, false)
	if len(c.Signers) > 0 {
		secret = ""
	}
	return secret, err
}

// Switch enables or disables the customer's callback; changed is false if it already
// was so, or does not exist. Events during a disabled period are not delivered.
func (s *Service) Switch(ctx context.Context, tx *store.Tx, customerID string, on bool) (changed bool, err error) {
	return setDisabled(ctx, tx, customerID, !on, s.Now())
}

// Subscribe sets the statuses that the callback receives; the full list also covers
// future ones. Without a callback it returns store.ErrNotFound.
func (s *Service) Subscribe(ctx context.Context, tx *store.Tx, customerID string, statuses []contract.Status) error {
	var kept []string
	for _, known := range Subscribable() {
		if slices.Contains(statuses, known) {
			kept = append(kept, string(known))
		}
	}
	if len(kept) == 0 {
		return errors.New("webhooks: a subscription of nothing")
	}
	if len(kept) == len(Subscribable()) {
		kept = nil
	}
	ok, err := setStatuses(ctx, tx, customerID, kept)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return err
}

// Subscribable lists the statuses that webhooks are sent for: the final ones.
func Subscribable() []contract.Status {
	return slices.DeleteFunc(contract.Statuses(), func(s contract.Status) bool { return !s.Final() })
}

// Rotate replaces the secret with that id if it is the current one; the old one also
// signs for Rotation. ok is false if it was already replaced.
func (s *Service) Rotate(ctx context.Context, tx *store.Tx, customerID, secretID string) (secret string, ok bool, err error) {
	c, err := callback(ctx, tx, customerID)
	if err != nil {
		return "", false, err
	}
	if ok, err = retire(ctx, tx, c.id, secretID, s.Now().Add(Rotation)); err != nil || !ok {
		return "", false, err
	}
	secret = webhook.NewSecret()
	return secret, true, s.addSecret(ctx, tx, c.id, secret)
}

// Filter selects deliveries. The zero value of a field matches all.
type Filter struct {
	State       string
	PublicToken string
	Before      store.Cursor // of Created and ID; selects older ones
	Limit       int
}

// Delivery is the delivery of an event to the callback, pending or finished.
type Delivery struct {
	ID          string
	EventID     string
	PublicToken string
	Status      contract.Status
	Substatus   contract.Substatus
	Happened    time.Time // when the status changed
	State       string    // pending, delivered, disabled or given up
	Tries       int
	HTTP        int // status of the last response; 0 for none
	Created     time.Time
	Updated     time.Time
	Resends     int64 // how often the event was sent again by hand

	// Set by Delivery only:
	Attempts []Attempt
	Body     []byte // as sent; nil before the first attempt
	Shredded bool   // it was sent, but its key is deleted
}

// Attempt is one try of a delivery.
type Attempt struct {
	At    time.Time
	HTTP  int // 0: no answer
	Took  time.Duration
	Error webhook.Class // empty if there was a response
}

// Deliveries lists the customer's deliveries, newest first.
func (s *Service) Deliveries(ctx context.Context, q store.Queryer, customerID string, f Filter) ([]Delivery, error) {
	return deliveries(ctx, q, customerID, f)
}

// Delivery returns a delivery of the customer with its attempts and body, or
// store.ErrNotFound.
func (s *Service) Delivery(ctx context.Context, q store.Queryer, customerID, id string) (Delivery, error) {
	d, sealed, err := deliveryOf(ctx, q, customerID, id)
	if err != nil {
		return d, err
	}
	if d.Attempts, err = attemptsOf(ctx, q, id); err != nil || sealed == nil {
		return d, err
	}
	d.Body, err = s.opened(ctx, q, d, sealed)
	if errors.Is(err, store.ErrShredded) || errors.Is(err, store.ErrNotFound) {
		d.Shredded, err = true, nil
	}
	return d, err
}

func (s *Service) opened(ctx context.Context, q store.Queryer, d Delivery, sealed []byte) ([]byte, error) {
	r, _, err := s.report(ctx, q, d.PublicToken)
	if err != nil {
		return nil, err
	}
	return s.DB.Vault.Open(ctx, q, r.KeyID, bodyCell(d.ID), sealed)
}

// Errors of Redeliver.
var (
	ErrOnItsWay   = errors.New("webhooks: the event is being delivered")
	ErrNoCallback = errors.New("webhooks: the customer has no callback that is on")
)

// Redeliver sends the event of a delivery once more, with the same id and body.
// resends is the number of earlier resends: a repeated request resends once, and its
// repetition is ErrOnItsWay, as is a request while a delivery of the event is pending.
func (s *Service) Redeliver(ctx context.Context, tx *store.Tx, customerID, deliveryID string, resends int64) (id string, err error) {
	old, sealed, err := deliveryOf(ctx, tx, customerID, deliveryID)
	if err != nil {
		return "", err
	}
	callbackID, err := activeCallback(ctx, tx, customerID)
	if errors.Is(err, store.ErrNotFound) {
		return "", ErrNoCallback
	}
	if err != nil {
		return "", err
	}
	ok, err := resend(ctx, tx, old.EventID, resends)
	if err != nil {
		return "", err
	}
	busy, err := onItsWay(ctx, tx, old.EventID)
	if err != nil {
		return "", err
	}
	if !ok || busy {
		return "", ErrOnItsWay
	}
	d := delivery{id: uuid.NewString(), callbackID: callbackID, state: webhook.StatePending, created: s.Now(), event: event{id: old.EventID}}
	if sealed != nil {
		if d.body, err = s.again(ctx, tx, old, sealed, d.id); err != nil {
			return "", err
		}
	}
	return d.id, s.enqueue(ctx, tx, d, 0)
}

// again encrypts the body of one delivery for another.
func (s *Service) again(ctx context.Context, tx *store.Tx, old Delivery, sealed []byte, id string) ([]byte, error) {
	plain, err := s.opened(ctx, tx, old, sealed)
	if errors.Is(err, store.ErrShredded) || errors.Is(err, store.ErrNotFound) {
		return nil, nil // the attempt reports the error
	}
	if err != nil {
		return nil, err
	}
	r, _, err := s.report(ctx, tx, old.PublicToken)
	if err != nil {
		return nil, err
	}
	return s.DB.Vault.Seal(ctx, tx, r.KeyID, bodyCell(id), plain)
}

// DeliveryCounts counts the customer's deliveries since an instant by state.
func (s *Service) DeliveryCounts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[string]int, error) {
	return deliveryCounts(ctx, q, customerID, since)
}

// Change is an event: a status that a report reached.
type Change struct {
	At        time.Time
	Status    contract.Status
	Substatus contract.Substatus
}

// Changes lists the events of a report of the customer, the oldest first.
func (s *Service) Changes(ctx context.Context, q store.Queryer, customerID, publicToken string) ([]Change, error) {
	all, err := eventsOf(ctx, q, publicToken)
	var out []Change
	for _, e := range all {
		if e.customerID == customerID {
			out = append(out, Change{At: e.created, Status: e.status, Substatus: e.sub})
		}
	}
	return out, err
}
