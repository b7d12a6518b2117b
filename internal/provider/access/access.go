// Package access is the page on which consumers see what they have shared through the
// service, and end a company's access, to all of their sources or to one
// (docs/explanation/how-it-works.md, "What a consumer can see and end").
//
// A consumer proves an email address by a link, which works once, only by POST, and opens a
// session of 30 minutes. It shows the reports of all consumers with this address in their
// details, of every company, and of submissions that name it: figures, transactions, and who
// read them. Persons who share a mailbox see each other's files. In the session the person
// freezes the file, places a fraud alert, ends access (which withdraws consent as
// DELETE /connect/consumers/{id} does), disconnects a source, downloads the file, or has it
// deleted.
//
// A company can hand out a link too, which shows what that company got, and nothing of other
// companies; it neither freezes nor lifts a freeze. A link of the operator's command is like
// one of an email.
//
// The answer to a request for a link is the same, after the same work, whether or not the
// address is known, and requests are limited by address and by network. Secrets are stored
// as SHA-256 only.
package access

import (
	"context"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// Path is the path of the page.
const Path = visits.AccessPath

const (
	linkLife    = 30 * time.Minute
	sessionLife = 30 * time.Minute
)

// Service serves the page. All fields but Secure and BehindProxy must be set.
type Service struct {
	DB          *store.DB
	Queue       jobs.Enqueuer
	Now         func() time.Time // the provider's clock
	URL         string           // the provider's public base, without a trailing slash
	Sandbox     bool
	Secure      bool // consumers come by https: cookies are for it alone
	BehindProxy bool // client addresses are in the proxy's headers
	Mailboxes   *mail.Mailboxes
	Customers   *customers.Service
	Sharing     *sharing.Service
	Sources     *sources.Service
	Accounts    *bankaccounts.Service
	Visits      *visits.Service
	Reports     *reports.Service
	Freeze      *freeze.Service
	Outbox      *outbox.Service
	Disputes    *disputes.Service
	NoEmail     bool // no email can be sent: consumers get links from a company or the operator

	// ClosesReports: consumers may choose that companies can no longer read the reports that they
	// have, when they end access.
	ClosesReports bool

	// Record adds to the audit trail of a customer that a consumer ended access, in the
	// transaction that ends it. It sets the actor of the entry.
	Record func(ctx context.Context, tx *store.Tx, e staff.Entry) error

	// Reference returns the name of a report in the dashboard's addresses and its audit trail.
	Reference func(publicToken string) string
}

// Actions of consumers in the audit trail.
const (
	actionEnded        = "access ended"
	actionDisconnected = "source disconnected"
	actionClosed       = "reports closed"
	actionDeleted      = "data deleted"
)

// Routes adds the pages to mux.
func (s *Service) Routes(mux *http.ServeMux) {
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(s.page(func(http.ResponseWriter, *http.Request) error { return errOtherOrigin }))
	mux.Handle("GET /access", s.page(s.show))
	mux.Handle("GET /access/link/{token}", s.page(s.showLink))
	mux.Handle("GET /access/end/{account}", s.withSession(s.showEnd))
	mux.Handle("GET /access/disconnect/{source}", s.withSession(s.showDisconnect))
	mux.Handle("POST /access", sameOrigin.Handler(s.page(s.request)))
	mux.Handle("POST /access/link/{token}", sameOrigin.Handler(s.page(s.openLink)))
	mux.Handle("POST /access/end/{account}", sameOrigin.Handler(s.withSession(s.end)))
	mux.Handle("GET /access/report/{report}", s.withSession(s.showReport))
	mux.Handle("GET /access/history", s.withSession(s.showHistory))
	mux.Handle("GET /access/file.json", s.withSession(s.downloadJSON))
	mux.Handle("GET /access/file.pdf", s.withSession(s.downloadPDF))
	mux.Handle("GET /access/delete/{account}", s.withSession(s.showDelete))
	mux.Handle("POST /access/delete/{account}", sameOrigin.Handler(s.withSession(s.erase)))
	mux.Handle("GET /access/freeze", s.withSession(s.showFreeze))
	mux.Handle("POST /access/freeze", sameOrigin.Handler(s.withSession(s.changeFreeze)))
	mux.Handle("POST /access/disconnect/{source}", sameOrigin.Handler(s.withSession(s.disconnect)))
	s.disputeRoutes(mux, sameOrigin)
	mux.Handle("POST /access/sign-out", sameOrigin.Handler(s.page(s.signOut)))
}

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) { jobs.Register(r, s.write) }

// Sweep deletes expired links, sessions and requests.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.DB.Sweep(ctx, 100, deleteExpiredLinks, deleteOldRequests), s.Mailboxes.Sweep(ctx))
}
