package session

import (
	"context"
	"time"

	"vestibule/internal/store"
)

func find(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (Session, error) {
	var s Session
	err := q.QueryRowContext(ctx, `
		SELECT id, principal, created_at, signed_in_at FROM sessions
		WHERE secret_hash = $1 AND expires_at > $2`, hash, store.Micros(now)).
		Scan(&s.ID, &s.Principal, store.At(&s.CreatedAt), store.At(&s.SignedInAt))
	if err != nil {
		return Session{}, store.MapNotFound(err)
	}
	s.hash = string(hash)
	return s, nil
}

func insert(ctx context.Context, tx *store.Tx, s Session, until time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `
		INSERT INTO sessions (id, secret_hash, principal, created_at, signed_in_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		s.ID, []byte(s.hash), s.Principal, store.Micros(s.CreatedAt), signedIn(s), store.Micros(until)))
}

// replace updates the row's secret if it still holds old.
func replace(ctx context.Context, tx *store.Tx, s Session, old []byte, until time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE sessions SET secret_hash = $1, principal = $2, signed_in_at = $3, expires_at = $4
		WHERE id = $5 AND secret_hash = $6`,
		[]byte(s.hash), s.Principal, signedIn(s), store.Micros(until), s.ID, old))
}

func signedIn(s Session) int64 {
	if s.SignedInAt.IsZero() {
		return 0
	}
	return store.Micros(s.SignedInAt)
}

func drop(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM sessions WHERE id = $1`, id))
}

func dropOthers(ctx context.Context, tx *store.Tx, principal, id string) error {
	if principal == "" {
		return nil // no principal: nothing to delete
	}
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM sessions WHERE principal = $1 AND id <> $2`, principal, id))
}

func sweep(ctx context.Context, tx *store.Tx, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE expires_at <= $1`, store.Micros(now)); err != nil {
		return err
	}
	// Keep a key as long as a session may be signed with it: until a newer one is
	// older than the longest session lifetime.
	return store.Exec(tx.ExecContext(ctx, `
		DELETE FROM session_keys WHERE created_at < (
			SELECT MAX(created_at) FROM session_keys WHERE created_at <= $1)`,
		store.Micros(now.Add(-Life))))
}

func addKey(ctx context.Context, tx *store.Tx, vault *store.Vault, id string, key []byte, now time.Time) error {
	sealed, err := vault.Seal(ctx, tx, store.SystemKey, keyCell(id), key)
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `
		INSERT INTO session_keys (id, sealed, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,
		id, sealed, store.Micros(now)))
}

// loadKeys returns the signing keys, newest first.
func loadKeys(ctx context.Context, db *store.DB) ([][]byte, error) {
	return store.QueryAll(ctx, db.SQL, func(row store.Row) ([]byte, error) {
		var id string
		var sealed []byte
		if err := row.Scan(&id, &sealed); err != nil {
			return nil, err
		}
		return db.Vault.Open(ctx, db.SQL, store.SystemKey, keyCell(id), sealed) // the system key needs no query
	}, `SELECT id, sealed FROM session_keys ORDER BY created_at DESC, id`)
}

func keyCell(id string) store.Cell {
	return store.Cell{Table: "session_keys", Column: "sealed", Row: id}
}
