package visits

import (
	"testing"

	"vestibule/internal/provider/sources"
)

func TestFindInstitutions(t *testing.T) {
	all := []sources.Institution{{ID: "a", Name: "Alderbrook Savings", Place: "Portland, OR"},
		{ID: "b", Name: "Birchwater Credit Union", Place: "Duluth, MN"},
		{ID: "m", Name: "Meridian Quay Bank", Place: "San Francisco, CA"},
		{ID: "q", Name: "Quay Savings", Place: "Boise, ID"}, {ID: "w", Name: "Willow & Wharf Bank", Place: "Portland, ME", PlaceES: "Costa"}}
	for _, c := range []struct {
		query, first string
		count        int
	}{
		{"", "Alderbrook Savings", len(all)},
		{"meridian", "Meridian Quay Bank", 1},
		{"  MERIDIAN quay ", "Meridian Quay Bank", 1},
		{"quay", "Quay Savings", 2},
		{"birch credit", "Birchwater Credit Union", 1},
		{"maine", "", 0},
		{"costa", "Willow & Wharf Bank", 1},
		{"portland", "Alderbrook Savings", 2},
		{"willow & wharf", "Willow & Wharf Bank", 1},
		{"ridian", "", 0},
		{"<script>", "", 0},
	} {
		found, more := FindInstitutions(all, c.query)
		if got := len(found) + more; got != c.count {
			t.Errorf("FindInstitutions(%q) finds %d, want %d", c.query, got, c.count)
		}
		if c.first != "" && (len(found) == 0 || found[0].Name != c.first) {
			t.Errorf("FindInstitutions(%q) begins with %v, want %s", c.query, found, c.first)
		}
	}
	var many []sources.Institution
	for range 100 {
		many = append(many, all...)
	}
	if found, more := FindInstitutions(many, ""); len(found) != 12 || more != 488 {
		t.Errorf("of 500 banks %d are shown and %d left out", len(found), more)
	}
}
