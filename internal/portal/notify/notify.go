// Package notify sends events about applications to the onboarding app: one event for
// each change of an application's state and each decision of a reviewer. It writes
// the event in the transaction of the change, signs it as specified by Standard
// Webhooks, and delivers it in a job. docs/portal-openapi.yaml defines the events;
// docs/webhooks.md is for their receivers.
//
// An event keeps its ID and its body over all deliveries. A 2xx response completes
// the delivery. 410 stops all deliveries until they are enabled again manually.
// Everything else, including redirects, is retried with growing, jittered waits for
// 72 hours. The first attempts of one application's events are made in order; a retry
// delays no other event. The package refuses addresses that are not public, and logs
// neither addresses nor bodies. An event names the application and its state. It
// contains no data of the applicant, no text of a reviewer, and of the report only
// the codes of the decision's reasons.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Service writes and delivers events. All fields but URL and Secrets are required.
type Service struct {
	DB           *store.DB
	Queue        applications.Queue
	Sender       Sender
	Applications *applications.Service
	Environment  contract.Environment
	Now          func() time.Time
	Log          *slog.Logger

	URL     string           // receiver of the onboarding app; "": no events are stored or sent
	Secrets []webhook.Secret // each event is signed with all of them, so that the app can rotate secrets

	sending atomic.Int32
}

// Sender signs a body and posts it once. *webhook.Sender implements it.
type Sender interface {
	Deliver(ctx context.Context, url string, secrets []webhook.Secret, id string, body []byte) webhook.Result
}

const timestamp = "2006-01-02T15:04:05.000Z"

// DecisionJSON is the JSON form of a reviewer's decision, in events and in the
// portal's API.
type DecisionJSON struct {
	Kind    string   `json:"kind"`
	Number  int64    `json:"number"`
	Reasons []string `json:"reasons"`
	At      string   `json:"at"`

	AnsweredAt *string `json:"answeredAt"`
}

// DecisionOf returns a decision as JSON; nil without a decision.
func DecisionOf(d applications.Decision) *DecisionJSON {
	if d.Kind == "" {
		return nil
	}
	out := &DecisionJSON{Kind: d.Kind, Number: d.Number, Reasons: append([]string{}, d.Reasons...), At: d.At.UTC().Format(timestamp)}
	if d.Answered() {
		at := d.AnsweredAt.UTC().Format(timestamp)
		out.AnsweredAt = &at
	}
	return out
}

// body returns the event of a timeline entry as sent.
func (s *Service) body(id string, a applications.Application, l applications.TimelineEntry) ([]byte, error) {
	type application struct {
		ID         string                `json:"id"`
		ExternalID string                `json:"externalId"`
		UserArgs   *string               `json:"userArgs"`
		Product    contract.Product      `json:"product"`
		State      journey.State         `json:"state"`
		Outcome    *contract.Outcome     `json:"outcome"`
		Status     *contract.Status      `json:"status"`
		Substatus  *contract.Substatus   `json:"substatus"`
		Error      *contract.WidgetError `json:"error"`
		Resumable  bool                  `json:"resumable"`
		Decision   *DecisionJSON         `json:"decision"`
	}
	j := a.Journey
	return json.Marshal(struct {
		EventID     string               `json:"eventId"`
		Type        string               `json:"type"`
		CreatedAt   string               `json:"createdAt"`
		Environment contract.Environment `json:"environment"`
		Sequence    int64                `json:"sequence"`
		Application application          `json:"application"`
	}{id, typeOf(a, l), l.At.UTC().Format(timestamp), s.Environment, l.Seq,
		application{a.ID, a.ExternalID, null(a.UserArgs), a.Product, j.State, null(j.Outcome()), null(j.Status), null(j.Substatus), null(j.Error),
			a.Resumable(), DecisionOf(a.Decision)}})
}

// decided reports whether the entry is the application's newest decision.
func decided(a applications.Application, l applications.TimelineEntry) bool {
	return a.Decision.Kind != "" && l.Kind == a.Decision.Kind
}

func typeOf(a applications.Application, l applications.TimelineEntry) string {
	if decided(a, l) {
		return "application.decided"
	}
	return "application." + string(a.Journey.State)
}

func null[S ~string](s S) *S {
	if s == "" {
		return nil
	}
	return &s
}

// deliver is the job of one delivery.
type deliver struct {
	DeliveryID string `json:"deliveryId"`
}

// Kind returns the job's name.
func (deliver) Kind() string { return "notify.deliver" }

// Register registers the delivery job.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, s.deliver, jobs.Timeout(18*time.Second))
}

// event is a row of app_events.
type event struct {
	id            string
	applicationID string
	seq           int64
	kind          string
	body          []byte // encrypted
	resends       int64
	created       time.Time
}

// delivery is a row of app_deliveries with its event.
type delivery struct {
	id       string
	event    event
	state    webhook.State
	attempts int
	created  time.Time
}

