package store

import (
	"context"
	"io/fs"
)

// Migrate applies migrations that are not the product's.
func (db *DB) Migrate(ctx context.Context, from fs.FS) error { return db.migrate(ctx, from) }
