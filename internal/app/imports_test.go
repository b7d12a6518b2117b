package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// pkg is go list's description of a package of this module.
type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	GoFiles    []string
}

// list returns the packages of this module. The benchmarks, which compare the product with the
// libraries below it, are left out.
func list(t *testing.T) []pkg {
	t.Helper()
	all, err := listed()
	testutil.Must(t, err)
	return slices.DeleteFunc(slices.Clone(all), func(p pkg) bool { return within(p.ImportPath, "bench") })
}

var listed = sync.OnceValues(func() ([]pkg, error) { return listFor("vestibule/...") })

// listFor lists packages for the platform in env.
func listFor(of string, env ...string) (all []pkg, err error) {
	cmd := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Imports,Deps,GoFiles", of)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// within reports whether the import path lies in one of the packages, which are
// paths below the module or whole import paths of others.
func within(importPath string, packages ...string) bool {
	for _, pkg := range packages {
		if pkg == "internal/..." && strings.HasPrefix(importPath, "vestibule/internal/") {
			return true
		}
		for _, full := range []string{pkg, "vestibule/" + pkg} {
			if importPath == full || strings.HasPrefix(importPath, full+"/") {
				return true
			}
		}
	}
	return false
}

// The parts of the portal and of the provider that their templates may import.
const (
	verdict = "internal/portal/review/verdict"
	flow    = "internal/provider/visits/flow"
)

// importRule keeps packages from reaching others. The reason is for the one who breaks it.
type importRule struct {
	reason   string
	from, to []string
}

// importRules lists what packages never reach, also through others.
var importRules = []importRule{
	{"the portal meets the provider over HTTP alone", []string{"internal/portal", "templates/portal"},
		[]string{"internal/provider", "internal/analysis", "templates/provider"}},
	{"the provider meets the portal over HTTP alone", []string{"internal/provider", "templates/provider"},
		[]string{"internal/portal", "internal/svcapi", "internal/redirect", "templates/portal"}},
	{"analysis takes values and returns values", []string{"internal/analysis"},
		[]string{"database/sql", "net/http", "crypto/rand", "internal/store", "internal/jobs", "internal/httpx"}},
	{"rules, shapes and tools stand below the parties",
		[]string{"internal/compress", "internal/contract", "internal/i18n", "internal/prefill", "internal/journey", "internal/report",
			"internal/jose", "internal/webhook", "internal/store", "internal/jobs", "internal/httpx", "internal/session", "internal/staff",
			"internal/apidocs", "internal/mail", "internal/telemetry", "internal/subprocess", "internal/pageimage", "internal/theme",
			"internal/strictyaml", "internal/pdf", "internal/personname"},
		[]string{"internal/app", "internal/portal", "internal/provider", "internal/redirect", "internal/analysis", "internal/svcapi",
			"templates"}},
	{"the consoles' shared parts stand below the parties", []string{"internal/console"},
		[]string{"internal/app", "internal/portal", "internal/provider", "internal/redirect", "internal/analysis", "internal/svcapi",
			"templates/portal", "templates/provider"}},
	{"redirect and svcapi are below the portal", []string{"internal/redirect", "internal/svcapi", "internal/analysis", "templates"},
		[]string{"internal/app", "internal/portal", "internal/provider"}},
	{"verdict and flow take values and return values, without markup", []string{verdict, flow},
		[]string{"database/sql", "net/http", "crypto/rand", "internal/store", "internal/httpx", "templates", "github.com/a-h/templ"}},
	{"the program injects what the sandbox invents: production is the provider without it",
		[]string{"internal/provider"}, []string{"internal/provider/sandbox"}},
}

// importers lists the packages that may import a module.
var importers = map[string][]string{
	"github.com/lestrrat-go/jwx":      {"internal/jose", "docs/examples/signedresult"}, // the example is for other programs
	"internal/testutil":               {"internal/testutil", "e2e"},
	"github.com/riverqueue/river":     {"internal/jobs"},
	"github.com/playwright-community": {"e2e"},
	"go.opentelemetry.io/otel":        {"internal/telemetry"},
	"github.com/prometheus":           {"internal/telemetry"},
	"github.com/gorilla/sessions":     {"internal/session"},
	"github.com/wneessen/go-mail":     {"internal/mail"},
	"github.com/coreos/go-oidc":       {"internal/staff", "internal/provider/sources/fdx", "internal/jose"},
	"golang.org/x/oauth2":             {"internal/staff", "internal/provider/sources/fdx"},
}

// TestImportRules checks the program's imports against the import rules.
func TestImportRules(t *testing.T) {
	all := list(t)
	for _, rule := range importRules {
		rule.check(t, all)
	}
	inBrowser, err := listFor("vestibule/wasm", "GOOS=js", "GOARCH=wasm")
	testutil.Must(t, err)
	importRule{"it runs in the browser", []string{"wasm"}, []string{"fmt", "encoding/json", "regexp", "net", "time"}}.check(t, inBrowser)
	for _, p := range all {
		for _, i := range p.Imports {
			for module, packages := range importers {
				if within(i, module) && !within(p.ImportPath, packages...) {
					t.Errorf("%s imports %s, which belongs in %v", p.ImportPath, i, packages)
				}
			}
			// Checked for direct imports only: math/big imports math/rand.
			if within(p.ImportPath, "internal/analysis") && slices.Contains([]string{"context", "math/rand", "math/rand/v2"}, i) {
				t.Errorf("%s imports %s: analysis is values in, values out", p.ImportPath, i)
			}
		}
	}
}

// check reports the packages that break the rule, also through a third package.
func (r importRule) check(t *testing.T, all []pkg) {
	t.Helper()
	for _, p := range all {
		if !within(p.ImportPath, r.from...) || within(p.ImportPath, r.to...) {
			continue
		}
		for _, d := range p.Deps {
			shared := within(d, verdict) && within(p.ImportPath, "templates/portal") ||
				within(d, flow) && within(p.ImportPath, "templates/provider")
			if within(d, r.to...) && !shared {
				t.Errorf("%s reaches %s: %s", p.ImportPath, d, r.reason)
			}
		}
	}
}

// importOrder lists the packages of each party from the bottom up: each may import
// those before it. A package that is not in the list imports none of them.
var importOrder = map[string][]string{
	"internal/portal": {"embedkit", "applications", "notify", "resume", "api", "review", "connect", "developers"},
	"internal/provider": {"auth", "customers", "documents", "ocr", "sources", "freeze", "reports", "outbox", "disputes", "webhooks", "sharing",
		"bankaccounts", "visits", "redirects", "invites", "access", "submissions", "dashboard", "operator", "sandbox"},
}

// TestImportOrder keeps the packages below a party to one order. The party's own
// package, which wires them, is above all of them but the sandbox's.
func TestImportOrder(t *testing.T) {
	for party, order := range importOrder {
		prefix := "vestibule/" + party + "/"
		for _, p := range list(t) {
			from, ok := strings.CutPrefix(p.ImportPath, prefix)
			if !ok {
				continue
			}
			from, _, _ = strings.Cut(from, "/")
			for _, i := range p.Imports {
				to, ok := strings.CutPrefix(i, prefix)
				to, _, _ = strings.Cut(to, "/")
				if lower := slices.Index(order, to); ok && to != from && (lower < 0 || lower >= slices.Index(order, from)) {
					t.Errorf("%s imports %s, against the declared order", p.ImportPath, i)
				}
			}
		}
	}
}

// TestContributingNamesThePackages requires that the table of CONTRIBUTING.md has the
// packages of each party in that order.
func TestContributingNamesThePackages(t *testing.T) {
	raw := testutil.ReadFile(t, "../../CONTRIBUTING.md")
	for party, order := range importOrder {
		_, row, _ := strings.Cut(string(raw), "\n| `"+party+"` |")
		row, _, _ = strings.Cut(row, "\n")
		for _, name := range order {
			_, rest, found := strings.Cut(row, "`"+name+"`")
			if !found {
				t.Errorf("the row of %s lacks %s, or has it out of order", party, name)
				continue
			}
			row = rest
		}
	}
}

// TestSQLInStoreFilesOnly keeps queries in the store and in files named store.go or
// *_store.go.
func TestSQLInStoreFilesOnly(t *testing.T) {
	cmd := exec.Command("grep", "-rlE", "--include=*.go", "--exclude=*_test.go",
		`(ExecContext|QueryContext|QueryRowContext|QueryAll)\(|\.(Exec|Query|QueryRow)\([^)]`, "internal", "cmd", "templates", "wasm")
	cmd.Dir = "../.."
	out, _ := cmd.Output() // exit 1 is: nothing found
	for _, file := range strings.Fields(string(out)) {
		forTests := strings.HasSuffix(path.Dir(file), "test") // such as providertest, which counts rows
		if path.Base(file) != "store.go" && !strings.HasSuffix(file, "_store.go") && !strings.HasPrefix(file, "internal/store/") && !forTests {
			t.Errorf("%s queries the database; its SQL belongs in a store.go", file)
		}
	}
}

// TestPropertiesUseFixedSeeds checks that only package proptest chooses seeds.
func TestPropertiesUseFixedSeeds(t *testing.T) {
	cmd := exec.Command("grep", "-rlE", "--include=*.go", `rapid\.(Check|MakeCheck|MakeFuzz)\(`,
		"internal", "cmd", "e2e", "templates", "wasm", "web", "docs")
	cmd.Dir = "../.."
	out, _ := cmd.Output() // exit 1 is: nothing found
	if got := strings.Fields(string(out)); !slices.Equal(got, []string{"internal/testutil/proptest/proptest.go"}) {
		t.Errorf("%v draw inputs; that is done by internal/testutil/proptest", got)
	}
}

// TestOtherSystems checks that all packages and their tests compile for systems without those parts of
// Linux that tests and benchmarks use.
func TestOtherSystems(t *testing.T) {
	tools.FullOnly(t)
	for _, system := range []string{"windows", "darwin"} {
		cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
		cmd.Dir, cmd.Env = "../..", append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}
