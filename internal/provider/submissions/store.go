package submissions

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/store"
)

// Window is the time in which an account can make customers.Account.SubmissionLimit submissions.
const Window = time.Minute

// waitTime returns how long the account, which can make most submissions within Window, has to
// wait before its next one. It may be negative.
func waitTime(ctx context.Context, q store.Queryer, customerID string, most int, now time.Time) (time.Duration, error) {
	var at int64
	err := q.QueryRowContext(ctx, `SELECT s.at FROM submission_counts c
		JOIN submission_slots s ON s.customer_id = c.customer_id AND s.slot = (c.accepted + 1) % $2
		WHERE c.customer_id = $1`, customerID, most).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil || clockSetBack(at, now) {
		return 0, err
	}
	return store.Time(at).Add(Window).Sub(now), nil
}

// clockSetBack reports whether a recorded time is so far in the future that the clock must
// have been set back.
func clockSetBack(at int64, now time.Time) bool { return store.Time(at).Sub(now) > Window }

// countSubmission counts a submission in the transaction that accepts it, or returns how
// long it has to wait. From here on, other transactions of the account wait for the row of the count,
// also those of other replicas. For a minute after most has changed, the times of earlier submissions are
// in other slots, and it may refuse or accept some more.
func countSubmission(ctx context.Context, tx *store.Tx, customerID string, most int) (time.Duration, error) {
	var n int64
	err := tx.QueryRowContext(ctx, `INSERT INTO submission_counts (customer_id, accepted) VALUES ($1, 1)
		ON CONFLICT (customer_id) DO UPDATE SET accepted = submission_counts.accepted + 1 RETURNING accepted`, customerID).Scan(&n)
	if err != nil {
		return 0, err
	}
	tx.RefreshNow()
	ok, err := store.ExecOne(tx.ExecContext(ctx, `INSERT INTO submission_slots (customer_id, slot, at) VALUES ($1, $2, $3)
		ON CONFLICT (customer_id, slot) DO UPDATE SET at = excluded.at
		WHERE submission_slots.at <= $4 OR submission_slots.at > $5`,
		customerID, n%int64(most), store.Micros(tx.Now), store.Micros(tx.Now.Add(-Window)), store.Micros(tx.Now.Add(Window))))
	if err != nil || ok {
		return 0, err
	}
	var last int64
	err = tx.QueryRowContext(ctx, `SELECT at FROM submission_slots WHERE customer_id = $1 AND slot = $2`, customerID, n%int64(most)).
		Scan(&last)
	return max(store.Time(last).Add(Window).Sub(tx.Now), time.Microsecond), err
}
