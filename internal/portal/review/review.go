// Package review is where reviewers look at applications and their reports: sign
// in, the list with its states, one application with its timeline, and the report
// (document 1, Cashflow report body; document 3, Income report, Eligibility report,
// Passport)
// as a page, as JSON and as CSV, with what stands behind it where the provider says
// so, and the files that it was made from. From there a report is shared with third
// parties, and withdrawn (document 2, Relay tokens).
//
// It refuses who is not signed in, counts tries to sign in by rows, sends people
// back to its own pages only, and writes down who looked at which report before
// it shows it, and who shared it with whom before it asks the service to. It
// changes no application: what it reads comes through the Applications interface.
// A node that a report has not is not on the page.
//
// What applications are found by stands in search, the record of what is shared in
// shares, and how lists come in pages in listing; none of them knows the desk.
package review

import (
	"context"
	"database/sql"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/password"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// Desk serves the desk's pages. All fields are required that do not say otherwise.
// Call Prepare before use.
type Desk struct {
	DB           *store.DB
	Sessions     *session.Sessions
	Applications Applications
	Files        Files
	Service      Service
	URL          string // our public address, for links that are passed on
	Agency       string // who makes the reports, as a letter names it; "" is nobody but Host
	Host         string // the service's
	Creditor     string // name and address of who decides, as a letter names them; "" is nobody
	Brand        string // whose letters they are; "" is Vestibule
	Regulator    string // whom the Equal Credit Opportunity Act's notice names; "" is nobody
	Now          func() time.Time
	Log          *slog.Logger

	// RetentionDays is after how many days without anything happening to it an
	// application is deleted; 0 is never.
	RetentionDays int

	// Letters sends the emails of decisions, and Emails are the decisions that have one;
	// nil is all that applicants are told.
	Letters Letters
	Emails  []string

	// Erase deletes what the other rooms keep of an application, in the transaction
	// that deletes it.
	Erase []func(ctx context.Context, tx *sql.Tx, id string) error
	Queue Queue

	// OIDC is the house by whose accounts people may sign in, too; nil is none.
	OIDC *OIDC

	// Starts limits how often an address begins a sign-in there; nil is no limit.
	Starts *httpx.Limit

	// NoPasswords has people sign in there only.
	NoPasswords bool

	// BehindProxy has who signs in be who a proxy says it is.
	BehindProxy bool

	// Outbox says that letters wait in one, which is then in the menu.
	Outbox bool

	// Page is what the pages of a request have in common: language, style
	// sheets, icon, the language switch.
	Page func(r *http.Request) ui.Page

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler

	passwords *password.Guard // set by Prepare
	index     *search.Index   // set by Prepare
	retained  atomic.Value    // search.Place: how far the deletion by age has come
}

// Applications is what the desk reads. Unknown applications and missing reports
// are store.ErrNotFound.
type Applications interface {
	Get(ctx context.Context, id string) (Application, error)
	// Entry returns what the index has of an application.
	Entry(ctx context.Context, q store.Queryer, id string) (Entry, error)
	// Applicants returns whom applications are of, where that is known.
	Applicants(ctx context.Context, ids []string) (map[string]Applicant, error)
	// Timeline returns the lines after a sequence number, oldest first.
	Timeline(ctx context.Context, id string, after int64, limit int) ([]Line, error)
	// Reports lists the reports that are kept, the newest first: a later attempt's
	// replaces an earlier one's, which stays readable.
	Reports(ctx context.Context, id string) ([]Held, error)
	// Report returns the JSON of an attempt's report as the service sent it; attempt 0
	// is the newest's.
	Report(ctx context.Context, id string, attempt int) ([]byte, error)
	// Analysis returns what stands behind a cashflow report, or nil where there is
	// none. Pending is while it is still being fetched.
	Analysis(ctx context.Context, id string, attempt int) (raw []byte, pending bool, err error)
	// Decided keeps a decision with the application, from where it is told to the
	// onboarding app, once.
	Decided(ctx context.Context, tx *sql.Tx, id string, d Decided) error
	// Hold keeps an application from being deleted until tx ends.
	Hold(ctx context.Context, tx *sql.Tx, id string) error
	// Consumers are whom the service knows the applicant as, of this application alone.
	Consumers(ctx context.Context, id string) ([]string, error)
}

// Decided is a decision as others are told it: without what anybody wrote.
type Decided struct {
	Kind    string   // Approved, …
	Number  int64    // within the application, from 1
	Reasons []string // codes of the report
	At      time.Time
}

// Service shares reports with third parties, and hears who wants nothing more of
// that; *svcapi.Client does.
type Service interface {
	// CreateRelayToken shares a report with the account of a publicId, or does so for
	// another 72 hours, and returns the pair's one relay token.
	CreateRelayToken(ctx context.Context, publicToken, publicID string) (relayToken string, err error)
	// RevokeRelayToken withdraws that for good.
	RevokeRelayToken(ctx context.Context, relayToken string) error
	// WithdrawConsent tells it that a consumer has withdrawn consent.
	WithdrawConsent(ctx context.Context, consumerID string) error
}

// Application is an application as reviewers see it.
type Application struct {
	ID                   string
	Product              contract.Product
	Mode                 string // embedded, redirect, redirect-form
	Origin               string // web, api
	ExternalID, UserArgs string
	State                string // one of the journey's
	Attempt              int
	PublicToken          string
	Status               contract.Status
	Substatus            contract.Substatus
	Error                contract.WidgetError
	Words                contract.Words // what the applicant is told
	HasReport            bool
	ReportAt             time.Time
	ReportAttempt        int           // whose report is looked at; 0 is the newest
	ReportToken          string        // the report's publicToken; of an application that was opened again, the earlier one's
	AnsweredAt           time.Time     // when the applicant had given what was asked for last; zero while they have not
	Lang                 contract.Lang // the applicant's
	CreatedAt, UpdatedAt time.Time
}

// Held is a report that is kept.
type Held struct {
	Attempt int
	At      time.Time
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
	From, To  string // states; equal when it moved nothing
}
