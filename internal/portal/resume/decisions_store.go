package resume

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// supersede withholds unsent emails of earlier decisions.
func supersede(ctx context.Context, tx *store.Tx, id string, number int64) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE emails SET failed_at = $3, withheld = 'superseded', body = NULL, html = NULL
		WHERE subject_id = $1 AND decision > 0 AND decision < $2 AND sent_at IS NULL AND failed_at IS NULL`,
		id, number, store.Micros(tx.Now)))
}

// clearFailure makes the failed email of a decision unsent again and returns its ID, or
// store.ErrNotFound if none failed.
func clearFailure(ctx context.Context, tx *store.Tx, application string, number int64) (string, error) {
	return store.FindOne[string](tx.QueryRowContext(ctx, `UPDATE emails SET failed_at = NULL
		WHERE subject_id = $1 AND decision = $2 AND failed_at IS NOT NULL AND withheld = '' RETURNING id`, application, number))
}

// updateEmail replaces the content and the expiry of an email.
func updateEmail(ctx context.Context, tx *store.Tx, e email) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE emails SET recipient = $2, subject = $3, body = $4, html = $5, expires_at = $6
		WHERE id = $1`, e.id, e.Recipient, e.subject, e.Body, e.HTML, store.Micros(e.expires)))
}

func decisionEmails(ctx context.Context, q store.Queryer, id string) ([]DecisionStatus, error) {
	return store.QueryAll(ctx, q, scanStatus, `SELECT decision, withheld, created_at, sent_at, failed_at FROM emails
		WHERE subject_id = $1 AND decision > 0 ORDER BY decision`, id)
}

func scanStatus(row store.Row) (e DecisionStatus, err error) {
	var sent, failed time.Time
	err = row.Scan(&e.Number, &e.Withheld, store.At(&e.At), store.At(&sent), store.At(&failed))
	e.State = EmailWaiting
	switch {
	case e.Withheld != "":
		e.State = EmailWithheld
	case !sent.IsZero():
		e.State, e.At = EmailSent, sent
	case !failed.IsZero():
		e.State, e.At = EmailFailed, failed
	}
	return e, err
}

func decisionOf(ctx context.Context, q store.Queryer, id string) (application string, number int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT subject_id, decision FROM emails WHERE id = $1`, id).Scan(&application, &number)
	return application, number, store.MapNotFound(err)
}
