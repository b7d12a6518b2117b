package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// LoggerForRiver is loggerForRiver.
var LoggerForRiver = loggerForRiver

// Ahead makes the queue assume that the database's clock is ahead by d.
func (q *Queue) Ahead(d time.Duration) { q.clockOffset.by.Store(int64(d)) }

// Grace sets how long Stop waits once its context has ended: for cancelled jobs, and to unregister.
func (q *Queue) Grace(stop, last time.Duration) { q.stopGrace, q.lastGrace = stop, last }

// Later returns the wait that River gets for a job that snoozes for d.
func (q *Queue) Later(d time.Duration) time.Duration {
	later := (*rivertype.JobSnoozeError)(nil)
	if !errors.As(q.forRiver(context.Background(), Snooze(d)), &later) {
		return -1
	}
	return later.Duration
}

// FreeDead frees the jobs of dead processes.
func (q *Queue) FreeDead(ctx context.Context) error {
	return errors.Join(q.resume(ctx), q.freeJobsOfDeadRunners(ctx))
}
