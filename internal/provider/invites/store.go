package invites

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

func insert(ctx context.Context, tx *store.Tx, id, visitID, customerID, handle string, created, expires time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO invites (id, visit_id, customer_id, handle_hash, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, id, visitID, customerID, store.Hash(handle), store.Micros(created), store.Micros(expires))
	return err
}

func visitOf(ctx context.Context, q store.Queryer, handle string) (visitID string, err error) {
	err = q.QueryRowContext(ctx, `SELECT visit_id FROM invites WHERE handle_hash = $1`, store.Hash(handle)).Scan(&visitID)
	return visitID, store.MapNotFound(err)
}

// letter is a row of outbox.
type letter struct {
	id, customerID, publicToken, keyID string
	recipient, body                    []byte // sealed; body is nil when it was sent
	subject                            string
	created, expires                   time.Time
	sent, failed                       time.Time // zero for null
}

func insertLetter(ctx context.Context, tx *store.Tx, l letter) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO outbox (id, customer_id, public_token, key_id, recipient, subject, body, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		l.id, l.customerID, l.publicToken, l.keyID, l.recipient, l.subject, l.body, store.Micros(l.created), store.Micros(l.expires))
	return err
}

const selectLetter = `SELECT id, customer_id, public_token, key_id, recipient, subject, body, created_at, expires_at, sent_at, failed_at FROM outbox `

type scanner interface{ Scan(into ...any) error }

func scan(row scanner) (letter, error) {
	var l letter
	var created, expires int64
	var sent, failed sql.NullInt64
	err := row.Scan(&l.id, &l.customerID, &l.publicToken, &l.keyID, &l.recipient, &l.subject, &l.body, &created, &expires, &sent, &failed)
	l.created, l.expires = store.Time(created), store.Time(expires)
	if sent.Valid {
		l.sent = store.Time(sent.Int64)
	}
	if failed.Valid {
		l.failed = store.Time(failed.Int64)
	}
	return l, store.MapNotFound(err)
}

// waiting returns an unsent email, or store.ErrNotFound.
func waiting(ctx context.Context, q store.Queryer, id string, now time.Time) (letter, error) {
	return scan(q.QueryRowContext(ctx, selectLetter+`WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL AND expires_at > $2`, id, store.Micros(now)))
}

func letters(ctx context.Context, q store.Queryer, customerID string, from store.Cursor, now time.Time, limit int) ([]letter, error) {
	rows, err := q.QueryContext(ctx, selectLetter+`WHERE customer_id = $1 AND expires_at > $2
			AND (CAST($3 AS BIGINT) = 0 OR created_at < $3 OR created_at = $3 AND id < $4)
		ORDER BY created_at DESC, id DESC LIMIT $5`, customerID, store.Micros(now), from.Micros(), from.ID, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []letter
	for rows.Next() {
		l, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, rows.Err()
}

// sent marks an email as sent, once, and deletes its text with the link.
func sent(ctx context.Context, q store.Queryer, id string, now time.Time) error {
	_, err := q.ExecContext(ctx, `UPDATE outbox SET sent_at = $2, body = NULL WHERE id = $1 AND sent_at IS NULL`, id, store.Micros(now))
	return err
}

// failed marks an email as given up. Its text stays, so that users can pass it on.
func failed(ctx context.Context, q store.Queryer, id string, now time.Time) error {
	_, err := q.ExecContext(ctx, `UPDATE outbox SET failed_at = $2 WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL`, id, store.Micros(now))
	return err
}

func deleteOver(ctx context.Context, tx *store.Tx, now time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM outbox WHERE id IN (
		SELECT id FROM outbox WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, store.Micros(now), limit))
}
