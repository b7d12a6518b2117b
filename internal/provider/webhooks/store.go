package webhooks

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// receivingCallback returns SQL for the callback that gets the events about an account: its own
// or, without one, its parent's.
func receivingCallback(customerID string) string {
	return `coalesce((SELECT o.id FROM callbacks o WHERE o.customer_id = ` + customerID + `),
		(SELECT o.id FROM callbacks o JOIN customers m ON m.parent_id = o.customer_id WHERE m.id = ` + customerID + `))`
}

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
		args = append(args, e.id, e.customerID, e.publicToken, string(e.status), string(e.substatus), store.Micros(e.created))
	}
	type inserted struct{ eventID, callbackID string }
	scan := func(row store.Row) (r inserted, err error) {
		err = row.Scan(&r.eventID, &r.callbackID)
		return r, err
	}
	rows, err := store.QueryAll(ctx, tx, scan, `INSERT INTO events (id, customer_id, subject_id, type, detail, created_at)
		SELECT v.column1, v.column2, v.column3, v.column4, nullif(v.column5, ''), v.column6
		FROM (VALUES `+strings.Join(values, ", ")+`) v WHERE v.column1 <> ''
		RETURNING id, coalesce((SELECT c.id FROM callbacks c WHERE c.id = `+receivingCallback("events.customer_id")+` AND c.disabled_at IS NULL
			AND (c.statuses = '' OR ' ' || c.statuses || ' ' LIKE '% ' || events.type || ' %')), '')`, args...)
	out := map[string]string{}
	for _, r := range rows {
		out[r.eventID] = r.callbackID
	}
	return out, err
}

// eventsOf returns a report's events, oldest first.
func eventsOf(ctx context.Context, q store.Queryer, publicToken string) ([]event, error) {
	return store.QueryAll(ctx, q, scanEvent, `SELECT id, customer_id, subject_id, type, coalesce(detail, ''), created_at
		FROM events WHERE subject_id = $1 ORDER BY created_at, id`, publicToken)
}

// ofCustomer is the condition of an event about account $1 or about a child account of it without a
// callback.
const ofCustomer = `(e.customer_id = $1 OR e.customer_id IN (SELECT m.id FROM customers m WHERE m.parent_id = $1
	AND NOT EXISTS (SELECT 1 FROM callbacks o WHERE o.customer_id = m.id)))`

// newestEvent returns the id of the newest event that a customer gets, or "".
func newestEvent(ctx context.Context, q store.Queryer, customerID string) (id string, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(MAX(e.id), '') FROM events e WHERE `+ofCustomer, customerID).Scan(&id)
	return id, err
}

// eventsAfter returns at most n events that a customer gets, with ids after one, in their order.
func eventsAfter(ctx context.Context, q store.Queryer, customerID, after string, n int) ([]event, error) {
	return store.QueryAll(ctx, q, scanEvent, `SELECT e.id, e.customer_id, e.subject_id, e.type, coalesce(e.detail, ''), e.created_at
		FROM events e WHERE `+ofCustomer+` AND e.id > $2 ORDER BY e.id LIMIT $3`, customerID, after, int64(n))
}

func scanEvent(row store.Row) (e event, err error) {
	var created int64
	err = row.Scan(&e.id, &e.customerID, &e.publicToken, &e.status, &e.substatus, &created)
	e.created = store.Time(created)
	return e, err
}

// countTests counts a customer's test events since an instant.
func countTests(ctx context.Context, q store.Queryer, customerID string, since time.Time) (n int, err error) {
	err = q.QueryRowContext(ctx, `SELECT COUNT(*) FROM events WHERE customer_id = $1 AND created_at > $2 AND type = 'TEST'`,
		customerID, store.Micros(since)).Scan(&n)
	return n, err
}

// callbackURL returns a callback's URL and whether it is disabled.
func callbackURL(ctx context.Context, q store.Queryer, id string) (url string, disabled bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT url, disabled_at IS NOT NULL FROM callbacks WHERE id = $1`, id).Scan(&url, &disabled)
	return url, disabled, store.MapNotFound(err)
}

