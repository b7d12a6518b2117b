// Package pdf draws text, boxes and tables on the pages of a PDF. It embeds the used part of
// its fonts, which have the letters of Latin, Greek and Cyrillic scripts, Chinese, Japanese
// and Korean. Letters that they lack become question marks. The same calls give the same
// bytes.
package pdf

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/unicode/norm"
)

// Sizes of paper in millimeters.
const (
	A4Width, A4Height         = 210.0, 297.0
	LetterWidth, LetterHeight = 215.9, 279.4

	Margin = 16.0 // on all sides
	foot   = 18.0 // height of the footer
)

// Color holds red, green and blue, from 0 to 255.
type Color [3]int

// Colors of text, lines and boxes.
var (
	Ink    = Color{27, 35, 48}
	Muted  = Color{92, 102, 117}
	Rule   = Color{214, 220, 228}
	Pale   = Color{244, 246, 249}
	Accent = Color{28, 84, 128}
	Good   = Color{38, 120, 74}
	Warn   = Color{178, 106, 10}
	Bad    = Color{176, 42, 34}
	White  = Color{255, 255, 255}
)

// Placeholder replaces letters that no font has.
const Placeholder = '?'

// Settings describe a document.
type Settings struct {
	Title, Subject string
	Language       string    // of its texts, such as "en"
	Made           time.Time // when it was made
	Width, Height  float64   // of a page in millimeters
	Footer         string    // at the bottom of each page
	PageOf         string    // text of the page number, with {page} and {pages}
	Head           func()    // draws the top of each page after the first; nil for none
}

// Sheet is a document that is being drawn, with the page that is drawn on.
type Sheet struct {
	PDF     *fpdf.Fpdf
	Y       float64 // top of what is drawn next
	Missing bool    // a letter was replaced by Placeholder

	set      Settings
	loaded   map[string]bool     // families beyond sans
	advances map[advance]float64 // at size 1
}

// New returns a document with an empty page. Its function Head can use the sheet once New has
// returned.
func New(set Settings) *Sheet {
	paper := fpdf.SizeType{Wd: set.Width, Ht: set.Height}
	s := &Sheet{PDF: fpdf.NewCustom(&fpdf.InitType{OrientationStr: "P", UnitStr: "mm", Size: paper}), set: set,
		loaded: map[string]bool{}, advances: map[advance]float64{}}
	s.PDF.SetCatalogSort(true)
	s.PDF.SetCreationDate(set.Made)
	s.PDF.SetModificationDate(set.Made)
	s.PDF.SetProducer("Vestibule", false)
	s.PDF.SetTitle(set.Title, true)
	s.PDF.SetSubject(set.Subject, true)
	s.PDF.SetLang(set.Language)
	s.PDF.SetDisplayMode("fullwidth", "continuous")
	s.PDF.SetAutoPageBreak(false, 0)
	s.PDF.SetMargins(Margin, Margin, Margin)
	s.font(sans, "", sansTTF)
	s.font(sans, "B", boldTTF)
	s.PDF.AliasNbPages("{pages}")
	s.PDF.SetFooterFunc(s.drawFooter)
	s.page()
	return s
}

// Bytes ends the document and returns it.
func (s *Sheet) Bytes() ([]byte, error) {
	var out bytes.Buffer
	err := s.PDF.Output(&out)
	return out.Bytes(), err
}

// Right returns the right end of what is drawn on a page.
func (s *Sheet) Right() float64 { return s.set.Width - Margin }

// Inner returns the width of what is drawn on a page.
func (s *Sheet) Inner() float64 { return s.set.Width - 2*Margin }

func (s *Sheet) page() {
	s.PDF.AddPage()
	s.Y = Margin
	if s.set.Head != nil && s.PDF.PageNo() > 1 {
		s.set.Head()
	}
}

// Ensure begins a new page if less than h is left, and reports whether it did.
func (s *Sheet) Ensure(h float64) bool {
	if s.Y+h <= s.set.Height-foot {
		return false
	}
	s.page()
	return true
}

func (s *Sheet) drawFooter() {
	y := s.set.Height - foot + 6
	s.Line(Margin, y-2, s.Right(), y-2, Rule, 0.2)
	st := Style{Size: 7.5, Ink: Muted}
	number := func(page string) string { return strings.Replace(s.set.PageOf, "{page}", page, 1) }
	// fpdf inserts the number of pages at the end, so its width is reserved.
	reserved := s.Width(st, strings.Replace(number("10"), "{pages}", "10", 1))
	s.Text(Margin, y, st, s.Fit(st, s.Inner()-reserved-4, s.set.Footer))
	s.Text(s.Right()-reserved, y, st, number(strconv.Itoa(s.PDF.PageNo())))
}

// Style is the style of a text.
type Style struct {
	Size  float64 // points
	Bold  bool
	Ink   Color
	Right bool // right-aligned at x
}

// High returns the height of a line in a paragraph.
func (st Style) High() float64 { return st.Size * 0.352778 * 1.4 }

// run is a piece of text in one font.
type run struct{ family, text string }

// most is the maximum number of letters of a text, more than a name, a notice or a reason has.
const most = 2000

// printable returns the letters of a text: all spaces become plain spaces, the minus sign, which
// the fonts lack, a dash, and controls are removed.
func printable(text string) (letters []rune) {
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text[:min(len(text), 4*most)], "")) {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case r == '−':
			r = '–'
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			continue
		}
		if letters = append(letters, r); len(letters) == most {
			break
		}
	}
	return letters
}

