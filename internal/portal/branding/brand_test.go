package branding

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/theme"
)

// write creates a directory with a brand file and its files.
func write(t *testing.T, brand string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "brand.yaml")
	if err := os.WriteFile(path, []byte(brand), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExampleBrand loads and serves the brand of the documentation.
func TestExampleBrand(t *testing.T) {
	b, err := Load("../../../docs/brand/brand.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Page
	if p.Name != "Harbor Lane" || p.Logo == nil || p.Logo.Width != 184 || p.Logo.Height != 40 ||
		!p.Logo.Wordmark || p.Logo.Dark == p.Logo.URL {
		t.Errorf("%+v, logo %+v", p, p.Logo)
	}
	if !p.Privacy || !p.Terms || !strings.Contains(p.Consent[i18n.Spanish],
		`<a target="_blank" rel="noopener" href="/legal/terms">condiciones</a>`) {
		t.Errorf("legal texts: %+v", p)
	}
	if text, ok := b.Document("privacy", i18n.English); !ok || !strings.Contains(text, "<h2>What we receive</h2>") {
		t.Errorf("privacy = %q, %v", text, ok)
	}
	if _, ok := b.Document("consent", i18n.English); ok {
		t.Error("the consent is a page")
	}
	for _, url := range []string{p.Style, p.Icon, p.Logo.URL, p.Logo.Dark} {
		w := httptest.NewRecorder()
		b.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
		h := w.Result().Header
		if w.Code != 200 || h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" ||
			!strings.Contains(h.Get("Cache-Control"), "immutable") {
			t.Errorf("%s = %d %v", url, w.Code, h)
		}
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest("GET", Prefix+"../brand.yaml", nil))
	if w.Code != 404 {
		t.Errorf("another file = %d", w.Code)
	}
}

// TestLogoOnPaper checks that a PNG logo for paper is opaque, and that an SVG logo gives none.
func TestLogoOnPaper(t *testing.T) {
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewNRGBA64(image.Rect(0, 0, 8, 4))); err != nil {
		t.Fatal(err)
	}
	b, err := Load(write(t, "name: A\nlogo: a.png\n", map[string]string{"a.png": logo.String()}))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b.Print))
	if err != nil || img.Bounds() != image.Rect(0, 0, 8, 4) || img.At(3, 3) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("%v, %v", img, err)
	}
	if b, err := Load(write(t, "name: A\nlogo: a.svg\n", map[string]string{"a.svg": square})); err != nil || b.Print != nil {
		t.Errorf("of an SVG file: %d bytes, %v", len(b.Print), err)
	}
}

// TestDefaultBrand checks that the pages have Vestibule's brand.
func TestDefaultBrand(t *testing.T) {
	if b, err := Load(""); err != nil || b.Page.Style != "" || b.Page.Name != "" {
		t.Errorf("%+v, %v", b, err)
	}
}

const square = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>`

// TestInvalidBrands checks the error of each invalid brand.
func TestInvalidBrands(t *testing.T) {
	for name, c := range map[string]struct {
		brand string
		files map[string]string
		says  []string
	}{
		"no name": {brand: "logo: l.svg", files: map[string]string{"l.svg": square},
			says: []string{"name: must have 1 to 60 characters"}},
		"an unknown field":    {brand: "name: A\ncolour: red", says: []string{"the key colour is unknown"}},
		"two documents":       {brand: "name: A\n---\nname: B", says: []string{"more than one document"}},
		"a file that is away": {brand: "name: A\nlogo: none.svg", says: []string{"logo: ", "no such file"}},
		"a file elsewhere":    {brand: "name: A\nlogo: ../../etc/l.svg", says: []string{"must be a file beside the brand file"}},
		"another format": {brand: "name: A\nlogo: l.gif", files: map[string]string{"l.gif": "GIF89a"},
			says: []string{"must be a .svg or .png file"}},
		"a large drawing": {brand: "name: A\nlogo: l.svg", files: map[string]string{"l.svg": square +
			strings.Repeat(" ", theme.MaxSVG)}, says: []string{"larger than 64 KB"}},
		"a script in it": {brand: "name: A\nlogo: l.svg", files: map[string]string{"l.svg": strings.Replace(square,
			"<path", "<script>x</script><path", 1)}, says: []string{"element <script>"}},
		"a style sheet in it": {brand: "name: A\nlogo: l.svg", files: map[string]string{"l.svg": strings.Replace(square,
			"<path", "<style>a{}</style><path", 1)}, says: []string{"element <style>"}},
		"entities": {brand: "name: A\nlogo: l.svg",
			files: map[string]string{"l.svg": `<!DOCTYPE svg [<!ENTITY a "b">]>` + square}, says: []string{"document type or entities"}},
		"no proportions": {brand: "name: A\nlogo: l.svg",
			files: map[string]string{"l.svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`}, says: []string{"no viewBox"}},
		"a strip": {brand: "name: A\nlogo: l.svg", files: map[string]string{"l.svg": `<svg viewBox="0 0 90 10"/>`},
			says: []string{"too long: it must be"}},
		"no PNG":          {brand: "name: A\nicon: i.png", files: map[string]string{"i.png": square}, says: []string{"icon: is not a PNG file"}},
		"a bare wordmark": {brand: "name: A\nwordmark: true", says: []string{"wordmark: is for a logo"}},
		"half the languages": {brand: "name: A\nlegal: {privacy: {en: p.md}}", files: map[string]string{"p.md": "x"},
			says: []string{"legal.privacy.es: there is no text in Español"}},
		"another language": {brand: "name: A\nlegal: {terms: {en: p.md, es: p.md, xx: p.md}}", files: map[string]string{"p.md": "x"},
			says: []string{`"xx" is not a language of these pages`}},
		"HTML in a text": {brand: "name: A\nlegal: {terms: {en: p.md, es: p.md}}", files: map[string]string{"p.md": "a <b>c</b>"},
			says: []string{"legal.terms.en: has HTML in it"}},
		"no address": {brand: "name: A\nsupport: {email: help, url: 'javascript:x', phone: call}",
			says: []string{"support.email", "support.url", "support.phone"}},
		"a colour unquoted": {brand: "name: A\ncolors: {light: {accent: 'red'}}",
			says: []string{`light.accent "red": want "#rrggbb", in quotes`}},
		"a pale accent": {brand: "name: A\ncolors: {light: {accent: '#f2c94c'}}",
			says: []string{"light: the accent (#f2c94c) on the background (#f6f4ee) has a contrast of 1.44, and needs 4.5; the accent #",
				"would do"}},
		"a dim accent at night": {brand: "name: A\ncolors: {light: {accent: '#1f4fa3'}, dark: {accent: '#1f4fa3'}}",
			says: []string{"dark: the accent (#1f4fa3)", "would do"}},
		"a grey background": {brand: "name: A\ncolors: {light: {background: '#8a8a8a'}}",
			says: []string{"light: the accent (#13584c) on the background (#8a8a8a)", "the background #", "would do"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(write(t, c.brand, c.files))
			if err == nil {
				t.Fatal("it is taken")
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("it says %q, without %q", err, s)
				}
			}
		})
	}
}
