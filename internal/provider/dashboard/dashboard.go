// Package dashboard is the web interface for the customer's users: webhooks and their
// deliveries, credentials, redirect URLs, reports with their timelines and the
// correction of their figures after a dispute, sharing tokens, child accounts,
// products, and their configurations. The pages are forms and links, and work without
// script; with it, lists stay current and are searched while the user types.
//
// It rejects users that are not signed in, treats data of other customers as unknown,
// and rejects every request that, according to the browser, did not come from a link
// or a form of these pages: the hosted visit pages have the same origin and must not
// act for users. Each form is accepted once. Each change is recorded in its
// transaction, without personal data or secrets, and a secret is shown on one page
// only.
//
// The package owns users, sessions, flash messages, and the audit trail; everything
// else belongs to the packages that it imports.
package dashboard

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/redirects"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/templates/ui"
)

// Service serves the dashboard. All fields except Mail and those that Pages says must be set; call
// Open before the first request.
type Service struct {
	Pages

	Customers *customers.Service
	Reports   *reports.Service
	Webhooks  *webhooks.Service
	Sharing   *sharing.Service
	Visits    *visits.Service
	Redirects *redirects.Service
	Outbox    *outbox.Service
	Disputes  *disputes.Service

	Mail  mail.Mailer // sends invitations and links for forgotten passwords; nil: none are sent
	Queue jobs.Enqueuer

	// ConsumerLink returns a link that shows the person whom a customer's report is about what that
	// customer got; see package access.
	ConsumerLink func(ctx context.Context, tx *store.Tx, customerID, publicToken, shownTo string) (url string, err error)

	// Crashed reports whether the job of a unique key was given up because its processes died.
	Crashed func(ctx context.Context, q store.Queryer, key string) (bool, error)

	OperatorUsers *staff.Service // the provider's operators, who answer disputes too; set by package operator

	block cipher.Block // see reference
}

// Open loads the keys, which the first start creates, and prepares the sessions.
func (s *Service) Open(ctx context.Context) error {
	s.Home, s.Pages.complete = home, s.complete
	var emails func(console.Language) *staff.Emails
	if s.Mail != nil {
		emails = func(l console.Language) *staff.Emails {
			return &staff.Emails{Mail: s.Mail, Queue: s.Queue, Language: l.Of, Moment: ui.MomentWords, HTML: ui.Email{Brand: s.Site}.WithLink}
		}
	}
	err := s.Pages.Open(ctx, emails)
	if err == nil {
		s.block, err = aes.NewCipher(s.keys[32:])
	}
	return err
}

// Actions in the audit trail that Changed reads. They are codes: the message catalog has
// their texts.
const (
	actionCallbackSet   = "callback set"
	actionCallbackOn    = "callback on"
	actionCallbackOff   = "callback off"
	actionSignerRotated = "signer rotated"
	actionURLAdded      = "complete URL added"
	actionURLRemoved    = "complete URL removed"
	actionURLStatic     = "complete URL static"
	actionReturnChanged = "return changed"
	actionUserRemoved   = "person removed"
)

// Changed says which settings users of a customer have ever changed; a repeated Seed
// keeps these.
type Changed struct{ Callback, CompleteURLs, Return, People bool }

// Changed reads it from the audit trail.
func (s *Service) Changed(ctx context.Context, q store.Queryer, customerID string) (Changed, error) {
	actions, err := s.Staff.Actions(ctx, q, customerID)
	var c Changed
	for _, a := range actions {
		switch a {
		case actionCallbackSet, actionCallbackOn, actionCallbackOff, actionSignerRotated:
			c.Callback = true
		case actionURLAdded, actionURLRemoved, actionURLStatic:
			c.CompleteURLs = true
		case actionReturnChanged:
			c.Return = true
		case actionUserRemoved:
			c.People = true
		}
	}
	return c, err
}

// AuditAge is how long the audit trail is kept.
const AuditAge = 2 * 365 * 24 * time.Hour

// Sweep deletes expired sessions, sign-in attempts, unread flash messages, expired
// form nonces, and audit entries over AuditAge.
func (s *Service) Sweep(ctx context.Context) error {
	today := s.Today()
	if err := store.SweepAll(ctx, s.sessions, s.Staff); err != nil {
		return err
	}
	return s.DB.Sweep(ctx, 100,
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteForms(ctx, tx, today.Add(-formLife), limit)
		},
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteNotices(ctx, tx, today, limit)
		},
		store.Older(AuditAge, s.Staff.DeleteEntries))
}
