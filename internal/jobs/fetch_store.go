package jobs

import (
	"context"
	"fmt"
	"strconv"
	"strings"

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

// due returns the first jobs of a queue that are due.
func (q *Queue) due(ctx context.Context, queue QueueName) ([]started, error) {
	now := `now()`
	if q.db.Dialect == store.SQLite {
		now = `datetime('now', 'subsec')`
	}
	return store.QueryAll(ctx, q.db.SQL, func(row store.Row) (s started, err error) {
		s.queue = queue
		return s, row.Scan(&s.id, &s.kind, &s.account, &s.crashed)
	}, `SELECT id, kind, coalesce(`+q.member("account")+`, ''), `+q.member("crashes")+` IS NOT NULL FROM river_job
		WHERE state = 'available' AND queue = $1 AND scheduled_at <= `+now+`
		ORDER BY priority, scheduled_at, id LIMIT `+strconv.Itoa(lookAhead), string(queue))
}

// start marks available jobs as running, and returns those that no other process has started.
func (q *Queue) start(ctx context.Context, runner string, ids []int64) ([]int64, error) {
	now, by, which := `now()`, `ARRAY[$1]`, `SELECT id FROM river_job WHERE id = ANY(string_to_array($2, ',')::bigint[])
		AND state = 'available' FOR UPDATE SKIP LOCKED`
	if q.db.Dialect == store.SQLite {
		now, by, which = `datetime('now', 'subsec')`, `jsonb_array($1)`, `SELECT value FROM json_each('[' || $2 || ']')`
	}
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
	return store.QueryAll(ctx, q.db.SQL, store.ScanOne[int64], `UPDATE river_job SET state = 'running', attempt = attempt + 1,
		attempted_at = `+now+`, attempted_by = `+by+` WHERE id IN (`+which+`) AND state = 'available' RETURNING id`, runner, list)
}
