package paystub_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

var update = flag.Bool("update", false, "write the golden files and the stubs that belong to them")

// TestGolden reads the files of testdata: one of each design, and two pages that a
// browser printed. The expected result is beside each file.
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

// TestPagesOfABrowserThatWereFalsified draws over net pay of the pages that a
// browser printed, which this project's own maker of stubs had no part in.
func TestPagesOfABrowserThatWereFalsified(t *testing.T) {
	files, err := filepath.Glob("testdata/browser-*.pdf")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		original, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d := paystub.Open(original)
		plain := d.Stub.NetTotal.String()
		net := plain[:len(plain)-6] + "," + plain[len(plain)-6:] // 1234.56, or 1,234.56
		if len(plain) < 7 {
			net = plain
		}
		f, err := pdf.Open(original)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, r := range f.Pages[0].Runs {
			at, letters := max(strings.Index(r.Text, net), strings.Index(r.Text, plain)), float64(len(r.Text))
			if at < 0 {
				continue
			}
			x, wide := r.X+(r.End-r.X)*float64(at)/letters, (r.End-r.X)*float64(len(net))/letters
			found = true
			for _, update := range []bool{false, true} {
				forged := paystub.Open(paystubtest.Overlaid(original, x, r.Y, wide, r.Size, "9,876.54", update))
				if forged.Outcome != paystub.Read {
					t.Fatalf("%s: %s", name, forged.Outcome)
				}
				v := paystub.Report([]*paystub.Document{forged}, paystub.Bank{},
					report.DateOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)))[0].IrregularityDetection
				if v.Status != report.IrregularityDetected || !slices.Contains(v.Reasons, paystub.TextOverText) ||
					slices.Contains(v.Reasons, paystub.IncrementalUpdate) != update {
					t.Errorf("%s, appended %v: %s %v", name, update, v.Status, v.Reasons)
				}
			}
		}
		if !found {
			t.Errorf("%s shows no %s", name, net)
		}
	}
}

// TestFileEncodingDoesNotMatter reads one stub from differently written
// files.
func TestFileEncodingDoesNotMatter(t *testing.T) {
	draw := source(8)
	for _, l := range paystubtest.Layouts() {
		s := paystubtest.Random(draw)
		for name, file := range paystubtest.Encodings(&s, l, paystubtest.Genuine(draw, &s)) {
			d := paystub.Open(file)
			if diff := cmp.Diff(truth(&s), seen(d)); diff != "" {
				t.Errorf("%s, %s (-written +read):\n%s", l.Name, name, diff)
			}
			f, err := pdf.Open(file)
			if err != nil || len(f.Updates) > 0 || f.Repaired || f.Linearized != (name == "linearized") {
				t.Errorf("%s, %s: %v, updates %v, repaired %v, linearized %v", l.Name, name, err, f.Updates, f.Repaired, f.Linearized)
			}
		}
	}
}
