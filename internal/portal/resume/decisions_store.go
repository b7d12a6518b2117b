package resume

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

// insertDecisionLetter reports whether the decision had no email yet. A withheld one
// counts as failed for older versions of the program.
func insertDecisionLetter(ctx context.Context, tx *store.Tx, l letter) (bool, error) {
	var failed sql.NullInt64
	if l.withheld != "" {
		failed = sql.NullInt64{Int64: store.Micros(l.created), Valid: true}
	}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO application_letters
		(id, application_id, key_id, recipient, subject, body, created_at, expires_at, failed_at, decision, withheld)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		l.id, l.application, l.key, l.recipient, l.subject, l.body, store.Micros(l.created), store.Micros(l.expires), failed, l.decision, l.withheld))
}

// supersede withholds unsent emails of earlier decisions.
func supersede(ctx context.Context, tx *store.Tx, id string, number int64, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE application_letters SET failed_at = $3, withheld = 'superseded', body = NULL
		WHERE application_id = $1 AND decision > 0 AND decision < $2 AND sent_at IS NULL AND failed_at IS NULL`, id, number, store.Micros(now))
	return err
}

// retryLetter puts a failed email back into the waiting state and returns its ID, or
// store.ErrNotFound if none failed.
func retryLetter(ctx context.Context, tx *store.Tx, l letter, seal func(id string) (recipient, body []byte, err error)) (string, error) {
	var id string
	err := tx.QueryRowContext(ctx, `UPDATE application_letters SET failed_at = NULL, expires_at = $3
		WHERE application_id = $1 AND decision = $2 AND failed_at IS NOT NULL AND withheld = '' RETURNING id`,
		l.application, l.decision, store.Micros(l.expires)).Scan(&id)
	if err != nil {
		return "", store.MapNotFound(err)
	}
	recipient, body, err := seal(id)
	if err != nil {
		return "", err
	}
	_, err = tx.ExecContext(ctx, `UPDATE application_letters SET recipient = $2, subject = $3, body = $4 WHERE id = $1`, id, recipient, l.subject, body)
	return id, err
}

func decisionLetters(ctx context.Context, q store.Queryer, id string) ([]DecisionLetter, error) {
	rows, err := q.QueryContext(ctx, `SELECT decision, withheld, created_at, sent_at, failed_at FROM application_letters
		WHERE application_id = $1 AND decision > 0 ORDER BY decision`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []DecisionLetter
	for rows.Next() {
		var l DecisionLetter
		var created int64
		var sent, failed sql.NullInt64
		if err := rows.Scan(&l.Number, &l.Withheld, &created, &sent, &failed); err != nil {
			return nil, err
		}
		at := created
		switch {
		case l.Withheld != "":
			l.State = LetterWithheld
		case sent.Valid:
			l.State, at = LetterSent, sent.Int64
		case failed.Valid:
			l.State, at = LetterFailed, failed.Int64
		default:
			l.State = LetterWaiting
		}
		l.At = store.Time(at)
		out = append(out, l)
	}
	return out, rows.Err()
}

func decisionOf(ctx context.Context, q store.Queryer, id string) (application string, number int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT application_id, decision FROM application_letters WHERE id = $1`, id).Scan(&application, &number)
	return application, number, store.MapNotFound(err)
}
