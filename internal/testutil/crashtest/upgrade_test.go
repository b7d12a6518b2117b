//go:build linux

package crashtest

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

var older = flag.String("older", "", "the binary of an older version, which serves while this one replaces it")

// TestReplicasServeDuringMigration replaces replicas on PostgreSQL one by one while the
// schema changes to that of a newer version. No request may fail, and nothing may be lost.
//
// By default this program is the older version, and the test invents the newer one's
// migrations: a column and an index on every table, and a new table. With `make
// test-upgrade FROM=version`, an older binary serves while this one migrates.
func TestReplicasServeDuringMigration(t *testing.T) {
	if *older == "" {
		tools.FullOnly(t)
	}
	f := newFleet(t, 2, storetest.URL(t))
	for _, r := range f.replicas {
		r.args = append(r.args, "--drain-grace=300ms")
		r.binary = *older
	}
	f.start()
	l := newLedger(t, f)
	stopLoad := l.load(2)
	pause := func(d time.Duration) { <-time.After(d) }
	pause(time.Second)
	before := f.version()
	if *older == "" {
		f.migrate()
		f.replace(0, "") // an older replica may also be restarted
	} else {
		f.replace(0, "") // the new replica migrates while the other serves
		pause(2 * time.Second)
		f.replace(1, *older)
		pause(2 * time.Second)
		f.replace(1, "")
	}
	pause(time.Second)
	stopLoad()
	lost, doubled := l.reconcile()
	fmt.Printf("%s: from %v to %v under load: %s; lost %d, doubled %d, failed %d\n", t.Name(),
		before, f.version(), l, len(lost), len(doubled), len(f.failed.all))
	for _, what := range slices.Concat(lost, doubled, f.failed.all) {
		t.Error(what)
	}
	bad := []string{"cached plan", "panic"}
	if *older == "" { // an older replica may log that it does not know a kind of job
		bad = append(bad, "level=ERROR", "job failed")
	}
	for _, bad := range bad {
		if i := strings.Index(f.logs(), bad); i >= 0 {
			t.Errorf("the logs have %.600s", f.logs()[max(0, i-100):])
		}
	}
	if len(l.submissions) == 0 || len(l.returned) == 0 {
		t.Errorf("too little load for a result: %s", l)
	}
}

// sql opens the database of both parties without a schema.
func (f *fleet) sql() *sql.DB {
	f.t.Helper()
	db, err := sql.Open("pgx", f.databaseURL)
	testutil.Must(f.t, err)
	f.t.Cleanup(func() { db.Close() })
	return db
}

// version returns the newest migration of each party.
func (f *fleet) version() (all []int) {
	f.t.Helper()
	db := f.sql()
	for _, party := range []string{store.Portal, store.Provider} {
		var n int
		testutil.Must(f.t, db.QueryRow(`SELECT max(version_id) FROM `+party+`.goose_db_version`).Scan(&n))
		all = append(all, n)
	}
	return all
}

// migrate applies the invented migrations of a newer version.
func (f *fleet) migrate() {
	f.t.Helper()
	db, ctx := f.sql(), context.Background()
	tables, err := store.QueryAll(ctx, db, store.ScanOne[string], `SELECT table_schema || '.' || table_name
		FROM information_schema.tables
		WHERE table_schema IN ('portal', 'provider') AND table_type = 'BASE TABLE'
		AND table_name NOT LIKE 'goose%' AND table_name NOT LIKE 'river%'`)
	if err != nil || len(tables) < 30 {
		f.t.Fatalf("%d tables: %v", len(tables), err)
	}
	var statements []string
	for _, table := range tables {
		statements = append(statements, `ALTER TABLE `+table+` ADD COLUMN of_a_later_version TEXT NOT NULL DEFAULT ''`,
			`CREATE INDEX `+strings.Replace(table, ".", "_", 1)+`_of_a_later_version ON `+table+` (of_a_later_version)`)
	}
	for _, party := range []string{store.Portal, store.Provider} {
		statements = append(statements, `CREATE TABLE `+party+`.of_a_later_version (id TEXT PRIMARY KEY)`,
			`INSERT INTO `+party+`.goose_db_version (version_id, is_applied) VALUES (99990, true)`)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			f.t.Errorf("%s: %v", s, err)
		}
	}
}
