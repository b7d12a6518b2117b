package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func TestEncryptedValuesOpenOnlyInTheirCell(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		key, err := db.Vault.NewKey(ctx, db.SQL)
		if err != nil {
			t.Fatal(err)
		}
		other, err := db.Vault.NewKey(ctx, db.SQL)
		if err != nil {
			t.Fatal(err)
		}
		at := store.Cell{Table: "applications", Column: "prefill", Row: "1"}
		sealed, err := db.Vault.Seal(ctx, db.SQL, key, at, []byte("Ada"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(sealed, []byte("Ada")) {
			t.Error("the sealed value shows its content")
		}
		plain, err := db.Vault.Open(ctx, db.SQL, key, at, sealed)
		if err != nil || string(plain) != "Ada" {
			t.Fatalf("Open = %q, %v", plain, err)
		}
		flipped := bytes.Clone(sealed)
		flipped[len(flipped)-1] ^= 1
		for name, c := range map[string]struct {
			key    string
			at     store.Cell
			sealed []byte
		}{
			"another row":    {key, store.Cell{Table: "applications", Column: "prefill", Row: "2"}, sealed},
			"another column": {key, store.Cell{Table: "applications", Column: "report", Row: "1"}, sealed},
			"another table":  {key, store.Cell{Table: "reports", Column: "prefill", Row: "1"}, sealed},
			"another key":    {other, at, sealed},
			"a flipped bit":  {key, at, flipped},
			"a cut value":    {key, at, sealed[:20]},
			"no value":       {key, at, []byte{}},
		} {
			if _, err := db.Vault.Open(ctx, db.SQL, c.key, c.at, c.sealed); !errors.Is(err, store.ErrSeal) {
				t.Errorf("%s: Open = %v, want ErrSeal", name, err)
			}
		}
		if err := db.Vault.Shred(ctx, db.SQL, key); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Vault.Open(ctx, db.SQL, key, at, sealed); !errors.Is(err, store.ErrShredded) {
			t.Errorf("after Shred: Open = %v, want ErrShredded", err)
		}
		if err := db.Vault.Shred(ctx, db.SQL, store.SystemKey); err == nil {
			t.Error("the system key can be shredded")
		}
	})
}

func TestTransactionReadsADataKeyOnce(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		at := store.Cell{Table: "applications", Column: "prefill", Row: "1"}
		var key string
		var sealed []byte
		var kept context.Context
		tx := func(f func(ctx context.Context, tx *store.Tx) error) {
			t.Helper()
			if err := db.Tx(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		opens := func(when string, ctx context.Context, q store.Queryer, want error) {
			t.Helper()
			if _, err := db.Vault.Open(ctx, q, key, at, sealed); !errors.Is(err, want) {
				t.Errorf("%s: Open = %v, want %v", when, err, want)
			}
		}
		tx(func(ctx context.Context, tx *store.Tx) (err error) {
			if key, err = db.Vault.NewKey(ctx, tx); err != nil {
				return err
			}
			sealed, err = db.Vault.Seal(ctx, tx, key, at, []byte("Ada"))
			return err
		})
		tx(func(ctx context.Context, tx *store.Tx) error {
			opens("at first", ctx, tx, nil)
			if _, err := tx.ExecContext(ctx, `UPDATE data_keys SET wrapped = $1 WHERE id = $2`, []byte{1}, key); err != nil {
				return err
			}
			kept = ctx
			opens("with the row changed behind its back", ctx, tx, nil)
			return nil
		})
		opens("in no transaction", t.Context(), db.SQL, store.ErrSeal)
		opens("after the transaction, with its context", kept, db.SQL, store.ErrSeal)
		tx(func(ctx context.Context, tx *store.Tx) (err error) {
			if key, err = db.Vault.NewKey(ctx, tx); err != nil {
				return err
			}
			if sealed, err = db.Vault.Seal(ctx, tx, key, at, []byte("Ada")); err != nil {
				return err
			}
			opens("with a key of its own", ctx, tx, nil)
			if err := db.Vault.Shred(ctx, tx, key); err != nil {
				return err
			}
			opens("after Shred", ctx, tx, store.ErrShredded)
			return nil
		})
	})
}

