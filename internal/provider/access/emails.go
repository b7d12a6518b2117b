package access

import (
	"context"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// Write is the job that writes a requested email with a link.
type Write struct {
	Request string `json:"request"`
}

// Kind names the job.
func (Write) Kind() string { return "access.write" }

// write writes the requested email if a consumer has the address, within the limit of the
// address. The job does it, so that the response takes as long for an unknown address.
func (s *Service) write(ctx context.Context, _ jobs.Job, w Write) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := takeRequest(ctx, tx, w.Request)
		if err != nil {
			return store.OrNone(err)
		}
		to, err := newestOf(ctx, tx, r.mailbox, "")
		if err != nil {
			return store.OrNone(err)
		}
		consumer, err := s.Customers.Consumer(ctx, tx, to.customerID, to.consumerID)
		if err != nil {
			return err
		}
		if ok, err := s.Mailboxes.AllowEmail(ctx, tx, "access", consumer.Email()); err != nil || !ok {
			return err
		}
		secret := store.NewSecret()
		if err := insertLink(ctx, tx, store.Hash(secret), session{mailbox: r.mailbox}, "", linkLife); err != nil {
			return err
		}
		service, link := s.Visits.Operator.Name, s.URL+providerui.Access{Lang: r.lang}.Link(Path+"/link/"+secret)
		return s.send(ctx, tx, to, r.lang, i18n.T(r.lang, "email.access.subject", "service", service),
			i18n.T(r.lang, "email.access.body", "service", service, "link", link,
				"until", ui.MomentWords(r.lang, tx.Now.Add(linkLife))), "email.access.button", link, linkLife)
	})
}

// confirmationLife is how long the email that confirms a change may wait to be sent.
const confirmationLife = 24 * time.Hour

// confirm writes the email that confirms the end of a company's access, to one source unless
// source is "".
func (s *Service) confirm(ctx context.Context, tx *store.Tx, l i18n.Lang, to recipient, source string) error {
	company, err := s.Customers.ByID(ctx, tx, to.customerID)
	if err != nil {
		return err
	}
	subject, body := i18n.Key("email.access_ended.subject"), i18n.Key("email.access_ended.body")
	link := s.URL + providerui.Access{Lang: l}.Link(Path)
	if source != "" {
		subject, body = "email.access_disconnected.subject", "email.access_disconnected.body"
	}
	names := []string{"company", mail.OneLine(company.ApplicantName()), "source", mail.OneLine(source), "service", s.Visits.Operator.Name,
		"link", link}
	return s.send(ctx, tx, to, l, i18n.T(l, subject, names...), i18n.T(l, body, names...), "email.access.button", link, confirmationLife)
}

// changeTexts has the texts of the emails that confirm a change of the file.
var changeTexts = map[freeze.Action]struct{ subject, body i18n.Key }{
	freeze.ActionFrozen:       {"email.access_frozen.subject", "email.access_frozen.body"},
	freeze.ActionLifted:       {"email.access_lifted.subject", "email.access_lifted.body"},
	freeze.ActionLiftedUntil:  {"email.access_lifted_until.subject", "email.access_lifted_until.body"},
	freeze.ActionAlert:        {"email.access_alert.subject", "email.access_alert.body"},
	freeze.ActionAlertRemoved: {"email.access_alert_removed.subject", "email.access_alert_removed.body"},
}

// confirmChange writes the email that confirms a change of the file.
func (s *Service) confirmChange(ctx context.Context, tx *store.Tx, l i18n.Lang, mailbox []byte, e freeze.Entry) error {
	to, err := newestOf(ctx, tx, mailbox, "")
	if err != nil {
		return store.OrNone(err) // no consumer has the address any more
	}
	text, link := changeTexts[e.Action], s.URL+providerui.Access{Lang: l}.Link(Path)
	args := []string{"service", s.Visits.Operator.Name, "link", link,
		"day", ui.DayInZone(l, e.Until.Add(-time.Second))} // the last moment belongs to the day before
	return s.send(ctx, tx, to, l, i18n.T(l, text.subject, args...), i18n.T(l, text.body, args...),
		"email.access.button_file", link, confirmationLife)
}

// send adds an email with a link to the outbox, hidden from companies. It goes to the address in the consumer's
// details, not to one that was typed. Without a mail server, it adds no email.
func (s *Service) send(ctx context.Context, tx *store.Tx, to recipient, l i18n.Lang, subject, text string, button i18n.Key, link string,
	life time.Duration) error {
	if !s.Outbox.Sends() {
		return nil
	}
	c, err := s.Customers.Consumer(ctx, tx, to.customerID, to.consumerID)
	if err != nil {
		return err
	}
	return s.Outbox.Write(ctx, tx, outbox.Email{CustomerID: to.customerID, PublicToken: to.publicToken, KeyID: c.KeyID, To: c.Email(),
		Look: ui.Email{Lang: l, Subject: subject, Brand: s.Visits.Operator.Name, Links: []string{link},
			Texts: []ui.EmailText{{Lang: l, Button: i18n.T(l, button), Text: text}}},
		Text: text, Expires: tx.Now.Add(life), Hidden: true})
}
