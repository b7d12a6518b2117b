package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

func open(t *testing.T, address, party string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{URL: address, Party: party, MasterKey: storetest.MasterKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestThroughPgBouncer runs both parties on one database with few pooled connections,
// so that a schema or lock that one leaves behind would affect the other.
func TestThroughPgBouncer(t *testing.T) {
	tools.FullOnly(t)
	for name, c := range map[string]struct {
		mode     string
		settings []string
	}{
		"session":                         {"session", nil},
		"session, with the search path":   {"session", []string{"ignore_startup_parameters = search_path"}},
		"transaction":                     {"transaction", []string{"default_pool_size = 3"}},
		"transaction, in turns":           {"transaction", []string{"default_pool_size = 3", "server_round_robin = 1"}},
		"transaction with other settings": {"transaction", []string{"ignore_startup_parameters = search_path,extra_float_digits"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := storetest.URL(t)
			address := storetest.Pool(t, c.mode, true, c.settings...)(direct)
			var group sync.WaitGroup
			all := make([]*store.DB, 6) // three replicas of each party start at once
			for i := range all {
				group.Go(func() { all[i] = open(t, address, []string{store.Portal, store.Provider}[i%2]) })
			}
			group.Wait()
			if t.Failed() {
				return // open has ended its goroutine
			}
			for _, db := range all[:2] {
				if _, err := db.SQL.Exec(`CREATE TABLE kept (n BIGINT PRIMARY KEY, text TEXT, raw BYTEA, flag BOOLEAN, party TEXT)`); err != nil {
					t.Fatal(err)
				}
			}
			for i, db := range all {
				group.Go(func() { use(t, db, []string{store.Portal, store.Provider}[i%2]) })
			}
			group.Wait()
			if n, err := store.PendingMigrations(t.Context(), store.Config{URL: address, Party: store.Provider}); n != 0 || err != nil {
				t.Errorf("%d migrations are missing: %v", n, err)
			}
			plain, err := sql.Open("pgx", direct)
			if err != nil {
				t.Fatal(err)
			}
			defer plain.Close()
			var public, portal, provider int
			if err := plain.QueryRow(`SELECT count(*) FILTER (WHERE table_schema = 'public'), count(*) FILTER (WHERE table_schema = 'portal'),
				count(*) FILTER (WHERE table_schema = 'provider') FROM information_schema.tables`).Scan(&public, &portal, &provider); err != nil {
				t.Fatal(err)
			}
			if public != 0 || portal < 20 || provider < 20 {
				t.Errorf("%d tables in public, %d in portal, %d in provider", public, portal, provider)
			}
		})
	}
}

// use queries the schema in every way that the package offers, and stores values of
// every type.
func use(t *testing.T, db *store.DB, party string) {
	ctx := t.Context()
	for i := range 30 {
		n := int64(i)
		err := db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO kept (n, text, raw, flag, party) VALUES ($1, $2, $3, $4, current_schema())
				ON CONFLICT (n) DO UPDATE SET text = excluded.text`,
				n, "ñ'\\", []byte{0, 255, '\\'}, true)
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", party, err)
			return
		}
		var text, there string
		var raw []byte
		var flag bool
		if err := db.SQL.QueryRowContext(ctx, `SELECT text, raw, flag, party FROM kept WHERE n = $1
			AND party = current_schema()`, n).Scan(&text, &raw, &flag, &there); err != nil {
			t.Errorf("%s: %v", party, err)
			return
		}
		if text != "ñ'\\" || !bytes.Equal(raw, []byte{0, 255, '\\'}) || !flag || there != party {
			t.Errorf("%s: %q %x %t of %s", party, text, raw, flag, there)
		}
		var back int64
		if err := db.SQL.QueryRowContext(ctx, `UPDATE kept SET flag = flag WHERE n = $1 RETURNING n`, n).Scan(&back); err != nil || back != n {
			t.Errorf("%s: %d, %v", party, back, err)
		}
	}
	failed := errors.New("rolled back")
	if err := db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM kept`); err != nil {
			return err
		}
		return failed
	}); !errors.Is(err, failed) {
		t.Errorf("%s: %v", party, err)
	}
	if err := db.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM kept WHERE party = $1`, party).Scan(&n); err != nil || n != 30 {
			t.Errorf("%s: %d rows, %v", party, n, err)
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM kept`)
		return err
	}); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("%s: a reader writes: %v", party, err)
	}
	rows, err := db.SQL.QueryContext(ctx, `SELECT n FROM kept ORDER BY n`)
	if err != nil {
		t.Errorf("%s: %v", party, err)
		return
	}
	rows.Next()
	rows.Close() // before its end
	if _, err := db.SQL.ExecContext(ctx, `SELECT 1 FROM no_such_table`); err == nil {
		t.Errorf("%s: a wrong statement is no error", party)
	}
}

func TestUndeclaredPoolerIsRejected(t *testing.T) {
	for name, settings := range map[string][]string{"the last one": nil,
		"in turns": {"server_round_robin = 1"}, "one": {"default_pool_size = 1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := storetest.Pool(t, "transaction", false, settings...)(storetest.URL(t))
			c := store.Config{URL: address, Party: store.Portal, MasterKey: storetest.MasterKey}
			_, err := store.Open(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), "pool_mode=transaction") {
				t.Errorf("got %v", err)
			}
			if _, err = store.PendingMigrations(t.Context(), c); err == nil || !strings.Contains(err.Error(), "pool_mode=transaction") {
				t.Errorf("pending migrations: %v", err)
			}
		})
	}
	if _, err := store.Open(t.Context(), store.Config{URL: "postgres:///x?pool_mode=statement",
		Party: store.Portal}); err == nil || !strings.Contains(err.Error(), "pool_mode") {
		t.Errorf("another mode: %v", err)
	}
}

func TestOtherEncodingIsRejected(t *testing.T) {
	_, err := store.Open(t.Context(), store.Config{URL: storetest.ASCIIURL(t), Party: store.Portal, MasterKey: storetest.MasterKey})
	if err == nil || !strings.Contains(err.Error(), "encoding SQL_ASCII") {
		t.Errorf("got %v", err)
	}
}

// TestMigrationRequiresTheSchema checks that migrations fail on a connection in another
// schema before they create a table.
func TestMigrationRequiresTheSchema(t *testing.T) {
	address := storetest.URL(t)
	portal := open(t, address, store.Portal)
	err := portal.Migrate(t.Context(), store.Provider,
		fstest.MapFS{"00001_one.sql": {Data: []byte("-- +goose Up\nCREATE TABLE one (id INT);\n")}})
	if err == nil || !strings.Contains(err.Error(), `the schema "portal" and not in "provider"`) {
		t.Errorf("got %v", err)
	}
	var n int
	if err := portal.SQL.QueryRow(`SELECT count(*) FROM information_schema.tables WHERE table_name = 'one'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables were made, %v", n, err)
	}
}
