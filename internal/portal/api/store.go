package api

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// keyRetention is how long an Idempotency-Key is kept.
const keyRetention = 24 * time.Hour

// reserveKey stores an Idempotency-Key for a request; false if it is already stored. It
// waits for a concurrent transaction that stores the same key.
func reserveKey(ctx context.Context, tx *store.Tx, hash, request []byte) (bool, error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM api_requests WHERE created_at < $1`, store.Micros(tx.Now.Add(-keyRetention))); err != nil {
		return false, err
	}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO api_requests (hash, request_hash, application_id, created_at) VALUES ($1, $2, '', $3)
		ON CONFLICT (hash) DO NOTHING`, hash, request, store.Micros(tx.Now)))
}

// storeResponse stores the response of the request that used a key.
func storeResponse(ctx context.Context, tx *store.Tx, hash []byte, applicationID string, sealed []byte) error {
	_, err := tx.ExecContext(ctx, `UPDATE api_requests SET application_id = $1, answer = $2 WHERE hash = $3`, applicationID, sealed, hash)
	return err
}

// storedResponse returns the request hash and the response stored for a key.
func storedResponse(ctx context.Context, q store.Queryer, hash []byte) (request, answer []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT request_hash, answer FROM api_requests WHERE hash = $1`, hash).Scan(&request, &answer)
	return request, answer, store.MapNotFound(err)
}

// Forget deletes an application's rows in this package.
func Forget(ctx context.Context, tx *store.Tx, applicationID string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM api_requests WHERE application_id = $1`, applicationID))
}
