package e2e

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// faces is a folder with a typeface that is the same on every machine.
const faces = "../internal/pdf/fonts"

// oneFace sets a page in that typeface.
const oneFace = `
	@font-face { font-family: One; src: url(/faces/sans.ttf) }
	@font-face { font-family: One; font-weight: 600 900; src: url(/faces/sans-bold.ttf) }
	:root { --sans: One; --mono: One }`

// grain is how many pixels, each way, are averaged into one pixel of a stored picture:
// differences in smoothing between builds of the browser do not count.
const grain = 4

// pictured holds the page to its picture of before, in the folder, in the window that
// it has, or wide and in dark. go test -update writes the pictures anew.
func pictured(t *testing.T, v *visitor, wideAndDark bool, folder, name string) {
	t.Helper()
	if wideAndDark {
		must(t, v.Page.SetViewportSize(1100, 800)) // nothing is pressed
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}))
		defer func() {
			must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeLight}))
			must(t, v.Page.SetViewportSize(320, 640))
		}()
	}
	_, err := v.Evaluate(`(rules) => {
		document.head.append(Object.assign(document.createElement("style"), { textContent: rules }));
		return Promise.all(["1em One", "bold 1em One"].map((face) => document.fonts.load(face))).then(() => {});
	}`, oneFace)
	must(t, err)
	raw, err := v.Screenshot(playwright.PageScreenshotOptions{FullPage: playwright.Bool(true),
		Animations: playwright.ScreenshotAnimationsDisabled, Caret: playwright.ScreenshotCaretHide})
	must(t, err)
	shot, err := png.Decode(bytes.NewReader(raw))
	must(t, err)
	got := coarse(shot)
	file := filepath.Join(folder, strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")+".png")
	if *update {
		var out bytes.Buffer
		must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, got))
		must(t, os.MkdirAll(folder, 0o755))
		must(t, os.WriteFile(file, out.Bytes(), 0o644))
		return
	}
	raw, err = os.ReadFile(file)
	if err != nil {
		t.Errorf("%s has no picture: go test ./e2e -run TestGallery -update makes it", name)
		return
	}
	stored, err := png.Decode(bytes.NewReader(raw))
	must(t, err)
	want := image.NewRGBA(stored.Bounds())
	draw.Draw(want, want.Rect, stored, stored.Bounds().Min, draw.Src)
	if n := differing(want, got); n > 40 {
		now := filepath.Join(os.TempDir(), "vestibule-"+filepath.Base(folder)+"-"+filepath.Base(file))
		must(t, os.WriteFile(now, encoded(t, shot), 0o600))
		t.Errorf("%s differs from %s in %d of its %d pixels; current picture: %s", name, file, n, len(got.Pix)/4, now)
	}
}

func encoded(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, png.Encode(&out, m))
	return out.Bytes()
}

// coarse returns the mean color of each grain.
func coarse(m image.Image) *image.RGBA {
	b := m.Bounds()
	fine := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(fine, fine.Rect, m, b.Min, draw.Src)
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/grain, b.Dy()/grain))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var sum [4]int
			for row := range grain {
				at := fine.PixOffset(x*grain, y*grain+row)
				for i, value := range fine.Pix[at : at+4*grain] {
					sum[i%4] += int(value)
				}
			}
			at := out.PixOffset(x, y)
			for i := range sum {
				out.Pix[at+i] = uint8(sum[i] / (grain * grain))
			}
		}
	}
	return out
}

// differing counts the visibly different pixels: those that only one picture has, and
// those of another color. Chromium and its headless shell differ in at most ten.
func differing(want, got *image.RGBA) (n int) {
	all := want.Rect.Union(got.Rect)
	for y := range all.Dy() {
		for x := range all.Dx() {
			at := image.Pt(x, y)
			if !at.In(want.Rect) || !at.In(got.Rect) {
				n++
				continue
			}
			a, b := want.RGBAAt(x, y), got.RGBAAt(x, y)
			if far(a.R, b.R) || far(a.G, b.G) || far(a.B, b.B) {
				n++
			}
		}
	}
	return n
}

func far(a, b uint8) bool { return max(a, b)-min(a, b) > 40 }
