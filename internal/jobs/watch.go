package jobs

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/riverqueue/river/rivertype"
)

// Watcher observes the runs of jobs; *telemetry.Party implements it.
type Watcher interface {
	// Traceparent returns the trace context that a job takes from the context in which it
	// is enqueued, or "".
	Traceparent(ctx context.Context) string
	// Job begins a run, and returns its context and a function that is called with its
	// outcome: done, later, failed or given_up.
	Job(ctx context.Context, kind, carried string, attempt int) (context.Context, func(outcome string))
}

// Watch sets the watcher. Call it before Start.
func (q *Queue) Watch(w Watcher) { q.watch = w }

// metadata is stored in the metadata column of River's row.
type metadata struct {
	Traceparent string `json:"traceparent,omitempty"`
	Account     string `json:"account,omitempty"`
	Crashes     int    `json:"crashes,omitempty"` // processes in a row that died while they ran the job
}

func metadataOf(j *rivertype.JobRow) (m metadata) {
	_ = json.Unmarshal(j.Metadata, &m) // River's own members are ignored
	return m
}

// observed runs a job and reports it to the watcher.
func (q *Queue) observed(ctx context.Context, j *rivertype.JobRow, work func(context.Context) error) error {
	defer func() {
		for _, queue := range q.running.remove(j.ID) {
			q.notifier.wake(queue)
		}
	}()
	if q.watch == nil {
		return q.forRiver(ctx, work(ctx))
	}
	ctx, end := q.watch.Job(ctx, j.Kind, metadataOf(j).Traceparent, j.Attempt)
	outcome := "failed" // also for a panic
	if j.Attempt >= j.MaxAttempts {
		outcome = "given_up"
	}
	defer func() { end(outcome) }()
	err := q.forRiver(ctx, work(ctx))
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

// forRiver converts the error of a run for River. A run cancelled by Stop is not a failure
// and runs again at the next start, and snoozes are adjusted to the database's clock.
func (q *Queue) forRiver(ctx context.Context, err error) error {
	if failed(err) && stopped(ctx) && !IsCancel(err) {
		return Snooze(0)
	}
	if later := (*rivertype.JobSnoozeError)(nil); errors.As(err, &later) {
		return Snooze(max(0, later.Duration+q.clockOffset.get()))
	}
	return err
}

// Ready returns an error if this process should run jobs but does not.
func (q *Queue) Ready() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run == nil && len(q.reg.kinds) > 0 && !q.DisableWorkers {
		return errors.New("jobs: not running")
	}
	return nil
}
