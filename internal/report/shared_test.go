package report

import (
	"os"
	"strings"
	"testing"
)

// TestSharedSources names the sources of each product's example report, and leaves out what
// was typed and what failed without data.
func TestSharedSources(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"cashflow":    {want: "PRAIRIE_FEDERAL_BANK"},
		"income":      {want: "PRAIRIE_FEDERAL_BANK"},
		"passport":    {want: "UKR_CI"},
		"eligibility": {want: "NORTHWIND_LOGISTICS, HARBOR_NATIONAL_BANK"},
		"failed": {`{"sources": [{"source_id": "A_BANK", "source_type": "BANK_TRANSACTION", "status": "SUPPLIER_UNRESPONSIVE"},
			{"source_id": "FRAUD", "source_type": "FRAUD", "status": "SUCCESS"}]}`, ""},
		"in part": {`{"sources": [{"source_id": "PART", "source_type": "BANK_TRANSACTION", "status": "SUPPLIER_UNRESPONSIVE"}],
			"account_details": [{"source_id": "PART"}]}`, "PART"},
	} {
		raw := []byte(c.raw)
		if c.raw == "" {
			var err error
			if raw, err = os.ReadFile("../../docs/reports/" + name + ".json"); err != nil {
				t.Fatal(err)
			}
		}
		all, err := SharedSources(raw)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range all {
			names = append(names, s.SourceID)
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if _, err := SharedSources([]byte("[]")); err == nil {
		t.Error("a report of another form has sources")
	}
}
