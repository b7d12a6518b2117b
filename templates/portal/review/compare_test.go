package review

import (
	"testing"

	"vestibule/internal/i18n"
)

// TestCompareProducts: a report compared with itself has no differences and
// lists each figure once.
func TestCompareProducts(t *testing.T) {
	for name, r := range map[string]Measured{"cashflow": madeReport(), "income": madeIncome(),
		"eligibility": madeEligibility(), "passport": madePassport()} {
		for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
			r := decide(r)
			v := CompareView{Reports: [2]Compared{{Report: r}, {Report: r}}}
			pairs := v.pairs(l)
			if len(pairs) < 3 {
				t.Errorf("%s in %s compares by %d figures", name, l, len(pairs))
			}
			seen := map[string]bool{}
			for _, p := range pairs {
				if p[0].name == "" || seen[p[0].name] {
					t.Errorf("%s in %s: %q is listed twice, or has no name", name, l, p[0].name)
				}
				seen[p[0].name] = true
				if d := difference(l, p); d != i18n.T(l, "review.none") {
					t.Errorf("%s in %s: %s differs from itself by %q", name, l, p[0].name, d)
				}
			}
		}
	}
}

func TestDifference(t *testing.T) {
	for _, tc := range []struct {
		older, newer measure
		want         string
	}{
		{measure{value: 600}, measure{value: 650}, "+50"},
		{measure{value: 650}, measure{value: 600}, "−50"},
		{measure{in: usd, value: 100000}, measure{in: usd, value: 123456}, "+$234.56"},
		{measure{in: usd, value: -5}, measure{in: usd, value: -123456}, "−$1,234.51"},
		{measure{value: 7}, measure{value: 7}, "none"},
		{measure{none: true}, measure{value: 7}, ""},
		{measure{value: 7}, measure{none: true}, ""},
	} {
		if got := difference(i18n.English, [2]measure{tc.older, tc.newer}); got != tc.want {
			t.Errorf("from %+v to %+v is %q, want %q", tc.older, tc.newer, got, tc.want)
		}
	}
}
