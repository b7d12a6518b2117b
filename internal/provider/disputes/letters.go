package disputes

import (
	"bytes"
	"context"
	"errors"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// letterLife is how long a letter may wait to be sent.
const letterLife = 7 * 24 * time.Hour

// address returns the email address of the person whom a report is about; "" if it is not known.
func (s *Service) address(ctx context.Context, q store.Queryer, r reports.Report) (string, error) {
	if r.ConsumerID == "" {
		return s.Reports.Address(ctx, q, r)
	}
	c, err := s.Customers.Consumer(ctx, q, r.CustomerID, r.ConsumerID)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
		return "", nil
	}
	return c.Email(), err
}

// letter writes an email about a dispute in the consumer's language to the address in the
// consumer's details, or that came with a submission. It names the number and dates; what was disputed and the answer are on
// the consumer's page, which has every letter also without email.
func (s *Service) letter(ctx context.Context, tx *store.Tx, d Dispute, subject, body i18n.Key) error {
	r, err := s.Reports.Get(ctx, tx, d.PublicToken)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the outbox has emails about reports that exist
	}
	to := ""
	if err == nil {
		to, err = s.address(ctx, tx, r)
	}
	if err != nil || to == "" || d.mailbox != nil && !bytes.Equal(d.mailbox, s.Mailboxes.Hash(to)) {
		return err
	}
	company, err := s.Customers.ByID(ctx, tx, d.CustomerID)
	if err != nil {
		return err
	}
	link := s.URL + s.Page + "/" + d.Number + "?lang=" + string(d.Lang)
	words := []string{"number", d.Number, "service", s.Brand, "company", mail.OneLine(company.ApplicantName()), "due",
		ui.LongDay(d.Lang, d.Due), "link", link}
	text := i18n.T(d.Lang, body, words...)
	return s.Outbox.Write(ctx, tx, outbox.Email{CustomerID: d.CustomerID, PublicToken: d.PublicToken, KeyID: r.KeyID, To: to,
		Look: ui.Email{Lang: d.Lang, Subject: i18n.T(d.Lang, subject, words...), Brand: s.Brand, Links: []string{link},
			Texts: []ui.EmailText{{Lang: d.Lang, Button: i18n.T(d.Lang, "email.dispute.button"), Text: text}}},
		Text: text, Expires: tx.Now.Add(letterLife)})
}
