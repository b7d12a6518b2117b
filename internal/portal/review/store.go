package review

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/listing"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/shares"
	"vestibule/internal/store"
)

// reviewer is a row of the users.
type reviewer struct {
	id, email         string
	passwordHash      string // "" without a password
	role              Role
	disabled          time.Time // zero: enabled
	bound             bool      // signs in with an issuer's account
	created, signedIn time.Time // signedIn is zero if the user never signed in
}

// insertReviewer inserts a user and reports whether the email address was free.
func (d *Handler) insertReviewer(ctx context.Context, q store.Queryer, id, email, passwordHash string, role Role) (bool, error) {
	sealed, err := d.DB.Vault.Seal(ctx, q, store.SystemKey, emailCell(id), []byte(email))
	if err != nil {
		return false, err
	}
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO reviewers (id, email_hash, email_sealed, password_hash, role, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		id, store.Hash(email), sealed, passwordHash, string(role), store.Micros(d.Now())))
}

func emailCell(id string) store.Cell {
	return store.Cell{Table: "reviewers", Column: "email_sealed", Row: id}
}

const reviewerColumns = `SELECT id, email_sealed, password_hash, role, disabled_at, subject_hash IS NOT NULL, created_at, signed_in_at FROM reviewers `

// scanReviewer reads a row; the email address is still encrypted.
func scanReviewer(row interface{ Scan(...any) error }) (r reviewer, sealed []byte, err error) {
	var disabled, created, signedIn int64
	if err := row.Scan(&r.id, &sealed, &r.passwordHash, &r.role, &disabled, &r.bound, &created, &signedIn); err != nil {
		return reviewer{}, nil, store.MapNotFound(err)
	}
	r.created = store.Time(created)
	if disabled != 0 {
		r.disabled = store.Time(disabled)
	}
	if signedIn != 0 {
		r.signedIn = store.Time(signedIn)
	}
	return r, sealed, nil
}

// reviewerByEmail returns the user with a normalized email address, or ErrNotFound.
func reviewerByEmail(ctx context.Context, q store.Queryer, email string) (reviewer, error) {
	r, _, err := scanReviewer(q.QueryRowContext(ctx, reviewerColumns+`WHERE email_hash = $1`, store.Hash(email)))
	return r, err
}

// reviewer returns a user including the email address, or ErrNotFound.
func (d *Handler) reviewer(ctx context.Context, q store.Queryer, id string) (reviewer, error) {
	r, sealed, err := scanReviewer(q.QueryRowContext(ctx, reviewerColumns+`WHERE id = $1`, id))
	if err != nil {
		return r, err
	}
	plain, err := d.DB.Vault.Open(ctx, q, store.SystemKey, emailCell(r.id), sealed)
	r.email = string(plain)
	return r, err
}

// email returns the email address of a user, or ErrNotFound.
func (d *Handler) email(ctx context.Context, q store.Queryer, id string) (string, error) {
	r, err := d.reviewer(ctx, q, id)
	return r.email, err
}

// everybody lists the users, oldest first.
func (d *Handler) everybody(ctx context.Context, q store.Queryer) ([]reviewer, error) {
	rows, err := q.QueryContext(ctx, reviewerColumns+`ORDER BY created_at, id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []reviewer
	for rows.Next() {
		r, sealed, err := scanReviewer(rows)
		if err != nil {
			return nil, err
		}
		// Opening with the system key needs no query.
		plain, err := d.DB.Vault.Open(ctx, q, store.SystemKey, emailCell(r.id), sealed)
		if err != nil {
			return nil, err
		}
		r.email = string(plain)
		out = append(out, r)
	}
	return out, rows.Err()
}

// holdAdministrator locks an administrator's row until the transaction ends; false if
// the user is no longer an enabled administrator.
func holdAdministrator(ctx context.Context, tx *store.Tx, id string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE reviewers SET role = role WHERE id = $1 AND role = $2 AND disabled_at = 0`, id, string(Administrator)))
}

func setRole(ctx context.Context, q store.Queryer, id string, role Role) error {
	_, err := q.ExecContext(ctx, `UPDATE reviewers SET role = $2 WHERE id = $1`, id, string(role))
	return err
}

// setDisabled disables a user; the zero time enables the user again.
func setDisabled(ctx context.Context, q store.Queryer, id string, at time.Time) error {
	micros := int64(0)
	if !at.IsZero() {
		micros = store.Micros(at)
	}
	_, err := q.ExecContext(ctx, `UPDATE reviewers SET disabled_at = $2 WHERE id = $1`, id, micros)
	return err
}

func setSignedIn(ctx context.Context, q store.Queryer, id string, at time.Time) error {
	_, err := q.ExecContext(ctx, `UPDATE reviewers SET signed_in_at = $2 WHERE id = $1`, id, store.Micros(at))
	return err
}

func setPassword(ctx context.Context, q store.Queryer, id, hash string, at time.Time) error {
	_, err := q.ExecContext(ctx, `UPDATE reviewers SET password_hash = $2, signed_in_at = $3 WHERE id = $1`, id, hash, store.Micros(at))
	return err
}

