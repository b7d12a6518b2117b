package jobs_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

type greeting struct {
	Name string `json:"name"`
}

func (greeting) Kind() string { return "greeting" }

// queue returns a queue that calls work for each greeting job.
func queue(t *testing.T, db *store.DB, work func(jobs.Job, greeting) error, opts ...jobs.Option) *jobs.Queue {
	t.Helper()
	return queueOf(t, db, func(_ context.Context, j jobs.Job, a greeting) error { return work(j, a) }, opts...)
}

// queueOf is queue for work that uses its context.
func queueOf(t *testing.T, db *store.DB, work func(context.Context, jobs.Job, greeting) error, opts ...jobs.Option) *jobs.Queue {
	t.Helper()
	reg := jobs.NewRegistry()
	jobs.Register(reg, work, opts...)
	q, err := jobs.NewQueue(t.Context(), db, reg, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func start(t *testing.T, q *jobs.Queue) {
	t.Helper()
	if err := q.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func enqueue(t *testing.T, db *store.DB, q *jobs.Queue, name string, opts ...jobs.EnqueueOption) {
	t.Helper()
	err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return q.Enqueue(ctx, tx, greeting{name}, opts...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func next(t *testing.T, ran <-chan string) string {
	t.Helper()
	select {
	case b := <-ran:
		return b
	case <-time.After(2 * time.Minute):
		t.Fatal("no job ran")
		return ""
	}
}

func TestJobExistsIfItsTransactionCommits(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ran := make(chan string, 10)
		q := queue(t, db, func(_ jobs.Job, a greeting) error { ran <- a.Name; return nil })
		boom := errors.New("boom")
		err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if err := q.Enqueue(ctx, tx, greeting{"never"}); err != nil {
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			t.Fatal(err)
		}
		enqueue(t, db, q, "first")
		start(t, q)
		if got := next(t, ran); got != "first" {
			t.Errorf("rang %q, want first", got)
		}
	})
}

// TestFailuresAreRetriedAndSnoozeIsNoFailure also checks that a job that is due again starts without polling.
func TestFailuresAreRetriedAndSnoozeIsNoFailure(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ran := make(chan string, 10)
		runs := 0
		q := queue(t, db, func(j jobs.Job, a greeting) error {
			runs++
			switch runs {
			case 1:
				return errors.New("stuck")
			case 2:
				return jobs.Snooze(0)
			case 3:
				return jobs.Snooze(30 * time.Millisecond)
			}
			ran <- a.Name
			return nil
		}, jobs.MaxAttempts(2), jobs.Backoff(func(int) time.Duration { return 0 }))
		q.Poll = time.Hour
		enqueue(t, db, q, "second")
		start(t, q)
		next(t, ran)
		if runs != 4 {
			t.Errorf("%d runs, want 4", runs)
		}
	})
}

func TestUniqueKeyKeepsOneUnfinishedJob(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		q := queue(t, db, func(jobs.Job, greeting) error { return nil })
		for range 3 {
			enqueue(t, db, q, "a", jobs.UniqueKey("a"))
		}
		enqueue(t, db, q, "b", jobs.UniqueKey("b"))
		if n, err := q.Unfinished(t.Context(), "greeting"); err != nil || n != 2 {
			t.Errorf("Unfinished = %d, %v; want 2", n, err)
		}
	})
}

// asRiver is a greeting as River inserts it.
type asRiver struct {
	A   greeting `json:"a"`
	Key string   `json:"key,omitempty" river:"unique"`
}

func (asRiver) Kind() string { return "greeting" }

