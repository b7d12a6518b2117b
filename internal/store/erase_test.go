package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestErasedDataIsInNoFile checks that erased data is in no file of the database: not
// at its last place, not at an earlier one from before its page was split or its row
// grew, and not in the log.
func TestErasedDataIsInNoFile(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: storetest.MasterKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	do := func(run func(context.Context, func(context.Context, *store.Tx) error) error, query string, args ...any) {
		t.Helper()
		if err := run(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, query, args...)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	const n = 150
	word := func(i int) string { return fmt.Sprintf("canary-%04d", i) }
	for i := range n {
		id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i*7919%100000)
		do(db.Tx, `INSERT INTO review_index (application_id, data_key, product, mode, external_id,
			external_key, public_token, state, outcome, attempt,
			decision, has_report, named, created_at, updated_at) VALUES ($1, 'k', 'cashflow',
			'embedded', $2, $3, '', 'started', '', 0, '', FALSE, TRUE, $4, $4)`,
			id, word(i)+strings.Repeat("x", i%40), []byte(word(i)), int64(i))
	}
	for i := range n {
		do(db.Tx, `UPDATE review_index SET external_id = external_id || ' and much longer than before',
			state = 'ready' WHERE created_at = $1`, int64(i))
	}
	stays := func(i int) bool { return i >= n*2/3 && i%3 == 0 } // whole pages become free
	for i := range n {
		if stays(i) {
			continue
		}
		do(db.Erase, `DELETE FROM review_index WHERE created_at = $1`, int64(i))
	}
	var all []byte
	for _, name := range []string{"portal.db", "portal.db-wal"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw...)
	}
	for i := range n {
		if found := bytes.Contains(all, []byte(word(i))); found != stays(i) {
			t.Errorf("%s is in the files: %v", word(i), found)
		}
	}
}

// TestWritersDoNotWaitForLogReaders checks that only Erase waits for readers of the
// log, up to a limit.
func TestWritersDoNotWaitForLogReaders(t *testing.T) {
	db := storetest.SQLite(t, store.Portal)
	db.Wait(time.Hour)
	add := func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO data_keys (id, wrapped, created_at) VALUES (hex(randomblob(16)), x'00', 0)`)
		return err
	}
	if err := db.Tx(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	reads, release, read := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		read <- db.Read(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			var n int
			err := tx.QueryRowContext(ctx, `SELECT count(*) FROM data_keys`).Scan(&n)
			close(reads)
			<-release
			return err
		})
	}()
	<-reads
	if err := db.Tx(t.Context(), add); err != nil { // which the reader does not see, and so holds
		t.Fatal(err)
	}
	deleted, erased := make(chan struct{}), make(chan error, 1)
	go func() {
		erased <- db.Erase(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			tx.AfterCommit(func() { close(deleted) })
			return add(ctx, tx)
		})
	}()
	<-deleted
	for range 3 {
		if err := db.Tx(t.Context(), add); err != nil {
			t.Error(err)
		}
		select {
		case <-erased:
			t.Fatal("Erase did not wait for the reader")
		default:
		}
	}
	close(release)
	if err := errors.Join(<-read, <-erased); err != nil {
		t.Error(err)
	}

	db.Wait(0)
	if err := db.Erase(t.Context(), add); err != nil {
		t.Errorf("without time to empty the log: %v", err)
	}
}

// TestNextErasureTruncatesTheLog checks that what a reader kept in the log is gone after the next
// erasure, though that finds nothing to delete.
func TestNextErasureTruncatesTheLog(t *testing.T) {
	db := storetest.SQLite(t, store.Portal)
	key := []byte("canary of a wrapped key")
	exec := func(query string, args ...any) store.Step {
		return func(ctx context.Context, tx *store.Tx, _ int) (int64, error) {
			return store.RowsAffected(tx.ExecContext(ctx, query, args...))
		}
	}
	shred := func(step store.Step) {
		t.Helper()
		if err := db.Shred(t.Context(), 2, step); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Sweep(t.Context(), 2, exec(`INSERT INTO data_keys (id, wrapped, created_at) VALUES ('k', $1, 0)`, key)); err != nil {
		t.Fatal(err)
	}
	db.Wait(0)
	err := db.Read(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		var n int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM data_keys`).Scan(&n)
		shred(exec(`DELETE FROM data_keys WHERE id = 'k'`))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(storetest.OnDisk(t, db), key) {
		t.Fatal("the reader did not keep the key in the log")
	}
	db.Wait(time.Hour)
	shred(exec(`DELETE FROM data_keys WHERE id = 'k'`))
	if bytes.Contains(storetest.OnDisk(t, db), key) {
		t.Error("the deleted key is still in the log")
	}
}

func TestSweepsArePlannedForTheirValues(t *testing.T) {
	db := storetest.Postgres(t, store.Portal)
	var mode string
	err := db.Sweep(t.Context(), 2, func(ctx context.Context, tx *store.Tx, _ int) (int64, error) {
		return 0, tx.QueryRowContext(ctx, `SHOW plan_cache_mode`).Scan(&mode)
	})
	if err != nil || mode != "force_custom_plan" {
		t.Errorf("a sweep has plan_cache_mode %q, %v", mode, err)
	}
}
