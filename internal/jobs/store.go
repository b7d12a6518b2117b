package jobs

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"vestibule/internal/store"
)

// migration is the lock of the process that migrates River's tables: any number that
// nothing else locks.
const migration = 7_640_891_576_956_012_809

// idle are indexes of River's for searching arguments and metadata, which nobody does
// here, and which every job's insertion and changes of state have to keep up.
var idle = []string{"river_job_args_index", "river_job_metadata_index"}

// unindex drops them.
func (q *Queue) unindex(ctx context.Context) error {
	if q.db.Dialect != store.Postgres {
		return nil
	}
	_, err := q.db.SQL.ExecContext(ctx, `DROP INDEX IF EXISTS `+strings.Join(idle, ", "))
	return err
}

// Shift brings every waiting job nearer by d: what the sandbox's clock does when
// it is moved forward by d. Those whose time has come are taken up at once, and
// not when River next looks for them. A negative d pushes jobs away.
func (q *Queue) Shift(ctx context.Context, d time.Duration) error {
	const then = `scheduled_at - make_interval(secs => $1)`
	query := `UPDATE river_job SET scheduled_at = ` + then + `,
			state = CASE WHEN ` + then + ` <= now() THEN 'available' ELSE state END
		WHERE state IN ('scheduled', 'retryable')`
	arg := any(d.Seconds())
	if q.db.Dialect == store.SQLite {
		// River writes some of these times with a zone's name behind them, which
		// strftime does not read; the first 19 characters are the same in all.
		const then = `strftime('%Y-%m-%d %H:%M:%f', substr(scheduled_at, 1, 19), $1)`
		query = `UPDATE river_job SET scheduled_at = ` + then + `,
				state = CASE WHEN ` + then + ` <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'available' ELSE state END
			WHERE state IN ('scheduled', 'retryable')`
		arg = fmt.Sprintf("%+.3f seconds", -d.Seconds())
	}
	return q.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, query, arg)
		tx.AfterCommit(q.bell.ring)
		return err
	})
}

// Unfinished counts the jobs of a kind that wait or run: for drains and tests.
func (q *Queue) Unfinished(ctx context.Context, kind string) (int, error) {
	var n int
	err := q.db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM river_job
		WHERE kind = $1 AND state IN ('available', 'pending', 'running', 'retryable', 'scheduled')`, kind).Scan(&n)
	return n, err
}

// freed are the jobs that somebody has begun. Freed, they run again at once; that
// a process was killed is no failure of theirs, so it does not count as one. A job that
// has been begun often may be what kills the process: then it counts.
func (q *Queue) freed() string {
	begun := `coalesce(array_length(attempted_by, 1), 0)`
	if q.db.Dialect == store.SQLite {
		begun = `coalesce(json_array_length(attempted_by), 0)`
	}
	return `UPDATE river_job SET state = 'available', attempt = CASE WHEN attempt > 0 AND ` + begun + ` < ` + strconv.Itoa(often) + ` THEN attempt - 1 ELSE attempt END WHERE state = 'running'`
}

const often = 50

// resume frees the jobs that were running when the last process was killed. Under
// SQLite there is one process, so whatever runs at its start runs no more; with
// PostgreSQL another replica may be at it, and attend sees to it.
func (q *Queue) resume(ctx context.Context) error {
	if q.db.Dialect != store.SQLite {
		return nil
	}
	return q.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, q.freed())
		return err
	})
}

// Runners say every few seconds that they live. One that has not for so long is
// taken for dead; if it was only slow, its job runs twice, which is harmless.
const (
	beat = 4 * time.Second
	dead = 4 * beat
)

// microsNow is the database's own clock, which all replicas read.
const microsNow = `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`

// ahead is by how much the database's clock, by which River takes jobs up, is ahead of
// this process's, by which it says when.
type ahead struct{ by atomic.Int64 }

func (a *ahead) get() time.Duration { return time.Duration(a.by.Load()) }

// measure compares the two clocks, to within half of the time that it takes.
func (q *Queue) measure(ctx context.Context) error {
	if q.db.Dialect != store.Postgres {
		return nil // the clocks are one
	}
	var theirs int64
	asked := time.Now()
	if err := q.db.SQL.QueryRowContext(ctx, `SELECT `+microsNow).Scan(&theirs); err != nil {
		return err
	}
	took := time.Since(asked)
	by := time.UnixMicro(theirs).Sub(asked.Add(took / 2))
	if by.Abs() <= took { // as good as nothing
		by = 0
	}
	q.ahead.by.Store(int64(by))
	return nil
}

// attend says that this runner lives, and frees the jobs of runners that do not.
func (q *Queue) attend(ctx context.Context, runner string) error {
	return q.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, query := range []struct {
			text string
			args []any
		}{
			{`INSERT INTO job_runners (id, seen_at) VALUES ($1, ` + microsNow + `) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, []any{runner}},
			{`DELETE FROM job_runners WHERE seen_at < ` + microsNow + ` - $1`, []any{dead.Microseconds()}},
			{q.freed() + ` AND NOT EXISTS (SELECT 1 FROM job_runners WHERE id = attempted_by[array_length(attempted_by, 1)])`, nil},
		} {
			if _, err := tx.ExecContext(ctx, query.text, query.args...); err != nil {
				return err
			}
		}
		return nil
	})
}

// leave takes this runner's name off the list.
func (q *Queue) leave(ctx context.Context, runner string) error {
	_, err := q.db.SQL.ExecContext(ctx, `DELETE FROM job_runners WHERE id = $1`, runner)
	return err
}

// Forget drops the jobs that are about an application and have not begun: those
// whose arguments have a member application of that id.
func (q *Queue) Forget(ctx context.Context, tx *store.Tx, application string) error {
	about := `args->'a'->>'application'`
	if q.db.Dialect == store.SQLite {
		about = `json_extract(args, '$.a.application')`
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM river_job WHERE `+about+` = $1 AND state <> 'running'`, application)
	return err
}

// Waiting is how many unfinished jobs of a kind are in a state, and for how long the
// oldest of them has been due.
type Waiting struct {
	Kind, State string
	Jobs        int
	Oldest      time.Duration
}

// Waiting counts the unfinished jobs of all replicas.
func (q *Queue) Waiting(ctx context.Context) (all []Waiting, err error) {
	age := `extract(epoch FROM clock_timestamp() - min(scheduled_at))`
	if q.db.Dialect == store.SQLite {
		age = `(julianday('now') - julianday(min(substr(scheduled_at, 1, 19)))) * 86400`
	}
	rows, err := q.db.SQL.QueryContext(ctx, `SELECT kind, state, count(*), CAST(`+age+` AS DOUBLE PRECISION) FROM river_job
		WHERE state IN ('available', 'pending', 'running', 'retryable', 'scheduled') GROUP BY kind, state`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var w Waiting
		var seconds float64
		if err := rows.Scan(&w.Kind, &w.State, &w.Jobs, &seconds); err != nil {
			return nil, err
		}
		w.Oldest = max(0, time.Duration(seconds*float64(time.Second)))
		all = append(all, w)
	}
	return all, rows.Err()
}
