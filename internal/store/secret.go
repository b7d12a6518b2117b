package store

import (
	"context"
	"errors"
	"fmt"
)

// ReadSecret returns the secret of that name from the party's database, which it opens read-only. It
// returns ErrOtherKey for a database that another master key encrypted.
func ReadSecret(ctx context.Context, c Config, name string) (plain []byte, err error) {
	db, err := openToRead(ctx, c)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	vault, err := newVault(c.MasterKey, c.Former, c.Now)
	if err != nil {
		return nil, err
	}
	if vault.system, err = vault.key(ctx, db, SystemKey); errors.Is(err, ErrSeal) {
		return nil, ErrOtherKey
	} else if err != nil {
		return nil, err
	}
	if err := db.QueryRowContext(ctx, `SELECT sealed FROM secrets WHERE name = $1`, name).Scan(&plain); err != nil {
		return nil, err
	}
	return vault.Open(ctx, db, SystemKey, Cell{"secrets", "sealed", name}, plain)
}

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
