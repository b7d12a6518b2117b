package dashboard

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

// takeForm uses up a form's nonce; one of several concurrent calls succeeds.
func takeForm(ctx context.Context, tx *store.Tx, nonce, sessionID string, at time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO dashboard_forms (nonce, session_id, at)
		VALUES ($1, $2, $3) ON CONFLICT (nonce) DO NOTHING`,
		nonce, sessionID, store.Micros(at)))
}

func usedForm(ctx context.Context, q store.Queryer, nonce string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM dashboard_forms WHERE nonce = $1`, nonce).Scan(&n)
	return n > 0, err
}

// putNotice sets the flash message of the session; with keep, only if none is waiting.
func putNotice(ctx context.Context, tx *store.Tx, sessionID string, n flash, sealed []byte, until time.Time, keep bool) error {
	query := `INSERT INTO dashboard_notices (session_id, message, sealed, expires_at) VALUES ($1, $2, $3, $4) ON CONFLICT (session_id) DO `
	if keep {
		query += `NOTHING`
	} else {
		query += `UPDATE SET message = excluded.message, sealed = excluded.sealed, expires_at = excluded.expires_at`
	}
	return store.Exec(tx.ExecContext(ctx, query, sessionID, string(n), sql.Null[[]byte]{V: sealed, Valid: sealed != nil}, store.Micros(until)))
}

func hasNotice(ctx context.Context, q store.Queryer, sessionID string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM dashboard_notices WHERE session_id = $1`, sessionID).Scan(&n)
	return n > 0, err
}

// takeNotice returns and deletes the flash message of the session.
func takeNotice(ctx context.Context, tx *store.Tx, sessionID string, now time.Time) (n flash, sealed []byte, err error) {
	var until int64
	err = tx.QueryRowContext(ctx, `DELETE FROM dashboard_notices WHERE session_id = $1 RETURNING message, sealed, expires_at`, sessionID).
		Scan(&n, &sealed, &until)
	if err == nil && until <= store.Micros(now) {
		return "", nil, nil
	}
	return n, sealed, store.MapNotFound(err)
}

func dropNotice(ctx context.Context, tx *store.Tx, sessionID string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM dashboard_notices WHERE session_id = $1`, sessionID))
}

// formLife is how long nonces of forms are kept: longer than the maximum session
// lifetime.
const formLife = 24 * time.Hour

func deleteForms(ctx context.Context, tx *store.Tx, before time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM dashboard_forms WHERE nonce IN (
		SELECT nonce FROM dashboard_forms WHERE at < $1 LIMIT $2)`, store.Micros(before), limit))
}

func deleteNotices(ctx context.Context, tx *store.Tx, now time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM dashboard_notices WHERE session_id IN (
		SELECT session_id FROM dashboard_notices WHERE expires_at <= $1 LIMIT $2)`, store.Micros(now), limit))
}
