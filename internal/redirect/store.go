package redirect

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

func insert(ctx context.Context, tx *store.Tx, vault *store.Vault, a Attempt, reference []byte) error {
	args, err := vault.Seal(ctx, tx, store.SystemKey, argsCell(a.ID), []byte(a.Args))
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `
		INSERT INTO redirect_attempts (id, reference_hash, application_id, number, browser_hash, args,
			started_at, expires_at, returned_at, outcome, status, error, public_token)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, '', '', '', NULL)`,
		a.ID, reference, a.Application, a.Number, a.browser, args, store.Micros(a.Started), store.Micros(a.Expires)))
}

func argsCell(id string) store.Cell { return store.Cell{Table: "attempts", Column: "args", Row: id} }

const attemptColumns = `a.id, a.application_id, a.number, a.browser_hash, a.args, a.started_at, a.expires_at, a.returned_at`

func findByReference(ctx context.Context, q store.Queryer, vault *store.Vault, reference []byte) (Attempt, error) {
	return scan(ctx, q, vault, q.QueryRowContext(ctx, `SELECT `+attemptColumns+`
		FROM redirect_attempts a WHERE reference_hash = $1`, reference))
}

func findByID(ctx context.Context, q store.Queryer, vault *store.Vault, id string) (Attempt, error) {
	return scan(ctx, q, vault, q.QueryRowContext(ctx, `SELECT `+attemptColumns+` FROM redirect_attempts a WHERE id = $1`, id))
}

// scan scans the columns, and more after them.
func scan(ctx context.Context, q store.Queryer, vault *store.Vault, row *sql.Row, more ...any) (Attempt, error) {
	var a Attempt
	var args []byte
	var returned int64
	all := append([]any{&a.ID, &a.Application, &a.Number, &a.browser, &args, store.At(&a.Started), store.At(&a.Expires), &returned}, more...)
	if err := row.Scan(all...); err != nil {
		return Attempt{}, store.MapNotFound(err)
	}
	plain, err := vault.Open(ctx, q, store.SystemKey, argsCell(a.ID), args)
	if err != nil {
		return Attempt{}, err
	}
	a.Args, a.returned = string(plain), returned != 0
	return a, nil
}

// consumeAttempt uses up an attempt in one statement. It reports whether this browser
// was first and in time. A publicToken that was consumed with another attempt
// violates a unique constraint.
func consumeAttempt(ctx context.Context, tx *store.Tx, id string, browser []byte, o Outcome) (bool, error) {
	token := store.NullString(o.PublicToken)
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE redirect_attempts SET returned_at = $1, outcome = $2, status = $3, error = $4, public_token = $5
		WHERE id = $6 AND browser_hash = $7 AND returned_at = 0 AND expires_at > $1`,
		store.Micros(tx.Now), string(o.Kind), string(o.Status), string(o.Error), token, id, browser))
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

func findStashed(ctx context.Context, q store.Queryer, vault *store.Vault, handle []byte, now time.Time) (a Attempt, o Outcome, err error) {
	a, err = scan(ctx, q, vault, q.QueryRowContext(ctx, `
		SELECT `+attemptColumns+`, p.outcome, p.status, p.error, p.public_token
		FROM pending_outcomes p JOIN redirect_attempts a ON a.id = p.attempt_id
		WHERE p.handle_hash = $1 AND p.expires_at > $2`, handle, store.Micros(now)), &o.Kind, &o.Status, &o.Error, &o.PublicToken)
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
