// Package webhooks sends the visit webhook: one event for each change of a report's
// status, written in the transaction that changes it and delivered to the customer's
// callback by a job (docs/webhooks.md; docs/divergences.md, "visit webhook").
//
// An event keeps its id over all deliveries. A 2xx response completes the delivery and
// 410 disables the callback; everything else, including redirects, is retried with
// growing, jittered waits for 72 hours. Callbacks must have public addresses, unless
// the provider is a sandbox on loopback. Bodies and URLs are never logged.
package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Rotation is how long a replaced secret signs together with its successor.
const Rotation = 24 * time.Hour

// MaxAge is how long an event is kept with its deliveries and the body that was sent:
// as long as a report can be read.
const MaxAge = 90 * 24 * time.Hour

// Service records and delivers webhooks.
type Service struct {
	DB        *store.DB
	Queue     jobs.Enqueuer
	Sender    Sender
	Reports   *reports.Service
	Customers *customers.Service
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock

	// Shared returns the report that a sharing token names and the third party that holds
	// it, or store.ErrNotFound; nil without sharing.
	Shared func(ctx context.Context, q store.Queryer, relayToken string) (publicToken, thirdPartyID string, err error)
}

// Sender signs a body and posts it once. *webhook.Sender implements it.
type Sender interface {
	CheckURL(raw string) error
	Deliver(ctx context.Context, url string, secrets []webhook.Secret, id string, body []byte) webhook.Result
}

// deliver is the job of one delivery.
type deliver struct {
	DeliveryID string `json:"deliveryId"`
}

// Kind names the job.
func (deliver) Kind() string { return "events.deliver" }

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, s.deliver, jobs.Timeout(40*time.Second))
}

// event is a row of the outbox.
type event struct {
	id          string
	customerID  string
	publicToken string
	status      contract.Status
	sub         contract.Substatus
	created     time.Time
}

// delivery is the delivery of an event to a callback.
type delivery struct {
	id         string
	callbackID string
	url        string
	disabled   bool
	state      webhook.State
	attempts   int
	created    time.Time
	event      event
	body       []byte // encrypted; nil before the first attempt
}

