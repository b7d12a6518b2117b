package paystub_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

// reported returns a document's pay stub as the report has it.
func reported(t *testing.T, d *paystub.Document) report.Paystub {
	t.Helper()
	return paystub.Report([]*paystub.Document{d}, paystub.Bank{}, report.DateOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)))[0]
}

// TestPositions checks that marks are on the page, around the text that shows the value.
func TestPositions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		stub := reported(t, paystub.Open(body))
		f, err := pdf.Open(body)
		if err != nil {
			t.Fatal(err)
		}
		if stub.Positions == nil || len(stub.Positions.Pages) != len(f.Pages) {
			t.Errorf("%s: %+v", name, stub.Positions)
			continue
		}
		found := map[string]bool{}
		for _, m := range stub.Positions.Marks {
			if m.Page < 1 || m.Page > len(f.Pages) || m.X < 0 || m.Y < 0 || m.X+m.Width > 1.0001 || m.Y+m.Height > 1.0001 ||
				m.Width <= 0 || m.Height <= 0 || (m.Field == "") == (m.Reason == "") {
				t.Errorf("%s: %+v", name, m)
				continue
			}
			p := f.Pages[m.Page-1]
			var inside strings.Builder
			for _, r := range p.Runs {
				middle := (p.Height - r.Y - 0.3*r.Size) / p.Height
				if middle > m.Y && middle < m.Y+m.Height && r.End/p.Width > m.X && r.X/p.Width < m.X+m.Width {
					inside.WriteString(r.Text)
				}
			}
			if m.Field == "net_total_earnings_amount_current" {
				found[m.Field] = found[m.Field] || strings.Contains(digitsOf(inside.String()), digitsOf(stub.NetTotal.String()))
			}
			if m.Field == "pay_date" {
				found[m.Field] = strings.Contains(digitsOf(inside.String()), stub.PayDate.Format("2"))
			}
		}
		if !found["net_total_earnings_amount_current"] || stub.PayDate != nil && !found["pay_date"] {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// TestPositionOfFinding checks the mark of an amount that was drawn over another, on the page
// as it is stored and as it is turned for display.
func TestPositionOfFinding(t *testing.T) {
	original, err := os.ReadFile("testdata/browser-lines.pdf")
	if err != nil {
		t.Fatal(err)
	}
	of := func(file []byte) (w, h float64, out report.Mark) {
		t.Helper()
		p := reported(t, paystub.Open(file)).Positions
		if p == nil {
			t.Fatal("no positions")
		}
		i := slices.IndexFunc(p.Marks, func(m report.Mark) bool { return m.Reason == paystub.TextOverText })
		if i < 0 {
			t.Fatalf("%+v", p.Marks)
		}
		return p.Pages[0].Width, p.Pages[0].Height, p.Marks[i]
	}
	f, err := pdf.Open(original)
	if err != nil {
		t.Fatal(err)
	}
	run := f.Pages[0].Runs[len(f.Pages[0].Runs)/2]
	forged := paystubtest.Overlaid(original, run.X, run.Y, run.End-run.X, run.Size, "9,876.54", true)
	w, h, m := of(forged)
	if x, y := m.X*w, (1-m.Y-m.Height)*h; x > run.End || x+m.Width*w < run.X || y > run.Y || y+m.Height*h < run.Y {
		t.Errorf("mark %+v, text at %v, %v", m, run.X, run.Y)
	}
	turned := bytes.Replace(forged, []byte("/MediaBox"), []byte("/Rotate 90 /MediaBox"), -1)
	if bytes.Equal(turned, forged) {
		t.Fatal("the page has no MediaBox to change")
	}
	w2, h2, m2 := of(turned)
	if w2 != h || h2 != w {
		t.Errorf("turned page of %v by %v, stored %v by %v", w2, h2, w, h)
	}
	if x, y := 1-m.Y-m.Height, m.X; m2.X < x-0.001 || m2.X > x+0.001 || m2.Y < y-0.001 || m2.Y > y+0.001 {
		t.Errorf("turned %+v, stored %+v", m2, m)
	}
}

// TestNoPositions checks that a document in place of the consumer's file, and a file that
// was not read, have no positions.
func TestNoPositions(t *testing.T) {
	body, err := os.ReadFile("testdata/browser-lines.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if p := reported(t, paystub.Open(body).Replaced()).Positions; p != nil {
		t.Errorf("%+v", p)
	}
	if p := reported(t, paystub.Open([]byte("not a document"))).Positions; p != nil {
		t.Errorf("%+v", p)
	}
}
