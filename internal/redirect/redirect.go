// Package redirect implements the customer's side of secure redirect
// (docs/tutorials/redirect.md): it requests a link from the service, remembers which browser
// followed it, and accepts the signed outcome that returns, by GET or by form
// POST.
//
// It refuses outcomes that the service did not sign, that are stale, that match no
// known attempt, or that arrive in another browser than the one that started. It
// consumes each attempt once, however often and on however many replicas the outcome
// arrives. A refused outcome leaves the attempt open. The attempt's row and the
// publicToken record whether an outcome was used; the token's bytes do not.
//
// The caller processes the outcome in the same transaction.
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

// redirectArgs begin with a reference of referenceLength characters, followed by
// separator.
const (
	referenceLength = 43
	separator       = "."
)

// MaxArgs is the number of redirectArgs characters available to the caller.
const MaxArgs = contract.MaxRedirectArgs - referenceLength - len(separator)

// TokenType is the typ of an outcome token. Tokens may also omit typ.
const TokenType = "outcome+jwt"

// NewVerifier returns a verifier of outcome tokens signed by keys.
func NewVerifier(keys jose.KeySource, algs []jose.Alg, now func() time.Time) *jose.Verifier {
	return &jose.Verifier{Keys: keys, Types: []string{TokenType, ""}, Algs: algs, Now: now}
}

// CompleteURL returns the redirect URL of a portal at base: with the placeholder in
// the query, or, if post is set, without it for accounts that return by POST.
func CompleteURL(base string, post bool) string {
	if post {
		return base + returnPath
	}
	return base + returnPath + "?jwt=[token]"
}

// Service creates secure-redirect links; *svcapi.Client implements it. The caller
// trusts RedirectURL.
type Service interface {
	SecureRedirect(ctx context.Context, in svcapi.RedirectRequest) (svcapi.RedirectLink, error)
}

// Tokens verifies outcome tokens; see NewVerifier.
type Tokens interface {
	Verify(ctx context.Context, raw string) (*jose.Token, error)
}

// Browsers identifies browsers by their sessions.
type Browsers interface {
	// Identity returns the session and signed-in user of the browser that sent r. It
	// stays the same when the session's secret is renewed and changes on sign-in and
	// sign-out. It is empty without a session.
	Identity(r *http.Request) (string, error)

	// Renew replaces the session's secret within tx. Call set after tx commits to
	// send the new secret to the browser.
	Renew(ctx context.Context, tx *store.Tx, r *http.Request) (set func(http.ResponseWriter) error, err error)
}

// Pages renders a Notice as a portal page, in the applicant's language and with the
// request's ID.
type Pages interface {
	Notice(w http.ResponseWriter, r *http.Request, status int, n Notice) error
}

// Handler starts attempts and consumes their outcomes. Fields are required unless
// documented otherwise. It is safe for concurrent use.
type Handler struct {
	DB       *store.DB
	Service  Service
	Tokens   Tokens
	Browsers Browsers
	Pages    Pages
	Log      *slog.Logger

	// OnStarted is called once for each attempt, in the transaction that stores it.
	// An error rolls the transaction back, possibly after the service has created its
	// link. Like OnOutcome it may run again; nil does nothing.
	OnStarted func(ctx context.Context, tx *store.Tx, a Attempt) error

	// OnOutcome is called once for each outcome, in the transaction that consumes it.
	// An error rolls the transaction back. It may run again when the engine retries
	// the transaction, so it must have no effects outside tx.
	OnOutcome func(ctx context.Context, tx *store.Tx, a Attempt, o Outcome) error

	// Refused is called with the metric label of each refused return; nil does
	// nothing.
	Refused func(reason string)

	// Next returns the portal path to which the applicant's browser is sent next.
	Next func(Attempt) string

	CompleteURL string           // sent with each request for a link; "": the account's default
	Audience    string           // publicId of the account: tokens whose aud names only others are refused; "": aud is not checked
	Issuer      string           // public URL of the service: tokens with another iss are refused
	Now         func() time.Time // the same clock as of DB; default: time.Now

	// Verified is called for each token that holds an attempt's outcome, before the
	// browser is checked; nil does nothing.
	Verified func(ctx context.Context, a Attempt, t *jose.Token) error
}

// Attempt is one attempt to complete an application.
type Attempt struct {
	ID          string
	Application string
	Number      int    // counts the application's attempts from 1
	Args        string // the caller's part of redirectArgs
	Started     time.Time
	Expires     time.Time

	browser  []byte
	returned bool
}

// Outcome holds the claims of a verified token.
type Outcome struct {
	Kind        contract.Outcome
	PublicToken string               // lowercase UUID; may be empty unless Kind is SUCCESS
	Status      contract.Status      // status of the visit; empty if the token has none
	Error       contract.WidgetError // set with ERROR; empty means an internal error
}

// StartRequest holds the arguments of Start.
type StartRequest struct {
	Identity    string // identity of the browser, from Browsers.Identity
	Application string
	Number      int
	Service     svcapi.RedirectRequest // RedirectArgs holds the caller's part, at most MaxArgs characters
}

// Errors of Start, in addition to those of the service.
var (
	ErrNoBrowser = errors.New("redirect: an attempt needs a browser with a session")
	ErrArgs      = errors.New("redirect: redirectArgs are too long or not UTF-8")
)

// Start requests a link from the service and binds the attempt to the browser. Send
// the browser to the link's RedirectURL, or have it POST RedirectToken there in the
// field `token`. Start stores nothing if the service returns no link.
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

// Sweep deletes expired stashed outcomes and expired open attempts. Consumed attempts
// stay because their publicTokens must not be used again.
func (c *Handler) Sweep(ctx context.Context) error {
	return c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return sweep(ctx, tx)
	})
}

func (c *Handler) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
