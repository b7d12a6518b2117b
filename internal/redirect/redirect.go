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
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/telemetry"
)

// Life is how long an attempt waits for its outcome.
const Life = 60 * time.Minute

// NewVerifier returns a verifier of signed results of a form, signed by keys.
func NewVerifier(keys jose.KeySource, form svcapi.ResultForm, now func() time.Time) *jose.Verifier {
	return &jose.Verifier{Keys: keys, Types: form.Types, Algs: form.Algorithms, Now: now}
}

// CompleteURL returns the redirect URL of a portal at base: with the form's placeholder in
// the query, or, if post is set, without it for accounts that return by POST.
func CompleteURL(base string, form svcapi.ResultForm, post bool) string {
	if post {
		return base + returnPath
	}
	return base + returnPath + "?" + form.Parameter + "=" + form.Placeholder
}

// Handler starts attempts and consumes their outcomes. Fields are required unless
// documented otherwise. It is safe for concurrent use.
type Handler struct {
	DB        *store.DB
	Service   *svcapi.Client
	Tokens    *jose.Verifier    // see NewVerifier
	Form      svcapi.ResultForm // of the provider's signed results
	Sessions  *session.Sessions // identify the browsers
	Telemetry *telemetry.Party  // counts refused returns; may be nil
	Log       *slog.Logger

	CompleteURL string // sent with each request for a link; "": the account's default
	Audience    string // publicId of the account: tokens whose aud names only others are refused; "": aud is not checked
	Issuer      string // public URL of the service: tokens with another iss are refused

	// OnStarted is called once for each attempt, in the transaction that stores it.
	// An error rolls the transaction back, possibly after the service has created its
	// link. Like OnOutcome it may run again. A function, because applications import this
	// package.
	OnStarted func(ctx context.Context, tx *store.Tx, a Attempt) error

	// OnOutcome is called once for each outcome, in the transaction that consumes it.
	// An error rolls the transaction back. It may run again when the engine retries
	// the transaction, so it must have no effects outside tx. A function, because
	// applications import this package.
	OnOutcome func(ctx context.Context, tx *store.Tx, a Attempt, o Outcome) error

	// Verified is called for each token that holds an attempt's outcome, also in another
	// browser; may be nil. A function, because only a sandbox's playground, which imports
	// this package, keeps them.
	Verified func(ctx context.Context, q store.Queryer, a Attempt, t *jose.Token) error

	// StatusURL returns the portal path of an application, where the applicant's browser
	// is sent next. A function, because the portal's pages are above this package.
	StatusURL func(application string) string

	// ShowNotice renders a Notice as a page of the portal, in the applicant's language. A
	// function, because the portal's pages are above this package.
	ShowNotice func(w http.ResponseWriter, r *http.Request, status int, n Notice) error
}

// Attempt is one attempt to complete an application.
type Attempt struct {
	ID          string
	Application string
	Number      int // counts the application's attempts from 1
	Started     time.Time
	Expires     time.Time

	reference []byte // hash of redirectArgs
	browser   []byte
	returned  bool
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
	Identity    string // of the browser's session
	Application string
	Number      int
	Service     svcapi.RedirectRequest // without RedirectArgs
}

// ErrNoBrowser is an error of Start, in addition to those of the service.
var ErrNoBrowser = errors.New("redirect: an attempt needs a browser with a session")

// Start requests a link from the service and binds the attempt to the browser. Send
// the browser to the link's RedirectURL, or have it POST RedirectToken there in the
// field `token`. Start stores nothing if the service returns no link.
func (c *Handler) Start(ctx context.Context, in StartRequest) (Attempt, svcapi.RedirectLink, error) {
	if in.Identity == "" {
		return Attempt{}, svcapi.RedirectLink{}, ErrNoBrowser
	}
	now := c.DB.Now()
	in.Service.RedirectArgs = store.NewSecret()
	a := Attempt{ID: uuid.NewString(), Application: in.Application, Number: in.Number, Started: now, Expires: now.Add(Life),
		reference: store.Hash(in.Service.RedirectArgs), browser: store.Hash(in.Identity)}
	in.Service.CompleteURL = cmp.Or(in.Service.CompleteURL, c.CompleteURL)
	link, err := c.Service.SecureRedirect(ctx, in.Service)
	if err != nil {
		return Attempt{}, svcapi.RedirectLink{}, err
	}
	err = c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := insert(ctx, tx, c.DB.Vault, a); err != nil {
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
func (c *Handler) Sweep(ctx context.Context) error { return c.DB.Tx(ctx, sweep) }
