package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"

	"vestibule/internal/testutil/tools"
	"vestibule/web/manifest"
)

// sources is a small tree with one of each kind.
func sources() map[string]string {
	return map[string]string{
		"go.mod":          "module example\n\ngo 1.26\n",
		"web/ui/base.css": ":root { --ink: #000000; }\n.unused { color: var(--ink); }\n",
		"web/ui/icon.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\">\n " +
			" <!-- a comment -->\n  <path d=\"M 0 0 L 10 10\"/>\n</svg>\n",
		"web/ui/words.ts":       "export const greeting: string = 'hello';\n",
		"web/ui/README.md":      "not an asset",
		"web/portal/portal.css": "@import '../ui/base.css';\nbody { margin: 0px; }\n",
		"web/portal/apply.ts": "import { greeting } from '../ui/words';\nconst " +
			"a: { b?: string } = {};\na.b ||= greeting;\nconsole.log(a?.b);\n",
		"web/ui/inter/inter.woff2":           "a font",
		"web/ui/inter/inter-extended.woff2":  "more letters",
		"web/provider/provider.css":          "@font-face { font-family: F; src: url('inter.woff2'), url('inter-extended.woff2'); }\n",
		"web/portal/parts/x.ts":              "this is not TypeScript, and no file imports it",
		"web/provider/widget.ts":             "const secret = 1;\n(globalThis as any).SvcWidget = { register() { return secret; } };\n",
		"web/portal/parts/embed-api.d.ts":    "export interface VestibuleApply {}\n",
		"web/provider/parts/widget-api.d.ts": "export interface SvcWidget { fire(): void }\n",
		"web/provider/frame.ts":              "export {};\ndocument.title = '" + strings.Repeat("long ", 100) + "';\n",
	}
}

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(root, name), content)
	}
	return root
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, root string, args ...string) string {
	t.Helper()
	var log bytes.Buffer
	if err := run(context.Background(), append([]string{"-root", root}, args...), &log); err != nil {
		t.Fatalf("run: %v", err)
	}
	return log.String()
}

// everything returns all files of web/dist by path.
func everything(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	dist := os.DirFS(filepath.Join(root, "web", "dist"))
	err := fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(dist, name)
		out[name] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func list(t *testing.T, root, party string) manifest.Manifest {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "web", "dist", party, manifest.Name))
	if err != nil {
		t.Fatal(err)
	}
	var m manifest.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBuildIsReproducible(t *testing.T) {
	root := tree(t, sources())
	build(t, root)
	first := everything(t, root)
	build(t, root, "-force")
	if d := cmp.Diff(first, everything(t, root)); d != "" {
		t.Errorf("a second build differs: -first +second:\n%s", d)
	}
	elsewhere := tree(t, sources())
	build(t, elsewhere)
	if d := cmp.Diff(first, everything(t, elsewhere)); d != "" {
		t.Errorf("a build in another folder differs: -first +second:\n%s", d)
	}
}

