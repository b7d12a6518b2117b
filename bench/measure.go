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
	"time"

	"vestibule/bench/fleet"
)

// failure is an error that ends the measurement; catch returns it.
type failure struct{ error }

// check panics with an error, so that a measurement reads without the errors that end it.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must returns a value without its error.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// catch returns the error with which f ended.
func catch(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			failed, ok := v.(failure)
			if !ok {
				panic(v)
			}
			err = failed.error
		}
	}()
	f()
	return nil
}

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
	run   func()
}

// alternate measures contestants in turns, in rounds that another one begins each time, so
// that other load of the machine affects all alike. It returns the nanoseconds of one run by
// contestant and round. The first round warms up and is not measured.
func alternate(ctx context.Context, rounds int, clock func() float64, all ...contestant) []series {
	spent := make([]series, len(all))
	for round := range rounds + 1 {
		for turn := range all {
			who := (round + turn) % len(all)
			began := clock()
			for range all[who].times {
				all[who].run()
			}
			if round > 0 {
				spent[who] = append(spent[who], (clock()-began)/float64(all[who].times))
			}
			check(ctx.Err())
		}
	}
	return spent
}

var start = time.Now()

// elapsed is a clock of real time.
func elapsed() float64 { return float64(time.Since(start)) }

// busy is a clock of this process's processor time, with the garbage collector's. It does
// not depend on the load of the machine.
func busy() float64 { return float64(fleet.UsedHere()) }

// parallel calls f with 0 to n-1 from a number of goroutines, and stops at an error.
func parallel(workers, n int, f func(i int)) {
	var next atomic.Int64
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for who := range errs {
		wait.Go(func() {
			errs[who] = catch(func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					f(i)
				}
			})
		})
	}
	wait.Wait()
	check(errors.Join(errs...))
}

// engine is a database to measure on.
type engine struct {
	name, dir string
	url       string // of PostgreSQL; "" is SQLite in dir
}

// used returns the processor time of PostgreSQL's processes in nanoseconds.
func (e engine) used() float64 {
	if e.url == "" {
		return 0
	}
	return float64(must(fleet.UsedByServer(e.url)))
}

// used returns the processor time of a process in nanoseconds.
func used(pid int) float64 {
	own, _, err := fleet.Used(pid)
	check(err)
	return float64(own)
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
func openBare(driver, at string) (db *sql.DB, writers int) {
	writers = returnClients
	if driver == "sqlite" { // writes one after the other
		writers = 1
	}
	db = must(sql.Open(driver, at))
	db.SetMaxOpenConns(writers)
	db.SetMaxIdleConns(writers)
	return db, writers
}

// onEngines measures on SQLite and, if it is installed, on PostgreSQL.
func onEngines(ctx context.Context, dir string, measure func(e engine) []figure) []figure {
	out := measure(engine{name: "SQLite", dir: filepath.Join(dir, "sqlite")})
	c, err := fleet.StartPostgres(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: without PostgreSQL:", err)
		return out
	}
	defer c.Stop()
	return append(out, measure(engine{name: "PostgreSQL", dir: filepath.Join(dir, "postgres"), url: c.URL})...)
}

// goBuild runs go build in a folder, with more variables of the environment.
func goBuild(ctx context.Context, dir string, env []string, args ...string) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-trimpath", "-ldflags=-s -w"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		check(fmt.Errorf("build: %w: %s", err, out))
	}
}

// buildProgram builds the product into dir.
func buildProgram(ctx context.Context, dir string) string {
	bin := filepath.Join(dir, "vestibule")
	goBuild(ctx, "..", nil, "-o", bin, "./cmd/server")
	return bin
}

// forgetMost lets the maximum of a process's resident memory begin anew.
func forgetMost(pid int) {
	check(os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0))
}

// mostMemory runs f and returns the maximum of this process's resident memory in bytes beyond
// what it used before.
func mostMemory(f func()) float64 {
	pid := os.Getpid()
	forgetMost(pid)
	before := memoryOf(pid, "VmHWM")
	f()
	return memoryOf(pid, "VmHWM") - before
}
