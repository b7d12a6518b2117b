package events

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

func insertEvent(ctx context.Context, tx *sql.Tx, e event) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO events (id, customer_id, public_token, status, substatus, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		e.id, e.customerID, e.publicToken, string(e.status),
		sql.NullString{String: string(e.sub), Valid: e.sub != ""}, store.Micros(e.created))
	return err
}

// eventsOf returns a report's events, oldest first.
func eventsOf(ctx context.Context, q store.Queryer, publicToken string) ([]event, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, customer_id, public_token, status, coalesce(substatus, ''), created_at
		FROM events WHERE public_token = $1 ORDER BY created_at, id`, publicToken)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []event
	for rows.Next() {
		var e event
		var created int64
		if err := rows.Scan(&e.id, &e.customerID, &e.publicToken, &e.status, &e.sub, &created); err != nil {
			return nil, err
		}
		e.created = store.Time(created)
		out = append(out, e)
	}
	return out, rows.Err()
}

func insertDelivery(ctx context.Context, tx *sql.Tx, d delivery) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO deliveries (id, event_id, callback_id, state, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $5)`, d.id, d.event.id, d.callbackID, string(d.state), store.Micros(d.created))
	return err
}

func getDelivery(ctx context.Context, q store.Queryer, id string) (delivery, error) {
	d := delivery{id: id}
	var created, eventCreated int64
	err := q.QueryRowContext(ctx, `SELECT d.callback_id, c.url, c.disabled_at IS NOT NULL, d.state, d.attempts, d.created_at,
			e.id, e.customer_id, e.public_token, e.status, coalesce(e.substatus, ''), e.created_at
		FROM deliveries d JOIN events e ON e.id = d.event_id JOIN callbacks c ON c.id = d.callback_id
		WHERE d.id = $1`, id).
		Scan(&d.callbackID, &d.url, &d.disabled, &d.state, &d.attempts, &created,
			&d.event.id, &d.event.customerID, &d.event.publicToken, &d.event.status, &d.event.sub, &eventCreated)
	d.created, d.event.created = store.Time(created), store.Time(eventCreated)
	return d, store.Found(err)
}

func updateDelivery(ctx context.Context, tx *sql.Tx, id string, to state, attempts, http int, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE deliveries SET state = $2, attempts = $3, last_http = $4, updated_at = $5
		WHERE id = $1 AND state = 'pending'`,
		id, string(to), attempts, sql.NullInt64{Int64: int64(http), Valid: http != 0}, store.Micros(now))
	return err
}

// activeCallback returns the id of the customer's callback unless it is disabled.
func activeCallback(ctx context.Context, q store.Queryer, customerID string) (string, error) {
	var id string
	err := q.QueryRowContext(ctx, `SELECT id FROM callbacks WHERE customer_id = $1 AND disabled_at IS NULL`, customerID).Scan(&id)
	return id, store.Found(err)
}

// upsertCallback sets the customer's callback, enables it, and returns its id.
func upsertCallback(ctx context.Context, tx *sql.Tx, id, customerID, url string, now time.Time) (string, error) {
	err := tx.QueryRowContext(ctx, `INSERT INTO callbacks (id, customer_id, url, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (customer_id) DO UPDATE SET url = excluded.url, disabled_at = NULL RETURNING id`,
		id, customerID, url, store.Micros(now)).Scan(&id)
	return id, err
}

func disableCallback(ctx context.Context, tx *sql.Tx, id string, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE callbacks SET disabled_at = $2 WHERE id = $1`, id, store.Micros(now))
	return err
}

type secretRow struct {
	id     string
	sealed []byte
}

// secretRows returns the secrets that have not expired, the newest first.
func secretRows(ctx context.Context, q store.Queryer, callbackID string, now time.Time) ([]secretRow, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, sealed FROM callback_secrets
		WHERE callback_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY expires_at IS NULL DESC, created_at DESC, id`,
		callbackID, store.Micros(now))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []secretRow
	for rows.Next() {
		var r secretRow
		if err := rows.Scan(&r.id, &r.sealed); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

func insertSecret(ctx context.Context, tx *sql.Tx, id, callbackID string, sealed []byte, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO callback_secrets (id, callback_id, sealed, created_at) VALUES ($1, $2, $3, $4)`,
		id, callbackID, sealed, store.Micros(now))
	return err
}

// expireSecrets lets the callback's secrets go at an instant: the present one
// then, and those that were going already at once, so that two sign at most.
func expireSecrets(ctx context.Context, tx *sql.Tx, callbackID string, at time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM callback_secrets WHERE callback_id = $1 AND expires_at IS NOT NULL`, callbackID); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE callback_secrets SET expires_at = $2 WHERE callback_id = $1`, callbackID, store.Micros(at))
	return err
}
