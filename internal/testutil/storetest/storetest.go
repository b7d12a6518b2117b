// Package storetest gives tests a fresh database on each engine. Each runs a test on both.
// If CI is set, a missing PostgreSQL fails the test instead of skipping it.
package storetest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/storetest/cluster"
	"vestibule/internal/testutil/tools"
)

// MasterKey is the master key of test databases.
var MasterKey = []byte("an all too well known master key")

// Each runs f on a fresh SQLite and a fresh PostgreSQL database of the party, in
// parallel subtests named after the engine, and in parallel with the package's other
// tests that call it. It may be called once in a test.
func Each(t *testing.T, party string, f func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, SQLite(t, party))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, Postgres(t, party))
	})
}

// EachInFull runs f on SQLite, and in make test-full on PostgreSQL, too: for tests of an
// API, whose statements and locks other tests run on both engines.
func EachInFull(t *testing.T, party string, f func(t *testing.T, db *store.DB)) {
	t.Helper()
	if tools.Full() {
		Each(t, party, f)
		return
	}
	t.Parallel()
	f(t, SQLite(t, party))
}

// SQLite returns a fresh, migrated SQLite database, copied from a template that each
// process makes once.
func SQLite(t testing.TB, party string) *store.DB {
	t.Helper()
	dir := folder(t)
	raw, err := sqliteTemplate(party)
	testutil.Must(t, err)
	testutil.Must(t, os.WriteFile(filepath.Join(dir, party+".db"), raw, 0o600))
	return openFor(t, store.Config{Dir: dir, Party: party})
}

// DataDir returns a data folder for the whole program, with the migrated SQLite databases of
// both parties. A program that starts on an empty folder spends more than half of its first
// start on migrations.
func DataDir(t testing.TB) string {
	t.Helper()
	dir := folder(t)
	testutil.Must(t, fillDataDir(dir))
	return dir
}

// MakeDataDir is DataDir of a program that several tests share. The caller removes the folder.
func MakeDataDir() (dir string, err error) {
	if dir, err = makeFolder(); err == nil {
		err = fillDataDir(dir)
	}
	return dir, err
}

