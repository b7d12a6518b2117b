package review

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"vestibule/internal/console"
	"vestibule/internal/store"
)

// maxSaved is the maximum number of filters that a user can save.
const maxSaved = 20

// savedFilter is a filter that a user saved.
type savedFilter struct{ id, name, query string }

func filterCell(id string) store.Cell {
	return store.Cell{Table: "review_filters", Column: "name", Row: id}
}

// savedFilters lists the filters that a user saved, in the order of their tabs.
func (d *Handler) savedFilters(ctx context.Context, q store.Queryer, userID string) ([]savedFilter, error) {
	open, err := d.DB.Vault.Opener(ctx, q, store.SystemKey)
	if err != nil {
		return nil, err
	}
	return store.QueryAll(ctx, q, func(row store.Row) (s savedFilter, err error) {
		var sealed []byte
		if err := row.Scan(&s.id, &sealed, &s.query); err != nil {
			return s, err
		}
		name, err := open.Open(filterCell(s.id), sealed)
		s.name = string(name)
		return s, err
	}, `SELECT id, name, query FROM review_filters WHERE user_id = $1 ORDER BY position, created_at, id`, userID)
}

// saveFilter saves a filter of a user in place of one with the same name. It returns
// false if the user has saved maxSaved others.
func (d *Handler) saveFilter(ctx context.Context, tx *store.Tx, userID, name, query string) (bool, error) {
	all, err := d.savedFilters(ctx, tx, userID)
	if err != nil {
		return false, err
	}
	for _, s := range all {
		if s.name == name {
			return true, setFilterQuery(ctx, tx, userID, s.id, query)
		}
	}
	if len(all) >= maxSaved {
		return false, nil
	}
	id := uuid.NewString()
	sealed, err := d.DB.Vault.Seal(ctx, tx, store.SystemKey, filterCell(id), []byte(name))
	if err != nil {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO review_filters (id, user_id, name, query, created_at, position)
		VALUES ($1, $2, $3, $4, $5, COALESCE((SELECT MAX(position) + 1 FROM review_filters WHERE user_id = $2), 0))`,
		id, userID, sealed, query, store.Micros(tx.Now))
	return true, err
}

// setFilterQuery changes what a saved filter of a user selects, if it exists.
func setFilterQuery(ctx context.Context, tx *store.Tx, userID, id, query string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE review_filters SET query = $3 WHERE id = $1 AND user_id = $2`, id, userID, query))
}

// listColumns returns the columns that a user wants in lists; "" for the usual ones.
func listColumns(ctx context.Context, q store.Queryer, userID string) (columns string, err error) {
	err = q.QueryRowContext(ctx, `SELECT list_columns FROM user_settings WHERE user_id = $1`, userID).Scan(&columns)
	return columns, store.OrNone(store.MapNotFound(err))
}

func setListColumns(ctx context.Context, tx *store.Tx, userID, columns string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO user_settings (user_id, density, list_columns) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO UPDATE SET list_columns = excluded.list_columns`, userID, console.Comfortable, columns))
}

// renameFilter names a saved filter of a user, if it exists.
func (d *Handler) renameFilter(ctx context.Context, tx *store.Tx, userID, id, name string) error {
	sealed, err := d.DB.Vault.Seal(ctx, tx, store.SystemKey, filterCell(id), []byte(name))
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE review_filters SET name = $3 WHERE id = $1 AND user_id = $2`, id, userID, sealed))
}

// moveFilter moves a saved filter of a user by a number of places, if it exists and there
// are as many.
func (d *Handler) moveFilter(ctx context.Context, tx *store.Tx, userID, id string, by int) error {
	all, err := d.savedFilters(ctx, tx, userID)
	if err != nil {
		return err
	}
	from := slices.IndexFunc(all, func(s savedFilter) bool { return s.id == id })
	to := from + by
	if from < 0 || to < 0 || to >= len(all) {
		return nil
	}
	moved := all[from]
	for i, s := range slices.Insert(slices.Delete(all, from, from+1), to, moved) {
		if _, err := tx.ExecContext(ctx, `UPDATE review_filters SET position = $2 WHERE id = $1`, s.id, int64(i)); err != nil {
			return err
		}
	}
	return nil
}

// deleteFilter deletes a saved filter of a user, if it exists.
func deleteFilter(ctx context.Context, q store.Queryer, userID, id string) error {
	return store.Exec(q.ExecContext(ctx, `DELETE FROM review_filters WHERE id = $1 AND user_id = $2`, id, userID))
}
