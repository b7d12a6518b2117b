package paystub

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestVocabularyIsWellFormed checks that every section has entries in the form that
// plain returns, once each, and that no label or column belongs to two sections.
func TestVocabularyIsWellFormed(t *testing.T) {
	owner := map[string]string{}
	for _, section := range slices.Sorted(maps.Keys(vocabulary)) {
		list := vocabulary[section]
		if len(list) == 0 {
			t.Errorf("[%s] is empty", section)
		}
		seen := map[string]bool{}
		for _, entry := range list {
			words, _, _ := strings.Cut(entry, " = ")
			if plain(words) != words || words == "" {
				t.Errorf("[%s] %q would be read as %q", section, entry, plain(words))
			}
			if seen[words] {
				t.Errorf("[%s] has %q twice", section, words)
			}
			seen[words] = true
			kind, _, _ := strings.Cut(section, " ")
			if kind != "label" && kind != "column" && kind != "paid" || strings.HasPrefix(section, "column amounts") {
				continue
			}
			if other := owner[kind+"/"+words]; other != "" {
				t.Errorf("%q is in [%s] and in [%s]", words, other, section)
			}
			owner[kind+"/"+words] = section
		}
	}
}
