// Package pdftest reads the PDF files that the program makes.
package pdftest

import (
	"strings"
	"testing"

	"vestibule/internal/analysis/paystub/pdf"
)

// Read opens a PDF file, and fails t if a strict reader repairs it, if it has active content, or
// if text is drawn beyond a page.
func Read(t testing.TB, raw []byte) *pdf.File {
	t.Helper()
	file, err := pdf.Open(raw)
	if err != nil || file.Repaired || file.Active {
		t.Fatalf("a strict reader: %v, repaired or active %v", err, err == nil)
	}
	for _, p := range file.Pages {
		for _, run := range p.Runs {
			if run.X < 0 || run.End > p.Width || run.Y < 0 || run.Y > p.Height {
				t.Errorf("%q is drawn beyond the page", run.Text)
			}
		}
	}
	return file
}

// Pages returns the text of each page: each run on a line.
func Pages(file *pdf.File) (pages []string) {
	for _, p := range file.Pages {
		var out strings.Builder
		for _, run := range p.Runs {
			out.WriteString(run.Text + "\n")
		}
		pages = append(pages, out.String())
	}
	return pages
}
