// Package embed is the portal's API for onboarding apps in any language: make an
// application, send the applicant's browser to it, follow it, and fetch its
// report, all from the app's own back end with one bearer key. The addresses and
// bodies are those of docs/portal-openapi.yaml. Beside it stands the embed kit: the
// script and the element by which the app's own page shows the portal's pages in a
// frame (docs/embed.md).
//
// It refuses a wrong key in constant time and more than its rate, decodes
// strictly, and repeats nothing under one Idempotency-Key. A browser gets in by
// an embed token, which is kept as a hash, ends by itself, and belongs to the
// first browser that redeems it, or to the frames of the first page that does. It
// stores no application itself.
package embed

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
)

// API serves /api/v1 and the embed kit. Rate may be zero; everything else is
// required.
type API struct {
	DB           *store.DB
	Applications Applications
	Files        Files
	Webhooks     Webhooks
	Key          string // the portal's API key
	URL          string // the portal's public address, without a slash at the end
	Environment  contract.Environment
	AssetsOnly   bool // the eligibility product verifies assets only
	Now          func() time.Time
	Log          *slog.Logger
	Spec         []byte // the OpenAPI document, JSON
	Rate         int    // requests a second of one key in this process; 0 is 50

	// Base is what every page of a request has in common, and Adapt turns a handler
	// into one that shows its errors as a page.
	Base  func(r *http.Request) pages.Base
	Adapt func(httpx.HandlerFunc) http.Handler
	// Assets has the kit.
	Assets interface {
		Stable(name string) http.Handler
	}

	bucket bucket
}

// Applications is what the API needs of the applications room. Unknown
// applications and missing reports are store.ErrNotFound.
type Applications interface {
	// Create checks and stores an application in tx. Problems of the applicant's
	// data come back with a nil error, and other refusals as ErrUnknownProduct,
	// ErrDuplicateExternalID or ErrRefused; nothing is stored then.
	Create(ctx context.Context, tx *sql.Tx, n New) (id string, problems []prefill.Problem, err error)
	Get(ctx context.Context, id string) (Application, error)
	// List returns the newest that fit, and the cursor of the next page or "". A
	// cursor that it has not made is ErrCursor.
	List(ctx context.Context, f Filter) ([]Application, string, error)
	// Timeline returns the lines after a sequence number, oldest first.
	Timeline(ctx context.Context, id string, after int64, limit int) ([]Line, error)
	// Report returns the report's JSON as the service sent it.
	Report(ctx context.Context, id string) ([]byte, error)
}

// Refusals of Applications.Create.
var (
	ErrUnknownProduct      = errors.New("embed: the product is not offered")
	ErrDuplicateExternalID = errors.New("embed: the external id is taken")
	ErrRefused             = errors.New("embed: a field is not as it must be")
)

// New is the application to make.
type New struct {
	Product       contract.Product
	Mode          string          // embedded, redirect, redirect-form
	Prefill       *prefill.Fields // nil: the applicant is asked
	ExternalID    string
	UserArgs      string
	ReturnURL     string // where the applicant may go on to at the end
	AllowedOrigin string // the site that may frame its pages
}

// Application is an application as the API shows it.
type Application struct {
	ID         string
	Product    contract.Product
	Mode       string
	ExternalID string
	State      string
	Outcome    contract.Outcome // how the applicant's visit ended; empty while it has not
	// PublicToken, Status, Substatus and Error are what is proven so far.
	PublicToken          string
	Status               contract.Status
	Substatus            contract.Substatus
	Error                contract.WidgetError
	Resumable            bool     // the applicant can go on with it, or start it again
	Decision             Decision // the newest; the zero value is none
	CreatedAt, UpdatedAt time.Time
	AllowedOrigin        string // the site that may frame its pages
}

// Decision is what a reviewer decided.
type Decision struct {
	Kind    string   // approved, declined, moreAsked or escalated
	Number  int64    // within the application, from 1
	Reasons []string // codes of the report
	At      time.Time

	AnsweredAt time.Time // of more that was asked for: when the answer was here; zero while it is not
}

// Line is one line of an application's timeline.
type Line struct {
	Seq       int64
	At        time.Time
	Kind      string
	Attempt   int
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	From, To  string
	Reasons   []string // of a decision
}

// authorized lets a request with the key in, at the key's rate.
func (a *API) authorized(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		got, ok := bearer(r)
		if !ok || subtle.ConstantTimeCompare(store.Hash(got), store.Hash(a.Key)) != 1 || a.Key == "" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="vestibule"`)
			return httpx.Fail(contract.CodeUnauthorized, errors.New("no API key, or not ours"))
		}
		if wait := a.bucket.take(a.Now(), float64(a.rate())); wait > 0 {
			return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: wait, Why: errors.New("rate of the API key")}
		}
		return next(w, r)
	}
}

func (a *API) rate() int {
	if a.Rate > 0 {
		return a.Rate
	}
	return 50
}

func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != "" && len(token) <= 512
}

// keyed hashes data so that only who has the API key can tell what it was.
func (a *API) keyed(label string, data []byte) []byte {
	mac := hmac.New(sha256.New, []byte(a.Key))
	mac.Write([]byte(label + "\x00"))
	mac.Write(data)
	return mac.Sum(nil)
}

// bucket holds as many requests as fill it in a second.
type bucket struct {
	mu   sync.Mutex
	left float64
	at   time.Time
}

// take takes one request, or says how long to wait for it.
func (b *bucket) take(now time.Time, rate float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at.IsZero() {
		b.left = rate
	} else if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.left = min(rate, b.left+passed*rate)
	}
	b.at = now
	if b.left < 1 {
		return time.Duration((1 - b.left) / rate * float64(time.Second))
	}
	b.left--
	return 0
}
