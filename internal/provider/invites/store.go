package invites

import (
	"context"
	"time"

	"vestibule/internal/store"
)

func insertInvite(ctx context.Context, tx *store.Tx, id, visitID, customerID, handle string, expires time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO invites (id, visit_id, customer_id, handle_hash, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, id, visitID, customerID, store.Hash(handle), store.Micros(tx.Now), store.Micros(expires)))
}

// Visit returns the id of the visit of an invite's handle, or store.ErrNotFound.
func (s *Service) Visit(ctx context.Context, q store.Queryer, handle string) (string, error) {
	return store.FindOne[string](q.QueryRowContext(ctx, `SELECT visit_id FROM invites WHERE handle_hash = $1`, store.Hash(handle)))
}
