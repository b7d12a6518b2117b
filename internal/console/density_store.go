package console

import (
	"context"
	"errors"

	"vestibule/internal/store"
)

// IsDense reports whether a user wants low rows.
func IsDense(ctx context.Context, q store.Queryer, userID string) (bool, error) {
	var density string
	err := store.MapNotFound(q.QueryRowContext(ctx, `SELECT density FROM user_settings WHERE user_id = $1`, userID).Scan(&density))
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return density == Dense, err
}

func setDensity(ctx context.Context, q store.Queryer, userID, density string) error {
	return store.Exec(q.ExecContext(ctx, `INSERT INTO user_settings (user_id, density) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET density = excluded.density`, userID, density))
}
