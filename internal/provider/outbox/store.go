package outbox

import (
	"context"

	"vestibule/internal/mail"
	"vestibule/internal/store"
)

func insertEmail(ctx context.Context, tx *store.Tx, id string, e Email, sealed mail.Sealed) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO emails
		(id, customer_id, subject_id, key_id, recipient, subject, body, html, created_at, expires_at, hidden)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, id, e.CustomerID, e.PublicToken, e.KeyID, sealed.Recipient, e.Look.Subject,
		sealed.Body, sealed.HTML, store.Micros(tx.Now), store.Micros(e.Expires), e.Hidden))
}
