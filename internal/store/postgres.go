package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// openPostgres opens a pool whose connections work in the party's schema, which it
// creates if it is missing.
func openPostgres(ctx context.Context, dsn, schema string) (*sql.DB, error) {
	connector, err := connectorFor(dsn, schema)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	db.SetConnMaxIdleTime(5 * time.Minute)
	// Two replicas that create the schema at once collide in the catalog; the loser
	// finds it at its second try.
	for try := 0; ; try++ {
		_, err = db.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{schema}.Sanitize())
		if err == nil || try == 2 || !IsUnique(err) {
			break
		}
	}
	if err != nil {
		db.Close()
		if errors.Is(err, errPooledByTransaction) {
			return nil, errPooledByTransaction
		}
		return nil, unreached(err)
	}
	return db, nil
}

// poolMode is the database URL's parameter that says how a pooler hands out
// connections: pool_mode=session, the default and right without a pooler, or
// pool_mode=transaction. Name and values are PgBouncer's.
const poolMode = "pool_mode"

var errPooledByTransaction = errors.New("store: a pooler gives each transaction another " +
	"connection of the database, so the program cannot rely on its schema: " +
	"add " + poolMode + "=transaction to --database-url, or have the pooler use session mode")

// withoutJIT is for statements that read few rows: the server would compile a list's long statement
// for most of a second where the table is large.
const withoutJIT = "jit TO off"

// connectorFor connects to the database at dsn and runs every statement in schema. Poolers
// refuse or ignore a schema in the startup message, so it is set once for a connection, or
// in transaction mode for each transaction, where no named statement is prepared.
func connectorFor(dsn, schema string) (driver.Connector, error) {
	cfg, mode, err := parseURL(dsn)
	if err != nil {
		return nil, err
	}
	delete(cfg.RuntimeParams, "search_path")
	cfg.RuntimeParams["timezone"], cfg.RuntimeParams["client_encoding"] = "UTC", "UTF8"
	path := "search_path TO " + pgx.Identifier{schema}.Sanitize()
	if mode == "session" {
		var checked atomic.Bool
		return stdlib.GetConnector(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
			if !checked.Load() {
				if err := checkSessions(ctx, c); err != nil {
					return err
				}
				checked.Store(true)
			}
			// Queries are written for their filters, so that planning them again for each value gains nothing.
			_, err := c.Exec(ctx, "SET "+path+"; SET "+withoutJIT+"; SET plan_cache_mode TO force_generic_plan")
			return err
		})), nil
	}
	if cfg.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement { // pgx's default
		cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	return txConnector{stdlib.GetConnector(*cfg), "; SET LOCAL " + path + "; SET LOCAL " + withoutJIT}, nil
}

// parseURL reads a database URL, and takes the pooler's mode out of it: session or
// transaction.
func parseURL(dsn string) (cfg *pgx.ConnConfig, mode string, err error) {
	cfg, err = pgx.ParseConfig(dsn)
	if err != nil || !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		// pgx's error may quote the address with its password.
		return nil, "", errors.New("--database-url: must be postgres://USER@HOST/DATABASE")
	}
	mode = cmp.Or(cfg.RuntimeParams[poolMode], "session")
	if mode != "session" && mode != "transaction" {
		return nil, "", fmt.Errorf("--database-url: %s must be session or transaction", poolMode)
	}
	delete(cfg.RuntimeParams, poolMode)
	return cfg, mode, nil
}

// unreached says in one line why the database cannot be used. The driver's own error has
// a line for each try.
func unreached(err error) error {
	var refused *pgconn.PgError
	var network *net.OpError
	switch {
	case errors.As(err, &refused):
		err = errors.New(refused.Message)
	case errors.As(err, &network):
		err = network
	}
	return fmt.Errorf("--database-url: %w", err)
}

// checkSessions returns errPooledByTransaction when a first connection and another one do not
// keep separate and constant database sessions, as they do without a pooler or in session mode.
func checkSessions(ctx context.Context, first *pgx.Conn) error {
	conns := [2]*pgx.Conn{first}
	var at [2]int32 // backend process of each connection
	query := func(i int) (pid int32, err error) {
		// It prepares nothing in shared sessions.
		err = conns[i].QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
		return pid, err
	}
	for i := range conns {
		var err error
		if i > 0 {
			if conns[i], err = pgx.ConnectConfig(ctx, first.Config()); err != nil {
				return err
			}
			defer conns[i].Close(context.WithoutCancel(ctx))
		}
		if at[i], err = query(i); err != nil {
			return err
		}
		if uint32(at[i]) == conns[i].PgConn().PID() {
			return nil // no pooler: the same process accepted the connection
		}
	}
	// Whatever order a transaction pooler uses, one of these queries reaches another
	// session.
	for _, i := range []int{0, 0, 1, 1, 0} {
		pid, err := query(i)
		if err != nil {
			return err
		}
		if pid != at[i] || pid == at[1-i] {
			return errPooledByTransaction
		}
	}
	return nil
}

