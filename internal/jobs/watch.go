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
func (q *Queue) watched(ctx context.Context, j *rivertype.JobRow, work func(context.Context) error) (err error) {
	if q.watch == nil {
		return work(ctx)
	}
	var with metadata
	_ = json.Unmarshal(j.Metadata, &with) // River's own members stand there too
	ctx, end := q.watch.Job(ctx, j.Kind, with.Traceparent, j.Attempt)
	ended := false
	defer func() {
		switch snoozed, cancelled := (*rivertype.JobSnoozeError)(nil), (*rivertype.JobCancelError)(nil); {
		case ended && err == nil:
			end("done")
		case errors.As(err, &snoozed):
			end("later")
		case errors.As(err, &cancelled), j.Attempt >= j.MaxAttempts:
			end("given_up")
		default: // a panic, too
			end("failed")
		}
	}()
	err = work(ctx)
	ended = true
	return err
}

// Running reports why no job is taken up here, or nil: nil too where that is left to
// other processes.
func (q *Queue) Running() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run == nil && len(q.reg.kinds) > 0 && !q.Elsewhere {
		return errors.New("jobs: not running")
	}
	return nil
}
