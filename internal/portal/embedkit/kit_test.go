package embedkit

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/testutil/golden"
)

// TestGeneratedFilesAreCurrent compares the declarations, the script's names and the
// guide with the tables.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	golden.Compare(t, "../../../web/portal/parts/embed-api.d.ts", declarations())
	golden.Compare(t, "../../../web/portal/parts/kit.ts", scriptNames())
	golden.Compare(t, "../../../packages/js/src/events.ts", packageNames())
	golden.CompareTables(t, "../../../docs/tutorials/embed.md", guideTables())
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
