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
}

func (g group) named(name string) bool { return name == g.name || name == g.part }

func groups() []group {
	return []group{
		{"wasm", "", wasmFigures},
		{"pages", "", pagesFigures},
		{"redirect", "verify", redirectFigures},
		{"redirect", "returns", returnFigures},
		{"api", "", apiFigures},
		{"engine", "cashflow", engineFigures},
		{"engine", "income", incomeFigures},
		{"scale", "search", searchFigures},
		{"scale", "flood", floodFigures},
		{"scale", "sealing", sealingFigures},
		{"scale", "replicas", replicaFigures},
		{"engine", "eligibility", eligibilityFigures},
		{"engine", "paystub", paystubFigures},
		{"engine", "passport", passportFigures},
		{"engine", "ocr", ocrFigures},
		{"sources", "mapping", mappingFigures},
		{"sources", "oauth", oauthFigures},
		{"store", "", storeFigures},
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
