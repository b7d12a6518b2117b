package docs_test

import (
	"os"
	"regexp"
	"testing"

	"vestibule/internal/testutil"
)

// TestGuidesShowTheFiles compares the code of guides with files that are tested: e2e.TestExamples runs the back ends,
// and the others have tests beside them.
func TestGuidesShowTheFiles(t *testing.T) {
	for guide, want := range map[string]struct {
		folder string
		files  int
	}{
		"tutorials/back-end.md": {"examples/backend/", 5},
		"tutorials/redirect.md": {"", 1},
		"how-to/webhooks.md":    {"", 1},
	} {
		page := testutil.ReadFile(t, guide)
		listings := regexp.MustCompile("(?s)<!-- file (\\S+) -->\n\n```[a-z]+\n(.*?)```").FindAllSubmatch(page, -1)
		if len(listings) != want.files {
			t.Errorf("%s shows %d files, want %d", guide, len(listings), want.files)
		}
		for _, l := range listings {
			if file, err := os.ReadFile(want.folder + string(l[1])); err != nil || string(file) != string(l[2]) {
				t.Errorf("%s: %s is not the file (%v)", guide, l[1], err)
			}
		}
	}
}
