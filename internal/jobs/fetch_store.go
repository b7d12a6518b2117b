package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"vestibule/internal/store"
)

// setPriority lowers the priority of a job of an account that already has many.
func (q *Queue) setPriority(ctx context.Context, tx *store.Tx, queue QueueName, e *enqueue) error {
	if e.account == "" {
		return nil
	}
	var taken [len(roomy)]int
	err := store.QueryEach(ctx, tx, func(row store.Row) error {
		var priority, n int
		err := row.Scan(&priority, &n)
		taken[priority] = n
		return err
	}, `SELECT priority, count(*) FROM river_job WHERE state IN `+unfinished+`
		AND queue = $1 AND priority < $2 AND `+q.member("account")+` = $3 GROUP BY priority`, string(queue), len(roomy), e.account)
	for e.priority < len(roomy) && taken[e.priority] >= roomy[e.priority] {
		e.priority++
	}
	return err
}

// member is the SQL for a member of a job's metadata.
func (q *Queue) member(name string) string {
	if q.db.Dialect == store.SQLite {
		return `json_extract(metadata, '$.` + name + `')`
	}
	return `metadata->>'` + name + `'`
}

// sqlNow is the SQL for the present as River stores times.
func (q *Queue) sqlNow() string {
	if q.db.Dialect == store.SQLite {
		return `datetime('now', 'subsec')`
	}
	return `now()`
}

// insertJob inserts a job and returns its ID: that of an unfinished job with the same key, if there is one. River's own
// statement, for many jobs as arrays or JSON, takes several times as long.
func (q *Queue) insertJob(ctx context.Context, tx *store.Tx, k *kind, a river.JobArgs, e enqueue) (id int64, err error) {
	var at, key, states any
	state := rivertype.JobStateAvailable
	if !e.at.IsZero() {
		state, at = rivertype.JobStateScheduled, time.Now().Add(e.at.Sub(q.now())+q.clockOffset.get()).UTC()
	}
	if e.key != "" { // the key and the mask of unfinished states as River computes them
		raw, _ := json.Marshal(map[string]string{"key": e.key}) // strings always encode
		hash := sha256.Sum256([]byte("&kind=" + k.name + "&args=" + string(raw)))
		key, states = hash[:], int64(0b11110001)
	}
	with := metadata{Account: e.account}
	if q.watch != nil {
		with.Traceparent = q.watch.Traceparent(ctx)
	}
	more, _ := json.Marshal(with)
	raw, err := json.Marshal(a)
	if err != nil {
		return 0, err
	}
	objects, mask, unique := `$1, $2`, `CAST(CAST($4 AS INTEGER) AS BIT(8))`, `(unique_key) WHERE unique_key IS NOT NULL
		AND unique_states IS NOT NULL AND river_job_state_in_bitmask(unique_states, state)`
	if q.db.Dialect == store.SQLite {
		objects, mask, unique = `jsonb($1), jsonb($2)`, `$4`, ``
		if t, ok := at.(time.Time); ok {
			at = t.Format("2006-01-02 15:04:05.000")
		}
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO river_job (args, metadata, unique_key, unique_states, kind, max_attempts, priority,
			queue, state, scheduled_at, created_at)
		VALUES (`+objects+`, $3, `+mask+`, $5, $6, $7, $8, $9, coalesce($10, `+q.sqlNow()+`), `+q.sqlNow()+`)
		ON CONFLICT `+unique+` DO UPDATE SET kind = excluded.kind RETURNING id`,
		string(raw), string(more), key, states, k.name, int64(k.attempts), int64(e.priority), string(k.queue), string(state), at).Scan(&id)
	return id, err
}

// due returns the first jobs of a queue that are due.
func (q *Queue) due(ctx context.Context, queue QueueName) ([]started, error) {
	return store.QueryAll(ctx, q.db.SQL, func(row store.Row) (s started, err error) {
		s.queue = queue
		return s, row.Scan(&s.id, &s.kind, &s.account, &s.crashed)
	}, `SELECT id, kind, coalesce(`+q.member("account")+`, ''), `+q.member("crashes")+` IS NOT NULL FROM river_job
		WHERE state = 'available' AND queue = $1 AND scheduled_at <= `+q.sqlNow()+`
		ORDER BY priority, scheduled_at, id LIMIT `+strconv.Itoa(lookAhead), string(queue))
}

// start marks available jobs as running, and returns those that no other process has started.
func (q *Queue) start(ctx context.Context, runner string, ids []int64) ([]int64, error) {
	by, which := `ARRAY[$1]`, `SELECT id FROM river_job WHERE id = ANY(string_to_array($2, ',')::bigint[])
		AND state = 'available' FOR UPDATE SKIP LOCKED`
	if q.db.Dialect == store.SQLite {
		by, which = `jsonb_array($1)`, `SELECT value FROM json_each('[' || $2 || ']')`
	}
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
	return store.QueryAll(ctx, q.db.SQL, store.ScanOne[int64], `UPDATE river_job SET state = 'running', attempt = attempt + 1,
		attempted_at = `+q.sqlNow()+`, attempted_by = `+by+` WHERE id IN (`+which+`) AND state = 'available' RETURNING id`, runner, list)
}
