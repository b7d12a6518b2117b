package webhook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/store"
)

// Outbox delivers a party's events. The party inserts an event in the transaction of
// the change that it reports, and calls Send in the same transaction; a job then makes
// the attempts.
//
// An event keeps its id and its body over all deliveries. A 2xx response completes a
// delivery, and 410 stops those to the receiver. Everything else is retried with
// growing waits until Patience has passed. If the process dies after the receiver
// answered, the same id is sent again. URLs and bodies are never logged.
type Outbox struct {
	DB     *store.DB
	Queue  jobs.Enqueuer
	Sender Deliverer
	Log    *slog.Logger
	Now    func() time.Time // the party's clock

	MaxAge     time.Duration // how long events are kept
	LogSubject string        // log key of the subject; empty if it must not be logged

	// Job returns the job that calls Deliver with the delivery's id.
	Job func(deliveryID string, to Endpoint) jobs.Args

	// Target returns where a delivery goes.
	Target func(ctx context.Context, q store.Queryer, d Delivery) (Target, error)

	// Gone stops all deliveries to the receiver, because url answered 410. It returns
	// false if the receiver has another URL by now, where the event is sent next.
	Gone func(ctx context.Context, tx *store.Tx, d Delivery, url string) (bool, error)

	// Key returns the id of the data key that encrypts bodies about a subject, or
	// store.ErrNotFound or store.ErrShredded if the subject was deleted.
	Key func(ctx context.Context, q store.Queryer, subject string) (string, error)

	// Body composes the body of an event at the first attempt, and returns it with what Key
	// returns. Nil if events are stored with their bodies.
	Body func(ctx context.Context, q store.Queryer, d Delivery) (body []byte, key string, err error)
}

// Deliverer signs a body and posts it once. *Sender implements it.
type Deliverer interface {
	CheckURL(raw string) error
	Deliver(ctx context.Context, to Target, id string, body []byte) Result
}

// Target is where a delivery goes, and what signs it.
type Target struct {
	URL     string
	Secrets []Secret
	Account string // publicId of the account that the event is about, for HeaderAccount; empty for no header
	Off     bool   // the receiver is turned off
	Once    bool   // a failed attempt is not repeated
}

// Endpoint names where events go. The portal has only one, the zero value.
type Endpoint struct {
	CallbackID string // the customer's first endpoint
	FurtherID  string // another endpoint of the customer; empty: the first
}

// Callback is an endpoint of a customer with its settings. The first is a row of callbacks and
// cannot be removed; the others are rows of further_callbacks, with the same columns.
type Callback struct {
	Endpoint
	ID       string
	URL      string
	Created  time.Time
	Disabled time.Time         // zero if enabled
	Statuses []contract.Status // subscribed statuses; nil for all
	Signers  []Signer          // secrets that sign now, newest first; not in lists
}

// Signer describes a secret without containing it.
type Signer struct {
	ID      string
	Created time.Time
	Ends    time.Time // zero: no end
}

// Every is the FurtherID that selects all endpoints of a customer.
const Every = "*"

// Delivery is the delivery of an event to a receiver, pending or finished.
type Delivery struct {
	ID      string
	EventID string
	Endpoint
	Subject  string // the application's id, or the report's publicToken
	Type     string // the type of an application's event, or the report's status
	Detail   string // the report's substatus
	Sequence int64  // of the application's timeline; 0 for a report: its events have no order
	Happened time.Time
	State    State
	Tries    int
	HTTP     int // status of the last response; 0 for none
	Created  time.Time
	Updated  time.Time
	Next     time.Time // when the next attempt is due; zero before the first and after the last
	Last     Attempt   // the last attempt, without its time
	Resends  int64     // how often the event was sent again by hand

	// Set by Get only:
	Attempts []Attempt
	Body     []byte // as sent; nil before it is composed
	Shredded bool   // the body's key is deleted

	encrypted []byte // the body; nil before it is composed
	key       string // that encrypts it
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	At    time.Time
	HTTP  int // 0: no response
	Took  time.Duration
	Error Class // empty if there was a response

	Answer *Answer // set by Get; nil for none, or if its key is deleted
}