// TestUniqueKeyIsRivers checks that replicas which insert jobs by River count the same jobs as one, and that River reads ours.
func TestUniqueKeyIsRivers(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		q := queue(t, db, func(jobs.Job, greeting) error { return nil })
		var driver riverdriver.Driver[*sql.Tx] = riversqlite.New(db.SQL)
		if db.Dialect == store.Postgres {
			driver = riverdatabasesql.New(db.SQL)
		}
		client, err := river.NewClient(driver, &river.Config{})
		if err != nil {
			t.Fatal(err)
		}
		const key = `visit/"7" <b> ñ`
		unfinished := []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
			rivertype.JobStateRetryable, rivertype.JobStateScheduled}
		for _, at := range []time.Time{{}, time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)} {
			var id int64
			opts := []jobs.EnqueueOption{jobs.UniqueKey(key + at.String()), jobs.ID(&id)}
			if !at.IsZero() {
				opts = append(opts, jobs.At(at))
			}
			enqueue(t, db, q, "ours", opts...)
			err = db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				got, err := client.InsertTx(ctx, tx.Tx, asRiver{greeting{"theirs"}, key + at.String()}, &river.InsertOpts{ScheduledAt: at,
					UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished}})
				if err != nil {
					return err
				}
				var args asRiver
				err = json.Unmarshal(got.Job.EncodedArgs, &args)
				if j := got.Job; j.ID != id || args != (asRiver{greeting{"ours"}, key + at.String()}) || len(j.UniqueStates) != len(unfinished) ||
					j.MaxAttempts != 25 || time.Since(j.CreatedAt).Abs() > time.Minute || !at.IsZero() && j.ScheduledAt.Sub(at).Abs() > time.Second {
					t.Errorf("River has %+v, job %d was inserted", j, id)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestRemoveDeletesAJobThatIsNotDue(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		q := queue(t, db, func(jobs.Job, greeting) error { return nil })
		var later, same, due int64
		enqueue(t, db, q, "later", jobs.At(time.Now().Add(time.Hour)), jobs.UniqueKey("later"), jobs.ID(&later))
		enqueue(t, db, q, "again", jobs.At(time.Now().Add(time.Hour)), jobs.UniqueKey("later"), jobs.ID(&same))
		enqueue(t, db, q, "due", jobs.ID(&due))
		if later == 0 || same != later {
			t.Errorf("jobs %d and %d of one key", later, same)
		}
		for _, c := range []struct {
			kind string
			id   int64
			left int
		}{{"greeting", due, 2}, {"other", later, 2}, {"greeting", later, 1}, {"greeting", 0, 1}} {
			err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error { return q.Remove(ctx, tx, c.kind, c.id) })
			if n, err2 := q.Unfinished(t.Context(), "greeting"); err != nil || err2 != nil || n != c.left {
				t.Errorf("after %+v: %d jobs, %v, %v", c, n, err, err2)
			}
		}
	})
}

func TestShiftMovesWaitingJobs(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		ran := make(chan string, 10)
		q := queue(t, db, func(_ jobs.Job, a greeting) error { ran <- a.Name; return nil })
		enqueue(t, db, q, "in three days", jobs.At(time.Now().Add(72*time.Hour)))
		enqueue(t, db, q, "in a year", jobs.At(time.Now().Add(365*24*time.Hour)))
		start(t, q)
		if err := q.Shift(t.Context(), 73*time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := next(t, ran); got != "in three days" {
			t.Errorf("rang %q", got)
		}
	})
}

// TestCommittedJobRunsAtOnce checks that each job of a chain starts without polling.
func TestCommittedJobRunsAtOnce(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		const links = 20
		done := make(chan struct{})
		var q *jobs.Queue
		left := links
		q = queue(t, db, func(_ jobs.Job, a greeting) error {
			if left--; left == 0 {
				close(done)
				return nil
			}
			return db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error { return q.Enqueue(ctx, tx, a) })
		})
		q.Poll = time.Hour
		start(t, q)
		enqueue(t, db, q, "first")
		await(t, done, "the chain broke")
	})
}

// TestDisabledWorkersRunNoJobs checks that a process without workers enqueues jobs for
// another process.
func TestDisabledWorkersRunNoJobs(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		here := queue(t, db, func(jobs.Job, greeting) error { t.Error("a job was run that was to be left"); return nil })
		here.DisableWorkers = true
		start(t, here)
		if err := here.Ready(); err != nil {
			t.Errorf("a process that runs no jobs is not ready: %v", err)
		}
		enqueue(t, db, here, "left")
		ran := make(chan string, 1)
		there := queue(t, db, func(_ jobs.Job, a greeting) error { ran <- a.Name; return nil })
		if there.Ready() == nil {
			t.Error("a queue runs before its start")
		}
		start(t, there)
		next(t, ran)
	})
}

// TestUrgentJobsRunFirst checks that many jobs of low priority do not delay a later one
// of normal priority: as many of them as run at once wait for it here.
func TestUrgentJobsRunFirst(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		urgent, ended := make(chan struct{}), make(chan struct{})
		q := queue(t, db, func(_ jobs.Job, a greeting) error {
			if a.Name == "now" {
				close(urgent)
			}
			select {
			case <-urgent:
			case <-ended:
			}
			return nil
		})
		for range 100 {
			enqueue(t, db, q, "later", jobs.LowPriority())
		}
		enqueue(t, db, q, "now")
		start(t, q)
		defer close(ended)
		await(t, urgent, "jobs of low priority run before it")
	})
}

// TestJobsOfAKilledReplicaAreResumed stores one running job of a killed process and one
// of a live replica. The first runs again, still in its first attempt; the second does
// not.
func TestJobsOfAKilledReplicaAreResumed(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		attempts := make(chan int, 10)
		q := queue(t, db, func(j jobs.Job, _ greeting) error { attempts <- j.Attempt; return nil })
		enqueue(t, db, q, "of the killed replica")
		by, list := "", `ARRAY['%s']`
		if db.Dialect == store.SQLite {
			list = `json_array('%s')`
		} else {
			by = "live"
			if _, err := db.SQL.Exec(`INSERT INTO job_runners (id, seen_at)
				VALUES ('live', CAST(extract(epoch FROM now()) * 1000000 AS BIGINT))`); err != nil {
				t.Fatal(err)
			}
		}
		running := func(by string) {
			t.Helper()
			if _, err := db.SQL.Exec(`UPDATE river_job SET state = 'running', attempt = 1, attempted_at = CURRENT_TIMESTAMP, attempted_by = ` +
				fmt.Sprintf(list, by) + ` WHERE state = 'available'`); err != nil {
				t.Fatal(err)
			}
		}
		running("killed")
		if by != "" {
			enqueue(t, db, q, "of the live replica")
			running(by)
		}
		start(t, q)
		select {
		case n := <-attempts:
			if n != 1 {
				t.Errorf("it runs in attempt %d", n)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the job was not started again")
		}
		if db.Dialect == store.Postgres {
			var left int
			if err := db.SQL.QueryRow(`SELECT count(*) FROM river_job WHERE state = 'running'
				AND args::text LIKE '%live replica%'`).Scan(&left); err != nil || left != 1 {
				t.Errorf("%d jobs of the live replica run, %v, want 1", left, err)
			}
		}
	})
}

func TestUnusedIndexesAreDropped(t *testing.T) {
	db := storetest.Postgres(t, store.Portal)
	for range 2 { // a second start finds them gone
		queue(t, db, func(jobs.Job, greeting) error { return nil })
	}
	var inverted, all int
	if err := db.SQL.QueryRow(`SELECT count(*) FILTER (WHERE indexdef LIKE '% USING gin %'), count(*) FROM pg_indexes
		WHERE tablename = 'river_job' AND schemaname = current_schema()`).Scan(&inverted, &all); err != nil {
		t.Fatal(err)
	}
	if inverted != 0 || all < 4 {
		t.Errorf("river_job has %d indexes of %d for unused searches", inverted, all)
	}
}

// TestStopIsNoFailure checks that a job canceled by a stop runs at the next start.
func TestStopIsNoFailure(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		began, discarded := make(chan int, 10), make(chan greeting, 10)
		q := queueOf(t, db, func(ctx context.Context, j jobs.Job, _ greeting) error {
			began <- j.Attempt
			<-ctx.Done()
			return ctx.Err()
		}, jobs.MaxAttempts(1), jobs.OnDiscard(func(_ context.Context, a greeting) error { discarded <- a; return nil }))
		q.Grace(time.Hour, time.Hour)
		enqueue(t, db, q, "slow")
		for range 3 {
			if err := q.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			select {
			case attempt := <-began:
				if attempt != 1 {
					t.Errorf("attempt %d, want 1", attempt)
				}
			case <-t.Context().Done():
				t.Fatal("it does not run again")
			}
			now, cancel := context.WithCancel(t.Context())
			cancel()
			if err := q.Stop(now); err != nil {
				t.Fatal(err)
			}
		}
		if len(discarded) > 0 {
			t.Error("it was discarded")
		}
	})
}

// TestDiscardedJobCallsOnDiscard checks that OnDiscard is called once after the last
// run fails in any way, and again if OnDiscard fails.
func TestDiscardedJobCallsOnDiscard(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		type discard struct {
			name     string
			separate bool
		}
		discards, ended := make(chan discard, 20), make(chan string, 20)
		refuse := make(chan error, 1)
		q := queueOf(t, db, func(ctx context.Context, j jobs.Job, a greeting) error {
			defer func() { ended <- a.Name }()
			switch a.Name {
			case "error":
				return errors.New("stuck")
			case "panic":
				panic("at work")
			case "slow":
				<-ctx.Done()
				return ctx.Err()
			case "given":
				return jobs.Cancel(errors.New("never"))
			case "later":
				return jobs.Snooze(1000 * time.Hour)
			}
			return nil
		}, jobs.MaxAttempts(2), jobs.Timeout(50*time.Millisecond), jobs.Backoff(func(int) time.Duration { return 0 }),
			jobs.OnDiscard(func(ctx context.Context, a greeting) error {
				discards <- discard{a.Name, ctx.Err() == nil}
				select {
				case err := <-refuse:
					return err
				default:
					return nil
				}
			}))
		start(t, q)
		for _, c := range []struct {
			name      string
			runs      int
			discarded bool
		}{{"good", 1, false}, {"later", 1, false}, {"error", 2, true}, {"panic", 2, true}, {"slow", 2, true}, {"given", 1, true}} {
			enqueue(t, db, q, c.name)
			for range c.runs {
				if got := next(t, ended); got != c.name {
					t.Fatalf("%s ran, want %s", got, c.name)
				}
			}
			if !c.discarded {
				continue
			}
			if got := <-discards; got != (discard{c.name, true}) {
				t.Errorf("OnDiscard got %+v, want %s in a separate context", got, c.name)
			}
		}
		for _, name := range []string{"error", "panic"} {
			refuse <- errors.New("no database")
			enqueue(t, db, q, name)
			for range 2 {
				next(t, ended)
			}
			<-discards
			for again := false; !again; { // it waits a minute from when River has written so
				if err := q.Shift(t.Context(), 2*time.Minute); err != nil {
					t.Fatal(err)
				}
				select {
				case <-ended:
					again = true
				case <-time.After(50 * time.Millisecond):
				}
			}
			if got := <-discards; got.name != name {
				t.Errorf("OnDiscard got %+v, want %s", got, name)
			}
		}
		if len(discards) > 0 || len(ended) > 0 {
			t.Errorf("%d discards reported and %d runs too many", len(discards), len(ended))
		}
	})
}

