package webhook

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"vestibule/internal/store"
)

// NewEventID returns an id that sorts after every earlier one.
func NewEventID() string { return "evt_" + store.NewID() }

// EventBody returns the cell of the body of an event that is stored with its body.
func EventBody(eventID string) store.Cell {
	return store.Cell{Table: "events", Column: "body", Row: eventID}
}

// newestEvent returns the id of the newest event, or "". The ids of older portals have no order, and nearly
// all of them are greater than those of today.
func newestEvent(ctx context.Context, q store.Queryer, condition, of string) (string, error) {
	return store.ScanOne[string](q.QueryRowContext(ctx, `SELECT coalesce(MAX(e.id), '') FROM events e WHERE `+condition+` AND e.id <= $2`,
		of, NewEventID()))
}

// eventsAfter returns at most n events with ids after one, in their order.
func eventsAfter(ctx context.Context, q store.Queryer, condition, of, after string, n int) ([]Delivery, error) {
	return store.QueryAll(ctx, q, store.Columns(func(d *Delivery) []any {
		return []any{&d.EventID, &d.Subject, &d.Type, &d.Detail, store.At(&d.Happened), &d.encrypted}
	}), `SELECT e.id, e.subject_id, e.type, coalesce(e.detail, ''), e.created_at, e.body FROM events e WHERE `+condition+`
		AND e.id > $2 AND e.id <= $3 ORDER BY e.id LIMIT $4`, of, after, NewEventID(), int64(n))
}

