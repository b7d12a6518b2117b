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
func paystubFigures(ctx context.Context, _ string) ([]figure, error) {
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
	spent, err := alternate(ctx, 15, busy, contestant{len(stubs), func() error {
		d := paystub.Open(stubs[n%len(stubs)])
		n++
		if d.Outcome != paystub.Read {
			return fmt.Errorf("a stub was not read: %s", d.Outcome)
		}
		paystub.Report([]*paystub.Document{d}, paystub.Bank{}, asOf)
		return nil
	}})
	if err != nil {
		return nil, err
	}
	var slowest, largest figure
	paystubtest.HostileFiles(paystubtest.Large, func(h paystubtest.Hostile) {
		if err != nil || ctx.Err() != nil {
			return
		}
		debug.FreeOSMemory()
		var took, memory float64
		memory, err = mostMemory(func() error {
			began := busy()
			paystub.Open(h.File)
			took = busy() - began
			return nil
		})
		if f := compare("slowest hostile file: "+h.Name, "≤ 1.00", millis, series{took}, series{2e9}); f.ratio > slowest.ratio {
			slowest = f
		}
		f := compare("memory: "+h.Name, "≤ 1.00", megabytes, series{memory + float64(len(h.File))}, series{200e6})
		if f.ratio > largest.ratio {
			largest = f
		}
	})
	return []figure{compareRates("pay stubs read and checked, one core", "≥ 1.00", spent[0], series{1e9 / 50}), slowest, largest},
		errors.Join(err, ctx.Err())
}

// stubPage returns a page of a pay stub at 200 dpi as a PGM and a PNG image.
func stubPage(ctx context.Context) (pgm, file []byte, err error) {
	draw := rand.New(rand.NewPCG(9, 1)).IntN
	stub := paystubtest.Random(draw)
	render := exec.CommandContext(ctx, "pdftoppm", "-gray", "-r", "200", "-f", "1", "-l", "1", "-")
	render.Stdin = bytes.NewReader(stub.Printed(draw, paystubtest.Layouts()[0]))
	if pgm, err = render.Output(); err != nil {
		return nil, nil, err
	}
	var w, h int
	if _, err := fmt.Sscanf(string(pgm[:min(len(pgm), 32)]), "P5\n%d %d", &w, &h); err != nil || len(pgm) < w*h {
		return nil, nil, errors.New("pdftoppm wrote no PGM image")
	}
	var b bytes.Buffer
	err = png.Encode(&b, &image.Gray{Pix: pgm[len(pgm)-w*h:], Stride: w, Rect: image.Rect(0, 0, w, h)})
	return pgm, b.Bytes(), err
}

// ocrFigures measures one page at 200 dpi, from a PNG file to the contract's fields, beside
// tesseract alone on the same page.
func ocrFigures(ctx context.Context, _ string) ([]figure, error) {
	e, err := ocr.Find(ctx)
	if err != nil || !e.PDF() {
		return nil, errors.Join(err, errors.New("pay stub images need tesseract and pdftoppm (e2e/setup.sh)"))
	}
	pgm, file, err := stubPage(ctx)
	if err != nil {
		return nil, err
	}
	spent, err := alternate(ctx, 9, elapsed, contestant{1, func() error {
		pages, err := e.Read(ctx, file)
		if err != nil {
			return err
		}
		if d := paystub.Open(file).Scanned(pages); d.Outcome != paystub.Read {
			return fmt.Errorf("the page is %s", d.Outcome)
		}
		return nil
	}}, contestant{1, func() error {
		cmd := exec.CommandContext(ctx, "tesseract", "stdin", "stdout", "--oem", "1", "--psm", "11", "-l", "eng", "-c", "tessedit_create_tsv=1")
		cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
		cmd.Stdin = bytes.NewReader(pgm)
		return cmd.Run()
	}})
	if err != nil {
		return nil, err
	}
	return []figure{compare("pay stub image, one page", "reported", millis, spent[0], spent[1])}, nil
}
