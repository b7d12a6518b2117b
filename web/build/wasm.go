package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The names under which pages ask for the module and its loader.
const (
	moduleName = "vestibule.wasm"
	loaderName = "wasm_exec.js"
)

// buildModule builds ./wasm and takes the loader of the very toolchain that
// built it: the two speak a private protocol that changes between releases, so
// they are fingerprinted together and can never be cached apart.
func buildModule(ctx context.Context, root string) ([]asset, error) {
	tmp, err := os.MkdirTemp("", "wasm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, moduleName)
	if _, err := goTool(ctx, root, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, "./wasm"); err != nil {
		return nil, err
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	goroot, err := goTool(ctx, root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	loader, err := os.ReadFile(filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	r := api.Transform(string(loader), api.TransformOptions{
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Target: api.ES2020, Charset: api.CharsetUTF8,
		Banner: "/*! Copyright The Go Authors. BSD-style licence: go.dev/LICENSE */",
	})
	if len(r.Errors) > 0 {
		return nil, errors.New(r.Errors[0].Text)
	}
	return []asset{
		{name: moduleName, content: module, with: r.Code},
		{name: loaderName, content: r.Code, with: module},
	}, nil
}

func goTool(ctx context.Context, root string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
