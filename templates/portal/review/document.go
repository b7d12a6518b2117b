package review

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// document is a file of a report that is shown on the page: each of its pages as an image,
// with marks where a value was read or something irregular was found.
type document struct {
	id        string // prefix of the ids of its marks
	url       string // of the file
	title     string
	tone      ui.Tone // of the irregularities
	reasons   []string
	positions *report.Positions // nil: without marks, and the number of pages is unknown
	pages     int               // shown
	viewer    bool              // links to the page with all pages in full size
}

// maxInPlace is the maximum number of pages of a document within a report.
const maxInPlace = 2

// pictures reports whether a file can be shown as images: pictures always, PDF files if the
// portal renders them. Other files are downloads.
func pictures(fileType string, pdf bool) bool {
	return fileType == report.FileImage || fileType == report.FilePDF && pdf
}

// CanShow reports whether a file that an applicant uploaded can be shown as images, by the end
// of its path.
func CanShow(filepath string, pdf bool) bool { return pictures(fileTypeOf(filepath), pdf) }

// fileTypeOf returns the type of an applicant's document by the end of its path, "" for another.
func fileTypeOf(filepath string) string {
	switch path.Ext(filepath) {
	case ".pdf":
		return report.FilePDF
	case ".png", ".jpg", ".jpeg":
		return report.FileImage
	}
	return ""
}

// documentOf returns a pay stub's document; false if it cannot be shown.
func (v IncomeView) documentOf(l i18n.Lang, i int) (document, bool) {
	p := v.Report.Income.Paystubs[i]
	if v.ApplicationID == "" || p.SourceFilepath == "" || !pictures(report.Text(p.IrregularityDetection.FileType), v.PDFImages) {
		return document{}, false
	}
	tone, _ := irregularity(l, p.IrregularityDetection.Status)
	d := document{id: stubID(i), url: fileURL(v.ApplicationID, p.SourceFilepath), title: stubTitle(l, i, p), tone: tone,
		reasons: p.IrregularityDetection.Reasons, pages: 1, viewer: true}
	if validPositions(p.Positions) {
		d.positions = p.Positions
		d.pages = min(len(p.Positions.Pages), maxInPlace)
	}
	return d, true
}

func stubID(i int) string { return "stub-" + strconv.Itoa(i+1) }

// validPositions reports whether positions of a service fit on pages.
func validPositions(p *report.Positions) bool {
	return p != nil && len(p.Pages) > 0 && !slices.ContainsFunc(p.Pages, func(s report.PageSize) bool {
		return !(s.Width >= 10 && s.Height >= 10 && s.Width <= 20_000 && s.Height <= 20_000)
	})
}

// explained says what the shown pages have: marks of irregularities, marks of values, or none.
func (d document) explained(l i18n.Lang) string {
	var key i18n.Key = "review.document.explained"
	for n := 1; n <= d.pages; n++ {
		for _, m := range d.marks(l, n) {
			if len(m.numbers) > 0 {
				return i18n.T(l, "review.document.explained_found")
			}
			key = "review.document.explained_read"
		}
	}
	if d.pages == 0 {
		return ""
	}
	return i18n.T(l, key)
}

// pageURL returns the address of the image of page n, counted from 1.
func (d document) pageURL(n int) string { return d.url + "/pages/" + strconv.Itoa(n) }

func (d document) pageTitle(l i18n.Lang, n int) string {
	return i18n.T(l, "review.document.page", "document", d.title, "n", strconv.Itoa(n))
}

// mark is a rectangle of a page in points, from the upper left corner.
type mark struct {
	id, title           string
	x, y, width, height float64
	numbers             []int // of the irregularities; none for a value
}

