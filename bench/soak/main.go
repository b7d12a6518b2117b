//go:build linux

// Command soak starts the program as operators deploy it, and sends it a day of ordinary use
// in a short time. It reports the times of answers by route, the errors, and memory and
// goroutines before and after.
//
// First it finds the saturation: it runs more and more journeys concurrently, until the
// number that end in a second no longer grows. The day's rush hour is half of that, or what
// -rate says. With -hold it only starts replicas and a balancer, and waits.
package main

import (
	"cmp"
	"context"
	"errors"
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

	"vestibule/bench/fleet"
)

func main() {
	replicas := flag.String("balance", "", "balance replicas with these addresses, as a part of a fleet")
	d := flag.Duration("d", 10*time.Minute, "how long the day is")
	rate := flag.Float64("rate", 0, "journeys a second in the rush hour; 0 is half of the saturation")
	n := flag.Int("replicas", 0, "replicas on PostgreSQL; 0 is one on SQLite")
	hold := flag.Bool("hold", false, "only start them, until interrupted")
	bin := flag.String("bin", "../bin/vestibule", "the program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *replicas != "" {
		fmt.Fprintln(os.Stderr, "soak:", fleet.Balance(*replicas))
		os.Exit(1)
	}
	good, err := run(ctx, *bin, *n, *d, *rate, *hold)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !good {
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, n int, d time.Duration, rate float64, hold bool) (good bool, err error) {
	// The replicas outlive ctx, so that they end in order.
	f, err := fleet.Launch(context.WithoutCancel(ctx), fleet.Options{Bin: bin, Replicas: n})
	if err != nil {
		return false, err
	}
	defer f.Stop()
	if hold {
		fmt.Printf("portal    %s\nprovider  %s\n", f.Portal, f.Provider)
		for i, r := range f.Replicas {
			fmt.Printf("replica %d  admin http://%s  sandbox control http://%s  pid %d\n", i, r.Admin, r.Control, r.Pid())
		}
		fmt.Printf("credentials %s/0/sandbox-credentials.json\nend with Ctrl-C\n", f.Dir)
		<-ctx.Done()
		return true, nil
	}
	l, err := fleet.NewLoad(f)
	if err != nil {
		return false, err
	}
	return soak(ctx, f, l, d, rate)
}

// soak finds the saturation unless the rush hour's rate is given, measures without load, then runs
// the day.
func soak(ctx context.Context, f *fleet.Fleet, l *fleet.Load, d time.Duration, rate float64) (bool, error) {
	if rate > 0 {
		l.Crowd(ctx, 4, max(3*time.Second, d/40)) // warms up
	} else {
		saturation, err := saturate(ctx, f, l, max(3*time.Second, d/40))
		if err != nil {
			return false, err
		}
		rate = saturation / 2
	}
	if len(l.Errs) > 0 {
		fmt.Println("errors on the way there:", l.Errs)
	}
	before, err := settled(ctx, f)
	if err != nil {
		return false, err
	}
	alone, err := phase(f, func() error {
		l.Begin()
		l.Crowd(ctx, 1, max(20*time.Second, min(d/5, 2*time.Minute)))
		return nil
	})
	if err != nil {
		return false, err
	}
	unloaded := l.Times
	l.Begin()
	var ran int64
	began := time.Now()
	busied, err := phase(f, func() error {
		ran = day(ctx, l, d, rate)
		return nil
	})
	if err != nil {
		return false, err
	}
	took := time.Since(began)
	if ctx.Err() != nil || ran == 0 {
		return false, errors.Join(ctx.Err(), errors.New("the day had no journey"))
	}
	after, err := settled(ctx, f)
	if err != nil {
		return false, err
	}
	fmt.Printf("%d journeys in %s, %.1f/s at the rush hour; one took of processors: %s\n", ran,
		took.Round(time.Second), rate, busied.cost.Per(float64(ran)))
	fmt.Printf("other work had %.0f%% of the machine, and %.0f%% while it was measured without load\n\n",
		100*busied.others, 100*alone.others)
	return verdict(l, unloaded, before, after, max(alone.others, busied.others)), ctx.Err()
}

// saturate returns the maximum of journeys a second, with any number of concurrent ones.
func saturate(ctx context.Context, f *fleet.Fleet, l *fleet.Load, probe time.Duration) (float64, error) {
	l.Crowd(ctx, 4, probe) // warms up
	most, at, worse := 0.0, 0, 0
	for c := 4; c <= 256 && worse < 2 && ctx.Err() == nil; c *= 2 {
		var ended int
		var took time.Duration
		p, err := phase(f, func() error {
			ended, took = l.Crowd(ctx, c, probe)
			return nil
		})
		if err != nil {
			return 0, err
		}
		rate := float64(ended) / took.Seconds()
		fmt.Printf("%3d at once: %6.1f journeys/s; one took of processors: %s\n", c, rate, p.cost.Per(float64(max(ended, 1))))
		worse++
		if rate > most*1.05 {
			worse = 0
		}
		if rate > most {
			most, at = rate, c
		}
	}
	fmt.Printf("saturation: %.1f journeys/s, %d at once\n", most, at)
	return most, ctx.Err()
}

// spent is processor time of a measurement: of the fleet, and of other processes.
type spent struct {
	cost   fleet.Cost
	others float64 // their share of the machine
}

func phase(f *fleet.Fleet, run func() error) (s spent, err error) {
	before, err := f.Cost()
	if err != nil {
		return s, err
	}
	worked, had, err := fleet.Machine()
	if err != nil {
		return s, err
	}
	if err := run(); err != nil {
		return s, err
	}
	after, err := f.Cost()
	if err != nil {
		return s, err
	}
	worked2, had2, err := fleet.Machine()
	s.cost = after.Less(before)
	s.others = max(0, float64(worked2-worked-s.cost.Own()-s.cost.Load)/float64(had2-had))
	return s, err
}

// busy returns the load at a time of the day, from 0 to 1 of the rush hour's: little at
// night, a rush in the morning and a longer one in the evening.
func busy(t float64) float64 {
	hump := func(at, width float64) float64 { return math.Exp(-math.Pow((t-at)/width, 2)) }
	return min(1, 0.08+0.75*hump(10.0/24, 0.10)+0.92*hump(19.5/24, 0.12))
}

// rushed is the share from which on it is the rush hour.
const rushed = 0.9

// day lets arrivals come one by one, at random, however long the others take. It
// returns how many came to their end.
func day(ctx context.Context, l *fleet.Load, d time.Duration, rush float64) int64 {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var wait sync.WaitGroup
	var ended atomic.Int64
	began := time.Now()
	next := began
	for ctx.Err() == nil {
		share := busy(time.Since(began).Seconds() / d.Seconds())
		l.AtRush.Store(share >= rushed)
		next = next.Add(time.Duration(rand.ExpFloat64() / (rush * share) * float64(time.Second)))
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
			continue
		}
		wait.Go(func() {
			if l.One(context.WithoutCancel(ctx)) {
				ended.Add(1)
			}
		})
	}
	wait.Wait()
	l.AtRush.Store(false)
	return ended.Load()
}

