package ocr

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/analysis/paystub"
	pdffile "vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
	"vestibule/internal/testutil/tools"
)

const pagesDir = "../../analysis/paystub/testdata/pages"

// every selects printed pages: 3 reads 254 images, and 1 all pages in each way, 762 images,
// which takes half an hour. By default it is 3 in make test-full, and else 150.
var every = flag.Int("every", 0, "read each Nth page in each way")

func engine(t testing.TB) *Engine {
	t.Helper()
	e, err := Find(t.Context())
	if err != nil {
		tools.Missing(t, "tesseract is not installed")
	}
	if !e.PDF() {
		tools.Missing(t, "pdftoppm is not installed")
	}
	e.limit = 10 * time.Minute // a loaded machine changes no result
	return e
}

// fieldsOf returns the fields of a document that are not null, by the contract's names, and
// employer_name.
func fieldsOf(t testing.TB, d *paystub.Document) map[string]string {
	t.Helper()
	raw, err := json.Marshal(d.Stub)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for k, v := range all {
		switch v := v.(type) {
		case string:
			if !strings.HasPrefix(k, "source_") {
				out[k] = v
			}
		case float64:
			out[k] = fmt.Sprintf("%.2f", v)
		}
	}
	if d.Employer != "" {
		out["employer_name"] = d.Employer
	}
	return out
}

// render returns a page of a PDF file.
func (e *Engine) render(t testing.TB, pdf []byte, page, dpi int) *gray {
	t.Helper()
	number := strconv.Itoa(page)
	out, err := e.run(t.Context(), pdf, 20<<20, e.pdftoppm, "-gray", "-r", strconv.Itoa(dpi), "-f", number, "-l", number, "-")
	if err != nil {
		t.Fatal(err)
	}
	g, err := parsePGM(out, longSide)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// count holds how the images of a degradation were read.
type count struct{ images, fields, right, detected, review, unread int }

// TestScansAndPhotographs measures how many fields are read correctly from images of the
// printed pages, degraded in each way. A field counts if the page shows it, or if it was
// read although the page does not show it. No genuine page may be DETECTED.
func TestScansAndPhotographs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	e := engine(t)
	files, err := filepath.Glob(pagesDir + "/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	step := *every
	switch {
	case step > 0:
	case tools.Full():
		step = 3
	default:
		step = 150
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	turns := make(chan struct{}, cap(e.turns))
	counts := make([]count, len(degradations))
	for n, d := range degradations {
		if *every == 0 && !tools.Full() && n%2 == 1 {
			continue // make test reads an image of every second kind
		}
		for i := n % step; i < len(files); i += step {
			wait.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				got := e.measure(t, files[i], d, rand.New(rand.NewPCG(uint64(i), uint64(n))))
				mu.Lock()
				defer mu.Unlock()
				c := &counts[n]
				*c = count{c.images + 1, c.fields + got.fields, c.right + got.right, c.detected + got.detected, c.review + got.review,
					c.unread + got.unread}
			})
		}
	}
	wait.Wait()
	var table strings.Builder
	table.WriteString("| image | pages | fields | right | `REVIEW` | `DETECTED` | not read |\n|---|---|---|---|---|---|---|\n")
	var sum, at200 count // fields of 200 dpi and more; the rest of sum is of all images
	for n, d := range degradations {
		c := counts[n]
		if c.images == 0 {
			continue
		}
		sum.images, sum.review, sum.unread = sum.images+c.images, sum.review+c.review, sum.unread+c.unread
		fmt.Fprintf(&table, "| %s | %d | %d | %.1f%% | %d | %d | %d |\n", d.name, c.images, c.fields,
			100*float64(c.right)/float64(c.fields), c.review, c.detected, c.unread)
		if sum.detected += c.detected; d.dpi >= 200 {
			sum.right, sum.fields = sum.right+c.right, sum.fields+c.fields
			if d.dpi == 200 {
				at200.right, at200.fields = at200.right+c.right, at200.fields+c.fields
			}
		}
	}
	t.Log("\n" + table.String())
	right := 100 * float64(sum.right) / float64(sum.fields)
	text := fmt.Sprintf("%d images, %d DETECTED, %d REVIEW, %d not read; %.1f%% of the fields are right from 200 dpi on (want 90 at least), "+
		"%.1f%% at 200 dpi", sum.images, sum.detected, sum.review, sum.unread, right, 100*float64(at200.right)/float64(at200.fields))
	if t.Log(text); right < 90 || sum.detected > 0 {
		t.Error(text)
	}
}

