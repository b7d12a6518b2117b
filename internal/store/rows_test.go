package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func TestQueryAll(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		const query = `SELECT v.column1 FROM (VALUES ('a'), ('b'), ('c')) v WHERE v.column1 <> $1 ORDER BY v.column1`
		if all, err := store.QueryAll(t.Context(), db.SQL, store.ScanOne[string], query, "b"); err != nil ||
			!slices.Equal(all, []string{"a", "c"}) {
			t.Errorf("rows %q, %v", all, err)
		}
		broken := errors.New("broken")
		fail := func(store.Row) (string, error) { return "", broken }
		if all, err := store.QueryAll(t.Context(), db.SQL, fail, query, "b"); !errors.Is(err, broken) || all != nil {
			t.Errorf("a scan that fails: %q, %v", all, err)
		}
		if _, err := store.QueryAll(t.Context(), db.SQL, store.ScanOne[string], `SELECT nothing`); err == nil {
			t.Error("a query that fails has no error")
		}
	})
}

func TestAt(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		for query, want := range map[string]time.Time{`SELECT CAST($1 AS BIGINT)`: at, `SELECT CAST($1 AS BIGINT) * 0`: {},
			`SELECT NULLIF(CAST($1 AS BIGINT), $1)`: {}} {
			if got, err := store.ScanTime(db.SQL.QueryRowContext(t.Context(), query, store.Micros(at))); err != nil || !got.Equal(want) {
				t.Errorf("%s: %s, %v, want %s", query, got, err, want)
			}
		}
		if _, err := store.ScanTime(db.SQL.QueryRowContext(t.Context(), `SELECT 'noon'`)); err == nil {
			t.Error("a text is an instant")
		}
	})
}
