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

// formLimit is the limit for checking one form, in microseconds.
const formLimit = 50

// wasmFigures measures the browser's module: its size beside an empty program of the same
// toolchain, and the time to check a form in Chromium beside the same rules in zod.
func wasmFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
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
	ours, peer := brotliSize(module), brotliSize(empty)
	ratio := float64(ours) / float64(peer)
	weight := figure{name: "module / empty program, brotli", ours: kilobytes(ours), peer: kilobytes(peer),
		ratio: ratio, low: ratio, high: ratio, wanted: "≤ 1.10"}
	times, err := inChromium(ctx, dir, module)
	if err != nil {
		return nil, err
	}
	beside := compared("check a form in Chromium, module / zod", nanoseconds(times.Ours), nanoseconds(times.Zod), "≤ 3.00")
	median := quantile(times.Ours, 0.5)
	limit := figure{name: "check a form in Chromium, module / limit",
		ours: fmt.Sprintf("%.1f µs", median), peer: fmt.Sprintf("%d µs", formLimit),
		ratio: median / formLimit, low: quantile(times.Ours, 0.25) / formLimit, high: quantile(times.Ours, 0.75) / formLimit, wanted: "≤ 1.00"}
	return []figure{weight, beside, limit}, nil
}

func buildWASM(ctx context.Context, dir, what, out string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, what)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", what, err, msg)
	}
	return os.ReadFile(out)
}

func brotliSize(content []byte) int {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	w.Write(content)
	w.Close()
	return out.Len()
}

func kilobytes(n int) string { return fmt.Sprintf("%.1f KB", float64(n)/1000) }

func nanoseconds(micros []float64) []float64 {
	out := make([]float64, len(micros))
	for i, t := range micros {
		out[i] = t * 1000
	}
	return out
}

type formTimes struct {
	Ours, Zod []float64 // microseconds a form, by round
	Cases     int       // on which both agreed with the table
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
