package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

type parcel struct {
	Name string `json:"name"`
}

func (parcel) Kind() string { return "parcel" }

// twoQueues returns a queue that runs greetings as emails, and parcels as webhooks.
func twoQueues(t *testing.T, db *store.DB, greet func(context.Context, greeting), ship func(context.Context, parcel)) *jobs.Queue {
	t.Helper()
	reg := jobs.NewRegistry()
	jobs.Register(reg, func(ctx context.Context, _ jobs.Job, a greeting) error { greet(ctx, a); return nil }, jobs.In(jobs.Emails))
	jobs.Register(reg, func(ctx context.Context, _ jobs.Job, a parcel) error { ship(ctx, a); return nil }, jobs.In(jobs.Webhooks))
	q, err := jobs.NewQueue(t.Context(), db, reg, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func enqueueAll(t *testing.T, db *store.DB, q *jobs.Queue, all []jobs.Args, opts ...jobs.EnqueueOption) {
	t.Helper()
	err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, a := range all {
			if err := q.Enqueue(ctx, tx, a, opts...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func parcels(name string, n int) (all []jobs.Args) {
	for i := range n {
		all = append(all, parcel{name + strconv.Itoa(i)})
	}
	return all
}

func await(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal(what)
	}
}

// TestQueuesHaveTheirOwnWorkers checks that jobs which do not end delay none of another queue.
func TestQueuesHaveTheirOwnWorkers(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		greeted := make(chan struct{})
		q := twoQueues(t, db, func(context.Context, greeting) { close(greeted) }, func(ctx context.Context, _ parcel) {
			select {
			case <-greeted:
			case <-ctx.Done():
			}
		})
		enqueueAll(t, db, q, parcels("slow", 100))
		enqueueAll(t, db, q, []jobs.Args{greeting{"hello"}})
		start(t, q)
		await(t, greeted, "it waits for the jobs of another queue")
	})
}

// TestAccountsShareAQueue checks that the jobs of one account leave workers to another, and
// that a thousand of them delay another's single job by a few.
func TestAccountsShareAQueue(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		t.Run("workers", func(t *testing.T) {
			arrived := make(chan struct{})
			q := twoQueues(t, db, nil, func(ctx context.Context, p parcel) {
				if p.Name == "single0" {
					close(arrived)
				}
				select {
				case <-arrived:
				case <-ctx.Done():
				}
			})
			start(t, q)
			enqueueAll(t, db, q, parcels("slow", 100), jobs.Account("big"))
			enqueueAll(t, db, q, parcels("single", 1), jobs.Account("small"))
			await(t, arrived, "one account has all workers")
			drained(t, q, "parcel")
		})
		t.Run("order", func(t *testing.T) {
			var before atomic.Int64
			arrived := make(chan struct{})
			q := twoQueues(t, db, nil, func(_ context.Context, p parcel) {
				if p.Name == "single0" {
					close(arrived)
					return
				}
				before.Add(1)
				<-arrived // at most as many as run at once can precede it from here
			})
			enqueueAll(t, db, q, parcels("many", 1000), jobs.Account("big"), jobs.LowPriority())
			enqueueAll(t, db, q, parcels("single", 1), jobs.Account("small"), jobs.LowPriority())
			start(t, q)
			await(t, arrived, "it waits for a thousand jobs of another account")
			if n := before.Load(); n > 16 {
				t.Errorf("%d jobs of another account ran before it", n)
			}
		})
	})
}

// TestPrioritiesFollowWaitingJobs checks that an account's first jobs come before its later ones.
func TestPrioritiesFollowWaitingJobs(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		q := twoQueues(t, db, nil, nil)
		enqueueAll(t, db, q, parcels("many", 100), jobs.Account("big"))
		enqueueAll(t, db, q, parcels("few", 2), jobs.Account("small"), jobs.LowPriority())
		got := ""
		rows, err := db.SQL.QueryContext(t.Context(), `SELECT priority, count(*) FROM river_job GROUP BY priority ORDER BY priority`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var priority, n int
			if err := rows.Scan(&priority, &n); err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprint(priority, ":", n, " ")
		}
		if want := "1:2 2:18 3:64 4:18 "; got != want || rows.Err() != nil {
			t.Errorf("jobs by priority are %s, want %s; %v", got, want, rows.Err())
		}
	})
}

// TestJobsOfTheSingleQueueAreRun checks that jobs run that an earlier version put in its only queue.
func TestJobsOfTheSingleQueueAreRun(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		arrived := make(chan struct{})
		q := twoQueues(t, db, nil, func(context.Context, parcel) { close(arrived) })
		enqueueAll(t, db, q, parcels("old", 1))
		if _, err := db.SQL.ExecContext(t.Context(), `UPDATE river_job SET queue = 'default', metadata = '{}'`); err != nil {
			t.Fatal(err)
		}
		start(t, q)
		await(t, arrived, "it was left")
	})
}

// drained waits until no job of a kind is unfinished.
func drained(t *testing.T, q *jobs.Queue, kind string) {
	t.Helper()
	for tries := 0; ; tries++ {
		n, err := q.Unfinished(t.Context(), kind)
		if err != nil || tries == 1500 {
			t.Fatalf("%d jobs are unfinished: %v", n, err)
		}
		if n == 0 {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}
