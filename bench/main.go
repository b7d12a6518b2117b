//go:build linux

// Command bench measures this project beside peers and limits. It prints a line for each
// figure: name, ours, the peer or the limit, the ratio, and the spread of the ratio over
// the rounds. Figures are reported; none is an error.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"vestibule/bench/fleet"
)

// group is a set of figures that -only selects by name, with others or by the name of its
// part. run gets an empty folder that is deleted afterward.
type group struct {
	name, part string
	run        func(ctx context.Context, dir string) []figure
}

func (g group) named(name string) bool { return name == "" || name == g.name || name == g.part }

var groups = []group{
	{"wasm", "module", wasmFigures},
	{"memory", "resident", memoryFigures},
	{"redirect", "returns", returnFigures},
	{"api", "submissions", submissionFigures},
	{"api", "requests", requestFigures},
	{"engine", "cashflow", engineFigures},
	{"engine", "paystub", paystubFigures},
	{"engine", "ocr", ocrFigures},
	{"journey", "whole", journeyFigures},
	{"scale", "sealing", sealingFigures},
	{"scale", "replicas", replicaFigures},
	{"scale", "queues", queueFigures},
	{"scale", "applications", applicationFigures},
}

func main() {
	replicas := flag.String("balance", "", "balance replicas with these addresses, as a part of a fleet")
	only := flag.String("only", "", "the one group to run, or part of a group")
	bare := flag.String("bare-journey", "", "serve bare journeys with this driver and the database of -keep, as the peer of whole ones")
	sizes := flag.String("sizes", "", "the bytes of a bare journey's answers by route, as JSON")
	place := flag.String("keep", "", "write and read reports at this place when told to, for the figures of sealing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := catch(func() {
		switch {
		case *replicas != "":
			check(fleet.Balance(*replicas))
		case *bare != "":
			var of map[string]int
			check(json.Unmarshal([]byte(*sizes), &of))
			serveBareJourney(*bare, *place, of)
		case *place != "":
			keep(ctx, *place)
		default:
			run(ctx, *only)
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run runs the group of that name. Each of several runs in another process: the collector lets
// garbage grow with what a process holds, so that one group would change the figures of the next.
func run(ctx context.Context, only string) {
	var chosen []group
	var names []string
	for _, g := range groups {
		if names = append(names, g.name+"/"+g.part); g.named(only) {
			chosen = append(chosen, g)
		}
	}
	switch len(chosen) {
	case 0:
		check(fmt.Errorf("no group %q; there are %s", only, strings.Join(names, ", ")))
	case 1:
		chosen[0].print(ctx)
		return
	}
	for _, g := range chosen {
		c := exec.CommandContext(ctx, "/proc/self/exe", "-only", g.part)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Run(); err != nil {
			check(fmt.Errorf("%s: %w", g.name, err))
		}
	}
}

// print runs a group and prints its figures.
func (g group) print(ctx context.Context) {
	dir := must(os.MkdirTemp("", "vestibule-bench-"))
	defer os.RemoveAll(dir)
	for _, f := range g.run(ctx, dir) {
		fmt.Printf("%-9s %-52s %14s %16s  ratio %.2f  spread %.2f–%.2f  wanted %s\n", g.name,
			f.name, f.ours, f.peer, f.ratio, f.low, f.high, f.wanted)
	}
}
