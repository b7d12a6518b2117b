package store_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// takes matches statements that remove or rename what a running older replica uses.
var takes = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN)|RENAME|ALTER\s+COLUMN|SET\s+NOT\s+NULL)\b|ADD\s+COLUMN[^;]*NOT\s+NULL`)

// TestMigrationsKeepOlderReplicasWorking checks that migrations can run while replicas
// of the previous version serve: they only add, and an added column has a default or
// may be NULL.
func TestMigrationsKeepOlderReplicasWorking(t *testing.T) {
	// These precede the first release, so no older replica exists.
	before := []string{"portal/00090_review_dashboard.sql", "provider/00220_consumer_accounts.sql", "provider/00280_report_data.sql"}
	for _, party := range []string{store.Portal, store.Provider} {
		files, err := fs.Glob(store.Migrations(party), "*.sql")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d migrations, %v", party, len(files), err)
		}
		for _, name := range files {
			raw, err := fs.ReadFile(store.Migrations(party), name)
			if err != nil {
				t.Fatal(err)
			}
			for statement := range strings.SplitSeq(string(raw), ";") {
				bad := takes.FindString(statement)
				if bad == "" || strings.Contains(strings.ToUpper(statement), "ADD COLUMN") && strings.Contains(strings.ToUpper(statement), "DEFAULT") {
					continue
				}
				if !slices.Contains(before, party+"/"+name) {
					t.Errorf("%s/%s: %.60q takes from older replicas what they use", party, name, strings.TrimSpace(bad))
				}
			}
		}
	}
}

// TestMigrationRetriesAfterDeadlock makes a replica's transaction and a migration of
// two tables wait for each other.
func TestMigrationRetriesAfterDeadlock(t *testing.T) {
	db := storetest.Postgres(t, store.Portal)
	ctx := t.Context()
	if _, err := db.SQL.ExecContext(ctx, `CREATE TABLE one (id INT); CREATE TABLE two (id INT)`); err != nil {
		t.Fatal(err)
	}
	tx, err := db.SQL.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	// This transaction checks for deadlocks so late that PostgreSQL aborts the
	// migration.
	if _, err := tx.ExecContext(ctx, `SET LOCAL deadlock_timeout = '1min'; LOCK TABLE two`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- db.Migrate(ctx, store.Portal,
			fstest.MapFS{"99990_later.sql": {Data: []byte("-- +goose Up\nALTER TABLE one ADD COLUMN x INT;\nALTER TABLE two ADD COLUMN x INT;\n")}})
	}()
	for waits := 0; waits == 0; {
		if err := db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM pg_locks WHERE NOT granted
			AND relation = 'two'::regclass`).Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.ExecContext(ctx, `LOCK TABLE one`); err != nil {
		t.Errorf("the replica's transaction: %v", err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := db.SQL.ExecContext(ctx, `SELECT one.x, two.x FROM one, two`); err != nil {
		t.Error(err)
	}
}
