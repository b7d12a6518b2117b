package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
)

// retain is the job that deletes old data. Each package defines how long it keeps its
// data; docs/how-to/operations.md lists all periods.
type retain struct{}

func (retain) Kind() string { return "provider.retain" }

// registerRetention registers the job, which runs again a minute after an error.
func (p *Provider) registerRetention(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, _ retain) error { return p.sweep(ctx) },
		jobs.MaxAttempts(3), jobs.Backoff(func(int) time.Duration { return time.Minute }))
}

// sweep deletes old data in every package, reports before the rows that refer to them. An
// error in one package does not stop the others.
func (p *Provider) sweep(ctx context.Context) error {
	var all error
	if p.sandbox != nil {
		all = p.sandbox.Sweep(ctx)
	}
	return errors.Join(all, store.SweepAll(ctx, p.access, p.freeze, p.visits, p.connections, p.bankaccounts, p.documents, p.outbox.Emails(),
		p.disputes, p.reports, p.sharing, p.webhooks, p.customers, p.dashboard, p.operator.Staff), p.sweepUnconsented(ctx))
}

// sweepUnconsented deletes ended visits without consent, with the rows that belong to them alone:
// report, events, and the consumer that was created for the visit.
func (p *Provider) sweepUnconsented(ctx context.Context) error {
	if p.config.Limits.UnconsentedHours <= 0 {
		return nil
	}
	err := p.config.DB.Shred(ctx, 50, func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		ended := tx.Now.Add(-time.Duration(p.config.Limits.UnconsentedHours) * time.Hour)
		all, err := p.visits.DeleteUnconsented(ctx, tx, ended, limit)
		for _, v := range all {
			if err := errors.Join(p.webhooks.Outbox.Forget(ctx, tx, v.PublicToken), p.reports.Delete(ctx, tx, v.PublicToken),
				p.customers.DeleteConsumer(ctx, tx, v.ConsumerID, v.Created)); err != nil {
				return 0, err
			}
		}
		return int64(len(all)), err
	})
	if err != nil {
		return fmt.Errorf("visits without consent: sweep: %w", err)
	}
	return nil
}
