// Package review implements the review dashboard: the list of applications, an
// application with its timeline, its report as a page, as JSON and as CSV, and decisions
// with their letters. The dashboard also shows the onboarding app's events and the
// sandbox's outbox.
//
// Only signed-in users have access. The package redirects only to its own pages, and
// writes the audit entry before it shows a report. A page never shows a node that the
// report does not have.
//
// The packages below it hold what its pages show: search finds applications, sharing
// shares reports with third parties, deletion deletes applications, and spreadsheet
// formats tables. Package staff holds the users, their sign-in and the audit log.
package review

import (
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// Handler serves the review dashboard. Fields are required unless documented
// otherwise.
type Handler struct {
	DB           *store.DB
	Staff        *staff.Service
	Applications *applications.Service
	Letters      *resume.Handler // sends decision emails
	Events       *notify.Service
	Index        *search.Index
	Sharing      *sharing.Service
	Deletion     *deletion.Service
	URL          string // public address of the portal, for links
	Agency       string // consumer reporting agency to name in letters; "": only Host is named
	Host         string // host of the service
	Creditor     string // creditor's name and address for letters; "" omits them
	Brand        string // brand of the letters; default Vestibule
	Regulator    string // agency named in the Equal Credit Opportunity Act's notice; "" omits it
	Now          func() time.Time
	Log          *slog.Logger

	// Emails are the decisions that are sent by email; nil: all that applicants are
	// notified of.
	Emails []string

	// Page returns the data that all pages of a request share: language, style
	// sheets, icon, the language switch.
	Page func(r *http.Request) ui.Page

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler
}

// home is the path of the first page.
const home = "/review"
