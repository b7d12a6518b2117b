package store_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// takes matches statements that remove or rename what a running older replica uses.
var takes = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN)|RENAME|ALTER\s+COLUMN|SET\s+NOT\s+NULL)\b|ADD\s+COLUMN[^;]*NOT\s+NULL`)

// TestMigrationsKeepOlderReplicasWorking checks that migrations can run while replicas
// of the previous version serve: they only add, and an added column has a default or
// may be NULL.
func TestMigrationsKeepOlderReplicasWorking(t *testing.T) {
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
				t.Errorf("%s/%s: %.60q takes from older replicas what they use", party, name, strings.TrimSpace(bad))
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

// eachOutdated runs f on a database of the last version before the baseline, of each party and
// on each engine. Each table has one row. Its texts, and so its ids, are the id of a data key.
func eachOutdated(t *testing.T, f func(t *testing.T, c store.Config, id string)) {
	for _, party := range []string{store.Portal, store.Provider} {
		for _, engine := range []store.Dialect{store.SQLite, store.Postgres} {
			t.Run(party+"/"+string(engine), func(t *testing.T) {
				t.Parallel()
				c := store.Config{Party: party, MasterKey: storetest.MasterKey, Dir: t.TempDir()}
				if engine == store.Postgres {
					c.URL = storetest.URL(t)
				}
				f(t, c, outdated(t, c))
			})
		}
	}
}

// outdated makes such a database and returns the id.
func outdated(t *testing.T, c store.Config) (id string) {
	t.Helper()
	statements, err := os.ReadFile("testdata/" + c.Party + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	db, err := store.OpenAsIs(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx, c.Party, fstest.MapFS{"00001_old.sql": {Data: append([]byte("-- +goose Up\n"), statements...)}}); err != nil {
		t.Fatal(err)
	}
	if err := db.EnsureSystemKey(ctx); err != nil {
		t.Fatal(err)
	}
	setVersion(t, db, store.LastBefore(c.Party))
	err = db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if id, err = db.Vault.NewKey(ctx, tx); err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`CREATE TABLE (\w+)`).FindAllStringSubmatch(string(statements), -1) {
			if m[1] != "data_keys" {
				if err := fill(ctx, db, tx, c.Party, m[1], id); err != nil {
					return fmt.Errorf("%s: %w", m[1], err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// newTables came after the upgrade step.
var newTables = map[string]bool{"sign_in_states": true, "second_factors": true, "recovery_codes": true, "issuer_sessions": true,
	"backups": true, "disputes": true, "dispute_files": true, "consumer_files": true, "consumer_file_log": true, "report_reads": true,
	"further_callbacks": true, "further_callback_secrets": true, "consumer_corrections": true,
	"unlisted_institutions": true, "unlisted_reports": true}

// fill adds a row to a table.
func fill(ctx context.Context, db *store.DB, tx *store.Tx, party, table, id string) error {
	rows, err := tx.QueryContext(ctx, `SELECT * FROM `+table)
	if err != nil {
		return err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	rows.Close()
	var names, places []string
	var values []any
	for _, column := range types {
		if column.Name() == "configuration_id" { // refers to a later table
			continue
		}
		var value any = id
		switch column.DatabaseTypeName() {
		case "BIGINT", "INTEGER", "INT8", "INT4":
			value = 1
		case "BOOLEAN", "BOOL":
			value = true
		case "BYTEA":
			if value, err = sealed(ctx, db, tx, party, store.Cell{Table: table, Column: column.Name(), Row: id}); err != nil {
				return err
			}
		}
		names, places = append(names, column.Name()), append(places, fmt.Sprintf("$%d", len(names)+1))
		values = append(values, value)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(places, ", ")+`)`, values...)
	return err
}

const secretText = "secret text"

// sealed encrypts a column, if its table gets another name.
func sealed(ctx context.Context, db *store.DB, tx *store.Tx, party string, at store.Cell) ([]byte, error) {
	if _, renamed := store.RenamedCells(party)[store.Cell{Table: at.Table, Column: at.Column}]; !renamed {
		return []byte(at.Table + at.Column), nil
	}
	return db.Vault.Seal(ctx, tx, keyOf(at), rowOf(at), []byte(secretText))
}

// keyOf returns the data key of a renamed column, by its old or new table.
func keyOf(at store.Cell) string {
	switch at.Table {
	case "keepsakes", "secrets", "reviewers", "staff", "users", "attempts", "redirect_attempts":
		return store.SystemKey
	}
	return at.Row
}

func rowOf(at store.Cell) store.Cell {
	if at.Column == "answer" {
		at.Row += "/1" // the delivery's first attempt
	}
	return at
}

// TestUpgradeFromBeforeTheBaseline compares an upgraded database with a new one.
func TestUpgradeFromBeforeTheBaseline(t *testing.T) {
	eachOutdated(t, func(t *testing.T, c store.Config, id string) {
		if n, err := store.PendingMigrations(t.Context(), c); n != allMigrations(t, c.Party) || err != nil {
			t.Errorf("%d pending migrations, %v", n, err)
		}
		db, err := store.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		fresh := storetest.SQLite
		if db.Dialect == store.Postgres {
			fresh = storetest.Postgres
		}
		want := describe(t, fresh(t, c.Party))
		if diff := cmp.Diff(want, describe(t, db)); diff != "" {
			t.Errorf("the tables differ from those of a new database (-want +got):\n%s", diff)
		}
		for table := range want {
			n := count(t, db, `SELECT count(*) FROM `+table)
			if table == "data_keys" {
				n-- // the system key
			}
			if n != 1 && !newTables[table] {
				t.Errorf("%s has %d rows", table, n)
			}
		}
		for cell, table := range store.RenamedCells(c.Party) {
			at := rowOf(store.Cell{Table: table, Column: cell.Column, Row: id})
			var kept []byte
			if err := db.SQL.QueryRow(`SELECT ` + at.Column + ` FROM ` + table).Scan(&kept); err != nil {
				t.Fatal(err)
			}
			plain, err := db.Vault.Open(t.Context(), db.SQL, keyOf(store.Cell{Table: table, Row: id}), at, kept)
			if string(plain) != secretText || err != nil {
				t.Errorf("%s.%s: %q, %v", table, at.Column, plain, err)
			}
		}
		u, err := (&staff.Service{Config: staff.Config{DB: db}}).User(t.Context(), db.SQL, id)
		if err != nil || u.Email != secretText || !u.HasPassword || u.Created.IsZero() {
			t.Errorf("the user is %+v, %v", u, err)
		}
		db.Close()
		if db, err = store.Open(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if n, err := store.PendingMigrations(t.Context(), c); n != 0 || err != nil {
			t.Errorf("after the upgrade %d pending migrations, %v", n, err)
		}
	})
}

// TestUpgradeRefuses checks that nothing changes in a database that is too old, or with another
// master key.
func TestUpgradeRefuses(t *testing.T) {
	eachOutdated(t, func(t *testing.T, c store.Config, _ string) {
		wrong := c
		wrong.MasterKey = slices.Repeat([]byte{7}, 32)
		if _, err := store.Open(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "upgrade: ") {
			t.Errorf("with another master key: %v", err)
		}
		if n, err := store.PendingMigrations(t.Context(), c); n != allMigrations(t, c.Party) || err != nil {
			t.Errorf("%d pending migrations, %v", n, err)
		}
		db, err := store.OpenAsIs(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		setVersion(t, db, store.LastBefore(c.Party)-1)
		db.Close()
		if _, err := store.PendingMigrations(t.Context(), c); err == nil || !strings.Contains(err.Error(), "older") {
			t.Errorf("of a database that is too old: %v", err)
		}
		if _, err := store.Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), "older") {
			t.Errorf("of a database that is too old: %v", err)
		}
	})
}

// allMigrations returns how many migrations a party has.
func allMigrations(t *testing.T, party string) int {
	t.Helper()
	files, err := fs.Glob(store.Migrations(party), "*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return len(files)
}

// setVersion changes the number of the newest migration.
func setVersion(t *testing.T, db *store.DB, to int64) {
	t.Helper()
	if _, err := db.SQL.ExecContext(t.Context(), `UPDATE goose_db_version SET version_id = $1 WHERE version_id > 0`, to); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, db *store.DB, query string) (n int) {
	t.Helper()
	if err := db.SQL.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// describe returns the columns, foreign keys and indexes of each table of the program's.
func describe(t *testing.T, db *store.DB) map[string][]string {
	t.Helper()
	query := `SELECT m.name, 'column ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || coalesce(c.dflt_value, 'none') || ' ' || c.pk
			FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
		UNION ALL SELECT m.name, 'references ' || f."from" || ' ' || f."table" || ' ' || f."to" || ' ' || f.on_delete
			FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
		UNION ALL SELECT m.name, 'unique ' || i.origin || ' ' || (SELECT group_concat(x.name) FROM pragma_index_info(i.name) x)
			FROM sqlite_master m, pragma_index_list(m.name) i WHERE m.type = 'table' AND i.origin <> 'c'
		UNION ALL SELECT tbl_name, replace(sql, '"', '') FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`
	if db.Dialect == store.Postgres {
		query = `SELECT table_name, concat('column ', column_name, ' ', data_type, ' ', is_nullable, ' ', coalesce(column_default, 'none'))
				FROM information_schema.columns WHERE table_schema = current_schema()
			UNION ALL SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
				WHERE connamespace = current_schema()::regnamespace AND conrelid <> 0
			UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()
				AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname AND connamespace = current_schema()::regnamespace)`
	}
	type line struct{ table, text string }
	all, err := store.QueryAll(t.Context(), db.SQL, func(row store.Row) (l line, err error) { return l, row.Scan(&l.table, &l.text) }, query)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, l := range all {
		if !strings.HasPrefix(l.table, "river_") && !strings.HasPrefix(l.table, "goose_") && !strings.HasPrefix(l.table, "sqlite_") {
			out[l.table] = append(out[l.table], l.text)
		}
	}
	for _, lines := range out {
		slices.Sort(lines)
	}
	return out
}

// TestLateMigrationIsReported adds a migration whose number is below the newest that was applied.
func TestLateMigrationIsReported(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		if _, err := db.SQL.ExecContext(t.Context(), `DELETE FROM goose_db_version WHERE version_id = 1005`); err != nil {
			t.Fatal(err)
		}
		if err := db.Migrate(t.Context(), store.Portal, store.Migrations(store.Portal)); err == nil || !strings.Contains(err.Error(), "missing") {
			t.Errorf("got %v", err)
		}
	})
}
