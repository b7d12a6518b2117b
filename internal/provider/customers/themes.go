package customers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"vestibule/internal/store"
	"vestibule/internal/theme"
)

// Theme is the look of an account's pages for applicants.
type Theme struct {
	theme.Settings
	Logos     map[string]Logo // by color scheme
	Inherited bool            // from the parent account
}

// Logo describes an account's logo in one color scheme.
type Logo struct {
	Hash          string // of its content
	Extension     string // "svg" or "png"
	Width, Height int    // in pixels, as shown
}

// Theme returns the account's theme or, without any, its parent's.
func (s *Service) Theme(ctx context.Context, q store.Queryer, customerID string) (Theme, error) {
	t, owner, err := themeOf(ctx, q, customerID)
	if err != nil || owner == "" {
		return t, err
	}
	t.Inherited = owner != customerID
	t.Logos, err = themeLogos(ctx, q, owner)
	return t, err
}

// SetTheme stores the settings of the account's own theme. The caller has checked them.
func (s *Service) SetTheme(ctx context.Context, tx *store.Tx, customerID string, of theme.Settings) error {
	if err := s.ownTheme(ctx, tx, customerID); err != nil {
		return err
	}
	return saveTheme(ctx, tx, customerID, of.WithDefaults())
}

// SetLogo stores the logo of a color scheme.
func (s *Service) SetLogo(ctx context.Context, tx *store.Tx, customerID, scheme string, p theme.Picture) error {
	if err := s.ownTheme(ctx, tx, customerID); err != nil {
		return err
	}
	sum := sha256.Sum256(p.Body)
	logo := Logo{Hash: hex.EncodeToString(sum[:16]), Extension: p.Extension, Width: p.Width, Height: p.Height}
	return saveLogo(ctx, tx, customerID, scheme, logo, p.Body)
}

// RemoveLogo removes the logo of a color scheme and reports whether there was one.
func (s *Service) RemoveLogo(ctx context.Context, tx *store.Tx, customerID, scheme string) (bool, error) {
	if err := s.ownTheme(ctx, tx, customerID); err != nil {
		return false, err
	}
	return deleteLogo(ctx, tx, customerID, scheme)
}

// ownTheme gives an account without a theme a copy of its parent's, or the default one. It
// locks the account.
func (s *Service) ownTheme(ctx context.Context, tx *store.Tx, customerID string) error {
	if err := requireRow(lockAccount(ctx, tx, customerID)); err != nil {
		return err
	}
	t, owner, err := themeOf(ctx, tx, customerID)
	if err != nil || owner == customerID {
		return err
	}
	if err := saveTheme(ctx, tx, customerID, t.Settings.WithDefaults()); err != nil || owner == "" {
		return err
	}
	return copyLogos(ctx, tx, owner, customerID)
}
