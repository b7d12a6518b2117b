package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Erase is Tx for what must not be found again. Under SQLite what f deletes is
// overwritten in the file, and the log that held it is emptied after the commit, as
// far as nobody is reading it just then. Pages that other transactions free are left
// as they were, so that rows with words of people are deleted here only. PostgreSQL keeps what was deleted until its
// own vacuum comes by; what must be gone at once is sealed, and its key destroyed.
func (db *DB) Erase(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
	if db.Dialect != SQLite {
		return db.Tx(ctx, f)
	}
	err := db.Tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if _, err := tx.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
			return err
		}
		defer func() {
			_, back := tx.ExecContext(context.WithoutCancel(ctx), `PRAGMA secure_delete = FAST`)
			err = errors.Join(err, back)
		}()
		return f(ctx, tx)
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, emptyingTime)
	defer cancel()
	if _, err = db.SQL.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); ctx.Err() != nil {
		return nil // it is deleted, and the log is emptied with the next one
	}
	return err
}

// emptyingTime is how long the log's readers are waited for.
const emptyingTime = 3 * time.Second
