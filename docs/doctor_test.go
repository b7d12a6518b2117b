package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil"
)

// TestDoctorsLinesAreExplained compares the table of another-provider.md with the subjects
// of findings. A finding takes its subject from a constant or from a bank or connector.
func TestDoctorsLinesAreExplained(t *testing.T) {
	read := func(name string) string {
		raw := testutil.ReadFile(t, name)
		return string(raw)
	}
	code := read("../internal/portal/doctor/doctor.go")
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\t[A-Z]\w+ += "(.*)"$`).FindAllStringSubmatch(code, -1) {
		want = append(want, m[1])
	}
	for _, m := range regexp.MustCompile(`(?:Subject: |\{(?:OK|Warn|Fail|Skip), )(".*?")`).FindAllStringSubmatch(
		code+read("../internal/app/doctor.go"), -1) {
		t.Errorf("the subject %s is no constant of package doctor", m[1])
	}
	_, table, _ := strings.Cut(read("how-to/another-provider.md"), "| line | what it checks |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(.*?)(?: …)?` \\|").FindAllStringSubmatch(table, -1) {
		got = append(got, m[1])
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the table explains %q, and doctor prints %q", got, want)
	}
}
