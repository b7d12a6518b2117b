// Package review is where reviewers work on applications and their reports: sign in,
// the list with its states, one application with its timeline, and the report as a
// page, as JSON and as CSV, with its analysis where the provider has one, and the
// files that it was made from. From there a report is shared with third parties, and
// withdrawn. The onboarding app's events and the sandbox's outbox are pages of it too.
//
// It refuses visitors who are not signed in, counts tries to sign in by rows, redirects
// to its own pages only, and writes the audit line of a report before it shows it, and
// of a share before it asks the service for it. A node that a report has not is not on
// the page.
//
// Package search finds applications, shares records what is shared, and listing pages
// through lists; none of them imports this package.
package review

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/password"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// Handler serves the desk's pages. All fields are required that do not say otherwise.
// Call Prepare before use.
type Handler struct {
	DB           *store.DB
	Sessions     *session.Sessions
	Applications *applications.Service
	Letters      *resume.Handler // sends the emails of decisions
	Events       *notify.Service
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

	// Emails are the decisions that applicants get an email of; nil is all that they are
	// told.
	Emails []string

	// Erase deletes what the other packages keep of an application, in the transaction
	// that deletes it.
	Erase []func(ctx context.Context, tx *store.Tx, id string) error
	Queue applications.Queue

	// OIDC is the house by whose accounts people may sign in, too; nil is none.
	OIDC *OIDC

	// Starts limits how often an address begins a sign-in there; nil is no limit.
	Starts *httpx.RateLimit

	// NoPasswords has people sign in there only.
	NoPasswords bool

	// BehindProxy has who signs in be who a proxy says it is.
	BehindProxy bool

	// Page is what the pages of a request have in common: language, style
	// sheets, icon, the language switch.
	Page func(r *http.Request) ui.Page

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler

	passwords *password.Guard // set by Prepare
	index     *search.Index   // set by Prepare
	retained  atomic.Value    // search.Place: how far the deletion by age has come
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
