package store

import (
	"context"
	"io/fs"
	"time"
)

// Migrate applies migrations of a test.
func (db *DB) Migrate(ctx context.Context, schema string, from fs.FS) error {
	return db.migrate(ctx, schema, from)
}

// Wait sets how long Erase waits for readers of the log.
func (db *DB) Wait(d time.Duration) { db.writers.maxWait = d }
