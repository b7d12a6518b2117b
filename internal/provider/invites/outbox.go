package invites

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// Deliver is the job that sends an email of the outbox.
type Deliver struct {
	EmailID string `json:"letterId"`
}

func (Deliver) Kind() string { return "invites.deliver" }

// maxAttempts is how often an email is tried; with the waits between the attempts, about
// as long as its link is valid.
const maxAttempts = 20

var backoff = mail.Backoff(6 * time.Hour)

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, s.deliver, jobs.MaxAttempts(maxAttempts), jobs.Backoff(backoff), jobs.OnDiscard(s.discarded))
}

func (s *Service) deliver(ctx context.Context, _ jobs.Job, args Deliver) error {
	return s.emails().Deliver(ctx, args.EmailID)
}

func (s *Service) discarded(ctx context.Context, args Deliver) error {
	return s.emails().Discarded(ctx, args.EmailID)
}

func (s *Service) emails() mail.Outbox {
	return mail.Outbox{DB: s.DB, Queue: s.Queue, Mail: s.Mail, Table: mail.Invites, Now: s.Now,
		Job: func(id string) jobs.Args { return Deliver{id} }}
}

// Email is a new email of the outbox, about a report. The recipient and the text are
// encrypted under the data key of the report's consumer.
type Email struct {
	CustomerID, PublicToken, KeyID string
	To, Subject, Text              string // the subject has nothing of the consumer
	Expires                        time.Time
	Hidden                         bool // not for users of the dashboard
}

// Write adds an email to the outbox.
func (s *Service) Write(ctx context.Context, tx *store.Tx, e Email) error {
	id := uuid.NewString()
	recipient, body, err := s.emails().Seal(ctx, tx, e.KeyID, id, e.To, e.Text)
	if err != nil {
		return err
	}
	if err := insertEmail(ctx, tx, id, e, recipient, body); err != nil {
		return err
	}
	return s.emails().Enqueue(ctx, tx, id, id)
}

// write adds an email with a link to the outbox. The link works until expires.
func (s *Service) write(ctx context.Context, tx *store.Tx, r reports.Report, expires time.Time, to, link string) error {
	customer, err := s.Customers.ByID(ctx, tx, r.CustomerID)
	if err != nil {
		return err
	}
	subject, text := compose(customer.ApplicantName(), link, expires)
	return s.Write(ctx, tx, Email{CustomerID: r.CustomerID, PublicToken: r.PublicToken, KeyID: r.KeyID, To: to,
		Subject: subject, Text: text, Expires: expires})
}

// compose writes the email of an invite in every language, because the reader's
// language is not known.
func compose(customer, link string, expires time.Time) (subject, text string) {
	customer = mail.OneLine(customer)
	var texts []string
	below := ""
	for i, l := range i18n.Languages() {
		if i > 0 {
			below += i18n.T(l, "email.invite.below") + "\n"
		}
		texts = append(texts, i18n.T(l, "email.invite.body", "company", customer, "link", link, "until", ui.MomentWords(l, expires)))
	}
	return i18n.T(i18n.English, "email.invite.subject", "company", customer), below + "\n" + strings.Join(texts, "\n--\n\n")
}

// Outbox lists a customer's emails whose link has not expired. Each is about a report. The
// next page begins at the last one's Created and ID.
func (s *Service) Outbox(ctx context.Context, q store.Queryer, f mail.Filter) ([]mail.Email, error) {
	return s.emails().List(ctx, q, f)
}

// Resend sends an email of a customer again after it was given up, as mail.Outbox.Retry does.
func (s *Service) Resend(ctx context.Context, tx *store.Tx, customerID, emailID string) (bool, error) {
	return s.emails().Retry(ctx, tx, customerID, emailID)
}

// Sends reports whether there is a mail server; without one, users must pass on the
// emails in the outbox.
func (s *Service) Sends() bool { return s.Mail != nil }

// Sweep deletes emails whose link has expired.
func (s *Service) Sweep(ctx context.Context) error { return s.emails().Sweep(ctx) }
