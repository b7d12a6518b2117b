package branding

import (
	"errors"
	"fmt"

	"vestibule/internal/theme"
)

// themes returns the colors of both schemes for the configured ones.
func themes(inLight, inDark configuredColors) (light, dark theme.Colors, err error) {
	var errs []error
	read := func(field, s string) *theme.Color {
		if s == "" {
			return nil
		}
		c, err := theme.ParseColor(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %w, in quotes, for a # begins a comment", field, err))
			return nil
		}
		return &c
	}
	chosen := [2]theme.Choice{
		{Accent: read("light.accent", inLight.Accent), Background: read("light.background", inLight.Background)},
		{Accent: read("dark.accent", inDark.Accent), Background: read("dark.background", inDark.Background)},
	}
	if len(errs) > 0 {
		return nil, nil, errors.Join(errs...)
	}
	return theme.Derive(chosen[0], chosen[1])
}

// defaultIcon returns Vestibule's icon in a theme's colors, for a brand without an
// icon.
func defaultIcon(t theme.Colors) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="%s" d="M4 29V13.5a12 `+
		`12 0 0 1 24 0V29z"/><path fill="%s" d="M16 9a5 5 0 0 1 5 5v15l5 3H16z"/><path fill="%s" d="M11 29V14a5 5 0 0 1 5-5v23z"/></svg>`,
		t["primary"], t["light"], t["mark"])
}
