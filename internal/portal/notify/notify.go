// Package notify sends the onboarding app events of its applications: one
// event for each change of an application's state and for each decision of a
// reviewer, written in the transaction of it, signed as of Standard Webhooks and delivered from a job. The form of
// an event is that of docs/portal-openapi.yaml; docs/webhooks.md is for those who
// receive them.
//
// An event keeps its id and its body over all deliveries. 2xx is delivered, 410
// stops all until it is turned on again by hand, and everything else, redirects too,
// is tried again with growing, jittered waits for 72 hours. The first attempts of
// one application's events are made in their order; a retry delays no other event. It
// refuses addresses that are not public, and logs neither address nor body. An
// event names the application and where it stands; nothing of the applicant is in it, nothing
// that a reviewer wrote, and of the report no more than the codes that were decided by.
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

	URL     string           // the onboarding app's; "": no event is kept or sent
	Secrets []webhook.Secret // all of them sign, so that the app can go from one to the next

	sending atomic.Int32
}

// Sender signs a body and posts it once. *webhook.Sender is one.
type Sender interface {
	Deliver(ctx context.Context, url string, secrets []webhook.Secret, id string, body []byte) webhook.Result
}

const timestamp = "2006-01-02T15:04:05.000Z"

// DecisionJSON is a reviewer's decision in JSON, in events and in the portal's API.
type DecisionJSON struct {
	Kind    string   `json:"kind"`
	Number  int64    `json:"number"`
	Reasons []string `json:"reasons"`
	At      string   `json:"at"`

	AnsweredAt *string `json:"answeredAt"`
}

// DecisionOf returns a decision in JSON; nil without one.
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

// body is the event of a line of an application's timeline, as it is sent.
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

// decided reports whether the line is that of the application's newest decision.
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

// Kind names the job.
func (deliver) Kind() string { return "notify.deliver" }

// Register adds the job that delivers.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, s.deliver, jobs.Timeout(18*time.Second))
}

// event is a row of the outbox.
type event struct {
	id            string
	applicationID string
	seq           int64
	kind          string
	body          []byte // sealed
	resends       int64
	created       time.Time
}

// delivery is an event on its way.
type delivery struct {
	id       string
	event    event
	state    webhook.State
	attempts int
	created  time.Time
}

// Record writes the event of a line that changes the application's state or is a
// decision, and has it delivered. While the address is stopped the event is kept all
// the same, to be sent by hand.
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

// send makes a delivery of an event, and the job of it if it is to be made.
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

// Of a slow receiver: maxAtOnce deliveries wait for its answer in this process, so
// that it does not take the workers of everything else. The others, and an event
// whose forerunner is being sent, look again after a moment; a forerunner that has
// not been sent for inOrder delays no other event any more.
const (
	maxAtOnce = 8
	moment    = 300 * time.Millisecond
	inOrder   = time.Minute
)

// deliver makes one attempt. A process that dies after the receiver answered sends
// the same id once more.
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

// open is the event's body; store.ErrNotFound or store.ErrShredded when its
// application was deleted.
func (s *Service) open(ctx context.Context, q store.Queryer, e event) ([]byte, error) {
	key, err := s.Applications.Key(ctx, q, e.applicationID)
	if err != nil {
		return nil, err
	}
	return s.DB.Vault.Open(ctx, q, key, bodyCell(e.id), e.body)
}

// settle notes what an attempt came to, in the rows and, without address and body,
// in the log. Without a result, no attempt was made.
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
