package applications

import (
	"context"
	"strconv"

	"vestibule/internal/store"
)

// List returns a page of applications, newest first, and the cursor of the next page,
// or "" after the last.
func (s *Service) List(ctx context.Context, f Filter) ([]Application, string, error) {
	after, err := store.ParseCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	var c store.Conditions
	c.EqualWord("state", f.State)
	c.EqualWord("product", string(f.Product))
	c.Equal("external_id", f.ExternalID)
	c.Add("created_at >= %s AND created_at < %s", store.MicrosOrZero(f.From), store.MicrosOrEnd(f.To))
	c.After("created_at", "id", after)
	limit := f.Limit
	if limit < 1 || limit > 100 {
		limit = 25
	}
	page, err := store.QueryAll(ctx, s.DB.SQL, scan, `SELECT `+columns+` FROM applications `+c.Where()+
		` ORDER BY created_at DESC, id DESC LIMIT `+strconv.Itoa(limit+1), c.Args...)
	if err != nil || len(page) <= limit {
		return page, "", err
	}
	last := page[limit-1]
	return page[:limit], store.Cursor{At: last.CreatedAt, ID: last.ID}.String(), nil
}

// byIDs returns those of the applications that exist.
func byIDs(ctx context.Context, q store.Queryer, ids []string) ([]Application, error) {
	in, args := store.InList(1, ids)
	return store.QueryAll(ctx, q, scan, `SELECT `+columns+` FROM applications WHERE id IN `+in, args...)
}
