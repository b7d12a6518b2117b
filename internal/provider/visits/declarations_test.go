package visits

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated files anew")

// TestDeclarationsAreFresh compares the file that integrators get, and that the
// loader is compiled against, with the tables.
func TestDeclarationsAreFresh(t *testing.T) {
	generated(t, "../../../web/provider/parts/widget-api.d.ts", Declarations())
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

// TestWidgetGuideMatchesCode compares the tables of the guide with the code.
func TestWidgetGuideMatchesCode(t *testing.T) {
	const path = "../../../docs/reference/widget.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	guide := string(raw)
	for name, table := range map[string]string{"options": OptionsTable(), "errors": ErrorsTable()} {
		open, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, ok := strings.Cut(guide, open)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the %s", path, name)
		}
		guide = before + open + "\n" + table + "\n" + end + after
	}
	generated(t, path, guide)
}
