// Package sandbox is what makes the service a test bench: a clock that moves,
// faults that are dialled in, visits that walk themselves, webhooks sent again,
// reports that were prepared, an inbox for the third party's, and a reset. All of it stands on a listener of its
// own, never on the service's, and there is none of it in production.
//
// It takes no credentials, because it listens where only its operator is; it
// refuses requests that a web page of another origin makes.
package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Control is the sandbox's control surface. All fields must be set.
type Control struct {
	DB       *store.DB
	Log      *slog.Logger
	Clock    *Clock
	Faults   *Faults
	Prepared *Prepared

	Walker      Walker
	Webhooks    Webhooks
	Keys        Keys
	Accounts    Accounts
	Banks       Banks
	Submissions Submissions

	// Receive reads and verifies a webhook that was sent to the third party.
	Receive func(r *http.Request) (webhook.Event, error)
	// Moved is told that the clock was moved by d, after it was.
	Moved func(ctx context.Context, d time.Duration) error
	// Refill puts back what is there from the first start, in the transaction that
	// emptied the database.
	Refill func(ctx context.Context, tx *sql.Tx) error
}

// Walk says how a visit is walked: at which banks, by id or name ("" is the first of
// the catalogue) and username there ("" is default), and by what else; or how it ends
// early: "exit", "error:CODE".
type Walk struct {
	Banks     []BankSignIn
	Sources             // of the report, or of the first stated employer
	Employers []Sources // of each of them in turn
	Supplier  string    // of a passport: its code; "" is the first of the catalogue
	End       string
}

// Sources is what is shown of one employer, or why it is skipped.
type Sources struct {
	Payroll   *PayrollSignIn
	PayStubs  []File
	Documents []File // others
	Skip      string
}

// File is a file to upload.
type File struct {
	Name    string
	Content []byte
}

// BankSignIn is a bank by id or name ("" is the first of the catalogue) and the
// username there ("" is default).
type BankSignIn struct{ Provider, Username string }

// PayrollSignIn is a payroll provider by id or name ("" is the first of the
// catalogue) and the username there ("" is default).
type PayrollSignIn struct{ Provider, Username string }

// Walked is what became of the visit. CompleteURL is empty for a visit that does
// not belong to a redirect, and holds the outcome token otherwise.
type Walked struct {
	PublicToken string
	Status      contract.Status
	Substatus   contract.Substatus
	CompleteURL string
}

// Walker walks a visit without a browser. token is an initialization token, a
// redirect token or a handle; an unknown one is store.ErrNotFound.
type Walker interface {
	Walk(ctx context.Context, token string, how Walk) (Walked, error)
}

// Webhooks sends a report's events again and sets where they go. An unknown
// report or account is store.ErrNotFound.
type Webhooks interface {
	Fire(ctx context.Context, publicToken string, how Again) (deliveries int, err error)
	CheckURL(url string) error
	SetCallback(ctx context.Context, tx *sql.Tx, publicID, url string, rotate bool) (secret string, err error)
}

// Again says how events are sent once more.
type Again struct {
	Times   int           // how often each; 0 is once
	Delay   time.Duration // before the first
	Reorder bool          // the newest first
}

// Submissions reads a body of the submission table (document 1) by the endpoint's
// rules, but of whatever age; or says what is wrong. What a passport is prepared from
// has no accounts.
type Submissions interface {
	Read(body []byte, product contract.Product, now time.Time) (Contents, []httpx.Detail)
}

// Keys rotates the key that signs outcome tokens.
type Keys interface {
	Rotate(ctx context.Context, atOnce bool) error
}

// Banks does what a mock bank does of itself.
type Banks interface {
	// Revoke takes back the tokenized numbers of the account that reports name so.
	// An unknown one is store.ErrNotFound, one with a real number ErrNoToken.
	Revoke(ctx context.Context, accountID string) error
}

// ErrNoToken is returned by Banks for a number that cannot be revoked.
var ErrNoToken = errors.New("sandbox: the account has a real number")

// Accounts knows customers by publicId; an unknown one is store.ErrNotFound.
type Accounts interface {
	CustomerID(ctx context.Context, q store.Queryer, publicID string) (string, error)
	SetCompleteURL(ctx context.Context, tx *sql.Tx, customerID, url string) error
	// First is the customer that is meant where none is named: the generated one.
	First(ctx context.Context, q store.Queryer) (customerID string, err error)
}
