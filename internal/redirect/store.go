package redirect

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

func insert(ctx context.Context, tx *store.Tx, vault *store.Vault, a Attempt) error {
	// Replicas of the version before decrypt args, a text beside the reference that nothing used.
	args, err := vault.Seal(ctx, tx, store.SystemKey, store.Cell{Table: "attempts", Column: "args", Row: a.ID}, nil)
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `
		INSERT INTO redirect_attempts (id, reference_hash, application_id, number, browser_hash, args,
			started_at, expires_at, returned_at, outcome, status, error, public_token)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, '', '', '', NULL)`,
		a.ID, a.reference, a.Application, a.Number, a.browser, args, store.Micros(a.Started), store.Micros(a.Expires)))
}

const attemptColumns = `id, reference_hash, application_id, number, browser_hash, started_at, expires_at, returned_at`

func findByReference(ctx context.Context, q store.Queryer, reference []byte) (Attempt, error) {
	return scan(q.QueryRowContext(ctx, `SELECT `+attemptColumns+` FROM redirect_attempts WHERE reference_hash = $1`, reference))
}

// scan scans the columns, and more after them.
func scan(row *sql.Row, more ...any) (a Attempt, err error) {
	var returned int64
	err = row.Scan(append([]any{&a.ID, &a.reference, &a.Application, &a.Number, &a.browser, store.At(&a.Started), store.At(&a.Expires),
		&returned}, more...)...)
	a.returned = returned != 0
	return a, store.MapNotFound(err)
}

// consumeAttempt uses up an attempt in one statement, if this browser is first and in time, and the attempt was
// started before an instant (zero: at any time). Otherwise it returns store.ErrNotFound. A publicToken that was
// consumed with another attempt violates a unique constraint.
func consumeAttempt(ctx context.Context, tx *store.Tx, reference, browser []byte, o Outcome, before time.Time) (Attempt, error) {
	return scan(tx.QueryRowContext(ctx, `
		UPDATE redirect_attempts SET returned_at = $1, outcome = $2, status = $3, error = $4, public_token = $5
		WHERE reference_hash = $6 AND browser_hash = $7 AND returned_at = 0 AND expires_at > $1 AND started_at < $8
		RETURNING `+attemptColumns,
		store.Micros(tx.Now), string(o.Kind), string(o.Status), string(o.Error), store.NullString(o.PublicToken), reference, browser,
		store.MicrosOrEnd(before)))
}

// stashOutcome stores an outcome under a handle unless the attempt already has limit
// handles.
func stashOutcome(ctx context.Context, tx *store.Tx, handle []byte, attempt string, o Outcome, until time.Time, limit int) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		INSERT INTO pending_outcomes (handle_hash, attempt_id, outcome, status, error, public_token, expires_at)
		SELECT $1, $2, $3, $4, $5, $6, $7
		WHERE (SELECT COUNT(*) FROM pending_outcomes WHERE attempt_id = $2) < $8`,
		handle, attempt, string(o.Kind), string(o.Status), string(o.Error), o.PublicToken, store.Micros(until), limit))
}

func findStashed(ctx context.Context, q store.Queryer, handle []byte, now time.Time) (a Attempt, o Outcome, err error) {
	a, err = scan(q.QueryRowContext(ctx, `
		SELECT `+attemptColumns+`, p.outcome, p.status, p.error, p.public_token
		FROM redirect_attempts JOIN (SELECT attempt_id, outcome, status, error, public_token FROM pending_outcomes
			WHERE handle_hash = $1 AND expires_at > $2) p ON id = p.attempt_id`, handle, store.Micros(now)),
		&o.Kind, &o.Status, &o.Error, &o.PublicToken)
	return a, o, err
}

func sweep(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM pending_outcomes WHERE expires_at <= $1`, store.Micros(tx.Now)); err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM redirect_attempts WHERE returned_at = 0 AND expires_at <= $1`,
		store.Micros(tx.Now.Add(-24*time.Hour))))
}

// Forget deletes everything stored about an application's attempts.
func (c *Handler) Forget(ctx context.Context, tx *store.Tx, application string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM pending_outcomes WHERE attempt_id IN (SELECT id
		FROM redirect_attempts WHERE application_id = $1)`, application); err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM redirect_attempts WHERE application_id = $1`, application))
}
