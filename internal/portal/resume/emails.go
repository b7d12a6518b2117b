package resume

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
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
	EmailID string `json:"letter"`
}

// Kind returns the job's name.
func (Deliver) Kind() string { return "portal.deliver" }

// maxAttempts is how often sending an email is tried: within about twelve hours, since a
// resume link expires after a day.
const maxAttempts = 13

// maxWait is the maximum wait between attempts.
const maxWait = 128 * time.Minute

// Register adds the jobs that write and send emails.
func (d *Handler) Register(r *jobs.Registry) {
	jobs.Register(r, d.write)
	jobs.Register(r, d.deliver, jobs.In(jobs.Emails), jobs.MaxAttempts(maxAttempts), jobs.Backoff(mail.Backoff(maxWait)),
		jobs.OnDiscard(d.discarded))
}

func (d *Handler) deliver(ctx context.Context, _ jobs.Job, args Deliver) error {
	return d.emails().Deliver(ctx, args.EmailID)
}

func (d *Handler) discarded(ctx context.Context, args Deliver) error {
	return d.emails().Discarded(ctx, args.EmailID)
}

func (d *Handler) emails() mail.Outbox {
	return mail.Outbox{DB: d.DB, Queue: d.Queue, Mail: d.Mail, Now: d.now,
		Job: func(id string) jobs.Args { return Deliver{id} }, OnSettled: d.emailSettled}
}

// enqueueRequest stores a request for an email. A job looks up the applications, so that
// the response takes as long for an unknown address.
func (d *Handler) enqueueRequest(ctx context.Context, r request) error {
	r.id = uuid.NewString()
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := insertRequest(ctx, tx, r); err != nil {
			return err
		}
		return d.Queue.Enqueue(ctx, tx, Write{r.id}, jobs.UniqueKey(r.id))
	})
}

// Limits of the applications found by an email address: their age and their number in
// one email.
const (
	maxFoundAge = 90 * 24 * time.Hour
	maxFound    = 5
)

// write composes the requested email if there is an application for it, within the limit of
// the address.
func (d *Handler) write(ctx context.Context, _ jobs.Job, w Write) error {
	r, err := getRequest(ctx, d.DB.SQL, w.Request)
	if err != nil {
		return store.OrNone(err)
	}
	ids := []string{r.application}
	if r.application == "" {
		if ids, err = applicationsOf(ctx, d.DB.SQL, r.mailbox, d.now().Add(-maxFoundAge), maxFound); err != nil {
			return err
		}
	}
	var about []applications.Application
	for _, id := range ids {
		a, err := d.Applicants.Service.Get(ctx, d.DB.SQL, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		about = append(about, a)
	}
	to := ""
	if len(about) > 0 {
		applicant, err := d.Applicants.Service.Applicant(ctx, d.DB.SQL, about[0].ID)
		if err != nil {
			return err
		}
		to = applicant.Email
	}
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		first, err := deleteRequest(ctx, tx, r.id)
		if err != nil || !first || to == "" {
			return err
		}
		if ok, err := d.mailboxes.AllowEmail(ctx, tx, "resume", to); err != nil || !ok {
			return err
		}
		return d.sendLinks(ctx, tx, about, to, r.lang, requested)
	})
}

// wording has the keys of an email with links.
type wording struct{ subject, body i18n.Key }

var (
	requested = wording{"email.resume.subject", "email.resume.body"}
	reminder  = wording{"email.reminder.subject", "email.reminder.body"}
)

// sendLinks composes an email with a link to each application and adds it to the outbox.
func (d *Handler) sendLinks(ctx context.Context, tx *store.Tx, about []applications.Application, to string, lang i18n.Lang,
	words wording) error {
	e := email{id: uuid.NewString(), application: about[0].ID, expires: tx.Now.Add(EmailLife)}
	var lines, links []string
	for _, a := range about {
		link, err := d.link(ctx, tx, a.ID, EmailLife, lang)
		if err != nil {
			return err
		}
		links = append(links, link)
		lines = append(lines, i18n.T(lang, "email.resume.application", "product", i18n.Code(lang, "product.name", a.Product),
			"begun", ui.MomentWords(lang, a.CreatedAt), "link", link))
	}
	name := d.name()
	text := i18n.T(lang, words.body, "company", name, "applications", strings.Join(lines, "\n\n"),
		"until", ui.MomentWords(lang, e.expires))
	var err error
	if e.keyID, err = d.Applicants.Service.Key(ctx, tx, e.application); err != nil {
		return err
	}
	err = d.compose(ctx, tx, &e, to, i18n.T(lang, words.subject, "company", name), ui.EmailText{Lang: lang, Text: text}, links...)
	if err != nil {
		return err
	}
	if _, err := insertEmail(ctx, tx, e); err != nil {
		return err
	}
	return d.emails().Enqueue(ctx, tx, e.id, e.id)
}

// compose sets the subject and the encrypted content of an email. Each link is a line of
// the text.
func (d *Handler) compose(ctx context.Context, tx *store.Tx, e *email, to, subject string, text ui.EmailText, links ...string) (err error) {
	text.Button = i18n.T(text.Lang, "email.resume.button")
	m := mail.Message{ID: e.id, To: to, Text: text.Text}
	m.HTML, err = ui.Email{Lang: text.Lang, Subject: subject, Brand: d.name(), Light: d.Light, Dark: d.Dark,
		Texts: []ui.EmailText{text}, Links: links}.HTML(ctx)
	if err != nil {
		return err
	}
	e.subject = subject
	e.Sealed, err = d.emails().Seal(ctx, tx, e.keyID, m)
	return err
}

// Emails returns the newest emails in a state.
func (d *Handler) Emails(ctx context.Context, state mail.State, limit int) ([]mail.Email, error) {
	return d.emails().List(ctx, d.DB.SQL, mail.Filter{State: state, Limit: limit})
}

// EmailOf returns the application of an email, and whether it is the email of a decision;
// otherwise it has links. It returns store.ErrNotFound for an unknown email.
func (d *Handler) EmailOf(ctx context.Context, id string) (application string, decision bool, err error) {
	application, number, err := decisionOf(ctx, d.DB.SQL, id)
	return application, number > 0, err
}

func (d *Handler) name() string {
	if d.Brand != "" {
		return d.Brand
	}
	return "Vestibule"
}
