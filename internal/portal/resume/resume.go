// Package resume lets an applicant continue an application in another browser: on a
// phone by a QR code, anywhere by a copied link, and later by an email with a link.
// It also sends the emails of decisions. A resume link leads to the application; the
// API's invite leads to the provider.
//
// A link holds 256 random bits, of which only the hash is stored, has a short
// lifetime, and grants access to the first browser that submits it by POST: mail
// scanners, which only open addresses, do not use it up. A redirect stays bound to
// the browser that started it. A request for an email gets the same response after
// the same work whether or not an address is known, and is rate-limited.
package resume

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	"vestibule/internal/theme"
)

// Lifetimes of a link that is shown on a page, and of one sent by email.
const (
	ShownLife = 15 * time.Minute
	EmailLife = 24 * time.Hour
)

// maxLinks is the maximum number of links of one application within mail.TriesWindow.
const maxLinks = 20

// Handler creates resume links and sends emails. All fields but Mail and OnSettled are required.
type Handler struct {
	DB          *store.DB
	Applicants  *applicant.Handler
	Queue       applications.Queue
	Mail        mail.Mailer  // nil: emails wait in the outbox, which only a sandbox has
	URL         string       // the portal's public address, without a slash at the end
	Brand       string       // sender of the emails; default Vestibule
	Light, Dark theme.Colors // of the emails; nil: Vestibule's
	Environment contract.Environment
	BehindProxy bool // take the client's address from the proxy's headers
	Now         func() time.Time
	Log         *slog.Logger

	// OnSettled is called when the email of a decision was sent or given up, in the
	// transaction that records it; may be nil.
	OnSettled func(ctx context.Context, tx *store.Tx, application string, number int64, sent bool) error

	mailboxes *mail.Mailboxes
}

// Open loads the key that addresses are hashed with.
func (d *Handler) Open(ctx context.Context) (err error) {
	d.mailboxes, err = mail.OpenMailboxes(ctx, d.DB)
	return err
}

// OnApplicant makes an application findable by its applicant's email address.
func (d *Handler) OnApplicant(ctx context.Context, tx *store.Tx, a applications.Application, f prefill.Fields) error {
	if f.Email == "" {
		return nil
	}
	return insertMailbox(ctx, tx, a.ID, d.mailboxes.Hash(f.Email))
}

// CanEmail reports whether requested emails can be sent or shown in the outbox.
func (d *Handler) CanEmail() bool { return d.Mail != nil || d.ShowsOutbox() }

// ShowsOutbox reports whether emails are shown in the outbox instead of sent.
func (d *Handler) ShowsOutbox() bool { return d.Mail == nil && d.Environment == contract.Sandbox }

func (d *Handler) link(ctx context.Context, tx *store.Tx, id string, life time.Duration, lang i18n.Lang) (string, error) {
	secret := store.NewSecret()
	url := d.URL + "/resume/" + secret
	if lang != i18n.English {
		url += "?lang=" + string(lang)
	}
	return url, insertLink(ctx, tx, store.Hash(secret), id, tx.Now.Add(life))
}

var errTooOften = &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: mail.TriesWindow,
	Why: errors.New("too many links or emails requested")}

func (d *Handler) now() time.Time { return d.Now().UTC().Truncate(time.Microsecond) }

// Sweep deletes expired rows.
func (d *Handler) Sweep(ctx context.Context) error {
	return errors.Join(sweep(ctx, d.DB.SQL, d.now()), d.mailboxes.Sweep(ctx), d.emails().Sweep(ctx))
}
