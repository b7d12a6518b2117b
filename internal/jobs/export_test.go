package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// Ahead has the queue take the database's clock to be ahead.
func (q *Queue) Ahead(d time.Duration) { q.clockOffset.by.Store(int64(d)) }

// Later is the wait that River is told of for a job that asks for one.
func (q *Queue) Later(d time.Duration) time.Duration {
	later := (*rivertype.JobSnoozeError)(nil)
	if !errors.As(q.forRiver(context.Background(), Snooze(d)), &later) {
		return -1
	}
	return later.Duration
}
