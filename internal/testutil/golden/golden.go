// Package golden compares what tests produce with files of the repository, which a test
// with -update writes anew.
package golden

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/testutil"
)

var update = flag.Bool("update", false, "write anew the files that tests compare with")

// Compare fails t if a file differs from got. With -update, it writes the file first.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		testutil.Must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	testutil.Must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (go test -update writes it anew): -want +got\n%s", file, diff)
	}
}

// CompareHTML is Compare for a page without line breaks. Its file has one tag per line.
func CompareHTML(t testing.TB, file, page string) {
	t.Helper()
	Compare(t, file, strings.ReplaceAll(page, "><", ">\n<")+"\n")
}

// CompareJSON is Compare for JSON. Its file has one member per line, with this indent.
func CompareJSON(t testing.TB, file, indent string, raw []byte) {
	t.Helper()
	var pretty bytes.Buffer
	testutil.Must(t, json.Indent(&pretty, raw, "", indent))
	Compare(t, file, pretty.String()+"\n")
}

// CompareTables compares each table of a Markdown page with the text between the comments
// "begin NAME" and "end NAME" of the page.
func CompareTables(t testing.TB, file string, tables map[string]string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	testutil.Must(t, err)
	page := string(raw)
	for name, table := range tables {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		before, rest, found := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no place for the table %s", file, name)
		}
		page = before + begin + table + end + after
	}
	Compare(t, file, page)
}