// setLink stores a user's link to set a password; an earlier link becomes invalid.
func setLink(ctx context.Context, q store.Queryer, id string, hash []byte, until time.Time) error {
	_, err := q.ExecContext(ctx, `INSERT INTO review_links (reviewer_id, hash, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (reviewer_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`, id, hash, store.Micros(until))
	return err
}

func dropLink(ctx context.Context, q store.Queryer, id string) error {
	_, err := q.ExecContext(ctx, `DELETE FROM review_links WHERE reviewer_id = $1`, id)
	return err
}

// linked returns the user of a link, or ErrNotFound if the link is used or expired or
// the user is disabled.
func linked(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (id string, err error) {
	err = q.QueryRowContext(ctx, `SELECT l.reviewer_id FROM review_links l JOIN reviewers r ON r.id = l.reviewer_id
		WHERE l.hash = $1 AND l.expires_at > $2 AND r.disabled_at = 0`, hash, store.Micros(now)).Scan(&id)
	return id, store.MapNotFound(err)
}

// useLink uses up a link; only one of several concurrent calls succeeds.
func useLink(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `DELETE FROM review_links WHERE hash = $1 AND expires_at > $2`, hash, store.Micros(now)))
}

// insertLine adds an entry to the audit trail unless its ID exists.
func insertLine(ctx context.Context, q store.Queryer, l auditLine) error {
	_, err := q.ExecContext(ctx, `INSERT INTO review_audit (id, at, actor, action, application_id, object, detail, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		l.id, store.Micros(l.at), l.actor, l.action, l.application, l.object, l.detail, l.asked)
	return err
}

// readTrail returns a page of the audit trail, newest first, and the cursor of the
// next page.
func readTrail(ctx context.Context, q store.Queryer, t trail, size int) ([]auditLine, string, error) {
	var c listing.Conditions
	c.Equal("actor", t.actor)
	c.Equal("action", t.action)
	c.Equal("application_id", t.application)
	c.Days("at", t.from, t.to)
	c.Before("at", "id", t.cursor)
	rows, err := q.QueryContext(ctx, `SELECT id, at, actor, action, application_id, object, detail, request_id FROM review_audit `+
		c.Where()+` ORDER BY at DESC, id DESC LIMIT `+c.Arg(int64(size+1)), c.Args...)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	var out []auditLine
	for rows.Next() {
		var l auditLine
		var at int64
		if err := rows.Scan(&l.id, &at, &l.actor, &l.action, &l.application, &l.object, &l.detail, &l.asked); err != nil {
			return nil, "", err
		}
		l.at = store.Time(at)
		out = append(out, l)
	}
	if err := rows.Err(); err != nil || len(out) <= size {
		return out, "", err
	}
	last := out[size-1]
	return out[:size], applications.WriteCursor(last.at, last.id), nil
}

// sweep deletes expired rows.
func sweep(ctx context.Context, q store.Queryer, now time.Time) error {
	for _, table := range []string{"review_arrivals", "review_links"} {
		if _, err := q.ExecContext(ctx, `DELETE FROM `+table+` WHERE expires_at <= $1`, store.Micros(now)); err != nil {
			return err
		}
	}
	return search.Sweep(ctx, q, now)
}

func decisionCell(applicationID string, seq int64) store.Cell {
	return store.Cell{Table: "review_decisions", Column: "text", Row: applicationID + "/" + strconv.FormatInt(seq, 10)}
}

func noteCell(id string) store.Cell {
	return store.Cell{Table: "review_notes", Column: "text", Row: id}
}

// insertDecision inserts a decision if it directly follows the stored ones; false
// means that another was stored first.
func (d *Handler) insertDecision(ctx context.Context, q store.Queryer, applicationID string, t decision) (bool, error) {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return false, err
	}
	var sealed []byte
	if t.text != "" {
		if sealed, err = d.DB.Vault.Seal(ctx, q, e.DataKey, decisionCell(applicationID, t.seq), []byte(t.text)); err != nil {
			return false, err
		}
	}
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO review_decisions (application_id, seq, decision, reasons, text, reviewer_id, at)
		SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS TEXT),
			COALESCE($5, (SELECT text FROM review_decisions WHERE 1 = 0)), -- which says what type it is
			CAST($6 AS TEXT), CAST($7 AS BIGINT)
		WHERE (SELECT COUNT(*) FROM review_decisions WHERE application_id = $1) = $2 - 1 ON CONFLICT DO NOTHING`,
		applicationID, t.seq, t.decision, strings.Join(t.reasons, " "), sealed, t.by, store.Micros(t.at)))
}

