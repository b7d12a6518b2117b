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
package review

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/door"
	"vestibule/internal/password"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/svc"
	"vestibule/templates/ui"
)

// Desk serves the reviewers' pages. All fields are required.
type Desk struct {
	DB           *store.DB
	Sessions     *session.Sessions
	Applications Applications
	Files        Files
	Service      Service
	Now          func() time.Time
	Log          *slog.Logger

	// Page is what the pages of a request have in common: language, style
	// sheets, icon, the language switch.
	Page func(r *http.Request) ui.Page

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(door.HandlerFunc) http.Handler

	passwords password.Queue
}

// Applications is what the desk reads. Unknown applications and missing reports
// are store.ErrNotFound.
type Applications interface {
	// List returns the newest applications that fit, and where the next page
	// begins, or "".
	List(ctx context.Context, f Filter) (page []Application, next string, err error)
	// Counts says how many applications are in each state.
	Counts(ctx context.Context) (map[string]int, error)
	Get(ctx context.Context, id string) (Application, error)
	// Timeline returns the lines after a sequence number, oldest first.
	Timeline(ctx context.Context, id string, after int64, limit int) ([]Line, error)
	// Report returns the report's JSON as the service sent it.
	Report(ctx context.Context, id string) ([]byte, error)
	// Analysis returns what stands behind a cashflow report, or nil where there is
	// none. Pending is while it is still being fetched.
	Analysis(ctx context.Context, id string) (raw []byte, pending bool, err error)
}

// Service shares reports with third parties; *svcapi.Client does.
type Service interface {
	// CreateRelayToken shares a report with the account of a publicId, or does so for
	// another 72 hours, and returns the pair's one relay token.
	CreateRelayToken(ctx context.Context, publicToken, publicID string) (relayToken string, err error)
	// RevokeRelayToken withdraws that for good.
	RevokeRelayToken(ctx context.Context, relayToken string) error
}

// Filter chooses applications.
type Filter struct {
	State  string // "" is any
	Query  string // an id, an externalId or its beginning, or a publicToken; "" is all
	Cursor string // from List; "" is the first page
	Limit  int    // 1 to 100
}

// Application is an application as reviewers see it.
type Application struct {
	ID                   string
	Product              svc.Product
	Mode                 string // embedded, redirect, redirect-form
	Origin               string // web, api
	ExternalID, UserArgs string
	State                string // one of the journey's
	Attempt              int
	PublicToken          string
	Status               svc.Status
	Substatus            svc.Substatus
	Error                svc.WidgetError
	Words                svc.Words // what the applicant is told
	HasReport            bool
	ReportAt             time.Time
	CreatedAt, UpdatedAt time.Time
}

// Line is one line of an application's timeline.
type Line struct {
	Seq       int64
	At        time.Time
	Kind      string
	Attempt   int
	Status    svc.Status
	Substatus svc.Substatus
	Error     svc.WidgetError
	From, To  string // states; equal when it moved nothing
}
