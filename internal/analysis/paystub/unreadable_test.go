package paystub_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
)

// stubIn returns a pay stub of one page whose names and labels have different fonts. encode
// returns a text of the names' font as operators.
func stubIn(names string, encode func(text string) string) []byte {
	var text strings.Builder
	for i, line := range []string{"Employer: |Harbor Dental", "Employee: |Ana Lee", "Pay Date: 03/20/2026", "Period Start: 03/01/2026",
		"Period End: 03/14/2026", "Gross Pay 1,000.00", "Net Pay 923.50"} {
		label, name, _ := strings.Cut(line, "|")
		fmt.Fprintf(&text, "BT /F 10 Tf 50 %d Td (%s) Tj ET ", 700-20*i, label)
		if name != "" {
			fmt.Fprintf(&text, "BT /N 10 Tf 120 %d Td %s ET ", 700-20*i, encode(name))
		}
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R/N 6 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", text.Len(), text.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", names} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// TestLettersOfFonts checks that names are read only if the file says which letters they have.
func TestLettersOfFonts(t *testing.T) {
	const symbolic = "<</Type/Font/Subtype/TrueType/BaseFont/AAAAAC+Arial/FontDescriptor<</Flags 4>>>>"
	shifted := func(s string) string { // each letter has another code
		return strings.Map(func(c rune) rune { return c + 1 }, s)
	}
	private := func(s string) string { return "(" + shifted(s) + ") Tj" }
	actual := func(own func(string) string, other func(string) string) func(string) string {
		return func(s string) string {
			return "/Span<</ActualText(" + other(s) + ")>>BDC " + own(s) + " EMC"
		}
	}
	same := func(s string) string { return s }
	plain := func(s string) string { return "(" + s + ") Tj" }
	lost := []string{paystub.UnknownLetters, paystub.FieldsNotRead}
	for _, tt := range []struct {
		name, font string
		encode     func(string) string
		employer   string
		want       []string
	}{
		{"a font with an encoding", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", plain, "Harbor Dental", nil},
		{"codes of its own", symbolic, private, "", lost},
		{"codes of its own, and letters of other runs by a map", strings.Replace(symbolic, ">>>>", ">>/Encoding<<>>>>", 1), private, "",
			lost},
		{"glyphs with numbers as names", "<</Type/Font/Subtype/Type1/BaseFont/A/Encoding<</Differences[65/g1/g2/g3/g4/g5]>>>>",
			func(string) string { return "(ABCDE) Tj" }, "", lost},
		{"glyph identifiers", "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<<>>]>>",
			func(string) string { return "<000100020003> Tj" }, "", lost},
		{"letters by ActualText", symbolic, actual(private, same), "Harbor Dental", []string{paystub.TextMayDiffer}},
		{"ActualText with the same letters", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", actual(plain, same), "Harbor Dental", nil},
		{"ActualText with other figures", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
			actual(plain, func(s string) string { return s + " 2" }), "Harbor Dental", []string{paystub.TextMayDiffer}},
	} {
		d := paystub.Open(stubIn(tt.font, tt.encode))
		v := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, whenRead)[0]
		status := map[bool]string{true: report.IrregularityReview, false: report.IrregularityNotDetected}[len(tt.want) > 0]
		if d.Outcome != paystub.Read || d.Employer != tt.employer || (v.EmployeeName != nil) != (tt.employer != "") ||
			v.NetTotal == nil || v.IrregularityDetection.Status != status ||
			!slices.Equal(v.IrregularityDetection.Reasons, append([]string{}, tt.want...)) {
			t.Errorf("%s: %s, employer %q, employee %s, %+v", tt.name, d.Outcome, d.Employer, report.Text(v.EmployeeName), v.IrregularityDetection)
		}
	}
}

// TestUnreadableText checks that a file whose letters are unknown is listed for a person and
// may be scanned, and that letters with the codes of ASCII are read.
func TestUnreadableText(t *testing.T) {
	file, err := os.ReadFile("testdata/kind-actualtext.pdf")
	if err != nil {
		t.Fatal(err)
	}
	d := paystub.Open(bytes.ReplaceAll(file, []byte("/ActualText"), []byte("/OtherTextt")))
	v := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, whenRead)[0]
	if d.Outcome != paystub.Unreadable || !d.Scannable() || d.Employer != "" || v.EmployeeName != nil ||
		v.IrregularityDetection.Status != report.IrregularityReview ||
		!slices.Equal(v.IrregularityDetection.Reasons, []string{paystub.UnknownLetters}) {
		t.Errorf("%s, employer %q, %+v", d.Outcome, d.Employer, v.IrregularityDetection)
	}
	if got := d.Scanned(nil); got != d {
		t.Errorf("after a scan without words: %s", got.Outcome)
	}
	got := d.Scanned([]paystub.ScannedPage{scannedPage(95, stubLines("923.50")...)})
	if got.Outcome != paystub.Read || got.Employer != "Harbor Dental" {
		t.Errorf("after a scan: %s %q", got.Outcome, got.Employer)
	}
	// Only the names are in a font whose letters are unknown, drawn one by one.
	some := paystub.Open(stubIn("<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<<>>]>>",
		func(name string) string { return strings.Repeat("<0001> Tj ", len(name)) }))
	if !some.Scannable() {
		t.Errorf("names with unknown letters: %+v", reported(t, some).IrregularityDetection)
	}
	some = some.Scanned([]paystub.ScannedPage{scannedPage(95, stubLines("923.50")...)})
	if r := reported(t, some).IrregularityDetection.Reasons; some.Employer != "Harbor Dental" || !slices.Contains(r, paystub.UnknownLetters) {
		t.Errorf("names with unknown letters, after a scan: %q %v", some.Employer, r)
	}
	ascii := stubIn("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", func(s string) string { return "(" + s + ") Tj" })
	ascii = bytes.ReplaceAll(ascii, []byte("/Subtype/Type1/BaseFont/Helvetica"), []byte("/Subtype/TrueType/FontDescriptor<</Flags 4>>"))
	if d := paystub.Open(ascii); d.Outcome != paystub.Read || d.Stub.NetTotal == nil {
		t.Errorf("letters with the codes of ASCII: %s", d.Outcome)
	}
	single := regexp.MustCompile(`\([^)]*\) Tj`).ReplaceAllFunc(ascii, func(text []byte) (out []byte) {
		for _, c := range text[1 : len(text)-4] {
			out = append(out, '(', c, ')', ' ', 'T', 'j', ' ')
		}
		return out
	})
	if d := paystub.Open(single); d.Outcome != paystub.Read || d.Stub.NetTotal == nil {
		t.Errorf("letters with the codes of ASCII, drawn one by one: %s", d.Outcome)
	}
	// The labels and amounts are in a font whose letters are unknown, beside more text.
	some = paystub.Open(bytes.Replace(stubIn("<</Type/Font/Subtype/Type1/BaseFont/Helvetica >>", func(string) string {
		return "(" + strings.Repeat("This letter is about your pay. ", 4) + ") Tj"
	}), []byte("/Subtype/Type1/BaseFont/Helvetica>>"), []byte("/Subtype/Type0/Encoding/Identity-H/BaseFont/A/DescendantFonts[<<>>]>>"), 1))
	if some.Outcome != paystub.Unreadable || !some.Scannable() {
		t.Errorf("labels with unknown letters: %s", some.Outcome)
	}
}

// TestPagesThatAreImages checks that a page that is mostly an image is scanned, with a line of
// text beside it, and that a pay stub over an image is not.
func TestPagesThatAreImages(t *testing.T) {
	const image = "BI /W 1 /H 1 /BPC 8 /CS /G ID \x00 EI Q "
	helvetica := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	stub := stubIn(helvetica, func(s string) string { return "(" + s + ") Tj" })
	page := func(image, text string) []byte {
		at, end := bytes.Index(stub, []byte("stream\n"))+7, bytes.Index(stub, []byte("\nendstream"))
		if text == "" {
			text = string(stub[at:end])
		}
		content := image + text
		length := bytes.LastIndex(stub[:at], []byte("/Length"))
		return slices.Concat(stub[:length], fmt.Appendf(nil, "/Length %d>>stream\n", len(content)), []byte(content), stub[end:])
	}
	const line = "BT /F 7 Tf 6 786 Td (Downloaded on 03/21/2026, Pay Date: 03/20/2026) Tj ET"
	for _, tt := range []struct {
		name, image, text string
		want              paystub.Outcome
	}{
		{"the whole page", "q 600 0 0 780 6 6 cm " + image, line, paystub.NoText},
		{"strips", strings.Repeat("q 600 0 0 100 6 6 cm "+image, 5), line, paystub.NoText},
		{"on its side", "q 0 780 -600 0 606 6 cm " + image, line, paystub.NoText},
		{"beyond the page", "q 6000 0 0 780 610 6 cm " + image, line, paystub.Read},
		{"a third of the page", "q 600 0 0 260 6 500 cm " + image, line, paystub.Read},
		{"a logo", "q 100 0 0 50 6 700 cm " + image, line, paystub.Read},
		{"behind a pay stub", "q 600 0 0 780 6 6 cm " + image, "", paystub.Read},
	} {
		d := paystub.Open(page(tt.image, tt.text))
		if d.Outcome != tt.want || d.Scannable() != (tt.want == paystub.NoText || tt.name == "a third of the page") {
			t.Errorf("%s: %s, want %s", tt.name, d.Outcome, tt.want)
		}
	}
}