func fillDataDir(dir string) error {
	for _, party := range []string{store.Portal, store.Provider} {
		raw, err := sqliteTemplate(party)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, party+".db"), raw, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// makeFolder makes a folder for SQLite files, in memory if possible: on a disk, tests wait
// for its writes.
func makeFolder() (string, error) { return os.MkdirTemp(cluster.InMemory(), "vestibule-sqlite-") }

// folder returns such a folder, until the test ends.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := makeFolder()
	testutil.Must(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Postgres returns a fresh, migrated PostgreSQL database, copied from a template that is
// made once in each cluster.
func Postgres(t testing.TB, party string) *store.DB {
	t.Helper()
	address := server(t)
	db := openFor(t, store.Config{URL: newDatabase(t, address, postgresTemplate(t, address, party)), Party: party})
	db.SQL.SetMaxOpenConns(4) // enough for races; each connection is a process, whose start costs more than most tests
	return db
}

// URL returns the URL of a fresh, empty PostgreSQL database, for tests that start the
// whole program.
func URL(t testing.TB) string {
	t.Helper()
	return newDatabase(t, server(t), "template1")
}

// ASCIIURL is URL of a database with the encoding SQL_ASCII.
func ASCIIURL(t testing.TB) string {
	t.Helper()
	return newDatabase(t, server(t), "template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
}

// MigratedURL is URL of a database with the tables of both parties.
func MigratedURL(t testing.TB) string {
	t.Helper()
	address := server(t)
	return newDatabase(t, address, postgresTemplate(t, address, store.Portal, store.Provider))
}

// newDatabase copies a template, drops the copy at the end of the test, and returns its URL.
func newDatabase(t testing.TB, address, template string) string {
	t.Helper()
	how, err := strategy()
	testutil.Must(t, err)
	name := "t_" + unique()
	exec(t, "CREATE DATABASE "+name+" TEMPLATE "+template+how)
	t.Cleanup(func() { exec(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return pooled(t, inDatabase(address, name))
}

// strategy is the clause that asks for a copy of the files, where PostgreSQL has another
// way (since version 15): it takes a quarter of the processor time of logging every page.
var strategy = sync.OnceValues(func() (clause string, err error) {
	db, err := administration()
	if err != nil {
		return "", err
	}
	err = db.QueryRow(`SELECT CASE WHEN current_setting('server_version_num')::int >= 150000
		THEN ' STRATEGY FILE_COPY' ELSE '' END`).Scan(&clause)
	return clause, err
})

// Pool starts a PgBouncer in front of the tests' PostgreSQL, in mode session or
// transaction, and returns a function that maps a database's URL to the one through it.
// In mode transaction the URL has pool_mode=transaction if named is true.
func Pool(t testing.TB, mode string, named bool, settings ...string) func(address string) string {
	t.Helper()
	c, err := cluster.Bounce(context.Background(), server(t), mode, settings...)
	if errors.Is(err, cluster.ErrNoBouncer) {
		tools.Missing(t, "PgBouncer is not installed")
	}
	testutil.Must(t, err)
	t.Cleanup(c.Stop)
	return through(c.URL, mode, named)
}

func through(bouncer, mode string, named bool) func(string) string {
	return func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return address
		}
		at := inDatabase(bouncer, strings.TrimPrefix(u.Path, "/"))
		if mode == "transaction" && named {
			at += "&pool_mode=transaction"
		}
		return at
	}
}

// poolEnv names the variable that makes all tests reach PostgreSQL through a PgBouncer
// in mode session or transaction.
const poolEnv = "VESTIBULE_TEST_POOL"

var ownPool = sync.OnceValues(func() (func(string) string, error) {
	mode := os.Getenv(poolEnv)
	if mode == "" {
		return func(address string) string { return address }, nil
	}
	at, err := own()
	if err != nil {
		return nil, err
	}
	c, err := cluster.Bounce(context.Background(), at, mode)
	if err != nil {
		return nil, err
	}
	return through(c.URL, mode, true), nil
})

func pooled(t testing.TB, address string) string {
	t.Helper()
	f, err := ownPool()
	testutil.Must(t, err)
	return f(address)
}

// OnDisk returns what a stolen copy of the database contains: the SQLite file with its
// log and free pages, or a PostgreSQL dump.
func OnDisk(t testing.TB, db *store.DB) []byte {
	t.Helper()
	if db.Dialect == store.Postgres {
		var name string
		testutil.Must(t, db.SQL.QueryRowContext(context.Background(), `SELECT current_database()`).Scan(&name))
		tool, err := cluster.Tool("pg_dump")
		testutil.Must(t, err)
		raw, err := osexec.Command(tool, "--dbname="+inDatabase(server(t), name)).Output()
		testutil.Must(t, err)
		return raw
	}
	var seq int
	var name, file string
	testutil.Must(t, db.SQL.QueryRowContext(context.Background(), `PRAGMA database_list`).Scan(&seq, &name, &file))
	var all []byte
	// While a transaction reads, no page moves from the log, which is read last, to the file.
	testutil.Must(t, db.Read(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master`).Scan(&seq); err != nil {
			return err
		}
		for _, part := range []string{file, file + "-wal"} {
			raw, err := os.ReadFile(part)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			all = append(all, raw...)
		}
		return nil
	}))
	return all
}

func openFor(t testing.TB, c store.Config) *store.DB {
	t.Helper()
	c.MasterKey = MasterKey
	db, err := store.Open(context.Background(), c)
	testutil.Must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// prepare opens and migrates a database, including the jobs' tables. It keeps no key: each
// copy generates its own.
func prepare(c store.Config) error {
	c.MasterKey = MasterKey
	db, err := store.Open(context.Background(), c)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = jobs.NewQueue(context.Background(), db, jobs.NewRegistry(), slog.New(slog.DiscardHandler), time.Now)
	if err == nil {
		_, err = db.SQL.Exec("DELETE FROM data_keys")
	}
	if err == nil && db.Dialect == store.SQLite {
		_, err = db.SQL.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return err
}

// templates holds by party what databases are copied from.
var templates = struct {
	sync.Mutex
	sqlite   map[string][]byte
	postgres map[string]string // names of databases
}{sqlite: map[string][]byte{}, postgres: map[string]string{}}

func sqliteTemplate(party string) ([]byte, error) {
	templates.Lock()
	defer templates.Unlock()
	if raw := templates.sqlite[party]; raw != nil {
		return raw, nil
	}
	dir, err := os.MkdirTemp("", "vestibule-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := prepare(store.Config{Dir: dir, Party: party}); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(dir, party+".db"))
	if err != nil {
		return nil, err
	}
	templates.sqlite[party] = raw
	return raw, nil
}

// own returns the URL of the cluster that the environment names, or else of one started
// by this process.
var own = sync.OnceValues(func() (string, error) {
	switch u := os.Getenv(cluster.Env); u {
	case "off":
		return "", errOff
	case "":
	default:
		return u, nil
	}
	c, err := cluster.Start(context.Background(), "autovacuum=off")
	if err != nil {
		return "", err
	}
	return c.URL, nil
})

var errOff = errors.New("PostgreSQL is left out, as " + cluster.Env + "=off asks")

func server(t testing.TB) string {
	t.Helper()
	u, err := own()
	if errors.Is(err, errOff) {
		t.Skip(err)
	}
	if errors.Is(err, cluster.ErrMissing) {
		tools.Missing(t, "PostgreSQL is not installed")
	}
	testutil.Must(t, err)
	return u
}

// postgresTemplate makes the template database with the tables of some parties if this
// cluster has none for the present migrations. An advisory lock excludes other test processes.
func postgresTemplate(t testing.TB, address string, parties ...string) string {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	of := strings.Join(parties, "_")
	if name := templates.postgres[of]; name != "" {
		return name
	}
	name := "template_" + of + "_" + fingerprint(t, parties)
	db, err := administration()
	testutil.Must(t, err)
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	testutil.Must(t, err)
	defer conn.Close()
	key := fnv.New32a()
	key.Write([]byte(name))
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(key.Sum32())); err != nil {
		t.Fatal(err)
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock_all()")
	var there bool
	testutil.Must(t, conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&there))
	if !there {
		making := name + "_making"
		for _, query := range []string{"DROP DATABASE IF EXISTS " + making, "CREATE DATABASE " + making} {
			if _, err := conn.ExecContext(ctx, query); err != nil {
				t.Fatal(err)
			}
		}
		for _, party := range parties {
			testutil.Must(t, prepare(store.Config{URL: inDatabase(address, making), Party: party}))
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", making, name)); err != nil {
			t.Fatal(err)
		}
	}
	templates.postgres[of] = name
	return name
}

// fingerprint hashes the migrations of parties.
func fingerprint(t testing.TB, parties []string) string {
	t.Helper()
	sum := sha256.New()
	for _, party := range parties {
		root := store.Migrations(party)
		err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			raw, err := fs.ReadFile(root, path)
			sum.Write([]byte(path))
			sum.Write(raw)
			return err
		})
		testutil.Must(t, err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

var counter atomic.Int64

func unique() string {
	return fmt.Sprintf("%d_%d", os.Getpid(), counter.Add(1))
}

// administration is a pool of connections to the cluster, by which databases are made and
// dropped: a new connection takes as long as a copy.
var administration = sync.OnceValues(func() (*sql.DB, error) {
	address, err := own()
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("pgx", address)
	if err == nil {
		db.SetMaxOpenConns(2) // a connection takes as long as to make a database
		db.SetMaxIdleConns(2)
	}
	return db, err
})

func exec(t testing.TB, query string) {
	t.Helper()
	db, err := administration()
	testutil.Must(t, err)
	if _, err := db.Exec(query); err != nil {
		t.Fatalf("%s: %v", strings.Fields(query)[0], err)
	}
}

func inDatabase(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin
	}
	u.Path = "/" + name
	return u.String()
}
