package visits

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated files anew")

// The declarations that integrators get, and those that the loader is compiled
// against, are those of the tables. They are two files because TypeScript takes
// a widget.d.ts beside a widget.ts for its output.
func TestDeclarationsHaveNotDrifted(t *testing.T) {
	generated(t, "../../../web/provider/widget.d.ts", Declarations())
	generated(t, "../../../web/provider/parts/api.d.ts", Declarations())
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
		t.Errorf("%s is not what the tables say (-want +have); run go test -update:\n%s", path, diff)
	}
}