// Filter selects deliveries. The zero value of a field other than Endpoint and Limit
// matches all.
type Filter struct {
	Endpoint
	State      State
	Failed     bool // given up or disabled
	Answer     int  // status of the last response; NoAnswer for none
	Type       string
	Subject    string
	Subjects   []string // one of these; nil for all
	EventID    string
	Since      time.Time    // of Created
	Until      time.Time    // of Created, which is earlier
	Unresolved bool         // no later delivery of the event to the receiver, and none that succeeded or is pending
	Oldest     bool         // the oldest first
	Before     store.Cursor // of Created and ID; selects those that follow in the order
	Limit      int
}

// NoAnswer is the Answer of attempts without a response.
const NoAnswer = -1

// Errors of Redeliver.
var (
	ErrPending = errors.New("webhook: the event is being delivered")
	ErrStopped = errors.New("webhook: the receiver has no URL, or is turned off")
)

// Limits of the wait of an event for an earlier one.
const (
	shortWait = 300 * time.Millisecond
	maxOrder  = time.Minute
)

// Send creates a delivery of an event, after a delay.
func (o *Outbox) Send(ctx context.Context, tx *store.Tx, eventID string, to Endpoint, delay time.Duration) error {
	d := Delivery{ID: store.NewID(), EventID: eventID, Endpoint: to}
	return o.send(ctx, tx, d, delay)
}

func (o *Outbox) send(ctx context.Context, tx *store.Tx, d Delivery, delay time.Duration) error {
	d.State, d.Created = StatePending, tx.Now
	if err := insertDelivery(ctx, tx, d); err != nil {
		return err
	}
	opts := []jobs.EnqueueOption{jobs.Account(d.CallbackID)}
	if delay > 0 {
		opts = append(opts, jobs.At(d.Created.Add(delay)))
	}
	return o.Queue.Enqueue(ctx, tx, o.Job(d.ID, d.Endpoint), opts...)
}

// RecordUnsent records a delivery of an event while its receiver is turned off. It is not sent,
// unless by Redeliver.
func (o *Outbox) RecordUnsent(ctx context.Context, tx *store.Tx, eventID string, to Endpoint) error {
	return insertDelivery(ctx, tx, Delivery{ID: store.NewID(), EventID: eventID, Endpoint: to,
		State: StateDisabled, Created: tx.Now})
}

// Deliver makes one attempt of a delivery. It returns the error of jobs.Snooze if there
// is to be another one.
func (o *Outbox) Deliver(ctx context.Context, deliveryID string) error {
	d, err := findDelivery(ctx, o.DB.SQL, deliveryID)
	if errors.Is(err, store.ErrNotFound) || err == nil && d.State != StatePending {
		return nil
	}
	if err != nil {
		return err
	}
	target, err := o.Target(ctx, o.DB.SQL, d)
	if err != nil {
		return err
	}
	now := o.Now()
	switch {
	case target.Off:
		return o.end(ctx, d, StateDisabled)
	case now.Sub(d.Created) > Patience:
		return o.end(ctx, d, StateGivenUp)
	}
	if d.Tries == 0 {
		waits, err := hasEarlier(ctx, o.DB.SQL, d, now.Add(-maxOrder))
		if err != nil {
			return err
		}
		if waits {
			return jobs.Snooze(shortWait)
		}
	}
	body, err := o.body(ctx, o.DB.SQL, &d)
	if isDeleted(err) {
		return o.end(ctx, d, StateGivenUp)
	}
	if err != nil {
		return err
	}
	result := o.Sender.Deliver(ctx, target, d.EventID, body)
	d.Tries++
	state, wait := result.Next(d.Tries)
	if target.Once && state == StatePending {
		state = StateGivenUp
	}
	if state, err = o.recordResult(ctx, d, state, wait, target.URL, result); err != nil || state != StatePending {
		return err
	}
	return jobs.Snooze(wait)
}

