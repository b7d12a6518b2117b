package report_test

import (
	"encoding/json"
	"testing"

	"vestibule/internal/report"
)

// TestWithoutPositions checks that only the positions are removed; every other byte of a
// body stays.
func TestWithoutPositions(t *testing.T) {
	stub := report.Paystub{SourceID: `a,"document_positions":{}`, IrregularityDetection: report.IrregularityDetection{Reasons: []string{"X"}}}
	marked := stub
	marked.Positions = &report.Positions{Pages: []report.PageSize{{Width: 612, Height: 792}},
		Marks: []report.Mark{{Page: 1, X: 0.5, Field: "}]", Reason: `"`}}}
	for name, indent := range map[string]string{"compact": "", "indented": "  "} {
		write := func(all ...report.Paystub) string {
			raw, err := json.MarshalIndent(map[string]any{"paystubs": all, "after": 1}, "", indent)
			if indent == "" {
				raw, err = json.Marshal(map[string]any{"paystubs": all, "after": 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		want := write(stub, stub, stub)
		if got := string(report.WithoutPositions([]byte(write(marked, stub, marked)))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := string(report.WithoutPositions([]byte(want))); got != want {
			t.Errorf("%s: a body without positions becomes %s", name, got)
		}
	}
}
