package invites

import (
	"context"
	"slices"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// write adds an email with a link to the outbox. The link works until expires.
func (s *Service) write(ctx context.Context, tx *store.Tx, r reports.Report, expires time.Time, to, link string) error {
	customer, err := s.Customers.ByID(ctx, tx, r.CustomerID)
	if err != nil {
		return err
	}
	consumer, err := s.Customers.Consumer(ctx, tx, r.CustomerID, r.ConsumerID)
	if err != nil {
		return err
	}
	theme, err := s.Customers.Theme(ctx, tx, r.CustomerID)
	if err != nil {
		return err
	}
	look, text := compose(customer.ApplicantName(), link, consumer.Lang, expires)
	if look.Light, look.Dark, err = theme.Colors(); err != nil {
		look.Light, look.Dark = nil, nil // another version of the program accepted the colors
	}
	return s.Outbox.Write(ctx, tx, outbox.Email{CustomerID: r.CustomerID, PublicToken: r.PublicToken, KeyID: r.KeyID, To: to,
		Look: look, Text: text, Expires: expires})
}

// compose writes the email of an invite in every language. The subject and the first text
// are in the reader's language; the subject of an unknown one, "", has all languages.
func compose(customer, link string, reader i18n.Lang, expires time.Time) (look ui.Email, text string) {
	customer = mail.OneLine(customer)
	look = ui.Email{Brand: customer, Links: []string{link}}
	all := slices.Clone(i18n.Languages())
	if i := slices.Index(all, reader); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	look.Lang = all[0]
	var parts, texts []string
	below := ""
	for i, l := range all {
		if i > 0 {
			below += i18n.T(l, "email.invite.below") + "\n"
			look.Texts = append(look.Texts, ui.EmailText{Lang: l, Text: i18n.T(l, "email.invite.below")})
		}
		parts = append(parts, i18n.T(l, "email.invite.subject_part"))
		texts = append(texts, i18n.T(l, "email.invite.body", "company", customer, "link", link, "until", ui.MomentWords(l, expires)))
	}
	for i, l := range all {
		look.Texts = append(look.Texts, ui.EmailText{Lang: l, Button: i18n.T(l, "email.invite.button"), Text: texts[i]})
	}
	look.Subject = customer + ": " + strings.Join(parts, " / ")
	if reader == all[0] {
		look.Subject = i18n.T(reader, "email.invite.subject", "company", customer)
	}
	return look, below + "\n" + strings.Join(texts, "\n--\n\n")
}
