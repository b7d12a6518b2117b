// Package store opens the database of a party, SQLite or PostgreSQL, migrates it, runs
// transactions and encrypts columns. It knows no table except that of its keys. Each
// package keeps its queries in its own store.go, written once for both engines with $1
// placeholders.
//
// Each party has a separate file under SQLite and a separate schema under PostgreSQL.
// Times are BIGINT microseconds of Unix time, blobs BYTEA, flags BOOLEAN. Secrets are
// stored as SHA-256 hashes and personal data is encrypted (see Vault), so a copy of the
// database alone reveals little.
package store

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math"
	mrand "math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations
var migrations embed.FS

// Dialect is one of the two engines.
type Dialect string

const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Parties, each of which has a database.
const (
	Portal   = "portal"
	Provider = "provider"
)

// DB is a party's database.
type DB struct {
	SQL     *sql.DB
	Vault   *Vault
	Dialect Dialect

	now     atomic.Pointer[func() time.Time] // the party's clock
	writers *writeQueue                      // orders writing transactions; nil with PostgreSQL
}

// Now is the time by the party's clock.
func (db *DB) Now() time.Time { return (*db.now.Load())() }

// instant is the time as a column stores it.
func (db *DB) instant() time.Time { return db.Now().UTC().Truncate(time.Microsecond) }

// SetClock sets the clock of later transactions. A party sets the clock that its services
// have: in the sandbox, the one that can be moved.
func (db *DB) SetClock(now func() time.Time) { db.now.Store(&now) }

// Queryer is implemented by *sql.DB and *Tx, so that a query can run inside or outside
// a transaction.
type Queryer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ErrNotFound is returned for a missing row.
var ErrNotFound = errors.New("store: no such row")

// Open connects, migrates to the newest schema and prepares the vault. Several replicas
// may open one PostgreSQL database at once; one of them migrates.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Party != Portal && c.Party != Provider {
		return nil, fmt.Errorf("store: unknown party %q", c.Party)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	db := &DB{}
	db.SetClock(c.Now)
	var err error
	if c.URL == "" {
		db.Dialect = SQLite
		db.SQL, db.writers, err = openSQLite(filepath.Join(c.Dir, c.Party+".db"))
	} else {
		db.Dialect = Postgres
		db.SQL, err = openPostgres(ctx, c.URL, c.Party)
	}
	if err != nil {
		return nil, err
	}
	if err := db.ready(ctx, c); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (db *DB) ready(ctx context.Context, c Config) error {
	vault, err := newVault(c.MasterKey, c.Former, c.Now)
	if err != nil {
		return err
	}
	if err := db.migrate(ctx, c.Party, Migrations(c.Party), vault); err != nil {
		return fmt.Errorf("store: migrate %s: %w", c.Party, err)
	}
	db.Vault = vault
	return vault.ensureSystemKey(ctx, db, c.saveKey)
}

// busyTimeout is how long the engine waits for a lock.
const busyTimeout = 10 * time.Second

