package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

// paystubFigures measures pay stubs on one core, from a PDF file to the contract's fields,
// checks, and irregularities. It also measures the time and memory of the most expensive
// of several hostile files of 20 MB.
func paystubFigures(ctx context.Context) ([]figure, error) {
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
	const rounds, wanted = 15, 50 // stubs a second
	var spent []float64           // ns a stub, of each round
	for round := range rounds + 1 {
		began := busy()
		for _, file := range stubs {
			d := paystub.Open(file)
			if d.Outcome != paystub.Read {
				return nil, fmt.Errorf("a stub was not read: %s", d.Outcome)
			}
			paystub.Report([]*paystub.Document{d}, paystub.Bank{}, asOf)
		}
		if round > 0 { // the first one warms up
			spent = append(spent, (busy()-began)/float64(len(stubs)))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	speed := rates(spent, func(i int) float64 { return 1e9 / wanted / spent[i] })
	speed.name, speed.wanted = "pay stubs read and checked, one core", "≥ 1.00"
	speed.ours, speed.peer = fmt.Sprintf("%.0f stubs/s", 1e9/quantile(spent, 0.5)), fmt.Sprintf("%d stubs/s", wanted)

	const seconds, megabytes = 2.0, 200.0
	slowest, largest := figure{}, figure{}
	var worst []byte
	var failed error
	paystubtest.HostileFiles(paystubtest.Large, func(h paystubtest.Hostile) {
		debug.FreeOSMemory()
		if err := cmp.Or(failed, ctx.Err(), os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)); err != nil { // the most so far begins anew
			failed = err
			return
		}
		before := mostMemory()
		began := busy()
		paystub.Open(h.File)
		took, memory := (busy()-began)/1e9, mostMemory()-before+float64(len(h.File))/1e6
		if share := took / seconds; share > slowest.ratio {
			slowest = figure{name: "slowest hostile file: " + h.Name, ours: fmt.Sprintf("%.2f s", took),
				peer: fmt.Sprintf("%.0f s", seconds), ratio: share, low: share, high: share, wanted: "≤ 1.00"}
		}
		if share := memory / megabytes; share > largest.ratio {
			worst = h.File
			largest = figure{name: "memory: " + h.Name, ours: fmt.Sprintf("%.0f MB", memory), peer: fmt.Sprintf("%.0f MB", megabytes),
				ratio: share, low: share, high: share, wanted: "≤ 1.00"}
		}
	})
	if failed != nil {
		return nil, failed
	}
	visits, err := visitFigures(ctx, worst)
	return append([]figure{speed, slowest, largest}, visits...), err
}

var highest = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// mostMemory returns the maximum resident set size of this process in MB.
func mostMemory() float64 {
	status, err := os.ReadFile("/proc/self/status")
	m := highest.FindSubmatch(status)
	if err != nil || m == nil {
		return 0
	}
	kb, _ := strconv.ParseFloat(string(m[1]), 64)
	return kb / 1000
}