// measure reads a page after a degradation.
func (e *Engine) measure(t *testing.T, file string, d degradation, draw *rand.Rand) (c count) {
	pdf, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".pdf")
	if err != nil {
		t.Error(err)
		return c
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return c
	}
	var truth map[string]string
	if err := json.Unmarshal(raw, &truth); err != nil {
		t.Error(err)
		return c
	}
	printed, err := pdffile.Open(pdf)
	if err != nil {
		t.Error(err)
		return c
	}
	var jpeg []byte
	var pages []paystub.ScannedPage
	for n := range printed.Pages { // as in a scanned PDF file
		jpeg = d.apply(e.render(t, pdf, n+1, d.dpi), draw)
		read, err := e.Read(t.Context(), jpeg)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return c
		}
		pages = append(pages, read...)
	}
	doc := paystub.Open(jpeg).Scanned(pages)
	got := fieldsOf(t, doc)
	names := maps.Clone(truth)
	maps.Copy(names, got)
	wrong := []string{}
	for _, k := range slices.Sorted(maps.Keys(names)) {
		c.fields++
		if got[k] == truth[k] {
			c.right++
		} else {
			wrong = append(wrong, fmt.Sprintf("%s: %q, want %q", k, got[k], truth[k]))
		}
	}
	day := report.DateOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))
	v := paystub.Report([]*paystub.Document{doc}, paystub.Bank{}, day)[0].IrregularityDetection
	switch {
	case doc.Outcome != paystub.Read:
		c.unread++
	case v.Status == report.IrregularityDetected:
		c.detected++
	case v.Status == report.IrregularityReview:
		c.review++
		wrong = append(wrong, strings.Join(v.Reasons, " "))
	}
	t.Logf("%s, %s: %s, %s, %d of %d fields are right\n\t%s", filepath.Base(file), d.name, doc.Outcome, v.Status, c.right, c.fields,
		strings.Join(wrong, "\n\t"))
	return c
}

// TestMarksOfScan checks that a crooked scan is read, as an image and in a PDF file, and that its
// values are marked in the scan, within a few pixels of where the page was printed with them.
func TestMarksOfScan(t *testing.T) {
	if testing.Short() {
		t.Skip("a short run does not start the OCR engine for whole pages")
	}
	e := engine(t)
	pdf, err := os.ReadFile(pagesDir + "/onpay.pdf")
	if err != nil {
		t.Fatal(err)
	}
	marks := func(d *paystub.Document) map[string]report.Mark {
		t.Helper()
		day := report.DateOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))
		p := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, day)[0].Positions
		if p == nil || len(p.Pages) != 1 {
			t.Fatalf("%s: %+v", d.Outcome, p)
		}
		out := map[string]report.Mark{}
		for _, m := range p.Marks {
			if _, again := out[m.Field]; !again && m.Field != "" {
				out[m.Field] = m
			}
		}
		return out
	}
	g := e.render(t, pdf, 1, 200)
	crooked := degradations[2]
	scan := crooked.apply(g, rand.New(rand.NewPCG(1, 1)))
	printed := marks(paystub.Open(pdf))
	for name, file := range map[string][]byte{"JPEG": scan, "PDF": scannedPDF(scan, g.w, g.h, 200)} {
		pages, err := e.Read(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		d := paystub.Open(file)
		if !d.Scannable() || len(pages) != 1 {
			t.Fatalf("%s: the file is %s, with %d pages", name, d.Outcome, len(pages))
		}
		got := d.Scanned(pages)
		if got.Outcome != paystub.Read || got.Stub.NetTotal == nil || (got.FileType == report.FilePDF) != (name == "PDF") {
			t.Errorf("%s: %s, %s: %+v", name, got.Outcome, got.FileType, got.Stub)
		}
		near := 0
		for field, m := range marks(got) {
			x, y := g.turn(-crooked.degrees, 1).from.at((m.X+m.Width/2)*float64(g.w), (m.Y+m.Height/2)*float64(g.h))
			want, ok := printed[field]
			if !ok {
				continue
			}
			offX, offY := (x-want.X-want.Width/2)*float64(g.w), (y-want.Y-want.Height/2)*float64(g.h)
			if math.Abs(offX) > 6 || math.Abs(offY) > 6 {
				t.Errorf("%s: %s is %.1f, %.1f pixels from its place", name, field, offX, offY)
			}
			near++
		}
		if near < 10 {
			t.Errorf("%s: %d marks, want 10 at least", name, near)
		}
	}
}

// scannedPDF returns a PDF file of one page with a JPEG image.
func scannedPDF(jpeg []byte, w, h, dpi int) []byte {
	var b bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	content := fmt.Sprintf("%d 0 0 %d 0 0 cm /I Do", w*72/dpi, h*72/dpi)
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>",
		w*72/dpi, h*72/dpi))
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	object(fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 "+
		"/Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream", w, h, len(jpeg), jpeg))
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// TestScanWithText reads a scanned page with a line of text beside it.
func TestScanWithText(t *testing.T) {
	e := engine(t)
	file, err := os.ReadFile("testdata/scan-with-footer.pdf")
	if err != nil {
		t.Fatal(err)
	}
	d := paystub.Open(file)
	if !d.Scannable() {
		t.Fatalf("%s is not scanned", d.Outcome)
	}
	pages, err := e.Read(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if d = d.Scanned(pages); d.Outcome != paystub.Read || d.Stub.NetTotal == nil || *d.Stub.NetTotal != 164_700 {
		t.Errorf("%s, net %v", d.Outcome, d.Stub.NetTotal)
	}
}
