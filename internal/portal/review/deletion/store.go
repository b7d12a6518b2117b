package deletion

import (
	"context"
	"strings"

	"vestibule/internal/store"
)

// pageSize is the number of tombstones on a page.
const pageSize = 50

// insert inserts a Tombstone; false if one exists.
func insert(ctx context.Context, q store.Queryer, t Tombstone) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO review_deletions (application_id, at, user_id, reason)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		t.ApplicationID, store.Micros(t.At), t.By, t.Reason))
}

// Find returns the Tombstone of an application, or ErrNotFound.
func Find(ctx context.Context, q store.Queryer, id string) (Tombstone, error) {
	t := Tombstone{ApplicationID: id}
	err := q.QueryRowContext(ctx, `SELECT at, user_id, reason FROM review_deletions
		WHERE application_id = $1`, strings.ToLower(id)).Scan(store.At(&t.At), &t.By, &t.Reason)
	return t, store.MapNotFound(err)
}

// Page returns a page of tombstones, newest first, and the cursor of the next page.
func Page(ctx context.Context, q store.Queryer, cursor string) ([]Tombstone, string, error) {
	var c store.Conditions
	after, _ := store.ParseCursor(cursor)
	c.After("at", "application_id", after)
	query := `SELECT application_id, at, user_id, reason FROM review_deletions ` + c.Where() +
		` ORDER BY at DESC, application_id DESC LIMIT ` + c.Arg(int64(pageSize+1))
	out, err := store.QueryAll(ctx, q, store.Columns(func(t *Tombstone) []any {
		return []any{&t.ApplicationID, store.At(&t.At), &t.By, &t.Reason}
	}), query, c.Args...)
	if err != nil || len(out) <= pageSize {
		return out, "", err
	}
	last := out[pageSize-1]
	return out[:pageSize], store.Cursor{At: last.At, ID: last.ApplicationID}.String(), nil
}
