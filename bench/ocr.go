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
	"time"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/provider/ocr"
	"vestibule/internal/testutil/paystubtest"
)

// ocrFigures measures one page at 200 dpi, from a PNG file to the contract's fields, beside
// tesseract alone on the same page.
func ocrFigures(ctx context.Context) ([]figure, error) {
	e, err := ocr.Find(ctx)
	if err != nil || !e.PDF() {
		return nil, errors.Join(err, errors.New("pay stub images need tesseract and pdftoppm (e2e/setup.sh)"))
	}
	draw := rand.New(rand.NewPCG(9, 1)).IntN
	stub := paystubtest.Random(draw)
	render := exec.CommandContext(ctx, "pdftoppm", "-gray", "-r", "200", "-f", "1", "-l", "1", "-")
	render.Stdin = bytes.NewReader(stub.Printed(draw, paystubtest.Layouts()[0]))
	pgm, err := render.Output()
	if err != nil {
		return nil, err
	}
	var w, h int
	if _, err := fmt.Sscanf(string(pgm[:min(len(pgm), 32)]), "P5\n%d %d", &w, &h); err != nil || len(pgm) < w*h {
		return nil, errors.New("pdftoppm wrote no PGM image")
	}
	var file bytes.Buffer
	if err := png.Encode(&file, &image.Gray{Pix: pgm[len(pgm)-w*h:], Stride: w, Rect: image.Rect(0, 0, w, h)}); err != nil {
		return nil, err
	}
	const rounds = 9
	var ours, alone []float64 // ns
	for round := range rounds + 1 {
		began := time.Now()
		pages, err := e.Read(ctx, file.Bytes())
		if err != nil {
			return nil, err
		}
		if d := paystub.Open(file.Bytes()).Scanned(pages); d.Outcome != paystub.Read {
			return nil, fmt.Errorf("the page is %s", d.Outcome)
		}
		middle := time.Now()
		cmd := exec.CommandContext(ctx, "tesseract", "stdin", "stdout", "--oem", "1", "--psm", "11", "-l", "eng", "-c", "tessedit_create_tsv=1")
		cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
		cmd.Stdin = bytes.NewReader(pgm)
		if err := cmd.Run(); err != nil {
			return nil, err
		}
		if round > 0 { // the first one warms up
			ours, alone = append(ours, float64(middle.Sub(began))), append(alone, float64(time.Since(middle)))
		}
	}
	page := rates(ours, func(i int) float64 { return ours[i] / alone[i] })
	page.name, page.wanted = "pay stub image, one page", "reported"
	page.ours, page.peer = fmt.Sprintf("%.2f s", quantile(ours, 0.5)/1e9), fmt.Sprintf("tesseract alone %.2f s", quantile(alone, 0.5)/1e9)
	return []figure{page}, nil
}
