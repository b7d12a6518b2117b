package staff

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// countTry counts one try under key if fewer than max were made within the window that
// ends at now. It uses one statement, so that concurrent tries are all counted.
func countTry(ctx context.Context, q store.Queryer, key []byte, now time.Time, max int64) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO sign_in_tries (key, tries, since) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			tries = CASE WHEN sign_in_tries.since <= $3 THEN 1 ELSE sign_in_tries.tries + 1 END,
			since = CASE WHEN sign_in_tries.since <= $3 THEN $2 ELSE sign_in_tries.since END
		WHERE sign_in_tries.since <= $3 OR sign_in_tries.tries < $4`,
		key, store.Micros(now), store.Micros(now.Add(-TriesWindow)), max))
}

// uncountTry subtracts one try counted under key.
func uncountTry(ctx context.Context, q store.Queryer, key []byte) error {
	return store.Exec(q.ExecContext(ctx, `UPDATE sign_in_tries SET tries = tries - 1 WHERE key = $1 AND tries > 0`, key))
}

func deleteTries(ctx context.Context, q store.Queryer, key []byte) error {
	return store.Exec(q.ExecContext(ctx, `DELETE FROM sign_in_tries WHERE key = $1`, key))
}

// sweep deletes the counters of old tries.
func (l *tryLimits) sweep(ctx context.Context, q store.Queryer) error {
	return store.Exec(q.ExecContext(ctx, `DELETE FROM sign_in_tries WHERE since < $1`, store.Micros(l.now().Add(-triesAge))))
}
