package theme

import (
	"bytes"
	"errors"
	"image"
	imagecolor "image/color"
	"image/png"
	"os"
	"regexp"
	"strings"
	"testing"
)

func color(t *testing.T, s string) *Color {
	t.Helper()
	c, err := ParseColor(s)
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// TestBetterColorsAreAccepted derives themes from the color that an error suggests.
func TestBetterColorsAreAccepted(t *testing.T) {
	for _, c := range []struct{ accent, background string }{{accent: "#f2c94c"}, {accent: "#ff6600"},
		{"#00ffcc", "#ffffff"}, {background: "#8a8a8a"}} {
		var chosen Choice
		if c.accent != "" {
			chosen.Accent = color(t, c.accent)
		}
		if c.background != "" {
			chosen.Background = color(t, c.background)
		}
		_, _, err := Derive(chosen, Choice{})
		var low *LowContrast
		if !errors.As(err, &low) || low.Better == nil || low.Scheme != Light || low.Ratio >= low.Least {
			t.Errorf("%+v: %v, want an error with a better color", c, err)
			continue
		}
		if chosen.Accent = low.Better; low.Background {
			chosen.Accent, chosen.Background = nil, low.Better
		}
		if _, _, err := Derive(chosen, Choice{}); err != nil {
			t.Errorf("%+v: the better color %s: %v", c, low.Better, err)
		}
	}
}

// TestDerivesAccentOfOtherTheme checks that an accent of one theme is adjusted to be
// readable in the other, and that every color dark enough for one theme is accepted.
func TestDerivesAccentOfOtherTheme(t *testing.T) {
	for _, accent := range []string{"#7a1fa3", "#a3261f", "#0a5c2e", "#1f4fa3", "#4a4a4a", "#000000", "#5b3a00"} {
		light, dark, err := Derive(Choice{Accent: color(t, accent)}, Choice{})
		if err != nil {
			t.Errorf("%s: %v", accent, err)
			continue
		}
		if light["primary"].String() != accent {
			t.Errorf("the light accent is %s, want %s as it was given", light["primary"], accent)
		}
		if got := contrast(dark["primary"], dark["sheet"]); got < 4.5 {
			t.Errorf("%s at night is %s, %.2f on a card", accent, dark["primary"], got)
		}
		css := StyleSheet(light, dark)
		for name := range defaults["light"] {
			if strings.Count(css, "--"+name+":")%2 != 0 {
				t.Errorf("--%s is in one theme only: %s", name, css)
			}
		}
	}
}

// TestBrightAccentsInTheDark checks that a bright accent has enough contrast in the dark
// scheme, with a fainter wash if necessary.
func TestBrightAccentsInTheDark(t *testing.T) {
	for _, accent := range []string{"#ffd447", "#7cf0c8", "#ffffff", "#ff8ab5"} {
		if _, _, err := (Settings{Dark: accent}).Colors(); err != nil {
			t.Errorf("%s: %v", accent, err)
		}
	}
}

// TestCleanSVG checks that an SVG loses everything but its visible content.
func TestCleanSVG(t *testing.T) {
	raw := `<?xml version="1.0"?><!-- by hand --><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
		xmlns:tool="urn:tool" width="20px" height="10px" onload="x()" tool:zoom="2" class="c"><metadata><script>x</script></metadata>
		<defs><linearGradient id="g"><stop offset="0" style="stop-color:#fff;behavior:url(x)"/></linearGradient></defs>
		<path d="M0 0h4" style="fill:url(#g); stroke:#000" onclick="x()" href="javascript:x"/>
		<use xlink:href="#g" fill="url(https://elsewhere.example/x)"/><use href="https://elsewhere.example/#a"/><text>a &lt; b</text></svg>`
	out, w, h, err := cleanSVG([]byte(raw))
	if err != nil || w != 20 || h != 10 {
		t.Fatal(w, h, err)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">` +
		`<defs><linearGradient id="g"><stop stop-color="#fff" offset="0"></stop></linearGradient></defs>` +
		`<path fill="url(#g)" stroke="#000" d="M0 0h4"></path>` +
		`<use href="#g"></use><use></use><text>a &lt; b</text></svg>`
	if string(out) != want {
		t.Errorf("cleaned:\n%s\nwant\n%s", out, want)
	}
}

// TestCleanPNG checks that a PNG keeps only its pixels.
func TestCleanPNG(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 30, 20))
	img.Set(1, 1, imagecolor.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	raw := append(b.Bytes(), "<script>x</script>"...)
	out, w, h, err := cleanPNG(raw)
	if err != nil || w != 30 || h != 20 || bytes.Contains(out, []byte("script")) {
		t.Errorf("%v × %v, %v: %q", w, h, err, out)
	}
}

var declaration = regexp.MustCompile(`--([a-z-]+):\s*(#[0-9a-f]{6});`)

// TestColorsMatchStyleSheet compares the table with web/ui/tokens.css.
func TestColorsMatchStyleSheet(t *testing.T) {
	raw, err := os.ReadFile("../../web/ui/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, _ := strings.Cut(string(raw), "@media (prefers-color-scheme: dark)")
	for name, css := range map[string]string{"light": light, "dark": dark} {
		n := 0
		for _, m := range declaration.FindAllStringSubmatch(css, -1) {
			n++
			if defaults[name][m[1]] != m[2] {
				t.Errorf("%s --%s is %s here and %s in the style sheet", name, m[1], defaults[name][m[1]], m[2])
			}
		}
		if n != len(defaults[name]) {
			t.Errorf("%s: %d colours here, %d in the style sheet", name, len(defaults[name]), n)
		}
		if low := Default(name).lowContrast(name); low != nil {
			t.Error(low)
		}
	}
}
