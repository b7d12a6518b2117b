package invites

import (
	"context"
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
	subject, text := compose(customer.ApplicantName(), link, expires)
	return s.Outbox.Write(ctx, tx, outbox.Email{CustomerID: r.CustomerID, PublicToken: r.PublicToken, KeyID: r.KeyID, To: to,
		Subject: subject, Text: text, Expires: expires})
}

// compose writes the email of an invite in every language, because the reader's
// language is not known.
func compose(customer, link string, expires time.Time) (subject, text string) {
	customer = mail.OneLine(customer)
	var texts []string
	below := ""
	for i, l := range i18n.Languages() {
		if i > 0 {
			below += i18n.T(l, "email.invite.below") + "\n"
		}
		texts = append(texts, i18n.T(l, "email.invite.body", "company", customer, "link", link, "until", ui.MomentWords(l, expires)))
	}
	return i18n.T(i18n.English, "email.invite.subject", "company", customer), below + "\n" + strings.Join(texts, "\n--\n\n")
}
