// Package ocr reads the text of images and scanned PDF files by local programs: tesseract,
// and pdftoppm for PDF files. They run as child processes with an empty environment and
// limits on time, memory, pixels, pages and output, and at most one for each processor but
// one. They get files by pipes or in memory, and write none. docs/explanation/pay-stubs.md has the measured
// accuracy.
package ocr

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/pageimage"
	"vestibule/internal/subprocess"
)

// Limits of one file.
const (
	MaxPages = 5                // pages of a PDF file that are read; a pay stub has one or two
	minSide  = 150              // pixels; text of a pay stub does not fit in less
	longSide = 3_300            // pixels of a page as the engine reads it: 11 inches at 300 dpi
	pageTime = 30 * time.Second // a file gets three times that
	maxWords = 6_000
	maxWord  = 200     // bytes
	maxTSV   = 4 << 20 // bytes of the engine's output for a page
)

// Errors of Read. They mean that the file, and not the program, is at fault.
var (
	ErrTooLarge   = pageimage.ErrTooLarge
	ErrUnreadable = pageimage.ErrUnreadable // also of an image that is too small for text
)

// Engine reads images and scanned PDF files. It may be used concurrently.
type Engine struct {
	tesseract string // path of the program
	pdftoppm  string // empty: scanned PDF files are not read
	turns     chan struct{}
	limit     time.Duration // of one page
}

// Find returns the engine of the programs in PATH, or an error if tesseract is missing,
// does not run, or has no English data, or if the system is Windows.
func Find(ctx context.Context) (*Engine, error) {
	if !subprocess.LimitsPrograms {
		return nil, subprocess.ErrNoLimits
	}
	path, err := exec.LookPath("tesseract")
	if err != nil {
		return nil, errors.New("tesseract is not installed")
	}
	e := &Engine{tesseract: path, turns: make(chan struct{}, subprocess.AtOnce), limit: pageTime}
	if pdf, err := exec.LookPath("pdftoppm"); err == nil {
		e.pdftoppm = pdf
	}
	languages, err := e.run(ctx, nil, maxTSV, e.tesseract, "--list-langs")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(strings.Fields(string(languages)), "eng") {
		return nil, errors.New("tesseract has no data for English (tesseract-ocr-eng)")
	}
	return e, nil
}

// PDF reports whether the engine also reads scanned PDF files.
func (e *Engine) PDF() bool { return e.pdftoppm != "" }

// Version returns the first line of what tesseract says of itself.
func (e *Engine) Version(ctx context.Context) (string, error) {
	out, err := e.run(ctx, nil, maxTSV, e.tesseract, "--version")
	line, _, _ := strings.Cut(string(out), "\n")
	return line, err
}