// Discarded gives up a delivery whose job will not run again.
func (o *Outbox) Discarded(ctx context.Context, deliveryID string) error {
	d, err := findDelivery(ctx, o.DB.SQL, deliveryID)
	if errors.Is(err, store.ErrNotFound) || err == nil && d.State != StatePending {
		return nil
	}
	if err != nil {
		return err
	}
	return o.end(ctx, d, StateGivenUp)
}

func isDeleted(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded)
}

// end ends a delivery without another attempt.
func (o *Outbox) end(ctx context.Context, d Delivery, state State) error {
	o.log(ctx, d, state)
	return o.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := updateDelivery(ctx, tx, d, state, time.Time{}, 0, nil)
		return err
	})
}

// recordResult records the result of an attempt and returns the new state of the delivery.
func (o *Outbox) recordResult(ctx context.Context, d Delivery, next State, wait time.Duration, url string,
	result Result) (state State, err error) {
	var composed []byte
	if o.Body != nil {
		composed = d.encrypted
	}
	err = o.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if state = next; state == StateDisabled {
			stopped, err := o.Gone(ctx, tx, d, url)
			if err != nil {
				return err
			}
			if !stopped {
				state = StatePending
			}
		}
		var due time.Time
		if state == StatePending {
			due = tx.Now.Add(wait)
		}
		pending, err := updateDelivery(ctx, tx, d, state, due, result.HTTP, composed)
		if err != nil || !pending {
			return err
		}
		answer, err := o.sealAnswer(ctx, tx, d, result.Answer)
		if err != nil {
			return err
		}
		return insertAttempt(ctx, tx, d, result, answer)
	})
	more := []any{"http", result.HTTP, "ms", result.Took.Milliseconds(), "class", result.Class()}
	if result.Err != nil {
		more = append(more, "err", result.Err.Error())
	}
	o.log(ctx, d, state, more...)
	return state, err
}

func (o *Outbox) log(ctx context.Context, d Delivery, state State, more ...any) {
	attrs := []any{"event", d.EventID, "type", d.Type, "state", state, "attempt", d.Tries}
	if o.LogSubject != "" {
		attrs = append(attrs, o.LogSubject, d.Subject)
	}
	o.Log.InfoContext(ctx, "webhook", append(attrs, more...)...)
}

// body returns the body of a delivery. It composes a missing one and encrypts it, to be
// stored with the attempt, so that all attempts send the same bytes.
func (o *Outbox) body(ctx context.Context, q store.Queryer, d *Delivery) (plain []byte, err error) {
	if d.encrypted != nil {
		if d.key, err = o.Key(ctx, q, d.Subject); err != nil {
			return nil, err
		}
		return o.DB.Vault.Open(ctx, q, d.key, o.cell(*d), d.encrypted)
	}
	if plain, d.key, err = o.Body(ctx, q, *d); err != nil {
		return nil, err
	}
	d.encrypted, err = o.DB.Vault.Seal(ctx, q, d.key, o.cell(*d), plain)
	return plain, err
}

func (o *Outbox) cell(d Delivery) store.Cell {
	if o.Body == nil {
		return EventBody(d.EventID)
	}
	return store.Cell{Table: "deliveries", Column: "body", Row: d.ID}
}

// Window is a range of time in steps.
type Window struct {
	Since, Until time.Time // a zero Until is no end
	Hourly       bool      // a step is an hour, not a day in the time zone of Since
}

// Count is the number of deliveries that were created in a step of a window and share a
// state and a last answer.
type Count struct {
	Step   int // whole steps from the window's beginning
	State  State
	Answer int // as in Filter; 0 before the first attempt
	Count  int
}

// Health sums up the deliveries to a receiver that were created since an instant.
type Health struct {
	Since    time.Time
	Sent     int           // deliveries
	Failed   int           // whose last attempt failed, or that were not sent
	Answered int           // with a 2xx answer
	Median   time.Duration // from a delivery's creation to its 2xx answer
}

