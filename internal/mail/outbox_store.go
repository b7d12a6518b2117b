package mail

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"vestibule/internal/store"
)

// Table names the table of an outbox. The portal and the provider have one value each:
// ApplicationEmails and Invites.
type Table struct {
	name string
	sql  func(query string) string
}

// ApplicationEmails is the portal's table. The text and HTML of an email that was given up
// are deleted, because it may have a link to an application. Emails of decisions stay, for
// the record of how they were sent. Withheld emails are not listed.
var ApplicationEmails = newTable("application_letters", "application_id", "''", "1 = 1", "decision = 0", "withheld = ''")

// Invites is the provider's table. The text and HTML of an email that was given up stay, so
// that the customer can pass it on, unless the email is hidden from the customer.
var Invites = newTable("outbox", "public_token", "customer_id", "hidden", "1 = 1", "NOT hidden")

// newTable returns a table. secret is the condition of emails whose content is deleted when
// they are given up.
func newTable(name, about, customer, secret, deletable, listed string) Table {
	return Table{name, strings.NewReplacer("{table}", name, "{about}", about, "{customer}", customer,
		"{secret}", secret, "{deletable}", deletable, "{listed}", listed).Replace}
}

func (t Table) cell(id, column string) store.Cell {
	return store.Cell{Table: t.name, Column: column, Row: id}
}

const selectEmail = `SELECT id, {about}, key_id, recipient, subject, body, html, created_at, expires_at, sent_at, failed_at FROM {table} `

func scan(row store.Row) (Email, error) {
	var e Email
	var created, expires int64
	var sent, failed sql.NullInt64
	err := row.Scan(&e.ID, &e.About, &e.keyID, &e.sealed.Recipient, &e.Subject, &e.sealed.Body, &e.sealed.HTML,
		&created, &expires, &sent, &failed)
	e.Created, e.Expires, e.Sent, e.Failed = store.Time(created), store.Time(expires), store.NullTime(sent), store.NullTime(failed)
	return e, store.MapNotFound(err)
}

// unsent returns an email to be sent, or store.ErrNotFound.
func (t Table) unsent(ctx context.Context, q store.Queryer, id string, now time.Time) (Email, error) {
	return scan(q.QueryRowContext(ctx, t.sql(selectEmail+`
		WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL AND expires_at > $2`), id, store.Micros(now)))
}

// inState has the condition of each state.
var inState = map[State]string{Waiting: `AND sent_at IS NULL AND failed_at IS NULL`, Sent: `AND sent_at IS NOT NULL`,
	GivenUp: `AND sent_at IS NULL AND failed_at IS NOT NULL`}

func (t Table) list(ctx context.Context, q store.Queryer, f Filter, now time.Time) ([]Email, error) {
	after, order := `<`, `DESC`
	if f.Oldest {
		after, order = `>`, `ASC`
	}
	return store.QueryAll(ctx, q, scan, t.sql(selectEmail+`WHERE {customer} = $1 AND {listed} AND expires_at > $2 `+inState[f.State]+`
			AND created_at >= $6 AND created_at < $7 AND (CAST($3 AS BIGINT) = 0 OR created_at `+after+` $3 OR created_at = $3 AND id `+after+` $4)
		ORDER BY created_at `+order+`, id `+order+` LIMIT $5`),
		f.CustomerID, store.Micros(now), f.Before.Micros(), f.Before.ID, int64(f.Limit),
		store.Micros(f.Since), store.MicrosOrEnd(f.Until))
}

// recordResult records that an email was sent, and deletes its content, or that it was given up.
// It returns false if that was recorded before.
func (t Table) recordResult(ctx context.Context, tx *store.Tx, id string, sent bool) (bool, error) {
	query := `UPDATE {table} SET failed_at = $2, body = CASE WHEN {secret} THEN NULL ELSE body END,
		html = CASE WHEN {secret} THEN NULL ELSE html END WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL`
	if sent {
		query = `UPDATE {table} SET sent_at = $2, body = NULL, html = NULL WHERE id = $1 AND sent_at IS NULL`
	}
	return store.ExecOne(tx.ExecContext(ctx, t.sql(query), id, store.Micros(tx.Now)))
}

// retry makes an email unsent again that was given up until an instant and still has its
// text. It returns store.ErrNotFound if the customer has no such email.
func (t Table) retry(ctx context.Context, tx *store.Tx, customerID, id string, until time.Time) (bool, error) {
	ok, err := store.ExecOne(tx.ExecContext(ctx, t.sql(`UPDATE {table} SET failed_at = NULL WHERE id = $1 AND {customer} = $2
		AND sent_at IS NULL AND failed_at <= $3 AND body IS NOT NULL AND expires_at > $4`),
		id, customerID, store.Micros(until), store.Micros(tx.Now)))
	if err != nil || ok {
		return ok, err
	}
	err = tx.QueryRowContext(ctx, t.sql(`SELECT id FROM {table} WHERE id = $1 AND {customer} = $2`), id, customerID).Scan(&id)
	return false, store.MapNotFound(err)
}

func (t Table) deleteExpired(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, t.sql(`DELETE FROM {table} WHERE id IN (
		SELECT id FROM {table} WHERE expires_at <= $1 AND {deletable} ORDER BY expires_at LIMIT $2)`), store.Micros(tx.Now), int64(limit)))
}
