package visits_test

import (
	"testing"

	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/visits"
	"vestibule/internal/theme"
	"vestibule/templates/ui"

	"github.com/google/go-cmp/cmp"
)

// TestThemeLogo: pages show the logo of each color scheme, or the only one, with the scheme
// that it is made for.
func TestThemeLogo(t *testing.T) {
	light := customers.Logo{Hash: "day", Extension: "svg", Width: 80, Height: 40}
	dark := customers.Logo{Hash: "night", Extension: "png", Width: 60, Height: 40}
	both := map[string]customers.Logo{theme.Light: light, theme.Dark: dark}
	const day, night = "/theme/logo/day.svg", "/theme/logo/night.png"
	for name, test := range map[string]struct {
		scheme string
		logos  map[string]customers.Logo
		want   *ui.Logo
	}{
		"none":          {},
		"both":          {"", both, &ui.Logo{URL: day, Dark: night, Width: 80, Height: 40}},
		"light":         {"", map[string]customers.Logo{theme.Light: light}, &ui.Logo{URL: day, Width: 80, Height: 40}},
		"dark":          {"", map[string]customers.Logo{theme.Dark: dark}, &ui.Logo{URL: night, OnlyDark: true, Width: 60, Height: 40}},
		"always light":  {theme.Light, both, &ui.Logo{URL: day, Width: 80, Height: 40}},
		"always dark":   {theme.Dark, both, &ui.Logo{URL: night, OnlyDark: true, Width: 60, Height: 40}},
		"dark, a light": {theme.Dark, map[string]customers.Logo{theme.Light: light}, &ui.Logo{URL: day, Width: 80, Height: 40}},
	} {
		var th customers.Theme
		th.Scheme, th.Logos = test.scheme, test.logos
		if diff := cmp.Diff(test.want, visits.ThemeLogo(th)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