// decisionsOf returns the decisions on an application, in order.
func (d *Handler) decisionsOf(ctx context.Context, q store.Queryer, applicationID string) ([]decision, error) {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return nil, err
	}
	open, err := d.DB.Vault.Opener(ctx, q, e.DataKey)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT seq, decision, reasons, text, reviewer_id, at FROM review_decisions WHERE application_id = $1 ORDER BY seq`, applicationID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []decision
	for rows.Next() {
		var t decision
		var codes string
		var sealed []byte
		var at int64
		if err := rows.Scan(&t.seq, &t.decision, &codes, &sealed, &t.by, &at); err != nil {
			return nil, err
		}
		text, err := open.Open(decisionCell(applicationID, t.seq), sealed)
		if err != nil {
			return nil, err
		}
		t.text, t.reasons, t.at = string(text), strings.Fields(codes), store.Time(at)
		out = append(out, t)
	}
	return out, rows.Err()
}

func (d *Handler) insertNote(ctx context.Context, q store.Queryer, applicationID string, n remark) error {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return err
	}
	sealed, err := d.DB.Vault.Seal(ctx, q, e.DataKey, noteCell(n.id), []byte(n.text))
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO review_notes (id, application_id, text, reviewer_id, at) VALUES ($1, $2, $3, $4, $5)`,
		n.id, applicationID, sealed, n.by, store.Micros(n.at))
	return err
}

// notesOf returns the notes of an application, newest first.
func (d *Handler) notesOf(ctx context.Context, q store.Queryer, applicationID string, limit int) ([]remark, error) {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return nil, err
	}
	open, err := d.DB.Vault.Opener(ctx, q, e.DataKey)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT id, text, reviewer_id, at FROM review_notes WHERE application_id = $1 ORDER BY at DESC, id LIMIT $2`, applicationID, int64(limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []remark
	for rows.Next() {
		var n remark
		var sealed []byte
		var at int64
		if err := rows.Scan(&n.id, &sealed, &n.by, &at); err != nil {
			return nil, err
		}
		text, err := open.Open(noteCell(n.id), sealed)
		if err != nil {
			return nil, err
		}
		n.text, n.at = string(text), store.Time(at)
		out = append(out, n)
	}
	return out, rows.Err()
}

// eraseRows deletes an application's rows in this package, except the audit trail,
// which holds no personal data.
func eraseRows(ctx context.Context, tx *store.Tx, id string) error {
	for _, table := range []string{"review_decisions", "review_notes"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE application_id = $1`, id); err != nil {
			return err
		}
	}
	return errors.Join(shares.Forget(ctx, tx, id), search.Forget(ctx, tx, id))
}

// bury inserts a tombstone; false if one exists.
func bury(ctx context.Context, q store.Queryer, t tombstone) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO review_deletions (application_id, at, reviewer_id, reason) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		t.applicationID, store.Micros(t.at), t.by, t.reason))
}

// grave returns the tombstone of an application, or ErrNotFound.
func grave(ctx context.Context, q store.Queryer, id string) (tombstone, error) {
	t := tombstone{applicationID: id}
	var at int64
	err := q.QueryRowContext(ctx, `SELECT at, reviewer_id, reason FROM review_deletions WHERE application_id = $1`, strings.ToLower(id)).Scan(&at, &t.by, &t.reason)
	t.at = store.Time(at)
	return t, store.MapNotFound(err)
}

// buried returns a page of tombstones, newest first, and the cursor of the next page.
func buried(ctx context.Context, q store.Queryer, cursor string) ([]tombstone, string, error) {
	var c listing.Conditions
	c.Before("at", "application_id", cursor)
	rows, err := q.QueryContext(ctx, `SELECT application_id, at, reviewer_id, reason FROM review_deletions `+c.Where()+
		` ORDER BY at DESC, application_id DESC LIMIT `+c.Arg(int64(deletionsSize+1)), c.Args...)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	var out []tombstone
	for rows.Next() {
		var t tombstone
		var at int64
		if err := rows.Scan(&t.applicationID, &at, &t.by, &t.reason); err != nil {
			return nil, "", err
		}
		t.at = store.Time(at)
		out = append(out, t)
	}
	if err := rows.Err(); err != nil || len(out) <= deletionsSize {
		return out, "", err
	}
	last := out[deletionsSize-1]
	return out[:deletionsSize], applications.WriteCursor(last.at, last.applicationID), nil
}

// reviewerBySubject returns the user of an issuer's account, or ErrNotFound.
func reviewerBySubject(ctx context.Context, q store.Queryer, subject []byte) (reviewer, error) {
	r, _, err := scanReviewer(q.QueryRowContext(ctx, reviewerColumns+`WHERE subject_hash = $1`, subject))
	return r, err
}

// bindSubject binds a user to an issuer's account; false if the user is already bound
// to one.
func bindSubject(ctx context.Context, q store.Queryer, id string, subject []byte) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE reviewers SET subject_hash = $2 WHERE id = $1 AND subject_hash IS NULL`, id, subject))
}

// useState uses up a sign-in's state; only one of several concurrent calls succeeds.
// Older versions stored the state at the start, together with what the cookie holds
// now.
func useState(ctx context.Context, q store.Queryer, a arrival) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO review_arrivals (state_hash, id, session_id, sealed, next, used, expires_at) VALUES ($1, '', '', $2, '', TRUE, $3)
		ON CONFLICT (state_hash) DO NOTHING`, store.Hash(a.State), []byte{}, a.Until))
}

func staffed(ctx context.Context, q store.Queryer) (there bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM reviewers)`).Scan(&there)
	return there, err
}
