package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil/tools"
)

// unpacked builds the package, and returns the files of its tarball and the tarball.
func unpacked(t *testing.T) (map[string]string, []byte) {
	t.Helper()
	out := t.TempDir()
	if err := run("..", out); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%q, %v", all, err)
	}
	raw, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for tape := tar.NewReader(zip); ; {
		head, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return files, raw
		}
		content, readErr := io.ReadAll(tape)
		if err = errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(head.Name, "package/")] = string(content)
	}
}

// TestPackage checks what the tarball promises: its entry points exist, it needs no other package, it has at
// most 3 KB of scripts, and a second build is the same.
func TestPackage(t *testing.T) {
	files, first := unpacked(t)
	want := strings.Fields("README.md index.d.ts index.js kit.d.ts package.json react.d.ts react.js widget.d.ts")
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("the package has %q, want %q", got, want)
	}
	var is struct {
		Version, Type        string
		Exports              map[string]any
		Dependencies         map[string]string
		PeerDependencies     map[string]string
		PeerDependenciesMeta map[string]struct{ Optional bool }
	}
	if err := json.Unmarshal([]byte(files["package.json"]), &is); err != nil {
		t.Fatal(err)
	}
	release, err := os.ReadFile("../internal/app/app.go")
	if err != nil || !strings.Contains(string(release), `const release = "`+is.Version+`"`) {
		t.Errorf("the package's version %q is not the program's (%v)", is.Version, err)
	}
	if is.Type != "module" || len(is.Dependencies) > 0 || len(is.PeerDependencies) != 1 || !is.PeerDependenciesMeta["react"].Optional {
		t.Errorf("package.json = %+v", is)
	}
	for entry, conditions := range is.Exports {
		named, _ := conditions.(map[string]any)
		for condition, file := range named {
			if name, _ := file.(string); files[strings.TrimPrefix(name, "./")] == "" {
				t.Errorf("%s, %s: there is no %v", entry, condition, file)
			}
		}
	}
	sizes := map[string][]byte{}
	for name, content := range files {
		sizes[name] = []byte(content)
		for _, m := range regexp.MustCompile(`from ?"([^"]+)"`).FindAllStringSubmatch(content, -1) {
			inside := files[strings.TrimSuffix(strings.TrimPrefix(m[1], "./"), ".js")+".d.ts"] != ""
			if strings.HasSuffix(name, ".js") {
				inside = m[1] == "./index.js"
			}
			if !strings.HasSuffix(name, ".md") && !inside && m[1] != "react" {
				t.Errorf("%s imports %s, which the package lacks", name, m[1])
			}
		}
	}
	if size, err := scriptBytes(sizes); err != nil || size > 3000 {
		t.Errorf("the scripts have %d bytes, %v; want at most 3000", size, err)
	}
	if _, second := unpacked(t); !bytes.Equal(first, second) {
		t.Error("a second build differs")
	}
}

// install unpacks the tarball as npm does, and links packages that e2e/setup.sh fetched, by their name and folder.
func install(t *testing.T, links map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files, _ := unpacked(t)
	for name, content := range files {
		write(t, filepath.Join(dir, "node_modules/@vestibule/js", name), content)
	}
	for name, from := range links {
		full, err := filepath.Abs(filepath.Join("../.cache/npm", from))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(full); err != nil {
			tools.Missing(t, name+" is not fetched")
		}
		link := filepath.Join(dir, "node_modules", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(full, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestServerRendering renders the component in Node, where there is no page.
func TestServerRendering(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Node")
	}
	node := tools.Program(t, "node")
	dir := install(t, map[string]string{"react": "react/package", "react-dom": "react-dom/package"})
	write(t, filepath.Join(dir, "server.mjs"), `import { createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { events, loadVestibule, loadWidget } from '@vestibule/js';
import { VestibuleApply } from '@vestibule/js/react';
const props = { portal: 'https://portal.example', token: 't"1', className: 'wide', hidden: false, onComplete() {} };
console.log(renderToString(createElement(StrictMode, null, createElement(VestibuleApply, props, 'Opening…'))));
console.log(events.length, await loadVestibule('https://portal.example'), await loadWidget('https://provider.example'));
`)
	cmd := exec.Command(node, "--preserve-symlinks", "server.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	want := "<vestibule-apply class=\"wide\" token=\"t&quot;1\">Opening…</vestibule-apply>\n9 null null\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%swant\n%s", err, out, want)
	}
}

// TestTypes compiles the sources, and an app that uses the package, by TypeScript's strictest rules.
func TestTypes(t *testing.T) {
	tools.FullOnly(t)
	const modules = "openapi/node_modules/" // make openapi installs it
	dir := install(t, map[string]string{"@types/react": modules + "@types/react", "csstype": modules + "csstype",
		"typescript": modules + "typescript"})
	for file, from := range map[string]string{
		"app.tsx": "testdata/types.tsx", "src/index.ts": "js/src/index.ts", "src/react.ts": "js/src/react.ts",
		"src/events.ts": "js/src/events.ts",
		"index.d.ts":    "js/index.d.ts", "react.d.ts": "js/react.d.ts",
		"kit.d.ts": "../web/portal/parts/embed-api.d.ts", "widget.d.ts": "../web/provider/parts/widget-api.d.ts",
	} {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), string(content))
	}
	for _, resolution := range [][]string{{"app.tsx", "--module", "nodenext"},
		{"app.tsx", "src/index.ts", "src/react.ts", "--module", "esnext", "--moduleResolution", "bundler", "--allowImportingTsExtensions"}} {
		cmd := exec.Command(tools.Program(t, "node"), append([]string{"node_modules/typescript/bin/tsc", "--noEmit", "--strict",
			"--preserveSymlinks", "--noUncheckedIndexedAccess", "--jsx", "react-jsx", "--target", "es2022"}, resolution...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