// callbackOf returns the id of the customer's callback, or "" without one.
func callbackOf(ctx context.Context, q store.Queryer, customerID string) (id string, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce((SELECT id FROM callbacks WHERE customer_id = $1), '')`, customerID).Scan(&id)
	return id, err
}

// activeCallback returns the id of the customer's callback unless it is disabled.
func activeCallback(ctx context.Context, q store.Queryer, customerID string) (string, error) {
	var id string
	err := q.QueryRowContext(ctx, `SELECT id FROM callbacks WHERE customer_id = $1 AND disabled_at IS NULL`, customerID).Scan(&id)
	return id, store.MapNotFound(err)
}

// activeReceiver returns the id of the callback that gets the events about an account, unless it
// is disabled.
func activeReceiver(ctx context.Context, q store.Queryer, customerID string) (string, error) {
	var id string
	err := q.QueryRowContext(ctx, `SELECT id FROM callbacks WHERE id = `+receivingCallback("$1")+` AND disabled_at IS NULL`, customerID).
		Scan(&id)
	return id, store.MapNotFound(err)
}

// accountOf returns the publicId of the account that an event is about.
func accountOf(ctx context.Context, q store.Queryer, eventID string) (publicID string, err error) {
	err = q.QueryRowContext(ctx, `SELECT c.public_id FROM events e JOIN customers c ON c.id = e.customer_id WHERE e.id = $1`, eventID).
		Scan(&publicID)
	return publicID, store.MapNotFound(err)
}

// upsertCallback sets the customer's callback, enables it, and returns its id.
func upsertCallback(ctx context.Context, tx *store.Tx, id, customerID, url string) (string, error) {
	err := tx.QueryRowContext(ctx, `INSERT INTO callbacks (id, customer_id, url, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (customer_id) DO UPDATE SET url = excluded.url, disabled_at = NULL RETURNING id`,
		id, customerID, url, store.Micros(tx.Now)).Scan(&id)
	return id, err
}

// disableCallback disables a callback, unless its URL has changed.
func disableCallback(ctx context.Context, tx *store.Tx, id, url string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE callbacks SET disabled_at = $3 WHERE id = $1 AND url = $2`,
		id, url, store.Micros(tx.Now)))
}

// signingSecret is a secret with its encrypted text.
type signingSecret struct {
	Signer
	encrypted []byte
}

// signingSecrets returns the secrets that have not expired, newest first.
func signingSecrets(ctx context.Context, q store.Queryer, callbackID string, now time.Time) ([]signingSecret, error) {
	return store.QueryAll(ctx, q, scanSecret, `SELECT id, sealed, created_at, expires_at FROM callback_secrets
		WHERE callback_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY expires_at IS NULL DESC, created_at DESC, id`,
		callbackID, store.Micros(now))
}

func scanSecret(row store.Row) (s signingSecret, err error) {
	var created int64
	var ends sql.NullInt64
	err = row.Scan(&s.ID, &s.encrypted, &created, &ends)
	s.Created, s.Ends = store.Time(created), store.NullTime(ends)
	return s, err
}

func insertSecret(ctx context.Context, tx *store.Tx, id, callbackID string, sealed []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO callback_secrets (id, callback_id, sealed, created_at) VALUES ($1, $2, $3, $4)`,
		id, callbackID, sealed, store.Micros(tx.Now))
	return err
}

// expireSecrets makes the current secret of a callback expire at an instant, and those
// that were already expiring immediately, so that at most two sign.
func expireSecrets(ctx context.Context, tx *store.Tx, callbackID string, at time.Time) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM callback_secrets WHERE callback_id = $1 AND expires_at IS NOT NULL`, callbackID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE callback_secrets SET expires_at = $2 WHERE callback_id = $1`, callbackID, store.Micros(at))
	return err
}

func callback(ctx context.Context, q store.Queryer, customerID string) (Callback, error) {
	var c Callback
	var disabled sql.NullInt64
	var statuses string
	var created int64
	err := q.QueryRowContext(ctx, `SELECT id, url, disabled_at, statuses, created_at FROM callbacks WHERE customer_id = $1`, customerID).
		Scan(&c.id, &c.URL, &disabled, &statuses, &created)
	c.Created, c.Disabled = store.Time(created), store.NullTime(disabled)
	for _, s := range strings.Fields(statuses) {
		c.Statuses = append(c.Statuses, contract.Status(s))
	}
	return c, store.MapNotFound(err)
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
func setDisabled(ctx context.Context, tx *store.Tx, customerID string, off bool) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE callbacks SET disabled_at = $2 WHERE customer_id = $1 AND (disabled_at IS NULL) = $3`,
		customerID, sql.NullInt64{Int64: store.Micros(tx.Now), Valid: off}, off))
}

func setStatuses(ctx context.Context, tx *store.Tx, customerID string, statuses []string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE callbacks SET statuses = $2 WHERE customer_id = $1`,
		customerID, strings.Join(statuses, " ")))
}

// deleteExpired deletes secrets that no longer sign.
func deleteExpired(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM callback_secrets WHERE id IN (
		SELECT id FROM callback_secrets WHERE expires_at IS NOT NULL AND expires_at <= $1 LIMIT $2)`, store.Micros(tx.Now), limit))
}
