// Package applications holds the portal's applications. It keeps the journey on the
// server: every input (callback, return, webhook, poll, clock) passes through
// Advance, which applies it once. A report is fetched once, and once more for each revision
// that the service announces, and stored encrypted beside earlier ones.
// The pages that applicants use are in package applicant.
//
// The package does not trust browsers. A callback only makes it poll the service, by
// the attempt's external ID, never by a publicToken that a browser named, and only
// accepts a visit of that ID that the portal started. Sources: docs/reference/widget.md,
// docs/how-to/webhooks.md and the API reference: Visits, Reports.
package applications

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// Errors of this package.
var (
	ErrUnknownProduct      = errors.New("applications: this product is not offered")
	ErrDuplicateExternalID = errors.New("applications: another application has this external id")
	ErrBadMode             = errors.New("applications: no such mode, or not in this environment")
	ErrBadExternalID       = errors.New("applications: externalId is too long or has characters that a header cannot carry")
	ErrBadUserArgs         = errors.New("applications: userArgs is too long")
	ErrBadURL              = errors.New("applications: returnUrl or allowedOrigin is not an address that a browser may be sent to")
	ErrNoReport            = fmt.Errorf("applications: there is no report yet: %w", store.ErrNotFound)
	ErrFetching            = errors.New("applications: another process is fetching the report now")
	ErrClosed              = errors.New("applications: this application takes no further attempt now")
)

// IsRefusal reports whether err means that Create rejected its arguments.
func IsRefusal(err error) bool {
	return slices.ContainsFunc([]error{ErrUnknownProduct, ErrBadMode, ErrBadExternalID, ErrBadUserArgs, ErrBadURL},
		func(refusal error) bool { return errors.Is(err, refusal) })
}

// Provider calls the service. *svcapi.Client implements it.
type Provider interface {
	Status(ctx context.Context, ref svcapi.Ref) (svcapi.StatusAnswer, error)
	Report(ctx context.Context, product contract.Product, ref svcapi.Ref) ([]byte, *report.Meta, error)
	Files(ctx context.Context, product contract.Product, ref svcapi.Ref) ([]svcapi.File, error)
	File(ctx context.Context, product contract.Product, ref svcapi.Ref, path string) (svcapi.Content, error)
}

// Queue enqueues jobs, and removes those that are not due yet. *jobs.Queue implements it.
type Queue interface {
	Enqueue(ctx context.Context, tx *store.Tx, args jobs.Args, opts ...jobs.EnqueueOption) error
	Remove(ctx context.Context, tx *store.Tx, kind string, id int64) error
}

// Service stores and advances applications. Set the exported fields before use.
type Service struct {
	DB          *store.DB
	Queue       Queue
	Provider    Provider
	Products    map[contract.Product]string // products of the account: kind → productId
	AssetsOnly  bool                        // the account's eligibility product verifies only assets
	Environment contract.Environment        // of the account; sandbox allows the integrators' variants
	Now         func() time.Time
	Log         *slog.Logger

	FetchEarly    bool                 // fetch a report while its webhook waits, where this process may also run jobs
	RevisionCheck svcapi.RevisionCheck // how to look for corrections that no webhook announced; empty: not at all

	// FormTargets are the provider's origins, to which forms may lead in addition to
	// the portal.
	FormTargets []string

	// OnChange is called in the transaction of each change that is visible to
	// applicants or reviewers.
	OnChange []func(ctx context.Context, tx *store.Tx, a Application, l TimelineEntry) error

	// NotifiedDecisions are the kinds of decisions that applicants are notified of;
	// nil means all of the applicant-visible kinds.
	NotifiedDecisions []string

	// OnApplicant is called in the transaction that stores the applicant's data.
	OnApplicant []func(ctx context.Context, tx *store.Tx, a Application, f prefill.Fields) error

	hub
	early atomic.Int32 // reports that are fetched while their webhooks wait
}

// Offers reports whether applicants can apply for p: the account has it.
func (s *Service) Offers(p contract.Product) bool { return p.Valid() && s.Products[p] != "" }

// Key returns the name of the data key that encrypts an application's data, or
// store.ErrNotFound if there is no such application.
func (s *Service) Key(ctx context.Context, q store.Queryer, id string) (string, error) {
	a, err := s.Get(ctx, q, id)
	return a.dataKey, err
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }
