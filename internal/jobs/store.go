package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"vestibule/internal/store"
)

// migrationLock is the key of the lock for migrating River's tables; no other lock uses
// this number.
const migrationLock = 7_640_891_576_956_012_809

// unusedIndexes are River's indexes for searches by arguments and metadata. We make no such
// searches, and the indexes slow down each insertion and change of state.
var unusedIndexes = []string{"river_job_args_index", "river_job_metadata_index"}

// dropUnusedIndexes drops the idle indexes.
func (q *Queue) dropUnusedIndexes(ctx context.Context) error {
	if q.db.Dialect != store.Postgres {
		return nil
	}
	return store.Exec(q.db.SQL.ExecContext(ctx, `DROP INDEX IF EXISTS `+strings.Join(unusedIndexes, ", ")))
}

// Shift moves every waiting job forward by d, as the sandbox's clock does. Jobs that
// become due start at once, without waiting for River's next look. A negative d delays
// jobs.
func (q *Queue) Shift(ctx context.Context, d time.Duration) error {
	const then = `scheduled_at - make_interval(secs => $1)`
	query := `UPDATE river_job SET scheduled_at = ` + then + `,
			state = CASE WHEN ` + then + ` <= now() THEN 'available' ELSE state END
		WHERE state IN ('scheduled', 'retryable')`
	arg := any(d.Seconds())
	if q.db.Dialect == store.SQLite {
		// River writes some of these times with the name of a time zone, which strftime
		// does not read; the first 19 characters have the same form in all.
		const then = `strftime('%Y-%m-%d %H:%M:%f', substr(scheduled_at, 1, 19), $1)`
		query = `UPDATE river_job SET scheduled_at = ` + then + `,
				state = CASE WHEN ` + then + ` <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'available' ELSE state END
			WHERE state IN ('scheduled', 'retryable')`
		arg = fmt.Sprintf("%+.3f seconds", -d.Seconds())
	}
	return q.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, query, arg)
		tx.AfterCommit(func() {
			for queue := range workers {
				q.notifier.wake(queue)
			}
		})
		return err
	})
}

// Unfinished counts the waiting and running jobs of a kind, for drains and tests.
func (q *Queue) Unfinished(ctx context.Context, kind string) (int, error) {
	return store.ScanOne[int](q.db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM river_job
		WHERE kind = $1 AND state IN `+unfinished, kind))
}

// unfinished is the SQL list of the states of jobs that are not finished.
const unfinished = `('available', 'pending', 'running', 'retryable', 'scheduled')`

// freeQuery returns the UPDATE that makes running jobs of dead processes available again: as the
// first ones of their queues, in the same attempt, and with one crash more.
func (q *Queue) freeQuery() string {
	crashed := `jsonb_set(metadata, '{crashes}', to_jsonb(coalesce((metadata->>'crashes')::int, 0) + 1))`
	if q.db.Dialect == store.SQLite {
		crashed = `jsonb_set(metadata, '$.crashes', coalesce(json_extract(metadata, '$.crashes'), 0) + 1)`
	}
	return `UPDATE river_job SET state = 'available', attempt = CASE WHEN attempt > 0 THEN attempt - 1 ELSE 0 END,
		priority = 1, metadata = ` + crashed + ` WHERE state = 'running'`
}

// forgetCrashes begins the count of a job's crashes anew.
func (q *Queue) forgetCrashes(ctx context.Context, id int64) {
	without := `metadata - 'crashes'`
	if q.db.Dialect == store.SQLite {
		without = `jsonb_remove(metadata, '$.crashes')`
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	if _, err := q.db.SQL.ExecContext(ctx, `UPDATE river_job SET metadata = `+without+` WHERE id = $1`, id); err != nil {
		q.log.WarnContext(ctx, "a job's crashes are still counted", "job", id, "err", err.Error())
	}
}

// resume frees the jobs that were running when the process was killed. Under SQLite
// there is only one process, so at its start no job is really running. With PostgreSQL,
// attend frees the jobs of dead replicas.
func (q *Queue) resume(ctx context.Context) error {
	if q.db.Dialect != store.SQLite {
		return nil
	}
	return q.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.Exec(tx.ExecContext(ctx, q.freeQuery()))
	})
}

// Runners send a heartbeat every beat, and count as dead without one for dead. If a
// runner was only slow, its job runs twice, which is harmless.
const (
	heartbeatInterval = 4 * time.Second
	runnerDeadAfter   = 4 * heartbeatInterval
)

// microsNow is the SQL for the database's clock in microseconds, which all replicas
// share.
const microsNow = `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`

// clockOffset is how far the database's clock, by which River starts jobs, is ahead of this
// process's clock, by which jobs are scheduled.
type clockOffset struct{ by atomic.Int64 }

func (a *clockOffset) get() time.Duration { return time.Duration(a.by.Load()) }

// measureClock compares the two clocks, to within half of the query's duration.
func (q *Queue) measureClock(ctx context.Context) error {
	if q.db.Dialect != store.Postgres {
		return nil // the clocks are one
	}
	var databaseTime int64
	before := time.Now()
	if err := q.db.SQL.QueryRowContext(ctx, `SELECT `+microsNow).Scan(&databaseTime); err != nil {
		return err
	}
	elapsed := time.Since(before)
	by := time.UnixMicro(databaseTime).Sub(before.Add(elapsed / 2))
	if by.Abs() <= elapsed { // within the error of measurement
		by = 0
	}
	q.clockOffset.by.Store(int64(by))
	return nil
}

// heartbeat records that this runner is alive, and frees the jobs of dead runners.
func (q *Queue) heartbeat(ctx context.Context, runner string) error {
	_, err := q.db.SQL.ExecContext(ctx, `INSERT INTO job_runners (id, seen_at) VALUES ($1, `+microsNow+
		`) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, runner)
	return errors.Join(err, q.freeJobsOfDeadRunners(ctx))
}

