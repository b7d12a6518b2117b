// Package visits implements the applicant's visit: initialization, the widget's frame
// and the hosted page, from the consent to the generation of the report (API
// reference: Visits; docs/widget.md).
//
// It rejects options that do not go together, data that breaks the prefill rules, used
// tokens, and forms of a step other than the current one. It stores nothing of what it
// rejected, nothing typed into a sign-in, and only the SHA-256 of its tokens and
// handles. Its only cookie ties a hosted visit to the browser that began it.
package visits

import (
	"context"
	"log/slog"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/web"
)

// Service serves visits. All fields before Returns must be set.
type Service struct {
	DB         *store.DB
	Queue      jobs.Enqueuer
	Log        *slog.Logger
	Now        func() time.Time
	Assets     *web.Assets
	Gate       *auth.Authenticator
	Customers  *customers.Service
	Reports    *reports.Service
	Documents  *documents.Service
	Catalogues func(contract.Environment) Catalogue // of the visits of an environment
	Returns    Returns                              // nil: visits never belong to a redirect
	Secure     bool                                 // applicants come by https: cookies are for it alone

	// Invited returns the visit of an invite's handle, or store.ErrNotFound; nil without
	// invites.
	Invited func(ctx context.Context, q store.Queryer, handle string) (visitID string, err error)

	// Limits of visits begun without a token; nil for no limit.
	ByAddress *httpx.RateLimit
	ByAccount *httpx.RateLimit
	// Files is the maximum size in bytes of files uploaded in such visits of one account
	// within 24 hours; 0 for no limit.
	Files int64
}

// Access simulates the sign-in of the mock banks or payroll providers.
type Access interface {
	Login(username string) Login
	// Empty reports whether a provider has no recent data of a profile.
	Empty(provider, profile string, at time.Time) bool
}

// BankAccess simulates the sign-in of the mock banks, and their accounts.
type BankAccess interface {
	Access
	// Accounts returns the accounts of a profile, with their ids under a link.
	Accounts(profile, link string, at time.Time) []bankdata.Account
}

// PreparedReports are the reports that a sandbox serves by sandboxReportId.
type PreparedReports interface {
	// Lookup returns the kind of a prepared report, or store.ErrNotFound.
	Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error)
	// Attach attaches the prepared report to publicToken.
	Attach(ctx context.Context, tx *store.Tx, customerID, id, publicToken string, from reports.Input) error
}

// Ended describes a visit that is over or closed, for its redirect.
type Ended struct {
	VisitID     string
	PublicToken string
	Outcome     contract.Outcome
	Status      contract.Status      // with SUCCESS
	Error       contract.WidgetError // with ERROR
	At          time.Time            // zero: closed, and can still be continued
}

// Return is where the browser goes after a visit: to URL, which contains the signed
// result, or, with Post, to Action by a form that contains it as token.
type Return struct {
	URL    string
	Post   bool
	Action string
	Token  string
	Origin string // scheme, host and port of both, for the page's policy
}

// Returns finds the secure redirects of visits.
type Returns interface {
	// Return creates a new signed result and says where to send it; ok is false for a
	// visit without a redirect, or with an expired one.
	Return(ctx context.Context, q store.Queryer, e Ended) (r Return, ok bool, err error)
	// Origin returns the origin that the visit returns to, or "".
	Origin(ctx context.Context, q store.Queryer, visitID string) (string, error)
	// Visit returns the id of the visit of a redirect token, or store.ErrNotFound.
	Visit(ctx context.Context, q store.Queryer, redirectToken string) (visitID string, err error)
}
