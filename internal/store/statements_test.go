package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestCachedStatementsAnswerAsFreshOnes reuses statements within their own rows, after
// errors, after a change of the schema, and beyond the size of the cache.
func TestCachedStatementsAnswerAsFreshOnes(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		conn, err := db.SQL.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		exec := func(query string, args ...any) error {
			_, err := conn.ExecContext(ctx, query, args...)
			return err
		}
		if err := exec(`CREATE TABLE kept (id BIGINT PRIMARY KEY, note TEXT)`); err != nil {
			t.Fatal(err)
		}
		const add, find = `INSERT INTO kept (id, note) VALUES ($1, $2)`, `SELECT note FROM kept WHERE id >= $1 ORDER BY id`
		for i := range 3 {
			if err := exec(add, i, fmt.Sprint("n", i)); err != nil {
				t.Fatal(err)
			}
			if err := exec(add, i, "again"); !store.IsUnique(err) {
				t.Errorf("the same key twice: %v", err)
			}
		}
		var got string
		if err := conn.QueryRowContext(ctx, find, 2).Scan(&got); err != nil || got != "n2" {
			t.Errorf("one row = %q, %v", got, err)
		}
		if err := conn.QueryRowContext(ctx, find, 1).Scan(&got); err != nil || got != "n1" {
			t.Errorf("another row of the same statement, whose rows were not read to the end = %q, %v", got, err)
		}
		if err := exec(`ALTER TABLE kept ADD COLUMN more TEXT`); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRowContext(ctx, find, 1).Scan(&got); err != nil || got != "n1" {
			t.Errorf("after the schema changed = %q, %v", got, err)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := conn.QueryRowContext(gone, find, 1).Scan(&got); err == nil {
			t.Error("a query with a canceled context was answered")
		}
		for i := range 500 {
			if err := conn.QueryRowContext(ctx, fmt.Sprintf(`SELECT note || '-%d' FROM kept WHERE id = $1`, i),
				1).Scan(&got); err != nil || got != fmt.Sprint("n1-", i) {
				t.Fatalf("statement %d = %q, %v", i, got, err)
			}
		}
		if err := conn.QueryRowContext(ctx, find, 2).Scan(&got); err != nil || got != "n2" {
			t.Errorf("after 500 others = %q, %v", got, err)
		}
	})
}

// TestStatementRunsWithinItsOwnRows runs a query again while its rows are open, which
// PostgreSQL's protocol does not allow.
func TestStatementRunsWithinItsOwnRows(t *testing.T) {
	db := storetest.SQLite(t, store.Portal)
	tx, err := db.SQL.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	const count = `WITH RECURSIVE n (i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n`
	outer, err := tx.Query(count, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	var got []string
	for outer.Next() {
		var i int
		if err := outer.Scan(&i); err != nil {
			t.Fatal(err)
		}
		inner, err := tx.Query(count, i)
		if err != nil {
			t.Fatal(err)
		}
		for inner.Next() {
			var j int
			if err := inner.Scan(&j); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(i, j))
		}
		inner.Close()
	}
	if want := "[1 1 1 2 1 3 2 2 2 3 3 3]"; fmt.Sprint(got) != want {
		t.Errorf("rows within rows = %v, want %s", got, want)
	}
}

func TestStatementsBelongToOneConnection(t *testing.T) {
	db := storetest.SQLite(t, store.Portal)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for range 50 {
				var got int
				if err := db.SQL.QueryRowContext(t.Context(), `SELECT $1 + 1`, i).Scan(&got); err != nil || got != i+1 {
					t.Errorf("%d + 1 = %d, %v", i, got, err)
				}
			}
		})
	}
	wg.Wait()
}
