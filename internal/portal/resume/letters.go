package resume

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
	"vestibule/templates/ui"
)

// Write is the job that composes a requested email with resume links.
type Write struct {
	Request string `json:"request"`
}

// Kind returns the job's name.
func (Write) Kind() string { return "portal.letter" }

// Deliver is the job that sends an email.
type Deliver struct {
	Letter string `json:"letter"`
}

// Kind returns the job's name.
func (Deliver) Kind() string { return "portal.deliver" }

// attempts is how often sending an email is tried: within about twelve hours, since a
// resume link expires after a day.
const attempts = 13

func backoff(attempt int) time.Duration { return 15 * time.Second << min(attempt, 9) }

// Register adds the jobs that write and send emails.
func (d *Handler) Register(r *jobs.Registry) {
	jobs.Register(r, d.write)
	jobs.Register(r, d.deliver, jobs.MaxAttempts(attempts), jobs.Backoff(backoff), jobs.OnDiscard(d.lost))
}

// ask stores a request for an email. A job looks up the applications, so that the
// response takes as long for an unknown address.
func (d *Handler) ask(ctx context.Context, r request) error {
	r.id = uuid.NewString()
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := insertRequest(ctx, tx, r, d.now()); err != nil {
			return err
		}
		return d.Queue.Enqueue(ctx, tx, Write{r.id}, jobs.UniqueKey(r.id))
	})
}

// Limits of the applications found by an email address: their age and their number in
// one email.
const (
	foundFor  = 90 * 24 * time.Hour
	foundMost = 5
)

// write composes the requested email if there is an application for it.
func (d *Handler) write(ctx context.Context, _ jobs.Job, w Write) error {
	r, err := requested(ctx, d.DB.SQL, w.Request)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ids := []string{r.application}
	if r.application == "" {
		if ids, err = ofMailbox(ctx, d.DB.SQL, r.mailbox, d.now().Add(-foundFor), foundMost); err != nil {
			return err
		}
	}
	var about []applications.Application
	for _, id := range ids {
		a, err := d.Site.Service.Get(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		about = append(about, a)
	}
	email := ""
	if len(about) > 0 {
		applicant, err := d.Site.Service.Applicant(ctx, about[0].ID)
		if err != nil {
			return err
		}
		email = applicant.Email
	}
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		mine, err := settle(ctx, tx, r.id)
		if err != nil || !mine || email == "" {
			return err
		}
		return d.post(ctx, tx, about, email, r.lang)
	})
}

// post composes an email with a link to each application and enqueues its delivery if
// there is a mail server.
func (d *Handler) post(ctx context.Context, tx *store.Tx, about []applications.Application, email string, lang contract.Lang) error {
	now := d.now()
	l := letter{id: uuid.NewString(), application: about[0].ID, created: now, expires: now.Add(LetterLife)}
	var lines []string
	for _, a := range about {
		link, _, err := d.link(ctx, tx, a.ID, LetterLife, lang)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf(wordsLine.In(lang), pages.ProductName(a.Product).In(lang), ui.MomentWords(lang, a.CreatedAt), link))
	}
	name := d.name()
	l.subject = fmt.Sprintf(wordsSubject.In(lang), name)
	body := fmt.Sprintf(wordsLetter.In(lang), name, strings.Join(lines, "\n\n"))
	var err error
	if l.key, err = d.Site.Service.Key(ctx, tx, l.application); err != nil {
		return err
	}
	if l.recipient, err = d.DB.Vault.Seal(ctx, tx, l.key, cell(l.id, "recipient"), []byte(email)); err != nil {
		return err
	}
	if l.body, err = d.DB.Vault.Seal(ctx, tx, l.key, cell(l.id, "body"), []byte(body)); err != nil {
		return err
	}
	if err := insertLetter(ctx, tx, l); err != nil || d.Mail == nil {
		return err
	}
	return d.Queue.Enqueue(ctx, tx, Deliver{l.id}, jobs.UniqueKey(l.id))
}

// deliver sends an email. It is safe to repeat: it skips emails that were sent, given
// up or have expired, and an email sent twice has the same message ID.
func (d *Handler) deliver(ctx context.Context, _ jobs.Job, args Deliver) error {
	l, err := waiting(ctx, d.DB.SQL, args.Letter, d.now())
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if d.Mail == nil {
		return jobs.Cancel(errors.New("there is no mail server any more"))
	}
	to, body, err := d.open(ctx, l)
	if errors.Is(err, store.ErrShredded) {
		return jobs.Cancel(err)
	}
	if err != nil {
		return err
	}
	err = d.Mail.Send(ctx, mail.Message{ID: l.id, To: to, Subject: l.subject, Text: body})
	if err == nil {
		return d.settled(ctx, l.id, LetterSent)
	}
	if errors.Is(err, mail.ErrRefused) {
		return jobs.Cancel(err)
	}
	return err
}

// lost records an email that could not be sent. Without a mail server the email stays
// in the outbox.
func (d *Handler) lost(ctx context.Context, args Deliver) error {
	if d.Mail == nil {
		return nil
	}
	return d.settled(ctx, args.Letter, LetterFailed)
}

// Email is an unsent email.
type Email struct {
	At                time.Time
	To, Subject, Text string
}

// Unsent returns the newest unsent emails, for the outbox of a sandbox without a mail
// server.
func (d *Handler) Unsent(ctx context.Context, limit int) ([]Email, error) {
	waiting, err := unsent(ctx, d.DB.SQL, d.now(), limit)
	if err != nil {
		return nil, err
	}
	var out []Email
	for _, l := range waiting {
		to, text, err := d.open(ctx, l)
		if errors.Is(err, store.ErrShredded) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Email{At: l.created, To: to, Subject: l.subject, Text: text})
	}
	return out, nil
}

func (d *Handler) open(ctx context.Context, l letter) (to, body string, err error) {
	raw, err := d.DB.Vault.Open(ctx, d.DB.SQL, l.key, cell(l.id, "recipient"), l.recipient)
	if err != nil {
		return "", "", err
	}
	to = string(raw)
	raw, err = d.DB.Vault.Open(ctx, d.DB.SQL, l.key, cell(l.id, "body"), l.body)
	return to, string(raw), err
}

// name returns the sender's name.
func (d *Handler) name() string {
	if d.Brand != "" {
		return d.Brand
	}
	return "Vestibule"
}

func cell(id, column string) store.Cell {
	return store.Cell{Table: "application_letters", Column: column, Row: id}
}
