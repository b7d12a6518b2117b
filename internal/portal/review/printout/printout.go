// Package printout draws the printout of an application as a PDF on US Letter.
package printout

import (
	"bytes"
	"image/png"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/pdf"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// Brand is the name and the logo at the top of the first page.
type Brand struct {
	Name     string
	Logo     []byte // a PNG file without transparency; nil for none
	Wordmark bool   // the logo contains the name
}

var (
	plain = pdf.Style{Size: 9, Ink: pdf.Ink}
	small = pdf.Style{Size: 8, Ink: pdf.Muted}
	label = pdf.Style{Size: 7, Ink: pdf.Muted}
	value = pdf.Style{Size: 8, Ink: pdf.Ink}
)

type document struct {
	*pdf.Sheet
	pages.Printout
}

// Render draws a printout. An error means a defect of this package or of the logo.
func Render(p pages.Printout, b Brand, made time.Time) ([]byte, error) {
	d := &document{Printout: p}
	d.Sheet = pdf.New(pdf.Settings{Title: p.Title + ": " + p.Name, Subject: b.Name, Language: string(p.Lang), Made: made,
		Width: pdf.LetterWidth, Height: pdf.LetterHeight, Footer: b.Name + " · " + p.Title, Head: d.head,
		PageOf: i18n.T(p.Lang, "review.pdf.page", "page", "{page}", "pages", "{pages}")})
	d.letterhead(b)
	d.notices()
	d.verdict()
	for i, part := range p.Parts {
		next := pages.PrintPart{}
		if i+1 < len(p.Parts) {
			next = p.Parts[i+1]
		}
		d.part(part, next)
	}
	if d.Missing {
		d.Y += 4
		d.flow(small, i18n.T(p.Lang, "review.pdf.letters"))
	}
	return d.Bytes()
}

// head draws the top of the pages after the first.
func (d *document) head() {
	name, id := pdf.Style{Size: 8, Bold: true, Ink: pdf.Ink}, pdf.Style{Size: 8, Ink: pdf.Muted, Right: true}
	d.Text(pdf.Margin, 9, name, d.Fit(name, d.Inner()-d.Width(id, d.ID)-6, d.Name))
	d.Text(d.Right(), 9, id, d.ID)
	d.Line(pdf.Margin, 13.5, d.Right(), 13.5, pdf.Rule, 0.2)
	d.Y = 17
}

// letterhead draws the brand, the title, the applicant and the facts of the application.
func (d *document) letterhead(b Brand) {
	x, title := pdf.Margin, pdf.Style{Size: 11, Bold: true, Ink: pdf.Accent, Right: true}
	if size, err := png.DecodeConfig(bytes.NewReader(b.Logo)); err == nil && size.Height > 0 {
		const high = 9.0
		w := high * float64(size.Width) / float64(size.Height)
		d.Picture(x, pdf.Margin-2, w, high, "logo", b.Logo)
		x += w + 3
	}
	width := d.Right() - d.Width(title, d.Title) - 6
	if st := (pdf.Style{Size: 11, Bold: true, Ink: pdf.Ink}); x == pdf.Margin || !b.Wordmark {
		d.Text(x, pdf.Margin+0.8, st, d.Fit(st, width-x, b.Name))
	}
	d.Text(d.Right(), pdf.Margin+0.8, title, d.Title)
	d.Line(pdf.Margin, pdf.Margin+9, d.Right(), pdf.Margin+9, pdf.Rule, 0.3)
	d.Y = pdf.Margin + 14
	name := pdf.Style{Size: 19, Bold: true, Ink: pdf.Ink}
	for _, line := range d.Lines(name, d.Inner(), d.Name) {
		d.Ensure(name.High())
		d.Text(pdf.Margin, d.Y, name, line)
		d.Y += name.High()
	}
	d.Y += 1.5
	d.facts(d.Facts)
}

// notices draws what a reader must know first.
func (d *document) notices() {
	all := d.Notices
	if !pdf.Covers(d.Name) {
		all = append([]pages.PrintText{{Text: i18n.T(d.Lang, "review.pdf.letters"), Tone: ui.Warning}}, all...)
	}
	for _, n := range all {
		d.band(plain, n)
	}
}

func (d *document) verdict() {
	d.Y += 2
	d.PDF.Bookmark(d.Verdict.Text, 0, d.Y)
	d.band(pdf.Style{Size: 12, Bold: true, Ink: inkOf(d.Verdict.Tone)}, d.Verdict)
	var rows [][]pdf.Cell
	for _, f := range d.Findings {
		rows = append(rows, []pdf.Cell{{Text: f.Badge.Text, Ink: inkOf(f.Badge.Tone), Bold: true},
			{Text: f.Question, Bold: true}, {Text: f.Answer}})
	}
	d.Table([]pdf.Column{{Share: 14}, {Share: 27}, {Share: 59}}, rows)
}

// band draws a text in a box of its tone.
func (d *document) band(st pdf.Style, t pages.PrintText) {
	lines := d.Lines(st, d.Inner()-9, t.Text)
	h := float64(len(lines))*st.High() + 3.4
	d.Ensure(h)
	d.Box(pdf.Margin, d.Y, d.Inner(), h, tint(t.Tone))
	d.Box(pdf.Margin, d.Y, 1.4, h, inkOf(t.Tone))
	for i, l := range lines {
		d.Text(pdf.Margin+5, d.Y+2.2+float64(i)*st.High(), st, l)
	}
	d.Y += h + 2
}

func inkOf(t ui.Tone) pdf.Color {
	switch t {
	case ui.Success:
		return pdf.Good
	case ui.Warning:
		return pdf.Warn
	case ui.Danger:
		return pdf.Bad
	}
	return pdf.Muted
}

func tint(t ui.Tone) pdf.Color {
	switch t {
	case ui.Success:
		return pdf.Color{236, 246, 240}
	case ui.Warning:
		return pdf.Color{253, 246, 232}
	case ui.Danger:
		return pdf.Color{253, 240, 238}
	}
	return pdf.Pale
}

// part draws a part of the printout. A title stays with what is below it, also if that is the
// next part.
func (d *document) part(p, next pages.PrintPart) {
	keep := 12.0
	if next.Minor && p.Text == "" && len(p.Keys)+len(p.Facts)+len(p.Items)+len(p.Table.Rows) == 0 {
		keep = 28
	}
	switch {
	case p.Title != "" && p.Minor:
		st := pdf.Style{Size: 9.5, Bold: true, Ink: pdf.Ink}
		lines := d.Lines(st, d.Inner(), p.Title)
		d.Y += 2.5
		d.Ensure(float64(len(lines))*st.High() + keep)
		for _, l := range lines {
			d.Text(pdf.Margin, d.Y, st, l)
			d.Y += st.High()
		}
		d.Y += 0.6
	case p.Title != "":
		d.Heading(p.Title, keep)
	default:
		d.Y += 3
	}
	if p.Text != "" {
		d.flow(plain, p.Text)
	}
	for _, item := range p.Items {
		d.bullet(item)
	}
	d.keys(p.Keys)
	d.facts(p.Facts)
	if len(p.Table.Rows) > 0 {
		d.table(p.Table)
	}
	if p.Note != "" {
		d.Y += 1
		d.flow(small, p.Note)
	}
}

// flow draws a text whose lines may be on several pages.
func (d *document) flow(st pdf.Style, text string) {
	for paragraph := range strings.SplitSeq(text, "\n") {
		for _, line := range d.Wrap(st, d.Inner(), paragraph) {
			d.Ensure(st.High())
			d.Text(pdf.Margin, d.Y, st, line)
			d.Y += st.High()
		}
	}
	d.Y += 1
}

func (d *document) bullet(text string) {
	for i, line := range d.Wrap(plain, d.Inner()-4, text) {
		d.Ensure(plain.High())
		if i == 0 {
			d.Text(pdf.Margin, d.Y, plain, "•")
		}
		d.Text(pdf.Margin+4, d.Y, plain, line)
		d.Y += plain.High()
	}
	d.Y += 0.6
}

// keys draws figures in boxes.
func (d *document) keys(all []ui.Fact) {
	const columns = 4
	number := pdf.Style{Size: 11, Bold: true, Ink: pdf.Ink}
	w := d.Inner() / columns
	for from := 0; from < len(all); from += columns {
		row := all[from:min(from+columns, len(all))]
		var terms, values [][]string
		most, least := 1, 1
		for _, f := range row {
			terms, values = append(terms, d.Lines(label, w-6, f.Term)), append(values, d.Lines(number, w-6, f.Text))
			most, least = max(most, len(terms[len(terms)-1])), max(least, len(values[len(values)-1]))
		}
		h := float64(most)*label.High() + float64(least)*number.High() + 5
		d.Ensure(h)
		for i := range row {
			x, y := pdf.Margin+float64(i)*w, d.Y
			d.Frame(x, y, w, h, pdf.Rule)
			for n, l := range terms[i] {
				d.Text(x+3, y+2.2+float64(n)*label.High(), label, l)
			}
			for n, l := range values[i] {
				d.Text(x+3, y+3+float64(most)*label.High()+float64(n)*number.High(), number, l)
			}
		}
		d.Y += h
	}
}

// facts draws facts in columns, each value below its term.
func (d *document) facts(all []ui.Fact) {
	const columns = 3
	w := d.Inner() / columns
	for from := 0; from < len(all); from += columns {
		row := all[from:min(from+columns, len(all))]
		var values [][]string
		lines := 1
		for _, f := range row {
			values = append(values, d.Lines(value, w-3, f.Text))
			lines = max(lines, len(values[len(values)-1]))
		}
		h := label.High() + float64(lines)*value.High() + 1.6
		d.Ensure(h)
		for i, f := range row {
			x := pdf.Margin + float64(i)*w
			d.Text(x, d.Y, label, d.Fit(label, w-3, f.Term))
			for n, l := range values[i] {
				d.Text(x, d.Y+label.High()+float64(n)*value.High(), value, l)
			}
		}
		d.Y += h
	}
}

func (d *document) table(t pages.PrintTable) {
	var columns []pdf.Column
	for _, c := range t.Columns {
		columns = append(columns, pdf.Column{Title: c.Label, Right: c.Number})
	}
	rows := make([][]pdf.Cell, len(t.Rows))
	for i, row := range t.Rows {
		for _, c := range row {
			cell := pdf.Cell{Text: c.Text, Bold: c.Strong}
			if c.Tone != ui.Neutral {
				cell.Ink, cell.Bold = inkOf(c.Tone), true
			}
			rows[i] = append(rows[i], cell)
		}
	}
	d.Table(columns, rows)
}
