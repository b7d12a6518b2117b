package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
	"vestibule/internal/testutil/prefilltest"
	"vestibule/internal/testutil/tools"
)

// runner loads the module as a page does, without a document, and answers every
// case of the table with what the exported rules say.
const runner = `
import { readFileSync } from "node:fs";
import { checker } from "./check.mjs";
await import("./wasm_exec.js");
const go = new Go();
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), go.importObject);
go.run(instance);
const check = checker(instance);
const answers = [];
for (const c of JSON.parse(readFileSync(process.argv[3], "utf8"))) {
  answers.push(check(c.product, c.prefill, c.today, c.environment, c.assetsOnly));
}
let refused = 0;
for (const bad of ["", "2026-02-30", "today"]) {
  try { check("cashflow", {}, bad); } catch (e) { refused += e instanceof TypeError; }
}
if (refused !== 3) throw new Error("an invalid date was accepted");
const big = check("cashflow", { ["k".repeat(300000)]: 1, phone: "\x1f" }, "2026-11-21");
if (big[0].field.length !== 300000 || big.length !== 5) throw new Error("a long key: " + big.length);
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
`

// TestCasesUnderNode runs the one table of prefill cases through the module:
// fields, codes, order and words are those of the native rules.
func TestCasesUnderNode(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the module")
	}
	node := tools.Program(t, "node")
	dir := t.TempDir()
	module := filepath.Join(dir, "vestibule.wasm")
	run(t, "", []string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-o", module, ".")
	goroot := strings.TrimSpace(run(t, "", nil, "go", "env", "GOROOT"))
	support, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	bundle := api.Build(api.BuildOptions{EntryPoints: []string{"../web/portal/parts/check.ts"},
		Format: api.FormatESModule, Target: api.ES2022})
	if len(bundle.Errors) > 0 {
		t.Fatal(bundle.Errors)
	}
	for name, content := range map[string][]byte{"wasm_exec.js": support, "check.mjs": bundle.OutputFiles[0].Contents,
		"run.mjs": []byte(runner), "cases.json": prefilltest.Table} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var answers [][]struct{ Field, Code, EN, ES string }
	out := run(t, dir, nil, node, "run.mjs", module, filepath.Join(dir, "cases.json"))
	if err := json.Unmarshal([]byte(out), &answers); err != nil {
		t.Fatal(err)
	}
	cases := prefilltest.Cases(t)
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d cases", len(answers), len(cases))
	}
	for i, c := range cases {
		o, err := prefilljson.Decode(c.Prefill)
		if err != nil {
			t.Fatal(err)
		}
		r := c.Rules(t)
		native, got := r.Problems(o), []prefill.Problem{}
		for j := range native {
			native[j].Open = false
		}
		for j, a := range answers[i] {
			p := prefill.Problem{Field: a.Field, Code: contract.WidgetError(a.Code)}
			if j < len(native) && a.EN == i18n.T(i18n.English, native[j].Text) && a.ES == i18n.T(i18n.Spanish, native[j].Text) {
				p.Text = native[j].Text
			}
			got = append(got, p)
		}
		if d := cmp.Diff(c.Problems, prefilltest.Lines(got)); d != "" {
			t.Errorf("%s (-table +module):\n%s", c.Name, d)
		}
		if len(native) > 0 && !cmp.Equal(native, got) {
			t.Errorf("%s (-native +module):\n%s", c.Name, cmp.Diff(native, got))
		}
	}
}

// TestLight: nothing that weighs reaches the browser.
func TestLight(t *testing.T) {
	deps := run(t, "", []string{"GOOS=js", "GOARCH=wasm"}, "go", "list", "-deps", ".")
	for heavy := range strings.FieldsSeq("fmt encoding/json regexp time net net/url reflect os log strings unicode math/big github.com") {
		for dep := range strings.FieldsSeq(deps) {
			if dep == heavy || heavy == "github.com" && strings.HasPrefix(dep, heavy) {
				t.Errorf("the module imports %s", dep)
			}
		}
	}
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}
