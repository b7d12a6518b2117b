package provider

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	"vestibule/web"
)

// Sources are what a sandbox adds to visits, reports, and submissions of the sandbox
// environment. This package imports nothing below sandbox/, so no sandbox data is
// reachable without a Sandbox.
type Sources struct {
	Connectors  []sources.Connector // after those of the operator
	Visits      visits.Sandbox
	Reports     reports.Sandbox
	Submissions submissions.Sandbox
	Prepared    customers.PreparedStore
}

// Sandbox adds to the service a clock that can be moved, fault injection, generated data
// sources for the sandbox environment, and controls. Package sandbox implements it.
type Sandbox interface {
	Now() time.Time
	Follow(ctx context.Context)                    // synchronizes the clock with other replicas until ctx ends
	Wrap(next http.Handler) http.Handler           // injects faults into requests
	Sender(to webhook.Deliverer) webhook.Deliverer // injects faults into webhooks
	Sources(s Services) Sources
	Banks() http.Handler // of the mock FDX banks; nil without them
	Sweep(ctx context.Context) error
	Control(s Services, h ControlHooks) http.Handler
}

// SandboxConfig configures a Sandbox.
type SandboxConfig struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the real clock
	FaultSeed uint64           // of the fault injection; 0: no faults

	BankURL     string // origin of the mock FDX banks; empty: none
	BankClients string // file of further clients of these banks; empty: none
	RedirectURI string // of the provider's clients at these banks
	Assets      *web.Assets
}

// Services are the parts of a provider that a Sandbox uses.
type Services struct {
	DB           *store.DB
	Log          *slog.Logger
	Keys         *auth.Keys
	Customers    *customers.Service
	Reports      *reports.Service
	Webhooks     *webhooks.Service
	Visits       *visits.Service
	Sharing      *sharing.Service
	BankAccounts *bankaccounts.Service
}

// ControlHooks are the functions of the provider that the controls call.
type ControlHooks struct {
	First   string                                           // publicId of the generated customer
	Receive func(r *http.Request) (webhook.Event, error)     // verifies and reads an event for the generated third party
	Moved   func(ctx context.Context, d time.Duration) error // is called after the clock was moved by d
	Refill  func(ctx context.Context, tx *store.Tx) error    // adds the generated customers again
}
