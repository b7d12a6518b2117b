package paystub

import (
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/analysis/paystub/pdf"
)

// Word is a word that an OCR engine read in an image. Positions are points from the lower
// left corner of the page.
type Word struct {
	Text       string
	X0, X1     float64 // left and right edge
	Y          float64 // baseline
	Size       float64 // of the font, estimated
	Confidence float64 // 0 to 100, as the engine states it
}

// ScannedPage is an image of a page, as an OCR engine read it: straightened, and at the size of
// the page.
type ScannedPage struct {
	Width, Height float64 // points
	Words         []Word
	Picture       Picture
}

// Picture is the picture of a page that people see, upright but not straightened. X and Y map a
// position on the straightened page to it, in parts of its width and height from the upper left
// corner: X[0]·x + X[1]·y + X[2], and likewise Y.
type Picture struct {
	Width, Height float64 // points; 0: unknown
	X, Y          [3]float64
}

// rectangleOf returns the rectangle of the picture around an area of the straightened page.
func (p *Picture) rectangleOf(a area) (left, top, right, bottom float64) {
	left, top, right, bottom = 1, 1, 0, 0
	for _, at := range [][2]float64{{a.x0, a.y0}, {a.x0, a.y1}, {a.x1, a.y0}, {a.x1, a.y1}} {
		x := p.X[0]*at[0] + p.X[1]*at[1] + p.X[2]
		y := p.Y[0]*at[0] + p.Y[1]*at[1] + p.Y[2]
		left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
	}
	return left, top, right, bottom
}

// lowConfidence is the confidence below which a figure or a date needs a person. Of the
// words that the measured engine reads wrongly, about half are below it.
const lowConfidence = 60

// Scannable reports whether an OCR engine may read the document: an image, or a PDF file
// without text, whose letters are unknown, or with the stub in an image.
func (d *Document) Scannable() bool {
	return d.Outcome == NoText || d.IsListed() || d.hasUnknown() || d.mayBePicture()
}

// mayBePicture reports whether the text has no pay, and images cover an eighth of a page.
func (d *Document) mayBePicture() bool {
	return (d.Outcome == Read || d.Outcome == NoPayStub) && d.lacksPay() &&
		slices.ContainsFunc(d.file.Pages, func(p pdf.Page) bool { return mostlyPicture(p, 8) })
}

func (d *Document) lacksPay() bool { return d.Stub.GrossTotal == nil && d.Stub.NetTotal == nil }

// hasUnknown reports whether values of a document were not read, and letters of it are unknown.
func (d *Document) hasUnknown() bool {
	v := d.verdict(d.findings).Reasons
	return d.Outcome == Read && slices.Contains(v, UnknownLetters) && (slices.Contains(v, FieldsNotRead) || slices.Contains(v, AmountsNotRead))
}

// IsListed reports whether the document is listed although it was not read, so that a person
// looks at it.
func (d *Document) IsListed() bool { return d.Outcome == Image || d.Outcome == Unreadable }

// What engines often read in place of a month with two digits, and of the suffix III.
var (
	splitMonth    = regexp.MustCompile(`(^|[-–] ?)([01]) (\d/\d{1,2}/\d{2,4})`)
	misreadSuffix = regexp.MustCompile(`(\w )[Il|]{3}$`)
)

// Scanned returns a scannable document with what an OCR engine read. An image in which no
// pay stub was found stays an image that was not read. Findings about figures and dates
// are not grave, because the engine may have misread them.
func (d *Document) Scanned(pages []ScannedPage) *Document {
	file := &pdf.File{}
	if d.file != nil {
		*file = *d.file
	}
	file.Fonts, file.Pages = []pdf.Font{{}}, nil
	out := &Document{FileType: d.FileType, file: file}
	for _, p := range pages {
		out.pictures = append(out.pictures, p.Picture)
		page := pdf.Page{Width: p.Width, Height: p.Height}
		for i, w := range p.Words {
			w.Text = misreadSuffix.ReplaceAllString(splitMonth.ReplaceAllString(w.Text, "$1$2$3"), "${1}III")
			page.Runs = append(page.Runs, pdf.Run{Text: w.Text, X: w.X0, End: w.X1, Y: w.Y, Size: w.Size, Order: i, Object: i, Op: i, Stretch: 1})
			out.confidence = append(out.confidence, w.Confidence)
		}
		out.starts = append(out.starts, len(out.confidence)-len(p.Words))
		file.Pages = append(file.Pages, page)
	}
	out.scanned = true
	out.Stub.ConsistencyChecks = out.checks()
	out.understand()
	if (d.IsListed() || d.hasUnknown()) && out.Outcome != Read || d.mayBePicture() && out.lacksPay() {
		return d
	}
	for _, f := range d.findings {
		if d.Outcome == Read && (ofFile(f.reason) || f.reason == UnknownLetters) {
			out.find(f.reason, f.grave)
		}
	}
	return out
}

// findLowConfidence finds a figure, a date or a name that the engine read with low confidence.
func (d *Document) findLowConfidence() {
	var at []area
	add := func(c *cell) {
		if c != nil && d.doubtful(c, "0123456789") {
			at = append(at, c.area())
		}
	}
	for i := range d.table.lines {
		for _, c := range d.table.lines[i].cells {
			add(c)
		}
	}
	for _, w := range []when{d.fields.start, d.fields.end, d.fields.pay, d.fields.hire} {
		if w.shown {
			add(w.cell)
		}
	}
	for _, c := range []*cell{d.fields.employeeCell, d.fields.employerCell} {
		if c != nil && d.doubtful(c, "") {
			at = append(at, c.area())
		}
	}
	if len(at) > 0 {
		d.find(HardToRead, false, at...)
	}
}

// doubtful reports whether a word of a cell with one of some letters, or any word, has low confidence.
func (d *Document) doubtful(c *cell, some string) bool {
	return slices.ContainsFunc(c.runs, func(i int) bool {
		return d.confidence[d.starts[c.page]+i] < lowConfidence && (some == "" || strings.ContainsAny(d.file.Pages[c.page].Runs[i].Text, some))
	})
}
