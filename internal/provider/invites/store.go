package invites

import (
	"context"
	"time"

	"vestibule/internal/store"
)

func insertInvite(ctx context.Context, tx *store.Tx, id, visitID, customerID, handle string, expires time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO invites (id, visit_id, customer_id, handle_hash, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, id, visitID, customerID, store.Hash(handle), store.Micros(tx.Now), store.Micros(expires))
	return err
}

func visitOf(ctx context.Context, q store.Queryer, handle string) (visitID string, err error) {
	err = q.QueryRowContext(ctx, `SELECT visit_id FROM invites WHERE handle_hash = $1`, store.Hash(handle)).Scan(&visitID)
	return visitID, store.MapNotFound(err)
}

func insertEmail(ctx context.Context, tx *store.Tx, id string, e Email, recipient, body []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO outbox
		(id, customer_id, public_token, key_id, recipient, subject, body, created_at, expires_at, hidden)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		id, e.CustomerID, e.PublicToken, e.KeyID, recipient, e.Subject, body, store.Micros(tx.Now), store.Micros(e.Expires), e.Hidden)
	return err
}
