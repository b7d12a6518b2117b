package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// grouped returns an SQLite database with a table to write to.
func grouped(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), Party: Portal, MasterKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.writers.longest = time.Hour // however slow this machine is just now
	if _, err := db.SQL.ExecContext(t.Context(), `CREATE TABLE notes (note TEXT PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	return db
}

func note(tx Queryer, text string) error {
	_, err := tx.ExecContext(context.Background(), `INSERT INTO notes VALUES ($1)`, text)
	return err
}

func notes(t *testing.T, q Queryer) []string {
	t.Helper()
	rows, err := q.QueryContext(context.Background(), `SELECT note FROM notes ORDER BY note`)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer rows.Close()
	out := []string{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Error(err)
		}
		out = append(out, text)
	}
	return out
}

// queued returns how many transactions wait for the write lock.
func queued(db *DB) int {
	db.writers.mu.Lock()
	defer db.writers.mu.Unlock()
	return len(db.writers.queued)
}

// behind runs transactions that all wait, in their order, while another one writes, and
// returns their errors.
func behind(t *testing.T, db *DB, fs ...func(ctx context.Context, tx *Tx) error) []error {
	t.Helper()
	errs := make([]error, len(fs))
	var wg sync.WaitGroup
	if err := db.writers.lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, f := range fs {
		wg.Go(func() { errs[i] = db.Tx(t.Context(), f) })
		for queued(db) <= i {
			runtime.Gosched()
		}
	}
	db.writers.unlock()
	wg.Wait()
	return errs
}

func TestConcurrentTransactionsShareACommit(t *testing.T) {
	db := grouped(t)
	refused := errors.New("refused")
	var committed atomic.Bool
	errs := behind(t, db,
		func(ctx context.Context, tx *Tx) error {
			tx.AfterCommit(func() { committed.Store(true) })
			return note(tx, "first")
		},
		func(ctx context.Context, tx *Tx) error {
			tx.AfterCommit(func() { t.Error("AfterCommit ran for a refused transaction") })
			return errors.Join(note(tx, "second"), refused)
		},
		func(_ context.Context, tx *Tx) error {
			if got := notes(t, tx); !slices.Equal(got, []string{"first"}) {
				t.Errorf("the third one finds %v", got)
			}
			if got := notes(t, db.SQL); len(got) != 0 || committed.Load() {
				t.Errorf("before the commit others find %v, and the first AfterCommit ran: %v", got, committed.Load())
			}
			return note(tx, "third")
		})
	if errs[0] != nil || !errors.Is(errs[1], refused) || errs[2] != nil || !committed.Load() {
		t.Errorf("errors %v, AfterCommit ran: %v", errs, committed.Load())
	}
	if got := notes(t, db.SQL); !slices.Equal(got, []string{"first", "third"}) {
		t.Errorf("notes: %v", got)
	}
}

// TestLostBatchRunsAgain makes the engine roll back a whole batch, as it does when the
// disk is full. All members run again.
func TestLostBatchRunsAgain(t *testing.T) {
	db := grouped(t)
	var runs [3]int
	errs := behind(t, db,
		func(_ context.Context, tx *Tx) error {
			runs[0]++
			return note(tx, "first")
		},
		func(_ context.Context, tx *Tx) error {
			runs[1]++
			return note(tx, fmt.Sprint("second, run ", runs[1]))
		},
		func(_ context.Context, tx *Tx) error {
			if runs[2]++; runs[2] == 1 {
				_, err := tx.Exec(`ROLLBACK`)
				return err
			}
			return note(tx, "third")
		})
	if errors.Join(errs...) != nil || runs != [3]int{2, 2, 2} {
		t.Errorf("errors %v, runs %v", errs, runs)
	}
	if got := notes(t, db.SQL); !slices.Equal(got, []string{"first", "second, run 2", "third"}) {
		t.Errorf("notes: %v", got)
	}
}

// TestWritersAtOnce runs concurrent transactions that write two rows each. Some fail
// after the first row, in each possible way. Each leaves both rows, or no row and its
// error.
func TestWritersAtOnce(t *testing.T) {
	db := grouped(t)
	refused := errors.New("refused")
	var wg sync.WaitGroup
	var mu sync.Mutex
	want := []string{}
	for i := range 300 {
		wg.Go(func() {
			a, b, kept := fmt.Sprintf("%03d a", i), fmt.Sprintf("%03d b", i), false
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%7 == 4 {
				cancel() // gone before its turn
			}
			returned := false
			defer func() {
				if p := recover(); (p != nil) != (i%7 == 2) || returned == (i%7 == 2 || i%7 == 3) {
					t.Errorf("%d: panic %v, returned %v", i, p, returned)
				}
			}()
			err := db.Tx(ctx, func(ctx context.Context, tx *Tx) error {
				tx.AfterCommit(func() { kept = true })
				if err := note(tx, a); err != nil {
					return err
				}
				switch i % 7 {
				case 1:
					return refused
				case 2:
					panic("at the disco")
				case 3:
					runtime.Goexit()
				case 5:
					cancel() // gone half way
				}
				return note(tx, b)
			})
			returned = true
			ok := i%7 == 0 || i%7 == 6
			if ok != (err == nil) || ok != kept || i%7 == 1 && !errors.Is(err, refused) || i%7 > 3 && !ok && !errors.Is(err, context.Canceled) {
				t.Errorf("%d: %v, AfterCommit ran: %v", i, err, kept)
			}
			if ok {
				mu.Lock()
				want = append(want, a, b)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(want)
	if got := notes(t, db.SQL); !slices.Equal(got, want) {
		t.Errorf("%d rows stand, want %d: %v", len(got), len(want), got)
	}
	if db.writers.locked || len(db.writers.queued) > 0 {
		t.Errorf("the write lock is still held, %d wait", len(db.writers.queued))
	}
}

// TestDirectWritesWaitForTheWriteLock writes with a statement, with rows read one at a
// time, and with a transaction of the pool, as River does. Each waits for the write
// lock without the engine's sleeps, after the open batch, and releases the lock.
func TestDirectWritesWaitForTheWriteLock(t *testing.T) {
	db := grouped(t)
	const add = `
		-- a comment as tools leave it
		INSERT INTO notes VALUES ($1) RETURNING note`
	begun := func(ctx context.Context) (*sql.Tx, error) { return db.SQL.BeginTx(ctx, nil) }
	for what, write := range map[string]func(ctx context.Context) error{
		"statement": func(ctx context.Context) error {
			_, err := db.SQL.ExecContext(ctx, `INSERT INTO notes VALUES ($1)`, "b")
			return err
		},
		"rows": func(ctx context.Context) error {
			var got string
			return db.SQL.QueryRowContext(ctx, add, "b").Scan(&got)
		},
		"transaction": func(ctx context.Context) error {
			tx, err := begun(ctx)
			if err != nil {
				return err
			}
			if err := note(tx, "b"); err != nil {
				return err
			}
			return tx.Commit()
		},
		"transaction that is given up": func(ctx context.Context) error {
			tx, err := begun(ctx)
			if err != nil {
				return err
			}
			if err := errors.Join(note(tx, "x"), tx.Rollback()); err != nil {
				return err
			}
			return db.Tx(ctx, func(_ context.Context, tx *Tx) error { return note(tx, "b") })
		},
	} {
		t.Run(what, func(t *testing.T) {
			if _, err := db.SQL.Exec(`DELETE FROM notes`); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			gone, cancel := context.WithCancel(t.Context())
			var beside, left error
			errs := behind(t, db,
				func(_ context.Context, tx *Tx) error {
					wg.Go(func() { beside = write(t.Context()) })
					for queued(db) < 2 {
						runtime.Gosched()
					}
					wg.Go(func() { left = write(gone) })
					for queued(db) < 3 {
						runtime.Gosched()
					}
					cancel()
					for queued(db) > 2 {
						runtime.Gosched()
					}
					return note(tx, "a")
				},
				func(_ context.Context, tx *Tx) error {
					if got := notes(t, tx); !slices.Equal(got, []string{"a"}) {
						t.Errorf("the batch's next member finds %v", got)
					}
					return note(tx, "c")
				})
			wg.Wait()
			if err := errors.Join(append(errs, beside)...); err != nil || !errors.Is(left, context.Canceled) {
				t.Errorf("errors %v, and of the canceled write %v", err, left)
			}
			if got := notes(t, db.SQL); !slices.Equal(got, []string{"a", "b", "c"}) {
				t.Errorf("notes: %v", got)
			}
			if db.writers.locked || queued(db) > 0 {
				t.Errorf("the write lock is still held, %d wait", queued(db))
			}
		})
	}
}

func TestWriteDetection(t *testing.T) {
	for query, want := range map[string]bool{
		"SELECT 1": false, "  insert INTO a": true, "-- name: X :many\nUPDATE\n a": true, "-- INSERT": false, "": false,
		"DELETE FROM a": true, "PRAGMA x": false, "WITH a AS (SELECT 1) SELECT * FROM a": false, "REPLACE INTO a": true,
	} {
		if got := writes(query); got != want {
			t.Errorf("%q writes: %v", query, got)
		}
	}
}

// TestTxNowIsReadAfterTheWait moves the clock while a transaction waits for the write
// lock.
func TestTxNowIsReadAfterTheWait(t *testing.T) {
	db := grouped(t)
	var now atomic.Int64
	db.SetClock(func() time.Time { return time.Unix(now.Load(), 0) })
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		ended <- db.Tx(t.Context(), func(context.Context, *Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	var got time.Time
	go func() {
		ended <- db.Tx(t.Context(), func(_ context.Context, tx *Tx) error {
			got = tx.Now
			now.Add(30)
			tx.RefreshNow()
			if tx.Now.Unix() != 90 {
				t.Errorf("after Waited, tx.Now is %d s, want 90", tx.Now.Unix())
			}
			return nil
		})
	}()
	for queued(db) == 0 {
		runtime.Gosched()
	}
	now.Store(60)
	close(release)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got.Unix() != 60 {
		t.Errorf("tx.Now is %d s, want 60", got.Unix())
	}
}
