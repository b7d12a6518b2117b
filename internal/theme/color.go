package theme

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Color is an RGB color with 8 bits per channel.
type Color struct{ r, g, b uint8 }

var (
	black = Color{}
	white = Color{255, 255, 255}
)

// ParseColor parses "#rrggbb".
func ParseColor(s string) (Color, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return Color{}, fmt.Errorf(`%q: want "#rrggbb"`, s)
	}
	return Color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

// String returns "#rrggbb" in lowercase.
func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// mix returns c mixed with a share of d, from 0 to 1.
func (c Color) mix(d Color, share float64) Color {
	one := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*share)) }
	return Color{one(c.r, d.r), one(c.g, d.g), one(c.b, d.b)}
}

// luminance returns WCAG's relative luminance.
func (c Color) luminance() float64 {
	channel := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(c.r) + 0.7152*channel(c.g) + 0.0722*channel(c.b)
}

// contrast returns WCAG's contrast ratio of two colors, 1 to 21.
func contrast(a, b Color) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Colors maps the color names of web/ui/tokens.css to the colors of one scheme.
type Colors map[string]Color

// The color schemes.
const (
	Light = "light"
	Dark  = "dark"
)

// defaults holds Vestibule's colors. A test compares them with the style sheet.
var defaults = map[string]map[string]string{
	"light": {"paper": "#f6f4ee", "sheet": "#ffffff", "sunk": "#eeebe2", "ink": "#1a2320", "soft": "#56605b", "line": "#dcd7ca",
		"edge": "#7b837d", "primary": "#13584c", "primary-strong": "#0b4238", "on-primary": "#ffffff", "primary-wash": "#e3eeea",
		"focus": "#a15c00", "light": "#f3c878", "mark": "#0b4238", "brass": "#b06f0c", "info": "#1b4d7e", "info-wash": "#e6eff8",
		"success": "#1a6136", "success-wash": "#e4f2e8", "warning": "#774700", "warning-wash": "#fbf0d9",
		"danger": "#a1241d", "danger-wash": "#fbe9e7"},
	"dark": {"paper": "#101513", "sheet": "#19201d", "sunk": "#232b27", "ink": "#e8ede9", "soft": "#a6b1ab", "line": "#333c38",
		"edge": "#7a857f", "primary": "#86d3bf", "primary-strong": "#a9e4d5", "on-primary": "#05231c", "primary-wash": "#1b312b",
		"focus": "#f2b44b", "light": "#f3c878", "mark": "#2f7566", "brass": "#f2b44b", "info": "#9dc7f1", "info-wash": "#16283a",
		"success": "#8fd4a6", "success-wash": "#153022", "warning": "#eec57d", "warning-wash": "#352913",
		"danger": "#f5aca3", "danger-wash": "#3b1c19"},
}

// Default returns Vestibule's colors of a scheme.
func Default(scheme string) Colors {
	t := Colors{}
	for token, value := range defaults[scheme] {
		t[token], _ = ParseColor(value) // parses: a test checks the table
	}
	return t
}

// pairs lists the colors that appear on each other with their required contrast: 4.5
// for text, 7 for long text, 3 for edges of controls, the focus ring and meaningful
// icons (WCAG 2.2, 1.4.3 and 1.4.11).
var pairs = []struct {
	front string
	backs []string
	least float64
}{
	{"primary", []string{"paper", "sheet", "primary-wash"}, 4.5},
	{"primary-strong", []string{"paper", "sheet", "primary-wash"}, 4.5},
	{"on-primary", []string{"primary", "primary-strong"}, 4.5},
	{"primary", []string{"line"}, 3},
	{"ink", []string{"paper", "sheet", "sunk", "primary-wash"}, 7},
	{"soft", []string{"paper", "sheet", "sunk", "primary-wash"}, 4.5},
	{"info", []string{"paper", "sheet"}, 4.5},
	{"success", []string{"paper", "sheet"}, 4.5},
	{"warning", []string{"paper", "sheet"}, 4.5},
	{"danger", []string{"paper", "sheet"}, 4.5},
	{"edge", []string{"paper", "sheet", "primary-wash"}, 3},
	{"focus", []string{"paper", "sheet", "primary-wash"}, 3},
	{"brass", []string{"paper", "sheet"}, 3},
}

var displayNames = map[string]string{"primary": "the accent", "primary-strong": "the accent under the pointer",
	"on-primary": "a button's text", "primary-wash": "the accent's wash", "paper": "the background", "sheet": "a card",
	"sunk": "a sunk surface", "line": "a line", "ink": "text", "soft": "quiet text", "info": "a note's text",
	"success": "a success's text", "warning": "a warning's text", "danger": "an error's text", "edge": "a field's edge",
	"focus": "the focus ring", "brass": "the step at hand"}

// LowContrast is the error of two colors that meet on a page with too little contrast.
type LowContrast struct {
	Scheme      string
	Front, Back string // names of the tokens
	FrontColor  Color
	BackColor   Color
	Ratio       float64
	Least       float64 // that WCAG 2.2 AA asks for
	Better      *Color  // a color in place of the given one that passes; nil for none
	Background  bool    // Better replaces the background, not the accent
}

