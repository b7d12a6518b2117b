// Package review implements the review dashboard: sign-in, the list of applications,
// an application with its timeline, and its report as a page, as JSON and as CSV,
// with the analysis if the provider has one and the files that the report is based
// on. Reviewers share reports with third parties and withdraw them. The dashboard
// also shows the onboarding app's events and the sandbox's outbox.
//
// Only signed-in users have access. The package redirects only to its own pages, and
// writes the audit entry before it shows a report or asks the service to share one. A page never shows a node that the report
// does not have.
//
// Package staff holds its users, their sign-in and the audit log; package search finds
// applications.
package review

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// Handler serves the review dashboard. Fields are required unless documented
// otherwise. Call Prepare before use.
type Handler struct {
	DB           *store.DB
	Staff        *staff.Service
	Applications *applications.Service
	Letters      *resume.Handler // sends decision emails
	Events       *notify.Service
	Service      Service
	URL          string // public address of the portal, for links
	Agency       string // consumer reporting agency to name in letters; "": only Host is named
	Host         string // host of the service
	Creditor     string // creditor's name and address for letters; "" omits them
	Brand        string // brand of the letters; default Vestibule
	Regulator    string // agency named in the Equal Credit Opportunity Act's notice; "" omits it
	Now          func() time.Time
	Log          *slog.Logger

	// RetentionDays is the number of days without activity after which an application
	// is deleted; 0: never.
	RetentionDays int

	// Emails are the decisions that are sent by email; nil: all that applicants are
	// notified of.
	Emails []string

	// Erase deletes an application's data in other packages, in the transaction that
	// deletes the application.
	Erase []func(ctx context.Context, tx *store.Tx, id string) error
	Queue applications.Queue

	// Page returns the data that all pages of a request share: language, style
	// sheets, icon, the language switch.
	Page func(r *http.Request) ui.Page

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler

	index    *search.Index // set by Prepare
	retained atomic.Value  // search.Place: progress of retention
}

// home is the path of the first page.
const home = "/review"

// Service shares reports with third parties and accepts withdrawals of consent;
// *svcapi.Client implements it.
type Service interface {
	// CreateRelayToken shares a report with the account of a publicId for 72 hours,
	// or extends the share, and returns the sharing token, of which each pair has
	// one.
	CreateRelayToken(ctx context.Context, publicToken, publicID string) (relayToken string, err error)
	// RevokeRelayToken permanently withdraws a share.
	RevokeRelayToken(ctx context.Context, relayToken string) error
	// WithdrawConsent reports that a consumer has withdrawn consent.
	WithdrawConsent(ctx context.Context, consumerID string) error
}
