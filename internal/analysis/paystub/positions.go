package paystub

import (
	"math"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
)

// area is a rectangle of a page, in points from the lower left corner of the page before its
// rotation.
type area struct {
	page           int
	x0, y0, x1, y1 float64
}

// area returns the rectangle around a cell's text, from below the baseline to above its
// letters.
func (c *cell) area() area {
	return area{c.page, c.x0, c.y - 0.25*c.size, c.x1, c.y + 0.8*c.size}
}

func areaOf(page int, r *pdf.Run) area {
	return area{page, r.X, r.Y - 0.25*r.Size, r.End, r.Y + 0.8*r.Size}
}

// areasOf returns the areas of the dates that the stub shows.
func areasOf(all ...when) (out []area) {
	for _, w := range all {
		if w.shown && w.cell != nil {
			out = append(out, w.cell.area())
		}
	}
	return out
}

// areas returns the areas of the amounts of items in a column.
func (d *Document) areas(k int, all ...item) (out []area) {
	for _, i := range all {
		_, cells := d.table.read(i, k, []*cell{})
		for _, c := range cells {
			out = append(out, c.area())
		}
	}
	return out
}

// shown returns the areas of all amounts of an item in a column.
func (t *table) shown(i item, k int) (out []area) {
	for n := range t.lines {
		if l := &t.lines[n]; l.item == i && l.cells[k] != nil {
			out = append(out, l.cells[k].area())
		}
	}
	return out
}

// Bounds of the positions of one document: a pay stub has about fifty on one or two pages.
const (
	maxMarks       = 200
	maxMarkedPages = 10
)

// positions returns where the document shows its values and the findings. It returns nil for
// a document without text, or of which there is no picture.
func (d *Document) positions(findings []finding) *report.Positions {
	if d.Outcome != Read || d.replaced || len(d.file.Pages) == 0 || d.scanned && d.pictures[0].Width == 0 {
		return nil
	}
	out := &report.Positions{Marks: []report.Mark{}}
	for i, p := range d.file.Pages[:min(len(d.file.Pages), maxMarkedPages)] {
		w, h := p.Width, p.Height
		switch {
		case d.scanned:
			w, h = d.pictures[i].Width, d.pictures[i].Height
		case p.Rotate%180 != 0:
			w, h = h, w
		}
		out.Pages = append(out.Pages, report.PageSize{Width: round(w, 100), Height: round(h, 100)})
	}
	add := func(m report.Mark, at ...area) {
		for _, a := range at {
			if len(out.Marks) < maxMarks && d.setMark(a, &m) {
				out.Marks = append(out.Marks, m)
			}
		}
	}
	for _, f := range findings {
		add(report.Mark{Reason: f.reason}, f.at...)
	}
	f := &d.fields
	for _, x := range []struct {
		field string
		of    when
	}{{"employee_name", when{shown: true, valid: true, cell: f.employeeCell}},
		{"employer_name", when{shown: true, valid: true, cell: f.employerCell}},
		{"pay_period_start", f.start}, {"pay_period_end", f.end}, {"pay_date", f.pay}, {"hire_date", f.hire}} {
		if x.of.valid {
			add(report.Mark{Field: x.field}, areasOf(x.of)...)
		}
	}
	for _, x := range amountsOf(&d.Stub) {
		add(report.Mark{Field: x.name + "_current"}, d.areas(now, x.item)...)
		add(report.Mark{Field: x.name + "_ytd"}, d.areas(toDate, x.item)...)
	}
	return out
}

// setMark sets a mark's rectangle to an area; false if it is not on a listed page.
func (d *Document) setMark(a area, m *report.Mark) bool {
	if a.page < 0 || a.page >= min(len(d.file.Pages), maxMarkedPages) {
		return false
	}
	p := &d.file.Pages[a.page]
	left, right := a.x0/p.Width, a.x1/p.Width
	top, bottom := 1-a.y1/p.Height, 1-a.y0/p.Height
	switch {
	case d.scanned:
		left, top, right, bottom = d.pictures[a.page].rectangleOf(a)
	case p.Rotate == 90:
		left, top, right, bottom = 1-bottom, left, 1-top, right
	case p.Rotate == 180:
		left, top, right, bottom = 1-right, 1-bottom, 1-left, 1-top
	case p.Rotate == 270:
		left, top, right, bottom = top, 1-right, bottom, 1-left
	}
	within := func(v float64) float64 { return min(max(v, 0), 1) }
	left, top, right, bottom = within(left), within(top), within(right), within(bottom)
	if !(right > left && bottom > top) { // also if a size is not a number
		return false
	}
	m.Page, m.X, m.Y = a.page+1, round(left, 10_000), round(top, 10_000)
	m.Width, m.Height = round(right-left, 10_000), round(bottom-top, 10_000)
	return true
}

func round(v, parts float64) float64 { return math.Round(v*parts) / parts }

// Replaced marks a document that replaces a file that the consumer uploaded, so that its
// positions are not those of the file. It returns the document.
func (d *Document) Replaced() *Document {
	d.replaced = true
	return d
}
