package store_test

import (
	"database/sql"
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

func TestNullTime(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	if got := store.NullTime(sql.NullInt64{Int64: store.Micros(at), Valid: true}); !got.Equal(at) {
		t.Errorf("got %s, want %s", got, at)
	}
	if got := store.NullTime(sql.NullInt64{}); !got.IsZero() {
		t.Errorf("NULL is %s", got)
	}
}
