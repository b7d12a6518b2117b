package visits_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/i18n"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits"
	providerui "vestibule/templates/provider"
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
		found := visits.FindInstitutions(all, c.query)
		if got := len(found); got != c.count {
			t.Errorf("FindInstitutions(%q) finds %d, want %d", c.query, got, c.count)
		}
		if c.first != "" && (len(found) == 0 || found[0].Name != c.first) {
			t.Errorf("FindInstitutions(%q) begins with %v, want %s", c.query, found, c.first)
		}
	}
}

// TestSuppliersOf checks that each country is listed once, by its name in the language, and leads to
// its bureaus where it has several; the reader of documents is the last.
func TestSuppliersOf(t *testing.T) {
	all := []sources.Institution{{ID: "MITEK", Name: "Identity documents", Place: "Passport"},
		{ID: "IN1", Name: "One", Place: "India"}, {ID: "DE", Name: "Auskunft", Place: "Germany", PlaceES: "Alemania"},
		{ID: "IN2", Name: "Two", Place: "India"}}
	document := providerui.Bank{ID: "MITEK", Name: "Identity documents", Place: "Passport"}
	for _, c := range []struct {
		country string
		lang    i18n.Lang
		want    []providerui.Bank
	}{
		{"", i18n.English, []providerui.Bank{{ID: "DE", Name: "Germany", Place: "Auskunft", Country: "Germany"},
			{Name: "India", Place: "One, Two", Country: "India"}, document}},
		{"", i18n.Spanish, []providerui.Bank{{ID: "DE", Name: "Alemania", Place: "Auskunft", Country: "Germany"},
			{Name: "India", Place: "One, Two", Country: "India"}, document}},
		{"India", i18n.Spanish, []providerui.Bank{{ID: "IN1", Name: "One", Place: "India"}, {ID: "IN2", Name: "Two", Place: "India"}}},
		{"Atlantis", i18n.English, nil},
	} {
		if diff := cmp.Diff(c.want, visits.SuppliersOf(all, c.country, c.lang)); diff != "" {
			t.Errorf("SuppliersOf(%q, %s): %s", c.country, c.lang, diff)
		}
	}
}