func TestOpenRejectsAnotherMasterKey(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: storetest.MasterKey})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: make([]byte, 32)}); err == nil {
		db.Close()
		t.Fatal("Open with another master key succeeded")
	}
}

func TestDataKeysAreWrappedAnew(t *testing.T) {
	dir := t.TempDir()
	newer := bytes.Repeat([]byte{7}, 32)
	reopen := func(master []byte, former ...[]byte) *store.DB {
		t.Helper()
		db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: master, Former: former})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	at := store.Cell{Table: "applications", Column: "prefill", Row: "1"}
	ids, values := []string{store.SystemKey}, map[string][]byte{}
	fill := func(db *store.DB, n int) {
		t.Helper()
		for range n {
			id, err := db.Vault.NewKey(t.Context(), db.SQL)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		for _, id := range ids {
			if values[id] != nil {
				continue
			}
			sealed, err := db.Vault.Seal(t.Context(), db.SQL, id, at, []byte("Ada "+id))
			if err != nil {
				t.Fatal(err)
			}
			values[id] = sealed
		}
	}
	read := func(db *store.DB) {
		t.Helper()
		for _, id := range ids {
			if plain, err := db.Vault.Open(t.Context(), db.SQL, id, at, values[id]); err != nil || string(plain) != "Ada "+id {
				t.Fatalf("what was sealed under %s reads %q, %v", id, plain, err)
			}
		}
	}
	old := reopen(storetest.MasterKey)
	fill(old, 700) // more than one transaction's
	between := reopen(newer, storetest.MasterKey)
	read(between)
	fill(between, 3) // wrapped under the newer one already
	n, err := between.Vault.Rewrap(t.Context(), between)
	if err != nil || n != 701 {
		t.Fatalf("Rewrap = %d, %v, want 701", n, err)
	}
	if n, err := between.Vault.Rewrap(t.Context(), between); err != nil || n != 0 {
		t.Errorf("a second Rewrap = %d, %v, want none", n, err)
	}
	read(between)
	if id, err := old.Vault.NewKey(t.Context(), old.SQL); !errors.Is(err, store.ErrReplaced) {
		t.Errorf("a process with the former master key alone makes the key %q, %v", id, err)
	}
	if _, err := between.Vault.NewKey(t.Context(), between.SQL); err != nil {
		t.Errorf("a process with both master keys makes no key: %v", err)
	}
	read(reopen(newer))
	if _, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: storetest.MasterKey}); err == nil {
		t.Error("the former master key alone still opens the database")
	}
}

