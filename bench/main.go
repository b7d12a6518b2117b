// Command bench measures this project beside peers and limits. It prints a line for each
// figure: name, ours, the peer or the limit, the ratio, and the spread of the ratio over
// the rounds. It is a separate module, so that the peers are not dependencies of the
// product. Figures are reported; none is an error.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

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

// group is a set of figures that -only selects by name. A part of it may have another
// name.
type group struct {
	name, part string
	run        func(ctx context.Context) ([]figure, error)
	// The group measures memory and runs in another process: the collector lets garbage grow
	// with what a process holds, so that groups before it would change its figures.
	separate bool
}

func (g group) named(name string) bool { return name == g.name || name == g.part }

func groups() []group {
	return []group{
		{"wasm", "", wasmFigures, false},
		{"pages", "", pagesFigures, false},
		{"redirect", "verify", redirectFigures, false},
		{"redirect", "returns", returnFigures, false},
		{"api", "", apiFigures, false},
		{"engine", "cashflow", engineFigures, false},
		{"engine", "income", incomeFigures, false},
		{"scale", "search", searchFigures, false},
		{"scale", "flood", floodFigures, false},
		{"scale", "sealing", sealingFigures, false},
		{"scale", "replicas", replicaFigures, false},
		{"engine", "eligibility", eligibilityFigures, false},
		{"engine", "paystub", paystubFigures, true},
		{"engine", "passport", passportFigures, false},
		{"engine", "ocr", ocrFigures, false},
		{"sources", "mapping", mappingFigures, false},
		{"sources", "oauth", oauthFigures, false},
		{"store", "", storeFigures, false},
	}
}

func main() {
	fleet.Balance()
	only := flag.String("only", "", "the one group to run, or part of a group")
	file := flag.String("bare", "", "serve the bytes of this file and nothing else, as the peer of a figure of pages")
	key := flag.String("check", "", "serve returns that are checked by this key and nothing else, as the peer of a figure of returns")
	place := flag.String("keep", "", "write and read reports at this place when told to, for the figures of sealing")
	flag.Parse()
	if *place != "" {
		if err := keep(context.Background(), *place); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if *key != "" {
		fmt.Fprintln(os.Stderr, "bench:", check(*key))
		os.Exit(1)
	}
	if *file != "" {
		fmt.Fprintln(os.Stderr, "bench:", bare(*file))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string) error {
	all := groups()
	if only != "" && !slices.ContainsFunc(all, func(g group) bool { return g.named(only) }) {
		var names []string
		for _, g := range all {
			names = append(names, strings.TrimSuffix(g.name+"/"+g.part, "/"))
		}
		return fmt.Errorf("no group %q; there are %s", only, strings.Join(names, ", "))
	}
	for _, g := range all {
		if only != "" && !g.named(only) {
			continue
		}
		if g.separate && only != g.part {
			if err := runSeparately(ctx, g.part); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			continue
		}
		figures, err := g.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		for _, f := range figures {
			fmt.Printf("%-9s %-44s %12s %14s  ratio %.2f  spread %.2f–%.2f  wanted %s\n", g.name,
				f.name, f.ours, f.peer, f.ratio, f.low, f.high, f.wanted)
		}
	}
	return nil
}

// runSeparately runs a part of a group in another process.
func runSeparately(ctx context.Context, part string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, "-only", part)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}
