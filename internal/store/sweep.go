package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Step changes at most limit rows, and returns how many it changed.
type Step = func(ctx context.Context, tx *Tx, limit int) (int64, error)

// Older returns the step that deletes what is older than an age.
func Older(age time.Duration, deleteBefore func(ctx context.Context, tx *Tx, before time.Time, limit int) (int64, error)) Step {
	return func(ctx context.Context, tx *Tx, limit int) (int64, error) {
		return deleteBefore(ctx, tx, tx.Now.Add(-age), limit)
	}
}

// SweepAll calls Sweep of each part. An error of one, which names the part, does not stop the others.
func SweepAll(ctx context.Context, parts ...interface{ Sweep(context.Context) error }) (all error) {
	for _, p := range parts {
		if err := p.Sweep(ctx); err != nil {
			all = errors.Join(all, fmt.Errorf("%T: sweep: %w", p, err))
		}
	}
	return all
}

// Sweep runs each step until it changes fewer than limit rows, in one short transaction
// each time. A killed sweep can simply run again. Any number of replicas may sweep at
// once.
func (db *DB) Sweep(ctx context.Context, limit int, steps ...Step) error {
	return sweep(ctx, db.Tx, limit, steps)
}

// Shred is Sweep for data keys and for data that must be deleted by Erase.
func (db *DB) Shred(ctx context.Context, limit int, steps ...Step) error {
	return sweep(ctx, db.Erase, limit, steps)
}

// errNoRowsLeft ends the transaction of a step that had nothing to do.
var errNoRowsLeft = errors.New("store: nothing is to be swept")

func sweep(ctx context.Context, run func(context.Context, func(context.Context, *Tx) error) error, limit int, steps []Step) error {
	for _, step := range steps {
		for n := int64(limit); n >= int64(limit); {
			err := run(ctx, func(ctx context.Context, tx *Tx) (err error) {
				if tx.db.Dialect == Postgres { // for the step's values: few of the rows are due
					if err := Exec(tx.ExecContext(ctx, "SET LOCAL plan_cache_mode TO force_custom_plan")); err != nil {
						return err
					}
				}
				if n, err = step(ctx, tx, limit); err == nil && n == 0 {
					err = errNoRowsLeft
				}
				return err
			})
			if err != nil && !errors.Is(err, errNoRowsLeft) {
				return err
			}
		}
	}
	return nil
}

// RowsAffected returns how many rows a statement changed.
func RowsAffected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
