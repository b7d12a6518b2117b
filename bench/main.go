// Command bench measures this project beside its peers and limits, one line a
// figure: name, ours, the peer or the limit, the ratio, and the spread of the
// ratio over its rounds. It is a module of its own, so that the peers stay out of
// the product's dependencies. A figure is reported and never fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// figure is one line. Ratio is ours over the peer's or the limit; Low and High
// are the quartiles of its rounds, and equal it where there is one round only.
type figure struct {
	name       string
	ours, peer string // with their units
	ratio      float64
	low, high  float64
	wanted     string // of the ratio, or of ours
}

// group is the figures that -only selects by name.
type group struct {
	name string
	run  func(ctx context.Context) ([]figure, error)
}

func groups() []group {
	return []group{
		{"wasm", wasmFigures},
		{"pages", pagesFigures},
		{"redirect", redirectFigures},
		{"api", apiFigures},
		{"engine", engineFigures},
		{"engine", incomeFigures},
		{"scale", searchFigures},
		{"scale", floodFigures},
		{"engine", eligibilityFigures},
		{"engine", paystubFigures},
		{"engine", passportFigures},
	}
}

func main() {
	only := flag.String("only", "", "the one group to run")
	file := flag.String("bare", "", "serve the bytes of this file and nothing else, as the peer of a figure of pages")
	flag.Parse()
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
	if only != "" && !slices.ContainsFunc(all, func(g group) bool { return g.name == only }) {
		var names []string
		for _, g := range all {
			names = append(names, g.name)
		}
		return fmt.Errorf("no group %q; there are %s", only, strings.Join(names, ", "))
	}
	for _, g := range all {
		if only != "" && g.name != only {
			continue
		}
		figures, err := g.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		for _, f := range figures {
			fmt.Printf("%-9s %-44s %12s %14s  ratio %.2f  spread %.2f–%.2f  wanted %s\n", g.name, f.name, f.ours, f.peer, f.ratio, f.low, f.high, f.wanted)
		}
	}
	return nil
}
