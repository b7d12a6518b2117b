package review

import (
	"context"
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
)

// note writes down who did what with the report of an application.
func note(ctx context.Context, q store.Queryer, reviewerID, applicationID, action, requestID string, at time.Time) error {
	_, err := q.ExecContext(ctx, `INSERT INTO report_views (id, reviewer_id, application_id, action, request_id, at)
		VALUES ($1, $2, $3, $4, $5, $6)`, uuid.NewString(), reviewerID, applicationID, action, requestID, store.Micros(at))
	return err
}
