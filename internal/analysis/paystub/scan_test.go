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

// Figures of an image may be misread, so that what contradicts them is no forgery.
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

// An image without a pay stub is listed as not read.
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
