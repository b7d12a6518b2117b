package dashboard

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/store"
)

func staffExists(ctx context.Context, q store.Queryer, email string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM staff WHERE email_hash = $1`, store.Hash(email)).Scan(&n)
	return n > 0, err
}

// addStaff adds a user, or returns ErrKnown if the email address is in use.
func (s *Service) addStaff(ctx context.Context, tx *store.Tx, customerID, email, passwordHash string) (id string, err error) {
	id = uuid.NewString()
	sealed, err := s.DB.Vault.Seal(ctx, tx, store.SystemKey, emailCell(id), []byte(email))
	if err != nil {
		return "", err
	}
	added, err := store.ExecOne(tx.ExecContext(ctx, `INSERT INTO staff (id, customer_id, email_hash, email_sealed, password_hash, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email_hash) DO NOTHING`,
		id, customerID, store.Hash(email), sealed, passwordHash, store.Micros(s.Now())))
	if err == nil && !added {
		err = ErrKnown
	}
	return id, err
}

// deleteStaff deletes a user of the customer.
func deleteStaff(ctx context.Context, tx *store.Tx, customerID, id string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM staff WHERE id = $1 AND customer_id = $2`, id, customerID))
}

// replacePassword sets the password hash if it still equals old.
func replacePassword(ctx context.Context, tx *store.Tx, id, old, next string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE staff SET password_hash = $3 WHERE id = $1 AND password_hash = $2`, id, old, next))
}

// staffOf lists the users of a customer, oldest first.
func staffOf(ctx context.Context, q store.Queryer, customerID string) ([]staff, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, email_sealed, created_at FROM staff WHERE customer_id = $1 ORDER BY created_at, id`, customerID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []staff
	for rows.Next() {
		var p staff
		var created int64
		if err := rows.Scan(&p.id, &p.email, &created); err != nil {
			return nil, err
		}
		p.created = store.Time(created)
		out = append(out, p)
	}
	return out, rows.Err()
}

func emailCell(id string) store.Cell {
	return store.Cell{Table: "staff", Column: "email_sealed", Row: id}
}

// staff is a row of staff.
type staff struct {
	id, customerID, passwordHash string
	email                        []byte // sealed
	created                      time.Time
}

// staffByEmail finds the user of a normalized address, or returns store.ErrNotFound.
func staffByEmail(ctx context.Context, q store.Queryer, email string) (staff, error) {
	return scanStaff(q.QueryRowContext(ctx, selectStaff+`email_hash = $1`, store.Hash(email)))
}

func staffByID(ctx context.Context, q store.Queryer, id string) (staff, error) {
	return scanStaff(q.QueryRowContext(ctx, selectStaff+`id = $1`, id))
}

const selectStaff = `SELECT id, customer_id, password_hash, email_sealed FROM staff WHERE `

func scanStaff(row *sql.Row) (staff, error) {
	var p staff
	err := row.Scan(&p.id, &p.customerID, &p.passwordHash, &p.email)
	return p, store.MapNotFound(err)
}

// takeForm uses up a form's nonce; one of several concurrent calls succeeds.
func takeForm(ctx context.Context, tx *store.Tx, nonce, sessionID string, at time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO dashboard_forms (nonce, session_id, at) VALUES ($1, $2, $3) ON CONFLICT (nonce) DO NOTHING`,
		nonce, sessionID, store.Micros(at)))
}

// usedForm reports whether a form's nonce is used up.
func usedForm(ctx context.Context, q store.Queryer, nonce string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM dashboard_forms WHERE nonce = $1`, nonce).Scan(&n)
	return n > 0, err
}

// putNotice sets the flash message of the session; with keep, only if none is waiting.
func putNotice(ctx context.Context, tx *store.Tx, sessionID string, n said, sealed []byte, until time.Time, keep bool) error {
	query := `INSERT INTO dashboard_notices (session_id, said, sealed, expires_at) VALUES ($1, $2, $3, $4) ON CONFLICT (session_id) DO `
	if keep {
		query += `NOTHING`
	} else {
		query += `UPDATE SET said = excluded.said, sealed = excluded.sealed, expires_at = excluded.expires_at`
	}
	_, err := tx.ExecContext(ctx, query, sessionID, string(n), sql.Null[[]byte]{V: sealed, Valid: sealed != nil}, store.Micros(until))
	return err
}

