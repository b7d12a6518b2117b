package ocr

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/pageimage"
)

// fake returns an engine whose programs are a shell script.
func fake(t *testing.T, script string) *Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return &Engine{tesseract: path, pdftoppm: path, turns: make(chan struct{}, 1), limit: 5 * time.Second}
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bomb returns a PNG file that states a size and has no pixels.
func bomb(w, h uint32) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	header = append(header, 8, 0, 0, 0, 0)
	file := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"), header...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(header))
}

// pngOf16 returns the header of a PNG file with 16 bits for each of four channels.
func pngOf16(t testing.TB, w, h uint32) []byte {
	t.Helper()
	file := bomb(w, h)
	file[24], file[25] = 16, 6 // depth and color type
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestRefusesImages(t *testing.T) {
	e := fake(t, "exit 1")
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"a decompression bomb":  {bomb(60_000, 60_000), ErrTooLarge},
		"16 bits of each color": {pngOf16(t, 5_000, 5_000), ErrTooLarge},
		"a progressive photograph": {[]byte("\xff\xd8\xff\xc2\x00\x11\x08\x10\x00\x10\x00\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01" +
			"\xff\xda\x00\x02"), ErrTooLarge},
		"a long strip":          {bomb(200, 1<<30), ErrTooLarge},
		"a header alone":        {bomb(300, 300), ErrUnreadable},
		"too small":             {pngOf(t, image.NewGray(image.Rect(0, 0, 40, 40))), ErrUnreadable},
		"bytes that are no PNG": {[]byte("\x89PNG\r\n\x1a\nrest"), ErrUnreadable},
		"bytes that are no JPEG": {[]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\x00\x00"),
			ErrUnreadable},
	} {
		if _, err := e.Read(t.Context(), c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestProgramsAreLimited(t *testing.T) {
	page := pngOf(t, image.NewGray(image.Rect(0, 0, 300, 300)))
	for name, c := range map[string]struct {
		script string
		limit  time.Duration
		want   error
	}{
		"hangs":             {"while :; do sleep 60; done", 200 * time.Millisecond, context.DeadlineExceeded},
		"leaves a child":    {"sleep 60 & sleep 60", 200 * time.Millisecond, context.DeadlineExceeded},
		"floods its output": {"yes 5", 20 * time.Second, ErrTooLarge},
		"fails":             {"exit 3", 20 * time.Second, nil},
	} {
		e := fake(t, c.script)
		e.limit = c.limit
		_, err := e.Read(t.Context(), page)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	e := fake(t, "cat >/dev/null; env >&2; [ -z \"$SECRET_OF_THE_PROCESS\" ] && printf '5\\t1\\t1\\t1\\t1\\t1\\t10\\t10\\t50\\t20\\t95\\tOK'")
	t.Setenv("SECRET_OF_THE_PROCESS", "x")
	pages, err := e.Read(t.Context(), page)
	if err != nil || len(pages) != 1 || len(pages[0].Words) != 1 || pages[0].Words[0].Text != "OK" {
		t.Errorf("%v, %v", pages, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Read(ctx, page); err == nil {
		t.Error("reads after its context has ended")
	}
}

// TestManyPages checks that a PDF file of many pages is read up to the limit.
func TestManyPages(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	e := fake(t, `case "$1" in
-gray) printf 'P5\n200 200\n255\n'; head -c 40000 /dev/zero ;;
*) cat >/dev/null; printf '5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t95\tpage' ;;
esac`)
	pages, err := e.Read(t.Context(), []byte("%PDF-1.4 of a thousand pages"))
	if err != nil || len(pages) != MaxPages {
		t.Errorf("%d pages, %v; want %d", len(pages), err, MaxPages)
	}
}

// TestOrientation checks that orientations by EXIF all lead to the same upright image.
func TestOrientation(t *testing.T) {
	const w, h = 40, 24
	upright := newGray(w, h)
	for i := range upright.px {
		upright.px[i] = byte(i * 7)
	}
	for orientation := 1; orientation <= 8; orientation++ {
		// The inverse of each orientation is itself, but for the two quarter turns.
		stored := upright.upright(map[int]int{6: 8, 8: 6}[orientation])
		if orientation != 6 && orientation != 8 {
			stored = upright.upright(orientation)
		}
		if got := stored.upright(orientation); got.w != w || got.h != h || !bytes.Equal(got.px, upright.px) {
			t.Errorf("orientation %d is not undone", orientation)
		}
	}
}

func TestSkew(t *testing.T) {
	g := newGray(800, 1000)
	for i := range g.px {
		g.px[i] = 255
		if y := i / g.w % 40; y < 8 && i%g.w > 100 && i%g.w < 700 {
			g.px[i] = 0
		}
	}
	for _, degrees := range []float64{-5, -1.3, 0, 0.7, 4.9} {
		if got := g.turn(-degrees, 1).skew(); got < degrees-0.25 || got > degrees+0.25 {
			t.Errorf("turned by %v, found %v", degrees, got)
		}
	}
}

// TestSkewOfDarkPage checks that a page without paper takes less memory than its pixels.
func TestSkewOfDarkPage(t *testing.T) {
	g := newGray(longSide, longSide)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g.skew()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > uint64(len(g.px))*3/2 {
		t.Errorf("%d bytes for %d pixels", n, len(g.px))
	}
}

// TestFrom checks that positions in a turned, scaled or shrunk image lead back to the picture.
func TestFrom(t *testing.T) {
	const w, h, x, y, side = 900, 600, 640, 130, 12
	picture := func() *gray {
		g := newGray(w, h)
		for i := range g.px {
			if g.px[i] = 255; i%w >= x && i%w < x+side && i/w >= y && i/w < y+side {
				g.px[i] = 0
			}
		}
		return g
	}
	for name, g := range map[string]*gray{
		"unchanged":               picture(),
		"turned":                  picture().turn(5, 1),
		"turned and enlarged":     picture().turn(-3.3, 1.5),
		"turned and shrunk":       picture().turn(4, 0.4),
		"shrunk":                  picture().shrink(3),
		"on its side":             picture().quarter(),
		"upside down, and turned": picture().quarter().quarter().turn(2, 1.5),
		"shrunk, on its side":     picture().shrink(2).quarter().turn(-1, 1.2),
	} {
		var sumX, sumY, n float64
		for i, v := range g.px {
			if v < 128 && i/g.w > 2 && i%g.w > 2 {
				sumX, sumY, n = sumX+float64(i%g.w)+0.5, sumY+float64(i/g.w)+0.5, n+1
			}
		}
		gotX, gotY := g.from.at(sumX/n, sumY/n)
		if math.Abs(gotX*w-x-side/2) > 1 || math.Abs(gotY*h-y-side/2) > 1 {
			t.Errorf("%s: the square is at %.1f, %.1f, want %d, %d", name, gotX*w, gotY*h, x+side/2, y+side/2)
		}
	}
}

// Whatever the engine prints, words have finite positions and bounded texts.
func FuzzPage(f *testing.F) {
	f.Add([]byte("5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t95\tNet\n5\t1\t1\t1\t1\t2\t70\t10\t50\t20\t95\t1,234.56\n"))
	f.Add([]byte("5\t1\t1\t1\t1\t1\t1e300\tNaN\t-1\t20\t95\t-\n"))
	white := newGray(2550, 3300)
	f.Fuzz(func(t *testing.T, tsv []byte) {
		words := parseTSV(tsv)
		alignEstimates(words)
		p := page(words, white)
		for _, w := range p.Words {
			if !(w.Size > 0 && w.Size < 1e6 && w.X1 > w.X0 && w.X0 > -1e6 && w.X1 < 1e6 && w.Y > -1e7 && w.Y < 1e7) || len(w.Text) > 2*maxWord+1 {
				t.Fatalf("%+v", w)
			}
		}
		paystub.Open(tiny).Scanned([]paystub.ScannedPage{p})
	})
}

var tiny = func() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))) // a buffer takes everything
	return b.Bytes()
}()

func TestVersion(t *testing.T) {
	if v, err := engine(t).Version(t.Context()); err != nil || !strings.Contains(v, "tesseract") {
		t.Errorf("%q, %v", v, err)
	}
}

// upright undoes an EXIF orientation.
func (g *gray) upright(orientation int) *gray {
	if orientation == 1 {
		return g
	}
	out := newGray(g.w, g.h)
	if orientation >= 5 {
		out.w, out.h = g.h, g.w
	}
	for y := range out.h {
		for x := range out.w {
			sx, sy := pageimage.Stored(orientation, x, y, g.w, g.h)
			out.px[y*out.w+x] = g.px[sy*g.w+sx]
		}
	}
	return out
}
