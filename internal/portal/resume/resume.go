// Package resume lets an applicant continue an application in another browser: on
// the phone by a QR code, anywhere by a link that is copied, and later by an email
// with a link. It also sends the emails of decisions. A resume link leads to the
// application; the contract's invite leads to the provider.
//
// A link holds 256 random bits, of which only the hash is kept, has a short life,
// and lets in the first browser that asks by POST: mail filters, which only look at
// addresses, use nothing up. A redirect that one browser has begun stays that
// browser's. A request for an email gets the same answer after the same work
// whether an address is known or not, and is limited.
package resume

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log/slog"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// How long a link works: one that is shown, for the device at hand, and one in a
// letter.
const (
	ShownLife  = 15 * time.Minute
	LetterLife = 24 * time.Hour
)

// Limits within an hour: of links of one application, of letters to one address, and
// of letters that one place asks for.
const (
	window        = time.Hour
	linksEach     = 20
	lettersEach   = 3
	lettersAPlace = 20
)

// Handler makes resume links and sends emails. All fields are required, but for Mail.
type Handler struct {
	DB          *store.DB
	Site        *applications.Handler
	Queue       applications.Queue
	Mail        *mail.Sender // nil: emails wait in the outbox, which only a sandbox has
	URL         string       // the portal's public address, without a slash at the end
	Brand       string       // who writes the emails; "" is Vestibule
	Environment contract.Environment
	BehindProxy bool // the address of a request is what a proxy says it is
	Now         func() time.Time
	Log         *slog.Logger

	// Settled is called when the email of a decision was sent or given up, in the
	// transaction that notes it.
	Settled func(ctx context.Context, tx *store.Tx, application string, number int64, state string) error

	mailboxKey []byte
}

// Open prepares the handler: the key by which addresses are found is made at the first
// start, and the same for all replicas.
func (d *Handler) Open(ctx context.Context) (err error) {
	d.mailboxKey, err = d.DB.GetOrCreateSecret(ctx, "mailboxes", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key)
		return key, nil
	})
	return err
}

// mailbox is the keyed hash by which the applications of an e-mail address are found.
func (d *Handler) mailbox(email string) []byte {
	return d.keyed("mailbox", strings.ToLower(strings.TrimSpace(email)))
}

// OnApplicant lets an application be found by its applicant's email address.
func (d *Handler) OnApplicant(ctx context.Context, tx *store.Tx, a applications.Application, f prefill.Fields) error {
	if f.Email == "" {
		return nil
	}
	return insertMailbox(ctx, tx, a.ID, d.mailbox(f.Email), d.now())
}

func (d *Handler) keyed(label, what string) []byte {
	mac := hmac.New(sha256.New, d.mailboxKey)
	mac.Write([]byte(label + "\x00" + what))
	return mac.Sum(nil)
}

// Letters reports whether a letter that is asked for can reach anybody.
func (d *Handler) Letters() bool { return d.Mail != nil || d.Outbox() }

// Outbox reports whether emails wait in the outbox.
func (d *Handler) Outbox() bool { return d.Mail == nil && d.Environment == contract.Sandbox }

// link makes a link to an application.
func (d *Handler) link(ctx context.Context, tx *store.Tx, id string, life time.Duration, lang contract.Lang) (url string, until time.Time, err error) {
	secret, now := store.NewSecret(), d.now()
	until = now.Add(life)
	url = d.URL + "/resume/" + secret
	if lang != contract.Languages()[0].Lang {
		url += "?lang=" + string(lang)
	}
	return url, until, insertLink(ctx, tx, store.Hash(secret), id, now, until)
}

// allowed counts a try and reports whether it may be made.
func (d *Handler) allowed(ctx context.Context, key []byte, most int64) (bool, error) {
	n, err := try(ctx, d.DB.SQL, key, d.now(), window)
	return n <= most, err
}

var errTooOften = &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: window, Why: errors.New("links or letters asked for too often")}

func (d *Handler) now() time.Time { return d.Now().UTC().Truncate(time.Microsecond) }

// Forget deletes the links and letters of an application: part of deleting it.
func Forget(ctx context.Context, tx *store.Tx, id string) error { return forget(ctx, tx, id) }

// Sweep deletes what is over.
func (d *Handler) Sweep(ctx context.Context) error { return sweep(ctx, d.DB.SQL, d.now()) }
