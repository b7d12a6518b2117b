package store

import (
	"context"
	"database/sql"
	"errors"
)

// Step changes at most limit rows, and returns how many.
type Step = func(ctx context.Context, tx *Tx, limit int) (int64, error)

// Sweep runs each step until it changes fewer rows than it may, a transaction at a
// time: nobody waits long for what a sweep holds, and what is killed goes on later.
// Any number of replicas may sweep at a time.
func (db *DB) Sweep(ctx context.Context, limit int, steps ...Step) error {
	return sweep(ctx, db.Tx, limit, steps)
}

// Shred is Sweep for data keys and what must go as they do: see Erase.
func (db *DB) Shred(ctx context.Context, limit int, steps ...Step) error {
	return sweep(ctx, db.Erase, limit, steps)
}

// errNothing ends the transaction of a step that had nothing to do.
var errNothing = errors.New("store: nothing is to be swept")

func sweep(ctx context.Context, run func(context.Context, func(context.Context, *Tx) error) error, limit int, steps []Step) error {
	for _, step := range steps {
		for n := int64(limit); n >= int64(limit); {
			err := run(ctx, func(ctx context.Context, tx *Tx) (err error) {
				if n, err = step(ctx, tx, limit); err == nil && n == 0 {
					err = errNothing
				}
				return err
			})
			if err != nil && !errors.Is(err, errNothing) {
				return err
			}
		}
	}
	return nil
}

// RowsAffected is how many rows a statement changed.
func RowsAffected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