// Record writes the event of a timeline entry that changes the state or is a
// decision, and enqueues its delivery. While the receiver is stopped the event is
// still stored, so that it can be resent manually.
func (s *Service) Record(ctx context.Context, tx *store.Tx, a applications.Application, l applications.TimelineEntry) error {
	if s.URL == "" || !l.Moved() && !decided(a, l) {
		return nil
	}
	e := event{id: "evt_" + uuid.NewString(), applicationID: a.ID, seq: l.Seq, kind: typeOf(a, l), created: l.At}
	plain, err := s.body(e.id, a, l)
	if err != nil {
		return err
	}
	if e.body, err = s.DB.Vault.Seal(ctx, tx, a.DataKey(), bodyCell(e.id), plain); err != nil {
		return err
	}
	if err := insertEvent(ctx, tx, e); err != nil {
		return err
	}
	stopped, err := stop(ctx, tx, s.URL)
	if err != nil {
		return err
	}
	state := webhook.StatePending
	if !stopped.IsZero() {
		state = webhook.StateDisabled
	}
	_, err = s.send(ctx, tx, e.id, state)
	return err
}

// send inserts a delivery of an event and, if it is pending, its job.
func (s *Service) send(ctx context.Context, tx *store.Tx, eventID string, state webhook.State) (string, error) {
	d := delivery{id: uuid.NewString(), event: event{id: eventID}, state: state, created: s.Now().UTC()}
	if err := insertDelivery(ctx, tx, d); err != nil || state != webhook.StatePending {
		return d.id, err
	}
	return d.id, s.Queue.Enqueue(ctx, tx, deliver{DeliveryID: d.id})
}

func bodyCell(eventID string) store.Cell {
	return store.Cell{Table: "app_events", Column: "body", Row: eventID}
}

// Limits for slow receivers: at most maxAtOnce deliveries wait for a response in this
// process, so that they do not take all workers. Further deliveries, and events
// behind an unsent earlier event, are retried after moment; an earlier event that is
// unsent after inOrder no longer delays others.
const (
	maxAtOnce = 8
	moment    = 300 * time.Millisecond
	inOrder   = time.Minute
)

// deliver makes one attempt. If the process dies after the receiver answered, the
// same ID is sent again.
func (s *Service) deliver(ctx context.Context, _ jobs.Job, args deliver) error {
	d, err := getDelivery(ctx, s.DB.SQL, args.DeliveryID)
	if errors.Is(err, store.ErrNotFound) || err == nil && d.state != webhook.StatePending {
		return nil
	}
	if err != nil {
		return err
	}
	now := s.Now()
	stopped, err := stop(ctx, s.DB.SQL, s.URL)
	switch {
	case err != nil:
		return err
	case s.URL == "" || !stopped.IsZero():
		return s.settle(ctx, d, webhook.StateDisabled, nil)
	case now.Sub(d.created) > webhook.Patience:
		return s.settle(ctx, d, webhook.StateGivenUp, nil)
	}
	if d.attempts == 0 {
		waits, err := forerunner(ctx, s.DB.SQL, d.event, now.Add(-inOrder))
		if err != nil {
			return err
		}
		if waits {
			return jobs.Snooze(moment)
		}
	}
	if s.sending.Add(1) > maxAtOnce {
		s.sending.Add(-1)
		return jobs.Snooze(moment)
	}
	defer s.sending.Add(-1)
	body, err := s.open(ctx, s.DB.SQL, d.event)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
		return s.settle(ctx, d, webhook.StateGivenUp, nil)
	}
	if err != nil {
		return err
	}
	result := s.Sender.Deliver(ctx, s.URL, s.Secrets, d.event.id, body)
	d.attempts++
	state, wait := result.Next(d.attempts)
	if err := s.settle(ctx, d, state, &result); err != nil || state != webhook.StatePending {
		return err
	}
	return jobs.Snooze(wait)
}

// open decrypts the event's body. It returns store.ErrNotFound or store.ErrShredded
// if the application was deleted.
func (s *Service) open(ctx context.Context, q store.Queryer, e event) ([]byte, error) {
	key, err := s.Applications.Key(ctx, q, e.applicationID)
	if err != nil {
		return nil, err
	}
	return s.DB.Vault.Open(ctx, q, key, bodyCell(e.id), e.body)
}

// settle records the result of an attempt in the database and, without address and
// body, in the log. A nil result means that no attempt was made.
func (s *Service) settle(ctx context.Context, d delivery, to webhook.State, result *webhook.Result) error {
	attrs := []any{"event", d.event.id, "type", d.event.kind, "application", d.event.applicationID, "state", to, "attempt", d.attempts}
	if result != nil {
		attrs = append(attrs, "http", result.HTTP, "ms", result.Took.Milliseconds(), "class", result.Class())
	}
	s.Log.InfoContext(ctx, "event", attrs...)
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		now := s.Now()
		if result == nil {
			return updateDelivery(ctx, tx, d, to, 0, now)
		}
		if to == webhook.StateDisabled {
			if err := insertStop(ctx, tx, s.URL, now); err != nil {
				return err
			}
		}
		if err := insertAttempt(ctx, tx, d, *result, now); err != nil {
			return err
		}
		return updateDelivery(ctx, tx, d, to, result.HTTP, now)
	})
}
