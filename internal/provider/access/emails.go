package access

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
)

// Write is the job that writes a requested email with a link.
type Write struct {
	Request string `json:"request"`
}

// Kind names the job.
func (Write) Kind() string { return "access.write" }

// write writes the requested email if a consumer has the address. The job does it, so that
// the response takes as long for an unknown address.
func (s *Service) write(ctx context.Context, _ jobs.Job, w Write) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := takeRequest(ctx, tx, w.Request)
		if err != nil {
			return ignoreNotFound(err)
		}
		to, err := newestOf(ctx, tx, r.mailbox, "")
		if err != nil {
			return ignoreNotFound(err)
		}
		secret := store.NewSecret()
		if err := insertLink(ctx, tx, store.Hash(secret), r.mailbox); err != nil {
			return err
		}
		service := s.Visits.Operator.Name
		return s.send(ctx, tx, to, i18n.T(r.lang, "email.access.subject", "service", service), i18n.T(r.lang, "email.access.body",
			"service", service, "link", s.URL+pages.Access{Lang: r.lang}.Link(Path+"/link/"+secret)), linkLife)
	})
}

// confirmationLife is how long the email that confirms an end may wait to be sent.
const confirmationLife = 24 * time.Hour

// confirm writes the email that confirms the end of a company's access.
func (s *Service) confirm(ctx context.Context, tx *store.Tx, l i18n.Lang, to recipient) error {
	company, err := s.Customers.ByID(ctx, tx, to.customerID)
	if err != nil {
		return err
	}
	name := mail.OneLine(company.ApplicantName())
	return s.send(ctx, tx, to, i18n.T(l, "email.access_ended.subject", "company", name), i18n.T(l, "email.access_ended.body",
		"company", name, "service", s.Visits.Operator.Name, "link", s.URL+pages.Access{Lang: l}.Link(Path)), confirmationLife)
}

// send adds an email to the outbox. It goes to the address in the consumer's details, not to
// one that was typed.
func (s *Service) send(ctx context.Context, tx *store.Tx, to recipient, subject, text string, life time.Duration) error {
	c, err := s.Customers.Consumer(ctx, tx, to.customerID, to.consumerID)
	if err != nil {
		return err
	}
	return s.Outbox.Write(ctx, tx, outbox.Email{CustomerID: to.customerID, PublicToken: to.publicToken, KeyID: c.KeyID, To: c.Email(),
		Subject: subject, Text: text, Expires: tx.Now.Add(life), Hidden: s.Outbox.Sends()})
}

func ignoreNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
