package provider

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/jobs"
)

// retain is the job that deletes what is too old. How long each kind of data is kept,
// its package says; docs/operations.md lists them all.
type retain struct{}

// Kind names the job.
func (retain) Kind() string { return "provider.retain" }

// registerRetention says how the job is done. What is left when its time is over is
// the next run's, which a failed one begins soon.
func (p *Provider) registerRetention(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, _ retain) error { return p.sweep(ctx) },
		jobs.MaxAttempts(3), jobs.Backoff(func(int) time.Duration { return time.Minute }))
}

// sweep deletes what is too old in every package. Reports go before what refers to
// them; an error of one package does not stop the others.
func (p *Provider) sweep(ctx context.Context) error {
	var all error
	for _, of := range []interface{ Sweep(context.Context) error }{
		p.visits, p.bankaccounts, p.documents, p.invites, p.reports, p.sharing, p.webhooks, p.customers, p.dashboard,
	} {
		all = errors.Join(all, of.Sweep(ctx))
	}
	return all
}
