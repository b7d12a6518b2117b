// Package webhooks sends the visit webhook: one event for each change of a report's
// status, written in the transaction that changes it and delivered to the customer's
// callback by a job (docs/how-to/webhooks.md; docs/divergences.md, "visit webhook").
//
// The outbox of package webhook delivers the events; a response of 410 disables the
// callback. A body is composed at the first attempt and stored, encrypted under the
// report's key. Callbacks must have public addresses, unless the provider is a sandbox
// on loopback.
package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// MaxAge is how long an event is kept with its deliveries and the body that was sent:
// as long as a report can be read.
const MaxAge = 90 * 24 * time.Hour

// Service records and delivers webhooks. Create it with New.
type Service struct {
	DB        *store.DB
	Queue     jobs.Enqueuer
	Sender    webhook.Deliverer
	Reports   *reports.Service
	Customers *customers.Service
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock

	// Shared returns the report that a sharing token names and the third party that holds
	// it, or store.ErrNotFound; nil without sharing.
	Shared func(ctx context.Context, q store.Queryer, relayToken string) (publicToken, thirdPartyID string, err error)

	Outbox *webhook.Outbox
}

// New completes a service whose exported fields are set. Shared may be set later.
func New(s Service) *Service {
	s.Outbox = &webhook.Outbox{DB: s.DB, Queue: s.Queue, Sender: s.Sender, Log: s.Log, Now: s.Now,
		MaxAge: MaxAge, Job: job,
		Target: s.target, Gone: disableCallback, Key: s.key, Body: s.body}
	return &s
}

// deliver is the job of one delivery.
type deliver struct {
	DeliveryID string `json:"deliveryId"`
}

// Kind names the job.
func (deliver) Kind() string { return "events.deliver" }

// deliverFurther is the job of one delivery to a further endpoint. It has a kind of its own,
// because replicas of earlier versions would send to the first endpoint.
type deliverFurther struct{ deliver }

// Kind names the job.
func (deliverFurther) Kind() string { return "events.deliver-further" }

func job(id string, to webhook.Endpoint) jobs.Args {
	if to.FurtherID != "" {
		return deliverFurther{deliver{id}}
	}
	return deliver{id}
}

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	discarded := func(ctx context.Context, a deliver) error { return s.Outbox.Discarded(ctx, a.DeliveryID) }
	jobs.Register(r, s.deliver, jobs.In(jobs.Webhooks), jobs.Timeout(40*time.Second), jobs.OnDiscard(discarded))
	jobs.Register(r, func(ctx context.Context, j jobs.Job, a deliverFurther) error { return s.deliver(ctx, j, a.deliver) },
		jobs.In(jobs.Webhooks), jobs.Timeout(40*time.Second),
		jobs.OnDiscard(func(ctx context.Context, a deliverFurther) error { return discarded(ctx, a.deliver) }))
	jobs.Register(r, s.redeliverFailed, jobs.Timeout(10*time.Minute))
}

func (s *Service) deliver(ctx context.Context, _ jobs.Job, args deliver) error {
	return s.Outbox.Deliver(ctx, args.DeliveryID)
}

// event is a row of events.
type event struct {
	id          string
	customerID  string
	publicToken string
	status      contract.Status
	substatus   contract.Substatus
	created     time.Time
}

// Record writes the event of each status change and sends it to the customer's endpoints that
// subscribe to that status. A child account without endpoints has its parent's.
func (s *Service) Record(ctx context.Context, tx *store.Tx, changes ...reports.StatusChange) error {
	for some := range slices.Chunk(changes, 16) { // one statement each
		var all []event
		for _, c := range some {
			all = append(all, event{id: webhook.NewEventID(), customerID: c.CustomerID, publicToken: c.PublicToken,
				status: c.Status, substatus: c.Substatus, created: tx.Now})
		}
		to, err := insertEvents(ctx, tx, all)
		if err != nil {
			return err
		}
		for _, e := range all {
			for _, endpoint := range to[e.id] {
				if err := s.Outbox.Send(ctx, tx, e.id, endpoint, 0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// target returns the callback of a delivery and the secrets that sign now.
func (s *Service) target(ctx context.Context, q store.Queryer, d webhook.Delivery) (t webhook.Target, err error) {
	if t, err = addressee(ctx, q, d); err != nil || t.Off {
		return t, err
	}
	all, err := s.plain(ctx, q, d.Endpoint)
	if err != nil {
		return t, err
	}
	t.Once = d.Type == webhook.TypeTest
	if t.Secrets, err = webhook.ParseSecrets(all); err != nil {
		return t, fmt.Errorf("webhooks: secret: %w", err)
	}
	return t, nil
}

// key returns the data key of the report that an event names; a test names none.
func (s *Service) key(ctx context.Context, q store.Queryer, token string) (string, error) {
	if token == "" {
		return store.SystemKey, nil
	}
	r, _, err := s.report(ctx, q, token)
	return r.KeyID, err
}

func (s *Service) body(ctx context.Context, q store.Queryer, d webhook.Delivery) (body []byte, key string, err error) {
	if d.Type == webhook.TypeTest {
		body, err = s.testBody(ctx, q, d)
		return body, store.SystemKey, err
	}
	r, thirdPartyID, err := s.report(ctx, q, d.Subject)
	if err != nil {
		return nil, "", err
	}
	e, err := s.labels(ctx, q, r, thirdPartyID)
	if err != nil {
		return nil, "", err
	}
	e.EventID, e.Type, e.CreatedAt, e.PublicToken = d.EventID, webhook.TypeVisit, d.Happened, d.Subject
	e.Status, e.Substatus = contract.Status(d.Type), contract.Substatus(d.Detail)
	body, err = json.Marshal(e)
	return body, r.KeyID, err
}

// report returns the report that an event names and, if it names it by a sharing
// token, the third party that holds the token.
func (s *Service) report(ctx context.Context, q store.Queryer, token string) (r reports.Report, thirdPartyID string, err error) {
	r, err = s.Reports.Get(ctx, q, token)
	if !errors.Is(err, store.ErrNotFound) || s.Shared == nil {
		return r, "", err
	}
	publicToken, thirdPartyID, err := s.Shared(ctx, q, token)
	if err != nil {
		return r, "", err
	}
	r, err = s.Reports.Get(ctx, q, publicToken)
	return r, thirdPartyID, err
}

// labels returns the recipient's identifiers of the report. A third party receives its
// own publicId and none of the owner's labels.
func (s *Service) labels(ctx context.Context, q store.Queryer, r reports.Report, thirdPartyID string) (webhook.Event, error) {
	if thirdPartyID != "" {
		a, err := s.Customers.ByID(ctx, q, thirdPartyID)
		return webhook.Event{Environment: a.Environment, PublicID: a.PublicID, ProductID: r.ProductID}, err
	}
	a, err := s.Customers.ByID(ctx, q, r.CustomerID)
	return webhook.Event{Environment: a.Environment, PublicID: a.PublicID, ProductID: r.ProductID,
		ExternalID: r.ExternalID, UserArgs: r.UserArgs, ConsumerID: r.ConsumerID}, err
}

// Sweep deletes events over MaxAge and secrets that no longer sign.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.Outbox.Sweep(ctx); err != nil {
		return err
	}
	return s.DB.Sweep(ctx, 100, deleteExpired("callback_secrets"), deleteExpired("further_callback_secrets"))
}
