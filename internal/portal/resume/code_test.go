package resume

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/boombuler/barcode/qr"
)

// TestDrawsQRCode converts the path's strokes back into modules.
func TestDrawsQRCode(t *testing.T) {
	const link = "https://portal.example.com/resume/ye4ZSHdXYRr-ngytXeGUqOTTc7xFl3sqCmE7nV5DK7o?lang=es"
	path, size, err := code(link)
	if err != nil {
		t.Fatal(err)
	}
	want, err := qr.Encode(link, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	if size != want.Bounds().Dx()+8 {
		t.Fatalf("the square is %d wide, want the code's %d and four on each side", size, want.Bounds().Dx())
	}
	got := image.NewGray(image.Rect(0, 0, size, size))
	for stroke := range strings.SplitAfterSeq(path, "z") {
		var x, y, w, back int
		if stroke == "" {
			continue
		}
		if n, err := fmt.Sscanf(stroke, "M%d %dh%dv1h-%dz", &x, &y, &w, &back); n != 4 || err != nil || back != w {
			t.Fatalf("a stroke %q", stroke)
		}
		for i := range w {
			got.Pix[got.PixOffset(x+i, y)]++
		}
	}
	for y := range size {
		for x := range size {
			dark := false
			if p := image.Pt(x-quietZone, y-quietZone); p.In(want.Bounds()) {
				r, _, _, _ := want.At(p.X, p.Y).RGBA()
				dark = r == 0
			}
			if n := got.Pix[got.PixOffset(x, y)]; (n == 1) != dark || n > 1 {
				t.Fatalf("at %d, %d the drawing has %d strokes, the code is dark: %v", x, y, n, dark)
			}
		}
	}
}
