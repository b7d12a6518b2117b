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
// they are fingerprinted together and can never be cached apart. It also
// returns the folders of this module's packages that went into it.
func buildModule(ctx context.Context, root string) ([]asset, []string, error) {
	tmp, err := os.MkdirTemp("", "wasm")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, moduleName)
	if _, err := goTool(ctx, root, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, "./wasm"); err != nil {
		return nil, nil, err
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, nil, err
	}
	goroot, err := goTool(ctx, root, "env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	loader, err := os.ReadFile(filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, nil, err
	}
	r := api.Transform(string(loader), api.TransformOptions{
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Target: api.ES2020, Charset: api.CharsetUTF8,
		Banner: "/*! Copyright The Go Authors. BSD-style licence: go.dev/LICENSE */",
	})
	if len(r.Errors) > 0 {
		return nil, nil, errors.New(r.Errors[0].Text)
	}
	packages, err := goTool(ctx, root, "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", "./wasm")
	if err != nil {
		return nil, nil, err
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, err
	}
	var folders []string
	for dir := range strings.FieldsSeq(packages) {
		rel, err := filepath.Rel(abs, dir)
		if err != nil {
			return nil, nil, err
		}
		folders = append(folders, filepath.ToSlash(rel))
	}
	return []asset{
		{name: moduleName, content: module, with: r.Code},
		{name: loaderName, content: r.Code, with: module},
	}, folders, nil
}

func goTool(ctx context.Context, root string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