func points(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// label returns the numbers of a mark.
func (m mark) label() string {
	var out []string
	for _, n := range m.numbers {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, " ")
}

// badge returns the place of a mark's numbers: to the left of the rectangle, if there is space.
func (m mark) badge() (x, y, width float64) {
	width = 9 + 5.5*float64(len(m.label()))
	return max(0, m.x-width-1), m.y + m.height/2, width
}

// overlaps reports whether two rectangles have most of the smaller one in common.
func (m mark) overlaps(o mark) bool {
	w := min(m.x+m.width, o.x+o.width) - max(m.x, o.x)
	h := min(m.y+m.height, o.y+o.height) - max(m.y, o.y)
	return w > 0.6*min(m.width, o.width) && h > 0.6*min(m.height, o.height)
}

// marks returns the marks of page n: values first, so that irregularities are drawn over them.
// Irregularities of the same place are one mark.
func (d document) marks(l i18n.Lang, n int) (out []mark) {
	if d.positions == nil || n > len(d.positions.Pages) {
		return nil
	}
	size := d.positions.Pages[n-1]
	named := map[string]bool{}
	var found []mark
	for _, m := range d.positions.Marks {
		if m.Page != n || !(m.X >= 0 && m.Y >= 0 && m.Width > 0 && m.Height > 0 && m.X+m.Width < 1.01 && m.Y+m.Height < 1.01) {
			continue
		}
		x := mark{x: m.X*size.Width - 2, y: m.Y*size.Height - 1, width: m.Width*size.Width + 4, height: m.Height*size.Height + 2}
		at := slices.Index(d.reasons, m.Reason)
		switch {
		case m.Reason != "" && at >= 0:
			x.title, x.numbers = i18n.Code(l, "review.irregularities", m.Reason), []int{at + 1}
			if i := slices.IndexFunc(found, x.overlaps); i < 0 {
				x.id = d.id + "-found-" + strconv.Itoa(n) + "-" + strconv.Itoa(len(found)+1)
				found = append(found, x)
			} else if f := &found[i]; !slices.Contains(f.numbers, at+1) {
				f.numbers, f.title = append(f.numbers, at+1), f.title+". "+x.title
			}
		case m.Reason == "" && fieldWords(l, m.Field) != "":
			if x.title = fieldWords(l, m.Field); !named[m.Field] {
				x.id = d.fieldID(m.Field, n)
			}
			named[m.Field] = true
			out = append(out, x)
		}
	}
	for _, f := range found {
		slices.Sort(f.numbers)
	}
	return append(out, found...)
}

func (d document) fieldID(field string, page int) string {
	return d.id + "-" + field + "-" + strconv.Itoa(page)
}

// fieldURL returns the address of the mark of a value; "" if the value has none.
func (d document) fieldURL(field string) string {
	if d.positions == nil {
		return ""
	}
	for _, m := range d.positions.Marks {
		if m.Field == field && m.Page >= 1 && m.Page <= d.pages {
			return "#" + d.fieldID(field, m.Page)
		}
	}
	return ""
}

// place is where a document shows an irregularity.
type place struct {
	page int
	url  string
}

// places returns the first mark of an irregularity on each page.
func (d document) places(l i18n.Lang, reason int) (out []place) {
	for n := 1; n <= d.pages; n++ {
		all := d.marks(l, n)
		if i := slices.IndexFunc(all, func(m mark) bool { return slices.Contains(m.numbers, reason+1) }); i >= 0 {
			out = append(out, place{n, "#" + all[i].id})
		}
	}
	return out
}

// fieldWords names a member of a pay stub; "" for one that has no name here.
func fieldWords(l i18n.Lang, field string) string {
	if text, ok := i18n.Find(l, "review.stub_fields", field); ok {
		return text
	}
	for _, x := range stubItems(report.PaystubAmounts{}) {
		switch field {
		case x.Field + "_current":
			return i18n.T(l, x.Words) + ", " + strings.ToLower(i18n.T(l, "review.stub.current"))
		case x.Field + "_ytd":
			return i18n.T(l, x.Words) + ", " + strings.ToLower(i18n.T(l, "review.stub.ytd"))
		}
	}
	return ""
}

// DocumentView is the page with all pages of a document.
type DocumentView struct {
	ApplicationID string
	Name          string // the applicant's
	Kind          string // document_type
	URL           string // of the file
	Pages         int    // 0: the document cannot be shown
	Stub          *report.Paystub
}

func (v DocumentView) document(l i18n.Lang) document {
	d := document{id: "document", url: v.URL, title: code(l, v.Kind), pages: v.Pages, tone: ui.Neutral}
	if v.Stub != nil {
		d.tone, _ = irregularity(l, v.Stub.IrregularityDetection.Status)
		if d.reasons = v.Stub.IrregularityDetection.Reasons; validPositions(v.Stub.Positions) {
			d.positions = v.Stub.Positions
		}
	}
	return d
}