func hasNotice(ctx context.Context, q store.Queryer, sessionID string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM dashboard_notices WHERE session_id = $1`, sessionID).Scan(&n)
	return n > 0, err
}

// takeNotice returns and deletes the flash message of the session.
func takeNotice(ctx context.Context, tx *store.Tx, sessionID string, now time.Time) (n said, sealed []byte, err error) {
	var until int64
	err = tx.QueryRowContext(ctx, `DELETE FROM dashboard_notices WHERE session_id = $1 RETURNING said, sealed, expires_at`, sessionID).
		Scan(&n, &sealed, &until)
	if err == nil && until <= store.Micros(now) {
		return "", nil, nil
	}
	return n, sealed, store.MapNotFound(err)
}

func dropNotice(ctx context.Context, tx *store.Tx, sessionID string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM dashboard_notices WHERE session_id = $1`, sessionID)
	return err
}

// formLife is how long nonces of forms are kept: longer than the maximum session
// lifetime.
const formLife = 24 * time.Hour

func deleteForms(ctx context.Context, tx *store.Tx, before time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM dashboard_forms WHERE nonce IN (
		SELECT nonce FROM dashboard_forms WHERE at < $1 LIMIT $2)`, store.Micros(before), limit))
}

func deleteNotices(ctx context.Context, tx *store.Tx, now time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM dashboard_notices WHERE session_id IN (
		SELECT session_id FROM dashboard_notices WHERE expires_at <= $1 LIMIT $2)`, store.Micros(now), limit))
}

// deleteEntries deletes, at most limit times, audit entries before an instant, except
// a customer's last entry of each action, which Changed needs.
func deleteEntries(ctx context.Context, tx *store.Tx, before time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM audit WHERE id IN (
		SELECT a.id FROM audit a WHERE a.at < $1 AND EXISTS (
			SELECT 1 FROM audit n WHERE n.customer_id = a.customer_id AND n.action = a.action AND (n.at > a.at OR n.at = a.at AND n.id > a.id))
		LIMIT $2)`, store.Micros(before), limit))
}

// entry is an entry of the audit trail.
type entry struct {
	id, staffID, action, object, detail string
	at                                  time.Time
	email                               []byte // encrypted; nil for a deleted user
}

func insertEntry(ctx context.Context, tx *store.Tx, customerID string, e entry, requestID string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO audit (id, customer_id, staff_id, at, action, object, detail, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.id, customerID, e.staffID, store.Micros(e.at), e.action, e.object, e.detail, requestID)
	return err
}

// entries lists the audit trail before a cursor, newest first.
func entries(ctx context.Context, q store.Queryer, customerID string, before store.Cursor, limit int) ([]entry, error) {
	rows, err := q.QueryContext(ctx, `SELECT a.id, a.staff_id, a.at, a.action, a.object, a.detail, s.email_sealed
		FROM audit a LEFT JOIN staff s ON s.id = a.staff_id
		WHERE a.customer_id = $1 AND (CAST($2 AS BIGINT) = 0 OR a.at < $2 OR a.at = $2 AND a.id < $3)
		ORDER BY a.at DESC, a.id DESC LIMIT $4`, customerID, before.Micros(), before.ID, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []entry
	for rows.Next() {
		var e entry
		var at int64
		if err := rows.Scan(&e.id, &e.staffID, &at, &e.action, &e.object, &e.detail, &e.email); err != nil {
			return nil, err
		}
		e.at = store.Time(at)
		out = append(out, e)
	}
	return out, rows.Err()
}

// actionsOf lists the distinct actions in a customer's audit trail.
func actionsOf(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT DISTINCT action FROM audit WHERE customer_id = $1`, customerID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var a string
		if err := rows.Scan(&a); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, rows.Err()
}
