// Package visits implements the applicant's visit: initialization, the widget's frame
// and the hosted page, from the consent to the generation of the report (API
// reference: Visits; docs/reference/widget.md).
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

	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
	"vestibule/web"
)

// Service serves visits. All fields before Redirects must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time
	Assets    *web.Assets
	Auth      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Documents *documents.Service
	Sources   *sources.Service    // institutions, and access to them
	Redirects Redirects           // nil: visits never belong to a redirect
	Operator  providerui.Operator // of the service; the name must be set
	Secure    bool                // applicants come by https: cookies are for it alone

	// HasAccessPage: consumers can see and end what they have shared, at AccessPath.
	HasAccessPage bool

	// Sandbox is nil in production. With it, the applicant's name may select a simulated failure.
	Sandbox Sandbox

	// VisitOfInvite returns the visit of an invite's handle, or store.ErrNotFound; nil without
	// invites.
	VisitOfInvite func(ctx context.Context, q store.Queryer, handle string) (visitID string, err error)

	// Limits of visits begun without a token; nil for no limit.
	LimitByAddress *httpx.RateLimit
	LimitByAccount *httpx.RateLimit
	// MaxUploadBytes is the maximum size in bytes of files uploaded in such visits of one account
	// within 24 hours; 0 for no limit. Visits and networks have shares of it.
	MaxUploadBytes int64
	Mailboxes      *mail.Mailboxes // hashes the networks that files come from
	BehindProxy    bool            // client addresses are in the proxy's headers
}
