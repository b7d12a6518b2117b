package pdf

import (
	"bytes"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/unicode/norm"
)

// The page, in millimeters.
const (
	pageWidth  = 210.0
	pageHeight = 297.0
	margin     = 16.0
	width      = pageWidth - 2*margin
	foot       = 18.0 // height of the footer
)

// color holds red, green and blue, from 0 to 255.
type color [3]int

var (
	ink    = color{27, 35, 48}
	muted  = color{92, 102, 117}
	rule   = color{214, 220, 228}
	pale   = color{244, 246, 249}
	accent = color{28, 84, 128}
	good   = color{38, 120, 74}
	warn   = color{178, 106, 10}
	bad    = color{176, 42, 34}
	grave  = color{86, 20, 28}
	white  = color{255, 255, 255}
)

// placeholder replaces letters that no font has.
const placeholder = '?'

// sheet extends fpdf by text in several fonts.
type sheet struct {
	pdf      *fpdf.Fpdf
	loaded   map[string]bool     // families beyond sans
	advances map[advance]float64 // at size 1
	footer   string
	missing  bool // whether a placeholder was written
	y        float64
}

func newSheet(made time.Time, title, subject, footer string) *sheet {
	s := &sheet{pdf: fpdf.New("P", "mm", "A4", ""), loaded: map[string]bool{}, advances: map[advance]float64{}, footer: footer}
	s.pdf.SetCatalogSort(true)
	s.pdf.SetCreationDate(made)
	s.pdf.SetModificationDate(made)
	s.pdf.SetProducer("Vestibule", false)
	s.pdf.SetTitle(title, true)
	s.pdf.SetSubject(subject, true)
	s.pdf.SetLang("en")
	s.pdf.SetDisplayMode("fullwidth", "continuous")
	s.pdf.SetAutoPageBreak(false, 0)
	s.pdf.SetMargins(margin, margin, margin)
	s.font(sans, "", sansTTF)
	s.font(sans, "B", boldTTF)
	s.pdf.AliasNbPages("{pages}")
	s.pdf.SetFooterFunc(s.drawFooter)
	s.page()
	return s
}

func (s *sheet) bytes() ([]byte, error) {
	var out bytes.Buffer
	err := s.pdf.Output(&out)
	return out.Bytes(), err
}

func (s *sheet) page() {
	s.pdf.AddPage()
	s.y = margin
}

// ensure begins a new page if less than h is left, and reports whether it did.
func (s *sheet) ensure(h float64) bool {
	if s.y+h <= pageHeight-foot {
		return false
	}
	s.page()
	return true
}

func (s *sheet) drawFooter() {
	y := pageHeight - foot + 6
	s.line(margin, y-2, pageWidth-margin, y-2, rule, 0.2)
	st := style{size: 7.5, ink: muted}
	s.text(margin, y, st, s.footer)
	// fpdf inserts the number of pages at the end, so its width is reserved.
	s.text(pageWidth-margin-s.width(st, "Page 10 of 10"), y, st, "Page "+itoa(s.pdf.PageNo())+" of {pages}")
}

// style is the style of a text.
type style struct {
	size  float64 // points
	bold  bool
	ink   color
	right bool // right-aligned at x
}

// run is a piece of text in one font.
type run struct{ family, text string }

// most is the maximum number of letters of a text, more than a real name or notice has.
const most = 1000

// readable returns the printable text and the font of each letter. Letters that no font
// has become placeholders, all spaces become plain spaces, and controls are removed.
func (s *sheet) readable(text string) (letters []rune, families []string) {
	for _, r := range norm.NFC.String(text[:min(len(text), 4*most)]) {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			continue
		}
		f := family(r)
		if f == "" {
			f, r, s.missing = sans, placeholder, true
		}
		if letters, families = append(letters, r), append(families, f); len(letters) == most {
			break
		}
	}
	return letters, families
}

// runs splits text by fonts.
func (s *sheet) runs(text string) (out []run) {
	letters, families := s.readable(text)
	for i := 0; i < len(letters); {
		from := i
		for i < len(letters) && families[i] == families[from] {
			i++
		}
		out = append(out, run{families[from], string(letters[from:i])})
	}
	return out
}

// font adds a copy of a font to the document, because fpdf writes into the bytes when it
// makes a subset.
func (s *sheet) font(family, style string, ttf []byte) {
	s.pdf.AddUTF8FontFromBytes(family, style, bytes.Clone(ttf))
}

