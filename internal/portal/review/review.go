// Package review serves the pages of the review dashboard: the list of applications, an
// application with its timeline, its report as a page, as JSON and as CSV, and decisions
// with their letters. The dashboard also shows the onboarding app's events and the
// sandbox's outbox.
//
// Only signed-in users have access. The package redirects only to its own pages, and
// writes the audit entry before it shows a report. A page never shows a node that the
// report does not have.
//
// The packages below it hold what its pages show: search finds applications, decisions
// stores decisions, sharing shares reports with third parties, deletion deletes
// applications, audit reads the audit log, verdict decides what reports mean, and
// spreadsheet formats tables. Package staff holds the users and their sign-in, and writes
// the audit log.
package review

import (
	"log/slog"
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/pageimage"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/printout"
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
	Letters      *resume.Handler // has the outbox of a sandbox
	Events       *notify.Service
	Index        *search.Index
	Sharing      *sharing.Service
	Decisions    *decisions.Service
	Deletion     *deletion.Service
	Audit        *audit.Service
	PageImages   *pageimage.Renderer // shows documents as images
	Brand        printout.Brand      // at the top of PDF files
	URL          string              // public address of the portal, for links
	Log          *slog.Logger

	// Page returns the data that all pages of a request share: language, style
	// sheets, icon, the language switch.
	Page func(r *http.Request) ui.Page

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler
}

// home is the path of the first page.
const home = "/review"