func TestBuild(t *testing.T) {
	root := tree(t, sources())
	build(t, root)
	dist := everything(t, root)
	portal, provider := list(t, root, "portal"), list(t, root, "provider")

	content := func(party string, m manifest.Manifest, name string) string {
		t.Helper()
		e, ok := m[name]
		if !ok {
			t.Fatalf("%s has no %s", party, name)
		}
		return dist[party+"/"+e.File]
	}
	for _, c := range []struct{ name, got, want string }{
		{"a style sheet is bundled and minified", content("portal", portal, "portal.css"),
			`:root{--ink:#000000}.unused{color:var(--ink)}body{margin:0}`},
		{"a script is bundled, bare of types and lowered to ES2020", content("portal", portal, "apply.js"),
			`var t="hello";var o={};o.b||(o.b=t);console.log(o?.b);`},
		{"a stable script is classic, in a scope of its own", content("provider", provider, "widget.js"),
			`"use strict";(()=>{globalThis.SvcWidget={register(){return 1}};})();`},
		{"declarations are left as they are", content("provider", provider, "widget.d.ts"), sources()["web/provider/parts/widget-api.d.ts"]},
		{"a picture is minified", content("portal", portal, "icon.svg"), `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0 10 10"/></svg>`},
		{"a style sheet names the font by its hash", content("provider", provider, "provider.css"),
			`@font-face{font-family:F;src:url(` + provider["inter.woff2"].File + `),url(` + provider["inter-extended.woff2"].File + `)}`},
		{"a stable file keeps its name", provider["widget.js"].File, "widget.js"},
		{"a script's type", portal["apply.js"].Type, "text/javascript; charset=utf-8"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
	if e := portal["portal.css"]; e.File != "portal-"+e.Hash+".css" || e.Stable || len(e.Hash) != 16 {
		t.Errorf("portal.css is %+v, want a file named by its hash", e)
	}
	for _, name := range []string{"words.js", "x.js", "README.md", "base.css"} {
		if _, ok := portal[name]; ok {
			t.Errorf("%s was built but is not an entry point", name)
		}
	}

	frame := provider["frame.js"]
	if d := cmp.Diff([]string{"br", "gzip"}, frame.Encodings); d != "" {
		t.Fatalf("encodings: -want +got:\n%s", d)
	}
	plain := dist["provider/"+frame.File]
	zip, err := gzip.NewReader(strings.NewReader(dist["provider/"+frame.File+".gz"]))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{"br": brotli.NewReader(strings.NewReader(dist["provider/"+frame.File+".br"])), "gzip": zip} {
		if got, err := io.ReadAll(r); err != nil || string(got) != plain {
			t.Errorf("%s unpacks to %d bytes, %v; want the plain content", name, len(got), err)
		}
	}
	if e := portal["apply.js"]; len(e.Encodings) > 0 {
		for _, v := range e.Variants()[1:] {
			if len(dist["portal/"+v.Path]) >= e.Size {
				t.Errorf("%s is kept although it is not smaller", v.Path)
			}
		}
	}
}

func TestOnlyChangesAreBuilt(t *testing.T) {
	root := tree(t, sources())
	build(t, root)
	before := list(t, root, "portal")
	if log := build(t, root); log != "" {
		t.Errorf("a build without changes said %q, want nothing", log)
	}
	write(t, filepath.Join(root, "web/portal/apply_test.go"), "package x")
	if log := build(t, root); log != "" {
		t.Errorf("a test's change made a build: %q", log)
	}
	if err := os.Remove(filepath.Join(root, "web/portal/apply_test.go")); err != nil {
		t.Fatal(err)
	}

	write(t, filepath.Join(root, "web/ui/base.css"), ":root{--ink:#111111}")
	build(t, root)
	after := list(t, root, "portal")
	if before["portal.css"].File == after["portal.css"].File {
		t.Error("the style sheet changed, its name did not")
	}
	if before["apply.js"].File != after["apply.js"].File {
		t.Error("the script did not change, its name did")
	}

	if err := os.RemoveAll(filepath.Join(root, "web/dist/provider")); err != nil {
		t.Fatal(err)
	}
	build(t, root)
	list(t, root, "provider")
}

func TestRefusals(t *testing.T) {
	root := tree(t, sources())
	build(t, root)
	before := everything(t, root)
	for _, c := range []struct{ name, file, content, want string }{
		{"a script with an error", "web/portal/bad.ts", "const = 1;", "bad.ts"},
		{"an import that is not there", "web/portal/bad.ts", "import './gone';\n", "gone"},
		{"a style sheet with an error", "web/portal/bad.css", "a { color: red", "bad.css"},
		{"an import of a package", "web/portal/bad.ts", "import 'react';\n", "react"},
		{"two files of one name", "web/portal/icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "would both be icon.svg"},
		{"a kind that browsers are not served", "web/portal/notes.docx", "x", "not a kind of file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused := filepath.Join(root, c.file)
			write(t, refused, c.content)
			defer os.Remove(refused)
			var log bytes.Buffer
			err := run(context.Background(), []string{"-root", root}, &log)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("run = %v, want an error that names %q", err, c.want)
			}
			if d := cmp.Diff(before, everything(t, root)); d != "" {
				t.Errorf("the last good build is gone: -before +after:\n%s", d)
			}
			left, err := filepath.Glob(filepath.Join(root, "web", ".build-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestModule builds a real, empty module: it and its loader change names
// together, and a change in a package that it imports is noticed.
func TestModule(t *testing.T) {
	tools.FullOnly(t)
	files := sources()
	files["wasm/main.go"] = "package main\n\nimport \"example/internal/rules\"\n\nfunc main() { println(rules.Words) }\n"
	files["internal/rules/rules.go"] = "package rules\n\nconst Words = \"one\"\n"
	root := tree(t, files)
	build(t, root)
	first := list(t, root, "portal")
	module, loader := first["vestibule.wasm"], first["wasm_exec.js"]
	if module.Hash == "" || module.Hash != loader.Hash {
		t.Errorf("hashes of module and loader: %q, %q; want the same", module.Hash, loader.Hash)
	}
	if module.Type != "application/wasm" {
		t.Errorf("the module's type is %q", module.Type)
	}
	if _, ok := list(t, root, "provider")["vestibule.wasm"]; ok {
		t.Error("the provider got the module too")
	}
	if log := build(t, root); log != "" {
		t.Errorf("a build without changes said %q, want nothing", log)
	}
	write(t, filepath.Join(root, "internal/rules/rules.go"), "package rules\n\nconst Words = \"two\"\n")
	build(t, root)
	if second := list(t, root, "portal"); second["wasm_exec.js"].File == loader.File || second["vestibule.wasm"].File == module.File {
		t.Error("a rule changed; the names of module and loader did not")
	}
}
