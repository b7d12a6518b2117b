package mail

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// cell is the context that the encryption of an email's column is bound to.
func cell(id, column string) store.Cell { return store.Cell{Table: "emails", Column: column, Row: id} }

const selectEmail = `SELECT id, subject_id, key_id, recipient, subject, body, html, created_at, expires_at, sent_at, failed_at FROM emails `

func scan(row store.Row) (Email, error) {
	var e Email
	err := row.Scan(&e.ID, &e.About, &e.keyID, &e.sealed.Recipient, &e.Subject, &e.sealed.Body, &e.sealed.HTML,
		store.At(&e.Created), store.At(&e.Expires), store.At(&e.Sent), store.At(&e.Failed))
	return e, store.MapNotFound(err)
}

// unsent returns an email to be sent, or store.ErrNotFound.
func unsent(ctx context.Context, q store.Queryer, id string, now time.Time) (Email, error) {
	return scan(q.QueryRowContext(ctx, selectEmail+`
		WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL AND expires_at > $2`, id, store.Micros(now)))
}

// inState has the condition of each state.
var inState = map[State]string{Waiting: `AND sent_at IS NULL AND failed_at IS NULL`, Sent: `AND sent_at IS NOT NULL`,
	GivenUp: `AND sent_at IS NULL AND failed_at IS NOT NULL`}

func listEmails(ctx context.Context, q store.Queryer, f Filter, now time.Time) ([]Email, error) {
	after, order := `<`, `DESC`
	if f.Oldest {
		after, order = `>`, `ASC`
	}
	return store.QueryAll(ctx, q, scan, selectEmail+`
		WHERE customer_id = $1 AND NOT hidden AND withheld = '' AND expires_at > $2 `+inState[f.State]+`
			AND created_at >= $6 AND created_at < $7 AND (CAST($3 AS BIGINT) = 0 OR created_at `+after+` $3 OR created_at = $3 AND id `+after+` $4)
		ORDER BY created_at `+order+`, id `+order+` LIMIT $5`,
		f.CustomerID, store.Micros(now), f.Before.Micros(), f.Before.ID, int64(f.Limit),
		store.Micros(f.Since), store.MicrosOrEnd(f.Until))
}

// Counts counts the unexpired emails of all customers by their state. Sent ones are not counted.
func (o Outbox) Counts(ctx context.Context, q store.Queryer) (map[State]int, error) {
	out := map[State]int{}
	for _, state := range []State{Waiting, GivenUp} {
		var n int
		query := `SELECT COUNT(*) FROM emails WHERE expires_at > $1 ` + inState[state]
		if err := q.QueryRowContext(ctx, query, store.Micros(o.Now())).Scan(&n); err != nil {
			return nil, err
		}
		out[state] = n
	}
	return out, nil
}

// setResult records that an email was sent, and deletes its content, or that it was given up.
// Content that was given up stays for a customer who can pass it on. setResult returns false
// if the result was recorded before.
func setResult(ctx context.Context, tx *store.Tx, id string, sent bool) (bool, error) {
	query := `UPDATE emails SET failed_at = $2, body = CASE WHEN customer_id <> '' AND NOT hidden THEN body END,
		html = CASE WHEN customer_id <> '' AND NOT hidden THEN html END WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL`
	if sent {
		query = `UPDATE emails SET sent_at = $2, body = NULL, html = NULL WHERE id = $1 AND sent_at IS NULL`
	}
	return store.ExecOne(tx.ExecContext(ctx, query, id, store.Micros(tx.Now)))
}

// retry makes an email unsent again that was given up until an instant and still has its
// text. It returns store.ErrNotFound if the customer has no such email.
func retry(ctx context.Context, tx *store.Tx, customerID, id string, until time.Time) (bool, error) {
	ok, err := store.ExecOne(tx.ExecContext(ctx, `UPDATE emails SET failed_at = NULL WHERE id = $1 AND customer_id = $2
		AND sent_at IS NULL AND failed_at <= $3 AND body IS NOT NULL AND expires_at > $4`,
		id, customerID, store.Micros(until), store.Micros(tx.Now)))
	if err != nil || ok {
		return ok, err
	}
	err = tx.QueryRowContext(ctx, `SELECT id FROM emails WHERE id = $1 AND customer_id = $2`, id, customerID).Scan(&id)
	return false, store.MapNotFound(err)
}

// deleteExpired deletes emails whose links have expired, except those about decisions.
func deleteExpired(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM emails WHERE id IN (
		SELECT id FROM emails WHERE expires_at <= $1 AND decision = 0 ORDER BY expires_at LIMIT $2)`, store.Micros(tx.Now), int64(limit)))
}
