package theme

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func sheet(t *testing.T, s Settings) string {
	t.Helper()
	path, err := s.StyleSheetPath()
	if err != nil {
		t.Fatal(err)
	}
	css, current, ok := ParseStyleSheet(strings.TrimPrefix(path, Prefix))
	if !current || !ok {
		t.Fatalf("ParseStyleSheet(%s) = %v, %v", path, current, ok)
	}
	return css
}

func TestStyleSheetOfSettings(t *testing.T) {
	for name, c := range map[string]struct {
		of        Settings
		with, not []string
	}{
		"none": {Settings{}, nil, []string{":root"}},
		"one accent": {Settings{Light: "#1F4FA3"}, []string{":root{", "--primary:#1f4fa3;", "@media (prefers-color-scheme:dark)"},
			[]string{"--r1"}},
		"always light": {Settings{Scheme: Light}, []string{"color-scheme:light;", "--paper:#f6f4ee;"}, []string{"@media"}},
		"always dark":  {Settings{Scheme: Dark}, []string{"color-scheme:dark;", "--paper:#101513;"}, []string{"@media"}},
		"corners":      {Settings{Corners: "square"}, []string{"--r1:0;--r2:0;--r3:0;"}, []string{"--primary"}},
		"font":         {Settings{Font: "serif"}, []string{"--sans:Charter"}, []string{"--r1"}},
	} {
		t.Run(name, func(t *testing.T) {
			css := sheet(t, c.of)
			for _, part := range c.with {
				if !strings.Contains(css, part) {
					t.Errorf("no %q in %s", part, css)
				}
			}
			for _, part := range c.not {
				if strings.Contains(css, part) {
					t.Errorf("%q in %s", part, css)
				}
			}
			if (css != "") != c.of.IsCustom() {
				t.Errorf("IsCustom() = %v for %q", c.of.IsCustom(), css)
			}
		})
	}
}

func TestInvalidSettings(t *testing.T) {
	for _, s := range []Settings{{Light: "red"}, {Dark: "#fff"}, {Corners: "huge"}, {Font: "Comic"}, {Scheme: "sepia"},
		{Light: "#13584c}body{"}} {
		if _, err := s.StyleSheetPath(); !errors.Is(err, ErrSetting) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	var low *LowContrast
	if _, err := (Settings{Dark: "#1f4fa3"}).StyleSheetPath(); !errors.As(err, &low) || low.Scheme != Dark || low.Better == nil {
		t.Errorf("a dark accent in the dark scheme: %v", err)
	}
}

// TestStyleSheetNames checks that only names of valid settings are served, and that the
// name of another version's style sheet is not cached.
func TestStyleSheetNames(t *testing.T) {
	for _, name := range []string{"", "x.css", "default-default-medium-inter-auto.css", "f2c94c-default-medium-inter-auto-0.css",
		"13584C-default-medium-inter-auto-0.css", "default-default--inter-auto-0.css", "default-default-medium-inter-auto-0.svg",
		"default-default-medium-inter-}-0.css"} {
		if css, _, ok := ParseStyleSheet(name); ok {
			t.Errorf("%q is served: %s", name, css)
		}
	}
	if _, current, ok := ParseStyleSheet("1f4fa3-default-medium-inter-auto-0123456789abcdef.css"); current || !ok {
		t.Errorf("another version's name: %v, %v", current, ok)
	}
}

func TestPreviewHasBothSchemes(t *testing.T) {
	path, err := Settings{Light: "#1f4fa3", Corners: "large", Scheme: Dark}.PreviewPath()
	if err != nil {
		t.Fatal(err)
	}
	css, current, ok := ParseStyleSheet(strings.TrimPrefix(path, Prefix))
	if !current || !ok || strings.Contains(css, ":root") || !strings.Contains(css, ".theme-light{") || !strings.Contains(css, ".theme-dark{") {
		t.Errorf("%s: %s", path, css)
	}
}

// TestShadowsMatchStyleSheet compares the shadows with web/ui/tokens.css.
func TestShadowsMatchStyleSheet(t *testing.T) {
	raw, err := os.ReadFile("../../web/ui/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, _ := strings.Cut(string(raw), "@media (prefers-color-scheme: dark)")
	for scheme, css := range map[string]string{Light: light, Dark: dark} {
		if !strings.Contains(css, "--shadow: "+shadows[scheme]+";") {
			t.Errorf("the %s shadow is not %s", scheme, shadows[scheme])
		}
	}
}

func TestCleanRefusesOtherFiles(t *testing.T) {
	for name, c := range map[string]struct{ extension, body, says string }{
		"another format": {"gif", "GIF89a", "must be a .svg"},
		"a large SVG":    {"svg", strings.Repeat(" ", MaxSVG+1), "larger than 64 KB"},
		"a script":       {"svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script/></svg>`, "<script>"},
		"no PNG":         {"png", "x", "is not a PNG file"},
		"a strip":        {"svg", `<svg viewBox="0 0 90 10"/>`, "too long: it must be"},
	} {
		if _, err := Clean(c.extension, []byte(c.body)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