func (e *LowContrast) Error() string {
	text := fmt.Sprintf("%s: %s (%s) on %s (%s) has a contrast of %.2f, and needs %.1f", e.Scheme, displayNames[e.Front],
		e.FrontColor, displayNames[e.Back], e.BackColor, e.Ratio, e.Least)
	switch {
	case e.Better == nil:
		return text
	case e.Background:
		return fmt.Sprintf("%s; the background %s would do", text, e.Better)
	}
	return fmt.Sprintf("%s; the accent %s would do", text, e.Better)
}

// lowContrast returns the first pair with too little contrast, or nil.
func (t Colors) lowContrast(scheme string) *LowContrast {
	for _, p := range pairs {
		for _, back := range p.backs {
			if got := contrast(t[p.front], t[back]); got < p.least {
				return &LowContrast{Scheme: scheme, Front: p.front, Back: back, FrontColor: t[p.front], BackColor: t[back],
					Ratio: got, Least: p.least}
			}
		}
	}
	return nil
}

// derive returns a theme with the given accent and background and all colors derived
// from them; nil keeps the default.
func derive(name string, accent, background *Color) Colors {
	t := Default(name)
	deep, bright := black, white
	wash := 0.10
	if name == "dark" {
		deep, bright, wash = white, black, 0.16
	}
	if background != nil {
		t["paper"] = *background
		if name == "dark" {
			t["sheet"] = background.mix(white, 0.05)
		}
		t["sunk"] = t["sheet"].mix(t["ink"], 0.06)
		t["line"] = background.mix(t["ink"], 0.14)
	}
	if accent != nil {
		t["primary"] = *accent
		t["primary-strong"] = accent.mix(deep, 0.25)
		t["primary-wash"] = t["sheet"].mix(*accent, wash)
		for contrast(t["edge"], t["primary-wash"]) < 3 && wash > 0.05 { // of a bright accent in the dark scheme
			wash -= 0.02
			t["primary-wash"] = t["sheet"].mix(*accent, wash)
		}
		t["mark"] = accent.mix(black, 0.3)
		t["on-primary"] = white
		if dark := accent.mix(bright, 0.88); name == "dark" || contrast(white, *accent) < 4.5 {
			t["on-primary"] = dark
			if contrast(dark, *accent) < contrast(white, *accent) {
				t["on-primary"] = white
			}
		}
	}
	return t
}

// toward returns the first color between c and d for which ok is true.
func (c Color) toward(d Color, ok func(Color) bool) (Color, bool) {
	for step := 0.0; step <= 1; step += 0.02 {
		if try := c.mix(d, step); ok(try) {
			return try, true
		}
	}
	return Color{}, false
}

// Choice is what a brand or a customer chooses in one scheme; nil keeps the default.
type Choice struct{ Accent, Background *Color }

// Derive returns the colors of both schemes. An accent chosen for one scheme only is
// adjusted to be readable in the other. The error joins a *LowContrast for each scheme
// whose colors are not readable.
func Derive(inLight, inDark Choice) (light, dark Colors, err error) {
	la, da := inLight.Accent, inDark.Accent
	if da == nil && la != nil {
		da = readableAccent(Dark, *la, inDark.Background, white)
	} else if la == nil && da != nil {
		la = readableAccent(Light, *da, inLight.Background, black)
	}
	light, dark = derive(Light, la, inLight.Background), derive(Dark, da, inDark.Background)
	return light, dark, errors.Join(contrastError(Light, light, la, inLight.Background, inLight.Accent != nil),
		contrastError(Dark, dark, da, inDark.Background, inDark.Accent != nil))
}

func readable(scheme string, accent, background *Color) bool {
	return derive(scheme, accent, background).lowContrast(scheme) == nil
}

// readableAccent returns the first color from accent toward way that is readable in a
// scheme, or nil.
func readableAccent(scheme string, accent Color, background *Color, way Color) *Color {
	shade, ok := accent.toward(way, func(c Color) bool { return readable(scheme, &c, background) })
	if !ok {
		return nil // the background is the problem; contrastError reports it
	}
	return &shade
}

// contrastError returns the error of a scheme's unreadable pair with a color that works,
// or nil.
func contrastError(scheme string, t Colors, accent, background *Color, configured bool) error {
	low := t.lowContrast(scheme)
	if low == nil {
		return nil
	}
	toAccent, toBackground := black, Default(scheme)["paper"]
	if scheme == Dark {
		toAccent = white
	}
	if accent != nil && configured {
		if better, ok := accent.toward(toAccent, func(c Color) bool { return readable(scheme, &c, background) }); ok {
			low.Better = &better
			return low
		}
	}
	if background != nil {
		if better, ok := background.toward(toBackground, func(c Color) bool { return readable(scheme, accent, &c) }); ok {
			low.Better, low.Background = &better, true
		}
	}
	return low
}

// StyleSheet returns a style sheet of the colors that differ from Vestibule's, or "". Both
// schemes set the same names, since the second must override the first.
func StyleSheet(light, dark Colors) string {
	a, b := Default(Light), Default(Dark)
	var names []string
	for name := range a {
		if light[name] != a[name] || dark[name] != b[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return ":root{" + light.declarations(names) + "}\n@media (prefers-color-scheme:dark){:root{" + dark.declarations(names) + "}}\n"
}

// declarations returns the custom properties of the named colors.
func (t Colors) declarations(names []string) string {
	var s strings.Builder
	for _, name := range names {
		fmt.Fprintf(&s, "--%s:%s;", name, t[name])
	}
	return s.String()
}
