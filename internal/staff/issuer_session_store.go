package staff

import (
	"context"

	"vestibule/internal/store"
)

func refreshCell(id string) store.Cell {
	return store.Cell{Table: "issuer_sessions", Column: "refresh_sealed", Row: id}
}

// issuerSession returns the row of a session, or store.ErrNotFound if the user signed in with a
// password.
func (s *Service) issuerSession(ctx context.Context, q store.Queryer, id string) (issuerSession, error) {
	from := issuerSession{id: id}
	if s.OIDC == nil {
		return from, store.ErrNotFound
	}
	var sealed []byte
	err := q.QueryRowContext(ctx, `SELECT refresh_sealed, checked_at FROM issuer_sessions WHERE session_id = $1`, id).
		Scan(&sealed, store.At(&from.checked))
	if err != nil {
		return from, store.MapNotFound(err)
	}
	plain, err := s.DB.Vault.Open(ctx, q, store.SystemKey, refreshCell(id), sealed)
	from.refresh = string(plain)
	return from, err
}

// setIssuerSession stores that a session is of a sign-in at the issuer, or, for other methods, that
// it is not.
func (s *Service) setIssuerSession(ctx context.Context, tx *store.Tx, id, method, refreshToken string) error {
	if s.OIDC == nil {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM issuer_sessions WHERE session_id = $1`, id); err != nil || method != byOIDC {
		return err
	}
	now := store.Micros(s.Clock())
	_, err := tx.ExecContext(ctx, `INSERT INTO issuer_sessions (session_id, checked_at, tried_at) VALUES ($1, $2, $2)`, id, now)
	if err != nil {
		return err
	}
	return s.setChecked(ctx, tx, id, refreshToken)
}

// claimCheck reports whether this request is the one that checks the session.
func (s *Service) claimCheck(ctx context.Context, id string) (first bool, err error) {
	now := s.Clock()
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		first, err = store.ExecOne(tx.ExecContext(ctx, `UPDATE issuer_sessions SET tried_at = $2 WHERE session_id = $1 AND tried_at <= $3`,
			id, store.Micros(now), store.Micros(now.Add(-recheckPause))))
		return err
	})
	return first, err
}

// setChecked stores a successful check with the refresh token for the next one.
func (s *Service) setChecked(ctx context.Context, tx *store.Tx, id, refreshToken string) error {
	var sealed []byte
	if refreshToken != "" {
		var err error
		if sealed, err = s.DB.Vault.Seal(ctx, tx, store.SystemKey, refreshCell(id), []byte(refreshToken)); err != nil {
			return err
		}
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE issuer_sessions SET checked_at = $2, refresh_sealed = $3 WHERE session_id = $1`,
		id, store.Micros(s.Clock()), sealed))
}
