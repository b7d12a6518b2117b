package webhooks

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Listen answers with the events of a sandbox's caller, and of its child accounts without a callback.
func (s *Service) Listen(w http.ResponseWriter, r *http.Request) error {
	caller := auth.CallerOf(r.Context())
	return s.Outbox.Listen(w, r, caller.Environment, ofCustomer, caller.CustomerID)
}

// Deliveries lists the deliveries to an endpoint of the customer, or to all with an empty id;
// f.Endpoint is set here. Their subjects are reports, and their types and details the statuses
// and substatuses.
func (s *Service) Deliveries(ctx context.Context, q store.Queryer, customerID, id string, f webhook.Filter) ([]webhook.Delivery, error) {
	var err error
	if f.Endpoint, err = endpointOf(ctx, q, customerID, id); err != nil || f.CallbackID == "" {
		return nil, err
	}
	return s.Outbox.List(ctx, q, f)
}

// Delivery returns a delivery of the customer with its attempts and body, or
// store.ErrNotFound.
func (s *Service) Delivery(ctx context.Context, q store.Queryer, customerID, id string) (webhook.Delivery, error) {
	of, err := endpointOf(ctx, q, customerID, "")
	if err != nil {
		return webhook.Delivery{}, err
	}
	return s.Outbox.Get(ctx, q, of.CallbackID, id)
}

// Redeliver sends the event of a delivery again, as webhook.Outbox.Redeliver does.
func (s *Service) Redeliver(ctx context.Context, tx *store.Tx, customerID, deliveryID string, resends int64) (id string, err error) {
	of, err := endpointOf(ctx, tx, customerID, "")
	if err != nil {
		return "", err
	}
	return s.Outbox.Redeliver(ctx, tx, of.CallbackID, deliveryID, resends)
}

// redeliverFailed is the job that sends the failed events of a time again.
type redeliverFailed struct {
	CallbackID string    `json:"callbackId"`
	FurtherID  string    `json:"furtherId,omitempty"`
	Since      time.Time `json:"since"`
	Until      time.Time `json:"until"`
}

// Kind names the job.
func (redeliverFailed) Kind() string { return "events.redeliver-failed" }

// HasFailed reports whether RedeliverFailed would send events.
func (s *Service) HasFailed(ctx context.Context, q store.Queryer, customerID, id string, since time.Time) (bool, error) {
	all, err := s.Deliveries(ctx, q, customerID, id, webhook.Filter{Since: since, Failed: true, Unresolved: true, Limit: 1})
	return len(all) > 0, err
}

// RedeliverFailed sends all events again to an endpoint, by a job, whose deliveries since an
// instant failed and that were not delivered in the meantime. If the endpoint is turned off the
// error is webhook.ErrStopped.
func (s *Service) RedeliverFailed(ctx context.Context, tx *store.Tx, c webhook.Callback, since time.Time) error {
	if !c.Disabled.IsZero() {
		return webhook.ErrStopped
	}
	return s.Queue.Enqueue(ctx, tx, redeliverFailed{CallbackID: c.CallbackID, FurtherID: c.FurtherID, Since: since, Until: tx.Now})
}

func (s *Service) redeliverFailed(ctx context.Context, _ jobs.Job, args redeliverFailed) error {
	f := webhook.Filter{Endpoint: webhook.Endpoint{CallbackID: args.CallbackID, FurtherID: args.FurtherID},
		Since: args.Since, Until: args.Until, Limit: 50}
	for n := f.Limit; n > 0; {
		err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			n, err = s.Outbox.RedeliverFailed(ctx, tx, f)
			return err
		})
		if errors.Is(err, webhook.ErrStopped) { // turned off in the meantime
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Counts counts the deliveries that were created in a window to an endpoint of the customer, or
// to all with an empty id.
func (s *Service) Counts(ctx context.Context, q store.Queryer, customerID, id string, w webhook.Window) ([]webhook.Count, error) {
	of, err := endpointOf(ctx, q, customerID, id)
	if err != nil || of.CallbackID == "" {
		return nil, err
	}
	return s.Outbox.Counts(ctx, q, of, w)
}

// Health returns the health of an endpoint since each of some instants, and when the next retry
// is due; zero for none.
func (s *Service) Health(ctx context.Context, q store.Queryer, c webhook.Callback, since ...time.Time) (
	[]webhook.Health, time.Time, error) {
	all, err := s.Outbox.Health(ctx, q, c.Endpoint, since...)
	if err != nil {
		return nil, time.Time{}, err
	}
	next, err := s.Outbox.NextRetry(ctx, q, c.Endpoint)
	return all, next, err
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
			out = append(out, Change{At: e.created, Status: e.status, Substatus: e.substatus})
		}
	}
	return out, err
}

// FireOptions configures how Fire resends a report's events.
type FireOptions struct {
	Times   int           // how often each is sent; 0 is once
	Delay   time.Duration // before the first
	Reorder bool          // the newest first
}

// fireInterval is the wait between deliveries of one Fire, which keeps their order
// although jobs run concurrently.
const fireInterval = 300 * time.Millisecond

// Fire resends all events of a report under their ids, for tests of receivers. For a
// report without events it creates one with the current status. It returns the number
// of deliveries, or store.ErrNotFound.
func (s *Service) Fire(ctx context.Context, customerID, publicToken string, o FireOptions, status contract.Status,
	substatus contract.Substatus) (n int, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n = 0
		all, err := eventsOf(ctx, tx, publicToken)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			all = []event{{id: webhook.NewEventID(), customerID: customerID, publicToken: publicToken, status: status, substatus: substatus,
				created: tx.Now}}
			if _, err := insertEvents(ctx, tx, all); err != nil {
				return err
			}
		}
		if o.Reorder {
			slices.Reverse(all)
		}
		to, err := receivers(ctx, tx, customerID)
		if err != nil || len(to) == 0 {
			return errors.Join(errors.New("webhooks: the customer has no callback"), err, store.ErrNotFound)
		}
		for range max(o.Times, 1) {
			for _, e := range all {
				for _, endpoint := range to {
					if err := s.Outbox.Send(ctx, tx, e.id, endpoint, o.Delay+time.Duration(n)*fireInterval); err != nil {
						return err
					}
					n++
				}
			}
		}
		return nil
	})
	return n, err
}
