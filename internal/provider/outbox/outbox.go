// Package outbox writes and sends the provider's emails. Without a mail server, they wait
// for users of the dashboard, who pass them on.
package outbox

import (
	"context"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// Service has the emails. All fields but Mail must be set.
type Service struct {
	DB    *store.DB
	Queue jobs.Enqueuer
	Mail  mail.Mailer      // nil: emails stay in the outbox for users of the dashboard
	Now   func() time.Time // the provider's clock
}

// Deliver is the job that sends an email of the outbox.
type Deliver struct {
	EmailID string `json:"letterId"`
}

// Kind names the job. Rows of queues have this name.
func (Deliver) Kind() string { return "invites.deliver" }

// maxAttempts is how often an email is tried; with the waits between the attempts, about
// as long as its link is valid.
const maxAttempts = 20

var backoff = mail.Backoff(6 * time.Hour)

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	deliver := func(ctx context.Context, _ jobs.Job, args Deliver) error {
		return s.Emails().Deliver(ctx, args.EmailID)
	}
	discarded := func(ctx context.Context, args Deliver) error { return s.Emails().Discarded(ctx, args.EmailID) }
	jobs.Register(r, deliver, jobs.In(jobs.Emails), jobs.MaxAttempts(maxAttempts), jobs.Backoff(backoff), jobs.OnDiscard(discarded))
}

// Emails returns the outbox with the emails of all customers. Each is about a report, and is listed
// until its link expires.
func (s *Service) Emails() mail.Outbox {
	return mail.Outbox{DB: s.DB, Queue: s.Queue, Mail: s.Mail, Now: s.Now,
		Job: func(id string) jobs.Args { return Deliver{id} }}
}

// Email is a new email of the outbox, about a report. The recipient and the content are
// encrypted under the data key of the report's consumer.
type Email struct {
	CustomerID, PublicToken, KeyID string
	To                             string
	Look                           ui.Email // its subject has nothing of the consumer
	Text                           string   // has the texts of Look
	Expires                        time.Time
	Hidden                         bool // not for users of the dashboard
}

// Write adds an email to the outbox.
func (s *Service) Write(ctx context.Context, tx *store.Tx, e Email) error {
	id := uuid.NewString()
	html, err := e.Look.HTML(ctx)
	if err != nil {
		return err
	}
	sealed, err := s.Emails().Seal(ctx, tx, e.KeyID, mail.Message{ID: id, To: e.To, Text: e.Text, HTML: html})
	if err != nil {
		return err
	}
	if err := insertEmail(ctx, tx, id, e, sealed); err != nil {
		return err
	}
	return s.Emails().Enqueue(ctx, tx, id, id, jobs.Account(e.CustomerID))
}

// Sends reports whether there is a mail server; without one, users must pass on the
// emails in the outbox.
func (s *Service) Sends() bool { return s.Mail != nil }
