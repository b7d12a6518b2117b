package customers

import (
	"context"
	"errors"
	"maps"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/theme"
)

func TestThemes(t *testing.T) {
	storetest.Each(t, "provider", func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		var child Account
		r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			child, _, err = r.AddAccount(ctx, tx, r.parent, Names{Name: "Child"})
			return err
		})
		want := func(customerID string, of theme.Settings, logos map[string]string, inherited bool) {
			t.Helper()
			got, err := r.Theme(t.Context(), db.SQL, customerID)
			if err != nil {
				t.Fatal(err)
			}
			hashes := map[string]string{}
			for scheme, l := range got.Logos {
				body, err := r.LogoFile(t.Context(), db.SQL, l.Hash, l.Extension)
				if err != nil {
					t.Fatal(err)
				}
				hashes[scheme] = string(body)
			}
			if got.Settings != of || !maps.Equal(hashes, logos) || got.Inherited != inherited {
				t.Errorf("Theme(%s) = %+v with logos %v, want %+v with %v", customerID, got, hashes, of, logos)
			}
		}
		set := func(customerID string, of theme.Settings) {
			t.Helper()
			r.tx(func(ctx context.Context, tx *store.Tx) error { return r.SetTheme(ctx, tx, customerID, of) })
		}
		logo := func(customerID, scheme, body string) {
			t.Helper()
			r.tx(func(ctx context.Context, tx *store.Tx) error {
				return r.SetLogo(ctx, tx, customerID, scheme, theme.Picture{Extension: "svg", Body: []byte(body), Width: 80, Height: 40})
			})
		}

		want(child.ID, theme.Settings{}, nil, false)
		blue := theme.Settings{Light: "#1f4fa3", Corners: "large", Wordmark: true}
		set(r.parent, blue)
		logo(r.parent, theme.Light, "first")
		logo(r.parent, theme.Light, "second") // replaces the first
		want(r.parent, blue.WithDefaults(), map[string]string{theme.Light: "second"}, false)
		want(child.ID, blue.WithDefaults(), map[string]string{theme.Light: "second"}, true)

		// A child's first change copies what it inherited; later changes of the parent do not reach it.
		logo(child.ID, theme.Dark, "night")
		set(r.parent, theme.Settings{})
		want(r.parent, theme.Settings{}.WithDefaults(), map[string]string{theme.Light: "second"}, false)
		want(child.ID, blue.WithDefaults(), map[string]string{theme.Light: "second", theme.Dark: "night"}, false)

		r.tx(func(ctx context.Context, tx *store.Tx) error {
			if removed, err := r.RemoveLogo(ctx, tx, child.ID, theme.Dark); err != nil || !removed {
				t.Errorf("RemoveLogo() = %v, %v", removed, err)
			}
			reset, err := r.ResetTheme(ctx, tx, child.ID)
			if !reset {
				t.Error("ResetTheme() found no theme")
			}
			return err
		})
		want(child.ID, theme.Settings{}.WithDefaults(), map[string]string{theme.Light: "second"}, true)
		if _, err := r.LogoFile(t.Context(), db.SQL, "0", "svg"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an unknown logo: %v", err)
		}
	})
}
