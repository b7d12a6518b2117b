package pageimage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"vestibule/internal/testutil/tools"
)

func encode(t *testing.T, m image.Image) []byte {
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

// TestPictureIsEncodedAnew checks that the image that a browser gets has none of the
// file's bytes besides the pixels.
func TestPictureIsEncodedAnew(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 30, 20))
	m.Set(3, 4, color.NRGBA{R: 200, A: 255})
	const hidden = "<script>alert(1)</script>"
	file := append(encode(t, m), hidden...)
	got, err := New(false).Page(t.Context(), file, 1)
	if err != nil || got.Type != "image/png" || bytes.Contains(got.Body, []byte(hidden)) {
		t.Fatalf("%q, %v", got.Type, err)
	}
	out, err := png.Decode(bytes.NewReader(got.Body))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{{3, 4, color.RGBA{200, 0, 0, 255}}, {0, 0, color.RGBA{255, 255, 255, 255}}} { // transparent pixels are white
		if got := color.RGBAModel.Convert(out.At(c.x, c.y)); got != c.want {
			t.Errorf("%d, %d: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestPageRefuses(t *testing.T) {
	one := encode(t, image.NewGray(image.Rect(0, 0, 30, 20)))
	r := &Renderer{turns: make(chan struct{}, 1)} // without poppler
	for name, c := range map[string]struct {
		file []byte
		page int
		want error
	}{
		"a second page of an image": {one, 2, ErrNoPage},
		"page 0":                    {one, 0, ErrNoPage},
		"a decompression bomb":      {bomb(60_000, 60_000), 1, ErrTooLarge},
		"a long strip":              {bomb(200, 1<<30), 1, ErrTooLarge},
		"a header alone":            {bomb(300, 300), 1, ErrUnreadable},
		"a PDF file":                {[]byte("%PDF-1.4"), 1, ErrUnsupported},
		"a vector image":            {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), 1, ErrUnsupported},
		"a page of HTML":            {[]byte("<!doctype html>"), 1, ErrUnsupported},
		"nothing":                   {nil, 1, ErrUnsupported},
		"too many bytes":            {append([]byte("%PDF-"), make([]byte, maxFile)...), 1, ErrTooLarge},
	} {
		if _, err := r.Page(t.Context(), c.file, c.page); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestPhotograph checks that a photograph is shrunk, and turned as its EXIF orientation
// says.
func TestPhotograph(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 4*longSide, 40))
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	exif := []byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00")
	got, err := New(false).Page(t.Context(), append(append([]byte("\xff\xd8"), exif...), b.Bytes()[2:]...), 1)
	if err != nil || got.Type != "image/jpeg" {
		t.Fatalf("%q, %v", got.Type, err)
	}
	c, err := jpeg.DecodeConfig(bytes.NewReader(got.Body))
	if err != nil || c.Width != 10 || c.Height != longSide {
		t.Errorf("%d by %d, %v", c.Width, c.Height, err)
	}
}

// TestOrientation checks that each orientation of EXIF is read, and maps the pixels one
// to one.
func TestOrientation(t *testing.T) {
	for orientation := 1; orientation <= 8; orientation++ {
		exif := []byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00")
		exif = append(exif, byte(orientation), 0, 0, 0, 0, 0, 0)
		var b bytes.Buffer
		if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
			t.Fatal(err)
		}
		file := append(append([]byte("\xff\xd8"), exif...), b.Bytes()[2:]...)
		if got, frame := jpegHeader(file); got != orientation || len(frame) == 0 || frame[0] != 0xc0 {
			t.Errorf("orientation %d is read as %d", orientation, got)
		}
		const w, h = 7, 5
		seen := map[[2]int]bool{}
		ow, oh := w, h
		if orientation >= 5 {
			ow, oh = h, w
		}
		for y := range oh {
			for x := range ow {
				sx, sy := Stored(orientation, x, y, w, h)
				if sx < 0 || sy < 0 || sx >= w || sy >= h || seen[[2]int{sx, sy}] {
					t.Fatalf("orientation %d: %d, %d is %d, %d", orientation, x, y, sx, sy)
				}
				seen[[2]int{sx, sy}] = true
			}
		}
	}
}

func TestPDF(t *testing.T) {
	r := New(true)
	if !r.PDF() {
		tools.Missing(t, "pdftoppm or pdfinfo is not installed")
	}
	file, err := os.ReadFile("../analysis/paystub/testdata/browser-lines.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Pages(t.Context(), file); n != 1 || err != nil {
		t.Errorf("%d pages, %v", n, err)
	}
	got, err := r.Page(t.Context(), file, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(got.Body))
	if err != nil || max(c.Width, c.Height) != longSide {
		t.Errorf("%d by %d, %v", c.Width, c.Height, err)
	}
	if _, err := r.Page(t.Context(), file, 2); !errors.Is(err, ErrNoPage) && !errors.Is(err, ErrUnreadable) {
		t.Errorf("a page after the last: %v", err)
	}
	if _, err := r.Page(t.Context(), []byte("%PDF-1.4 and nothing else"), 1); err == nil {
		t.Error("a broken file is rendered")
	}
	if _, err := r.Pages(t.Context(), []byte("%PDF-1.4 and nothing else")); !errors.Is(err, ErrUnreadable) {
		t.Errorf("pages of a broken file: %v", err)
	}
}

// TestProgramIsNotTrusted checks that a program that writes nonsense, or too much, gives
// an error.
func TestProgramIsNotTrusted(t *testing.T) {
	for name, script := range map[string]string{
		"a flood":       "yes 5",
		"no image":      "echo hello",
		"a short image": "printf 'P6\\n900 900\\n255\\n'",
		"a huge image":  "printf 'P6\\n90000 90000\\n255\\n'",
		"a failure":     "exit 3",
	} {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		r := &Renderer{pdftoppm: path, pdfinfo: path, turns: make(chan struct{}, 1)}
		if _, err := r.Page(t.Context(), []byte("%PDF-1.4"), 1); !errors.Is(err, ErrUnreadable) && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