// inSchema returns an error if a connection works in another schema than the party's:
// migrations would create the tables there, and they would not be found again. It also
// refuses a database that cannot store every text.
func inSchema(ctx context.Context, q Queryer, schema string) error {
	var exists sql.NullString
	var encoding string
	if err := q.QueryRowContext(ctx, "SELECT current_schema(), current_setting('server_encoding')").Scan(&exists, &encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("store: the database has the encoding %s: create it with the encoding UTF8", encoding)
	}
	if exists.String != schema {
		return fmt.Errorf("store: connections work in the schema %q and not in %q, so nothing is migrated: a pooler "+
			"may ignore the search path (docs/explanation/scaling.md), or the database's user may not use the schema", exists.String, schema)
	}
	return nil
}

// lockPause is the interval between tries for a lock that another process holds.
// Waiting inside the database could take the pooler connection that the holder needs.
const lockPause = 200 * time.Millisecond

// WithLock runs f while no other process runs a function under the same key. The lock
// belongs to a transaction, so it works behind every pooler; f uses other connections.
// Under SQLite it only calls f, because there is one process.
func (db *DB) WithLock(ctx context.Context, key int64, f func(context.Context) error) error {
	if db.Dialect != Postgres {
		return f(ctx)
	}
	for {
		locked := false
		err := db.tryTx(ctx, nil, func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
				return err
			}
			if err := tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", key).Scan(&locked); err != nil || !locked {
				return err
			}
			return f(ctx)
		})
		if locked || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// txConnector opens connections that set the schema in each transaction.
type txConnector struct {
	driver.Connector
	set string // SQL appended to BEGIN
}

// Connect opens a connection.
func (p txConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	known, ok := c.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(errors.New("store: a connection of another driver"), c.Close())
	}
	return &txConn{Conn: known, set: p.set}, nil
}

// txConn is a connection that runs each statement in a transaction.
type txConn struct {
	*stdlib.Conn
	set    string
	inside bool // a transaction is open
}

// PrepareContext returns an error: the next transaction may run in another session.
func (c *txConn) PrepareContext(context.Context, string) (driver.Stmt, error) {
	return nil, errors.New("store: no statement is prepared with " + poolMode + "=transaction")
}

// Prepare returns an error, as PrepareContext does.
func (c *txConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

var begins = map[sql.IsolationLevel]string{
	sql.LevelDefault: "BEGIN", sql.LevelReadCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED",
	sql.LevelRepeatableRead: "BEGIN ISOLATION LEVEL REPEATABLE READ", sql.LevelSerializable: "BEGIN ISOLATION LEVEL SERIALIZABLE",
}

// BeginTx begins a transaction and sets its schema in one message.
func (c *txConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	begin, ok := begins[sql.IsolationLevel(opts.Isolation)]
	if !ok {
		return nil, errors.New("store: unknown isolation level")
	}
	if opts.ReadOnly {
		begin += " READ ONLY"
	}
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	if err := ctx.Err(); err != nil {
		return nil, err // pgx closes a connection whose BEGIN fails
	}
	tx, err := c.Conn.Conn().BeginTx(ctx, pgx.TxOptions{BeginQuery: begin + c.set})
	if err != nil {
		if pgconn.SafeToRetry(err) {
			return nil, driver.ErrBadConn
		}
		return nil, err
	}
	c.inside = true
	return &poolTx{ctx: ctx, tx: tx, conn: c}, nil
}

// poolTx is a transaction of a transactional connection.
type poolTx struct {
	ctx  context.Context
	tx   pgx.Tx
	conn *txConn
}

func (t *poolTx) Commit() error {
	t.conn.inside = false
	return t.tx.Commit(t.ctx)
}

func (t *poolTx) Rollback() error {
	t.conn.inside = false
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), 5*time.Second)
	defer cancel()
	return t.tx.Rollback(ctx)
}

// ExecContext runs a statement, in a separate transaction if none is open.
func (c *txConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.inside {
		return c.Conn.ExecContext(ctx, query, args)
	}
	tx, err := c.BeginTx(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	res, err := c.Conn.ExecContext(ctx, query, args)
	if err != nil {
		_ = tx.Rollback() // the statement's error says more
		return nil, err
	}
	return res, tx.Commit()
}

// QueryContext runs a query. If no transaction is open, it uses a separate one that
// commits when the rows are closed.
func (c *txConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inside {
		return c.Conn.QueryContext(ctx, query, args)
	}
	tx, err := c.BeginTx(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		_ = tx.Rollback() // the query's error says more
		return nil, err
	}
	known, ok := rows.(*stdlib.Rows)
	if !ok {
		return nil, errors.Join(errors.New("store: rows of another driver"), rows.Close(), tx.Rollback())
	}
	return &poolRows{known, tx}, nil
}

// poolRows are the rows of a query that runs in a separate transaction.
type poolRows struct {
	*stdlib.Rows
	tx driver.Tx
}

// Close closes the rows and commits.
func (r *poolRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		return errors.Join(err, r.tx.Rollback())
	}
	return r.tx.Commit()
}
