package applications

import (
	"context"
	"fmt"
	"strings"

	"vestibule/internal/store"
)

// List returns a page of applications, newest first, and the cursor of the next page,
// or "" after the last.
func (s *Service) List(ctx context.Context, f Filter) ([]Application, string, error) {
	where, args := []string{"1 = 1"}, []any{}
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	if f.State != "" {
		where = append(where, "state = "+arg(f.State))
	}
	if f.Product != "" {
		where = append(where, "product = "+arg(string(f.Product)))
	}
	if f.ExternalID != "" {
		where = append(where, "external_id = "+arg(f.ExternalID))
	}
	if !f.From.IsZero() {
		where = append(where, "created_at >= "+arg(store.Micros(f.From)))
	}
	if !f.To.IsZero() {
		where = append(where, "created_at < "+arg(store.Micros(f.To)))
	}
	if f.Cursor != "" {
		after, err := store.ParseCursor(f.Cursor)
		if err != nil {
			return nil, "", err
		}
		// A row value lets both database engines use the index.
		where = append(where, fmt.Sprintf("(created_at, id) < (%s, %s)", arg(after.Micros()), arg(after.ID)))
	}
	limit := f.Limit
	if limit < 1 || limit > 100 {
		limit = 25
	}
	query := `SELECT ` + columns + ` FROM applications WHERE ` + strings.Join(where, " AND ") +
		` ORDER BY created_at DESC, id DESC LIMIT ` + arg(int64(limit+1))
	page, err := store.QueryAll(ctx, s.DB.SQL, scan, query, args...)
	if err != nil || len(page) <= limit {
		return page, "", err
	}
	last := page[limit-1]
	return page[:limit], store.Cursor{At: last.CreatedAt, ID: last.ID}.String(), nil
}

// byIDs returns those of the applications that exist.
func byIDs(ctx context.Context, q store.Queryer, ids []string) ([]Application, error) {
	in, args := placeholders(ids)
	return store.QueryAll(ctx, q, scan, `SELECT `+columns+` FROM applications WHERE id IN (`+in+`)`, args...)
}

// placeholders returns SQL placeholders and their arguments.
func placeholders(ids []string) (placeholders string, args []any) {
	in, args := make([]string, len(ids)), make([]any, len(ids))
	for i, id := range ids {
		in[i], args[i] = fmt.Sprintf("$%d", i+1), id
	}
	return strings.Join(in, ", "), args
}
