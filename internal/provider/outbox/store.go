package outbox

import (
	"context"

	"vestibule/internal/store"
)

func insertEmail(ctx context.Context, tx *store.Tx, id string, e Email, recipient, body []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO outbox
		(id, customer_id, public_token, key_id, recipient, subject, body, created_at, expires_at, hidden)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		id, e.CustomerID, e.PublicToken, e.KeyID, recipient, e.Subject, body, store.Micros(tx.Now), store.Micros(e.Expires), e.Hidden)
	return err
}
