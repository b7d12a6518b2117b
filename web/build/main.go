// Command build makes what a browser loads: it bundles TypeScript and CSS,
// minifies, builds the Go→WASM module with its toolchain's loader, compresses,
// and gives every file a name that holds its content's hash. The result is
// web/dist, one folder a party with a manifest, embedded by package web.
//
// Entry points are found, not listed: every .ts and .css directly in
// web/portal or web/provider is a bundle of that party, and images there and
// in web/ui are copied. Sub-folders hold what bundles import. The same sources
// give the same bytes. It needs Go and nothing else.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "web/build:", err)
		os.Exit(1)
	}
}

// parties are the two sets of assets. The module is the portal's: the provider
// decides on its server, and hands its widget to pages that are not its own.
var parties = []party{
	{name: "portal", wasm: true, stable: []string{"embed.js", "embed.d.ts"}},
	{name: "provider", stable: []string{"widget.js", "widget.d.ts"}},
}

type party struct {
	name   string
	wasm   bool
	stable []string // names that outside relies on; scripts among them are classic, not modules
}

func run(ctx context.Context, args []string, log io.Writer) error {
	flags := flag.NewFlagSet("web/build", flag.ContinueOnError)
	flags.SetOutput(log)
	root := flags.String("root", ".", "the module's root")
	force := flags.Bool("force", false, "build even if nothing changed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	start := time.Now()
	dist := filepath.Join(*root, "web", "dist")
	old := readStamp(dist)
	now, err := takeStamp(*root, old.Packages)
	if err != nil {
		return err
	}
	if !*force && old.same(now) {
		return nil
	}

	var module []asset
	var results [2]result
	g, gctx := errgroup.WithContext(ctx)
	wasmDone := make(chan struct{})
	g.Go(func() error {
		defer close(wasmDone)
		if _, err := os.Stat(filepath.Join(*root, "wasm")); os.IsNotExist(err) {
			fmt.Fprintln(log, "web/build: there is no ./wasm: the assets are built without the module")
			return nil
		}
		var err error
		module, now.Packages, err = buildModule(gctx, *root)
		return err
	})
	for i, p := range parties {
		g.Go(func() error {
			assets, err := collect(*root, p)
			if err != nil {
				return err
			}
			if p.wasm {
				select {
				case <-wasmDone:
				case <-gctx.Done():
					return gctx.Err()
				}
				assets = append(assets, module...)
			}
			previous := filepath.Join(dist, p.name)
			if *force || old.Tool != now.Tool {
				previous = ""
			}
			results[i], err = pack(filepath.Join(*root, "web"), p, assets, previous)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		for _, r := range results {
			os.RemoveAll(r.dir)
		}
		return err
	}
	for i, p := range parties {
		if err := replace(filepath.Join(dist, p.name), results[i].dir); err != nil {
			return err
		}
	}
	if err := settle(*root, dist, old.Packages, now); err != nil {
		return err
	}
	for i, p := range parties {
		fmt.Fprintf(log, "web/build: %s: %d assets, %.1f KB compressed\n", p.name, results[i].count, float64(results[i].bytes)/1000)
	}
	fmt.Fprintf(log, "web/build: done in %.1f s\n", time.Since(start).Seconds())
	return nil
}

// settle writes the stamp of a build that began with the sources of began. The
// module's packages are known only after it; with them, the next run sees a
// change in any of them. Sources that changed meanwhile leave no stamp.
func settle(root, dist string, packages []string, began stamp) error {
	again, err := takeStamp(root, packages)
	if err != nil {
		return err
	}
	if !again.same(began) {
		return os.RemoveAll(filepath.Join(dist, stampName))
	}
	now, err := takeStamp(root, began.Packages)
	if err != nil {
		return err
	}
	return now.write(dist)
}
