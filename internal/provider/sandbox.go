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
	"vestibule/internal/provider/submissions"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Sources is where the data of an environment's visits, reports and submissions
// come from. The zero value has no source, which is production until sources are
// configured: nothing below sandbox/ is imported here, and so nothing of it can be
// reached without a Sandbox.
type Sources struct {
	Visits  visits.Catalogue
	Reports reports.Sources
	Banks   []bankaccounts.Bank // that applicants may be sent to

	Submissions submissions.Sandbox // nil: a submission is what its report is made from
}

// Sandbox makes the service a test bench: a clock that moves, faults, invented data
// sources for the customers of the sandbox environment, and controls. Package
// testbench makes it.
type Sandbox interface {
	Now() time.Time
	Follow(ctx context.Context) // keeps the clock at that of other replicas until ctx ends
	Wrap(next http.Handler) http.Handler
	Sender(to webhooks.Sender) webhooks.Sender
	Sources(s Services) Sources
	Control(s Services, h ControlHooks) http.Handler
}

// SandboxConfig is what a Sandbox is made of.
type SandboxConfig struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the time of day
	FaultSeed uint64           // not 0: the seed by which it is awkward on purpose
}

// Services are the parts of a provider that a Sandbox works on.
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

// ControlHooks are what the controls ask of the provider.
type ControlHooks struct {
	First   string                                           // publicId of the generated customer
	Receive func(r *http.Request) (webhook.Event, error)     // reads an event as the generated third party does
	Moved   func(ctx context.Context, d time.Duration) error // the clock was moved by d
	Refill  func(ctx context.Context, tx *store.Tx) error    // puts the generated customers back
}
