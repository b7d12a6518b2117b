package api

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// keptFor is how long an Idempotency-Key is remembered.
const keptFor = 24 * time.Hour

// remember takes an Idempotency-Key for a request; false when it is taken. While
// another request that takes it is under way, it waits for that one's end.
func remember(ctx context.Context, tx *store.Tx, hash, request []byte, now time.Time) (bool, error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM api_requests WHERE created_at < $1`, store.Micros(now.Add(-keptFor))); err != nil {
		return false, err
	}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO api_requests (hash, request_hash, application_id, created_at) VALUES ($1, $2, '', $3)
		ON CONFLICT (hash) DO NOTHING`, hash, request, store.Micros(now)))
}

// keepAnswer keeps what the request that took a key was answered.
func keepAnswer(ctx context.Context, tx *store.Tx, hash []byte, applicationID string, sealed []byte) error {
	_, err := tx.ExecContext(ctx, `UPDATE api_requests SET application_id = $1, answer = $2 WHERE hash = $3`, applicationID, sealed, hash)
	return err
}

// remembered returns what a key was taken for.
func remembered(ctx context.Context, q store.Queryer, hash []byte) (request []byte, applicationID string, answer []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT request_hash, application_id, answer FROM api_requests WHERE hash = $1`, hash).Scan(&request, &applicationID, &answer)
	return request, applicationID, answer, store.MapNotFound(err)
}

// Forget deletes what is kept of an application here.
func Forget(ctx context.Context, tx *store.Tx, applicationID string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM api_requests WHERE application_id = $1`, applicationID)
	return err
}
