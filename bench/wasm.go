//go:build linux

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"

	"vestibule/internal/testutil/prefilltest"
)

// zodVersion is the version of the peer from npm.
const zodVersion = "4.6.7"

// emptyProgram is the smallest program that uses syscall/js.
const emptyProgram = "package main\n\nimport \"syscall/js\"\n\nfunc main() { js.Global(); select {} }\n"

// wasmFigures measures the browser's module: its size beside an empty program of the same
// toolchain, and the time to check a form in Chromium beside the same rules in zod.
func wasmFigures(ctx context.Context, dir string) ([]figure, error) {
	for name, content := range map[string]string{"go.mod": "module empty\n\ngo 1.26\n", "main.go": emptyProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	empty, err := buildWASM(ctx, dir, ".", filepath.Join(dir, "empty.wasm"))
	if err != nil {
		return nil, err
	}
	module, err := buildWASM(ctx, "..", "./wasm", filepath.Join(dir, "vestibule.wasm"))
	if err != nil {
		return nil, err
	}
	times, err := inChromium(ctx, dir, module)
	if err != nil {
		return nil, err
	}
	nanoseconds := func(us float64) float64 { return us * 1000 }
	ours, zod := times.Ours.each(nanoseconds), times.Zod.each(nanoseconds)
	return []figure{
		compare("module / empty program, brotli", "≤ 1.10", kilobytes, series{brotliSize(module)}, series{brotliSize(empty)}),
		compare("check a form in Chromium, module / zod", "≤ 3.00", micros, ours, zod),
		compare("check a form in Chromium, module / limit", "≤ 1.00", micros, ours, series{50e3}),
	}, nil
}

func buildWASM(ctx context.Context, dir, what, out string) ([]byte, error) {
	if err := goBuild(ctx, dir, []string{"GOOS=js", "GOARCH=wasm", "GOFLAGS="}, "-buildvcs=false", "-o", out, what); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

func brotliSize(content []byte) float64 {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	w.Write(content)
	w.Close()
	return float64(out.Len())
}

type formTimes struct {
	Ours, Zod series // microseconds a form, by round
	Error     string
}

// inChromium runs wasm.ts in a headless browser, which posts its measurements.
func inChromium(ctx context.Context, dir string, module []byte) (formTimes, error) {
	var times formTimes
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return times, err
	}
	script, err := bundle(ctx)
	if err != nil {
		return times, err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return times, err
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return times, err
	}
	done := make(chan error, 1)
	mux := http.NewServeMux()
	serve := func(path, kind string, content []byte) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			// Isolated pages have the finer clock.
			w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
			w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
			w.Header().Set("Content-Type", kind)
			w.Write(content)
		})
	}
	serve("/{$}", "text/html", []byte(`<!DOCTYPE html><script src="/wasm_exec.js"></script><script type="module" src="/bench.js"></script>`))
	serve("/wasm_exec.js", "text/javascript", support)
	serve("/bench.js", "text/javascript", script)
	serve("/vestibule.wasm", "application/wasm", module)
	serve("/cases.json", "application/json", prefilltest.Table)
	mux.HandleFunc("POST /done", func(w http.ResponseWriter, r *http.Request) {
		done <- json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&times)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	browser := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--user-data-dir="+filepath.Join(dir, "profile"), server.URL)
	if err := browser.Start(); err != nil {
		return times, err
	}
	defer func() {
		cancel()
		browser.Wait()
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil && times.Error != "" {
		err = errors.New(times.Error)
	}
	return times, err
}

// bundle installs zod once by npm, and bundles it with the page's script.
func bundle(ctx context.Context) ([]byte, error) {
	zod, err := filepath.Abs(filepath.Join("..", ".cache", "npm", "zod-"+zodVersion))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(zod, "package", "package.json")); err != nil {
		if err := os.MkdirAll(zod, 0o755); err != nil {
			return nil, err
		}
		for _, command := range [][]string{{"npm", "pack", "--silent", "zod@" + zodVersion}, {"tar", "xzf", "zod-" + zodVersion + ".tgz"}} {
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Dir = zod
			if msg, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, msg)
			}
		}
	}
	result := api.Build(api.BuildOptions{EntryPoints: []string{"wasm.ts"}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022,
		MinifySyntax: true, Alias: map[string]string{"zod": filepath.Join(zod, "package", "index.js")}, LogLevel: api.LogLevelSilent})
	if len(result.Errors) > 0 {
		return nil, errors.New(result.Errors[0].Text)
	}
	return result.OutputFiles[0].Contents, nil
}
