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
	"vestibule/internal/testutil/storetest"
)

var older = flag.String("older", "", "the binary of an older version, which serves while this one replaces it")

// TestReplicasServeWhileTheSchemaMoves has replicas on PostgreSQL serve while the
// schema becomes that of a newer version, and be replaced one by one. Nothing that was
// asked may fail, and nothing be lost.
//
// By itself this program is the older one, and the newer one's migrations are made up:
// a column to every table, and an index and a table as they come. `make test-upgrade
// FROM=version` has a real older binary serve while this one migrates.
func TestReplicasServeWhileTheSchemaMoves(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := newFleet(t, 2, storetest.URL(t))
	for _, r := range f.replicas {
		r.args = append(r.args, "--drain-grace=300ms")
		r.binary = *older
	}
	f.start()
	l := newLedger(t, f)
	enough := l.load(2)
	pause := func(d time.Duration) { <-time.After(d) }
	pause(time.Second)
	before := f.version()
	if *older == "" {
		f.moveOn()
		f.replace(0, "") // by an older one, too: its supervisor starts it again
	} else {
		f.replace(0, "") // which migrates while the other serves
		pause(2 * time.Second)
		f.replace(1, *older)
		pause(2 * time.Second)
		f.replace(1, "")
	}
	pause(time.Second)
	enough()
	lost, doubled := l.reconcile()
	fmt.Printf("%s: from %v to %v under load: %s; lost %d, doubled %d, failed %d\n", t.Name(),
		before, f.version(), l, len(lost), len(doubled), len(f.failed.all))
	for _, what := range slices.Concat(lost, doubled, f.failed.all) {
		t.Error(what)
	}
	bad := []string{"cached plan", "panic"}
	if *older == "" { // one may take up a job of a kind that it does not know; others do it later
		bad = append(bad, "level=ERROR", "job failed")
	}
	for _, bad := range bad {
		if i := strings.Index(f.logs(), bad); i >= 0 {
			t.Errorf("the logs have %.600s", f.logs()[max(0, i-100):])
		}
	}
	if len(l.submissions) == 0 || len(l.landed) == 0 {
		t.Errorf("too little was under way to tell anything: %s", l)
	}
}

// sql opens the database of both parties, with no schema chosen.
func (f *fleet) sql() *sql.DB {
	f.t.Helper()
	db, err := sql.Open("pgx", f.databaseURL)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { db.Close() })
	return db
}

// version is the newest migration of each party.
func (f *fleet) version() (all []int) {
	f.t.Helper()
	db := f.sql()
	for _, party := range []string{store.Portal, store.Provider} {
		var n int
		if err := db.QueryRow(`SELECT max(version_id) FROM ` + party + `.goose_db_version`).Scan(&n); err != nil {
			f.t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// moveOn makes the schema a newer version's: what a migration may do, to each table.
func (f *fleet) moveOn() {
	f.t.Helper()
	db, ctx := f.sql(), context.Background()
	rows, err := db.QueryContext(ctx, `SELECT table_schema || '.' || table_name,
		table_schema || '_' || table_name FROM information_schema.tables
		WHERE table_schema IN ('portal', 'provider') AND table_type = 'BASE TABLE'
		AND table_name NOT LIKE 'goose%' AND table_name NOT LIKE 'river%'`)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	var statements []string
	for rows.Next() {
		var table, name string
		if err := rows.Scan(&table, &name); err != nil {
			f.t.Fatal(err)
		}
		statements = append(statements, `ALTER TABLE `+table+` ADD COLUMN of_a_later_version TEXT NOT NULL DEFAULT ''`,
			`CREATE INDEX `+name+`_of_a_later_version ON `+table+` (of_a_later_version)`)
	}
	if len(statements) < 60 || rows.Err() != nil {
		f.t.Fatalf("%d statements: %v", len(statements), rows.Err())
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
