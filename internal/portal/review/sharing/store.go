package sharing

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/store"
)

// Share is a report's share with one third party.
type Share struct {
	ID, ApplicationID string
	PublicID, Label   string // publicId and label of the third party
	RelayToken        string
	Created, Granted  time.Time
	Withdrawn         time.Time // zero if not withdrawn
	CreatedBy         string    // reviewers' IDs
	GrantedBy         string
	WithdrawnBy       string // "" if no reviewer withdrew it here
}

// line is an entry of the share log. If it is not done, the action is in progress or
// its outcome is unknown.
type line struct {
	ID, ApplicationID, PublicID string
	ReviewerID, Action          string
	RequestID                   string
	At                          time.Time
	Done                        bool
}

// grant inserts the share, or extends the pair's earlier one by 72 hours and updates
// its label if sh has one. It reports whether it inserted a share, and returns
// ErrNotFound for a withdrawn pair.
func (s *Service) grant(ctx context.Context, q store.Queryer, sh Share) (added bool, err error) {
	token, err := s.DB.Vault.Seal(ctx, q, store.SystemKey, cell(sh.ID, "relay_token"), []byte(sh.RelayToken))
	if err != nil {
		return false, err
	}
	var label []byte
	if sh.Label != "" {
		if label, err = s.DB.Vault.Seal(ctx, q, store.SystemKey, cell(sh.ID, "label"), []byte(sh.Label)); err != nil {
			return false, err
		}
	}
	added, err = store.ExecOne(q.ExecContext(ctx, `INSERT INTO report_shares
		(id, application_id, public_id, label, relay_token, created_at, created_by, granted_at, granted_by, withdrawn_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $6, $7, '') ON CONFLICT DO NOTHING`,
		sh.ID, sh.ApplicationID, sh.PublicID, label, token, store.Micros(sh.Granted), sh.GrantedBy))
	if err != nil || added {
		return added, err
	}
	ok, err := store.ExecOne(q.ExecContext(ctx, `UPDATE report_shares SET relay_token = $2, label = COALESCE($3, label),
		granted_by = CASE WHEN granted_at < $4 THEN $5 ELSE granted_by END, granted_at = CASE WHEN granted_at < $4 THEN $4 ELSE granted_at END
		WHERE id = $1 AND withdrawn_at IS NULL`, sh.ID, token, label, store.Micros(sh.Granted), sh.GrantedBy))
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return false, err
}

// withdraw ends a share once; by is empty if no reviewer withdrew it here.
func withdraw(ctx context.Context, q store.Queryer, id, by string, at time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE report_shares SET withdrawn_at = $2, withdrawn_by = $3
		WHERE id = $1 AND withdrawn_at IS NULL`, id, store.Micros(at), by))
}

func cell(id, column string) store.Cell {
	return store.Cell{Table: "report_shares", Column: column, Row: id}
}

const columns = `SELECT id, application_id, public_id, label, relay_token, created_at, created_by, granted_at, granted_by,
	withdrawn_at, withdrawn_by FROM report_shares `

// ByID returns a share, or ErrNotFound.
func (s *Service) ByID(ctx context.Context, q store.Queryer, id string) (Share, error) {
	found, err := s.query(ctx, q, columns+`WHERE id = $1`, id)
	if err != nil || len(found) == 0 {
		return Share{}, errors.Join(err, store.ErrNotFound)
	}
	return found[0], nil
}

// Shares returns all shares of an application, oldest first.
func (s *Service) Shares(ctx context.Context, q store.Queryer, applicationID string) ([]Share, error) {
	return s.query(ctx, q, columns+`WHERE application_id = $1 ORDER BY created_at, id`, applicationID)
}

// latest returns the newest shares of all applications.
func (s *Service) latest(ctx context.Context, q store.Queryer, limit int) ([]Share, error) {
	return s.query(ctx, q, columns+`ORDER BY granted_at DESC, id LIMIT $1`, limit)
}

func (s *Service) query(ctx context.Context, q store.Queryer, text string, args ...any) ([]Share, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (sh Share, err error) {
		var label, token []byte
		if err := row.Scan(&sh.ID, &sh.ApplicationID, &sh.PublicID, &label, &token, store.At(&sh.Created), &sh.CreatedBy,
			store.At(&sh.Granted), &sh.GrantedBy,
			store.At(&sh.Withdrawn), &sh.WithdrawnBy); err != nil {
			return sh, err
		}
		// Opening with the system key needs no query.
		if label, err = s.DB.Vault.Open(ctx, q, store.SystemKey, cell(sh.ID, "label"), label); err != nil {
			return sh, err
		}
		token, err = s.DB.Vault.Open(ctx, q, store.SystemKey, cell(sh.ID, "relay_token"), token)
		sh.Label, sh.RelayToken = string(label), string(token)
		return sh, err
	}, text, args...)
}

// insertLine logs a request to the service before it is sent.
func insertLine(ctx context.Context, q store.Queryer, l line) error {
	return store.Exec(q.ExecContext(ctx, `INSERT INTO report_share_log (id, application_id, public_id, user_id, action, request_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, l.ID, l.ApplicationID, l.PublicID, l.ReviewerID, l.Action, l.RequestID, store.Micros(l.At)))
}

// finishLine marks a log entry as completed and sets its action.
func finishLine(ctx context.Context, tx *store.Tx, id, action string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE report_share_log SET action = $2, done_at = $3 WHERE id = $1`,
		id, action, store.Micros(tx.Now)))
}

// deleteLine deletes the log entry of a request that the service refused.
func deleteLine(ctx context.Context, q store.Queryer, id string) error {
	return store.Exec(q.ExecContext(ctx, `DELETE FROM report_share_log WHERE id = $1 AND done_at IS NULL`, id))
}

// linesOf returns the newest log entries of an application, newest first.
func linesOf(ctx context.Context, q store.Queryer, applicationID string, limit int) ([]line, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (l line, err error) {
		var done sql.NullInt64
		err = row.Scan(&l.ID, &l.ApplicationID, &l.PublicID, &l.ReviewerID, &l.Action, &l.RequestID, store.At(&l.At), &done)
		l.Done = done.Valid
		return l, err
	}, `SELECT id, application_id, public_id, user_id, action, request_id, at, done_at
		FROM report_share_log WHERE application_id = $1 ORDER BY at DESC, id LIMIT $2`, applicationID, limit)
}

// Forget deletes the shares and log entries of an application.
func Forget(ctx context.Context, tx *store.Tx, id string) error {
	return store.ExecEach(ctx, tx, id, `DELETE FROM report_shares WHERE application_id = $1`,
		`DELETE FROM report_share_log WHERE application_id = $1`)
}
