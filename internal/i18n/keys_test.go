package i18n_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/i18n"
)

const self = "vestibule/internal/i18n"

// pkg is what go list says about a package.
type pkg struct {
	Dir, ImportPath, Export string
	GoFiles, Imports        []string
	Standard                bool
}

// list lists the packages of the program for a platform, with their dependencies.
func list(t *testing.T, env []string, of ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,Imports,Standard"}, of...)...)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// usage collects the keys that the program uses.
type usage struct {
	t     *testing.T
	texts map[string]string // English
	used  map[string]bool
}

func (u *usage) key(where, k string) {
	if k == "" {
		return
	}
	if _, there := u.texts[k]; !there {
		u.t.Errorf("%s: the catalogue has no %s", where, k)
	}
	u.used[k] = true
}

// TestKeys type-checks the packages that use the catalogue. It reports keys and groups
// that the catalogue lacks, arguments that are not a text's parameters, and keys of the
// catalogue that neither Go nor TypeScript uses.
func TestKeys(t *testing.T) {
	u := &usage{t: t, texts: load(t, i18n.English), used: map[string]bool{"language.name": true}}
	u.check(list(t, nil, "./cmd/...", "./internal/provider/sandbox/..."))
	u.check(list(t, []string{"GOOS=js", "GOARCH=wasm"}, "./wasm"))
	u.scripts("../../web")
	for k := range u.texts {
		if !u.used[k] {
			t.Errorf("%s is not used: %q", k, u.texts[k])
		}
	}
}

func (u *usage) check(all []pkg) {
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	for _, p := range all {
		if !slices.Contains(p.Imports, self) {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				u.t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
			u.t.Fatal(err)
		}
		calls := map[ast.Expr]*ast.CallExpr{} // by the key that they are given
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 && isFunc(info, call, "T", "N") {
					calls[call.Args[1]] = call
				} else if ok && isSay(p, call) {
					calls[call.Args[0]] = call
				}
				return true
			})
		}
		for e, tv := range info.Types {
			if tv.Value == nil || tv.Value.Kind() != constant.String {
				continue
			}
			where, value := fset.Position(e.Pos()).String(), constant.StringVal(tv.Value)
			switch named, _ := types.Unalias(tv.Type).(*types.Named); {
			case named == nil:
				if _, ok := u.texts[value]; ok {
					u.t.Errorf("%s: %s is a string here, not a key", where, value)
				}
			case named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != self:
			case named.Obj().Name() == "Group" && value != "":
				u.group(where, value)
			case named.Obj().Name() == "Key":
				u.call(where, value, info, e, calls[e])
			}
		}
	}
}

// isFunc reports whether a call is one of the functions of package i18n.
func isFunc(info *types.Info, call *ast.CallExpr, names ...string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == self && f.Signature().Recv() == nil && slices.Contains(names, f.Name())
}

// isSay reports whether a call makes a message of a verdict: its key is first, and its arguments follow.
func isSay(p pkg, call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.Ident)
	return ok && f.Name == "say" && strings.HasSuffix(p.ImportPath, "/review/verdict")
}

// call checks a key and, where it is the argument of T or N, the parameters that it is given.
func (u *usage) call(where, k string, info *types.Info, key ast.Expr, call *ast.CallExpr) {
	if call == nil {
		u.key(where, k)
		return
	}
	given := []string{}
	if isFunc(info, call, "N") {
		u.key(where, k+".one")
		given, k = append(given, "{n}"), k+".other"
	}
	u.key(where, k)
	first := 1 + slices.Index(call.Args, key) + len(given)
	for i := first; i < len(call.Args) && call.Ellipsis == token.NoPos; i += 2 {
		name := info.Types[call.Args[i]].Value
		if name == nil {
			u.t.Errorf("%s: the name of a parameter is not constant", where)
			return
		}
		given = append(given, "{"+constant.StringVal(name)+"}")
	}
	slices.Sort(given)
	if want := parameters(u.texts[k]); !slices.Equal(given, want) {
		u.t.Errorf("%s: %s is given the parameters %q, and has %q", where, k, given, want)
	}
}

func (u *usage) group(where, g string) {
	there := false
	for k := range u.texts {
		if code, ok := strings.CutPrefix(k, g+"."); ok && !strings.Contains(code, "..") {
			u.used[k], there = true, true
		}
	}
	if !there {
		u.t.Errorf("%s: the catalogue has no key of %s", where, g)
	}
}

// scripts marks the keys in scripts. Generated texts do not count as a use.
func (u *usage) scripts(root string) {
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".ts") || d.Name() == "texts.ts" {
			return err
		}
		raw, err := os.ReadFile(path)
		for k := range u.texts {
			if strings.Contains(string(raw), `"`+k+`"`) {
				u.used[k] = true
			}
		}
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
}
