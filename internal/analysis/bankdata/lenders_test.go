package bankdata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLenders checks descriptors of lenders of seven kinds and of payees with like names. A
// label may name two categories; "-" is any category outside LENDING.
//
// The files were labeled before the rules were run on them. No rule was written from the errors
// of the second file, a third of one list, but rules have names of lenders that it also has. At the first run,
// 91.3%, 92.5% and 97.4% of the lenders were right, and of the payees with like names 14%, 15%, and 24%
// were taken for lenders. The third file has invented names of the kinds that small lenders have, and was run after the rules had
// been widened by the first. The fourth and fifth files are a third list of short, joined and cut names, of refunds and of rents, and
// its third that was held out: docs/explanation/analytics.md has the shares before and after each was read. The fourth list has
// eleven kinds; each third line of it is held out and was only counted. The fifth to seventh were written one after the other, each
// after the rules had been widened by the one before. The eighth and ninth were written together before the rules were widened by
// either, the tenth and the eleventh after the lists before had been read: analytics.md has their first readings.
func TestLenders(t *testing.T) {
	for _, c := range []struct {
		name          string
		right, others int // percent of lenders, at least; other payees taken for lenders, at most
	}{{"lenders-known.tsv", 98, 2}, {"lenders-heldout.tsv", 97, 2}, {"lenders-second.tsv", 98, 3},
		{"lenders-third.tsv", 97, 0}, {"lenders-third-heldout.tsv", 94, 1}, {"lenders-fourth.tsv", 99, 1}, {"lenders-fourth-heldout.tsv", 95, 1},
		{"lenders-fifth.tsv", 99, 1}, {"lenders-sixth.tsv", 99, 1}, {"lenders-seventh.tsv", 98, 1},
		{"lenders-eighth.tsv", 99, 2}, {"lenders-eighth-heldout.tsv", 98, 3}, {"lenders-ninth.tsv", 98, 2}, {"lenders-tenth.tsv", 99, 2},
		{"lenders-eleventh.tsv", 95, 6}} {
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
			if 100*right < c.right*lenders || taken > c.others {
				t.Errorf("want %d%% right and at most %d others", c.right, c.others)
			}
		})
	}
}
