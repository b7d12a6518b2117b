package provider

import (
	"cmp"
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
	"vestibule/internal/report"
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

// with returns the sources with connectors added. The institutions of connectors are
// offered to applicants; one of the operator replaces one of the sandbox with the same id.
func (of Sources) with(more []sources.Connector) Sources {
	of.Connectors = slices.Concat(more, of.Connectors) // the first that has an institution is used
	offered := map[string]bool{}
	for _, c := range of.Connectors {
		for _, i := range c.Institutions() {
			if offered[i.ID] {
				continue
			}
			offered[i.ID] = true
			entry := visits.Bank{ID: i.ID, Name: i.Name, Place: i.Place, PlaceES: i.PlaceES, Large: i.Large, Authorize: true}
			switch i.Kind {
			case sources.Payroll:
				of.Visits.Employers = replace(of.Visits.Employers, entry)
			case sources.Supplier:
				entry.Authorize = false
				of.Visits.Suppliers = replace(of.Visits.Suppliers, entry)
			default:
				of.Visits.Banks = replace(of.Visits.Banks, entry)
				of.Banks = slices.DeleteFunc(of.Banks, func(b bankaccounts.Bank) bool { return b.Name == i.Name })
				of.Banks = append(of.Banks, bankaccounts.Bank{Name: i.Name, OAuth: append([]string{}, i.OAuth...),
					Homepage: append([]string{}, i.Homepage...)})
			}
		}
	}
	asShown := func(a, b visits.Bank) int {
		return cmp.Or(trueFirst(a.Large, b.Large), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	}
	slices.SortStableFunc(of.Visits.Banks, asShown)
	slices.SortStableFunc(of.Visits.Employers, asShown)
	slices.SortStableFunc(of.Visits.Suppliers, asShown)
	slices.SortStableFunc(of.Visits.Suppliers, func(a, b visits.Bank) int { // the reader of identity documents is the last
		return trueFirst(b.ID == report.DocumentSupplier, a.ID == report.DocumentSupplier)
	})
	slices.SortStableFunc(of.Banks, func(a, b bankaccounts.Bank) int { return strings.Compare(a.Name, b.Name) })
	return of
}

// trueFirst orders two values for sorting, true before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// replace returns the list with an entry, in place of one with the same id.
func replace(all []visits.Bank, by visits.Bank) []visits.Bank {
	return append(slices.DeleteFunc(all, func(b visits.Bank) bool { return b.ID == by.ID }), by)
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
