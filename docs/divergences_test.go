package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/testutil"
)

var pin = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)`")

func TestEveryDivergenceIsPinned(t *testing.T) {
	page := testutil.ReadFile(t, "divergences.md")
	pinned(t, string(page), "unspecified")
}

// TestSecurityPageNamesExistingTests checks that SECURITY.md names an existing test for each
// threat.
func TestSecurityPageNamesExistingTests(t *testing.T) {
	page := testutil.ReadFile(t, "../SECURITY.md")
	_, threats, _ := strings.Cut(string(page), "## Threats")
	threats, _, ok := strings.Cut(threats, "## What is not protected")
	if !ok {
		t.Fatal("the page has no threats")
	}
	if rows := pinned(t, threats, "attack"); rows < 40 {
		t.Errorf("only %d threats", rows)
	}
}

// pinned checks that each row of the tables names an existing test, and returns the number
// of rows. The first cell of the tables' header is head.
func pinned(t *testing.T, text, head string) (rows int) {
	t.Helper()
	tests := map[string]string{} // folder → its test files
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| "+head+" |") {
			continue
		}
		rows++
		pins := pin.FindAllStringSubmatch(line, -1)
		if len(pins) == 0 {
			t.Errorf("no test named: %.80s", line)
		}
		for _, p := range pins {
			folder, name := p[1], p[2]
			if _, read := tests[folder]; !read {
				tests[folder] = sourceFiles(t, filepath.Join("..", filepath.FromSlash(folder)))
			}
			if !strings.Contains(tests[folder], "\nfunc "+name+"(") {
				t.Errorf("%s has no %s: %.80s", folder, name, line)
			}
		}
	}
	return rows
}

func sourceFiles(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	testutil.Must(t, err)
	var all strings.Builder
	for _, f := range files {
		raw := testutil.ReadFile(t, f)
		all.Write(raw)
	}
	return all.String()
}