// restrictMode creates an SQLite file with mode 0600, or removes others' permissions from an
// existing one and its -wal and -shm files. It does not open an existing file: closing
// it would release the locks that this process's other connections hold.
func restrictMode(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(name, info.Mode().Perm()&0o700)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// openSQLite opens two pools on one file: one for general use, and the single
// connection of the group that writes.
func openSQLite(path string) (*sql.DB, *writeQueue, error) {
	if err := restrictMode(path); err != nil {
		return nil, nil, fmt.Errorf("store: close the database to other users: %w", err)
	}
	// Our columns hold no time.Time, but River's do: they are written in UTC and in a
	// form that SQLite's date functions read, so that they compare as text.
	q := url.Values{"_txlock": {"immediate"}, "_time_format": {"sqlite"}, "_timezone": {"UTC"}, "_pragma": {
		// FAST overwrites deleted content where that costs no I/O; Erase overwrites the
		// rest.
		"busy_timeout(" + strconv.Itoa(int(busyTimeout.Milliseconds())) + ")", "journal_mode(WAL)",
		"synchronous(FULL)", "foreign_keys(1)", "secure_delete(FAST)",
		"temp_store(MEMORY)"}} // a savepoint's rollback data needs no file
	connector, err := sqlite.NewConnector("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode())
	if err != nil {
		return nil, nil, fmt.Errorf("store: open sqlite: %w", err)
	}
	writers := &writeQueue{db: sql.OpenDB(cachingConnector{connector, nil}), longest: longestBatch, maxWait: truncateTimeout}
	writers.db.SetMaxOpenConns(1)
	writers.db.SetMaxIdleConns(1)
	db := sql.OpenDB(cachingConnector{connector, writers})
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8) // closing a connection loses its prepared statements
	return db, writers, nil
}

// Migrations returns the party's migrations, one file a step.
func Migrations(party string) fs.FS {
	files, err := fs.Sub(migrations, "migrations/"+party)
	if err != nil {
		panic(err) // only for an invalid path
	}
	return files
}

// migrate applies the new migrations of from to the schema that the connections work
// in, after the upgrade of tables from before the baseline. If there are new ones, it holds
// goose's default lock, which older versions take too.
func (db *DB) migrate(ctx context.Context, schema string, from fs.FS, vault *Vault) error {
	dialect := goose.DialectSQLite3
	if db.Dialect == Postgres {
		dialect = goose.DialectPostgres
		if err := inSchema(ctx, db.SQL, schema); err != nil {
			return err
		}
	}
	if db.migrated(ctx, from) {
		return nil
	}
	return db.WithLock(ctx, lock.DefaultLockID, func(ctx context.Context) error {
		p, err := goose.NewProvider(dialect, db.SQL, from, goose.WithDisableGlobalRegistry(true))
		if err != nil {
			return err
		}
		version, err := p.GetDBVersion(ctx)
		if err != nil {
			return err
		}
		if before, err := needsUpgrade(schema, version); err != nil {
			return err
		} else if before {
			if err := db.upgrade(ctx, schema, vault); err != nil {
				return fmt.Errorf("upgrade: %w", err)
			}
		}
		for try := 1; ; try++ {
			// Under load, a migration of several tables and a replica's transaction may
			// deadlock. The one that PostgreSQL aborts has changed nothing, so it is
			// retried.
			if _, err = p.Up(ctx); err == nil || try == migrationTries || !isContention(err) {
				return err
			}
		}
	})
}

const migrationTries = 10

// migrated reports whether as many migrations were applied as from has, up to its newest. goose judges
// what differs: a newer version's database, or a migration that came late.
func (db *DB) migrated(ctx context.Context, from fs.FS) bool {
	files, err := fs.ReadDir(from, ".")
	if err != nil || len(files) == 0 {
		return false
	}
	newest, err := goose.NumericComponent(files[len(files)-1].Name())
	if err != nil {
		return false
	}
	var n int
	var last int64
	err = db.SQL.QueryRowContext(ctx, `SELECT count(DISTINCT version_id), max(version_id) FROM goose_db_version
		WHERE is_applied AND version_id > 0`).Scan(&n, &last)
	return err == nil && n == len(files) && last == newest
}

// Close closes the pools.
func (db *DB) Close() error {
	if db.writers == nil {
		return db.SQL.Close()
	}
	return errors.Join(db.SQL.Close(), db.writers.db.Close())
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return db.SQL.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// ForUpdate returns the clause that locks the one selected row until the transaction
// ends. Rows that refer to the locked one can still be added. It is empty under SQLite,
// whose write transactions run one at a time.
func (db *DB) ForUpdate() string {
	if db.Dialect == Postgres {
		return " FOR NO KEY UPDATE"
	}
	return ""
}

const (
	maxTries  = 8
	maxUnique = 2 // of them after a unique violation, which is usually genuine
)

// Tx is a transaction.
type Tx struct {
	*sql.Tx

	// Now is the start of this try by the party's clock, in UTC and whole microseconds.
	// SQLite's wait for the write lock ends before it. With PostgreSQL a statement may
	// wait for a row after it; see Waited.
	Now time.Time

	db    *DB
	after []func()
	keys  map[string]cipher.AEAD // data keys read or created in this transaction
}

// RefreshNow sets Now to the present. Call it after a statement that waits for another
// transaction, where times must not precede those that the other one stored.
func (tx *Tx) RefreshNow() { tx.Now = tx.db.instant() }

// AfterCommit calls f after tx has committed, and not after a rollback. The process may
// be killed in between, so f must only save time, such as by waking a worker. f must
// not block.
func (tx *Tx) AfterCommit(f func()) { tx.after = append(tx.after, f) }

// Tx runs f in one read-write transaction and commits when f returns nil. When the
// engine refuses for contention (a serialization failure, a deadlock, a busy database),
// Tx rolls back and runs f again, so f must have no effect outside tx. f must not call
// Tx or use db.SQL. Tx also runs f again after a unique violation: PostgreSQL reports
// one, in spite of ON CONFLICT, when two transactions add one row at the same instant
// and the table has another unique index than the one that the statement names.
//
// Under SQLite, transactions run one after the other, and waiting ones share a commit.
// Tx returns after that commit. There, f's context does not end with ctx; if ctx has
// ended when f returns, Tx rolls back f's changes.
func (db *DB) Tx(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	return withRetries(ctx, func(ctx context.Context) error {
		tx := Tx{db: db}
		run := func(ctx context.Context, inner *sql.Tx) error {
			tx.Tx, tx.Now = inner, db.instant()
			return f(ctx, &tx)
		}
		var err error
		if db.writers != nil {
			err = db.writers.run(ctx, run)
		} else {
			err = db.tryTx(ctx, nil, run)
		}
		if err == nil {
			for _, f := range tx.after {
				f()
			}
		}
		return err
	})
}

// withRetries calls f again, up to maxTries times, while the engine refuses it for
// contention.
func withRetries(ctx context.Context, f func(ctx context.Context) error) error {
	for try := 1; ; try++ {
		err := f(ctx)
		if err == nil || try == maxTries || !isContention(err) && !(IsUnique(err) && try <= maxUnique) {
			return err
		}
		pause := time.Duration(mrand.Int64N(int64(math.Pow(2, float64(try))))+1) * time.Millisecond
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Read runs f in one read-only transaction, in which every query sees the same state.
func (db *DB) Read(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	opts := &sql.TxOptions{ReadOnly: true}
	if db.Dialect == Postgres {
		opts.Isolation = sql.LevelRepeatableRead
	}
	return db.tryTx(ctx, opts, func(ctx context.Context, tx *sql.Tx) error {
		return f(ctx, &Tx{Tx: tx, Now: db.instant(), db: db})
	})
}

// Value returns what f returns in a transaction of run, such as db.Tx or db.Read.
func Value[T any](ctx context.Context, run func(context.Context, func(context.Context, *Tx) error) error,
	f func(ctx context.Context, tx *Tx) (T, error)) (out T, err error) {
	err = run(ctx, func(ctx context.Context, tx *Tx) error {
		out, err = f(ctx, tx)
		return err
	})
	return out, err
}

func (db *DB) tryTx(ctx context.Context, opts *sql.TxOptions, f func(ctx context.Context, tx *sql.Tx) error) error {
	tx, err := db.SQL.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

func isContention(err error) bool {
	if errors.Is(err, errRolledBack) {
		return true
	}
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return pg.Code == "40001" || pg.Code == "40P01"
	}
	if lite := (*sqlite.Error)(nil); errors.As(err, &lite) {
		primary := lite.Code() & 0xff
		return primary == sqlite3.SQLITE_BUSY || primary == sqlite3.SQLITE_LOCKED
	}
	return false
}

// IsUnique reports whether err is a violation of a UNIQUE or PRIMARY KEY constraint.
// PostgreSQL then aborts the transaction: prefer ON CONFLICT DO NOTHING where a
// duplicate is expected.
func IsUnique(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return pg.Code == "23505"
	}
	if lite := (*sqlite.Error)(nil); errors.As(err, &lite) {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}

// Exec returns the error of a statement, which may change any number of rows.
func Exec(_ sql.Result, err error) error { return err }

// ExecEach executes statements with the same argument.
func ExecEach(ctx context.Context, tx *Tx, arg any, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement, arg); err != nil {
			return err
		}
	}
	return nil
}

// ExecOne reports whether a conditional statement changed exactly one row. It finds the
// single winner of a race, for example for a token that is used once.
func ExecOne(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// MapNotFound returns ErrNotFound for sql.ErrNoRows, and other errors unchanged.
func MapNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// OrNone returns nil for ErrNotFound, where nothing is as good, and other errors unchanged.
func OrNone(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Micros returns t as stored in a column, in microseconds of Unix time.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// MicrosOrZero returns 0 for a zero t.
func MicrosOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return Micros(t)
}

// MicrosOrEnd returns the end of a range for a query; a zero t is no end.
func MicrosOrEnd(t time.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return Micros(t)
}

// Time returns the instant of a column written by Micros, in UTC.
func Time(n int64) time.Time { return time.UnixMicro(n).UTC() }

// At returns what scans a column that Micros or MicrosOrZero wrote into t; NULL and 0 are the zero time.
func At(t *time.Time) sql.Scanner { return (*instant)(t) }

type instant time.Time

// Scan implements sql.Scanner.
func (i *instant) Scan(column any) error {
	var n sql.NullInt64
	err := n.Scan(column)
	if *i = (instant{}); n.Int64 != 0 {
		*i = instant(Time(n.Int64))
	}
	return err
}

// NullString returns s as it is stored; "" as NULL.
func NullString(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// NewSecret returns 256 random bits as 43 characters of base64url, for handles, tokens
// and secrets.
func NewSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// NewID returns a random id that sorts after every id that this process has got before.
// It orders rows that have the time of one transaction.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Hash returns the SHA-256 hash under which a secret is stored. It suits secrets of 256
// random bits; a password that a person chose needs a slow hash instead.
func Hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
