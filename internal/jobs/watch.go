package jobs

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/riverqueue/river/rivertype"
)

// Watcher is told of every run of a job. *telemetry.Party is one.
type Watcher interface {
	// Carried is what a job takes along from the context it is enqueued in, or "".
	Carried(ctx context.Context) string
	// Job begins a run; what it returns is told its outcome: done, later, failed or
	// given_up.
	Job(ctx context.Context, kind, carried string, attempt int) (context.Context, func(outcome string))
}

// Watch has w told. Call it before Start.
func (q *Queue) Watch(w Watcher) { q.watch = w }

// metadata stands beside a job's arguments in River's row.
type metadata struct {
	Traceparent string `json:"traceparent"`
}

// watched is one run, as the watcher sees it.
func (q *Queue) watched(ctx context.Context, j *rivertype.JobRow, work func(context.Context) error) error {
	if q.watch == nil {
		return q.told(ctx, work(ctx))
	}
	var with metadata
	_ = json.Unmarshal(j.Metadata, &with) // River's own members stand there too
	ctx, end := q.watch.Job(ctx, j.Kind, with.Traceparent, j.Attempt)
	outcome := "failed" // a panic, too
	if j.Attempt >= j.MaxAttempts {
		outcome = "given_up"
	}
	defer func() { end(outcome) }()
	err := q.told(ctx, work(ctx))
	switch {
	case err == nil:
		outcome = "done"
	case !failed(err):
		outcome = "later"
	case IsCancel(err):
		outcome = "given_up"
	}
	return err
}

// told is the error of a run as River is told it: that Stop cancelled it is no failure
// of the job, which is run again at the next start, and what comes later does so by
// the clock of the database.
func (q *Queue) told(ctx context.Context, err error) error {
	if failed(err) && stopped(ctx) && !IsCancel(err) {
		return Snooze(0)
	}
	if later := (*rivertype.JobSnoozeError)(nil); errors.As(err, &later) {
		return Snooze(max(0, later.Duration+q.ahead.get()))
	}
	return err
}

// Ready reports why no job is taken up here, or nil: nil too where that is left to
// other processes.
func (q *Queue) Ready() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run == nil && len(q.reg.kinds) > 0 && !q.DisableWorkers {
		return errors.New("jobs: not running")
	}
	return nil
}