// Record writes the event of each status change and enqueues its delivery if the
// customer's callback subscribes to that status.
func (s *Service) Record(ctx context.Context, tx *store.Tx, changes ...reports.StatusChange) error {
	for some := range slices.Chunk(changes, 16) { // one statement each
		var all []event
		for _, c := range some {
			all = append(all, event{id: newID(), customerID: c.CustomerID, publicToken: c.PublicToken,
				status: c.Status, sub: c.Substatus, created: s.Now().UTC()})
		}
		told, err := insertEvents(ctx, tx, all)
		if err != nil {
			return err
		}
		for _, e := range all {
			if callbackID := told[e.id]; callbackID != "" {
				if err := s.sendTo(ctx, tx, e, callbackID, 0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// newID returns the id of an event. Ids are ordered by time, so that an index grows at
// its end.
func newID() string { return "evt_" + uuid.Must(uuid.NewV7()).String() }

// send creates a delivery of the event, after a delay, if the customer has a callback.
func (s *Service) send(ctx context.Context, tx *store.Tx, e event, delay time.Duration) error {
	callbackID, err := activeCallback(ctx, tx, e.customerID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.sendTo(ctx, tx, e, callbackID, delay)
}

func (s *Service) sendTo(ctx context.Context, tx *store.Tx, e event, callbackID string, delay time.Duration) error {
	d := delivery{id: uuid.NewString(), callbackID: callbackID, state: webhook.StatePending, created: s.Now(), event: e}
	return s.enqueue(ctx, tx, d, delay)
}

func (s *Service) enqueue(ctx context.Context, tx *store.Tx, d delivery, delay time.Duration) error {
	if err := insertDelivery(ctx, tx, d); err != nil {
		return err
	}
	var opts []jobs.EnqueueOption
	if delay > 0 {
		opts = append(opts, jobs.At(d.created.Add(delay)))
	}
	return s.Queue.Enqueue(ctx, tx, deliver{DeliveryID: d.id}, opts...)
}

// deliver makes one attempt. A process that dies after the receiver answered sends the
// same id once more.
func (s *Service) deliver(ctx context.Context, _ jobs.Job, args deliver) error {
	d, err := getDelivery(ctx, s.DB.SQL, args.DeliveryID)
	if errors.Is(err, store.ErrNotFound) || err == nil && d.state != webhook.StatePending {
		return nil
	}
	if err != nil {
		return err
	}
	now := s.Now()
	switch {
	case d.disabled:
		_, err := s.settle(ctx, d, webhook.StateDisabled, nil)
		return err
	case now.Sub(d.created) > webhook.Patience:
		_, err := s.settle(ctx, d, webhook.StateGivenUp, nil)
		return err
	}
	body, err := s.body(ctx, &d)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
		_, err := s.settle(ctx, d, webhook.StateGivenUp, nil)
		return err
	}
	if err != nil {
		return err
	}
	secrets, err := s.secrets(ctx, s.DB.SQL, d.callbackID)
	if err != nil {
		return err
	}
	result := s.Sender.Deliver(ctx, d.url, secrets, d.event.id, body)
	d.attempts++
	state, wait := result.Next(d.attempts)
	if state, err = s.settle(ctx, d, state, &result); err != nil || state != webhook.StatePending {
		return err
	}
	return jobs.Snooze(wait)
}

// settle records the result of an attempt in the database and, without URL and body,
// in the log; without a result, no attempt was made. It returns the new state of the
// delivery: 410 disables the callback unless its URL has changed, in which case the
// new URL is tried.
func (s *Service) settle(ctx context.Context, d delivery, to webhook.State, result *webhook.Result) (webhook.State, error) {
	then := to
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		now := s.Now()
		if then = to; result == nil {
			return updateDelivery(ctx, tx, d, then, 0, now)
		}
		if to == webhook.StateDisabled {
			disabled, err := disableCallback(ctx, tx, d.callbackID, d.url, now)
			if err != nil {
				return err
			}
			if !disabled {
				then = webhook.StatePending
			}
		}
		if err := insertAttempt(ctx, tx, d, *result, now); err != nil {
			return err
		}
		return updateDelivery(ctx, tx, d, then, result.HTTP, now)
	})
	attrs := []any{"event", d.event.id, "state", then, "attempt", d.attempts}
	if result != nil {
		attrs = append(attrs, "http", result.HTTP, "ms", result.Took.Milliseconds())
		if result.Err != nil {
			attrs = append(attrs, "err", result.Err.Error())
		}
	}
	s.Log.InfoContext(ctx, "webhook", attrs...)
	return then, err
}

// body returns the body of a delivery. It is stored, encrypted, at the first attempt,
// so that all attempts send the same bytes.
func (s *Service) body(ctx context.Context, d *delivery) ([]byte, error) {
	r, thirdPartyID, err := s.report(ctx, s.DB.SQL, d.event.publicToken)
	if err != nil {
		return nil, err
	}
	key := r.KeyID
	if d.body != nil {
		return s.DB.Vault.Open(ctx, s.DB.SQL, key, bodyCell(d.id), d.body)
	}
	full, err := s.labels(ctx, r, thirdPartyID)
	if err != nil {
		return nil, err
	}
	full.EventID, full.Type, full.CreatedAt = d.event.id, webhook.TypeVisit, d.event.created
	full.PublicToken, full.Status, full.Substatus = d.event.publicToken, d.event.status, d.event.sub
	plain, err := json.Marshal(full)
	if err != nil {
		return nil, err
	}
	d.body, err = s.DB.Vault.Seal(ctx, s.DB.SQL, key, bodyCell(d.id), plain)
	return plain, err
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
func (s *Service) labels(ctx context.Context, r reports.Report, thirdPartyID string) (webhook.Event, error) {
	if thirdPartyID != "" {
		a, err := s.Customers.ByID(ctx, s.DB.SQL, thirdPartyID)
		return webhook.Event{Environment: a.Environment, PublicID: a.PublicID, ProductID: r.ProductID}, err
	}
	a, err := s.Customers.ByID(ctx, s.DB.SQL, r.CustomerID)
	return webhook.Event{Environment: a.Environment, PublicID: a.PublicID, ProductID: r.ProductID,
		ExternalID: r.ExternalID, UserArgs: r.UserArgs, ConsumerID: r.ConsumerID}, err
}

func bodyCell(deliveryID string) store.Cell {
	return store.Cell{Table: "deliveries", Column: "body", Row: deliveryID}
}

// secrets returns the secrets that sign now, newest first.
func (s *Service) secrets(ctx context.Context, q store.Queryer, callbackID string) ([]webhook.Secret, error) {
	rows, err := secretRows(ctx, q, callbackID, s.Now())
	if err != nil {
		return nil, err
	}
	var out []webhook.Secret
	for _, r := range rows {
		plain, err := s.DB.Vault.Open(ctx, q, store.SystemKey, secretCell(r.id), r.sealed)
		if err != nil {
			return nil, fmt.Errorf("webhooks: secret: %w", err)
		}
		secret, err := webhook.ParseSecret(string(plain))
		if err != nil {
			return nil, fmt.Errorf("webhooks: secret: %w", err)
		}
		out = append(out, secret)
	}
	return out, nil
}

func secretCell(id string) store.Cell {
	return store.Cell{Table: "callback_secrets", Column: "sealed", Row: id}
}

// Sweep deletes events over MaxAge and secrets that no longer sign.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.Now()
	err := s.DB.Sweep(ctx, 100,
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteOld(ctx, tx, now.Add(-MaxAge), limit)
		},
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteExpired(ctx, tx, now, limit)
		})
	if err != nil {
		return fmt.Errorf("webhooks: sweep: %w", err)
	}
	return nil
}
