package resume

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/store"
)

func insertLink(ctx context.Context, tx *store.Tx, hash []byte, id string, until time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO resume_links (hash, application_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`,
		hash, id, store.Micros(tx.Now), store.Micros(until)))
}

// getLink returns a link's application and whether the link still works.
func getLink(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (id string, works bool, err error) {
	var used sql.NullInt64
	var until int64
	err = q.QueryRowContext(ctx, `SELECT application_id, used_at, expires_at FROM resume_links WHERE hash = $1`, hash).
		Scan(&id, &used, &until)
	return id, !used.Valid && until > store.Micros(now), store.MapNotFound(err)
}

// useLink uses up a link. It returns store.ErrNotFound if the link is used, expired or
// unknown.
func useLink(ctx context.Context, tx *store.Tx, hash []byte) (string, error) {
	return store.FindOne[string](tx.QueryRowContext(ctx,
		`UPDATE resume_links SET used_at = $1 WHERE hash = $2 AND used_at IS NULL AND expires_at > $1
		RETURNING application_id`, store.Micros(tx.Now), hash))
}

func insertMailbox(ctx context.Context, tx *store.Tx, id string, mailbox []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO application_mailboxes (application_id, mailbox, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (application_id) DO UPDATE SET mailbox = $2`, id, mailbox, store.Micros(tx.Now)))
}

// applicationsOf lists the applications of an email address since an instant, newest
// first.
func applicationsOf(ctx context.Context, q store.Queryer, mailbox []byte, since time.Time, limit int) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `SELECT application_id FROM application_mailboxes
		WHERE mailbox = $1 AND created_at > $2 ORDER BY created_at DESC, application_id LIMIT $3`,
		mailbox, store.Micros(since), int64(limit))
}

// request is a request for an email with links.
type request struct {
	id, application string
	mailbox         []byte
	lang            i18n.Lang
}

func insertRequest(ctx context.Context, tx *store.Tx, r request) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO email_requests (id, application_id, mailbox, lang, created_at) VALUES ($1, $2, $3, $4, $5)`,
		r.id, r.application, r.mailbox, string(r.lang), store.Micros(tx.Now))
	return err
}

func getRequest(ctx context.Context, q store.Queryer, id string) (request, error) {
	r := request{id: id}
	err := q.QueryRowContext(ctx, `SELECT application_id, mailbox, lang FROM email_requests WHERE id = $1`, id).
		Scan(&r.application, &r.mailbox, &r.lang)
	return r, store.MapNotFound(err)
}

// deleteRequest deletes a request; false if another run did.
func deleteRequest(ctx context.Context, tx *store.Tx, id string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM email_requests WHERE id = $1`, id))
}

// email is a new row of emails.
type email struct {
	id, application, keyID string
	subject                string
	mail.Sealed
	expires time.Time

	decision int64  // number of its decision; 0 for resume links
	withheld string // reasons for not sending it
}

// insertEmail returns false if its decision has an email already. An email that is
// withheld counts as failed, so that no older version of the program sends it.
func insertEmail(ctx context.Context, tx *store.Tx, e email) (bool, error) {
	failed := sql.NullInt64{Int64: store.Micros(tx.Now), Valid: e.withheld != ""}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO emails
		(id, subject_id, key_id, recipient, subject, body, html, created_at, expires_at, failed_at, decision, withheld)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
		e.id, e.application, e.keyID, e.Recipient, e.subject, e.Body, e.HTML, store.Micros(tx.Now), store.Micros(e.expires),
		failed, e.decision, e.withheld))
}

// lastLink returns when the newest email with resume links since an instant was written;
// zero for none. The email of a decision is not one.
func lastLink(ctx context.Context, q store.Queryer, application string, since time.Time) (time.Time, error) {
	return store.ScanTime(q.QueryRowContext(ctx, `SELECT MAX(created_at) FROM emails
		WHERE subject_id = $1 AND decision = 0 AND failed_at IS NULL AND created_at > $2`, application, store.Micros(since)))
}

// Forget deletes the links and emails of an application.
func Forget(ctx context.Context, tx *store.Tx, id string) error {
	var errs []error
	for _, q := range []string{
		`DELETE FROM resume_links WHERE application_id = $1`,
		`DELETE FROM emails WHERE subject_id = $1`,
		`DELETE FROM email_requests WHERE application_id = $1`,
		`DELETE FROM application_mailboxes WHERE application_id = $1`,
	} {
		_, err := tx.ExecContext(ctx, q, id)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// linksKept is how long an expired link still redirects the browsers that it granted
// access to.
const linksKept = 7 * 24 * time.Hour

func sweep(ctx context.Context, q store.Queryer, now time.Time) error {
	var errs []error
	for query, before := range map[string]time.Time{
		`DELETE FROM resume_links WHERE expires_at < $1`: now.Add(-linksKept),
		`UPDATE emails SET failed_at = expires_at, body = NULL, html = NULL
			WHERE expires_at < $1 AND decision > 0 AND body IS NOT NULL`: now,
		`DELETE FROM email_requests WHERE created_at < $1`: now.Add(-EmailLife),
	} {
		_, err := q.ExecContext(ctx, query, store.Micros(before))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
