package search

import (
	"context"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
)

// refillBatch is the number of applications that one run of the job indexes.
const refillBatch = 20

// Job is the job that indexes applications again that were indexed by older rules.
type Job struct{}

// Kind returns the job's name.
func (Job) Kind() string { return "review.refill" }

// Register registers the job.
func (x *Index) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, _ Job) error { return x.Refill(ctx) }, jobs.NoAttemptLimit())
}

// Resume enqueues the job when the process starts.
func (x *Index) Resume(ctx context.Context) error {
	return x.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return x.Queue.Enqueue(ctx, tx, Job{}, jobs.UniqueKey("refill"))
	})
}

// Refill indexes a batch of applications that were indexed by older rules.
func (x *Index) Refill(ctx context.Context) error {
	ids, err := outdated(ctx, x.DB.SQL, refillBatch)
	if err != nil || len(ids) == 0 {
		return err
	}
	people, err := x.Applications.Applicants(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := x.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			a, err := x.Applications.Lock(ctx, tx, id)
			if err != nil {
				return err
			}
			if err := x.summarize(ctx, tx, a); err != nil {
				return err
			}
			if err := x.OnApplicant(ctx, tx, a, people[id]); err != nil {
				return err
			}
			return setVersion(ctx, tx, id)
		})
		if err != nil {
			return err
		}
	}
	return jobs.Snooze(10 * time.Millisecond)
}
