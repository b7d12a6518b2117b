package staff

import (
	"context"
	"errors"

	"vestibule/internal/store"
)

func factorCell(user string) store.Cell {
	return store.Cell{Table: "second_factors", Column: "secret_sealed", Row: user}
}

// insertFactor stores a user's second factor, with the period of its first code. It reports false
// if the user has one.
func (s *Service) insertFactor(ctx context.Context, tx *store.Tx, user string, secret []byte, period int64) (bool, error) {
	sealed, err := s.DB.Vault.Seal(ctx, tx, store.SystemKey, factorCell(user), secret)
	if err != nil {
		return false, err
	}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO second_factors (user_id, secret_sealed, last_period, created_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, user, sealed, period, store.Micros(tx.Now)))
}

// factorSecret returns the secret of a user's second factor, or store.ErrNotFound.
func (s *Service) factorSecret(ctx context.Context, tx *store.Tx, user string) ([]byte, error) {
	var sealed []byte
	if err := tx.QueryRowContext(ctx, `SELECT secret_sealed FROM second_factors WHERE user_id = $1`, user).Scan(&sealed); err != nil {
		return nil, store.MapNotFound(err)
	}
	return s.DB.Vault.Open(ctx, tx, store.SystemKey, factorCell(user), sealed)
}

// usePeriod uses up the code of a period, and those of earlier periods. Of concurrent calls, one
// succeeds.
func (s *Service) usePeriod(ctx context.Context, tx *store.Tx, user string, period int64) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE second_factors SET last_period = $2 WHERE user_id = $1 AND last_period < $2`,
		user, period))
}

func (s *Service) useRecovery(ctx context.Context, tx *store.Tx, user, code string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2`,
		user, s.tries.keyed("recovery", user, code)))
}

func (s *Service) replaceRecovery(ctx context.Context, tx *store.Tx, user string, codes []string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = $1`, user)
	for _, code := range codes {
		_, added := tx.ExecContext(ctx, `INSERT INTO recovery_codes (hash, user_id) VALUES ($1, $2)`,
			s.tries.keyed("recovery", user, code), user)
		err = errors.Join(err, added)
	}
	return err
}

// countRecovery counts a user's unused recovery codes.
func (s *Service) countRecovery(ctx context.Context, q store.Queryer, user string) (int, error) {
	return store.ScanOne[int](q.QueryRowContext(ctx, `SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1`, user))
}

// deleteFactor deletes a user's second factor with its recovery codes.
func (s *Service) deleteFactor(ctx context.Context, tx *store.Tx, user string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = $1`, user)
	_, err2 := tx.ExecContext(ctx, `DELETE FROM second_factors WHERE user_id = $1`, user)
	return errors.Join(err, err2)
}