// crash makes all available jobs look as if their process had died while it ran them.
func crash(t *testing.T, db *store.DB, q *jobs.Queue) {
	t.Helper()
	by := `ARRAY['gone']`
	if db.Dialect == store.SQLite {
		by = `jsonb_array('gone')`
	}
	if _, err := db.SQL.ExecContext(t.Context(), `UPDATE river_job SET state = 'running', attempt = attempt + 1, attempted_by = `+by+
		` WHERE state = 'available'`); err != nil {
		t.Fatal(err)
	}
	if err := q.FreeDead(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestCrashedJobIsRunTwiceMore checks that a job that three processes in a row died of is
// discarded with the reason, and that a run that ends otherwise starts the count again.
func TestCrashedJobIsRunTwiceMore(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ran, discarded := make(chan int, 10), make(chan string, 10)
		q := queueOf(t, db, func(_ context.Context, j jobs.Job, a greeting) error {
			ran <- j.Attempt
			return jobs.Snooze(1000 * time.Hour)
		}, jobs.MaxAttempts(1), jobs.OnDiscard(func(_ context.Context, a greeting) error { discarded <- a.Name; return nil }))
		started := func() {
			t.Helper()
			if err := q.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		stopped := func() {
			t.Helper()
			if err := q.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		enqueue(t, db, q, "later")
		for range 2 { // the second time, after a run that ended
			crash(t, db, q)
			crash(t, db, q)
			started()
			if attempt := <-ran; attempt != 1 {
				t.Errorf("it runs in attempt %d, want 1", attempt)
			}
			stopped()
			if err := q.Shift(t.Context(), 2000*time.Hour); err != nil {
				t.Fatal(err)
			}
			if len(discarded) > 0 {
				t.Fatal("it was discarded after two deaths")
			}
		}
		crash(t, db, q)
		crash(t, db, q)
		crash(t, db, q)
		started()
		next(t, discarded)
		stopped()
		if len(ran) > 0 {
			t.Error("it ran again")
		}
		var n int
		if err := db.SQL.QueryRow(`SELECT count(*) FROM river_job WHERE state = 'cancelled'`).Scan(&n); err != nil || n != 1 {
			t.Errorf("%d jobs are cancelled, %v, want 1", n, err)
		}
	})
}

// TestPermanentJobSurvivesCrashes checks that a job without a limit of attempts is not discarded.
func TestPermanentJobSurvivesCrashes(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ran := make(chan string, 10)
		q := queue(t, db, func(_ jobs.Job, a greeting) error { ran <- a.Name; return nil }, jobs.NoAttemptLimit())
		enqueue(t, db, q, "sweep")
		for range 3 {
			crash(t, db, q)
		}
		start(t, q)
		for again := false; !again; { // it waits an hour from when River has written so
			if err := q.Shift(t.Context(), 2*time.Hour); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ran:
				again = true
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

// TestCrashedJobsRunAlone checks that no job of the kind runs beside one that was running when
// its process died.
func TestCrashedJobsRunAlone(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		var running atomic.Int64
		ran, both := make(chan string, 10), make(chan struct{})
		q := queue(t, db, func(_ jobs.Job, a greeting) error {
			n := running.Add(1)
			defer running.Add(-1)
			if a.Name == "crashed" {
				select {
				case <-time.After(300 * time.Millisecond): // longer than the interval at which jobs are looked for
				case <-both:
				}
				if n != 1 || running.Load() != 1 {
					t.Error("a crashed job does not run alone")
				}
			} else if n == 2 {
				close(both)
			} else {
				<-both
			}
			ran <- a.Name
			return nil
		})
		enqueue(t, db, q, "crashed")
		enqueue(t, db, q, "crashed")
		crash(t, db, q)
		enqueue(t, db, q, "other")
		enqueue(t, db, q, "other")
		start(t, q)
		for range 4 {
			next(t, ran)
		}
	})
}

// TestStopIsNoCrash checks that a job that outlives Stop does not count as one that a process died of.
func TestStopIsNoCrash(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		began, leave := make(chan struct{}, 1), make(chan struct{})
		q := queue(t, db, func(jobs.Job, greeting) error { began <- struct{}{}; <-leave; return nil })
		q.Grace(5*time.Second, time.Hour)
		enqueue(t, db, q, "deaf")
		if err := q.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-began
		now, cancel := context.WithCancel(t.Context())
		cancel()
		_ = q.Stop(now) // reports that the job goes on
		if err := q.FreeDead(t.Context()); err != nil {
			t.Fatal(err)
		}
		var state, metadata string
		query := `SELECT state, metadata->>'crashes' IS NULL FROM river_job`
		if db.Dialect == store.SQLite {
			query = `SELECT state, json_extract(metadata, '$.crashes') IS NULL FROM river_job`
		}
		if err := db.SQL.QueryRow(query).Scan(&state, &metadata); err != nil || state != "available" || metadata != "1" && metadata != "true" {
			t.Errorf("it is %s, without a crash %s: %v", state, metadata, err)
		}
		close(leave)
	})
}

