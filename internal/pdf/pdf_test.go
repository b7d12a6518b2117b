package pdf

import (
	"bytes"
	"strings"
	"testing"
	"time"

	reader "vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/testutil/pdftest"
)

func newLetter() *Sheet {
	return New(Settings{Title: "Título", Language: "es", Made: time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC),
		Width: LetterWidth, Height: LetterHeight, Footer: "at the bottom", PageOf: "Página {page} de {pages}"})
}

// read returns the text of each page, the document, and its bytes.
func read(t *testing.T, s *Sheet) (pages []string, file *reader.File, raw []byte) {
	t.Helper()
	raw, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	file = pdftest.Read(t, raw)
	return pdftest.Pages(file), file, raw
}

// TestFontsAreNotModified checks that drawing does not modify the fonts, which other
// goroutines may use. fpdf writes into a font's bytes when it makes a subset.
func TestFontsAreNotModified(t *testing.T) {
	fonts := map[string][]byte{"sans": sansTTF, "bold": boldTTF, "han": hanTTF, "hangul": hangulTTF}
	before := map[string][]byte{}
	for name, font := range fonts {
		before[name] = bytes.Clone(font)
	}
	s := newLetter()
	s.Text(Margin, Margin, Style{Size: 9}, "김민준 欧阳雨桐 田中さくら Коваленко Олена Nguyễn Văn Ðức")
	s.Heading("Bold", 0)
	read(t, s)
	for name, font := range fonts {
		if !bytes.Equal(font, before[name]) {
			t.Errorf("the font %s has changed", name)
		}
	}
}

// TestFontCoverage compares the embedded fonts with their README.
func TestFontCoverage(t *testing.T) {
	for _, c := range []struct {
		family    string
		low, high rune
	}{{sans, 0x20, 0x7e}, {sans, 0xa1, 0x17f}, {sans, 0x400, 0x45f}, {sans, 0x490, 0x491}, {sans, 0x1ea0, 0x1ef9},
		{hangul, 0xac00, 0xd7a3}, {han, 0x4e00, 0x9fa5}, {han, 0x3041, 0x3093}} {
		for r := c.low; r <= c.high; r++ {
			if got := family(r); got != c.family {
				t.Fatalf("%U is in %q, want %q", r, got, c.family)
			}
		}
	}
	for _, r := range []rune{0, 0x5d0, 0x627, 0x915, 0x20bb7, -1} {
		if got := family(r); got != "" {
			t.Errorf("%U is said to be in %s", r, got)
		}
	}
	for text, want := range map[string]bool{"Núñez 김민준\n": true, "ليلى": false, "a\u200bb": true, strings.Repeat("é", 3000): true} {
		if Covers(text) != want {
			t.Errorf("Covers(%.20q) = %v", text, !want)
		}
	}
}

// TestTable checks that a long table repeats its head, wraps its cells, and aligns numbers.
func TestTable(t *testing.T) {
	s := newLetter()
	var rows [][]Cell
	for range 60 {
		rows = append(rows, []Cell{{Text: "a name that is\nin two lines"}, {Text: strings.Repeat("many words ", 15)}, {Text: "$1,234.00"},
			{Text: "−$999,999,999.00", Bold: true}})
	}
	s.Table([]Column{{Title: "Name"}, {Title: "Words"}, {Title: "Amount", Right: true}, {Title: "Sum", Right: true}}, rows)
	pages, file, _ := read(t, s)
	if len(pages) < 3 {
		t.Fatalf("%d pages", len(pages))
	}
	n := 0
	for i, p := range pages {
		n += strings.Count(p, "–$999,999,999.00")
		if strings.Count(p, "Amount") != 1 || !strings.Contains(p, "at the bottom") {
			t.Errorf("page %d:\n%s", i+1, p)
		}
		right := map[string]float64{}
		for _, run := range file.Pages[i].Runs {
			if at, ok := right[run.Text]; ok && run.Text == "$1,234.00" && (run.End-at > 0.1 || at-run.End > 0.1) {
				t.Errorf("amounts end at %v and %v", at, run.End)
			}
			right[run.Text] = run.End
		}
	}
	if n != len(rows) {
		t.Errorf("%d sums of %d rows are in one piece", n, len(rows))
	}
}

// TestTableOfLongTexts checks that rows fit on a page.
func TestTableOfLongTexts(t *testing.T) {
	s := newLetter()
	columns, row := []Column{}, []Cell{}
	for i := range 9 {
		columns = append(columns, Column{Title: strings.Repeat("W", 20), Right: i%2 == 0})
		row = append(row, Cell{Text: strings.Repeat("W", 900)}, Cell{Text: strings.Repeat("\n", 900)})
	}
	s.Table(columns, [][]Cell{row[:9], row[9:], {{}, {}, {}, {}, {}, {}, {}, {}, {}}})
	if pages, _, _ := read(t, s); len(pages) != 1 || !strings.Contains(pages[0], "…") {
		t.Errorf("%d pages", len(pages))
	}
}

func TestDocumentIsDescribed(t *testing.T) {
	s := newLetter()
	s.Heading("Puntuación", 0)
	pages, file, raw := read(t, s)
	if p := file.Pages[0]; p.Width != 612 || p.Height != 792 || file.Info.Title != "Título" || file.Info.Created[:16] != "D:20260714090000" {
		t.Errorf("%+v of %v × %v", file.Info, p.Width, p.Height)
	}
	if !bytes.Contains(raw, []byte("/Lang (es)")) || !strings.Contains(pages[0], "Página 1 de 1") {
		t.Errorf("without language or page number: %q", pages)
	}
}
