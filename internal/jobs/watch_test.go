package jobs_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// watcher records what the queue reports.
type watcher struct {
	mu    sync.Mutex
	runs  []string
	ended chan struct{}
}

func (w *watcher) Traceparent(context.Context) string { return "from-there" }

func (w *watcher) Job(ctx context.Context, kind, carried string, _ int) (context.Context, func(string)) {
	return ctx, func(outcome string) {
		w.mu.Lock()
		w.runs = append(w.runs, kind+" "+carried+" "+outcome)
		w.mu.Unlock()
		w.ended <- struct{}{}
	}
}

// TestQueueReportsRunsAndWaitingJobs checks what a queue reports: the result of each
// run, the waiting jobs, and whether it runs.
func TestQueueReportsRunsAndWaitingJobs(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		w := &watcher{ended: make(chan struct{}, 10)}
		q := queue(t, db, func(_ jobs.Job, a greeting) error {
			switch a.Name {
			case "later":
				return jobs.Snooze(time.Hour)
			case "never":
				return jobs.Cancel(errors.New("never"))
			case "bad":
				return errors.New("bad")
			case "panic":
				panic("at work")
			}
			return nil
		})
		q.Watch(w)
		if q.Ready() == nil {
			t.Error("it runs before its start")
		}
		bells := []string{"good", "later", "never", "bad", "panic"}
		for _, b := range bells {
			enqueue(t, db, q, b)
		}
		waiting, err := q.Waiting(t.Context())
		if err != nil || len(waiting) != 1 || waiting[0].Kind != "greeting" || waiting[0].State != "available" || waiting[0].Jobs != len(bells) ||
			waiting[0].Oldest < 0 || waiting[0].Oldest > time.Minute {
			t.Errorf("waiting: %+v %v", waiting, err)
		}
		start(t, q)
		if err := q.Ready(); err != nil {
			t.Error(err)
		}
		for range bells {
			<-w.ended
		}
		slices.Sort(w.runs)
		want := []string{"greeting from-there done", "greeting from-there failed", "greeting from-there failed",
			"greeting from-there given_up", "greeting from-there later"}
		if !slices.Equal(w.runs, want) {
			t.Errorf("runs %q, want %q", w.runs, want)
		}
		if err := q.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if q.Ready() == nil {
			t.Error("it runs after its end")
		}
	})
}
