package provider

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
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

// Sources are the data sources of an environment's visits, reports, and submissions.
// The zero value has no sources, as in production until connectors are configured. This
// package imports nothing below sandbox/, so no sandbox data is reachable without a
// Sandbox.
type Sources struct {
	Visits  visits.Catalogue
	Reports reports.Sources
	Banks   []bankaccounts.Bank // that applicants can connect

	Connectors []sources.Connector // of institutions that authorize access on their own pages

	Submissions submissions.Sandbox // nil: only the submitted data is used
}

// with returns the sources with the institutions of connectors. An institution replaces a
// mock bank with the same id.
func (of Sources) with(more []sources.Connector) Sources {
	of.Connectors = slices.Concat(of.Connectors, more)
	for _, c := range of.Connectors {
		for _, i := range c.Institutions() {
			of.Visits.Banks = slices.DeleteFunc(of.Visits.Banks, func(b visits.Bank) bool { return b.ID == i.ID })
			of.Visits.Banks = append(of.Visits.Banks, visits.Bank{ID: i.ID, Name: i.Name, Place: i.Place, Authorize: true})
			of.Banks = slices.DeleteFunc(of.Banks, func(b bankaccounts.Bank) bool { return b.Name == i.Name })
			of.Banks = append(of.Banks, bankaccounts.Bank{Name: i.Name, OAuth: append([]string{}, i.OAuth...),
				Homepage: append([]string{}, i.Homepage...)})
		}
	}
	slices.SortStableFunc(of.Visits.Banks, func(a, b visits.Bank) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(of.Banks, func(a, b bankaccounts.Bank) int { return strings.Compare(a.Name, b.Name) })
	return of
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
