// Package theme holds what a business may change about the look of its pages: colors,
// corners, font, color scheme and logo.
//
// It refuses colors with too little contrast (WCAG 2.2 AA) and names a color that would
// pass, and pictures with active content. The portal's brand and the themes of the
// provider's customers use it.
package theme

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Settings is a customer's theme. Empty fields keep Vestibule's look.
type Settings struct {
	Light, Dark string // accent in each scheme, "#rrggbb"; one alone is adjusted for the other
	Corners     string // one of Corners
	Font        string // one of Fonts
	Scheme      string // one of Schemes
	Wordmark    bool   // the logo contains the name, so pages do not repeat it
}

// The values of settings; the first is the default.
var (
	Corners = []string{"medium", "square", "small", "large"}
	Fonts   = []string{"inter", "system", "humanist", "serif"}
	Schemes = []string{"auto", Light, Dark}
)

// radii holds the tokens r1, r2 and r3; fonts the token sans. The defaults are those of
// web/ui/tokens.css.
var (
	radii = map[string][3]string{"square": {"0", "0", "0"}, "small": {".1875rem", ".3125rem", ".5rem"},
		"large": {".625rem", ".875rem", "1.25rem"}}
	fonts = map[string]string{
		"system":   "system-ui, sans-serif",
		"humanist": `Seravek, Candara, Calibri, Ubuntu, "Noto Sans", sans-serif`,
		"serif":    `Charter, "Bitstream Charter", Cambria, Georgia, "Noto Serif", serif`,
	}
	shadows = map[string]string{
		Light: "0 1px 2px #1a232014, 0 12px 32px -16px #1a232026",
		Dark:  "0 1px 2px #0006, 0 12px 32px -16px #000a",
	}
	// grounds are of logos that are made for one scheme
	grounds = map[string]string{
		Light: "--ground-of-light:#0000;--ground-of-dark:#14181f",
		Dark:  "--ground-of-light:#ffffff;--ground-of-dark:#0000",
	}
)

// ErrSetting is returned for a color that does not parse and for an unknown value.
var ErrSetting = errors.New("theme: invalid setting")

// WithDefaults returns s with the default of each empty choice, and colors in lowercase.
func (s Settings) WithDefaults() Settings {
	for field, all := range map[*string][]string{&s.Corners: Corners, &s.Font: Fonts, &s.Scheme: Schemes} {
		if *field == "" {
			*field = all[0]
		}
	}
	s.Light, s.Dark = strings.ToLower(s.Light), strings.ToLower(s.Dark)
	return s
}

// Colors returns the colors of both schemes. The error is ErrSetting, or joins a
// *LowContrast for each scheme whose colors are not readable.
func (s Settings) Colors() (light, dark Colors, err error) {
	s = s.WithDefaults()
	if !slices.Contains(Corners, s.Corners) || !slices.Contains(Fonts, s.Font) || !slices.Contains(Schemes, s.Scheme) {
		return nil, nil, ErrSetting
	}
	var chosen [2]Choice
	for i, given := range []string{s.Light, s.Dark} {
		if given == "" {
			continue
		}
		c, err := ParseColor(given)
		if err != nil {
			return nil, nil, ErrSetting
		}
		chosen[i].Accent = &c
	}
	return Derive(chosen[0], chosen[1])
}

// IsCustom reports whether the style sheet differs from Vestibule's.
func (s Settings) IsCustom() bool {
	s.Wordmark = false
	return s.WithDefaults() != Settings{}.WithDefaults()
}

// Prefix is the path prefix of style sheets.
const Prefix = "/theme/"

// StyleSheetPath returns the path of the settings' style sheet. It contains the settings
// and a hash of the style sheet, so that caches need no revalidation and the server no
// lookup.
func (s Settings) StyleSheetPath() (string, error) { return s.path("") }

// PreviewPath returns the path of a style sheet that gives the classes theme-light and
// theme-dark the look of the settings.
func (s Settings) PreviewPath() (string, error) { return s.path(preview) }

const preview = "preview-"

func (s Settings) path(kind string) (string, error) {
	css, err := s.css(kind)
	if err != nil {
		return "", err
	}
	return Prefix + kind + s.slug() + "-" + hash(css) + ".css", nil
}

func (s Settings) slug() string {
	s = s.WithDefaults()
	words := []string{strings.TrimPrefix(s.Light, "#"), strings.TrimPrefix(s.Dark, "#"), s.Corners, s.Font, s.Scheme}
	for i, w := range words {
		if w == "" {
			words[i] = "default"
		}
	}
	return strings.Join(words, "-")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// ParseStyleSheet returns the style sheet of a file name from a path of Settings; ok is false
// for another name. current is false if another version of the program made the name.
func ParseStyleSheet(file string) (css string, current, ok bool) {
	name, isCSS := strings.CutSuffix(file, ".css")
	kind := ""
	if rest, isPreview := strings.CutPrefix(name, preview); isPreview {
		name, kind = rest, preview
	}
	words := strings.Split(name, "-")
	if !isCSS || len(words) != 6 {
		return "", false, false
	}
	s := Settings{Corners: words[2], Font: words[3], Scheme: words[4]}
	for i, field := range []*string{&s.Light, &s.Dark} {
		if words[i] != "default" {
			*field = "#" + words[i]
		}
	}
	css, err := s.css(kind)
	if err != nil || s.slug() != strings.Join(words[:5], "-") {
		return "", false, false
	}
	return css, words[5] == hash(css), true
}

func (s Settings) css(kind string) (string, error) {
	light, dark, err := s.Colors()
	if err != nil {
		return "", err
	}
	s = s.WithDefaults()
	schemes := map[string]Colors{Light: light, Dark: dark}
	names := slices.Sorted(maps.Keys(light))
	whole := func(scheme string) string {
		return fmt.Sprintf("{color-scheme:%s;--shadow:%s;%s;%s}\n", scheme, shadows[scheme], grounds[scheme],
			schemes[scheme].declarations(names))
	}
	var css strings.Builder
	switch {
	case kind == preview:
		for _, scheme := range []string{Light, Dark} {
			css.WriteString(".theme-" + scheme + whole(scheme))
		}
	case s.Scheme == "auto":
		css.WriteString(StyleSheet(light, dark))
	default:
		css.WriteString(":root" + whole(s.Scheme))
	}
	var more strings.Builder
	if r, ok := radii[s.Corners]; ok {
		fmt.Fprintf(&more, "--r1:%s;--r2:%s;--r3:%s;", r[0], r[1], r[2])
	}
	if font, ok := fonts[s.Font]; ok {
		more.WriteString("--sans:" + font + ";")
	}
	if more.Len() > 0 {
		on := ":root"
		if kind == preview {
			on = ":is(.theme-light,.theme-dark)"
		}
		css.WriteString(on + "{" + more.String() + "}\n")
	}
	return css.String(), nil
}
