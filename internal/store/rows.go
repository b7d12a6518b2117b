package store

import "context"

// Row is a row of a result. *sql.Row and *sql.Rows implement it.
type Row interface{ Scan(into ...any) error }

// QueryAll returns all rows of a query, each as scan returns it.
func QueryAll[T any](ctx context.Context, q Queryer, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// ScanOne scans a row of one column, for QueryAll.
func ScanOne[T any](row Row) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// FindOne is ScanOne for a row that may be missing, which is ErrNotFound.
func FindOne[T any](row Row) (T, error) {
	v, err := ScanOne[T](row)
	return v, MapNotFound(err)
}
