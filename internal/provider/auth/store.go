package auth

import (
	"context"
	"time"

	"vestibule/internal/store"
)

type keyRow struct {
	id         string
	purpose    Purpose
	generation int64
	sealed     []byte
	created    time.Time
	signsFrom  time.Time
}

// keyRows returns the keys of a purpose, oldest first.
func keyRows(ctx context.Context, q store.Queryer, p Purpose) ([]keyRow, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (keyRow, error) {
		r := keyRow{purpose: p}
		err := row.Scan(&r.id, &r.generation, &r.sealed, store.At(&r.created), store.At(&r.signsFrom))
		return r, err
	}, `SELECT id, generation, sealed, created_at, signs_from
		FROM signing_keys WHERE purpose = $1 ORDER BY generation`, string(p))
}

// insertKey adds a key. If two replicas add the same generation, only the first insert
// takes effect.
func insertKey(ctx context.Context, q store.Queryer, r keyRow) error {
	return store.Exec(q.ExecContext(ctx, `INSERT INTO signing_keys (id, purpose, generation, sealed, created_at, signs_from)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (purpose, generation) DO NOTHING`,
		r.id, string(r.purpose), r.generation, r.sealed, store.Micros(r.created), store.Micros(r.signsFrom)))
}

func deleteKey(ctx context.Context, q store.Queryer, id string) error {
	return store.Exec(q.ExecContext(ctx, `DELETE FROM signing_keys WHERE id = $1`, id))
}
