// Command soak starts the program as it is deployed, sends it a day of ordinary use
// in a short time, and says whether it stood it: by route how long answers took,
// what went wrong, and what memory and goroutines it had before and after.
//
// It looks for the saturation first: journeys end to end, more and more at once,
// until no more of them end in a second. The day's rush hour is half of that. With
// -hold it only starts replicas and a balancer, and waits.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	d := flag.Duration("d", 10*time.Minute, "how long the day is")
	n := flag.Int("replicas", 0, "replicas on PostgreSQL; 0 is one on SQLite")
	hold := flag.Bool("hold", false, "only start them, until interrupted")
	bin := flag.String("bin", "../bin/vestibule", "the program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	good, err := run(ctx, *bin, *n, *d, *hold)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !good {
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, n int, d time.Duration, hold bool) (good bool, err error) {
	// The replicas outlive ctx, so that they are ended in order.
	f, err := launch(context.WithoutCancel(ctx), bin, n)
	if err != nil {
		return false, err
	}
	defer f.stop()
	go f.watch(ctx)
	if hold {
		fmt.Printf("portal    %s\nprovider  %s\n", f.portal, f.provider)
		for i, r := range f.replicas {
			fmt.Printf("replica %d  admin http://%s  sandbox control http://%s  pid %d\n", i, r.admin, r.control, r.cmd.Process.Pid)
		}
		fmt.Printf("credentials %s/0/sandbox-credentials.json\nend with Ctrl-C\n", f.dir)
		<-ctx.Done()
		return true, nil
	}
	l, err := newLoad(f)
	if err != nil {
		return false, err
	}
	return soak(ctx, f, l, d)
}

// soak finds the saturation, measures without load, then lives through the day.
func soak(ctx context.Context, f *fleet, l *load, d time.Duration) (bool, error) {
	probe := max(3*time.Second, d/40)
	l.crowd(ctx, 2, probe) // warms up
	saturation, at := 0.0, 0
	for c := 2; c <= 256; c *= 2 {
		rate := l.crowd(ctx, c, probe)
		fmt.Printf("%3d at once: %6.1f journeys/s\n", c, rate)
		if rate > saturation {
			saturation, at = rate, c
		}
		if rate < saturation*1.05 && c > at || ctx.Err() != nil {
			break
		}
	}
	fmt.Printf("saturation: %.1f journeys/s, %d at once\n", saturation, at)
	if len(l.errs) > 0 {
		fmt.Println("errors on the way there:", l.errs)
	}
	l.begin()
	l.crowd(ctx, 1, max(10*time.Second, d/10))
	unloaded := l.times
	before, err := settled(ctx, f)
	if err != nil {
		return false, err
	}
	l.begin()
	began := time.Now()
	ran := l.day(ctx, d, saturation/2)
	took := time.Since(began)
	after, err := settled(ctx, f)
	if err != nil {
		return false, err
	}
	fmt.Printf("%d journeys in %s, at most %.1f/s\n\n", ran, took.Round(time.Second), saturation/2)
	return l.verdict(unloaded, before, after), ctx.Err()
}

// crowd has so many do one journey after the other for d, and returns journeys a
// second.
func (l *load) crowd(ctx context.Context, many int, d time.Duration) float64 {
	var ended atomic.Int64
	var wait sync.WaitGroup
	began := time.Now()
	for range many {
		wait.Go(func() {
			for ctx.Err() == nil && time.Since(began) < d {
				if l.one(ctx) == nil {
					ended.Add(1)
				}
			}
		})
	}
	wait.Wait()
	return float64(ended.Load()) / time.Since(began).Seconds()
}

// busy is the share of the day's rush hour that arrives at a time of the day, from 0
// to 1: little at night, a rush in the morning and a longer one in the evening.
func busy(t float64) float64 {
	hump := func(at, width float64) float64 { return math.Exp(-math.Pow((t-at)/width, 2)) }
	return min(1, 0.08+0.75*hump(10.0/24, 0.10)+0.92*hump(19.5/24, 0.12))
}

// day lets arrivals come one by one, at random, however long the others take.
func (l *load) day(ctx context.Context, d time.Duration, rush float64) (ran int64) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var wait sync.WaitGroup
	var ended atomic.Int64
	began := time.Now()
	next := began
	for ctx.Err() == nil {
		rate := rush * busy(time.Since(began).Seconds()/d.Seconds())
		next = next.Add(time.Duration(rand.ExpFloat64() / rate * float64(time.Second)))
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
			continue
		}
		wait.Go(func() {
			if l.one(context.WithoutCancel(ctx)) == nil {
				ended.Add(1)
			}
		})
	}
	wait.Wait()
	return ended.Load()
}

// state is what the processes hold.
type state struct{ heap, resident, goroutines float64 }

// settled waits until what runs has ended, and returns what is held then.
func settled(ctx context.Context, f *fleet) (state, error) {
	select {
	case <-time.After(6 * time.Second):
	case <-ctx.Done():
	}
	m, err := f.metrics("go_memstats_heap_inuse_bytes", "process_resident_memory_bytes", "go_goroutines")
	return state{m["go_memstats_heap_inuse_bytes"] / 1e6, m["process_resident_memory_bytes"] / 1e6, m["go_goroutines"]}, err
}

func quantile(of []time.Duration, q float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[int(q*float64(len(sorted)-1))]
}

// Few answers say nothing of their hundredth part.
const enough = 30

func (l *load) verdict(unloaded map[string][]time.Duration, before, after state) bool {
	good := true
	fmt.Printf("%-42s %6s %9s %9s %9s %14s\n", "route", "n", "p50", "p95", "p99", "p99 unloaded")
	ms := func(d time.Duration) string {
		if d == 0 { // not once
			return "-"
		}
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	routes := slices.SortedFunc(maps.Keys(l.times), func(a, b string) int { return cmp.Compare(len(l.times[b]), len(l.times[a])) })
	for _, r := range routes {
		p99, alone := quantile(l.times[r], .99), quantile(unloaded[r], .99)
		mark := ""
		if len(l.times[r]) >= enough && len(unloaded[r]) >= enough && p99 > 2*alone {
			mark, good = "  more than twice", false
		}
		fmt.Printf("%-42s %6d %9s %9s %9s %14s%s\n", r, len(l.times[r]), ms(quantile(l.times[r], .5)), ms(quantile(l.times[r], .95)), ms(p99), ms(alone), mark)
	}
	fmt.Printf("\nheap %.0f → %.0f MB, resident %.0f → %.0f MB, goroutines %.0f → %.0f\n", before.heap, after.heap, before.resident, after.resident, before.goroutines, after.goroutines)
	if after.heap > before.heap*1.5+20 || after.goroutines > before.goroutines*1.1+20 {
		fmt.Println("it grew")
		good = false
	}
	if l.held > 0 {
		fmt.Printf("held back by rate limits: %d\n", l.held)
	}
	for what, n := range l.errs {
		fmt.Printf("error: %s, %d times\n", what, n)
		good = false
	}
	fmt.Printf("verdict: %s\n", map[bool]string{true: "good", false: "bad"}[good])
	return good
}
