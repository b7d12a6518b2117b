package store

import (
	"context"
	"database/sql/driver"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// maxStatements is how many prepared statements a connection keeps.
const maxStatements = 200

// cachingConnector opens SQLite connections that cache prepared statements: without parsing,
// an indexed lookup is about twice as fast (make bench ONLY=store). Writing statements
// take the lock of writers, if set, because SQLite's own waiting sleeps and is unfair.
type cachingConnector struct {
	driver.Connector
	writers *writeQueue
}

// connection lists the interfaces of a connection of SQLite's driver.
type connection interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// statement lists the interfaces of a prepared statement of SQLite's driver.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// Connect opens a connection. It returns a connection of another driver unchanged.
func (r cachingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := r.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if known, ok := c.(connection); ok {
		return &cachingConn{connection: known, writers: r.writers, statements: map[string]*cachedStatement{}}, nil
	}
	return c, nil
}

// cachingConn is a connection with its prepared statements. One goroutine uses it at a
// time, but the rows of one query may be open while another runs, so a statement in use
// is not used again.
type cachingConn struct {
	connection
	writers    *writeQueue // nil: its users already hold the write lock
	inside     bool        // a transaction is open
	statements map[string]*cachedStatement
}

type cachedStatement struct {
	statement
	busy bool
}

// cached returns the idle prepared statement of a query, or nil if it is in use or cannot
// be cached. The caller clears busy.
func (c *cachingConn) cached(ctx context.Context, query string) (*cachedStatement, error) {
	if k := c.statements[query]; k != nil {
		if k.busy {
			return nil, nil
		}
		k.busy = true
		return k, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	known, ok := s.(statement)
	if !ok {
		return nil, s.Close()
	}
	if len(c.statements) >= maxStatements {
		for q, k := range c.statements { // evict any idle one; it is prepared again when needed
			if !k.busy {
				delete(c.statements, q)
				if err := k.Close(); err != nil {
					return nil, err
				}
				break
			}
		}
	}
	k := &cachedStatement{statement: known, busy: true}
	c.statements[query] = k
	return k, nil
}

// withoutCancel returns ctx without cancellation, and its error if it has ended. When a writing
// statement is interrupted, SQLite rolls back the whole transaction, which other
// members may share; and watching for it takes a goroutine for each statement.
func withoutCancel(ctx context.Context) (context.Context, error) {
	return context.WithoutCancel(ctx), ctx.Err()
}

// lock acquires the write lock if the query writes outside a transaction.
func (c *cachingConn) lock(ctx context.Context, query string) (unlock func(), err error) {
	if c.writers == nil || c.inside || !writes(query) {
		return func() {}, nil
	}
	return c.writers.unlock, c.writers.lock(ctx)
}

var writing = []string{"INSERT", "UPDATE", "DELETE", "REPLACE"}

// writes reports whether a query changes rows. For a query that it misses, the engine's
// own lock waits.
func writes(query string) bool {
	for {
		query = strings.TrimLeft(query, " \t\r\n")
		comment, ok := strings.CutPrefix(query, "--")
		if !ok {
			break
		}
		_, query, _ = strings.Cut(comment, "\n")
	}
	verb := strings.FieldsFunc(query[:min(len(query), 12)], unicode.IsSpace)
	return len(verb) > 0 && slices.Contains(writing, strings.ToUpper(verb[0]))
}

// BeginTx begins a transaction. One that may write holds the write lock to its end.
func (c *cachingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	end := func() { c.inside = false }
	if c.writers != nil && !opts.ReadOnly {
		if err := c.writers.lock(ctx); err != nil {
			return nil, err
		}
		end = func() { c.inside = false; c.writers.unlock() }
	}
	tx, err := c.connection.BeginTx(ctx, opts)
	if err != nil {
		end()
		return nil, err
	}
	c.inside = true
	return endingTx{tx, end}, nil
}

// endingTx is a transaction that calls end after its commit or rollback.
type endingTx struct {
	driver.Tx
	end func()
}

func (t endingTx) Commit() error {
	defer t.end()
	return t.Tx.Commit()
}

func (t endingTx) Rollback() error {
	defer t.end()
	return t.Tx.Rollback()
}

// QueryContext runs the query, with its cached statement if that is idle.
func (c *cachingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	unlock, err := c.lock(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := c.query(ctx, query, args, unlock)
	if err != nil {
		unlock()
	}
	return rows, err
}

// query runs the query; closing its rows calls unlock.
func (c *cachingConn) query(ctx context.Context, query string, args []driver.NamedValue, unlock func()) (driver.Rows, error) {
	ctx, err := withoutCancel(ctx)
	if err != nil {
		return nil, err
	}
	k, err := c.cached(ctx, query)
	if err != nil {
		return nil, err
	}
	var rows driver.Rows
	if k == nil {
		k = &cachedStatement{}
		rows, err = c.connection.QueryContext(ctx, query, args)
	} else {
		rows, err = k.QueryContext(ctx, args)
	}
	if err != nil {
		k.busy = false
		return nil, err
	}
	back := func() { k.busy = false; unlock() }
	if typed, ok := rows.(typedRows); ok {
		return &notifyingRows{typed, back}, nil
	}
	return &plainRows{rows, back}, nil
}

// ExecContext runs the statement, from the cache if it is idle.
func (c *cachingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	unlock, err := c.lock(ctx, query)
	if err != nil {
		return nil, err
	}
	defer unlock()
	ctx, err = withoutCancel(ctx)
	if err != nil {
		return nil, err
	}
	k, err := c.cached(ctx, query)
	if err != nil {
		return nil, err
	}
	if k == nil {
		return c.connection.ExecContext(ctx, query, args)
	}
	defer func() { k.busy = false }()
	return k.ExecContext(ctx, args)
}

// Close closes the statements, then the connection.
func (c *cachingConn) Close() error {
	for _, k := range c.statements {
		_ = k.Close() // closing the connection frees them anyway
	}
	c.statements = nil
	return c.connection.Close()
}

// typedRows are rows that describe the types of their columns.
type typedRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	ColumnTypeLength(index int) (int64, bool)
	ColumnTypeNullable(index int) (nullable, ok bool)
	ColumnTypePrecisionScale(index int) (precision, scale int64, ok bool)
	ColumnTypeScanType(index int) reflect.Type
}

// notifyingRows call back when they are closed.
type notifyingRows struct {
	typedRows
	back func()
}

func (r *notifyingRows) Close() error {
	defer r.back()
	return r.typedRows.Close()
}

type plainRows struct {
	driver.Rows
	back func()
}

func (r *plainRows) Close() error {
	defer r.back()
	return r.Rows.Close()
}
