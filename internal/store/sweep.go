package store

import (
	"context"
	"database/sql"
)

// Sweep runs each step until it changes fewer rows than it may, a transaction at a
// time: nobody waits long for what a sweep holds, and what is killed goes on later.
// Any number of replicas may sweep at a time.
func (db *DB) Sweep(ctx context.Context, limit int, steps ...func(ctx context.Context, tx *sql.Tx, limit int) (int64, error)) error {
	for _, step := range steps {
		for {
			var n int64
			err := db.Tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
				n, err = step(ctx, tx, limit)
				return err
			})
			if err != nil {
				return err
			}
			if n < int64(limit) {
				break
			}
		}
	}
	return nil
}

// Changed is how many rows a statement changed.
func Changed(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
