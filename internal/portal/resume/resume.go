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
	"database/sql"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/session"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
	"vestibule/templates/ui"
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

// Desk is the room. All fields are required, but for Mail.
type Desk struct {
	DB           *store.DB
	Sessions     *session.Sessions
	Applications Applications
	Queue        Queue
	Mail         Mailer // nil: letters wait in the outbox, which only a sandbox has
	URL          string // the portal's public address, without a slash at the end
	Brand        string // who writes the letters; "" is Vestibule
	Environment  contract.Environment
	BehindProxy  bool // who asks is who a proxy says it is
	Now          func() time.Time
	Log          *slog.Logger

	Base  func(r *http.Request) pages.Base
	Adapt func(httpx.HandlerFunc) http.Handler

	// Guard lets the people of the review desk in to the outbox.
	Guard func(next func(w http.ResponseWriter, r *http.Request, by Member) error) httpx.HandlerFunc

	// Settled is called when the email of a decision was sent or given up, in the
	// transaction that notes it.
	Settled func(ctx context.Context, tx *sql.Tx, application string, number int64, state string) error

	// StatusURL is the page of an application; StreamURL tells that it has moved.
	StatusURL func(id string) string
	StreamURL func(id string) string

	mailboxKey []byte
}

// Member is who looks into the outbox, and the desk's frame of the page.
type Member struct {
	Email string
	Page  ui.Page
}

// Application is what this room needs to know of one.
type Application struct {
	ID      string
	Product contract.Product
	Version int64
	Begun   time.Time
}

// Applications is what the room asks of its neighbour. Unknown ones are
// store.ErrNotFound.
type Applications interface {
	// Enter finds the application that the address names for who may see it. In
	// another site's frame there is no session to share.
	Enter(w http.ResponseWriter, r *http.Request) (a Application, framed bool, err error)
	Get(ctx context.Context, id string) (Application, error)
	// Join lets the browser of a session in, and says so in the timeline.
	Join(ctx context.Context, tx *sql.Tx, id, sessionID string) error
	Bound(ctx context.Context, id, sessionID string) (bool, error)
	// Email is the applicant's address; "" while he was not asked.
	Email(ctx context.Context, id string) (string, error)
	// Key is the data key that what belongs to the application is sealed under.
	Key(ctx context.Context, q store.Queryer, id string) (string, error)
}

// Queue takes jobs. *jobs.Queue is one.
type Queue interface {
	Enqueue(ctx context.Context, tx *sql.Tx, args jobs.Args, opts ...jobs.EnqueueOption) error
}

// Mailer sends letters. *mail.Sender is one.
type Mailer interface {
	// Send is mail.ErrRefused for a letter that is never taken; after another error
	// it may be sent again.
	Send(ctx context.Context, l mail.Letter) error
}

// Open readies the room: the key by which addresses are found is made at the first
// start, and the same for all replicas.
func (d *Desk) Open(ctx context.Context) (err error) {
	d.mailboxKey, err = d.DB.Keep(ctx, "mailboxes", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key)
		return key, nil
	})
	return err
}

// mailbox is the keyed hash by which the applications of an e-mail address are found.
func (d *Desk) mailbox(email string) []byte {
	return d.keyed("mailbox", strings.ToLower(strings.TrimSpace(email)))
}

// Learn lets an application be found by its applicant's e-mail address.
func (d *Desk) Learn(ctx context.Context, tx *sql.Tx, id, email string) error {
	if email == "" {
		return nil
	}
	return insertMailbox(ctx, tx, id, d.mailbox(email), d.now())
}

func (d *Desk) keyed(label, what string) []byte {
	mac := hmac.New(sha256.New, d.mailboxKey)
	mac.Write([]byte(label + "\x00" + what))
	return mac.Sum(nil)
}

// Letters reports whether a letter that is asked for can reach anybody.
func (d *Desk) Letters() bool { return d.Mail != nil || d.Outbox() }

// Outbox reports whether letters wait for somebody to look at them.
func (d *Desk) Outbox() bool { return d.Mail == nil && d.Environment == contract.Sandbox }

// link makes a link to an application.
func (d *Desk) link(ctx context.Context, tx *sql.Tx, id string, life time.Duration, lang contract.Lang) (url string, until time.Time, err error) {
	secret, now := store.NewSecret(), d.now()
	until = now.Add(life)
	url = d.URL + "/go/" + secret
	if lang != contract.Languages()[0].Lang {
		url += "?lang=" + string(lang)
	}
	return url, until, insertLink(ctx, tx, store.Hash(secret), id, now, until)
}

// allowed counts a try and reports whether it may be made.
func (d *Desk) allowed(ctx context.Context, key []byte, most int64) (bool, error) {
	n, err := try(ctx, d.DB.SQL, key, d.now(), window)
	return n <= most, err
}

var errTooOften = &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: window, Why: errors.New("links or letters asked for too often")}

func (d *Desk) now() time.Time { return d.Now().UTC().Truncate(time.Microsecond) }

// Forget deletes the links and letters of an application: part of deleting it.
func Forget(ctx context.Context, tx *sql.Tx, id string) error { return forget(ctx, tx, id) }

// Sweep deletes what is over.
func (d *Desk) Sweep(ctx context.Context) error { return sweep(ctx, d.DB.SQL, d.now()) }
