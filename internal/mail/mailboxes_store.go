package mail

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// countTry counts a try under key and returns the number of tries within TriesWindow.
func countTry(ctx context.Context, q store.Queryer, key []byte, now time.Time) (int64, error) {
	return store.ScanOne[int64](q.QueryRowContext(ctx, `INSERT INTO link_tries (key, tries, since) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			tries = CASE WHEN link_tries.since <= $3 THEN 1 ELSE link_tries.tries + 1 END,
			since = CASE WHEN link_tries.since <= $3 THEN $2 ELSE link_tries.since END
		RETURNING tries`, key, store.Micros(now), store.Micros(now.Add(-TriesWindow))))
}

// Sweep deletes tries that no longer count.
func (m *Mailboxes) Sweep(ctx context.Context) error {
	return store.Exec(m.db.SQL.ExecContext(ctx, `DELETE FROM link_tries WHERE since < $1`, store.Micros(m.now().Add(-TriesWindow))))
}
