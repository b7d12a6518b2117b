// Package visits is the applicant's way through the service: initialization,
// the widget's frame and the hosted page, from the consent to the report being
// made (document 1, "Widget registration"; journeys.md, "The visit").
//
// It refuses options that do not go together, data that breaks the prefill
// rules, tokens that were used, and steps that are not the present one. It
// stores nothing of what it refused, nothing that was typed into a sign-in, and
// of its tokens and handles only the SHA-256. Its only cookie ties a
// hosted visit to the browser that began it.
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

// Service serves visits. All fields but Returns and what follows it
// must be set.
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

	// Invited returns the visit that an invite's handle leads to, or store.ErrNotFound;
	// nil: there are no invites.
	Invited func(ctx context.Context, q store.Queryer, handle string) (visitID string, err error)

	// Of visits that an applicant's page begins without a token; nil is no limit.
	ByAddress *httpx.RateLimit
	ByAccount *httpx.RateLimit
	// Files is how many bytes of files such visits of one account may be sent in 24
	// hours; 0 is no limit.
	Files int64
}

// Access is the sign-in of the mock banks or payroll providers of a catalogue.
type Access interface {
	Login(username string) Login
	// Empty reports whether a provider has nothing recent on a profile.
	Empty(provider, profile string, at time.Time) bool
}

// BankAccess is the sign-in of the mock banks and their accounts.
type BankAccess interface {
	Access
	// Accounts are those of a profile, with the ids that they have under a link.
	Accounts(profile, link string, at time.Time) []bankdata.Account
}

// PreparedReports are the reports that a sandbox serves by sandboxReportId.
type PreparedReports interface {
	// Lookup returns the kind of a prepared report, or store.ErrNotFound.
	Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error)
	// Attach has the prepared report served for publicToken.
	Attach(ctx context.Context, tx *store.Tx, customerID, id, publicToken string, from reports.Input) error
}

// Ended is a visit that is over or closed, as its redirect needs to know it.
type Ended struct {
	VisitID     string
	PublicToken string
	Outcome     contract.Outcome
	Status      contract.Status      // with SUCCESS
	Error       contract.WidgetError // with ERROR
	At          time.Time            // zero: closed, and can still be continued
}

// Return is where the browser goes after a visit: to URL, which has the outcome
// token in it, or, with Post, to Action by a form whose field token it is.
type Return struct {
	URL    string
	Post   bool
	Action string
	Token  string
	Origin string // scheme, host and port of both, for the page's policy
}

// Returns knows which visits belong to a secure redirect.
type Returns interface {
	// Return makes a fresh outcome token and says where it goes; ok is false for
	// a visit without a redirect, or whose redirect is too long ago.
	Return(ctx context.Context, q store.Queryer, e Ended) (r Return, ok bool, err error)
	// Origin is the origin that the visit will return to, or empty.
	Origin(ctx context.Context, q store.Queryer, visitID string) (string, error)
	// Visit is the visit of a redirect token, or store.ErrNotFound.
	Visit(ctx context.Context, q store.Queryer, redirectToken string) (visitID string, err error)
}
