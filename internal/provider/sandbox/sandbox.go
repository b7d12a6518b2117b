// Package sandbox turns the service into a test bench: a clock that can be moved,
// faults, visits completed without a browser, resent webhooks, prepared reports, an
// inbox for the third party's webhooks, and a reset. It is served on a separate
// listener, never on the service's; production has none of it.
//
// It needs no credentials, because only the operator can reach the listener; it
// rejects requests from web pages of other origins.
package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Control serves the sandbox's controls. All fields must be set.
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
	Disputes     *disputes.Service

	// First is the publicId of the generated customer, the default of requests.
	First string
	// Receive reads and verifies a webhook for the third party.
	Receive func(r *http.Request) (webhook.Event, error)
	// Moved is called after the clock was moved by d.
	Moved func(ctx context.Context, d time.Duration) error
	// Refill restores the generated customers in the transaction that emptied the
	// database.
	Refill func(ctx context.Context, tx *store.Tx) error
}

// customer returns the id of the account of a publicId. It returns UNKNOWN_CUSTOMER for unknown ones and those of
// production.
func (c *Control) customer(ctx context.Context, q store.Queryer, publicID string) (string, error) {
	a, err := c.Customers.Account(ctx, q, publicID)
	if errors.Is(err, store.ErrNotFound) || err == nil && a.Environment != contract.Sandbox {
		err = httpx.NewError(contract.CodeUnknownCustomer, errors.New("no such publicId"),
			httpx.Detail{Field: "publicId", Message: "is of no account of this sandbox"})
	}
	return a.CustomerID, err
}
