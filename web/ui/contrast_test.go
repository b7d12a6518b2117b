// Package ui_test holds the colors of the tokens against the contrast that
// WCAG 2.2 AA asks for, in both themes. It reads the style sheet itself.
package ui_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// pairs are the colors that meet on a page: text needs 4.5, the edge of a
// control, the focus ring and graphics that carry meaning need 3 (1.4.3,
// 1.4.11).
var pairs = []struct {
	front string
	backs []string
	least float64
}{
	{"ink", []string{"paper", "sheet", "sunk", "primary-wash", "info-wash", "success-wash", "warning-wash", "danger-wash"}, 7},
	{"soft", []string{"paper", "sheet", "sunk", "primary-wash"}, 4.5},
	{"primary", []string{"paper", "sheet", "primary-wash"}, 4.5},
	{"primary-strong", []string{"paper", "sheet", "primary-wash"}, 4.5},
	{"on-primary", []string{"primary", "primary-strong"}, 4.5},
	{"sheet", []string{"danger"}, 4.5},
	{"info", []string{"info-wash", "sheet", "paper"}, 4.5},
	{"success", []string{"success-wash", "sheet", "paper"}, 4.5},
	{"warning", []string{"warning-wash", "sheet", "paper"}, 4.5},
	{"danger", []string{"danger-wash", "sheet", "paper"}, 4.5},
	{"edge", []string{"paper", "sheet", "primary-wash"}, 3},
	{"focus", []string{"paper", "sheet", "primary-wash", "danger-wash"}, 3},
	{"brass", []string{"paper", "sheet"}, 3},
	{"primary", []string{"line"}, 3},
}

func TestContrast(t *testing.T) {
	raw, err := os.ReadFile("tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(raw), "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("tokens.css has no dark theme")
	}
	themes := map[string]map[string]string{"light": tokens(light), "dark": tokens(light)}
	for name, value := range tokens(dark) {
		themes["dark"][name] = value
	}
	for theme, colours := range themes {
		for _, p := range pairs {
			for _, back := range p.backs {
				t.Run(fmt.Sprintf("%s/%s on %s", theme, p.front, back), func(t *testing.T) {
					ratio := contrast(luminance(t, colours[p.front]), luminance(t, colours[back]))
					if ratio < p.least {
						t.Errorf("contrast(%s, %s) = %.2f, want at least %.1f", colours[p.front], colours[back], ratio, p.least)
					}
				})
			}
		}
	}
}

// TestThemesNameTheSameColours fails on a color that only one theme defines: the other
// theme would silently keep its value.
func TestThemesNameTheSameColours(t *testing.T) {
	raw, err := os.ReadFile("tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, _ := strings.Cut(string(raw), "@media (prefers-color-scheme: dark)")
	in := tokens(dark)
	for name := range tokens(light) {
		if _, ok := in[name]; !ok {
			t.Errorf("--%s has no dark value", name)
		}
	}
}

func TestContrastFormula(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#777777", "#ffffff", 4.48}, {"#ff0000", "#ffffff", 4.0}} {
		if got := contrast(luminance(t, c.a), luminance(t, c.b)); math.Abs(got-c.want) > 0.005 {
			t.Errorf("contrast(%s, %s) = %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

var declaration = regexp.MustCompile(`--([a-z-]+):\s*(#[0-9a-f]{6});`)

func tokens(css string) map[string]string {
	out := map[string]string{}
	for _, m := range declaration.FindAllStringSubmatch(css, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// luminance is WCAG's relative luminance of a color #rrggbb.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil || len(colour) != 7 {
		t.Fatalf("%q is not a colour", colour)
	}
	channel := func(v uint64) float64 {
		c := float64(v&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(n>>16) + 0.7152*channel(n>>8) + 0.0722*channel(n)
}

func contrast(a, b float64) float64 {
	return (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05)
}
