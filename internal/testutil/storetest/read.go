package storetest

import (
	"testing"

	"vestibule/internal/store"
)

// RowsRead calls f, and returns how many rows of a table it reads by a PostgreSQL database.
func RowsRead(t testing.TB, db *store.DB, table string, f func() error) int {
	t.Helper()
	db.SQL.SetMaxOpenConns(1) // which counts what it reads
	count := func() (rows int) {
		t.Helper()
		_, err := db.SQL.Exec(`SELECT pg_stat_force_next_flush()`)
		if err == nil {
			err = db.SQL.QueryRow(`SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
				WHERE schemaname = current_schema() AND relname = $1`, table).Scan(&rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	before := count()
	if err := f(); err != nil {
		t.Fatal(err)
	}
	return count() - before
}
