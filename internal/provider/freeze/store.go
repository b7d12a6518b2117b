package freeze

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/store"
)

// Expressions of a mailbox by $1: the mailbox itself, and that of the person whom a report is about, which
// is NULL if it is unknown.
const (
	itself   = `$1`
	ofReport = `(SELECT coalesce((SELECT c.mailbox FROM consumers c WHERE c.key_id = r.key_id LIMIT 1), r.mailbox)
		FROM reports r WHERE r.public_token = $1)`
)

// mailboxOf returns the mailbox of the person whom a report is about; nil if it is unknown.
func mailboxOf(ctx context.Context, q store.Queryer, publicToken string) ([]byte, error) {
	return store.ScanOne[[]byte](q.QueryRowContext(ctx, `SELECT `+ofReport, publicToken))
}

// FrozenAmong returns those of the reports whose persons' files are frozen. The files of the
// others are not frozen before tx ends.
func (s *Service) FrozenAmong(ctx context.Context, tx *store.Tx, publicTokens []string) (frozen []string, err error) {
	in, args := store.InList(1, publicTokens)
	// The files are locked in one order, so that transactions do not wait for each other.
	err = store.QueryEach(ctx, tx, func(row store.Row) error {
		var token string
		var f File
		err := row.Scan(&token, store.At(&f.FrozenAt), store.At(&f.LiftedUntil))
		if f.Frozen(s.Now()) {
			frozen = append(frozen, token)
		}
		return err
	}, `SELECT r.public_token, f.frozen_at, f.lifted_until FROM reports r JOIN consumer_files f
		ON f.mailbox = coalesce((SELECT c.mailbox FROM consumers c WHERE c.key_id = r.key_id LIMIT 1), r.mailbox)
		WHERE r.public_token IN `+in+` ORDER BY f.mailbox`+s.lock(), args...)
	return frozen, err
}

// idle is how long a file is not marked as used again.
const idle = 24 * time.Hour

// use reads a file with a lock, after add unless it was used today.
func use(ctx context.Context, tx *store.Tx, mailbox []byte, lock string) (File, error) {
	f, err := read(ctx, tx, itself, mailbox, tx.Now.Add(-idle), lock)
	if !errors.Is(err, store.ErrNotFound) {
		return f, err
	}
	return add(ctx, tx, mailbox, lock)
}

// add adds the row of a file or marks it as used, and reads it with a lock. Before that it locks no row that stays as it is.
func add(ctx context.Context, tx *store.Tx, mailbox []byte, lock string) (File, error) {
	now := store.Micros(tx.Now)
	added, err := store.ExecOne(tx.ExecContext(ctx, `INSERT INTO consumer_files (mailbox, used_at) VALUES ($1, $2)
		ON CONFLICT (mailbox) DO NOTHING`, mailbox, now))
	if added {
		return File{}, nil // no other transaction sees it yet
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE consumer_files SET used_at = $2 WHERE mailbox = $1 AND used_at < $3`,
			mailbox, now, store.Micros(tx.Now.Add(-idle)))
	}
	if err != nil {
		return File{}, err
	}
	return read(ctx, tx, itself, mailbox, time.Time{}, lock)
}

// read reads the file of a mailbox, as an expression and its $1, that was used since a time. It returns
// store.ErrNotFound without such a file.
func read(ctx context.Context, q store.Queryer, mailbox string, by any, since time.Time, lock string) (f File, err error) {
	err = q.QueryRowContext(ctx, `SELECT frozen_at, lifted_until, alert_until FROM consumer_files f
		WHERE mailbox = `+mailbox+` AND used_at >= $2`+lock, by, store.MicrosOrZero(since)).Scan(store.At(&f.FrozenAt),
		store.At(&f.LiftedUntil), store.At(&f.AlertUntil))
	return f, store.MapNotFound(err)
}

// readAny reads a file; one without a row is neither frozen nor alerted.
func readAny(ctx context.Context, q store.Queryer, mailbox string, by any, lock string) (File, error) {
	f, err := read(ctx, q, mailbox, by, time.Time{}, lock)
	return f, store.OrNone(err)
}

func update(ctx context.Context, tx *store.Tx, mailbox []byte, f File) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE consumer_files SET frozen_at = $2, lifted_until = $3, alert_until = $4, used_at = $5
		WHERE mailbox = $1`, mailbox, store.MicrosOrZero(f.FrozenAt), store.MicrosOrZero(f.LiftedUntil), store.MicrosOrZero(f.AlertUntil),
		store.Micros(tx.Now)))
}

// insertEntry adds an entry, unless one with the id exists.
func insertEntry(ctx context.Context, tx *store.Tx, id string, mailbox []byte, e Entry) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO consumer_file_log (id, mailbox, at, action, customer_id, until)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
		id, mailbox, store.Micros(e.At), string(e.Action), e.CustomerID, store.MicrosOrZero(e.Until)))
}

// Log returns the newest entries of a file's log, of one company unless customerID is "".
func (s *Service) Log(ctx context.Context, q store.Queryer, mailbox []byte, customerID string, limit int) ([]Entry, error) {
	return store.QueryAll(ctx, q, store.Columns(func(e *Entry) []any {
		return []any{store.At(&e.At), &e.Action, &e.CustomerID, store.At(&e.Until)}
	}), `SELECT at, action, customer_id, until FROM consumer_file_log WHERE mailbox = $1 AND ($2 = '' OR customer_id = $2)
		ORDER BY at DESC, id DESC LIMIT $3`, mailbox, customerID, int64(limit))
}

func deleteOldEntries(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM consumer_file_log WHERE id IN (
		SELECT id FROM consumer_file_log WHERE at < $1 ORDER BY at LIMIT $2)`, store.Micros(tx.Now.Add(-logAge)), int64(limit)))
}

func deleteIdleFiles(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM consumer_files WHERE mailbox IN (
		SELECT f.mailbox FROM consumer_files f WHERE f.frozen_at = 0 AND f.used_at < $1 AND f.alert_until < $2
			AND NOT EXISTS (SELECT 1 FROM consumers c WHERE c.mailbox = f.mailbox)
		ORDER BY f.used_at LIMIT $3)`, store.Micros(tx.Now.Add(-idleAge)), store.Micros(tx.Now), int64(limit)))
}
