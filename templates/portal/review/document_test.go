package review

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// stubWith returns an income report with one pay stub.
func stubWith(p *report.Positions, fileType, status string, reasons ...string) IncomeView {
	return IncomeView{Case: Case{ApplicationID: "a-1", PDFImages: true}, Report: &report.Income{Income: &report.IncomeNode{
		Paystubs: []report.Paystub{{
			SourceFilepath: "s-1/paystub.pdf", Positions: p, PaystubAmounts: report.PaystubAmounts{NetTotal: new(report.Cents)},
			IrregularityDetection: report.IrregularityDetection{Status: status, Reasons: reasons, FileType: contract.Null(fileType)}}}}}}
}

// stubPage renders the section of the pay stubs.
func stubPage(t *testing.T, v IncomeView) string {
	t.Helper()
	var b strings.Builder
	testutil.Must(t, payStubs(i18n.English, v).Render(t.Context(), &b))
	return b.String()
}

var onePage = []report.PageSize{{Width: 600, Height: 800}}

// TestMarks checks that the irregularities of one place are one mark with their numbers
// in the list, and that values that were read have marks with names, to which their
// amounts link.
func TestMarks(t *testing.T) {
	at := report.Mark{Page: 1, X: .5, Y: .25, Width: .1, Height: .02}
	odd, over, net := at, at, at
	odd.Reason, over.Reason, net.Field = "ODD_FONT_IN_AMOUNT", "TEXT_OVER_TEXT", "net_total_earnings_amount_current"
	far := report.Mark{Page: 1, X: .1, Y: .9, Width: .1, Height: .02, Reason: "TEXT_OVER_TEXT"}
	v := stubWith(&report.Positions{Pages: onePage, Marks: []report.Mark{over, odd, net, far}}, report.FilePDF, report.IrregularityDetected,
		"EDITOR_AS_PRODUCER", "ODD_FONT_IN_AMOUNT", "TEXT_OVER_TEXT")
	d, ok := v.documentOf(i18n.English, 0)
	if !ok {
		t.Fatal("the document is not shown")
	}
	marks := d.marks(i18n.English, 1)
	if len(marks) != 3 || marks[0].title != i18ntest.EN("review.net")+", "+strings.ToLower(i18ntest.EN("review.stub.current")) ||
		marks[1].label() != "2 3" || marks[2].label() != "3" {
		t.Fatalf("%+v", marks)
	}
	if m := marks[1]; m.x != 298 || m.y != 199 || m.width != 64 || m.height != 18 {
		t.Errorf("%+v", m)
	}
	page := stubPage(t, v)
	for _, want := range []string{`href="#stub-1-net_total_earnings_amount_current-1"`, `id="stub-1-net_total_earnings_amount_current-1"`,
		`href="#stub-1-found-1-1"`, `id="stub-1-found-1-1"`, `document-danger`, `src="/review/applications/a-1/files/` +
			FileRef("s-1/paystub.pdf") + `/pages/1"`, `loading="lazy"`, `viewBox="0 0 600.0 800.0"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "style=") {
		t.Error("the content security policy forbids inline styles")
	}
}

// TestDocumentsThatCannotBeMarked checks that positions and files of another service do
// not break the page.
func TestDocumentsThatCannotBeMarked(t *testing.T) {
	bad := report.Mark{Page: 1, X: 3, Y: -1, Width: .1, Height: .02, Reason: "ODD_FONT_IN_AMOUNT"}
	elsewhere := report.Mark{Page: 9, X: .1, Y: .1, Width: .1, Height: .02, Reason: "ODD_FONT_IN_AMOUNT"}
	unknown := report.Mark{Page: 1, X: .1, Y: .1, Width: .1, Height: .02, Field: "favorite_color"}
	another := report.Mark{Page: 1, X: .1, Y: .1, Width: .1, Height: .02, Reason: "STUBS_DISAGREE"}
	for name, p := range map[string]*report.Positions{
		"none":             nil,
		"no page":          {Marks: []report.Mark{bad}},
		"an empty page":    {Pages: []report.PageSize{{}}, Marks: []report.Mark{bad}},
		"a huge page":      {Pages: []report.PageSize{{Width: 1e300, Height: 1}}},
		"marks off a page": {Pages: onePage, Marks: []report.Mark{bad, elsewhere, unknown, another}},
	} {
		v := stubWith(p, report.FilePDF, report.IrregularityDetected, "ODD_FONT_IN_AMOUNT")
		if d, ok := v.documentOf(i18n.English, 0); !ok || d.pages != 1 || len(d.marks(i18n.English, 1)) != 0 {
			t.Errorf("%s: %+v", name, d)
		}
		if page := stubPage(t, v); !strings.Contains(page, "<img") || strings.Contains(page, "<rect") {
			t.Errorf("%s:\n%s", name, page)
		}
	}
	for name, v := range map[string]IncomeView{
		"no renderer":  func() IncomeView { v := stubWith(nil, report.FilePDF, "REVIEW"); v.PDFImages = false; return v }(),
		"unknown type": stubWith(nil, "", "REVIEW"),
	} {
		page := stubPage(t, v)
		if strings.Contains(page, "<img") || !strings.Contains(page, i18ntest.EN("review.stub.file")) {
			t.Errorf("%s:\n%s", name, page)
		}
	}
	if d, ok := stubWith(nil, report.FileImage, "REVIEW").documentOf(i18n.English, 0); !ok || d.tone != ui.Warning {
		t.Errorf("an image: %+v", d)
	}
}

// TestDocumentPageNamesItsMarks checks that the page of a document names only the marks
// that it has.
func TestDocumentPageNamesItsMarks(t *testing.T) {
	read := report.Mark{Page: 1, X: .1, Y: .1, Width: .1, Height: .02, Field: "pay_date"}
	found := report.Mark{Page: 1, X: .1, Y: .3, Width: .1, Height: .02, Reason: "TEXT_OVER_TEXT"}
	late := report.Mark{Page: 2, X: .1, Y: .3, Width: .1, Height: .02, Reason: "TEXT_OVER_TEXT"}
	for name, c := range map[string]struct {
		pages int
		marks []report.Mark
		want  i18n.Key
	}{
		"not shown":               {0, nil, ""},
		"no marks":                {1, nil, "review.document.explained"},
		"a value":                 {1, []report.Mark{read}, "review.document.explained_read"},
		"an irregularity":         {1, []report.Mark{read, found}, "review.document.explained_found"},
		"one on a page not shown": {1, []report.Mark{read, late}, "review.document.explained_read"},
	} {
		var b strings.Builder
		v := DocumentView{ApplicationID: "a-1", Kind: "PAYSTUB", URL: "/f", Pages: c.pages, Stub: &report.Paystub{
			Positions: &report.Positions{Pages: onePage, Marks: c.marks},
			IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityDetected,
				Reasons: []string{"EDITOR_AS_PRODUCER", "TEXT_OVER_TEXT"}},
		}}
		testutil.Must(t, Document(ui.Page{Lang: i18n.English}, v).Render(t.Context(), &b))
		_, intro, _ := strings.Cut(b.String(), `class="intro">`)
		intro, _, _ = strings.Cut(intro, "<")
		want := ""
		if c.want != "" {
			want = i18ntest.EN(c.want)
		}
		if intro != want {
			t.Errorf("%s: %q, want %q", name, intro, want)
		}
	}
}
