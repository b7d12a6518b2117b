package store

import (
	"context"
	"database/sql/driver"
	"reflect"
)

// maxStatements is how many prepared statements a connection keeps.
const maxStatements = 200

// remembering opens connections of SQLite's that keep their prepared statements:
// to parse a query takes longer than to answer it by an index. PostgreSQL's driver
// does so itself.
type remembering struct{ driver.Connector }

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
		return &rememberer{connection: known, kept: map[string]*kept{}}, nil
	}
	return c, nil
}

// rememberer is a connection with its statements. As any connection it is used by
// one goroutine at a time; but the rows of one query may be open while another one
// runs, so a statement in use is not used again.
type rememberer struct {
	connection
	kept map[string]*kept
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

// QueryContext asks by the statement that is kept.
func (c *rememberer) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	ctx, err := whole(ctx)
	if err != nil {
		return nil, err
	}
	k, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	if k == nil {
		return c.connection.QueryContext(ctx, query, args)
	}
	rows, err := k.QueryContext(ctx, args)
	if err != nil {
		k.busy = false
		return nil, err
	}
	if typed, ok := rows.(typedRows); ok {
		return &heldRows{typedRows: typed, by: k}, nil
	}
	return &plainRows{Rows: rows, by: k}, nil
}

// ExecContext runs the statement that is kept.
func (c *rememberer) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	ctx, err := whole(ctx)
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

// heldRows give their statement back when they are closed.
type heldRows struct {
	typedRows
	by *kept
}

func (r *heldRows) Close() error {
	defer func() { r.by.busy = false }()
	return r.typedRows.Close()
}

type plainRows struct {
	driver.Rows
	by *kept
}

func (r *plainRows) Close() error {
	defer func() { r.by.busy = false }()
	return r.Rows.Close()
}
