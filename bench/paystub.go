//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"time"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/provider/ocr"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

// paystubFigures measures pay stubs on one core, from a PDF file to the contract's fields,
// checks, and irregularities. It also measures the time and memory of the most expensive
// of several hostile files of 20 MB.
func paystubFigures(ctx context.Context, _ string) []figure {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	draw := rand.New(rand.NewPCG(3, 1)).IntN
	var stubs [][]byte
	for _, l := range paystubtest.Layouts() {
		for range 10 {
			s := paystubtest.Random(draw)
			stubs = append(stubs, s.Printed(draw, l))
		}
	}
	asOf := report.DateOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))
	n := 0
	spent := alternate(ctx, 15, busy, contestant{len(stubs), func() {
		d := readable(paystub.Open(stubs[n%len(stubs)]))
		n++
		paystub.Report([]*paystub.Document{d}, paystub.Bank{}, asOf)
	}})
	var slowest, largest figure
	paystubtest.HostileFiles(paystubtest.Large, func(h paystubtest.Hostile) {
		check(ctx.Err())
		debug.FreeOSMemory()
		var took float64
		memory := mostMemory(func() {
			began := busy()
			paystub.Open(h.File)
			took = busy() - began
		})
		if f := compare("slowest hostile file: "+h.Name, "≤ 1.00", millis, series{took}, series{2e9}); f.ratio > slowest.ratio {
			slowest = f
		}
		f := compare("memory: "+h.Name, "≤ 1.00", megabytes, series{memory + float64(len(h.File))}, series{200e6})
		if f.ratio > largest.ratio {
			largest = f
		}
	})
	return []figure{compareRates("pay stubs read and checked, one core", "≥ 1.00", spent[0], series{1e9 / 50}), slowest, largest}
}

// readable returns a pay stub, which must have been read.
func readable(d *paystub.Document) *paystub.Document {
	if d.Outcome != paystub.Read {
		check(fmt.Errorf("a pay stub is %s", d.Outcome))
	}
	return d
}

// stubPage returns a page of a pay stub at 200 dpi as a PGM and a PNG image.
func stubPage(ctx context.Context) (pgm, file []byte) {
	draw := rand.New(rand.NewPCG(9, 1)).IntN
	stub := paystubtest.Random(draw)
	render := exec.CommandContext(ctx, "pdftoppm", "-gray", "-r", "200", "-f", "1", "-l", "1", "-")
	render.Stdin = bytes.NewReader(stub.Printed(draw, paystubtest.Layouts()[0]))
	pgm = must(render.Output())
	var w, h int
	must(fmt.Sscanf(string(pgm[:min(len(pgm), 32)]), "P5\n%d %d", &w, &h))
	var b bytes.Buffer
	check(png.Encode(&b, &image.Gray{Pix: pgm[len(pgm)-w*h:], Stride: w, Rect: image.Rect(0, 0, w, h)}))
	return pgm, b.Bytes()
}

// ocrFigures measures one page at 200 dpi, from a PNG file to the contract's fields, beside
// tesseract alone on the same page.
func ocrFigures(ctx context.Context, _ string) []figure {
	e := must(ocr.Find(ctx))
	if !e.PDF() {
		check(errors.New("pay stub images need tesseract and pdftoppm (e2e/setup.sh)"))
	}
	pgm, file := stubPage(ctx)
	spent := alternate(ctx, 9, elapsed, contestant{1, func() {
		readable(paystub.Open(file).Scanned(must(e.Read(ctx, file))))
	}}, contestant{1, func() {
		cmd := exec.CommandContext(ctx, "tesseract", "stdin", "stdout", "--oem", "1", "--psm", "11", "-l", "eng", "-c", "tessedit_create_tsv=1")
		cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
		cmd.Stdin = bytes.NewReader(pgm)
		check(cmd.Run())
	}})
	return []figure{compare("pay stub image, one page", "reported", millis, spent[0], spent[1])}
}
