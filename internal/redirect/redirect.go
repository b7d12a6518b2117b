// Package redirect is the customer's side of secure redirect (document 2, Secure
// redirect): it asks the service for a link, remembers whose browser went there,
// and takes the signed outcome that comes back, by GET or by form POST.
//
// It refuses outcomes that are not the service's, not fresh, not of an attempt of
// ours, or brought by another browser than the one that began; and it lands an
// attempt once, whatever comes how often, over however many replicas. What was
// refused leaves the attempt open. A token's bytes never tell whether it was used:
// the attempt's row and the publicToken do.
//
// What becomes of a landed outcome is the caller's, in the same transaction.
package redirect

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// Life is how long an attempt waits for its outcome.
const Life = 60 * time.Minute

// referenceLength is that of the reference with which redirectArgs begin, and
// separator is what follows it.
const (
	referenceLength = 43
	separator       = "."
)

// MaxArgs is how many characters of redirectArgs are the caller's own.
const MaxArgs = contract.MaxRedirectArgs - referenceLength - len(separator)

// TokenType is the typ of an outcome token; it may also be absent.
const TokenType = "outcome+jwt"

// NewVerifier returns the verifier of outcome tokens that keys sign.
func NewVerifier(keys jose.KeySource, algs []jose.Alg, now func() time.Time) *jose.Verifier {
	return &jose.Verifier{Keys: keys, Types: []string{TokenType, ""}, Algs: algs, Now: now}
}

// CompleteURL is where outcomes come back to a portal at base: with the
// placeholder in the query, or without for an account whose return is a POST.
func CompleteURL(base string, post bool) string {
	if post {
		return base + returnPath
	}
	return base + returnPath + "?jwt=[token]"
}

// Service gives secure-redirect links; *svcapi.Client is one. It answers for
// where RedirectURL leads.
type Service interface {
	SecureRedirect(ctx context.Context, in svcapi.RedirectRequest) (svcapi.RedirectLink, error)
}

// Tokens verifies outcome tokens; NewVerifier makes one.
type Tokens interface {
	Verify(ctx context.Context, raw string) (*jose.Token, error)
}

// Browsers tells browsers apart.
type Browsers interface {
	// Identity names the session of the browser that sent r and who is signed in
	// there. It stays the same when the session's secret is renewed and changes
	// when somebody signs in or out; it is empty for a browser without a session.
	Identity(r *http.Request) (string, error)

	// Renew replaces the session's secret within tx. Once tx has committed, set
	// gives the new one to the browser.
	Renew(ctx context.Context, tx *store.Tx, r *http.Request) (set func(http.ResponseWriter) error, err error)
}

// Pages shows a Notice as a page of the portal, in the applicant's language and
// with the request's id.
type Pages interface {
	Notice(w http.ResponseWriter, r *http.Request, status int, n Notice) error
}

// Handler starts attempts and lands their outcomes. A field is required unless it
// says otherwise. It is safe for concurrent use.
type Handler struct {
	DB       *store.DB
	Service  Service
	Tokens   Tokens
	Browsers Browsers
	Pages    Pages
	Log      *slog.Logger

	// Started is told of each attempt once, in the transaction that keeps it; its error
	// undoes the keeping, and may come after the service has given its link. Like Landed
	// it may run again; nil is nobody.
	OnStarted func(ctx context.Context, tx *store.Tx, a Attempt) error

	// Landed is told of each outcome once, in the transaction that lands it; its
	// error undoes the landing. It may run again when the engine repeats the
	// transaction, so it has no effect outside tx.
	OnOutcome func(ctx context.Context, tx *store.Tx, a Attempt, o Outcome) error

	// Refused is told why, of each arrival that is refused, in one of a few words; nil
	// is nobody.
	Refused func(reason string)

	// Next is the address that the applicant goes on at: a path of the portal.
	Next func(Attempt) string

	CompleteURL string           // sent with each request for a link; "": the account's own
	Audience    string           // our publicId: a token whose aud names only others is refused; "": aud is not looked at
	Issuer      string           // the service's public URL: a token whose iss is another is refused
	Now         func() time.Time // nil: time.Now

	// Verified is told of each token that is an attempt's outcome, before it is known
	// whose browser brought it; nil is nobody.
	Verified func(ctx context.Context, a Attempt, t *jose.Token) error
}

// Attempt is one try of one application.
type Attempt struct {
	ID          string
	Application string
	Number      int    // the application's count of its attempts
	Args        string // the caller's own redirectArgs
	Started     time.Time
	Expires     time.Time

	browser []byte
	landed  bool
}

// Outcome is what a verified token says.
type Outcome struct {
	Kind        contract.Outcome
	PublicToken string               // a UUID in lower case; may be empty unless Kind is SUCCESS
	Status      contract.Status      // the visit's; empty if the token has none
	Error       contract.WidgetError // with ERROR; empty is an internal error
}

// StartRequest is what an attempt begins with.
type StartRequest struct {
	Identity    string // of the browser: what Browsers.Identity says of it
	Application string
	Number      int
	Service     svcapi.RedirectRequest // RedirectArgs are the caller's own, up to MaxArgs characters
}

// Errors of Start, besides the service's own.
var (
	ErrNoBrowser = errors.New("redirect: an attempt needs a browser with a session")
	ErrArgs      = errors.New("redirect: redirectArgs are too long or not UTF-8")
)

// Start asks the service for a link and binds the attempt to the browser. Send
// the browser to the link's RedirectURL, or have it POST RedirectToken there in
// the field `token`. Nothing is stored when the service gives no link.
func (c *Handler) Start(ctx context.Context, in StartRequest) (Attempt, svcapi.RedirectLink, error) {
	if in.Identity == "" {
		return Attempt{}, svcapi.RedirectLink{}, ErrNoBrowser
	}
	args := in.Service.RedirectArgs
	if !utf8.ValidString(args) || utf8.RuneCountInString(args) > MaxArgs {
		return Attempt{}, svcapi.RedirectLink{}, ErrArgs
	}
	now := c.now()
	a := Attempt{ID: uuid.NewString(), Application: in.Application, Number: in.Number, Args: args,
		Started: now, Expires: now.Add(Life), browser: store.Hash(in.Identity)}
	sent := store.NewSecret() + separator + args
	in.Service.RedirectArgs = sent
	if in.Service.CompleteURL == "" {
		in.Service.CompleteURL = c.CompleteURL
	}
	link, err := c.Service.SecureRedirect(ctx, in.Service)
	if err != nil {
		return Attempt{}, svcapi.RedirectLink{}, err
	}
	err = c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := insert(ctx, tx, c.DB.Vault, a, store.Hash(sent)); err != nil || c.OnStarted == nil {
			return err
		}
		return c.OnStarted(ctx, tx, a)
	})
	if err != nil {
		return Attempt{}, svcapi.RedirectLink{}, err
	}
	return a, link, nil
}

// Sweep deletes what can no longer be used: parked outcomes and attempts whose
// time has passed. Landed attempts stay, for their publicTokens are used up.
func (c *Handler) Sweep(ctx context.Context) error {
	return c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return sweep(ctx, tx, c.now())
	})
}

func (c *Handler) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
