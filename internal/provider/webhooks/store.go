package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// insertEvents adds events and returns, by event id, the callbacks to deliver them to.
// An event has none without an enabled callback that subscribes to its status.
func insertEvents(ctx context.Context, tx *store.Tx, all []event) (map[string]string, error) {
	var values []string
	var args []any
	for i := range store.PadCount(len(all)) {
		values = append(values, fmt.Sprintf("($%d, $%d, $%d, $%d, $%d, CAST($%d AS BIGINT))", 6*i+1, 6*i+2, 6*i+3, 6*i+4, 6*i+5, 6*i+6))
		if i >= len(all) {
			args = append(args, "", "", "", "", "", 0) // left out
			continue
		}
		e := all[i]
		args = append(args, e.id, e.customerID, e.publicToken, string(e.status), string(e.sub), store.Micros(e.created))
	}
	rows, err := tx.QueryContext(ctx, `INSERT INTO events (id, customer_id, public_token, status, substatus, created_at)
		SELECT v.column1, v.column2, v.column3, v.column4, nullif(v.column5, ''), v.column6
		FROM (VALUES `+strings.Join(values, ", ")+`) v WHERE v.column1 <> ''
		RETURNING id, coalesce((SELECT c.id FROM callbacks c WHERE c.customer_id = events.customer_id AND c.disabled_at IS NULL
			AND (c.statuses = '' OR ' ' || c.statuses || ' ' LIKE '% ' || events.status || ' %')), '')`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	told := map[string]string{}
	for rows.Next() {
		var id, callbackID string
		if err := rows.Scan(&id, &callbackID); err != nil {
			return nil, err
		}
		if callbackID != "" {
			told[id] = callbackID
		}
	}
	return told, rows.Err()
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

func insertDelivery(ctx context.Context, tx *store.Tx, d delivery) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO deliveries (id, event_id, callback_id, state, created_at, updated_at, body)
		VALUES ($1, $2, $3, $4, $5, $5, $6)`, d.id, d.event.id, d.callbackID, string(d.state), store.Micros(d.created), d.body)
	return err
}

func getDelivery(ctx context.Context, q store.Queryer, id string) (delivery, error) {
	d := delivery{id: id}
	var created, eventCreated int64
	err := q.QueryRowContext(ctx, `SELECT d.callback_id, c.url, c.disabled_at IS NOT NULL, d.state, d.attempts, d.created_at, d.body,
			e.id, e.customer_id, e.public_token, e.status, coalesce(e.substatus, ''), e.created_at
		FROM deliveries d JOIN events e ON e.id = d.event_id JOIN callbacks c ON c.id = d.callback_id
		WHERE d.id = $1`, id).
		Scan(&d.callbackID, &d.url, &d.disabled, &d.state, &d.attempts, &created, &d.body,
			&d.event.id, &d.event.customerID, &d.event.publicToken, &d.event.status, &d.event.sub, &eventCreated)
	d.created, d.event.created = store.Time(created), store.Time(eventCreated)
	return d, store.MapNotFound(err)
}

func updateDelivery(ctx context.Context, tx *store.Tx, d delivery, to webhook.State, http int, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE deliveries SET state = $2, attempts = $3, last_http = $4, updated_at = $5, body = coalesce(body, $6)
		WHERE id = $1 AND state = 'pending'`,
		d.id, string(to), d.attempts, sql.NullInt64{Int64: int64(http), Valid: http != 0}, store.Micros(now),
		sql.Null[[]byte]{V: d.body, Valid: d.body != nil})
	return err
}

func insertAttempt(ctx context.Context, tx *store.Tx, d delivery, r webhook.Result, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO delivery_attempts (delivery_id, attempt, at, http, took_ms, error)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (delivery_id, attempt) DO NOTHING`,
		d.id, d.attempts, store.Micros(at), r.HTTP, r.Took.Milliseconds(), string(r.Class()))
	return err
}

// activeCallback returns the id of the customer's callback unless it is disabled.
func activeCallback(ctx context.Context, q store.Queryer, customerID string) (string, error) {
	var id string
	err := q.QueryRowContext(ctx, `SELECT id FROM callbacks WHERE customer_id = $1 AND disabled_at IS NULL`, customerID).Scan(&id)
	return id, store.MapNotFound(err)
}

// upsertCallback sets the customer's callback, enables it, and returns its id.
func upsertCallback(ctx context.Context, tx *store.Tx, id, customerID, url string, now time.Time) (string, error) {
	err := tx.QueryRowContext(ctx, `INSERT INTO callbacks (id, customer_id, url, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (customer_id) DO UPDATE SET url = excluded.url, disabled_at = NULL RETURNING id`,
		id, customerID, url, store.Micros(now)).Scan(&id)
	return id, err
}

// disableCallback disables a callback, unless its URL has changed.
func disableCallback(ctx context.Context, tx *store.Tx, id, url string, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE callbacks SET disabled_at = $3 WHERE id = $1 AND url = $2`, id, url, store.Micros(now)))
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

