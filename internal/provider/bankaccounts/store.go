package bankaccounts

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// kept returns the sealed numbers of an account, or store.ErrNotFound.
func kept(ctx context.Context, q store.Queryer, publicToken, accountID string) ([]byte, error) {
	var sealed []byte
	err := q.QueryRowContext(ctx, `SELECT sealed FROM ach_details WHERE public_token = $1 AND account_id = $2`, publicToken, accountID).Scan(&sealed)
	return sealed, store.Found(err)
}

// keep keeps them, once.
func keep(ctx context.Context, q store.Queryer, publicToken, accountID string, sealed []byte, now time.Time) error {
	_, err := q.ExecContext(ctx, `INSERT INTO ach_details (public_token, account_id, sealed, first_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (public_token, account_id) DO NOTHING`, publicToken, accountID, sealed, store.Micros(now))
	return err
}
