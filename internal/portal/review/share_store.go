package review

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/store"
)

// share is a report's share with one third party.
type share struct {
	ID, ApplicationID string
	PublicID, Label   string // publicId and label of the third party
	RelayToken        string
	Created, Granted  time.Time
	Withdrawn         time.Time // zero if not withdrawn
	CreatedBy         string    // reviewers' IDs
	GrantedBy         string
	WithdrawnBy       string // "" if no reviewer withdrew it here
}

// shareLine is an entry of the share log. If it is not done, the action is in progress or
// its outcome is unknown.
type shareLine struct {
	ID, ApplicationID, PublicID string
	ReviewerID, Action          string
	RequestID                   string
	At                          time.Time
	Done                        bool
}

// grantShare inserts the share, or extends the pair's earlier one by 72 hours and updates
// its label if s has one. It reports whether it inserted a share, and returns
// ErrNotFound for a withdrawn pair.
func (d *Handler) grantShare(ctx context.Context, q store.Queryer, s share) (added bool, err error) {
	token, err := d.DB.Vault.Seal(ctx, q, store.SystemKey, shareCell(s.ID, "relay_token"), []byte(s.RelayToken))
	if err != nil {
		return false, err
	}
	var label []byte
	if s.Label != "" {
		if label, err = d.DB.Vault.Seal(ctx, q, store.SystemKey, shareCell(s.ID, "label"), []byte(s.Label)); err != nil {
			return false, err
		}
	}
	added, err = store.ExecOne(q.ExecContext(ctx, `INSERT INTO report_shares
		(id, application_id, public_id, label, relay_token, created_at, created_by, granted_at, granted_by, withdrawn_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $6, $7, '') ON CONFLICT DO NOTHING`,
		s.ID, s.ApplicationID, s.PublicID, label, token, store.Micros(s.Granted), s.GrantedBy))
	if err != nil || added {
		return added, err
	}
	ok, err := store.ExecOne(q.ExecContext(ctx, `UPDATE report_shares SET relay_token = $2, label = COALESCE($3, label),
		granted_by = CASE WHEN granted_at < $4 THEN $5 ELSE granted_by END, granted_at = CASE WHEN granted_at < $4 THEN $4 ELSE granted_at END
		WHERE id = $1 AND withdrawn_at IS NULL`, s.ID, token, label, store.Micros(s.Granted), s.GrantedBy))
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return false, err
}

// withdrawShare ends a share once; by is empty if no reviewer withdrew it here.
func withdrawShare(ctx context.Context, q store.Queryer, id, by string, at time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE report_shares SET withdrawn_at = $2, withdrawn_by = $3
		WHERE id = $1 AND withdrawn_at IS NULL`, id, store.Micros(at), by))
}

func shareCell(id, column string) store.Cell {
	return store.Cell{Table: "report_shares", Column: column, Row: id}
}

const shareColumns = `SELECT id, application_id, public_id, label, relay_token, created_at, created_by, granted_at, granted_by,
	withdrawn_at, withdrawn_by FROM report_shares `

// shareByID returns a share, or ErrNotFound.
func (d *Handler) shareByID(ctx context.Context, q store.Queryer, id string) (share, error) {
	found, err := d.queryShares(ctx, q, shareColumns+`WHERE id = $1`, id)
	if err != nil || len(found) == 0 {
		return share{}, errors.Join(err, store.ErrNotFound)
	}
	return found[0], nil
}

// sharesOf returns all shares of an application, oldest first.
func (d *Handler) sharesOf(ctx context.Context, q store.Queryer, applicationID string) ([]share, error) {
	return d.queryShares(ctx, q, shareColumns+`WHERE application_id = $1 ORDER BY created_at, id`, applicationID)
}

// latestShares returns the newest shares of all applications.
func (d *Handler) latestShares(ctx context.Context, q store.Queryer, limit int) ([]share, error) {
	return d.queryShares(ctx, q, shareColumns+`ORDER BY granted_at DESC, id LIMIT $1`, limit)
}

func (d *Handler) queryShares(ctx context.Context, q store.Queryer, query string, args ...any) ([]share, error) {
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
		if err := rows.Scan(&s.ID, &s.ApplicationID, &s.PublicID, &label, &token, &created, &s.CreatedBy, &granted, &s.GrantedBy,
			&withdrawn, &s.WithdrawnBy); err != nil {
			return nil, err
		}
		s.Created, s.Granted = store.Time(created), store.Time(granted)
		if withdrawn.Valid {
			s.Withdrawn = store.Time(withdrawn.Int64)
		}
		// Opening with the system key needs no query.
		if label, err = d.DB.Vault.Open(ctx, q, store.SystemKey, shareCell(s.ID, "label"), label); err != nil {
			return nil, err
		}
		if token, err = d.DB.Vault.Open(ctx, q, store.SystemKey, shareCell(s.ID, "relay_token"), token); err != nil {
			return nil, err
		}
		s.Label, s.RelayToken = string(label), string(token)
		out = append(out, s)
	}
	return out, rows.Err()
}

// insertShareLine logs a request to the service before it is sent.
func insertShareLine(ctx context.Context, q store.Queryer, l shareLine) error {
	_, err := q.ExecContext(ctx, `INSERT INTO report_share_log (id, application_id, public_id, reviewer_id, action, request_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, l.ID, l.ApplicationID, l.PublicID, l.ReviewerID, l.Action, l.RequestID, store.Micros(l.At))
	return err
}

// finishShareLine marks a log entry as completed and sets its action.
func finishShareLine(ctx context.Context, q store.Queryer, id, action string, at time.Time) error {
	_, err := q.ExecContext(ctx, `UPDATE report_share_log SET action = $2, done_at = $3 WHERE id = $1`, id, action, store.Micros(at))
	return err
}

// deleteShareLine deletes the log entry of a request that the service refused.
func deleteShareLine(ctx context.Context, q store.Queryer, id string) error {
	_, err := q.ExecContext(ctx, `DELETE FROM report_share_log WHERE id = $1 AND done_at IS NULL`, id)
	return err
}

// shareLines returns the newest log entries of an application, newest first.
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
		if err := rows.Scan(&l.ID, &l.ApplicationID, &l.PublicID, &l.ReviewerID, &l.Action, &l.RequestID, &at, &done); err != nil {
			return nil, err
		}
		l.At, l.Done = store.Time(at), done.Valid
		out = append(out, l)
	}
	return out, rows.Err()
}

// deleteShares deletes the shares and log entries of an application.
func deleteShares(ctx context.Context, tx *store.Tx, id string) error {
	for _, table := range []string{"report_shares", "report_share_log"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE application_id = $1`, id); err != nil {
			return err
		}
	}
	return nil
}
