package resume

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

func insertLink(ctx context.Context, tx *store.Tx, hash []byte, id string, now, until time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO application_links (hash, application_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`,
		hash, id, store.Micros(now), store.Micros(until))
	return err
}

// leads returns a link's application and whether the link still works.
func leads(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (id string, works bool, err error) {
	var used sql.NullInt64
	var until int64
	err = q.QueryRowContext(ctx, `SELECT application_id, used_at, expires_at FROM application_links WHERE hash = $1`, hash).Scan(&id, &used, &until)
	return id, !used.Valid && until > store.Micros(now), store.MapNotFound(err)
}

// use uses up a link. It returns store.ErrNotFound if the link is used, expired or
// unknown.
func use(ctx context.Context, tx *store.Tx, hash []byte, now time.Time) (id string, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE application_links SET used_at = $1 WHERE hash = $2 AND used_at IS NULL AND expires_at > $1
		RETURNING application_id`, store.Micros(now), hash).Scan(&id)
	return id, store.MapNotFound(err)
}

// try counts a try under key and returns the number of tries within the window.
func try(ctx context.Context, q store.Queryer, key []byte, now time.Time, window time.Duration) (n int64, err error) {
	err = q.QueryRowContext(ctx, `INSERT INTO link_tries (key, tries, since) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			tries = CASE WHEN link_tries.since <= $3 THEN 1 ELSE link_tries.tries + 1 END,
			since = CASE WHEN link_tries.since <= $3 THEN $2 ELSE link_tries.since END
		RETURNING tries`, key, store.Micros(now), store.Micros(now.Add(-window))).Scan(&n)
	return n, err
}

func insertMailbox(ctx context.Context, tx *store.Tx, id string, mailbox []byte, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO application_mailboxes (application_id, mailbox, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (application_id) DO UPDATE SET mailbox = $2`, id, mailbox, store.Micros(now))
	return err
}

// ofMailbox lists the applications of an email address since an instant, newest
// first.
func ofMailbox(ctx context.Context, q store.Queryer, mailbox []byte, since time.Time, limit int) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT application_id FROM application_mailboxes WHERE mailbox = $1 AND created_at > $2
		ORDER BY created_at DESC, application_id LIMIT $3`, mailbox, store.Micros(since), int64(limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

// request is a request for an email with links.
type request struct {
	id, application string
	mailbox         []byte
	lang            contract.Lang
}

func insertRequest(ctx context.Context, tx *store.Tx, r request, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO letter_requests (id, application_id, mailbox, lang, created_at) VALUES ($1, $2, $3, $4, $5)`,
		r.id, r.application, r.mailbox, string(r.lang), store.Micros(now))
	return err
}

func requested(ctx context.Context, q store.Queryer, id string) (request, error) {
	r := request{id: id}
	err := q.QueryRowContext(ctx, `SELECT application_id, mailbox, lang FROM letter_requests WHERE id = $1`, id).Scan(&r.application, &r.mailbox, &r.lang)
	return r, store.MapNotFound(err)
}

// settle deletes a request; false if another run did.
func settle(ctx context.Context, tx *store.Tx, id string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM letter_requests WHERE id = $1`, id))
}

// letter is a row of application_letters.
type letter struct {
	id, application, key string
	recipient, body      []byte // encrypted; body is nil after sending
	subject              string
	created, expires     time.Time

	decision int64  // number of its decision; 0 for resume links
	withheld string // reasons for not sending it
	to, text string // recipient and body in plain text
}

func insertLetter(ctx context.Context, tx *store.Tx, l letter) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO application_letters (id, application_id, key_id, recipient, subject, body, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		l.id, l.application, l.key, l.recipient, l.subject, l.body, store.Micros(l.created), store.Micros(l.expires))
	return err
}

const selectLetters = `SELECT id, application_id, key_id, recipient, subject, body, created_at, expires_at FROM application_letters
	WHERE sent_at IS NULL AND failed_at IS NULL AND expires_at > $1 `

type scanner interface{ Scan(into ...any) error }

func scan(row scanner) (letter, error) {
	var l letter
	var created, expires int64
	err := row.Scan(&l.id, &l.application, &l.key, &l.recipient, &l.subject, &l.body, &created, &expires)
	l.created, l.expires = store.Time(created), store.Time(expires)
	return l, store.MapNotFound(err)
}

// waiting returns an email to be sent, or store.ErrNotFound.
func waiting(ctx context.Context, q store.Queryer, id string, now time.Time) (letter, error) {
	return scan(q.QueryRowContext(ctx, selectLetters+`AND id = $2`, store.Micros(now), id))
}

// unsent lists the newest unsent emails.
func unsent(ctx context.Context, q store.Queryer, now time.Time, limit int) ([]letter, error) {
	rows, err := q.QueryContext(ctx, selectLetters+`ORDER BY created_at DESC, id LIMIT $2`, store.Micros(now), int64(limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []letter
	for rows.Next() {
		l, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, rows.Err()
}

// sent records that an email was sent and deletes its text with the links.
func sent(ctx context.Context, q store.Queryer, id string, now time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE application_letters SET sent_at = $2, body = NULL WHERE id = $1 AND sent_at IS NULL`, id, store.Micros(now)))
}

// failed records that an email was given up and deletes its text, since it contains
// links.
func failed(ctx context.Context, q store.Queryer, id string, now time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE application_letters SET failed_at = $2, body = NULL WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL`,
		id, store.Micros(now)))
}

func forget(ctx context.Context, tx *store.Tx, id string) error {
	var errs []error
	for _, q := range []string{
		`DELETE FROM application_links WHERE application_id = $1`,
		`DELETE FROM application_letters WHERE application_id = $1`,
		`DELETE FROM letter_requests WHERE application_id = $1`,
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
		`DELETE FROM application_links WHERE expires_at < $1`:                    now.Add(-linksKept),
		`DELETE FROM application_letters WHERE expires_at < $1 AND decision = 0`: now,
		`UPDATE application_letters SET failed_at = expires_at, body = NULL
			WHERE expires_at < $1 AND decision > 0 AND body IS NOT NULL`: now,
		`DELETE FROM letter_requests WHERE created_at < $1`: now.Add(-LetterLife),
		`DELETE FROM link_tries WHERE since < $1`:           now.Add(-window),
	} {
		_, err := q.ExecContext(ctx, query, store.Micros(before))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
