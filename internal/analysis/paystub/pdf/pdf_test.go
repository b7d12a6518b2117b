package pdf_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"

	"vestibule/internal/analysis/paystub/pdf"
)

// written returns a file with objects numbered from 1. Object 1 is the catalog.
func written(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return b.Bytes()
}

func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

// page returns a file with one page. Its content is object 4, and the objects in more, by
// default a font, begin with 5.
func page(content string, more ...string) []byte {
	objects := append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>/ExtGState<</G<</ca 0.3>>>>>>>>",
		content}, more...)
	if len(more) == 0 {
		objects = append(objects, "<</Type/Font/Subtype/Type1/BaseFont/Courier>>")
	}
	return written("", objects...)
}

func open(t *testing.T, b []byte) *pdf.File {
	t.Helper()
	f, err := pdf.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// drawn returns the runs of the first page in the form text@x,y-end.
func drawn(f *pdf.File) string {
	var out []string
	for _, r := range f.Pages[0].Runs {
		s := fmt.Sprintf("%s@%g,%g-%g", r.Text, round(r.X), round(r.Y), round(r.End))
		if r.Hidden {
			s += " hidden"
		}
		if r.Turned {
			s += " turned"
		}
		out = append(out, s)
	}
	return strings.Join(out, "|")
}

func round(f float64) float64 { return math.Round(f*100) / 100 }

func TestTextPositions(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"by Td", "BT /F 10 Tf 100 700 Td (abc) Tj ET", "abc@100,700-118"},
		{"by Tm and T*", "BT /F 10 Tf 1 0 0 1 50 60 Tm 12 TL (a) Tj T* (b) Tj ET", "a@50,60-56|b@50,48-56"},
		{"by TD, which sets the leading", "BT /F 10 Tf 50 60 TD 0 -10 TD (a) ' ET", "a@50,40-56"},
		{"with spaces of its own", `BT /F 10 Tf 1 2 (a b) " ET`, "a b@0,0-25"},
		{"after one another", "BT /F 10 Tf (a) Tj (b) Tj ET", "a@0,0-6|b@6,0-12"},
		{"with a little between", "BT /F 10 Tf [(a) -20 (b) -300 (c)] TJ ET", "ab c@0,0-21.2"},
		{"with much between", "BT /F 10 Tf [(a) -2000 (b)] TJ ET", "a@0,0-6|b@26,0-32"},
		{"on a page that is moved and made larger", "q 2 0 0 2 10 20 cm BT /F 10 Tf 5 5 Td (a) Tj ET Q BT (b) Tj ET", "a@20,30-32"},
		{"stretched, spaced and raised", "BT /F 10 Tf 50 Tz 2 Tc 3 Ts (ab) Tj ET", "ab@0,3-8"},
		{"from below", "BT /F 10 Tf (bb) Tj 0 1 -1 0 9 9 Tm (a) Tj ET", "bb@0,0-12|a@9,9-9 turned"},
		{"a page from below", "BT /F 10 Tf 0 1 -1 0 9 9 Tm (a) Tj ET", "a@9,603-15"},
		{"not painted", "BT /F 10 Tf 3 Tr (a) Tj ET", "a@0,0-6 hidden"},
		{"with escapes and numbers of letters", `BT /F 10 Tf (\(\101\)\
b) Tj <4142 4> Tj ET`, "(A)b@0,0-24|AB@@24,0-42"},
		{"after an image in the content", "BI /W 1 /H 1 ID \x00EI\x01 EI BT /F 10 Tf (a) Tj ET", "a@0,0-6"},
		{"without a font", "BT (a) Tj ET", ""},
		{"after nonsense", "1 2 3 ] > foo BT /F 10 Tf (a) Tj ET", "a@0,0-6"},
	} {
		if got := drawn(open(t, page(stream("", tt.content)))); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFontsDeclareTheirCharacters(t *testing.T) {
	cmap := func(s string) string { return stream("", s) }
	for _, tt := range []struct {
		name, font, more, show, want string
	}{
		{"WinAnsi encoding", "<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Arial/Encoding/WinAnsiEncoding/FirstChar " +
			"65/Widths[500 600]>>", "", `(AB\351)`, "ABé@0,0-11"},
		{"MacRoman encoding", "<</Type/Font/Subtype/TrueType/BaseFont/A/Encoding/MacRomanEncoding/Widths[]>>", "", `(\216)`, "é@0,0-0"},
		{"glyph names", "<</Type/Font/Subtype/Type1/BaseFont/A/Widths[]/Encoding<</Differences[1/A/eacute/uni0416 " +
			"9/period/a.sc]>>>>", "", `(\001\002\003\011\012)`, "AéЖ.a@0,0-0"},
		{"ToUnicode map", "<</Type/Font/Subtype/Type1/BaseFont/A/Widths[]/ToUnicode 6 0 R>>",
			cmap("2 beginbfchar <01> <0041> <02> <00660069> endbfchar 1 beginbfrange <03> <05> <0061> <06> <07> " +
				"[<0031> <0032>] endbfrange"), `(\001\002\003\005\006\007)`, "Afiac12@0,0-0"},
		{"two bytes", "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</DW " +
			"700/W[1[250] 3 4 400]>>]>>", cmap("1 beginbfrange <0001> <0009> <0041> endbfrange"), `<000100020003>`, "ABC@0,0-13.5"},
		{"undefined", "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<<>>]>>",
			"<<>>", `<0001>`, "\ufffd@0,0-10"},
		{"Type 3", "<</Type/Font/Subtype/Type3/FontMatrix[0.01 0 0 0.01 0 0]/FirstChar " +
			"65/Widths[50]/Encoding<</Differences[65/A]>>>>", "", `(A)`, "A@0,0-5"},
	} {
		got := drawn(open(t, page(stream("", "BT /F 10 Tf "+tt.show+" Tj ET"), tt.font, tt.more+" ")))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	f := open(t, page(stream("", "BT /F 10 Tf (A) Tj ET"),
		"<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Arial-BoldMT/FontDescriptor<</FontFile2 6 0 R>>>>"))
	if want := (pdf.Font{Name: "Arial-BoldMT", Subset: "ABCDEF", Embedded: true}); f.Fonts[0] != want {
		t.Errorf("%+v, want %+v", f.Fonts[0], want)
	}
}

// TestStandardFontWidths compares the widths with those of the library that draws.
func TestStandardFontWidths(t *testing.T) {
	var all strings.Builder
	for c := ' '; c <= '~'; c++ {
		all.WriteRune(c)
	}
	for _, family := range []string{"Helvetica", "Times", "Courier"} {
		for _, style := range []string{"", "B"} {
			p := fpdf.New("P", "pt", "Letter", "")
			p.AddPage()
			p.SetFont(family, style, 100)
			for i, c := range all.String() {
				p.Text(10, float64(20+i), string(c))
			}
			var b bytes.Buffer
			if err := p.Output(&b); err != nil {
				t.Fatal(err)
			}
			for _, r := range open(t, b.Bytes()).Pages[0].Runs {
				if got, want := r.End-r.X, p.GetStringWidth(r.Text); math.Abs(got-want) > 0.01 {
					t.Errorf("%s %s: %q is %g wide, want %g", family, style, r.Text, got, want)
				}
			}
		}
	}
}

func TestPaint(t *testing.T) {
	image := stream("/Type/XObject/Subtype/Image/Width 1/Height 1", "x")
	form := stream("/Type/XObject/Subtype/Form/Matrix[1 0 0 1 5 5]/BBox[0 0 9 9]", "0 0 2 2 re f")
	for _, tt := range []struct {
		name, content, x string
		want             string
	}{
		{"a rectangle", "1 g 10 20 30 40 re f", "", "10,20,40,60 white"},
		{"a gray rectangle", "0.8 0.8 0.8 rg 10 20 30 40 re f*", "", "10,20,40,60"},
		{"a rectangle of lines", "1 1 1 rg 10 20 m 40 20 l 40 60 l 10 60 l h f", "", "10,20,40,60 white"},
		{"a triangle", "10 20 m 40 20 l 40 60 l h f", "", ""},
		{"an outline", "10 20 30 40 re S", "", ""},
		{"a transparent rectangle", "/G gs 10 20 30 40 re f", "", ""},
		{"an image", "q 100 0 0 50 7 8 cm /X Do Q", image, "7,8,107,58 image"},
		{"a form", "2 0 0 2 0 0 cm /X Do", form, "10,10,14,14"},
	} {
		f := open(t, page(stream("", tt.content), "<</Type/Font>>", tt.x+" "))
		var got []string
		for _, p := range f.Pages[0].Paints {
			s := fmt.Sprintf("%g,%g,%g,%g", p.X0, p.Y0, p.X1, p.Y1)
			if p.White {
				s += " white"
			}
			if p.Image {
				s += " image"
			}
			got = append(got, s)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFilters(t *testing.T) {
	const show = "BT /F 10 Tf (abc) Tj ET"
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte(show))
	w.Close()
	hex := fmt.Sprintf("%x>", show)
	for name, content := range map[string]string{
		"none":              stream("", show),
		"Flate":             stream("/Filter/FlateDecode", z.String()),
		"Flate, a list":     stream("/Filter[/FlateDecode]", z.String()),
		"hexadecimal":       stream("/Filter/ASCIIHexDecode", hex),
		"ASCII85":           stream("/Filter/ASCII85Decode", `6<#'\7NaE>+B2qq-t-Rp.3MT)+@T6~>`),
		"a wrong length":    "<</Length 3>>\nstream\n" + show + "\nendstream",
		"cut off":           stream("/Filter/FlateDecode", z.String()[:z.Len()-5]),
		"length by a value": "<</Length 6 0 R>>\nstream\n" + show + "\nendstream",
	} {
		if got := drawn(open(t, page(content, "<</Type/Font/BaseFont/Courier>>", fmt.Sprint(len(show))))); got != "abc@0,0-18" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, err := pdf.Open(page(stream("/Filter/LZWDecode", "x"))); !errors.Is(err, pdf.ErrMalformed) {
		t.Errorf("LZW: %v", err)
	}
	if _, err := pdf.Open(page(stream("/Filter/FlateDecode", "not deflated"))); !errors.Is(err, pdf.ErrMalformed) {
		t.Errorf("no Flate: %v", err)
	}
}

func TestUpdates(t *testing.T) {
	first := page(stream("", "BT /F 10 Tf (old) Tj ET"))
	add := func(before []byte, num int, body string) []byte {
		var b bytes.Buffer
		b.Write(before)
		i := bytes.LastIndex(before, []byte("startxref\n"))
		prev := strings.Fields(string(before[i+10:]))[0]
		at := b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", num, body)
		start := b.Len()
		fmt.Fprintf(&b, "xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size 20/Root 1 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF\n", num, at, prev, start)
		return b.Bytes()
	}
	const annotated = "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[]/Resources<</Font<</F " +
		"5 0 R>>/XObject<</X 6 0 R>>/ExtGState<</G<</ca 0.3>>>>>>>>"
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"none", first, "[]"},
		{"another content", add(first, 4, stream("", "BT /F 10 Tf (new) Tj ET")), "[{true false false}]"},
		{"another page", add(first, 3, "<</Type/Page/Parent 2 0 R/Contents[4 0 R 4 0 R]>>"), "[{true false false}]"},
		{"a page with notes", add(first, 3, annotated), "[{false true false}]"},
		{"a note", add(first, 9, "<</Type/Annot/Subtype/Text>>"), "[{false true false}]"},
		{"a signature", add(first, 9, "<</Type/Sig>>"), "[{false false true}]"},
		{"something else", add(first, 9, "<</Title(x)>>"), "[{false false false}]"},
		{"two of them", add(add(first, 9, "<</Type/Sig>>"), 4, stream("", "")), "[{false false true} {true false false}]"},
	} {
		if got := fmt.Sprint(open(t, tt.file).Updates); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := drawn(open(t, add(first, 4, stream("", "BT /F 10 Tf (new) Tj ET")))); got != "new@0,0-18" {
		t.Errorf("the page shows %s, want the appended text", got)
	}
}

func TestRepair(t *testing.T) {
	good := page(stream("", "BT /F 10 Tf (abc) Tj ET"))
	for name, b := range map[string][]byte{
		"no end":          good[:bytes.LastIndex(good, []byte("startxref"))],
		"a wrong start":   bytes.Replace(good, []byte("startxref\n"), []byte("startxref\n1"), 1),
		"objects moved":   bytes.Replace(good, []byte("1 0 obj"), []byte("  1 0 obj"), 1),
		"a longer string": bytes.Replace(good, []byte("(abc)"), []byte("(abc                    )"), 1),
	} {
		f, err := pdf.Open(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.TrimSpace(f.Pages[0].Runs[0].Text); !f.Repaired || got != "abc" {
			t.Errorf("%s: repaired %v, %q", name, f.Repaired, got)
		}
	}
}

func TestFileMetadata(t *testing.T) {
	xml := `<x:xmpmeta><rdf:Description pdf:Producer="A" xmp:CreateDate="2026-01-02T03:04:05Z"><xmp:CreatorTool>B ` +
		`1.0</xmp:CreatorTool><stEvt:softwareAgent>C</stEvt:softwareAgent><xmp:ModifyDate>2026-02-02</xmp:ModifyDate></rdf:Description>`
	b := written("/Info 4 0 R", "<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R/OpenAction<</S/JavaScript/JS(app)>>>>",
		"<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page/Annots[<</Subtype/FreeText/Rect[0 0 9 9]>><</Subtype/Widget/V(x)>>]>>",
		"<</Producer(\xfe\xff\x00\xe9)/Creator(caf\xe9)/CreationDate(D:20260101)/ModDate(D:20260102)/Title(t)>>", stream("/Type/Metadata", xml))
	f := open(t, b)
	want := pdf.Info{Producer: "é", Creator: "café", Title: "t", Created: "D:20260101", Modified: "D:20260102",
		XMPPrograms: []string{"A", "B 1.0", "C"}, XMPCreated: "2026-01-02T03:04:05Z",
		XMPModified: "2026-02-02", AnnotationText: true, FieldValues: true}
	if got := fmt.Sprintf("%+v", f.Info); got != fmt.Sprintf("%+v", want) || !f.Active {
		t.Errorf("%s, active %v, want %+v", got, f.Active, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		file []byte
		want error
	}{
		{"words", []byte("hello"), pdf.ErrNotPDF},
		{"a file that is too large", make([]byte, pdf.MaxFile+1), pdf.ErrTooMuch},
		{"a password", written("/Encrypt<</Filter/Standard>>", "<</Type/Catalog/Pages 2 0 R>>",
			"<</Type/Pages/Kids[<</Type/Page>>]>>"), pdf.ErrEncrypted},
		{"no pages", written("", "<</Type/Catalog>>"), pdf.ErrMalformed},
		{"pages without a page", written("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]>>"), pdf.ErrMalformed},
	} {
		if _, err := pdf.Open(tt.file); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(page(stream("", "BT /F 10 Tf [(a) -20 (b)] TJ ET 1 g 0 0 9 9 re f BI /W 1 ID x EI")))
	f.Add(page(stream("", "q 1 0 0 1 2 3 cm /X Do Q"), "<</Type/Font/Subtype/Type0/DescendantFonts[<</W[1[2 3] 4 5 6]>>]>>",
		stream("/Subtype/Form", "/X Do")))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		file, err := pdf.Open(b)
		if (file == nil) == (err == nil) {
			t.Fatalf("%v, %v", file, err)
		}
	})
}

// TestFormWithoutResources checks that a form uses the page's resources for what it lacks: if
// it has none, also within another form, or not these.
func TestFormWithoutResources(t *testing.T) {
	font := "<</Type/Font/Subtype/Type1/BaseFont/Courier>>"
	text := "BT /F 10 Tf (a) Tj ET"
	for name, forms := range map[string][]string{
		"none":                  {stream("/Subtype/Form", text)},
		"an empty one":          {stream("/Subtype/Form/Resources<<>>", text)},
		"of images only":        {stream("/Subtype/Form/Resources<</XObject<<>>>>", text)},
		"within another form":   {stream("/Subtype/Form/Resources<</XObject<</Y 7 0 R>>>>", "/Y Do"), stream("/Subtype/Form", text)},
		"as a form of its form": {stream("/Subtype/Form/Resources<</Font<</Z 5 0 R>>>>", "/Z 10 Tf /V Do"), stream("/Subtype/Form", text)},
	} {
		b := page(stream("", "/X Do"), append([]string{font}, forms...)...)
		b = bytes.Replace(b, []byte("/XObject<</X 6 0 R>>/ExtGState"), []byte("/XObject<</X 6 0 R/V 7 0 R>>/ExtGState"), 1)
		if got := drawn(open(t, b)); got != "a@0,0-6" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
