package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// MaxTests is how many test events a customer can send within an hour.
const MaxTests = 10

// ErrTooManyTests is returned by SendTest after MaxTests.
var ErrTooManyTests = errors.New("webhooks: too many test events within an hour")

// SendTest sends an event of type TEST to an endpoint of the customer, whatever it subscribes to,
// and returns the event's id. It is attempted once. If the endpoint is turned off the error is
// webhook.ErrStopped.
func (s *Service) SendTest(ctx context.Context, tx *store.Tx, customerID string, c webhook.Callback) (eventID string, err error) {
	if !c.Disabled.IsZero() {
		return "", webhook.ErrStopped
	}
	n, err := countTests(ctx, tx, customerID, tx.Now.Add(-time.Hour))
	if err == nil && n >= MaxTests {
		err = ErrTooManyTests
	}
	if err != nil {
		return "", err
	}
	e := event{id: webhook.NewEventID(), customerID: customerID, status: webhook.TypeTest, created: tx.Now}
	if _, err := insertEvents(ctx, tx, []event{e}); err != nil {
		return "", err
	}
	return e.id, s.Outbox.Send(ctx, tx, e.id, c.Endpoint, 0)
}

// testBody composes the body of a test event, which is about no report.
func (s *Service) testBody(ctx context.Context, q store.Queryer, d webhook.Delivery) ([]byte, error) {
	publicID, err := accountOf(ctx, q, d.EventID)
	if err != nil {
		return nil, err
	}
	a, err := s.Customers.Account(ctx, q, publicID)
	if err != nil {
		return nil, err
	}
	return json.Marshal(webhook.Event{EventID: d.EventID, Type: webhook.TypeTest, CreatedAt: d.Happened,
		Environment: a.Environment, PublicID: a.PublicID})
}
