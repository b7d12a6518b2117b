// Package branding holds the portal's brand: name, logo, colors, legal texts and
// contact, read once at startup from a brand file and the files that it names.
//
// It rejects unknown keys, files above their size limits, SVG files with active
// content, legal texts with missing languages, and colors with too little contrast;
// the error names the pair, its contrast, and a color that would work. All generated
// files are served under names derived from their content, so that pages need no
// inline styles and caches need no revalidation.
package branding

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/strictyaml"
	"vestibule/internal/theme"
	portalui "vestibule/templates/portal"
	"vestibule/templates/ui"
)

// file is the brand file. Paths are relative to its directory and must stay within
// it.
type file struct {
	Name     string `yaml:"name"`     // required, at most 60 characters
	Logo     string `yaml:"logo"`     // SVG or PNG for the header; default: Vestibule's logo in the accent color
	LogoDark string `yaml:"logoDark"` // the logo for the dark theme
	Wordmark bool   `yaml:"wordmark"` // the logo contains the name, so the header omits it
	Icon     string `yaml:"icon"`     // SVG or PNG for the browser's tab
	Colors   struct {
		Light, Dark configuredColors
	} `yaml:"colors"`
	Legal struct {
		Privacy texts `yaml:"privacy"` // shown as a page
		Terms   texts `yaml:"terms"`   // shown as a page
		Consent texts `yaml:"consent"` // one or two lines above the form's button
	} `yaml:"legal"`
	Support struct {
		Email string `yaml:"email"`
		Phone string `yaml:"phone"`
		URL   string `yaml:"url"`
	} `yaml:"support"`
}

// configuredColors holds the configured colors of one theme, "#rrggbb"; missing ones are
// derived.
type configuredColors struct {
	Accent     string `yaml:"accent"`
	Background string `yaml:"background"`
}

// texts maps languages to files of Markdown (.md) or plain text (.txt).
type texts map[i18n.Lang]string

// Bounds of files in bytes, and of the name and the phone number in characters.
const (
	maxFile  = 64 << 10
	maxText  = 128 << 10
	maxName  = 60
	maxPhone = 40
)

// Brand is the loaded brand. The zero value is Vestibule's.
type Brand struct {
	Page  portalui.Brand
	Print []byte       // the logo as a PNG file for paper; nil without a logo that is a PNG file
	Light theme.Colors // nil for Vestibule's brand
	Dark  theme.Colors
	legal map[string]map[i18n.Lang]string // HTML by document and language
	files map[string]asset                // by file name in the address
}

// asset is a served file.
type asset struct {
	kind string
	body []byte
}

// Prefix is the path prefix of a brand's files.
const Prefix = "/brand/"

// Load reads a brand file; for "" it returns Vestibule's brand. The error lists all
// problems, one per line.
func Load(path string) (*Brand, error) {
	if path == "" {
		return &Brand{}, nil
	}
	raw, err := bounded(path, maxFile)
	if err != nil {
		return nil, err
	}
	var f file
	if err := strictyaml.Decode(raw, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l := loader{dir: filepath.Dir(path), out: &Brand{files: map[string]asset{}, legal: map[string]map[i18n.Lang]string{}}}
	l.load(f)
	return l.out, errors.Join(l.errs...)
}

type loader struct {
	dir  string
	out  *Brand
	errs []error
}

func (l *loader) problem(field string, err error) {
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("%s: %w", field, err))
	}
}

func (l *loader) load(f file) {
	b := &l.out.Page
	if b.Name = strings.TrimSpace(f.Name); b.Name == "" || !line(b.Name, maxName) {
		l.problem("name", fmt.Errorf("must have 1 to %d characters on one line", maxName))
	}
	if logo := l.picture("logo", f.Logo); logo != nil {
		b.Logo = &ui.Logo{URL: logo.url, Width: logo.width, Height: logo.height, Wordmark: f.Wordmark}
		if logo.kind == "image/png" {
			var err error
			l.out.Print, err = opaque(logo.body)
			l.problem("logo", err)
		}
	}
	if dark := l.picture("logoDark", f.LogoDark); dark != nil {
		if b.Logo == nil {
			l.problem("logoDark", errors.New("is for a logo, which is not given"))
		} else {
			b.Logo.Dark = dark.url
		}
	}
	if f.Wordmark && f.Logo == "" {
		l.problem("wordmark", errors.New("is for a logo, which is not given"))
	}
	light, dark, err := themes(f.Colors.Light, f.Colors.Dark)
	l.out.Light, l.out.Dark = light, dark
	l.problem("colors", err)
	if css := theme.StyleSheet(light, dark); err == nil && css != "" {
		b.Style = l.publish("css", "text/css; charset=utf-8", []byte(css))
	}
	if icon := l.picture("icon", f.Icon); icon != nil {
		b.Icon, b.IconType = icon.url, icon.kind
	} else if err == nil && f.Icon == "" {
		b.Icon, b.IconType = l.publish("svg", "image/svg+xml", []byte(defaultIcon(light))), "image/svg+xml"
	}
	b.Privacy = l.document("privacy", f.Legal.Privacy)
	b.Terms = l.document("terms", f.Legal.Terms)
	if l.document("consent", f.Legal.Consent) {
		b.Consent = map[i18n.Lang]string{}
		for lang, text := range l.out.legal["consent"] {
			// Open links in a new tab, so that they neither leave a half-filled form
			// nor open in another site's frame.
			b.Consent[lang] = strings.ReplaceAll(text, `<a href="`, `<a target="_blank" rel="noopener" href="`)
		}
	}
	s := f.Support
	b.Support = portalui.Support{Email: s.Email, Phone: s.Phone, URL: s.URL}
	if s.Email != "" && !prefill.IsEmail(s.Email) {
		l.problem("support.email", errors.New("is not an email address"))
	}
	if s.Phone != "" && (!line(s.Phone, maxPhone) || strings.Trim(s.Phone, "+0123456789 ()-.") != "") {
		l.problem("support.phone", fmt.Errorf("must have up to %d digits, spaces, dashes and a +, in quotes", maxPhone))
	}
	if s.URL != "" && !httpx.IsHTTPS(s.URL) {
		l.problem("support.url", errors.New("must be an https address"))
	}
}

// line reports whether s is one line of at most max characters.
func line(s string, max int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= max && !strings.ContainsFunc(s, unicode.IsControl)
}

// read reads a file named in the brand file.
func (l *loader) read(name string, max int64) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q: must be a file beside the brand file", name)
	}
	return bounded(filepath.Join(l.dir, name), max)
}

func bounded(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > max {
		return nil, fmt.Errorf("%s is larger than %d KB", filepath.Base(path), max>>10)
	}
	return raw, nil
}

// publish stores content under a name derived from it, and returns its address.
func (l *loader) publish(extension, kind string, body []byte) string {
	sum := sha256.Sum256(body)
	name := hex.EncodeToString(sum[:8]) + "." + extension
	l.out.files[name] = asset{kind, body}
	return Prefix + name
}

// Document returns a legal text in a language as HTML; false if the brand has none.
func (b *Brand) Document(name string, lang i18n.Lang) (html string, ok bool) {
	if name == "consent" {
		return "", false // shown in the form, not as a page
	}
	html, ok = b.legal[name][lang]
	return html, ok
}

// ServeHTTP serves the brand's files.
func (b *Brand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := b.files[strings.TrimPrefix(r.URL.Path, Prefix)]
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	if !ok {
		h.Set("Cache-Control", "no-store")
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	// An SVG opened directly is a document: forbid everything.
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.body) // the client has disconnected
	}
}
