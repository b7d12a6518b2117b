package store

import (
	"context"
	"fmt"
)

// GetOrCreateSecret returns the database's secret of that name, and creates it if it is
// missing. When several replicas start for the first time, one creates it and all
// return the same. It is encrypted under the system key.
func (db *DB) GetOrCreateSecret(ctx context.Context, name string, create func() ([]byte, error)) ([]byte, error) {
	at := Cell{"secrets", "sealed", name}
	var plain []byte
	err := db.Tx(ctx, func(ctx context.Context, tx *Tx) error {
		made, err := create()
		if err != nil {
			return err
		}
		sealed, err := db.Vault.Seal(ctx, tx, SystemKey, at, made)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO secrets (name, sealed) VALUES ($1, $2)
			ON CONFLICT (name) DO NOTHING`, name, sealed); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, `SELECT sealed FROM secrets WHERE name = $1`, name).Scan(&sealed); err != nil {
			return err
		}
		plain, err = db.Vault.Open(ctx, tx, SystemKey, at, sealed)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("store: keep %s: %w", name, err)
	}
	return plain, nil
}
