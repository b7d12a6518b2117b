package store

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"
)

// Migrate applies migrations of a test.
func (db *DB) Migrate(ctx context.Context, schema string, from fs.FS) error {
	return db.migrate(ctx, schema, from, db.Vault)
}

// OpenAsIs opens a database without migrating it. It prepares the vault if there are tables.
func OpenAsIs(ctx context.Context, c Config) (db *DB, err error) {
	db = &DB{Dialect: SQLite}
	db.SetClock(time.Now)
	if c.URL == "" {
		db.SQL, db.writers, err = openSQLite(filepath.Join(c.Dir, c.Party+".db"))
	} else {
		db.Dialect = Postgres
		db.SQL, err = openPostgres(ctx, c.URL, c.Party)
	}
	if err == nil {
		db.Vault, err = newVault(c.MasterKey, nil, time.Now)
	}
	return db, err
}

// EnsureSystemKey creates the system key.
func (db *DB) EnsureSystemKey(ctx context.Context) error {
	return db.Vault.ensureSystemKey(ctx, db, Config{}.saveKey)
}

// LastBefore is the number of a party's last migration before the baseline.
func LastBefore(party string) int64 { return lastBefore[party] }

// RenamedCells returns the encrypted columns whose table had another name, with that name
// in Table, and under it the new name.
func RenamedCells(party string) map[Cell]string {
	out := map[Cell]string{}
	for _, c := range renamedCells(party) {
		out[Cell{Table: c.before, Column: c.column}] = c.table
	}
	return out
}

// Wait sets how long Erase waits for readers of the log.
func (db *DB) Wait(d time.Duration) { db.writers.maxWait = d }