func TestWaitsUseTheDatabaseClock(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		q := queue(t, db, func(jobs.Job, greeting) error { return nil })
		if got := q.Later(time.Hour); db.Dialect == store.SQLite && got != time.Hour || (got-time.Hour).Abs() > time.Minute {
			t.Errorf("on one machine an hour is %s", got)
		}
		q.Ahead(20 * time.Minute)
		enqueue(t, db, q, "at", jobs.At(time.Now().Add(time.Hour)))
		query := `SELECT scheduled_at BETWEEN now() + interval '75 minutes' AND now() + interval '80 minutes' FROM river_job`
		if db.Dialect == store.SQLite {
			query = `SELECT substr(scheduled_at, 1, 19) BETWEEN datetime('now', '+75 minutes') AND datetime('now', '+80 minutes') FROM river_job`
		}
		var waits bool
		if err := db.SQL.QueryRow(query).Scan(&waits); err != nil || !waits {
			t.Errorf("what is to be in an hour is at another time: %v", err)
		}
		if got := q.Later(time.Hour); got != 80*time.Minute {
			t.Errorf("later in an hour is in %s", got)
		}
		q.Ahead(-20 * time.Minute)
		if got := q.Later(time.Minute); got != 0 {
			t.Errorf("later in a minute is in %s", got)
		}
	})
}

// TestNoAttemptLimit checks that a job runs again within an hour after 1000 failures.
func TestNoAttemptLimit(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ran := make(chan string, 10)
		q := queue(t, db, func(_ jobs.Job, a greeting) error { ran <- a.Name; return errors.New("bad") }, jobs.NoAttemptLimit())
		enqueue(t, db, q, "good")
		if _, err := db.SQL.ExecContext(t.Context(), `UPDATE river_job SET attempt = 1000`); err != nil {
			t.Fatal(err)
		}
		start(t, q)
		next(t, ran)
		within := `scheduled_at < now() + interval '61 minutes'`
		if db.Dialect == store.SQLite {
			within = `substr(scheduled_at, 1, 19) < datetime('now', '+61 minutes')`
		}
		for waits, tries := false, 0; !waits; tries++ {
			err := db.SQL.QueryRow(`SELECT state = 'retryable' AND ` + within + ` FROM river_job`).Scan(&waits)
			if err != nil || tries == 500 {
				t.Fatalf("it is not run again within the hour: %v", err)
			}
			<-time.After(20 * time.Millisecond)
		}
	})
}

func TestFetchErrorsAreLoggedEveryTenSeconds(t *testing.T) {
	var out strings.Builder
	log := jobs.LoggerForRiver(slog.New(slog.NewTextHandler(&out, nil))).With("party", "portal")
	began := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	write := func(after time.Duration, level slog.Level, message string) {
		r := slog.NewRecord(began.Add(after), level, message, 0)
		if log.Enabled(t.Context(), level) {
			if err := log.Handler().Handle(t.Context(), r); err != nil {
				t.Error(err)
			}
		}
	}
	for i := range 205 { // twenty seconds and a half
		write(time.Duration(i)*100*time.Millisecond, slog.LevelError, "producer: Error fetching jobs")
		if i < 2 {
			write(0, slog.LevelInfo, "started")
			write(0, slog.LevelWarn, "a job is stuck")
		}
	}
	for message, want := range map[string]int{"fetching": 3, "started": 0, "stuck": 2, "party=portal": 5} {
		if n := strings.Count(out.String(), message); n != want {
			t.Errorf("%s: %d lines, want %d", message, n, want)
		}
	}
}
