// Package sandbox makes the service a test bench: a clock that moves, faults, visits
// that are completed without a browser, webhooks that are sent again, prepared reports,
// an inbox for the third party's webhooks, and a reset. All of it is served on a
// listener of its own, never on the service's; production has none of it.
//
// It takes no credentials, because it listens where only its operator is; it
// refuses requests that a web page of another origin makes.
package sandbox

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Control is the sandbox's control surface. All fields must be set.
type Control struct {
	DB       *store.DB
	Log      *slog.Logger
	Clock    *Clock
	Faults   *Faults
	Prepared *Prepared

	Keys         *auth.Keys
	Customers    *customers.Service
	Reports      *reports.Service
	Webhooks     *webhooks.Service
	Sharing      *sharing.Service
	BankAccounts *bankaccounts.Service
	Visits       *visits.Service

	// First is the publicId of the generated customer, which is meant where no other is named.
	First string
	// Receive reads and verifies a webhook that was sent to the third party.
	Receive func(r *http.Request) (webhook.Event, error)
	// Moved is told that the clock was moved by d, after it was.
	Moved func(ctx context.Context, d time.Duration) error
	// Refill puts back what is there from the first start, in the transaction that
	// emptied the database.
	Refill func(ctx context.Context, tx *store.Tx) error
}

// customer returns the id of the account of a publicId. Accounts of production are
// store.ErrNotFound to the controls.
func (c *Control) customer(ctx context.Context, q store.Queryer, publicID string) (string, error) {
	a, err := c.Customers.Account(ctx, q, publicID)
	if err == nil && a.Environment != contract.Sandbox {
		err = store.ErrNotFound
	}
	return a.CustomerID, err
}
