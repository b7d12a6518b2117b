package resume

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/store"
)

// DecisionLife is how long the resume link in the email of a decision works, and how
// long a sandbox keeps that email in its outbox.
const DecisionLife = 30 * 24 * time.Hour

// DecisionEmail is the email about a reviewer's decision.
type DecisionEmail struct {
	Application string
	Number      int64 // number of the decision; each has one email
	Lang        contract.Lang
	Email       string
	Link        bool     // include a resume link
	Withheld    []string // reasons for not sending it, as on the reviewer's page; empty: send it

	// Write composes the email. link is empty without Link.
	Write func(link string) (subject, text string)
}

// Delivery states of a decision email.
const (
	LetterWaiting  = "waiting"  // not sent yet
	LetterOutbox   = "outbox"   // shown in the outbox of a sandbox without a mail server
	LetterSent     = "sent"     // accepted by the mail server
	LetterFailed   = "failed"   // refused, or given up after all attempts
	LetterWithheld = "withheld" // not sent, because of the configuration or missing data
)

// DecisionLetter is the delivery state of a decision email.
type DecisionLetter struct {
	Number   int64
	State    string
	Withheld string // reasons, separated by spaces
	At       time.Time
}

// Tell stores the email of a decision and enqueues its delivery. It withholds unsent
// emails of earlier decisions, since the newest decision counts. A decision that has
// an email gets no second one.
func (d *Handler) Tell(ctx context.Context, tx *store.Tx, in DecisionEmail) error {
	if d.Mail != nil {
		if err := supersede(ctx, tx, in.Application, in.Number, d.now()); err != nil {
			return err
		}
	}
	l, err := d.decisionLetter(ctx, tx, in)
	if err != nil {
		return err
	}
	fresh, err := insertDecisionLetter(ctx, tx, l)
	if err != nil || !fresh || l.withheld != "" {
		return err
	}
	return d.enqueue(ctx, tx, l.id, l.id)
}

// TellAgain resends the email of a decision after its delivery failed. It reports
// whether there was one.
func (d *Handler) TellAgain(ctx context.Context, tx *store.Tx, in DecisionEmail) (bool, error) {
	l, err := d.decisionLetter(ctx, tx, in)
	if err != nil || l.withheld != "" {
		return false, err
	}
	id, err := retryLetter(ctx, tx, l, func(id string) (recipient, body []byte, err error) {
		return d.reseal(ctx, tx, l, id)
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, d.enqueue(ctx, tx, id, l.id) // a fresh key, because the failed job may still count as running
}

func (d *Handler) enqueue(ctx context.Context, tx *store.Tx, id, key string) error {
	if d.Mail == nil {
		return nil
	}
	return d.Queue.Enqueue(ctx, tx, Deliver{id}, jobs.UniqueKey(key))
}

// decisionLetter composes an email. A withheld one has neither recipient nor text.
func (d *Handler) decisionLetter(ctx context.Context, tx *store.Tx, in DecisionEmail) (letter, error) {
	now := d.now()
	l := letter{id: uuid.NewString(), application: in.Application, decision: in.Number, created: now, expires: now.Add(DecisionLife)}
	for i, why := range in.Withheld {
		if i > 0 {
			l.withheld += " "
		}
		l.withheld += why
	}
	var err error
	if l.key, err = d.Site.Service.Key(ctx, tx, in.Application); err != nil {
		return l, err
	}
	if l.withheld != "" {
		l.recipient = []byte{}
		return l, nil
	}
	link := ""
	if in.Link {
		if link, _, err = d.link(ctx, tx, in.Application, DecisionLife, in.Lang); err != nil {
			return l, err
		}
	}
	l.to = in.Email
	l.subject, l.text = in.Write(link)
	l.recipient, l.body, err = d.reseal(ctx, tx, l, l.id)
	return l, err
}

func (d *Handler) reseal(ctx context.Context, tx *store.Tx, l letter, id string) (recipient, body []byte, err error) {
	if recipient, err = d.DB.Vault.Seal(ctx, tx, l.key, cell(id, "recipient"), []byte(l.to)); err != nil {
		return nil, nil, err
	}
	body, err = d.DB.Vault.Seal(ctx, tx, l.key, cell(id, "body"), []byte(l.text))
	return recipient, body, err
}

// DecisionLetters lists the delivery states of an application's decision emails.
func (d *Handler) DecisionLetters(ctx context.Context, q store.Queryer, id string) ([]DecisionLetter, error) {
	all, err := decisionLetters(ctx, q, id)
	for i := range all {
		if all[i].State == LetterWaiting && d.Mail == nil {
			all[i].State = LetterOutbox
		}
	}
	return all, err
}

// settled records whether the email of a decision was sent, in the transaction of the
// audit entry.
func (d *Handler) settled(ctx context.Context, id, state string) error {
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		note := sent
		if state == LetterFailed {
			note = failed
		}
		mine, err := note(ctx, tx, id, d.now())
		if err != nil || !mine || d.Settled == nil {
			return err
		}
		application, number, err := decisionOf(ctx, tx, id)
		if err != nil || number == 0 {
			return err
		}
		return d.Settled(ctx, tx, application, number, state)
	})
}

// Withheld returns the reasons why no email can be sent to an applicant: no mail
// server, or no address.
func (d *Handler) Withheld(email string) (why []string) {
	if !d.Letters() {
		why = append(why, "noServer")
	}
	if email == "" {
		why = append(why, "noAddress")
	}
	return why
}
