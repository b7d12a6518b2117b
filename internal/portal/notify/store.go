package notify

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

func insertEvent(ctx context.Context, tx *store.Tx, e event) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO app_events (id, application_id, seq, type, body, resends, created_at)
		VALUES ($1, $2, $3, $4, $5, 0, $6)`, e.id, e.applicationID, e.seq, e.kind, e.body, store.Micros(e.created))
	return err
}

func insertDelivery(ctx context.Context, tx *store.Tx, d delivery) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO app_deliveries (id, event_id, state, attempts, last_http, created_at, updated_at)
		VALUES ($1, $2, $3, 0, 0, $4, $4)`, d.id, d.event.id, string(d.state), store.Micros(d.created))
	return err
}

func getDelivery(ctx context.Context, q store.Queryer, id string) (delivery, error) {
	d := delivery{id: id}
	var attempts, created, happened int64
	err := q.QueryRowContext(ctx, `SELECT d.state, d.attempts, d.created_at, e.id, e.application_id, e.seq, e.type, e.body, e.resends, e.created_at
		FROM app_deliveries d JOIN app_events e ON e.id = d.event_id WHERE d.id = $1`, id).
		Scan(&d.state, &attempts, &created, &d.event.id, &d.event.applicationID, &d.event.seq, &d.event.kind, &d.event.body, &d.event.resends, &happened)
	d.attempts, d.created, d.event.created = int(attempts), store.Time(created), store.Time(happened)
	return d, store.MapNotFound(err)
}

// forerunner reports whether an earlier event of the same application, created since
// an instant, has not been attempted yet.
func forerunner(ctx context.Context, q store.Queryer, e event, since time.Time) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM app_events e JOIN app_deliveries d ON d.event_id = e.id
		WHERE e.application_id = $1 AND e.seq < $2 AND d.state = 'pending' AND d.attempts = 0 AND d.created_at > $3`,
		e.applicationID, e.seq, store.Micros(since)).Scan(&n)
	return n > 0, err
}

func updateDelivery(ctx context.Context, tx *store.Tx, d delivery, to webhook.State, http int, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE app_deliveries SET state = $2, attempts = $3, last_http = CASE WHEN $4 = 0 THEN last_http ELSE $4 END, updated_at = $5
		WHERE id = $1 AND state = 'pending'`, d.id, string(to), int64(d.attempts), int64(http), store.Micros(now))
	return err
}

func insertAttempt(ctx context.Context, tx *store.Tx, d delivery, r webhook.Result, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO app_delivery_attempts (delivery_id, attempt, at, http, took_ms, error)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (delivery_id, attempt) DO NOTHING`,
		d.id, int64(d.attempts), store.Micros(at), int64(r.HTTP), r.Took.Milliseconds(), string(r.Class()))
	return err
}

// stop returns when an address was stopped; zero if it is not.
func stop(ctx context.Context, q store.Queryer, url string) (time.Time, error) {
	var at int64
	err := q.QueryRowContext(ctx, `SELECT at FROM app_stops WHERE url_hash = $1`, store.Hash(url)).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return store.Time(at), err
}

func insertStop(ctx context.Context, tx *store.Tx, url string, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO app_stops (url_hash, at) VALUES ($1, $2) ON CONFLICT (url_hash) DO NOTHING`,
		store.Hash(url), store.Micros(at))
	return err
}

