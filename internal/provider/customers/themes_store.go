package customers

import (
	"context"
	"database/sql"
	"errors"

	"vestibule/internal/store"
	"vestibule/internal/theme"
)

// themeOf returns the settings of the account's theme and the account that owns it, itself
// or its parent; owner is "" without a theme.
func themeOf(ctx context.Context, q store.Queryer, customerID string) (t Theme, owner string, err error) {
	err = q.QueryRowContext(ctx, `SELECT t.customer_id, t.light_color, t.dark_color, t.corners, t.font, t.color_scheme, t.logo_has_name
		FROM customers c JOIN themes t ON t.customer_id = c.id OR t.customer_id = c.parent_id
		WHERE c.id = $1 ORDER BY CASE WHEN t.customer_id = c.id THEN 0 ELSE 1 END LIMIT 1`, customerID).
		Scan(&owner, &t.Light, &t.Dark, &t.Corners, &t.Font, &t.Scheme, &t.Wordmark)
	if errors.Is(err, sql.ErrNoRows) {
		return Theme{}, "", nil
	}
	return t, owner, err
}

func saveTheme(ctx context.Context, tx *store.Tx, customerID string, s theme.Settings) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO themes
			(customer_id, light_color, dark_color, corners, font, color_scheme, logo_has_name, changed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (customer_id) DO UPDATE SET light_color = excluded.light_color, dark_color = excluded.dark_color,
			corners = excluded.corners, font = excluded.font, color_scheme = excluded.color_scheme,
			logo_has_name = excluded.logo_has_name, changed_at = excluded.changed_at`,
		customerID, s.Light, s.Dark, s.Corners, s.Font, s.Scheme, s.Wordmark, store.Micros(tx.Now)))
}

// ResetTheme removes the account's own theme and reports whether it had one.
func (s *Service) ResetTheme(ctx context.Context, tx *store.Tx, customerID string) (bool, error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM theme_logos WHERE customer_id = $1`, customerID); err != nil {
		return false, err
	}
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM themes WHERE customer_id = $1`, customerID))
}

// themeLogos returns an account's own logos by color scheme.
func themeLogos(ctx context.Context, q store.Queryer, customerID string) (map[string]Logo, error) {
	type row struct {
		scheme string
		Logo
	}
	all, err := store.QueryAll(ctx, q, func(r store.Row) (l row, err error) {
		err = r.Scan(&l.scheme, &l.Hash, &l.Extension, &l.Width, &l.Height)
		return l, err
	}, `SELECT color_scheme, hash, extension, width, height FROM theme_logos WHERE customer_id = $1`, customerID)
	out := map[string]Logo{}
	for _, l := range all {
		out[l.scheme] = l.Logo
	}
	return out, err
}

func saveLogo(ctx context.Context, tx *store.Tx, customerID, scheme string, l Logo, body []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO theme_logos (customer_id, color_scheme, hash, extension, width, height, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (customer_id, color_scheme) DO UPDATE SET hash = excluded.hash, extension = excluded.extension,
			width = excluded.width, height = excluded.height, body = excluded.body`,
		customerID, scheme, l.Hash, l.Extension, l.Width, l.Height, body))
}

func copyLogos(ctx context.Context, tx *store.Tx, from, to string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO theme_logos (customer_id, color_scheme, hash, extension, width, height, body)
		SELECT $2, color_scheme, hash, extension, width, height, body FROM theme_logos WHERE customer_id = $1`, from, to))
}

func deleteLogo(ctx context.Context, tx *store.Tx, customerID, scheme string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM theme_logos WHERE customer_id = $1 AND color_scheme = $2`, customerID, scheme))
}

// LogoFile returns the content of a logo, or store.ErrNotFound.
func (s *Service) LogoFile(ctx context.Context, q store.Queryer, hash, extension string) ([]byte, error) {
	return store.FindOne[[]byte](q.QueryRowContext(ctx, `SELECT body FROM theme_logos WHERE hash = $1 AND extension = $2 LIMIT 1`,
		hash, extension))
}
