package applicant

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/testutil/applicationstest"
	"vestibule/internal/testutil/storetest"
)

// noJobs is a queue that drops its jobs.
type noJobs struct{}

func (noJobs) Enqueue(context.Context, *store.Tx, jobs.Args, ...jobs.EnqueueOption) error { return nil }
func (noJobs) Remove(context.Context, *store.Tx, string, int64) error                     { return nil }

// TestHeartbeatFindsUnannouncedChanges covers changes by a replica whose clock is far
// behind.
func TestHeartbeatFindsUnannouncedChanges(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
		db.SetClock(func() time.Time { return now })
		h := &Handler{Service: &applications.Service{DB: db, Queue: noJobs{}, Now: db.Now}}
		a := applicationstest.Put(t, db, applicationstest.Row{Application: applications.Application{
			ID:      "2f5c7a52-8f0b-4d53-9a5e-0d2f6f3c9b11",
			Product: "cashflow",
			Journey: journey.Application{State: journey.Connecting, Attempt: 1, Since: now.Unix()},
		}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		written, beat, over := make(chan string, 10), make(chan time.Time), make(chan struct{})
		go func() {
			defer close(over)
			h.follow(ctx, a.ID, -1, func(format string, args ...any) bool {
				written <- fmt.Sprintf(format, args...)
				return true
			}, nil, beat, nil)
		}()
		if first := <-written; !strings.Contains(first, `"connecting"`) {
			t.Errorf("it begins with %q", first)
		}
		err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := h.Service.Advance(ctx, tx, a.ID, journey.Input{Kind: journey.CallbackExit, Attempt: 1, EventID: "e"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		beat <- now
		if <-written; !strings.Contains(<-written, `"exited"`) {
			t.Error("the heartbeat did not read the application again")
		}
		cancel()
		<-over
	})
}
