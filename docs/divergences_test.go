package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var pin = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)`")

func TestEveryDivergenceIsPinned(t *testing.T) {
	page, err := os.ReadFile("divergences.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{} // folder → its test files
	for i, line := range strings.Split(string(page), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| unspecified |") {
			continue
		}
		pins := pin.FindAllStringSubmatch(line, -1)
		if len(pins) == 0 {
			t.Errorf("line %d has no test: %.80s", i+1, line)
		}
		for _, p := range pins {
			folder, name := p[1], p[2]
			if _, read := tests[folder]; !read {
				tests[folder] = sourceFiles(t, filepath.Join("..", filepath.FromSlash(folder)))
			}
			if !strings.Contains(tests[folder], "\nfunc "+name+"(") {
				t.Errorf("line %d: %s has no %s", i+1, folder, name)
			}
		}
	}
}

func sourceFiles(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	return all.String()
}