// use selects a font and adds it to the document if necessary.
func (s *sheet) use(family string, st style) {
	if family == sans {
		s.pdf.SetFont(sans, map[bool]string{true: "B"}[st.bold], st.size)
		return
	}
	if !s.loaded[family] {
		s.font(family, "", map[string][]byte{han: hanTTF, hangul: hangulTTF}[family])
		s.loaded[family] = true
	}
	s.pdf.SetFont(family, "", st.size)
}

// advance identifies a letter's width.
type advance struct {
	family string
	bold   bool
	letter rune
}

// widths returns the widths of the letters of a text.
func (s *sheet) widths(st style, letters []rune, families []string) []float64 {
	out := make([]float64, len(letters))
	for i, r := range letters {
		key := advance{families[i], st.bold, r}
		w, ok := s.advances[key]
		if !ok {
			s.use(key.family, style{size: 10, bold: st.bold})
			w = s.pdf.GetStringWidth(string(r)) / 10
			s.advances[key] = w
		}
		out[i] = w * st.size
	}
	return out
}

func (s *sheet) textWidths(st style, text string) []float64 {
	letters, families := s.readable(text)
	return s.widths(st, letters, families)
}

func (s *sheet) width(st style, text string) (w float64) {
	for _, a := range s.textWidths(st, text) {
		w += a
	}
	return w
}

// text draws a line whose top is at y, and returns its width.
func (s *sheet) text(x, y float64, st style, text string) float64 {
	w := s.width(st, text)
	if st.right {
		x -= w
	}
	s.color(st.ink)
	for _, r := range s.runs(text) {
		s.use(r.family, st)
		s.pdf.Text(x, y+st.size*0.352778*0.82, r.text)
		x += s.width(st, r.text)
	}
	return w
}

// fit shortens text to a width.
func (s *sheet) fit(st style, w float64, text string) string {
	letters, families := s.readable(text)
	left := w - s.width(st, "…")
	cut := -1 // number of letters that fit before the ellipsis
	for i, a := range s.widths(st, letters, families) {
		if left -= a; left < 0 && cut < 0 {
			cut = i
		}
	}
	if left+s.width(st, "…") >= 0 {
		return string(letters)
	}
	return strings.TrimSpace(string(letters[:cut])) + "…"
}

// wrap breaks text into lines of a width, at spaces if possible.
func (s *sheet) wrap(st style, w float64, text string) (lines []string) {
	letters, families := s.readable(text)
	widths := s.widths(st, letters, families)
	from, space, used := 0, -1, 0.0 // the line's beginning, its last space, its width so far
	for i := 0; i < len(letters); i++ {
		if letters[i] == ' ' {
			space = i
		}
		if used += widths[i]; used <= w || i == from {
			continue
		}
		end := i // a word that is too long, or a script without spaces
		if space > from {
			end = space
		}
		lines = append(lines, strings.TrimSpace(string(letters[from:end])))
		if from = end; end == space {
			from++
		}
		i, space, used = from-1, -1, 0
	}
	if rest := strings.TrimSpace(string(letters[from:])); rest != "" {
		lines = append(lines, rest)
	}
	return lines
}

// paragraph draws wrapped text and returns its height.
func (s *sheet) paragraph(x, y, w float64, st style, text string) float64 {
	high := st.size * 0.352778 * 1.4
	lines := s.wrap(st, w, text)
	for i, l := range lines {
		s.text(x, y+float64(i)*high, st, l)
	}
	return float64(len(lines)) * high
}

func (s *sheet) color(c color) { s.pdf.SetTextColor(c[0], c[1], c[2]) }

func (s *sheet) box(x, y, w, h float64, fill color) {
	s.pdf.SetFillColor(fill[0], fill[1], fill[2])
	s.pdf.Rect(x, y, w, h, "F")
}

func (s *sheet) frame(x, y, w, h float64, c color) {
	s.pdf.SetDrawColor(c[0], c[1], c[2])
	s.pdf.SetLineWidth(0.25)
	s.pdf.Rect(x, y, w, h, "D")
}

func (s *sheet) line(x1, y1, x2, y2 float64, c color, thick float64) {
	s.pdf.SetDrawColor(c[0], c[1], c[2])
	s.pdf.SetLineWidth(thick)
	s.pdf.Line(x1, y1, x2, y2)
}

// heading draws a section's heading, with at least h below it on the page, and adds it to
// the document's outline.
func (s *sheet) heading(title string, h float64) {
	s.y += 5
	s.ensure(9 + h)
	s.pdf.SetY(s.y)
	s.pdf.Bookmark(title, 0, -1)
	s.text(margin, s.y, style{size: 11.5, bold: true, ink: accent}, title)
	s.line(margin, s.y+6, pageWidth-margin, s.y+6, rule, 0.3)
	s.y += 8.5
}
