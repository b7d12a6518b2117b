package docs_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/testutil"
)

// TestEveryCodeCanBeLookedUp holds the headings of troubleshooting.md against the
// tables: each code, error type, status and substatus once, and nothing else.
func TestEveryCodeCanBeLookedUp(t *testing.T) {
	raw := testutil.ReadFile(t, "reference/troubleshooting.md")
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

// TestTroubleshootingNamesTheStatuses compares the sections of troubleshooting.md with
// the documents: each status that a code comes with is named in the code's section.
func TestTroubleshootingNamesTheStatuses(t *testing.T) {
	raw := testutil.ReadFile(t, "reference/troubleshooting.md")
	wanted := map[[2]string]string{} // the last operation, by code and status
	for _, doc := range documents(t) {
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				for status, r := range op.Responses.Map() {
					if content := r.Value.Content["application/json"]; content != nil && status != "default" && status >= "4" {
						for code := range content.Examples {
							wanted[[2]string{code, status}] = method + " " + path
						}
					}
				}
			}
		}
	}
	for answer, operation := range wanted {
		code, status := answer[0], answer[1]
		if contract.Code(code).Info().Status == 400 && status == "400" { // also the error types of the widget
			continue
		}
		_, section, _ := strings.Cut(string(raw), "\n### "+code+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		if !strings.Contains(section, status) {
			t.Errorf("%s answers %s %s, and troubleshooting.md names no %s there", operation, status, code, status)
		}
	}
}
