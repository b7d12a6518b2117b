package invites

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

// Deliver is the job that sends an email of the outbox.
type Deliver struct {
	LetterID string `json:"letterId"`
}

func (Deliver) Kind() string { return "invites.deliver" }

// attempts is how often an email is tried; with the waits between the attempts, about
// as long as its link is valid.
const attempts = 20

// backoff waits 30 seconds first, then twice as long each time, up to six hours.
func backoff(attempt int) time.Duration {
	return min(15*time.Second<<min(attempt, 12), 6*time.Hour)
}

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, s.deliver, jobs.MaxAttempts(attempts), jobs.Backoff(backoff), jobs.OnDiscard(s.lost))
}

// write adds an email with a link to the outbox and enqueues its delivery if there is
// a mail server. The link works until expires.
func (s *Service) write(ctx context.Context, tx *store.Tx, r reports.Report, expires time.Time, to, link string) error {
	customer, err := s.Customers.ByID(ctx, tx, r.CustomerID)
	if err != nil {
		return err
	}
	subject, text := compose(customer.Shown(), link, expires)
	l := letter{id: uuid.NewString(), customerID: r.CustomerID, publicToken: r.PublicToken, keyID: r.KeyID, subject: subject, created: s.Now(), expires: expires}
	if l.recipient, err = s.DB.Vault.Seal(ctx, tx, r.KeyID, cell(l.id, "recipient"), []byte(to)); err != nil {
		return err
	}
	if l.body, err = s.DB.Vault.Seal(ctx, tx, r.KeyID, cell(l.id, "body"), []byte(text)); err != nil {
		return err
	}
	if err := insertLetter(ctx, tx, l); err != nil {
		return err
	}
	if s.Mail == nil {
		return nil
	}
	return s.Queue.Enqueue(ctx, tx, Deliver{l.id}, jobs.UniqueKey(l.id))
}

// compose writes the email of an invite in both languages, because the reader's
// language is not known.
func compose(customer, link string, expires time.Time) (subject, text string) {
	customer = strings.Join(strings.FieldsFunc(customer, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " ")
	at := expires.UTC()
	subject = fmt.Sprintf("%s asks you to connect your bank account", customer)
	text = fmt.Sprintf(`%[1]s asks you to connect your bank account, so that your application can be checked. Open this link to begin:

%[2]s

It works until %[3]s, and once. You can stop and come back to it until then. Do not pass it on. If you do not expect this message, ignore it.

--

%[1]s le pide que conecte su cuenta bancaria para poder revisar su solicitud. Abra este enlace para empezar:

%[2]s

Funciona hasta el %[4]s y una sola vez. Hasta entonces puede parar y volver a él. No lo comparta. Si no espera este mensaje, ignórelo.
`, customer, link, at.Format("January 2, 2006, 15:04 UTC"), spanish(at))
	return subject, text
}

var months = [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}

func spanish(t time.Time) string {
	return fmt.Sprintf("%d de %s de %d a las %s UTC", t.Day(), months[t.Month()-1], t.Year(), t.Format("15:04"))
}

// deliver sends an email. It may run any number of times: it skips emails that were
// sent, were given up, or have expired. An email that is sent twice has the same id.
func (s *Service) deliver(ctx context.Context, _ jobs.Job, args Deliver) error {
	l, err := waiting(ctx, s.DB.SQL, args.LetterID, s.Now())
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.Mail == nil {
		return jobs.Cancel(errors.New("there is no mail server any more"))
	}
	m, err := s.read(ctx, s.DB.SQL, l)
	if errors.Is(err, store.ErrShredded) {
		return jobs.Cancel(err)
	}
	if err != nil {
		return err
	}
	err = s.Mail.Send(ctx, mail.Message{ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Body})
	if err == nil {
		return sent(ctx, s.DB.SQL, l.id, s.Now())
	}
	if errors.Is(err, mail.ErrRefused) {
		return jobs.Cancel(err)
	}
	return err
}

// lost marks an email that could not be sent as failed. Without a mail server, the
// email waits in the outbox.
func (s *Service) lost(ctx context.Context, args Deliver) error {
	if s.Mail == nil {
		return nil
	}
	return failed(ctx, s.DB.SQL, args.LetterID, s.Now())
}

// Message is an email of the outbox as its customer may read it.
type Message struct {
	ID          string
	PublicToken string
	To          string
	Subject     string
	Body        string // empty when it was sent
	Created     time.Time
	Expires     time.Time // of its link
	Sent        time.Time // zero: not
	Failed      time.Time // zero: not given up
}

// PageSize is how many messages Outbox returns at most.
const PageSize = 50

// Outbox lists a customer's emails whose link has not expired, newest first. The next
// page begins at the last one's Created and ID.
func (s *Service) Outbox(ctx context.Context, q store.Queryer, customerID string, from store.Cursor) ([]Message, error) {
	rows, err := letters(ctx, q, customerID, from, s.Now(), PageSize)
	if err != nil {
		return nil, err
	}
	var out []Message
	for _, l := range rows {
		m, err := s.read(ctx, q, l)
		if errors.Is(err, store.ErrShredded) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// Sends reports whether there is a mail server; without one, users must pass on the
// emails in the outbox.
func (s *Service) Sends() bool { return s.Mail != nil }

// read decrypts an email.
func (s *Service) read(ctx context.Context, q store.Queryer, l letter) (Message, error) {
	m := Message{ID: l.id, PublicToken: l.publicToken, Subject: l.subject, Created: l.created, Expires: l.expires, Sent: l.sent, Failed: l.failed}
	to, err := s.DB.Vault.Open(ctx, q, l.keyID, cell(l.id, "recipient"), l.recipient)
	if err != nil {
		return m, err
	}
	body, err := s.DB.Vault.Open(ctx, q, l.keyID, cell(l.id, "body"), l.body)
	m.To, m.Body = string(to), string(body)
	return m, err
}

// Sweep deletes emails whose link has expired.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.Now()
	err := s.DB.Sweep(ctx, 100, func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		return deleteOver(ctx, tx, now, limit)
	})
	if err != nil {
		return fmt.Errorf("invites: sweep: %w", err)
	}
	return nil
}

func cell(id, column string) store.Cell { return store.Cell{Table: "outbox", Column: column, Row: id} }
