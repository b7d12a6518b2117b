package docs_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vestibule/internal/contract"
)

// TestEveryCodeCanBeLookedUp holds the headings of troubleshooting.md against the
// tables: each code, error type, status and substatus once, and nothing else.
func TestEveryCodeCanBeLookedUp(t *testing.T) {
	raw, err := os.ReadFile("troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, c := range contract.Codes() {
		want[string(c.Code)] = true
	}
	for _, e := range contract.WidgetErrors() {
		want[string(e.Type)] = true
	}
	for _, s := range contract.Statuses() {
		want[string(s)] = true
	}
	for _, s := range contract.Substatuses() {
		want[string(s)] = true
	}
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^### (.*)\n(.*)\n`).FindAllStringSubmatch(string(raw), -1) {
		switch code, says := m[1], m[2]; {
		case found[code]:
			t.Errorf("%s is there twice", code)
		case !want[code]:
			t.Errorf("%s is no code", code)
		case strings.TrimSpace(says) == "" || strings.HasPrefix(says, "#"):
			t.Errorf("%s: nothing is said", code)
		default:
			found[code] = true
		}
	}
	var missing []string
	for code := range want {
		if !found[code] {
			missing = append(missing, code)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("not to be found: %q", missing)
	}
	// The statuses of the API's errors are those of the table.
	for _, c := range contract.Codes() {
		m := regexp.MustCompile(`(?m)^### ` + string(c.Code) + `\n(\d+)`).FindSubmatch(raw)
		if want := c.Status; m == nil || string(m[1]) != strconv.Itoa(want) {
			t.Errorf("%s: want %d first", c.Code, want)
		}
	}
}
