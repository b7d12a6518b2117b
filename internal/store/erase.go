package store

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Erase is Tx for what must not be found again. Under SQLite what f deletes is
// overwritten in the file, and the log that held it is emptied after the commit, as
// far as nobody is reading it just then. Pages that other transactions free are left
// as they were, so that rows with words of people are deleted here only. PostgreSQL keeps what was deleted until its
// own vacuum comes by; what must be gone at once is sealed, and its key destroyed.
func (db *DB) Erase(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	if db.Dialect != SQLite {
		return db.Tx(ctx, f)
	}
	err := db.Tx(ctx, func(ctx context.Context, tx *Tx) (err error) {
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
	return db.writers.empty(ctx)
}

// emptyingTime is how long the log's readers are waited for, and emptyingWait how long
// until they are looked for again.
const (
	emptyingTime = 3 * time.Second
	emptyingWait = 20 * time.Millisecond
)

// empty empties the log. Whoever reads it is waited for, but without the baton: nobody
// who writes waits for them. What they have held for longer is emptied with the next.
func (g *group) empty(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	for {
		if err := g.lock(ctx); err != nil {
			return nil
		}
		held, err := g.checkpoint()
		g.unlock()
		if err != nil || !held {
			return err
		}
		select {
		case <-time.After(emptyingWait):
		case <-ctx.Done():
			return nil
		}
	}
}

// checkpoint empties the log, unless somebody holds it. The engine itself would wait
// for them, with the lock of who writes.
func (g *group) checkpoint() (held bool, err error) {
	ctx := context.Background()
	conn, err := g.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 0`); err != nil {
		return false, err
	}
	defer func() {
		_, back := conn.ExecContext(ctx, `PRAGMA busy_timeout = `+strconv.Itoa(int(busyTimeout.Milliseconds())))
		err = errors.Join(err, back)
	}()
	var pages, moved int
	err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&held, &pages, &moved)
	return held, err
}