// state is what the processes hold.
type state struct{ heap, resident, goroutines float64 }

// settled waits until what runs has ended, and returns what is held then.
func settled(ctx context.Context, f *fleet.Fleet) (state, error) {
	select {
	case <-time.After(6 * time.Second):
	case <-ctx.Done():
	}
	if err := f.Collect(); err != nil {
		return state{}, err
	}
	m, err := f.Metrics("go_memstats_heap_inuse_bytes", "process_resident_memory_bytes", "go_goroutines")
	return state{m["go_memstats_heap_inuse_bytes"] / 1e6, m["process_resident_memory_bytes"] / 1e6, m["go_goroutines"]}, err
}

func quantile(of []time.Duration, q float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[int(math.Ceil(q*float64(len(sorted)-1)))]
}

// Few answers say nothing of their hundredth part.
const enough = 60

// slower reports whether the 99th percentile of what is loaded is more than twice the
// unloaded one, by more than chance makes of so many answers.
func slower(loaded, unloaded []time.Duration) bool {
	n := float64(len(loaded))
	if n < enough || len(unloaded) < enough {
		return false
	}
	limit, over := 2*quantile(unloaded, .99), 0.0
	for _, took := range loaded {
		if took > limit {
			over++
		}
	}
	return over > .01*n+2.33*math.Sqrt(.01*.99*n)
}

// noise is the share of the machine from which on other work, and not ours, says how
// long answers take, with load as without.
const noise = 0.2

func verdict(l *fleet.Load, unloaded map[string][]time.Duration, before, after state, others float64) bool {
	good, slow := true, false
	fmt.Printf("%-40s %6s %9s %9s %9s %10s %13s\n", "route", "n", "p50", "p95", "p99", "p99, rush", "p99, unloaded")
	ms := func(of []time.Duration, q float64) string {
		if len(of) == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f ms", float64(quantile(of, q).Microseconds())/1000)
	}
	routes := slices.SortedFunc(maps.Keys(l.Times), func(a, b string) int { return cmp.Compare(len(l.Times[b]), len(l.Times[a])) })
	for _, r := range routes {
		all, mark := l.Times[r], ""
		if slower(l.Rush[r], unloaded[r]) {
			mark, slow = "  more than twice", true
		}
		fmt.Printf("%-40s %6d %9s %9s %9s %10s %13s%s\n", r, len(all), ms(all, .5), ms(all, .95),
			ms(all, .99), ms(l.Rush[r], .99), ms(unloaded[r], .99), mark)
	}
	fmt.Printf("\nheap %.0f → %.0f MB, resident %.0f → %.0f MB, goroutines %.0f → %.0f\n", before.heap, after.heap,
		before.resident, after.resident, before.goroutines, after.goroutines)
	if after.heap > before.heap*1.5+20 || after.goroutines > before.goroutines*1.1+20 {
		fmt.Println("it grew")
		good = false
	}
	if l.Held > 0 {
		fmt.Printf("held back by rate limits: %d\n", l.Held)
	}
	for what, n := range l.Errs {
		fmt.Printf("error: %s, %d times\n", what, n)
		good = false
	}
	switch {
	case good && others > noise:
		fmt.Println("verdict: unsure, for other work had so much of the machine that times say little; all else is good")
	case good && !slow:
		fmt.Println("verdict: good")
		return true
	default:
		fmt.Println("verdict: bad")
	}
	return false
}
