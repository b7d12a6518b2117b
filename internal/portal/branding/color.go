package branding

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// color is an RGB color with 8 bits per channel.
type color struct{ r, g, b uint8 }

var (
	black = color{}
	white = color{255, 255, 255}
)

func parse(s string) (color, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return color{}, fmt.Errorf(`%q: want "#rrggbb", in quotes, for a # begins a comment`, s)
	}
	return color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

func (c color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// mix returns c mixed with a share of d, from 0 to 1.
func (c color) mix(d color, share float64) color {
	one := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*share)) }
	return color{one(c.r, d.r), one(c.g, d.g), one(c.b, d.b)}
}

// luminance returns WCAG's relative luminance.
func (c color) luminance() float64 {
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
func contrast(a, b color) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// theme maps the color names of web/ui/tokens.css to colors.
type theme map[string]color

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

func standard(name string) theme {
	t := theme{}
	for token, value := range defaults[name] {
		t[token], _ = parse(value) // parses: a test checks the table
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

// lowContrast describes the first pair with too little contrast; ok is true if there is
// none.
func (t theme) lowContrast() (sentence string, ok bool) {
	for _, p := range pairs {
		for _, back := range p.backs {
			if got := contrast(t[p.front], t[back]); got < p.least {
				return fmt.Sprintf("%s (%s) on %s (%s) has a contrast of %.2f, and needs %.1f", displayNames[p.front],
					t[p.front], displayNames[back], t[back], got, p.least), false
			}
		}
	}
	return "", true
}

// derive returns a theme with the given accent and background and all colors derived
// from them; nil keeps the default.
func derive(name string, accent, background *color) theme {
	t := standard(name)
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
func (c color) toward(d color, ok func(color) bool) (color, bool) {
	for step := 0.0; step <= 1; step += 0.02 {
		if try := c.mix(d, step); ok(try) {
			return try, true
		}
	}
	return color{}, false
}

// themes returns both themes. An accent given for one theme only is adjusted to be
// readable in the other.
func themes(inLight, inDark configuredColors) (light, dark theme, err error) {
	var errs []error
	read := func(field, s string) *color {
		if s == "" {
			return nil
		}
		c, err := parse(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %w", field, err))
			return nil
		}
		return &c
	}
	la, lb := read("light.accent", inLight.Accent), read("light.background", inLight.Background)
	da, db := read("dark.accent", inDark.Accent), read("dark.background", inDark.Background)
	if len(errs) > 0 {
		return nil, nil, errors.Join(errs...)
	}
	if da == nil && la != nil {
		da = readableAccent("dark", *la, db, white)
	} else if la == nil && da != nil {
		la = readableAccent("light", *da, lb, black)
	}
	light, dark = derive("light", la, lb), derive("dark", da, db)
	return light, dark, errors.Join(contrastError("light", light, la, lb, inLight.Accent != ""),
		contrastError("dark", dark, da, db, inDark.Accent != ""))
}

// readableAccent returns the first color from accent toward way that is readable in a
// theme, or nil.
func readableAccent(name string, accent color, background *color, way color) *color {
	shade, ok := accent.toward(way, func(c color) bool { _, ok := derive(name, &c, background).lowContrast(); return ok })
	if !ok {
		return nil // the background is the problem; contrastError reports it
	}
	return &shade
}

// contrastError returns an error that describes a theme's unreadable pair and suggests a
// color that works, or nil.
func contrastError(name string, t theme, accent, background *color, configured bool) error {
	sentence, ok := t.lowContrast()
	if ok {
		return nil
	}
	toAccent, toBackground := black, standard(name)["paper"]
	if name == "dark" {
		toAccent = white
	}
	if accent != nil && configured {
		if better, ok := accent.toward(toAccent, func(c color) bool { _, ok := derive(name, &c, background).lowContrast(); return ok }); ok {
			return fmt.Errorf("%s: %s; the accent %s would do", name, sentence, better)
		}
	}
	if background != nil {
		if better, ok := background.toward(toBackground, func(c color) bool { _, ok := derive(name, accent, &c).lowContrast(); return ok }); ok {
			return fmt.Errorf("%s: %s; the background %s would do", name, sentence, better)
		}
	}
	return fmt.Errorf("%s: %s", name, sentence)
}

// styleSheet returns a style sheet of the colors that differ from Vestibule's. Both themes
// set the same names, since the second must override the first.
func styleSheet(light, dark theme) string {
	a, b := standard("light"), standard("dark")
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
	block := func(t theme) string {
		var s strings.Builder
		s.WriteString(":root{")
		for _, name := range names {
			fmt.Fprintf(&s, "--%s:%s;", name, t[name])
		}
		return s.String() + "}"
	}
	return block(light) + "\n@media (prefers-color-scheme:dark){" + block(dark) + "}\n"
}

// defaultIcon returns Vestibule's icon in a theme's colors, for a brand without an
// icon.
func defaultIcon(t theme) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="%s" d="M4 29V13.5a12 `+
		`12 0 0 1 24 0V29z"/><path fill="%s" d="M16 9a5 5 0 0 1 5 5v15l5 3H16z"/><path fill="%s" d="M11 29V14a5 5 0 0 1 5-5v23z"/></svg>`,
		t["primary"], t["light"], t["mark"])
}
