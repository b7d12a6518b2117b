package docs_test

import (
	"os"
	"regexp"
	"testing"
)

// TestTutorialShowsTheBackEnds compares the code of the tutorial with the files that
// e2e.TestExamples runs.
func TestTutorialShowsTheBackEnds(t *testing.T) {
	page, err := os.ReadFile("tutorials/back-end.md")
	if err != nil {
		t.Fatal(err)
	}
	listings := regexp.MustCompile("(?s)<!-- file (\\S+) -->\n\n```[a-z]+\n(.*?)```").FindAllSubmatch(page, -1)
	if len(listings) != 5 {
		t.Errorf("the tutorial shows %d files, want 5", len(listings))
	}
	for _, l := range listings {
		if file, err := os.ReadFile("examples/backend/" + string(l[1])); err != nil || string(file) != string(l[2]) {
			t.Errorf("the tutorial's %s is not the file (%v)", l[1], err)
		}
	}
}