func insertSecret(ctx context.Context, tx *store.Tx, id, callbackID string, sealed []byte, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO callback_secrets (id, callback_id, sealed, created_at) VALUES ($1, $2, $3, $4)`,
		id, callbackID, sealed, store.Micros(now))
	return err
}

// expireSecrets makes the current secret of a callback expire at an instant, and those
// that were already expiring immediately, so that at most two sign.
func expireSecrets(ctx context.Context, tx *store.Tx, callbackID string, at time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM callback_secrets WHERE callback_id = $1 AND expires_at IS NOT NULL`, callbackID); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE callback_secrets SET expires_at = $2 WHERE callback_id = $1`, callbackID, store.Micros(at))
	return err
}

func callback(ctx context.Context, q store.Queryer, customerID string) (Callback, error) {
	var c Callback
	var disabled sql.NullInt64
	var statuses string
	var created int64
	err := q.QueryRowContext(ctx, `SELECT id, url, disabled_at, statuses, created_at FROM callbacks WHERE customer_id = $1`, customerID).
		Scan(&c.id, &c.URL, &disabled, &statuses, &created)
	c.Created = store.Time(created)
	if disabled.Valid {
		c.Disabled = store.Time(disabled.Int64)
	}
	for _, s := range strings.Fields(statuses) {
		c.Statuses = append(c.Statuses, contract.Status(s))
	}
	return c, store.MapNotFound(err)
}

// signers returns the creation and expiry times of the secrets that have not expired,
// newest first.
func signers(ctx context.Context, q store.Queryer, callbackID string, now time.Time) ([]Signer, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, created_at, expires_at FROM callback_secrets
		WHERE callback_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY expires_at IS NULL DESC, created_at DESC, id`,
		callbackID, store.Micros(now))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Signer
	for rows.Next() {
		var g Signer
		var created int64
		var ends sql.NullInt64
		if err := rows.Scan(&g.ID, &created, &ends); err != nil {
			return nil, err
		}
		g.Created = store.Time(created)
		if ends.Valid {
			g.Ends = store.Time(ends.Int64)
		}
		out = append(out, g)
	}
	return out, rows.Err()
}

// retire makes the current secret of a callback expire at an instant if it has that
// id; one of several concurrent calls succeeds.
func retire(ctx context.Context, tx *store.Tx, callbackID, secretID string, at time.Time) (bool, error) {
	ok, err := store.ExecOne(tx.ExecContext(ctx, `UPDATE callback_secrets SET expires_at = $3
		WHERE id = $1 AND callback_id = $2 AND expires_at IS NULL`, secretID, callbackID, store.Micros(at)))
	if err != nil || !ok {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM callback_secrets WHERE callback_id = $1 AND id <> $2`, callbackID, secretID)
	return err == nil, err
}

// setDisabled disables or enables a callback; it returns false if it already is so.
func setDisabled(ctx context.Context, tx *store.Tx, customerID string, off bool, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE callbacks SET disabled_at = $2 WHERE customer_id = $1 AND (disabled_at IS NULL) = $3`,
		customerID, sql.NullInt64{Int64: store.Micros(now), Valid: off}, off))
}