// Health returns the health of a receiver since each of some instants.
func (o *Outbox) Health(ctx context.Context, q store.Queryer, of Endpoint, since ...time.Time) (out []Health, err error) {
	for _, at := range since {
		h, err := healthSince(ctx, q, of, at)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// Get returns a delivery to an endpoint of a customer with its attempts and body, or
// store.ErrNotFound.
func (o *Outbox) Get(ctx context.Context, q store.Queryer, callbackID, id string) (Delivery, error) {
	d, err := o.find(ctx, q, callbackID, id)
	if err != nil {
		return d, err
	}
	if d.Attempts, err = o.attempts(ctx, q, d); err != nil || d.encrypted == nil {
		return d, err
	}
	if d.Body, err = o.body(ctx, q, &d); isDeleted(err) {
		d.Shredded, err = true, nil
	}
	return d, err
}

func (o *Outbox) find(ctx context.Context, q store.Queryer, callbackID, id string) (Delivery, error) {
	d, err := findDelivery(ctx, q, id)
	if err == nil && d.CallbackID != callbackID {
		return Delivery{}, store.ErrNotFound
	}
	return d, err
}

// Redeliver sends the event of a delivery again, with its id and body, and returns the
// id of the new delivery. resends is the number of earlier resends: a repeated request
// gets ErrPending, as does any request while a delivery of the event to the receiver is pending.
func (o *Outbox) Redeliver(ctx context.Context, tx *store.Tx, callbackID, deliveryID string, resends int64) (id string, err error) {
	old, err := o.find(ctx, tx, callbackID, deliveryID)
	if err != nil {
		return "", err
	}
	target, err := o.Target(ctx, tx, old)
	if err != nil {
		return "", err
	}
	if target.Off {
		return "", ErrStopped
	}
	first, err := addResend(ctx, tx, old.EventID, resends)
	if err != nil {
		return "", err
	}
	pending, err := hasPending(ctx, tx, old)
	if err != nil {
		return "", err
	}
	if !first || pending {
		return "", ErrPending
	}
	d := Delivery{ID: store.NewID(), EventID: old.EventID, Endpoint: old.Endpoint, Subject: old.Subject}
	if o.Body != nil && old.encrypted != nil {
		if err := o.copyBody(ctx, tx, old, &d); err != nil && !isDeleted(err) { // the attempt ends if it is
			return "", err
		}
	}
	return d.ID, o.send(ctx, tx, d, 0)
}

// RedeliverFailed sends the events of failed deliveries again that f selects and that are
// unresolved, the oldest first. It returns the number of events; 0 if there are no more.
// Repeating it sends no event twice, if f.Until is the time of the first call.
func (o *Outbox) RedeliverFailed(ctx context.Context, tx *store.Tx, f Filter) (int, error) {
	f.Failed, f.Unresolved, f.Oldest = true, true, true
	all, err := o.List(ctx, tx, f)
	for _, d := range all {
		if _, err := o.Redeliver(ctx, tx, d.CallbackID, d.ID, d.Resends); err != nil && !errors.Is(err, ErrPending) {
			return 0, err
		}
	}
	return len(all), err
}

// copyBody encrypts the body of one delivery for another.
func (o *Outbox) copyBody(ctx context.Context, q store.Queryer, from Delivery, to *Delivery) error {
	plain, err := o.body(ctx, q, &from)
	if err != nil {
		return err
	}
	key, err := o.Key(ctx, q, to.Subject)
	if err != nil {
		return err
	}
	to.encrypted, err = o.DB.Vault.Seal(ctx, q, key, o.cell(*to), plain)
	return err
}

// Sweep deletes events over MaxAge with their deliveries, except those that are still
// being sent.
func (o *Outbox) Sweep(ctx context.Context) error {
	return o.DB.Sweep(ctx, 100, func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		return deleteBefore(ctx, tx, tx.Now.Add(-o.MaxAge), tx.Now.Add(-Patience), limit)
	})
}
