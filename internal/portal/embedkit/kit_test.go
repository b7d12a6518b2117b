package embedkit

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
)

var update = flag.Bool("update", false, "write the generated files anew")

// TestGeneratedFilesAreCurrent compares the declarations, the script's names and the
// guide with the tables.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	const web, guide = "../../../web/portal/", "../../../docs/tutorials/embed.md"
	generated(t, web+"parts/embed-api.d.ts", declarations())
	generated(t, web+"parts/kit.ts", scriptNames())
	generated(t, "../../../packages/js/src/events.ts", packageNames())
	raw, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, table := range guideTables() {
		open, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, ok := strings.Cut(text, open)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the %s", guide, name)
		}
		text = before + open + "\n" + table + "\n" + end + after
	}
	generated(t, guide, text)
}

func generated(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("%s is not what the tables say (-want +have); run make generate:\n%s", path, diff)
	}
}

// TestFrameErrorsMatchTheTable reads the script of framed pages: it sends exactly
// the framed events of the table, plus the messages that only position the frame.
func TestFrameErrorsMatchTheTable(t *testing.T) {
	raw, err := os.ReadFile("../../../web/portal/framed.ts")
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]bool{"size": false, "escape": false, "widget": false}
	for _, e := range events() {
		if e.Framed {
			sent[e.Name] = false
		}
	}
	for _, part := range strings.Split(string(raw), `send("`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if _, known := sent[name]; !known {
			t.Errorf("the frame sends %q, which is in no table", name)
		}
		sent[name] = true
	}
	for name, is := range sent {
		if !is {
			t.Errorf("nothing sends %q", name)
		}
	}
	for _, step := range steps() {
		if !strings.Contains(string(raw), `"`+step+`"`) {
			t.Errorf("nothing sends the step %q", step)
		}
	}
}

func TestProblemsDifferFromWidgetErrors(t *testing.T) {
	for _, p := range Problems() {
		if contract.WidgetError(p.Type).Valid() {
			t.Errorf("%s is an error type of the widget", p.Type)
		}
	}
	callbacks := []string{"onSuccess", "onExit", "onError"}
	for _, e := range events() {
		if e.Callback != "" && !slices.Contains(callbacks, e.Callback) || e.Callback != "" && !strings.EqualFold("on"+e.Name, e.Callback) {
			t.Errorf("%s corresponds to the callback %q", e.Name, e.Callback)
		}
	}
}
