//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"
)

// emptyProgram is the smallest program that uses syscall/js.
const emptyProgram = "package main\n\nimport \"syscall/js\"\n\nfunc main() { js.Global(); select {} }\n"

// wasmFigures measures the size of the browser's module beside an empty program of the same
// toolchain.
func wasmFigures(ctx context.Context, dir string) []figure {
	for name, content := range map[string]string{"go.mod": "module empty\n\ngo 1.26\n", "main.go": emptyProgram} {
		check(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	empty := buildWASM(ctx, dir, ".", filepath.Join(dir, "empty.wasm"))
	module := buildWASM(ctx, "..", "./wasm", filepath.Join(dir, "vestibule.wasm"))
	return []figure{compare("module / empty program, brotli", "≤ 1.10", kilobytes, series{brotliSize(module)}, series{brotliSize(empty)})}
}

func buildWASM(ctx context.Context, dir, what, out string) []byte {
	goBuild(ctx, dir, []string{"GOOS=js", "GOARCH=wasm", "GOFLAGS="}, "-buildvcs=false", "-o", out, what)
	return must(os.ReadFile(out))
}

func brotliSize(content []byte) float64 {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	w.Write(content)
	w.Close()
	return float64(out.Len())
}