// Covers reports whether the fonts have all letters of a text.
func Covers(text string) bool {
	return !slices.ContainsFunc(printable(text), func(r rune) bool { return family(r) == "" })
}

// readable returns the printable letters of a text with their fonts. Letters that no font has
// become placeholders.
func (s *Sheet) readable(text string) (letters []rune, families []string) {
	letters = printable(text)
	families = make([]string, len(letters))
	for i, r := range letters {
		if families[i] = family(r); families[i] == "" {
			families[i], letters[i], s.Missing = sans, Placeholder, true
		}
	}
	return letters, families
}

// runs splits text by fonts.
func (s *Sheet) runs(text string) (out []run) {
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
func (s *Sheet) font(family, style string, ttf []byte) {
	s.PDF.AddUTF8FontFromBytes(family, style, bytes.Clone(ttf))
}

// use selects a font and adds it to the document if necessary.
func (s *Sheet) use(family string, st Style) {
	if family == sans {
		s.PDF.SetFont(sans, map[bool]string{true: "B"}[st.Bold], st.Size)
		return
	}
	if !s.loaded[family] {
		s.font(family, "", map[string][]byte{han: hanTTF, hangul: hangulTTF}[family])
		s.loaded[family] = true
	}
	s.PDF.SetFont(family, "", st.Size)
}

// advance identifies a letter's width.
type advance struct {
	family string
	bold   bool
	letter rune
}

func (s *Sheet) widths(st Style, letters []rune, families []string) []float64 {
	out := make([]float64, len(letters))
	for i, r := range letters {
		key := advance{families[i], st.Bold, r}
		w, ok := s.advances[key]
		if !ok {
			s.use(key.family, Style{Size: 10, Bold: st.Bold})
			w = s.PDF.GetStringWidth(string(r)) / 10
			s.advances[key] = w
		}
		out[i] = w * st.Size
	}
	return out
}

func (s *Sheet) textWidths(st Style, text string) []float64 {
	letters, families := s.readable(text)
	return s.widths(st, letters, families)
}

// Width returns the width of a line.
func (s *Sheet) Width(st Style, text string) (w float64) {
	for _, a := range s.textWidths(st, text) {
		w += a
	}
	return w
}

// Text draws a line whose top is at y, and returns its width.
func (s *Sheet) Text(x, y float64, st Style, text string) float64 {
	w := s.Width(st, text)
	if st.Right {
		x -= w
	}
	s.ink(st.Ink)
	for _, r := range s.runs(text) {
		s.use(r.family, st)
		s.PDF.Text(x, y+st.Size*0.352778*0.82, r.text)
		x += s.Width(st, r.text)
	}
	return w
}

// Fit shortens text to a width.
func (s *Sheet) Fit(st Style, w float64, text string) string {
	letters, families := s.readable(text)
	left := w - s.Width(st, "…")
	cut := -1 // number of letters that fit before the ellipsis
	for i, a := range s.widths(st, letters, families) {
		if left -= a; left < 0 && cut < 0 {
			cut = i
		}
	}
	if left+s.Width(st, "…") >= 0 {
		return string(letters)
	}
	return strings.TrimSpace(string(letters[:cut])) + "…"
}

// Wrap breaks text into lines of a width, at spaces if possible.
func (s *Sheet) Wrap(st Style, w float64, text string) (lines []string) {
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

// Paragraph draws wrapped text and returns its height.
func (s *Sheet) Paragraph(x, y, w float64, st Style, text string) float64 {
	high := st.High()
	lines := s.Wrap(st, w, text)
	for i, l := range lines {
		s.Text(x, y+float64(i)*high, st, l)
	}
	return float64(len(lines)) * high
}

func (s *Sheet) ink(c Color) { s.PDF.SetTextColor(c[0], c[1], c[2]) }

// Box draws a filled rectangle.
func (s *Sheet) Box(x, y, w, h float64, fill Color) {
	s.PDF.SetFillColor(fill[0], fill[1], fill[2])
	s.PDF.Rect(x, y, w, h, "F")
}

// Frame draws the outline of a rectangle.
func (s *Sheet) Frame(x, y, w, h float64, c Color) {
	s.PDF.SetDrawColor(c[0], c[1], c[2])
	s.PDF.SetLineWidth(0.25)
	s.PDF.Rect(x, y, w, h, "D")
}

// Line draws a line of a thickness.
func (s *Sheet) Line(x1, y1, x2, y2 float64, c Color, thick float64) {
	s.PDF.SetDrawColor(c[0], c[1], c[2])
	s.PDF.SetLineWidth(thick)
	s.PDF.Line(x1, y1, x2, y2)
}

// Picture draws a PNG file in a rectangle.
func (s *Sheet) Picture(x, y, w, h float64, name string, png []byte) {
	options := fpdf.ImageOptions{ImageType: "PNG"}
	s.PDF.RegisterImageOptionsReader(name, options, bytes.NewReader(png))
	s.PDF.ImageOptions(name, x, y, w, h, false, options, 0, "")
}

// Heading draws a section's heading, with at least h below it on the page, and adds it to
// the document's outline.
func (s *Sheet) Heading(title string, h float64) {
	s.Y += 5
	s.Ensure(9 + h)
	s.Text(Margin, s.Y, Style{Size: 11.5, Bold: true, Ink: Accent}, title)
	s.PDF.Bookmark(title, 0, s.Y)
	s.Line(Margin, s.Y+6, s.Right(), s.Y+6, Rule, 0.3)
	s.Y += 8.5
}
