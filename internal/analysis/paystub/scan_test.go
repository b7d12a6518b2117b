package paystub_test

import (
	"bytes"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
)

// scannedPage returns a page of lines; a tab begins another column.
func scannedPage(confidence float64, lines ...string) paystub.ScannedPage {
	p := paystub.ScannedPage{Width: 612, Height: 792}
	for n, line := range lines {
		for i, text := range strings.Split(line, "\t") {
			x := 60 + 150*float64(i)
			p.Words = append(p.Words, paystub.Word{Text: text, X0: x, X1: x + 5*float64(len(text)), Y: 740 - 20*float64(n), Size: 10,
				Confidence: confidence})
		}
	}
	return p
}

func stubImage(t *testing.T) *paystub.Document {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return paystub.Open(b.Bytes())
}

func stubLines(net string) []string {
	return []string{"Employer: Harbor Dental", "Employee: Ana Lee", "Pay Date: 03/15/2026", "Period Start: 03/01/2026",
		"Period End: 03/15/2026", "Description\tCurrent\tYear To Date", "Regular Pay\t1,000.00\t5,000.00", "Gross Pay\t1,000.00\t5,000.00",
		"Social Security\t62.00\t310.00", "Medicare\t14.50\t72.50", "Net Pay\t" + net + "\t4,617.50"}
}

// TestScannedFindingsAreNotGrave checks that contradictions of figures in an image are
// not a forgery, because the figures may be misread.
func TestScannedFindingsAreNotGrave(t *testing.T) {
	verdict := func(confidence float64, net string) (*paystub.Document, report.IrregularityDetection) {
		t.Helper()
		d := stubImage(t).Scanned([]paystub.ScannedPage{scannedPage(confidence, stubLines(net)...)})
		if d.Outcome != paystub.Read || d.Employer != "Harbor Dental" || d.Stub.GrossTotal == nil || *d.Stub.GrossTotal != 100_000 {
			t.Fatalf("%s %q %+v", d.Outcome, d.Employer, d.Stub)
		}
		return d, paystub.Report([]*paystub.Document{d}, paystub.Bank{}, whenRead)[0].IrregularityDetection
	}
	if _, v := verdict(95, "923.50"); v.Status != report.IrregularityNotDetected || v.GenuinePDF != nil || *v.FileType != report.FileImage {
		t.Errorf("clear and consistent: %+v", v)
	}
	if _, v := verdict(95, "1,923.50"); v.Status != report.IrregularityReview || !slices.Contains(v.Reasons, paystub.Arithmetic) {
		t.Errorf("figures that do not add up: %+v", v)
	}
	if _, v := verdict(40, "923.50"); v.Status != report.IrregularityReview || !slices.Equal(v.Reasons, []string{paystub.HardToRead}) {
		t.Errorf("hard to read: %+v", v)
	}
}

// TestScannedMisreadings checks that what engines often misread is corrected, and that names of
// low confidence are for a person.
func TestScannedMisreadings(t *testing.T) {
	lines := stubLines("923.50")
	lines[1], lines[4] = "Employee: Ana Lee Ill", "Pay Period: 03/01/2026-1 0/15/2026"
	lines = slices.Delete(lines, 3, 4)
	d := stubImage(t).Scanned([]paystub.ScannedPage{scannedPage(95, lines...)})
	if end := d.Stub.PayPeriodEnd; *d.Stub.EmployeeName != "Ana Lee III" || end == nil || end.String() != "2026-10-15" {
		t.Errorf("%+v", d.Stub)
	}
	page := scannedPage(95, stubLines("923.50")...)
	page.Words[1].Confidence = 50
	v := reported(t, stubImage(t).Scanned([]paystub.ScannedPage{page})).IrregularityDetection
	if !slices.Equal(v.Reasons, []string{paystub.HardToRead}) {
		t.Errorf("a name that is hard to read: %+v", v)
	}
}

// TestScannedImageWithoutStub checks that an image without a pay stub is listed as not
// read.
func TestScannedImageWithoutStub(t *testing.T) {
	for name, pages := range map[string][]paystub.ScannedPage{
		"no page": nil, "no words": {{Width: 612, Height: 792}}, "a letter": {scannedPage(90, "Dear Ana,", "see you soon.")},
	} {
		d := stubImage(t).Scanned(pages)
		if status, sub := d.Status(); d.Outcome != paystub.Image || status != "NOT_AUTHENTICATED" || sub != "INCOMPLETE_INFORMATION" {
			t.Errorf("%s: %s %s %s", name, d.Outcome, status, sub)
		}
	}
}

// TestMarksInPicture checks that the marks of a scan are in the picture that people see,
// and that there are none without a picture.
func TestMarksInPicture(t *testing.T) {
	page := scannedPage(95, stubLines("1,923.50")...)
	net := page.Words[len(page.Words)-2] // of the period
	marks := func(p paystub.Picture) *report.Positions {
		t.Helper()
		page.Picture = p
		return reported(t, stubImage(t).Scanned([]paystub.ScannedPage{page})).Positions
	}
	if p := marks(paystub.Picture{}); p != nil {
		t.Errorf("without a picture: %+v", p)
	}
	// The picture is on its side: the top of the page is at its right edge.
	p := marks(paystub.Picture{Width: 792, Height: 612, X: [3]float64{0, 1. / 792, 0}, Y: [3]float64{1. / 612, 0, 0}})
	if p == nil || p.Pages[0] != (report.PageSize{Width: 792, Height: 612}) {
		t.Fatalf("%+v", p)
	}
	for _, is := range []func(report.Mark) bool{
		func(m report.Mark) bool { return m.Field == "net_total_earnings_amount_current" },
		func(m report.Mark) bool { return m.Reason == paystub.Arithmetic },
	} {
		found := slices.ContainsFunc(p.Marks, func(m report.Mark) bool {
			x, y := (m.X+m.Width/2)*792, (m.Y+m.Height/2)*612
			return is(m) && x > net.Y && x < net.Y+net.Size && y > net.X0 && y < net.X1 && m.Width < m.Height
		})
		if !found {
			t.Errorf("no mark around %+v in %+v", net, p.Marks)
		}
	}
}
