package review

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/store"
)

// reviewer is one row of those who may look.
type reviewer struct {
	id           string
	passwordHash string
}

// insertReviewer adds a reviewer unless there is one of that e-mail already.
func (d *Desk) insertReviewer(ctx context.Context, q store.Queryer, email, passwordHash string) error {
	id := uuid.NewString()
	sealed, err := d.DB.Vault.Seal(ctx, q, store.SystemKey, emailCell(id), []byte(email))
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO reviewers (id, email_hash, email_sealed, password_hash, created_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (email_hash) DO NOTHING`,
		id, store.Hash(email), sealed, passwordHash, store.Micros(d.Now()))
	return err
}

func emailCell(id string) store.Cell {
	return store.Cell{Table: "reviewers", Column: "email_sealed", Row: id}
}

// reviewerByEmail finds the reviewer of a normalised address, or ErrNotFound.
func reviewerByEmail(ctx context.Context, q store.Queryer, email string) (reviewer, error) {
	var r reviewer
	err := q.QueryRowContext(ctx, `SELECT id, password_hash FROM reviewers WHERE email_hash = $1`, store.Hash(email)).
		Scan(&r.id, &r.passwordHash)
	return r, store.Found(err)
}

// email is the address of a reviewer, or ErrNotFound when the account is gone.
func (d *Desk) email(ctx context.Context, q store.Queryer, id string) (string, error) {
	var sealed []byte
	if err := q.QueryRowContext(ctx, `SELECT email_sealed FROM reviewers WHERE id = $1`, id).Scan(&sealed); err != nil {
		return "", store.Found(err)
	}
	plain, err := d.DB.Vault.Open(ctx, q, store.SystemKey, emailCell(id), sealed)
	return string(plain), err
}

// What was done with a report.
const (
	viewed     = "viewed"
	downloaded = "downloaded"
	opened     = "file" // one of the files behind it was downloaded
)

// note writes down who did what with the report of an application.
func note(ctx context.Context, q store.Queryer, reviewerID, applicationID, action, requestID string, at time.Time) error {
	_, err := q.ExecContext(ctx, `INSERT INTO report_views (id, reviewer_id, application_id, action, request_id, at)
		VALUES ($1, $2, $3, $4, $5, $6)`, uuid.NewString(), reviewerID, applicationID, action, requestID, store.Micros(at))
	return err
}

// grant adds the share, or gives the pair's earlier one its new 72 hours, and what
// it is called where s says so. It reports whether it was added, and ErrNotFound for
// a pair that was withdrawn.
func (d *Desk) grant(ctx context.Context, q store.Queryer, s share) (added bool, err error) {
	token, err := d.DB.Vault.Seal(ctx, q, store.SystemKey, shareCell(s.id, "relay_token"), []byte(s.relayToken))
	if err != nil {
		return false, err
	}
	var label []byte
	if s.label != "" {
		if label, err = d.DB.Vault.Seal(ctx, q, store.SystemKey, shareCell(s.id, "label"), []byte(s.label)); err != nil {
			return false, err
		}
	}
	added, err = store.One(q.ExecContext(ctx, `INSERT INTO report_shares
		(id, application_id, public_id, label, relay_token, created_at, created_by, granted_at, granted_by, withdrawn_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $6, $7, '') ON CONFLICT DO NOTHING`,
		s.id, s.applicationID, s.publicID, label, token, store.Micros(s.granted), s.grantedBy))
	if err != nil || added {
		return added, err
	}
	ok, err := store.One(q.ExecContext(ctx, `UPDATE report_shares SET relay_token = $2, label = COALESCE($3, label),
		granted_by = CASE WHEN granted_at < $4 THEN $5 ELSE granted_by END, granted_at = CASE WHEN granted_at < $4 THEN $4 ELSE granted_at END
		WHERE id = $1 AND withdrawn_at IS NULL`, s.id, token, label, store.Micros(s.granted), s.grantedBy))
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return false, err
}

// withdraw ends a share, once; by is empty where nobody here did it.
func withdraw(ctx context.Context, q store.Queryer, id, by string, at time.Time) (bool, error) {
	return store.One(q.ExecContext(ctx, `UPDATE report_shares SET withdrawn_at = $2, withdrawn_by = $3
		WHERE id = $1 AND withdrawn_at IS NULL`, id, store.Micros(at), by))
}

func shareCell(id, column string) store.Cell {
	return store.Cell{Table: "report_shares", Column: column, Row: id}
}

const shareColumns = `SELECT id, application_id, public_id, label, relay_token, created_at, created_by, granted_at, granted_by,
	withdrawn_at, withdrawn_by FROM report_shares `

// shareOf returns one share, or ErrNotFound.
func (d *Desk) shareOf(ctx context.Context, q store.Queryer, id string) (share, error) {
	found, err := d.shares(ctx, q, shareColumns+`WHERE id = $1`, id)
	if err != nil || len(found) == 0 {
		return share{}, errors.Join(err, store.ErrNotFound)
	}
	return found[0], nil
}

// sharesOf returns all shares of the application, the oldest first.
func (d *Desk) sharesOf(ctx context.Context, q store.Queryer, applicationID string) ([]share, error) {
	return d.shares(ctx, q, shareColumns+`WHERE application_id = $1 ORDER BY created_at, id`, applicationID)
}

// latestShares returns the newest shares of any application.
func (d *Desk) latestShares(ctx context.Context, q store.Queryer, limit int) ([]share, error) {
	return d.shares(ctx, q, shareColumns+`ORDER BY granted_at DESC, id LIMIT $1`, limit)
}

func (d *Desk) shares(ctx context.Context, q store.Queryer, query string, args ...any) ([]share, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []share
	for rows.Next() {
		var s share
		var label, token []byte
		var created, granted int64
		var withdrawn sql.NullInt64
		if err := rows.Scan(&s.id, &s.applicationID, &s.publicID, &label, &token, &created, &s.createdBy, &granted, &s.grantedBy,
			&withdrawn, &s.withdrawnBy); err != nil {
			return nil, err
		}
		s.created, s.granted = store.Time(created), store.Time(granted)
		if withdrawn.Valid {
			s.withdrawn = store.Time(withdrawn.Int64)
		}
		// Neither asks the database: the system key is at hand.
		if label, err = d.DB.Vault.Open(ctx, q, store.SystemKey, shareCell(s.id, "label"), label); err != nil {
			return nil, err
		}
		if token, err = d.DB.Vault.Open(ctx, q, store.SystemKey, shareCell(s.id, "relay_token"), token); err != nil {
			return nil, err
		}
		s.label, s.relayToken = string(label), string(token)
		out = append(out, s)
	}
	return out, rows.Err()
}

// noteShare writes down what is about to be asked of the service, and by whom.
func noteShare(ctx context.Context, q store.Queryer, l shareLine) error {
	_, err := q.ExecContext(ctx, `INSERT INTO report_share_log (id, application_id, public_id, reviewer_id, action, request_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, l.id, l.applicationID, l.publicID, l.reviewerID, l.action, l.requestID, store.Micros(l.at))
	return err
}

// shareDone settles a line: it was done, and what it was.
func shareDone(ctx context.Context, q store.Queryer, id, action string, at time.Time) error {
	_, err := q.ExecContext(ctx, `UPDATE report_share_log SET action = $2, done_at = $3 WHERE id = $1`, id, action, store.Micros(at))
	return err
}

// shareRefused removes a line of what the service refused.
func shareRefused(ctx context.Context, q store.Queryer, id string) error {
	_, err := q.ExecContext(ctx, `DELETE FROM report_share_log WHERE id = $1 AND done_at IS NULL`, id)
	return err
}

// shareLines returns what was last done to share the report of an application, the
// newest first.
func shareLines(ctx context.Context, q store.Queryer, applicationID string, limit int) ([]shareLine, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, application_id, public_id, reviewer_id, action, request_id, at, done_at
		FROM report_share_log WHERE application_id = $1 ORDER BY at DESC, id LIMIT $2`, applicationID, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []shareLine
	for rows.Next() {
		var l shareLine
		var at int64
		var done sql.NullInt64
		if err := rows.Scan(&l.id, &l.applicationID, &l.publicID, &l.reviewerID, &l.action, &l.requestID, &at, &done); err != nil {
			return nil, err
		}
		l.at, l.done = store.Time(at), done.Valid
		out = append(out, l)
	}
	return out, rows.Err()
}