func setStatuses(ctx context.Context, tx *store.Tx, customerID string, statuses []string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE callbacks SET statuses = $2 WHERE customer_id = $1`, customerID, strings.Join(statuses, " ")))
}

const selectDelivery = `SELECT d.id, d.state, d.attempts, coalesce(d.last_http, 0), d.created_at, d.updated_at, d.body,
		e.id, e.public_token, e.status, coalesce(e.substatus, ''), e.created_at, e.resends
	FROM deliveries d JOIN events e ON e.id = d.event_id `

func scanDelivery(row interface{ Scan(...any) error }) (Delivery, []byte, error) {
	var d Delivery
	var sealed []byte
	var created, updated, happened int64
	err := row.Scan(&d.ID, &d.State, &d.Tries, &d.HTTP, &created, &updated, &sealed,
		&d.EventID, &d.PublicToken, &d.Status, &d.Substatus, &happened, &d.Resends)
	d.Created, d.Updated, d.Happened = store.Time(created), store.Time(updated), store.Time(happened)
	return d, sealed, store.MapNotFound(err)
}

// deliveries lists deliveries before a cursor, newest first.
func deliveries(ctx context.Context, q store.Queryer, customerID string, f Filter) ([]Delivery, error) {
	rows, err := q.QueryContext(ctx, selectDelivery+`
		WHERE d.callback_id = (SELECT id FROM callbacks WHERE customer_id = $1)
			AND ($2 = '' OR d.state = $2) AND ($3 = '' OR e.public_token = $3)
			AND (CAST($4 AS BIGINT) = 0 OR d.created_at < $4 OR d.created_at = $4 AND d.id < $5)
		ORDER BY d.created_at DESC, d.id DESC LIMIT $6`,
		customerID, f.State, f.PublicToken, f.Before.Micros(), f.Before.ID, f.Limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Delivery
	for rows.Next() {
		d, _, err := scanDelivery(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, rows.Err()
}

func deliveryOf(ctx context.Context, q store.Queryer, customerID, id string) (Delivery, []byte, error) {
	return scanDelivery(q.QueryRowContext(ctx, selectDelivery+`WHERE d.id = $1 AND e.customer_id = $2`, id, customerID))
}

func attemptsOf(ctx context.Context, q store.Queryer, deliveryID string) ([]Attempt, error) {
	rows, err := q.QueryContext(ctx, `SELECT at, http, took_ms, error FROM delivery_attempts WHERE delivery_id = $1 ORDER BY attempt`, deliveryID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Attempt
	for rows.Next() {
		var a Attempt
		var at, ms int64
		if err := rows.Scan(&at, &a.HTTP, &ms, &a.Error); err != nil {
			return nil, err
		}
		a.At, a.Took = store.Time(at), time.Duration(ms)*time.Millisecond
		out = append(out, a)
	}
	return out, rows.Err()
}

// resend increments the number of resends of an event if it equals resends.
func resend(ctx context.Context, tx *store.Tx, eventID string, resends int64) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE events SET resends = resends + 1 WHERE id = $1 AND resends = $2`, eventID, resends))
}

// onItsWay reports whether a delivery of the event is still pending.
func onItsWay(ctx context.Context, q store.Queryer, eventID string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM deliveries WHERE event_id = $1 AND state = 'pending'`, eventID).Scan(&n)
	return n > 0, err
}

// deliveryCounts counts the deliveries begun since an instant by state.
func deliveryCounts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[string]int, error) {
	rows, err := q.QueryContext(ctx, `SELECT state, COUNT(*) FROM deliveries
		WHERE callback_id = (SELECT id FROM callbacks WHERE customer_id = $1) AND created_at >= $2 GROUP BY state`,
		customerID, store.Micros(since))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var state string
		var n int
		if err := rows.Scan(&state, &n); err != nil {
			return nil, err
		}
		out[state] = n
	}
	return out, rows.Err()
}

// deleteOld deletes, at most limit times, events before an instant with their
// deliveries, except pending ones.
func deleteOld(ctx context.Context, tx *store.Tx, before time.Time, limit int) (int64, error) {
	rows, err := tx.QueryContext(ctx, `SELECT id FROM events WHERE created_at < $1
			AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = events.id AND d.state = 'pending')
		ORDER BY created_at LIMIT $2`, store.Micros(before), limit)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
		ids = append(ids, id)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, err
	}
	for _, id := range ids {
		for _, query := range []string{
			`DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE event_id = $1)`,
			`DELETE FROM deliveries WHERE event_id = $1`, `DELETE FROM events WHERE id = $1`,
		} {
			if _, err := tx.ExecContext(ctx, query, id); err != nil {
				return 0, err
			}
		}
	}
	return int64(len(ids)), nil
}

// deleteExpired deletes secrets that no longer sign.
func deleteExpired(ctx context.Context, tx *store.Tx, now time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM callback_secrets WHERE id IN (
		SELECT id FROM callback_secrets WHERE expires_at IS NOT NULL AND expires_at <= $1 LIMIT $2)`, store.Micros(now), limit))
}