func insertDelivery(ctx context.Context, tx *store.Tx, d Delivery) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO deliveries
		(id, event_id, callback_id, state, attempts, last_http, created_at, updated_at, body, further_id)
		VALUES ($1, $2, $3, $4, 0, 0, $5, $5, $6, $7)`,
		d.ID, d.EventID, d.CallbackID, string(d.State), store.Micros(d.Created), d.encrypted, d.FurtherID))
}

const selectDelivery = `SELECT d.id, d.callback_id, d.further_id, d.state, d.attempts, coalesce(d.last_http, 0), d.created_at, d.updated_at,
		e.id, e.subject_id, e.type, coalesce(e.detail, ''), e.sequence, e.created_at, e.resends, coalesce(d.body, e.body),
		d.next_at, coalesce(a.http, 0), coalesce(a.error, ''),
		coalesce(a.took_ms, 0)
	FROM deliveries d JOIN events e ON e.id = d.event_id LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.attempt = d.attempts `

func scanDelivery(row store.Row) (Delivery, error) {
	var d Delivery
	var took int64
	err := row.Scan(&d.ID, &d.CallbackID, &d.FurtherID, &d.State, &d.Tries, &d.HTTP, store.At(&d.Created), store.At(&d.Updated),
		&d.EventID, &d.Subject, &d.Type, &d.Detail, &d.Sequence, store.At(&d.Happened), &d.Resends, &d.encrypted,
		store.At(&d.Next), &d.Last.HTTP, &d.Last.Error, &took)
	d.Last.Took = time.Duration(took) * time.Millisecond
	return d, store.MapNotFound(err)
}

func findDelivery(ctx context.Context, q store.Queryer, id string) (Delivery, error) {
	return scanDelivery(q.QueryRowContext(ctx, selectDelivery+`WHERE d.id = $1`, id))
}

// toReceiver is the condition of a delivery to a receiver, $1 and $2.
const toReceiver = `d.callback_id = $1 AND $2 IN (d.further_id, '*')`

// List lists deliveries, newest first unless Oldest is set.
func (o *Outbox) List(ctx context.Context, q store.Queryer, f Filter) ([]Delivery, error) {
	c := store.Conditions{}
	c.Add("d.callback_id = %s", f.CallbackID)
	if f.FurtherID != Every {
		c.Add("d.further_id = %s", f.FurtherID)
	}
	c.EqualWord("d.state", string(f.State))
	c.Equal("e.type", f.Type)
	c.Equal("e.subject_id", f.Subject)
	c.Equal("e.id", f.EventID)
	if f.Subjects != nil {
		c.All = append(c.All, c.In("e.subject_id", f.Subjects))
	}
	if f.Failed {
		c.Add("d.state IN (%s, %s)", string(StateGivenUp), string(StateDisabled))
	}
	if f.Answer != 0 {
		c.Add(answer+" = %s", int64(f.Answer))
	}
	if !f.Since.IsZero() {
		c.Add("d.created_at >= %s", store.Micros(f.Since))
	}
	if !f.Until.IsZero() {
		c.Add("d.created_at < %s", store.Micros(f.Until))
	}
	if f.Unresolved {
		c.Add(`NOT EXISTS (SELECT 1 FROM deliveries n WHERE n.event_id = d.event_id AND n.further_id = d.further_id
			AND (n.state IN (%s, %s) OR (n.created_at, n.id) > (d.created_at, d.id)))`, string(StateDelivered), string(StatePending))
	}
	order := "ORDER BY d.created_at DESC, d.id DESC"
	if f.Oldest {
		c.Before("d.created_at", "d.id", f.Before)
		order = "ORDER BY d.created_at, d.id"
	} else {
		c.After("d.created_at", "d.id", f.Before)
	}
	return store.QueryAll(ctx, q, scanDelivery, selectDelivery+c.Where()+" "+order+" LIMIT "+strconv.Itoa(f.Limit), c.Args...)
}

// answer is the status of the last response; 0 before the first attempt.
const answer = `CASE WHEN coalesce(d.last_http, 0) > 0 THEN d.last_http WHEN d.attempts > 0 THEN -1 ELSE 0 END`

// Counts counts the deliveries to a receiver that were created in a window.
func (o *Outbox) Counts(ctx context.Context, q store.Queryer, of Endpoint, w Window) ([]Count, error) {
	step := store.DayNumber("d.created_at", "$3", w.Since)
	if w.Hourly {
		step = "(d.created_at - $3) / 3600000000"
	}
	return store.QueryAll(ctx, q, func(row store.Row) (c Count, err error) {
		return c, row.Scan(&c.Step, &c.State, &c.Answer, &c.Count)
	}, `SELECT step, state, answer, COUNT(*) FROM (
			SELECT `+step+` AS step, d.state, `+answer+` AS answer FROM deliveries d
			WHERE `+toReceiver+` AND d.created_at >= $3 AND d.created_at < $4
		) AS one GROUP BY step, state, answer`, of.CallbackID, of.FurtherID, store.Micros(w.Since),
		store.MicrosOrEnd(w.Until))
}

// failing is the condition of a delivery whose last attempt failed, or that was not sent.
const failing = `(d.state IN ('given up', 'disabled') OR d.state = 'pending' AND d.attempts > 0)`

func healthSince(ctx context.Context, q store.Queryer, to Endpoint, since time.Time) (Health, error) {
	h, of := Health{Since: since}, ` FROM deliveries d WHERE `+toReceiver+` AND d.created_at >= $3`
	err := q.QueryRowContext(ctx, `SELECT COUNT(*), coalesce(SUM(CASE WHEN `+failing+` THEN 1 ELSE 0 END), 0),
		coalesce(SUM(CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END), 0)`+of, to.CallbackID, to.FurtherID, store.Micros(since)).
		Scan(&h.Sent, &h.Failed, &h.Answered)
	if err != nil || h.Answered == 0 {
		return h, err
	}
	var micros int64
	err = q.QueryRowContext(ctx, `SELECT d.updated_at - d.created_at AS took`+of+` AND d.state = 'delivered'
		ORDER BY took LIMIT 1 OFFSET $4`, to.CallbackID, to.FurtherID, store.Micros(since), int64((h.Answered-1)/2)).Scan(&micros)
	h.Median = time.Duration(micros) * time.Microsecond
	return h, err
}

// NextRetry returns when the next attempt of a delivery is due that already failed; zero
// for none.
func (o *Outbox) NextRetry(ctx context.Context, q store.Queryer, of Endpoint) (time.Time, error) {
	return store.ScanTime(q.QueryRowContext(ctx, `SELECT MIN(d.next_at) FROM deliveries d
		WHERE `+toReceiver+` AND d.state = 'pending' AND d.next_at > 0`, of.CallbackID, of.FurtherID))
}

// updateDelivery stores the state of a pending delivery, when its next attempt is due, and
// its body unless it has one. It returns false if the delivery is not pending.
func updateDelivery(ctx context.Context, tx *store.Tx, d Delivery, to State, next time.Time, http int,
	body []byte) (bool, error) {
	due := int64(0)
	if !next.IsZero() {
		due = store.Micros(next)
	}
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE deliveries
		SET state = $2, attempts = $3, last_http = CASE WHEN $4 = 0 THEN last_http ELSE $4 END, updated_at = $5, body = coalesce(body, $6),
			next_at = $7
		WHERE id = $1 AND state = 'pending'`,
		d.ID, string(to), int64(d.Tries), int64(http), store.Micros(tx.Now), sql.Null[[]byte]{V: body, Valid: body != nil}, due))
}

