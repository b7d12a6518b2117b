package bankdata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLenders checks descriptors of lenders of seven kinds and of payees with like names. A
// label may name two categories; "-" is any category outside LENDING.
func TestLenders(t *testing.T) {
	for _, c := range []struct {
		name string
	}{{"lenders-known.tsv"}, {"lenders-heldout.tsv"}, {"lenders-second.tsv"}} {
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", c.name))
			if err != nil {
				t.Fatal(err)
			}
			var lenders, right, others, taken int
			for line := range strings.Lines(string(text)) {
				col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
				got := categorize(Transaction{Description: col[2]}, col[0] == "credit")
				if col[1] == "-" {
					if others++; got.Leaf.Group() == GroupLending {
						taken++
						t.Logf("%s %q is %v by %v", col[0], col[2], got.Leaf, got.Tier)
					}
					continue
				}
				lenders++
				if strings.Contains("|"+col[1]+"|", "|"+got.Leaf.String()+"|") {
					right++
				} else {
					t.Logf("%s %q is %v by %v, want %s", col[0], col[2], got.Leaf, got.Tier, col[1])
				}
			}
			t.Logf("%d of %d lenders right; %d of %d others taken for lenders", right, lenders, taken, others)
		})
	}
}