// Read reads the pages of an image or a scanned PDF file.
func (e *Engine) Read(ctx context.Context, file []byte) ([]paystub.ScannedPage, error) {
	select {
	case e.turns <- struct{}{}:
		defer func() { <-e.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, 3*e.limit)
	defer cancel()
	if !bytes.HasPrefix(file, []byte("\x89PNG")) && !bytes.HasPrefix(file, []byte("\xff\xd8")) {
		return e.readPDF(ctx, file)
	}
	g, err := decode(ctx, file)
	if err != nil {
		return nil, err
	}
	page, err := e.readPage(ctx, g)
	return []paystub.ScannedPage{page}, err
}

func (e *Engine) readPDF(ctx context.Context, file []byte) (out []paystub.ScannedPage, err error) {
	if e.pdftoppm == "" {
		return nil, errors.New("pdftoppm is not installed")
	}
	words := 0
	for n := 1; n <= MaxPages; n++ {
		number := strconv.Itoa(n)
		rendered, err := e.run(ctx, file, longSide*longSide+64, e.pdftoppm, "-gray", "-cropbox", "-scale-to", strconv.Itoa(longSide),
			"-f", number, "-l", number, subprocess.Input)
		if n > 1 && err != nil && ctx.Err() == nil {
			return out, nil // there is no such page
		}
		if err != nil {
			return nil, err
		}
		g, err := parsePGM(rendered, longSide)
		if err != nil {
			return out, err
		}
		page, err := e.readPage(ctx, g)
		if err != nil {
			return nil, err
		}
		out = append(out, page)
		if words += len(page.Words); words > maxWords {
			return nil, ErrTooLarge
		}
	}
	return out, nil
}

// parsePGM decodes a PGM image of a child process, with sides of at most so many pixels.
func parsePGM(b []byte, most int) (*gray, error) {
	w, h, px, err := pageimage.Parse(b, "P5", 1, most)
	return grayOf(w, h, px), err
}

// enough is the number of confident words above which a page is taken to be upright.
const enough = 20

// readPage makes the paper white and the lines level, and reads the page. If it has hardly
// any words, it is tried in the other directions.
func (e *Engine) readPage(ctx context.Context, g *gray) (paystub.ScannedPage, error) {
	points := 72 * 11 / float64(max(g.w, g.h)) // of a pixel, if the long side has 11 inches
	w, h := points*float64(g.w), points*float64(g.h)
	g.whitenPaper()
	best, most := paystub.ScannedPage{}, -1
	for range 4 {
		page, err := e.readLevel(ctx, g)
		if err != nil {
			return page, err
		}
		if n := confident(page); n > most {
			best, most = page, n
		}
		if most > enough {
			break
		}
		g = g.quarter()
	}
	best.Picture.Width, best.Picture.Height = w, h
	return best, nil
}

// confident counts the words of at least three letters or digits that were read with
// confidence.
func confident(p paystub.ScannedPage) (n int) {
	for _, w := range p.Words {
		if len(w.Text) > 2 && w.Confidence > 75 {
			n++
		}
	}
	return n
}

// readLevel reads a page of which no side is longer than twice longSide.
func (e *Engine) readLevel(ctx context.Context, g *gray) (paystub.ScannedPage, error) {
	scale := min(3, float64(longSide)/float64(max(g.w, g.h)))
	g = g.turn(g.skew(), scale)
	g.eraseRules()
	ctx, cancel := context.WithTimeout(ctx, e.limit)
	defer cancel()
	words, err := e.words(ctx, g, oneBlock, ruleDark)
	if err != nil {
		return paystub.ScannedPage{}, err
	}
	if doubts := doubtful(words); len(words)-doubts > enough {
		again, err := e.words(ctx, g.withoutClearWords(words), sparse, 128)
		if err != nil {
			return paystub.ScannedPage{}, err
		}
		words = merge(words, again)
	}
	return page(words, g), nil
}

// Ways of tesseract to find lines. The first reads lines better. The second one finds lines that
// are beside one another at different heights, which the first one mixes up or leaves out.
const (
	oneBlock = "6"
	sparse   = "11"
)

// words returns the words that tesseract reads in the part of an image that has pixels below a
// brightness.
func (e *Engine) words(ctx context.Context, g *gray, way string, below byte) ([]box, error) {
	g, x, y, any := g.cropped(below)
	if !any {
		return nil, nil
	}
	out, err := e.run(ctx, g.spix(), maxTSV, e.tesseract, subprocess.Input, "stdout", "--oem", "1", "--psm", way, "-l", "eng",
		"--dpi", "300", "-c", "tessedit_create_tsv=1")
	if err != nil {
		return nil, err
	}
	words := parseTSV(out)
	alignEstimates(words)
	for i := range words {
		words[i].move(float64(x), float64(y))
	}
	return words, nil
}

// spix returns an image in the format of tesseract's library, Leptonica: the format that it reads fastest.
func (g *gray) spix() []byte {
	line := make([]byte, (g.w+3)/4*4)
	out := append(make([]byte, 0, 28+len(line)*g.h), "spix"...)
	for _, v := range []int{g.w, g.h, 8, len(line) / 4, 0, len(line) * g.h} { // depth, words a line, colors, bytes
		out = binary.NativeEndian.AppendUint32(out, uint32(v))
	}
	for y := range g.h {
		copy(line, g.px[y*g.w:][:g.w])
		for i := 0; i < len(line); i += 4 {
			out = binary.NativeEndian.AppendUint32(out, binary.BigEndian.Uint32(line[i:]))
		}
	}
	return out
}

// run runs a program with limits, and returns at most limit bytes of its output.
func (e *Engine) run(ctx context.Context, in []byte, limit int, program string, args ...string) ([]byte, error) {
	limits := subprocess.Limits{Time: e.limit, Memory: subprocess.Memory, Output: limit}
	out, err := subprocess.Run(ctx, in, limits, program, args...)
	if errors.Is(err, subprocess.ErrOutput) {
		return nil, ErrTooLarge
	}
	return out, err
}
