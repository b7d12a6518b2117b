//go:build linux

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"vestibule/bench/fleet"
)

// figure is one line. Ratio is ours divided by the peer's or the limit. Low and High are
// the quartiles of the rounds, and equal Ratio if there is one round.
type figure struct {
	name       string
	ours, peer string // with their units
	ratio      float64
	low, high  float64
	wanted     string // of the ratio, or of ours
}

// series are measurements, one for each round.
type series []float64

func (s series) quantile(q float64) float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(q*float64(len(sorted)-1))]
}

func (s series) median() float64 { return s.quantile(0.5) }

// each returns the series with every value replaced.
func (s series) each(f func(float64) float64) series {
	out := make(series, len(s))
	for i, v := range s {
		out[i] = f(v)
	}
	return out
}

// compare makes a figure of our measurements and a peer's, round by round. A limit is a peer
// with one measurement.
func compare(name, wanted string, show func(float64) string, ours, peer series) figure {
	ratios := make(series, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / peer[i%len(peer)]
	}
	return figure{name: name, wanted: wanted, ours: show(ours.median()), peer: show(peer.median()),
		ratio: ratios.median(), low: ratios.quantile(0.25), high: ratios.quantile(0.75)}
}

// compareRates makes a figure of two series of nanoseconds, as rates.
func compareRates(name, wanted string, ours, peer series) figure {
	rate := func(ns float64) float64 { return 1e9 / ns }
	return compare(name, wanted, unit("%.0f /s", 1), ours.each(rate), peer.each(rate))
}

// unit returns a function that shows a value in a unit of the given size.
func unit(format string, size float64) func(float64) string {
	return func(v float64) string { return fmt.Sprintf(format, v/size) }
}

// Units of nanoseconds and of bytes.
var (
	micros    = unit("%.1f µs", 1e3)
	millis    = unit("%.1f ms", 1e6)
	kilobytes = unit("%.1f KB", 1e3)
	megabytes = unit("%.1f MB", 1e6)
)

// contestant is a function that is measured, several times in a round.
type contestant struct {
	times int
	run   func() error
}

// alternate measures contestants in turns, in rounds that another one begins each time, so
// that other load of the machine affects all alike. It returns the nanoseconds of one run by
// contestant and round. The first round warms up and is not measured.
func alternate(ctx context.Context, rounds int, clock func() float64, all ...contestant) ([]series, error) {
	spent := make([]series, len(all))
	for round := range rounds + 1 {
		for turn := range all {
			who := (round + turn) % len(all)
			began := clock()
			for range all[who].times {
				if err := all[who].run(); err != nil {
					return nil, err
				}
			}
			if round > 0 {
				spent[who] = append(spent[who], (clock()-began)/float64(all[who].times))
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return spent, nil
}

var start = time.Now()

// elapsed is a clock of real time.
func elapsed() float64 { return float64(time.Since(start)) }

// busy is a clock of this process's processor time, with the garbage collector's. It does
// not depend on the load of the machine.
func busy() float64 { return float64(fleet.UsedHere()) }

// parallel calls f with 0 to n-1 from a number of goroutines, and stops at an error.
func parallel(workers, n int, f func(i int) error) error {
	var next atomic.Int64
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for who := range errs {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[who] == nil; i = int(next.Add(1)) - 1 {
				errs[who] = f(i)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// engine is a database to measure on.
type engine struct {
	name, dir string
	url       string // of PostgreSQL; "" is SQLite in dir
}

// used returns the processor time of PostgreSQL's processes in nanoseconds.
func (e engine) used() (float64, error) {
	if e.url == "" {
		return 0, nil
	}
	d, err := fleet.UsedByServer(e.url)
	return float64(d), err
}

// bare returns the driver and the address of a database of peers, with the durability of the product's.
func (e engine) bare() (driver, at string) {
	if e.url != "" {
		return "pgx", e.url
	}
	return "sqlite", "file:" + filepath.Join(e.dir, "bare.db") + "?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=secure_delete(FAST)&_pragma=busy_timeout(10000)"
}

// openBare opens a database of peers with as many connections as the engine uses for writing.
func openBare(driver, at string) (db *sql.DB, writers int, err error) {
	writers = returnClients
	if driver == "sqlite" { // writes one after the other
		writers = 1
	}
	if db, err = sql.Open(driver, at); err == nil {
		db.SetMaxOpenConns(writers)
		db.SetMaxIdleConns(writers)
	}
	return db, writers, err
}

// onEngines returns what measures on SQLite and, if it is installed, on PostgreSQL, with the program
// that build makes; nil for none.
func onEngines(build func(ctx context.Context, dir string) (string, error),
	measure func(ctx context.Context, bin string, e engine) ([]figure, error)) func(context.Context, string) ([]figure, error) {
	return func(ctx context.Context, dir string) (out []figure, err error) {
		bin := ""
		if build != nil {
			if bin, err = build(ctx, dir); err != nil {
				return nil, err
			}
		}
		if out, err = measure(ctx, bin, engine{name: "SQLite", dir: filepath.Join(dir, "sqlite")}); err != nil {
			return nil, err
		}
		c, err := fleet.StartPostgres(ctx)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: without PostgreSQL:", err)
			return out, nil
		}
		defer c.Stop()
		more, err := measure(ctx, bin, engine{name: "PostgreSQL", dir: filepath.Join(dir, "postgres"), url: c.URL})
		return append(out, more...), err
	}
}

// goBuild runs go build in a folder, with more variables of the environment.
func goBuild(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-trimpath", "-ldflags=-s -w"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	return nil
}

func buildProgram(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "vestibule")
	return bin, goBuild(ctx, "..", nil, "-o", bin, "./cmd/server")
}

// mostMemory runs f and returns the maximum of this process's resident memory in bytes beyond
// what it used before.
func mostMemory(f func() error) (float64, error) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the maximum begins anew
		return 0, err
	}
	before, err := memoryOf(syscall.Getpid(), "VmHWM")
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := memoryOf(syscall.Getpid(), "VmHWM")
	return after - before, err
}