func TestConditionalUpdateHasOneWinner(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		if _, err := db.SQL.ExecContext(ctx, `CREATE TABLE once (id TEXT PRIMARY KEY, used BOOLEAN NOT NULL)`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.SQL.ExecContext(ctx, `INSERT INTO once VALUES ($1, $2)`, "a", false); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wins := make(chan bool, 50)
		for range 50 {
			wg.Go(func() {
				err := db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
					won, err := store.ExecOne(tx.ExecContext(ctx, `UPDATE once SET used = $1 WHERE id = $2 AND used = $3`, true, "a", false))
					if won {
						wins <- true
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := len(wins); n != 1 {
			t.Errorf("%d winners, want 1", n)
		}
	})
}

func TestTxRollsBackOnError(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		boom := errors.New("boom")
		err := db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			if _, err := db.Vault.NewKey(ctx, tx); err != nil {
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			t.Fatalf("Tx = %v, want boom", err)
		}
		var n int
		if err := db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM data_keys WHERE id <> $1`, store.SystemKey).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d keys left, %v; want none", n, err)
		}
	})
}

func TestIsUnique(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		insert := func() error {
			_, err := db.SQL.ExecContext(t.Context(), `INSERT INTO data_keys (id, wrapped, created_at) VALUES ('x', $1, 0)`, []byte{1})
			return err
		}
		if err := insert(); err != nil {
			t.Fatal(err)
		}
		if err := insert(); !store.IsUnique(err) {
			t.Errorf("second insert = %v, want a unique breach", err)
		}
		if store.IsUnique(fmt.Errorf("other")) {
			t.Error("any error is called a unique breach")
		}
	})
}

// TestInsertOnceWithAnyUniqueIndex inserts a row concurrently. PostgreSQL checks for a
// conflict in the index that the statement names and then writes to all, so a
// concurrent row conflicts in the other index.
func TestInsertOnceWithAnyUniqueIndex(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		if _, err := db.SQL.ExecContext(ctx, `CREATE TABLE pairs (id TEXT PRIMARY KEY, a TEXT NOT NULL, UNIQUE (a))`); err != nil {
			t.Fatal(err)
		}
		for round := range 40 {
			var wg sync.WaitGroup
			var added atomic.Int32
			for range 12 {
				wg.Go(func() {
					won := false
					err := db.Tx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
						won, err = store.ExecOne(tx.ExecContext(ctx, `INSERT INTO pairs VALUES ($1, $1) ON CONFLICT (id) DO NOTHING`, fmt.Sprint(round)))
						return err
					})
					if err != nil {
						t.Error(err)
					}
					if won {
						added.Add(1)
					}
				})
			}
			wg.Wait()
			if n := added.Load(); n != 1 {
				t.Fatalf("%d added the row of round %d", n, round)
			}
		}
		runs := 0
		err := db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			runs++
			_, err := tx.ExecContext(ctx, `INSERT INTO pairs VALUES ('0', '0')`)
			return err
		})
		if !store.IsUnique(err) || runs > 3 {
			t.Errorf("a row that is there, added %d times: %v", runs, err)
		}
	})
}

func TestReplicasMayOpenAtOnce(t *testing.T) {
	url := storetest.URL(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			db, err := store.Open(context.Background(), store.Config{URL: url, Party: store.Provider, MasterKey: storetest.MasterKey})
			if err != nil {
				t.Error(err)
				return
			}
			db.Close()
		})
	}
	wg.Wait()
}

// TestSQLiteFilesAreClosedToOthers checks new files, and files that an older version
// created with wider permissions.
func TestSQLiteFilesAreClosedToOthers(t *testing.T) {
	c := store.Config{Dir: t.TempDir(), Party: store.Portal, MasterKey: bytes.Repeat([]byte{1}, 32)}
	files := []string{"portal.db", "portal.db-wal", "portal.db-shm"}
	closed := func(when string) {
		t.Helper()
		for _, name := range files {
			info, err := os.Stat(filepath.Join(c.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != 0o600 {
				t.Errorf("%s, %s has mode %o, want 600", when, name, got)
			}
		}
	}
	first, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	closed("when they are made")
	for _, name := range files {
		if err := os.Chmod(filepath.Join(c.Dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	second, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	closed("when they were open")
}

func TestInstantsSurviveTheirColumn(t *testing.T) {
	at := time.Date(2026, 2, 28, 23, 59, 59, 123_456_000, time.UTC)
	if got := store.Time(store.Micros(at)); !got.Equal(at) {
		t.Errorf("Time(Micros(%v)) = %v", at, got)
	}
}

func TestGetOrCreateSecretCreatesOnce(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		var mu sync.Mutex
		kept := map[string]bool{}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				got, err := db.GetOrCreateSecret(t.Context(), "ring", func() ([]byte, error) { return fmt.Appendf(nil, "ring %d", i), nil })
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				kept[string(got)] = true
				mu.Unlock()
			})
		}
		wg.Wait()
		if len(kept) != 1 {
			t.Errorf("kept %v, want one and the same", kept)
		}
	})
}
