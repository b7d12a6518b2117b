package disputes

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// letterLife is how long a letter may wait to be sent.
const letterLife = 7 * 24 * time.Hour

// letter writes an email about a dispute in the consumer's language to the address in the
// consumer's details. It names the number and dates; what was disputed and the answer are on
// the consumer's page, which has every letter also without email.
func (s *Service) letter(ctx context.Context, tx *store.Tx, d Dispute, subject, body i18n.Key) error {
	if d.ConsumerID == "" {
		return nil
	}
	c, err := s.Customers.Consumer(ctx, tx, d.CustomerID, d.ConsumerID)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) || err == nil && c.Email() == "" {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := s.Reports.Get(ctx, tx, d.PublicToken); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			return nil // the outbox has emails about reports that exist
		}
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
	return s.Outbox.Write(ctx, tx, outbox.Email{CustomerID: d.CustomerID, PublicToken: d.PublicToken, KeyID: c.KeyID, To: c.Email(),
		Look: ui.Email{Lang: d.Lang, Subject: i18n.T(d.Lang, subject, words...), Brand: s.Brand, Links: []string{link},
			Texts: []ui.EmailText{{Lang: d.Lang, Button: i18n.T(d.Lang, "email.dispute.button"), Text: text}}},
		Text: text, Expires: tx.Now.Add(letterLife)})
}
