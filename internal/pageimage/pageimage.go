// Package pageimage shows the pages of untrusted documents as images. It decodes PNG and JPEG
// files in a limited child process, which is this program, renders PDF files by pdftoppm in a limited child process, and encodes
// the pixels anew: a browser never gets bytes of the document.
package pageimage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/subprocess"
)

// Limits of one document.
const (
	MaxPages = 10       // pages that can be shown
	maxFile  = 25 << 20 // bytes
	longSide = 1_600    // pixels of a page of a PDF file
	pageTime = 20 * time.Second
)

// Errors of Page and Pages.
var (
	ErrTooLarge    = errors.New("pageimage: the document is too large")
	ErrUnreadable  = errors.New("pageimage: the document does not decode")
	ErrUnsupported = errors.New("pageimage: this kind of document cannot be shown")
	ErrNoPage      = errors.New("pageimage: no such page")
)

// Renderer renders pages. It may be used concurrently.
type Renderer struct {
	pdftoppm, pdfinfo string // paths of the programs; empty: PDF files are not rendered
	turns             chan struct{}
}

// New returns a renderer. With pdf, it renders PDF files, too, if pdftoppm and pdfinfo are in
// PATH.
func New(pdf bool) *Renderer {
	r := &Renderer{turns: make(chan struct{}, subprocess.AtOnce)}
	if !pdf || !subprocess.LimitsPrograms {
		return r
	}
	render, err1 := exec.LookPath("pdftoppm")
	info, err2 := exec.LookPath("pdfinfo")
	if err1 == nil && err2 == nil {
		r.pdftoppm, r.pdfinfo = render, info
	}
	return r
}

// PDF reports whether PDF files are rendered.
func (r *Renderer) PDF() bool { return r != nil && r.pdftoppm != "" }

// Kind is the kind of a document by its first bytes.
type Kind int

const (
	Other Kind = iota
	PDF
	Picture // PNG or JPEG
)

// KindOf returns the kind of a document.
func KindOf(file []byte) Kind {
	switch {
	case isPNG(file), isJPEG(file):
		return Picture
	case bytes.Contains(file[:min(len(file), 1024)], []byte("%PDF-")):
		return PDF
	}
	return Other
}

// Image is an encoded image.
type Image struct {
	Type string // content type
	Body []byte
}

// Page returns page n, counted from 1, of a document.
func (r *Renderer) Page(ctx context.Context, file []byte, n int) (Image, error) {
	kind := KindOf(file)
	switch {
	case len(file) > maxFile:
		return Image{}, ErrTooLarge
	case n < 1 || n > MaxPages || kind == Picture && n > 1:
		return Image{}, ErrNoPage
	case kind == Other || kind == PDF && !r.PDF():
		return Image{}, ErrUnsupported
	}
	release, err := r.turn(ctx)
	if err != nil {
		return Image{}, err
	}
	defer release()
	if kind == Picture {
		return picture(ctx, file)
	}
	number := strconv.Itoa(n)
	ppm, err := r.run(ctx, file, 3*longSide*longSide+64, r.pdftoppm, "-cropbox", "-scale-to", strconv.Itoa(longSide),
		"-f", number, "-l", number, "-")
	if err != nil {
		return Image{}, err
	}
	if len(ppm) == 0 {
		return Image{}, ErrNoPage
	}
	m, err := parsePPM(ppm)
	if err != nil {
		return Image{}, err
	}
	return encodePNG(m)
}

// Pages returns the number of pages of a document that can be shown.
func (r *Renderer) Pages(ctx context.Context, file []byte) (int, error) {
	switch kind := KindOf(file); {
	case len(file) > maxFile:
		return 0, ErrTooLarge
	case kind == Picture:
		return 1, nil
	case kind == Other || !r.PDF():
		return 0, ErrUnsupported
	}
	release, err := r.turn(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	out, err := r.run(ctx, file, 1<<20, r.pdfinfo, "-")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "Pages:" {
			if n, err := strconv.Atoi(words[1]); err == nil && n > 0 {
				return min(n, MaxPages), nil
			}
		}
	}
	return 0, ErrUnreadable
}

// turn waits until another document may be rendered.
func (r *Renderer) turn(ctx context.Context) (release func(), err error) {
	select {
	case r.turns <- struct{}{}:
		return func() { <-r.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run runs a program of poppler.
func (r *Renderer) run(ctx context.Context, file []byte, limit int, program string, args ...string) ([]byte, error) {
	out, err := subprocess.Run(ctx, file, subprocess.Limits{Time: pageTime, Memory: subprocess.Memory, Output: limit}, program, args...)
	return out, failure(ctx, err)
}

// failure returns the error for that of a child process. One that no limit caused is that of the
// document.
func failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, subprocess.ErrOutput), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return ErrTooLarge
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

// Parse returns the size and the pixels of an image that a child process wrote as PGM (P5, one byte
// a pixel) or PPM (P6, three), with sides of at most so many pixels.
func Parse(b []byte, format string, bytesPerPixel, most int) (w, h int, px []byte, err error) {
	var depth int
	header, at := b[:min(len(b), 64)], 0
	_, err = fmt.Sscanf(string(header), format+"\n%d %d\n%d\n", &w, &h, &depth)
	for range 3 {
		at += bytes.IndexByte(header[at:], '\n') + 1
	}
	if err != nil || bytes.Count(header, []byte("\n")) < 3 || depth != 255 || min(w, h) < 1 || max(w, h) > most ||
		len(b) < at+bytesPerPixel*w*h {
		return 0, 0, nil, ErrUnreadable
	}
	return w, h, b[at : at+bytesPerPixel*w*h], nil
}

// parsePPM decodes the PPM image that pdftoppm writes.
func parsePPM(b []byte) (*image.RGBA, error) {
	w, h, px, err := Parse(b, "P6", 3, longSide)
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		copy(m.Pix[4*i:], px[3*i:3*i+3])
		m.Pix[4*i+3] = 255
	}
	return m, err
}

func encodePNG(m image.Image) (Image, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	err := e.Encode(&b, m)
	return Image{"image/png", b.Bytes()}, err
}
