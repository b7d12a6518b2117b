package store

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Erase is Tx for data that must not be recoverable. Under SQLite it overwrites what f
// deletes, and after the commit truncates the write-ahead log that held it, unless
// readers keep the log in use. Other transactions do not overwrite the pages that they
// free, so rows with personal text must be deleted through Erase. PostgreSQL keeps
// deleted rows until its vacuum; data that must be gone at once is encrypted, and its
// key destroyed.
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
	if err == nil {
		db.writers.erased.Store(true)
	}
	if db.writers.erased.Load() {
		err = errors.Join(err, db.writers.truncateLog(ctx))
	}
	return err
}

// truncateTimeout bounds the wait for readers of the write-ahead log, and truncateRetry is
// the interval between tries.
const (
	truncateTimeout = 3 * time.Second
	truncateRetry   = 20 * time.Millisecond
)

// truncateLog truncates the write-ahead log. It waits for readers without the write lock, so
// that it delays no writer. The next Erase, even of nothing, truncates what readers hold for longer.
func (g *writeQueue) truncateLog(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, g.maxWait)
	defer cancel()
	for {
		if err := g.lock(ctx); err != nil {
			return nil
		}
		locked, err := g.checkpoint()
		g.erased.Store(locked || err != nil)
		g.unlock()
		if err != nil || !locked {
			return err
		}
		select {
		case <-time.After(truncateRetry):
		case <-ctx.Done():
			return nil
		}
	}
}

// checkpoint truncates the write-ahead log unless a reader holds it. It sets no busy
// timeout, because the engine would wait for readers while it blocks writers.
func (g *writeQueue) checkpoint() (held bool, err error) {
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
