package staff

import (
	"context"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/store"
)

// resetRequest is a request for a link to set a new password.
type resetRequest struct {
	id, email string
	lang      i18n.Lang
	expires   time.Time
}

func requestCell(id string) store.Cell {
	return store.Cell{Table: "password_requests", Column: "email_sealed", Row: id}
}

func (s *Service) insertRequest(ctx context.Context, tx *store.Tx, r resetRequest) error {
	sealed, err := s.DB.Vault.Seal(ctx, tx, store.SystemKey, requestCell(r.id), []byte(r.email))
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO password_requests (id, email_sealed, lang, expires_at) VALUES ($1, $2, $3, $4)`,
		r.id, sealed, string(r.lang), store.Micros(r.expires)))
}

// request returns a request that has not expired, or store.ErrNotFound.
func (s *Service) request(ctx context.Context, tx *store.Tx, id string) (resetRequest, error) {
	r := resetRequest{id: id}
	var sealed []byte
	err := tx.QueryRowContext(ctx, `SELECT email_sealed, lang FROM password_requests WHERE id = $1 AND expires_at > $2`,
		id, store.Micros(s.Clock())).Scan(&sealed, &r.lang)
	if err != nil {
		return r, store.MapNotFound(err)
	}
	email, err := s.DB.Vault.Open(ctx, tx, store.SystemKey, requestCell(id), sealed)
	r.email = string(email)
	return r, err
}

func (s *Service) deleteRequest(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM password_requests WHERE id = $1`, id))
}
