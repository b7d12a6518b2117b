package sandbox

import (
	"slices"
	"strings"
	"testing"

	"vestibule/internal/provider/sandbox/banks"
)

func TestCatalogOfBanks(t *testing.T) {
	all := banks.All()
	if len(all) < 300 {
		t.Errorf("%d banks, want some hundred", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b banks.Bank) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not in alphabetical order")
	}
	seen, none, homepage, fdx, large := map[string]bool{}, 0, 0, 0, 0
	for _, b := range all {
		if seen[b.ID] || b.ID == "" || b.Place == "" {
			t.Errorf("%+v: an id twice, or no place", b)
		}
		seen[b.ID] = true
		for _, d := range slices.Concat(b.OAuth, b.Homepage) {
			if !strings.HasSuffix(d, ".example") || seen[d] {
				t.Errorf("%s: domain %q", b.Name, d)
			}
			seen[d] = true
		}
		if b.Large {
			large++
		}
		if len(b.Homepage) == 0 {
			none++
		} else if len(b.OAuth) == 0 {
			homepage++
		}
		if b.FDX {
			fdx++
			if len(b.OAuth) == 0 {
				t.Errorf("%s is reached by FDX, and has no domain for the sign-in", b.Name)
			}
		}
	}
	if fdx < len(all)/4 || fdx > len(all)*2/5 {
		t.Errorf("%d of %d banks are reached by FDX, want about a third", fdx, len(all))
	}
	if large < 5 || large > 12 {
		t.Errorf("%d large banks, want some, which fit on one page of the list", large)
	}
	if none == 0 || homepage == 0 {
		t.Errorf("%d banks without a domain and %d without OAuth, want some of each", none, homepage)
	}
}