// deleteStop removes an address's stop and reports whether there was one.
func deleteStop(ctx context.Context, tx *store.Tx, url string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM app_stops WHERE url_hash = $1`, store.Hash(url)))
}

const selectDelivery = `SELECT d.id, d.state, d.attempts, d.last_http, d.created_at, d.updated_at,
		e.id, e.application_id, e.type, e.seq, e.created_at, e.resends, e.body
	FROM app_deliveries d JOIN app_events e ON e.id = d.event_id `

func scanDelivery(row interface{ Scan(...any) error }) (Delivery, []byte, error) {
	var d Delivery
	var sealed []byte
	var tries, http, created, updated, happened int64
	err := row.Scan(&d.ID, &d.State, &tries, &http, &created, &updated,
		&d.EventID, &d.ApplicationID, &d.Type, &d.Sequence, &happened, &d.Resends, &sealed)
	d.Tries, d.HTTP = int(tries), int(http)
	d.Created, d.Updated, d.Happened = store.Time(created), store.Time(updated), store.Time(happened)
	return d, sealed, store.MapNotFound(err)
}

func deliveryOf(ctx context.Context, q store.Queryer, id string) (Delivery, []byte, error) {
	return scanDelivery(q.QueryRowContext(ctx, selectDelivery+`WHERE d.id = $1`, id))
}

// deliveries returns a page, newest first, and the cursor of the next page.
func deliveries(ctx context.Context, q store.Queryer, f Filter) ([]Delivery, string, error) {
	before, beforeID, ok := applications.ReadCursor(f.Cursor)
	if f.Cursor == "" {
		before, beforeID = 0, ""
	} else if !ok || before < 1 {
		return nil, "", applications.ErrCursor
	}
	rows, err := q.QueryContext(ctx, selectDelivery+`WHERE ($1 = '' OR d.state = $1) AND ($2 = '' OR e.application_id = $2)
			AND (CAST($3 AS BIGINT) = 0 OR d.created_at < $3 OR d.created_at = $3 AND d.id < $4)
		ORDER BY d.created_at DESC, d.id DESC LIMIT $5`,
		string(f.State), f.ApplicationID, before, beforeID, int64(f.Limit+1))
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	var page []Delivery
	for rows.Next() {
		d, _, err := scanDelivery(rows)
		if err != nil {
			return nil, "", err
		}
		page = append(page, d)
	}
	if err := rows.Err(); err != nil || len(page) <= f.Limit {
		return page, "", err
	}
	last := page[f.Limit-1]
	return page[:f.Limit], applications.WriteCursor(last.Created, last.ID), nil
}

func attemptsOf(ctx context.Context, q store.Queryer, deliveryID string) ([]Attempt, error) {
	rows, err := q.QueryContext(ctx, `SELECT at, http, took_ms, error FROM app_delivery_attempts WHERE delivery_id = $1 ORDER BY attempt`, deliveryID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Attempt
	for rows.Next() {
		var a Attempt
		var at, http, ms int64
		if err := rows.Scan(&at, &http, &ms, &a.Error); err != nil {
			return nil, err
		}
		a.At, a.HTTP, a.Took = store.Time(at), int(http), time.Duration(ms)*time.Millisecond
		out = append(out, a)
	}
	return out, rows.Err()
}

// resend increments an event's resend count if it equals resends.
func resend(ctx context.Context, tx *store.Tx, eventID string, resends int64) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE app_events SET resends = resends + 1 WHERE id = $1 AND resends = $2`, eventID, resends))
}

// onItsWay reports whether a delivery of the event is pending.
func onItsWay(ctx context.Context, q store.Queryer, eventID string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM app_deliveries WHERE event_id = $1 AND state = 'pending'`, eventID).Scan(&n)
	return n > 0, err
}

// forget deletes events created before an instant, with their deliveries.
func forget(ctx context.Context, tx *store.Tx, before time.Time) error {
	for _, statement := range []string{
		`DELETE FROM app_delivery_attempts WHERE delivery_id IN (SELECT d.id FROM app_deliveries d JOIN app_events e ON e.id = d.event_id WHERE e.created_at < $1)`,
		`DELETE FROM app_deliveries WHERE event_id IN (SELECT id FROM app_events WHERE created_at < $1)`,
		`DELETE FROM app_events WHERE created_at < $1`,
	} {
		if _, err := tx.ExecContext(ctx, statement, store.Micros(before)); err != nil {
			return err
		}
	}
	return nil
}

// Forget deletes the events of an application, sent or not.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, applicationID string) error {
	for _, query := range []string{
		`DELETE FROM app_delivery_attempts WHERE delivery_id IN (SELECT d.id FROM app_deliveries d JOIN app_events e ON e.id = d.event_id WHERE e.application_id = $1)`,
		`DELETE FROM app_deliveries WHERE event_id IN (SELECT id FROM app_events WHERE application_id = $1)`,
		`DELETE FROM app_events WHERE application_id = $1`,
	} {
		if _, err := tx.ExecContext(ctx, query, applicationID); err != nil {
			return err
		}
	}
	return nil
}