// lastRunner is the SQL for the runner of a running job.
const lastRunner = `attempted_by[array_length(attempted_by, 1)]`

func (q *Queue) freeJobsOfDeadRunners(ctx context.Context) error {
	if q.db.Dialect != store.Postgres {
		return nil
	}
	return q.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM job_runners WHERE seen_at < `+microsNow+` - $1`, runnerDeadAfter.Microseconds())
		if err == nil {
			_, err = tx.ExecContext(ctx, q.freeQuery()+` AND NOT EXISTS (SELECT 1 FROM job_runners WHERE id = `+lastRunner+`)`)
		}
		return err
	})
}

// unregister ends this runner. The jobs that it leaves are available at once, without a crash.
func (q *Queue) unregister(ctx context.Context) error {
	left := `UPDATE river_job SET state = 'available', attempt = CASE WHEN attempt > 0 THEN attempt - 1 ELSE 0 END WHERE state = 'running'`
	if q.db.Dialect == store.SQLite {
		return q.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return store.Exec(tx.ExecContext(ctx, left))
		})
	}
	_, err := q.db.SQL.ExecContext(ctx, left+` AND `+lastRunner+` = $1`, q.runner)
	_, err2 := q.db.SQL.ExecContext(ctx, `DELETE FROM job_runners WHERE id = $1`, q.runner)
	return errors.Join(err, err2)
}

// Crashed reports whether the job of a unique key was given up because its processes died. Such
// jobs are kept for a week.
func (q *Queue) Crashed(ctx context.Context, db store.Queryer, key string) (crashed bool, err error) {
	of := `args->>'key'`
	if q.db.Dialect == store.SQLite {
		of = `json_extract(args, '$.key')`
	}
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'cancelled' AND finalized_at IS NOT NULL
		AND `+q.member("crashes")+` IS NOT NULL AND `+of+` = $1)`, key).Scan(&crashed)
	return crashed, err
}

// Forget deletes an application's jobs that are not running: those whose arguments have
// the member application with that id.
func (q *Queue) Forget(ctx context.Context, tx *store.Tx, application string) error {
	about := `args->'a'->>'application'`
	if q.db.Dialect == store.SQLite {
		about = `json_extract(args, '$.a.application')`
	}
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM river_job WHERE `+about+` = $1 AND state <> 'running'`, application))
}

// Remove deletes a job of a kind that is not due yet.
func (q *Queue) Remove(ctx context.Context, tx *store.Tx, kind string, id int64) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM river_job WHERE id = $1 AND kind = $2 AND state = 'scheduled'`, id, kind))
}

// Failed counts the jobs that were given up, by kind. They are kept for a week.
func (q *Queue) Failed(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	_, err := store.QueryAll(ctx, q.db.SQL, func(row store.Row) (none struct{}, err error) {
		var kind string
		var n int
		err = row.Scan(&kind, &n)
		out[kind] = n
		return none, err
	}, `SELECT kind, count(*) FROM river_job WHERE state = 'discarded'
		OR state = 'cancelled' AND `+q.member("crashes")+` IS NOT NULL GROUP BY kind`)
	return out, err
}

// Waiting is the number of unfinished jobs of a kind in a queue and a state, and how long
// the oldest of them has been due.
type Waiting struct {
	Queue       QueueName
	Kind, State string
	Jobs        int
	Oldest      time.Duration
}

// Waiting counts the unfinished jobs of all replicas.
func (q *Queue) Waiting(ctx context.Context) ([]Waiting, error) {
	age := `extract(epoch FROM clock_timestamp() - min(scheduled_at))`
	if q.db.Dialect == store.SQLite {
		age = `(julianday('now') - julianday(min(substr(scheduled_at, 1, 19)))) * 86400`
	}
	return store.QueryAll(ctx, q.db.SQL, func(row store.Row) (w Waiting, err error) {
		var seconds float64
		err = row.Scan(&w.Queue, &w.Kind, &w.State, &w.Jobs, &seconds)
		w.Oldest = max(0, time.Duration(seconds*float64(time.Second)))
		return w, err
	}, `SELECT queue, kind, state, count(*), CAST(`+age+` AS DOUBLE PRECISION) FROM river_job
		WHERE state IN `+unfinished+` GROUP BY queue, kind, state`)
}
