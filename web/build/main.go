// Command build builds the browser assets: it bundles TypeScript and CSS,
// minifies, builds the Go→WASM module with its toolchain's loader, compresses,
// and adds a content hash to every file name. It writes web/dist, one folder per
// party with a manifest, which package web embeds.
//
// Entry points are found, not listed: every .ts and .css directly in web/portal or
// web/provider is a bundle of that party, and images there and in web/ui are copied.
// Sub-folders hold imported files. The same sources give the same bytes. The build needs
// only Go.
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

	"vestibule/web/build/stamp"
	"vestibule/web/manifest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "web/build:", err)
		os.Exit(1)
	}
}

// Paths of the pages' font from a party's folder.
const (
	font         = "../ui/inter/inter.woff2"
	fontExtended = "../ui/inter/inter-extended.woff2"
)

// parties are the two sets of assets. Only the portal has the WASM module: the
// provider validates on its server, and its widget runs in pages of other sites.
var parties = []party{
	{name: "portal", wasm: true, stable: []string{"embed.js", "embed.d.ts"},
		renamed: map[string]string{"embed.d.ts": "parts/embed-api.d.ts", "inter.woff2": font, "inter-extended.woff2": fontExtended}},
	{name: "provider", stable: []string{"widget.js", "widget.d.ts"},
		renamed: map[string]string{"widget.d.ts": "parts/widget-api.d.ts", "inter.woff2": font, "inter-extended.woff2": fontExtended}},
}

type party struct {
	name   string
	wasm   bool
	stable []string // names that other sites use; scripts among them are classic, not modules
	// files by the name that they are served under; a widget.d.ts beside a widget.ts
	// would be that script's output to TypeScript, and could not be imported
	renamed map[string]string
}

func run(ctx context.Context, args []string, log io.Writer) error {
	flags := flag.NewFlagSet("web/build", flag.ContinueOnError)
	flags.SetOutput(log)
	root := flags.String("root", ".", "the module's root")
	out := flags.String("out", filepath.Join("web", "dist"), "folder of the built assets, relative to the root")
	force := flags.Bool("force", false, "build even if nothing changed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	start := time.Now()
	dist := filepath.Join(*root, *out)
	old := builtFrom(dist)
	now, err := stamp.Take(*root)
	if err != nil {
		return err
	}
	if !*force && old == now {
		return nil
	}
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
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
		module, err = buildModule(gctx, *root)
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
			results[i], err = pack(filepath.Dir(dist), p, assets, previous)
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
	if err := settle(*root, dist, now); err != nil {
		return err
	}
	for i, p := range parties {
		fmt.Fprintf(log, "web/build: %s: %d assets, %.1f KB compressed\n", p.name, results[i].count, float64(results[i].bytes)/1000)
	}
	fmt.Fprintf(log, "web/build: done in %.1f s\n", time.Since(start).Seconds())
	return nil
}

// builtFrom returns the stamp of a complete build, or the zero Stamp.
func builtFrom(dist string) stamp.Stamp {
	for _, p := range parties {
		if _, err := os.Stat(filepath.Join(dist, p.name, manifest.Name)); err != nil {
			return stamp.Stamp{}
		}
	}
	return stamp.Read(os.DirFS(dist))
}

// settle writes the stamp of a build that began with the sources of began.
// Sources that changed meanwhile leave no stamp.
func settle(root, dist string, began stamp.Stamp) error {
	now, err := stamp.Take(root)
	if err != nil {
		return err
	}
	if now != began {
		return os.RemoveAll(filepath.Join(dist, stamp.Name))
	}
	return now.Write(dist)
}