func insertAttempt(ctx context.Context, tx *store.Tx, d Delivery, r Result, answer []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO delivery_attempts (delivery_id, attempt, at, http, took_ms, error, answer)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (delivery_id, attempt) DO NOTHING`,
		d.ID, int64(d.Tries), store.Micros(tx.Now), int64(r.HTTP), r.Took.Milliseconds(), string(r.Class()),
		sql.Null[[]byte]{V: answer, Valid: answer != nil}))
}

func answerCell(deliveryID string, attempt int64) store.Cell {
	return store.Cell{Table: "delivery_attempts", Column: "answer", Row: deliveryID + "/" + strconv.FormatInt(attempt, 10)}
}

// attemptRow is an attempt with its encrypted answer.
type attemptRow struct {
	Attempt
	number int64
	sealed []byte
}

func attemptsOf(ctx context.Context, q store.Queryer, deliveryID string) ([]attemptRow, error) {
	return store.QueryAll(ctx, q, scanAttempt, `SELECT attempt, at, http, took_ms, error, answer FROM delivery_attempts
		WHERE delivery_id = $1 ORDER BY attempt`, deliveryID)
}

func scanAttempt(row store.Row) (a attemptRow, err error) {
	var ms int64
	err = row.Scan(&a.number, store.At(&a.At), &a.HTTP, &ms, &a.Error, &a.sealed)
	a.Took = time.Duration(ms) * time.Millisecond
	return a, err
}

// hasEarlier reports whether an earlier event about the same subject, whose delivery
// was created since an instant, has not been attempted yet. Events without a sequence have no order.
func hasEarlier(ctx context.Context, q store.Queryer, d Delivery, since time.Time) (bool, error) {
	if d.Sequence == 0 {
		return false, nil
	}
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM events e JOIN deliveries d ON d.event_id = e.id
		WHERE e.subject_id = $1 AND e.sequence < $2 AND d.state = 'pending' AND d.attempts = 0 AND d.created_at > $3`,
		d.Subject, d.Sequence, store.Micros(since)).Scan(&n)
	return n > 0, err
}

// hasPending reports whether the event of a delivery is being sent to its receiver.
func hasPending(ctx context.Context, q store.Queryer, d Delivery) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM deliveries WHERE event_id = $1 AND further_id = $2 AND state = 'pending'`,
		d.EventID, d.FurtherID).Scan(&n)
	return n > 0, err
}

// addResend increments the number of resends of an event if it equals resends.
func addResend(ctx context.Context, tx *store.Tx, eventID string, resends int64) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE events SET resends = resends + 1 WHERE id = $1 AND resends = $2`,
		eventID, resends))
}

// deleteBefore deletes at most limit events that were created before an instant and
// have no pending delivery created since another.
func deleteBefore(ctx context.Context, tx *store.Tx, created, pending time.Time, limit int) (int64, error) {
	return deleteEvents(ctx, tx, `WHERE e.created_at < $1 AND NOT EXISTS (SELECT 1 FROM deliveries d
		WHERE d.event_id = e.id AND d.state = 'pending' AND d.created_at > $2) ORDER BY e.created_at LIMIT $3`,
		store.Micros(created), store.Micros(pending), int64(limit))
}

// Forget deletes the events about a subject with their deliveries, sent or not.
func (o *Outbox) Forget(ctx context.Context, tx *store.Tx, subject string) error {
	_, err := deleteEvents(ctx, tx, `WHERE e.subject_id = $1`, subject)
	return err
}

// deleteEvents deletes the selected events with their deliveries.
func deleteEvents(ctx context.Context, tx *store.Tx, where string, args ...any) (int64, error) {
	ids, err := store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT e.id FROM events e `+where, args...)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	list, args := store.InList(1, ids)
	for _, query := range []string{
		`DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE event_id IN ` + list + `)`,
		`DELETE FROM deliveries WHERE event_id IN ` + list,
		`DELETE FROM events WHERE id IN ` + list,
	} {
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return 0, err
		}
	}
	return int64(len(ids)), nil
}
