package resume

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// DecisionLife is how long the resume link in the email of a decision works, and how
// long a sandbox keeps that email in its outbox.
const DecisionLife = 30 * 24 * time.Hour

// DecisionEmail is the email about a reviewer's decision.
type DecisionEmail struct {
	Application string
	DataKey     string // of the application
	Number      int64  // number of the decision; each has one email
	Lang        i18n.Lang
	Email       string
	Link        bool     // include a resume link
	Withheld    []string // reasons for not sending it, as on the reviewer's page; empty: send it

	// Write composes the email. link is empty without Link.
	Write func(link string) (subject, text string)
}

// Delivery states of a decision email.
const (
	EmailWaiting  = "waiting"  // not sent yet
	EmailOutbox   = "outbox"   // shown in the outbox of a sandbox without a mail server
	EmailSent     = "sent"     // accepted by the mail server
	EmailFailed   = "failed"   // refused, or given up after all attempts
	EmailWithheld = "withheld" // not sent, because of the configuration or missing data
)

// DecisionStatus is the delivery state of a decision email.
type DecisionStatus struct {
	Number   int64
	State    string
	Withheld string // reasons, separated by spaces
	At       time.Time
}

// SendDecision stores the email of a decision and enqueues its delivery. It withholds
// unsent emails of earlier decisions, since the newest decision counts. A decision that
// has an email gets no second one.
func (d *Handler) SendDecision(ctx context.Context, tx *store.Tx, in DecisionEmail) error {
	if d.Mail != nil {
		if err := supersede(ctx, tx, in.Application, in.Number); err != nil {
			return err
		}
	}
	e, err := d.decisionEmail(ctx, tx, in, uuid.NewString())
	if err != nil {
		return err
	}
	inserted, err := insertEmail(ctx, tx, e)
	if err != nil || !inserted || e.withheld != "" {
		return err
	}
	return d.emails().Enqueue(ctx, tx, e.id, e.id)
}

// ResendDecision sends the email of a decision again after its delivery failed. It
// reports whether there was one.
func (d *Handler) ResendDecision(ctx context.Context, tx *store.Tx, in DecisionEmail) (bool, error) {
	if len(in.Withheld) > 0 {
		return false, nil
	}
	id, err := clearFailure(ctx, tx, in.Application, in.Number)
	if err != nil {
		return false, store.OrNone(err)
	}
	e, err := d.decisionEmail(ctx, tx, in, id)
	if err != nil {
		return false, err
	}
	if err := updateEmail(ctx, tx, e); err != nil {
		return false, err
	}
	return true, d.emails().Enqueue(ctx, tx, id, uuid.NewString()) // a new key, because the failed job may still count as running
}

// decisionEmail composes an email. A withheld one has neither recipient nor text.
func (d *Handler) decisionEmail(ctx context.Context, tx *store.Tx, in DecisionEmail, id string) (email, error) {
	e := email{id: id, application: in.Application, decision: in.Number, withheld: strings.Join(in.Withheld, " "), keyID: in.DataKey,
		Sealed: mail.Sealed{Recipient: []byte{}}, expires: tx.Now.Add(DecisionLife)}
	if e.withheld != "" {
		return e, nil
	}
	var err error
	link := ""
	if in.Link {
		if link, err = d.link(ctx, tx, in.Application, DecisionLife, in.Lang); err != nil {
			return e, err
		}
	}
	subject, text := in.Write(link)
	return e, d.compose(ctx, tx, &e, in.Email, subject, ui.EmailText{Lang: in.Lang, Text: text}, link)
}

// DecisionEmails lists the delivery states of an application's decision emails.
func (d *Handler) DecisionEmails(ctx context.Context, q store.Queryer, id string) ([]DecisionStatus, error) {
	all, err := decisionEmails(ctx, q, id)
	for i := range all {
		if all[i].State == EmailWaiting && d.Mail == nil {
			all[i].State = EmailOutbox
		}
	}
	return all, err
}

// emailSettled calls OnSettled for the email of a decision.
func (d *Handler) emailSettled(ctx context.Context, tx *store.Tx, id string, sent bool) error {
	if d.OnSettled == nil {
		return nil
	}
	application, number, err := decisionOf(ctx, tx, id)
	if err != nil || number == 0 {
		return err
	}
	return d.OnSettled(ctx, tx, application, number, sent)
}

// Withheld returns the reasons why no email can be sent to an applicant: no mail
// server, or no address.
func (d *Handler) Withheld(email string) (reasons []string) {
	if !d.CanEmail() {
		reasons = append(reasons, "noServer")
	}
	if email == "" {
		reasons = append(reasons, "noAddress")
	}
	return reasons
}
