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
	viewer    bool              // links to the page with all pages
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
		d.viewer = len(p.Positions.Pages) > d.pages
	} else if report.Text(p.IrregularityDetection.FileType) == report.FileImage {
		d.viewer = false
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

// pageURL returns the address of the image of page n, counted from 1.
func (d document) pageURL(n int) string { return d.url + "/pages/" + strconv.Itoa(n) }

func (d document) pageTitle(l i18n.Lang, n int) string {
	return i18n.T(l, "review.document.page", "document", d.title, "n", strconv.Itoa(n))
}

// mark is a rectangle of a page in points, from the upper left corner.
type mark struct {
	id, title           string
	x, y, width, height float64
	number              int // of the irregularity; 0 for a value
}

func points(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func (m mark) badge() (x, y string) { return points(max(m.x-9, 9)), points(m.y + m.height/2) }

// marks returns the marks of page n: values first, so that irregularities are drawn over them.
func (d document) marks(l i18n.Lang, n int) (out []mark) {
	if d.positions == nil || n > len(d.positions.Pages) {
		return nil
	}
	size := d.positions.Pages[n-1]
	seen := map[string]int{}
	var found []mark
	for _, m := range d.positions.Marks {
		if m.Page != n || !(m.X >= 0 && m.Y >= 0 && m.Width > 0 && m.Height > 0 && m.X+m.Width < 1.01 && m.Y+m.Height < 1.01) {
			continue
		}
		x := mark{x: m.X*size.Width - 2, y: m.Y*size.Height - 1, width: m.Width*size.Width + 4, height: m.Height*size.Height + 2}
		at := slices.Index(d.reasons, m.Reason)
		switch {
		case m.Reason != "" && at >= 0:
			seen[m.Reason]++
			x.number, x.title = at+1, IrregularityWords(l, m.Reason)
			x.id = d.findingID(at, n, seen[m.Reason])
			found = append(found, x)
		case m.Reason == "" && fieldWords(l, m.Field) != "":
			if x.title = fieldWords(l, m.Field); seen[m.Field] == 0 {
				x.id = d.fieldID(m.Field, n)
			}
			seen[m.Field]++
			out = append(out, x)
		}
	}
	return append(out, found...)
}

func (d document) fieldID(field string, page int) string {
	return d.id + "-" + field + "-" + strconv.Itoa(page)
}

func (d document) findingID(reason, page, nth int) string {
	return d.id + "-finding-" + strconv.Itoa(reason+1) + "-" + strconv.Itoa(page) + "-" + strconv.Itoa(nth)
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

// findingPages returns the pages with marks of an irregularity.
func (d document) findingPages(reason string) (out []int) {
	if d.positions == nil {
		return nil
	}
	for _, m := range d.positions.Marks {
		if m.Reason == reason && m.Page >= 1 && m.Page <= d.pages && !slices.Contains(out, m.Page) {
			out = append(out, m.Page)
		}
	}
	slices.Sort(out)
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
