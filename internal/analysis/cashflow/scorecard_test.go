package cashflow

import (
	"strings"
	"testing"
)

func TestParseScorecardRefuses(t *testing.T) {
	const good = "A UA_ASSET_TOTAL_AVG_3M below 0.00=0 250.00=10 else=80 neutral=25 reference=44 v1.0"
	if bins, err := parseScorecard("# a comment\n\n" + good + "\n"); err != nil ||
		len(bins) != 1 || bins[0].Cells[1].Bound != 250_00 || !bins[0].V1 {
		t.Fatalf("%+v, %v", bins, err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"nothing":                  {"# only a comment\n", "no bin"},
		"a letter twice":           {good + "\n" + good, "line 2: two bins A"},
		"an unknown attribute":     {strings.Replace(good, "AVG_3M", "AVG_4M", 1), "no attribute"},
		"an unknown comparison":    {strings.Replace(good, "below", "above", 1), "no comparison"},
		"bounds out of order":      {strings.Replace(good, "250.00", "-1.00", 1), "out of order"},
		"a bound twice":            {strings.Replace(good, "neutral", "250.00=7 250.00=8 neutral", 1), "out of order"},
		"too few decimals":         {strings.Replace(good, "250.00", "250", 1), "2 decimals"},
		"points that are negative": {strings.Replace(good, "=10", "=-10", 1), "whole numbers"},
		"no else":                  {strings.Replace(good, "else=80 ", "", 1), "else"},
		"else twice":               {strings.Replace(good, "else=80", "else=80 else=81", 1), "decimals"},
		"no bounds":                {"A UA_ASSET_TOTAL_AVG_3M below else=80 neutral=25 reference=44 v1.0", "bounds"},
	} {
		if _, err := parseScorecard(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
