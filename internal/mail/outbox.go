package mail

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/compress"
	"vestibule/internal/jobs"
	"vestibule/internal/store"
)

// Outbox sends a party's emails. The party inserts an email, encrypted by Seal, and
// calls Enqueue in the same transaction; a job then makes the attempts. An email that
// is sent twice has the same Message.ID. Its text and HTML are deleted once it is sent.
type Outbox struct {
	DB    *store.DB
	Queue jobs.Enqueuer
	Mail  Mailer           // nil without a mail server: emails wait to be listed
	Now   func() time.Time // the party's clock

	// Job returns the job that calls Deliver with the email's id, and after its last
	// attempt Discarded.
	Job func(emailID string) jobs.Args

	// OnSettled is called when an email was sent or given up, in the transaction that
	// records it; may be nil.
	OnSettled func(ctx context.Context, tx *store.Tx, emailID string, sent bool) error
}

// Mailer sends emails. *Sender implements it.
type Mailer interface {
	// Send returns ErrRefused for an email that will never be accepted. After any other
	// error the email may be sent again.
	Send(ctx context.Context, m Message) error
}

// Email is an email of the outbox.
type Email struct {
	Message        // text and HTML are empty after they were deleted
	About   string // id of the application, or publicToken of the report
	Created time.Time
	Expires time.Time // of the email's link
	Sent    time.Time // zero: not sent
	Failed  time.Time // zero: not given up

	keyID  string
	sealed Sealed
}

// Sealed has the encrypted columns of an email. HTML is nil without an HTML part.
type Sealed struct{ Recipient, Body, HTML []byte }

// State is what became of an email.
type State string

// States of emails.
const (
	Waiting State = "waiting"  // neither sent nor given up
	Sent    State = "sent"     // accepted by the mail server
	GivenUp State = "given up" // refused, or not accepted in any attempt
)

// States lists all states.
func States() []State { return []State{Waiting, Sent, GivenUp} }

// State returns what became of the email.
func (e Email) State() State {
	switch {
	case !e.Sent.IsZero():
		return Sent
	case !e.Failed.IsZero():
		return GivenUp
	}
	return Waiting
}

// RetryWait is how long after it was given up an email can be sent again.
const RetryWait = 10 * time.Minute

// Filter selects emails that have not expired.
type Filter struct {
	CustomerID string    // required in the provider, and empty in the portal
	State      State     // "" selects all
	Since      time.Time // of Created
	Until      time.Time // of Created, which is earlier; zero for no end
	Oldest     bool      // the oldest first
	Before     store.Cursor
	Limit      int
}

// Backoff returns the wait after each failed attempt: 30 seconds first, then twice as
// long each time, up to a maximum.
func Backoff(most time.Duration) func(attempt int) time.Duration {
	return func(attempt int) time.Duration { return min(15*time.Second<<min(attempt, 12), most) }
}

// Seal encrypts the recipient, the text and the HTML of an email under a data key.
func (o Outbox) Seal(ctx context.Context, q store.Queryer, keyID string, m Message) (s Sealed, err error) {
	for _, c := range columns(&s, &m) {
		plain := []byte(*c.plain)
		if c.name == "html" {
			if len(plain) == 0 {
				continue
			}
			plain = compress.Pack(plain)
		}
		if *c.sealed, err = o.DB.Vault.Seal(ctx, q, keyID, cell(m.ID, c.name), plain); err != nil {
			return s, err
		}
	}
	return s, nil
}

// column is an encrypted column with its value in an email.
type column struct {
	name   string
	sealed *[]byte
	plain  *string
}

func columns(s *Sealed, m *Message) [3]column {
	return [...]column{{"recipient", &s.Recipient, &m.To}, {"body", &s.Body, &m.Text}, {"html", &s.HTML, &m.HTML}}
}

// Enqueue enqueues the delivery of an email if there is a mail server. There is at most
// one unfinished job of a key.
func (o Outbox) Enqueue(ctx context.Context, tx *store.Tx, emailID, key string, opts ...jobs.EnqueueOption) error {
	if o.Mail == nil {
		return nil
	}
	return o.Queue.Enqueue(ctx, tx, o.Job(emailID), append(opts, jobs.UniqueKey(key))...)
}

// Deliver sends an email. It skips emails that were sent, were given up, or have
// expired.
func (o Outbox) Deliver(ctx context.Context, emailID string) error {
	e, err := unsent(ctx, o.DB.SQL, emailID, o.Now())
	if err != nil {
		return store.OrNone(err)
	}
	if o.Mail == nil {
		return jobs.Cancel(errors.New("the mail server was removed from the configuration"))
	}
	if err := o.open(ctx, o.DB.SQL, &e); errors.Is(err, store.ErrShredded) {
		return jobs.Cancel(err)
	} else if err != nil {
		return err
	}
	err = o.Mail.Send(ctx, e.Message)
	if errors.Is(err, ErrRefused) {
		return jobs.Cancel(err)
	}
	if err != nil {
		return err
	}
	return o.recordResult(ctx, emailID, true)
}

// Discarded gives up an email that could not be sent. Without a mail server it stays in
// the outbox.
func (o Outbox) Discarded(ctx context.Context, emailID string) error {
	if o.Mail == nil {
		return nil
	}
	return o.recordResult(ctx, emailID, false)
}

// Retry sends an email of a customer again, with as many attempts as at first. It returns
// false if the email was not given up, or within RetryWait, or has no text, and
// store.ErrNotFound if the customer has no such email.
func (o Outbox) Retry(ctx context.Context, tx *store.Tx, customerID, emailID string) (bool, error) {
	until := tx.Now.Add(-RetryWait)
	if o.Mail == nil {
		until = time.Time{} // none
	}
	ok, err := retry(ctx, tx, customerID, emailID, until)
	if err != nil || !ok {
		return false, err
	}
	// a new key, because the failed job may still count as running
	return true, o.Enqueue(ctx, tx, emailID, store.NewID(), jobs.Account(customerID))
}

func (o Outbox) recordResult(ctx context.Context, emailID string, sent bool) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		first, err := setResult(ctx, tx, emailID, sent)
		if err != nil || !first || o.OnSettled == nil {
			return err
		}
		return o.OnSettled(ctx, tx, emailID, sent)
	})
}

// List lists emails, newest first or, with Oldest, oldest first. It leaves out those whose
// data key was deleted. Fewer than the limit are the last ones.
func (o Outbox) List(ctx context.Context, q store.Queryer, f Filter) (out []Email, err error) {
	for limit := f.Limit; ; {
		all, err := listEmails(ctx, q, f, o.Now())
		if err != nil {
			return nil, err
		}
		for _, e := range all {
			f.Before = store.Cursor{At: e.Created, ID: e.ID}
			if err := o.open(ctx, q, &e); errors.Is(err, store.ErrShredded) {
				continue
			} else if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		if len(all) < f.Limit || len(out) == limit {
			return out, nil
		}
		f.Limit = limit - len(out)
	}
}

// open decrypts an email.
func (o Outbox) open(ctx context.Context, q store.Queryer, e *Email) error {
	for _, c := range columns(&e.sealed, &e.Message) {
		plain, err := o.DB.Vault.Open(ctx, q, e.keyID, cell(e.ID, c.name), *c.sealed)
		if err == nil && c.name == "html" {
			plain, err = compress.Unpack(plain)
		}
		if err != nil {
			return err
		}
		*c.plain = string(plain)
	}
	return nil
}

// Sweep deletes emails that have expired.
func (o Outbox) Sweep(ctx context.Context) error { return o.DB.Sweep(ctx, 100, deleteExpired) }
