package paystub_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/analysis/paystub/paystubtest"
	"vestibule/internal/report"
)

var update = flag.Bool("update", false, "write the golden files and the stubs that belong to them")

// TestGolden reads the files of testdata: one of each design, and two pages that a
// browser printed. What is read of each stands beside it.
func TestGolden(t *testing.T) {
	if *update {
		draw := source(4)
		for _, l := range paystubtest.Layouts() {
			s := paystubtest.Random(draw)
			write(t, filepath.Join("testdata", l.Name+".pdf"), s.Printed(draw, l))
		}
	}
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d := paystub.Open(file)
			asOf := report.DateOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))
			body, err := json.Marshal(paystub.Report([]*paystub.Document{d}, paystub.Bank{}, asOf)[0])
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			got.WriteString("employer: " + d.Employer + "\noutcome: " + string(d.Outcome) + "\n")
			if err := json.Indent(&got, body, "", "  "); err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(name, ".pdf") + ".golden"
			if *update {
				write(t, golden, got.Bytes())
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
