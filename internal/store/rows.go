package store

import (
	"context"
	"time"
)

// Row is a row of a result. *sql.Row and *sql.Rows implement it.
type Row interface{ Scan(into ...any) error }

// QueryAll returns all rows of a query, each as scan returns it.
func QueryAll[T any](ctx context.Context, q Queryer, scan func(Row) (T, error), query string, args ...any) (out []T, err error) {
	err = QueryEach(ctx, q, func(row Row) error {
		v, err := scan(row)
		out = append(out, v)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// QueryEach calls scan with each row of a query, until an error.
func QueryEach(ctx context.Context, q Queryer, scan func(Row) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ScanOne scans a row of one column, for QueryAll.
func ScanOne[T any](row Row) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// Columns returns what scans a row into the places that into returns, for QueryAll.
func Columns[T any](into func(*T) []any) func(Row) (T, error) {
	return func(row Row) (v T, err error) {
		err = row.Scan(into(&v)...)
		return v, err
	}
}

// ScanTime is ScanOne for a column of an instant; see At.
func ScanTime(row Row) (t time.Time, err error) {
	err = row.Scan(At(&t))
	return t, err
}

// FindOne is ScanOne for a row that may be missing, which is ErrNotFound.
func FindOne[T any](row Row) (T, error) {
	v, err := ScanOne[T](row)
	return v, MapNotFound(err)
}
