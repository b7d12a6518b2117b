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

// remembering opens connections of SQLite's that keep their prepared statements:
// to parse a query takes longer than to answer it by an index. PostgreSQL's driver
// does so itself. What writes on them waits for the baton of the writers, if there are
// any: the engine's own waiting is by sleeping, and unfair.
type remembering struct {
	driver.Connector
	writers *group
}

// connection is what SQLite's driver gives.
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

// statement is what SQLite's driver prepares.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// Connect opens a connection. One of another driver than SQLite's is left as it is.
func (r remembering) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := r.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if known, ok := c.(connection); ok {
		return &rememberer{connection: known, writers: r.writers, kept: map[string]*kept{}}, nil
	}
	return c, nil
}

// rememberer is a connection with its statements. As any connection it is used by
// one goroutine at a time; but the rows of one query may be open while another one
// runs, so a statement in use is not used again.
type rememberer struct {
	connection
	writers *group // nil: they have the baton who use it
	inside  bool   // a transaction is open
	kept    map[string]*kept
}

type kept struct {
	statement
	busy bool
}

// take returns the idle statement of a query, or nil for one that is in use or
// cannot be kept; its user calls done.
func (c *rememberer) take(ctx context.Context, query string) (*kept, error) {
	if k := c.kept[query]; k != nil {
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
	if len(c.kept) >= maxStatements {
		for q, k := range c.kept { // any one: those that are asked for come back
			if !k.busy {
				delete(c.kept, q)
				if err := k.Close(); err != nil {
					return nil, err
				}
				break
			}
		}
	}
	k := &kept{statement: known, busy: true}
	c.kept[query] = k
	return k, nil
}

// whole is ctx for a statement that is not ended half way. The engine answers the
// interruption of one that writes by rolling the whole transaction back, which may be
// others' too; and to watch for it takes a goroutine for every statement.
func whole(ctx context.Context) (context.Context, error) {
	return context.WithoutCancel(ctx), ctx.Err()
}

// lock waits for the baton, if the query is one that writes by itself.
func (c *rememberer) lock(ctx context.Context, query string) (unlock func(), err error) {
	if c.writers == nil || c.inside || !writes(query) {
		return func() {}, nil
	}
	return c.writers.unlock, c.writers.lock(ctx)
}

var writing = []string{"INSERT", "UPDATE", "DELETE", "REPLACE"}

// writes reports whether a query changes rows. One that it errs about waits as the
// engine has it wait.
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

// BeginTx begins a transaction: one that may write when it has the baton, which it
// keeps to its end.
func (c *rememberer) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
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
	return ending{tx, end}, nil
}

// ending is a transaction at whose end something is done.
type ending struct {
	driver.Tx
	end func()
}

func (t ending) Commit() error {
	defer t.end()
	return t.Tx.Commit()
}

func (t ending) Rollback() error {
	defer t.end()
	return t.Tx.Rollback()
}

// QueryContext asks by the statement that is kept.
func (c *rememberer) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
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

// query asks; the rows call unlock when they are closed.
func (c *rememberer) query(ctx context.Context, query string, args []driver.NamedValue, unlock func()) (driver.Rows, error) {
	ctx, err := whole(ctx)
	if err != nil {
		return nil, err
	}
	k, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	var rows driver.Rows
	if k == nil {
		k = &kept{}
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
		return &heldRows{typed, back}, nil
	}
	return &plainRows{rows, back}, nil
}

// ExecContext runs the statement that is kept.
func (c *rememberer) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	unlock, err := c.lock(ctx, query)
	if err != nil {
		return nil, err
	}
	defer unlock()
	ctx, err = whole(ctx)
	if err != nil {
		return nil, err
	}
	k, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	if k == nil {
		return c.connection.ExecContext(ctx, query, args)
	}
	defer func() { k.busy = false }()
	return k.ExecContext(ctx, args)
}

// Close ends the statements before the connection.
func (c *rememberer) Close() error {
	for _, k := range c.kept {
		_ = k.Close() // the connection goes with them
	}
	c.kept = nil
	return c.connection.Close()
}

// typedRows are rows whose columns say what they are.
type typedRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	ColumnTypeLength(index int) (int64, bool)
	ColumnTypeNullable(index int) (nullable, ok bool)
	ColumnTypePrecisionScale(index int) (precision, scale int64, ok bool)
	ColumnTypeScanType(index int) reflect.Type
}

// heldRows give back what they hold when they are closed.
type heldRows struct {
	typedRows
	back func()
}

func (r *heldRows) Close() error {
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
