package pdf_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"vestibule/internal/analysis/paystub/pdf"
)

func spent(b []byte) int {
	n, _ := pdf.Spent(b)
	return n
}

// TestScanningIsCharged checks that searching for an end costs work in proportion to the
// bytes scanned, even if the end is missing.
func TestScanningIsCharged(t *testing.T) {
	const length = 400_000
	for _, tt := range []struct {
		name, before, fill, after string
		least                     int
	}{
		{"a stream", "1 0 obj<<>>stream\n", "n", "", length / 4},
		{"a string", "trailer(", "\\\n", "", length},
		{"a hexadecimal string", "trailer<", " ", "", length},
		{"a hexadecimal string with an invalid character", "trailer<", " ", "x>", length},
		{"a word after a number", "trailer 1 ", "n", "", length},
		{"cross-reference entries of an unknown kind", "4 0 obj<</Type/XRef/W[1 0 0]/Index[0 999999]/Root 1 0 R>>stream\n",
			"\x03", "\nendstream\nstartxref\n9\n%%EOF", 8 * length},
		{"a word in a cross-reference table", "xref\n0 1\n", "n", "\nstartxref\n9\n%%EOF", length},
	} {
		file := func(n int) []byte {
			return []byte("%PDF-1.7\n" + tt.before + strings.Repeat(tt.fill, n/len(tt.fill)) + tt.after)
		}
		// Searching for objects costs the length of the file.
		if got := spent(file(length)) - spent(file(0)) - length; got < tt.least {
			t.Errorf("%s: %d were spent, want %d", tt.name, got, tt.least)
		}
	}
}

// TestMissingEndstreamIsSearchedOnce checks that several streams without an end cost a single
// search.
func TestMissingEndstreamIsSearchedOnce(t *testing.T) {
	const length = 400_000
	upwards, downwards := "", ""
	for i := range 100 {
		o := fmt.Sprintf("%d 0 obj<<>>stream\n", i+1)
		upwards, downwards = upwards+o, o+downwards
	}
	for name, objects := range map[string]string{"upwards": upwards, "downwards": downwards} {
		file := func(n int) []byte { return []byte("%PDF-1.7\n" + objects + strings.Repeat("n", n)) }
		if got := spent(file(length)) - spent(file(0)) - length; got < length/4 || got > length/2 {
			t.Errorf("%s: %d were spent, want %d, once", name, got, length/4)
		}
		if _, err := pdf.Spent(file(length)); !errors.Is(err, pdf.ErrMalformed) {
			t.Errorf("%s: %v, want malformed", name, err)
		}
	}
}

// TestRepeatedUseIsCharged checks that each use of a large object costs its size, although it
// is read only once.
func TestRepeatedUseIsCharged(t *testing.T) {
	const length = 1_000
	entries := strings.Repeat("/k 0", length)
	long := "/" + strings.Repeat("n", 64*length)
	sheet := func(page string, more ...string) []byte {
		return written("", append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>",
			"<</Type/Page" + page + ">>"}, more...)...)
	}
	fonts := func(n int, font string, more ...string) []byte {
		var names, uses strings.Builder
		for i := range n {
			fmt.Fprintf(&names, "/F%d<</Type/Font%s>>", i, font)
			fmt.Fprintf(&uses, "/F%d 9 Tf ", i)
		}
		return sheet("/Contents 4 0 R/Resources<</Font<<"+names.String()+">>>>", append([]string{stream("", uses.String())}, more...)...)
	}
	content := func(resources, op string) func(n int, what string) []byte {
		return func(n int, what string) []byte {
			return sheet("/Contents 4 0 R/Resources"+resources, stream("", strings.Repeat(op, n)), what)
		}
	}
	for _, tt := range []struct {
		name         string
		small, large string
		file         func(n int, what string) []byte
		least        int // extra work for each use, compared with a small object
	}{
		{"a note", "<<>>", "<<" + entries + ">>", func(n int, what string) []byte {
			return sheet("/Annots["+strings.Repeat("4 0 R ", n)+"]", what)
		}, length},
		{"a picture", stream("", ""), stream(entries, ""), content("<</XObject<</X 5 0 R>>>>", "/X Do "), length},
		{"a name among names", "<<>>", "<<" + entries + ">>", content("<</ExtGState 5 0 R>>", long[:640]+" gs "), 40 * length},
		{"a graphics state", "<<>>", "<<" + entries + ">>", content("<</ExtGState<</G 5 0 R>>>>", "/G gs "), length},
		{"a stream", stream("", ""), stream(entries, ""), func(n int, what string) []byte {
			return sheet("/Contents["+strings.Repeat("4 0 R ", n)+"]", what)
		}, length},
		{"a node of pages", "[<</Kids[]>>]", "[<</Kids[]" + entries + ">>]", func(n int, what string) []byte {
			return written("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids["+strings.Repeat("<</Kids 3 0 R>>", n)+"]>>", what)
		}, length},
		{"a long name of a glyph", "/n", long, func(n int, what string) []byte {
			return fonts(1, "/Encoding<</Differences["+strings.Repeat("0 5 0 R ", n)+"]>>", what)
		}, length},
		{"a list of widths", "[]", "[" + strings.Repeat("0[]", length) + "]", func(n int, what string) []byte {
			return fonts(n, "/Subtype/Type0/DescendantFonts[<</W 5 0 R>>]", what)
		}, 8 * length},
	} {
		of := func(n int, what string) int { return spent(tt.file(n, what)) }
		if got := of(40, tt.large) - of(20, tt.large) - of(40, tt.small) + of(20, tt.small); got < 20*tt.least {
			t.Errorf("%s: %d were spent on 20 uses more, want %d", tt.name, got, 20*tt.least)
		}
	}
}

// TestQuadraticStepsAreCharged checks that files whose steps grow with the square of their
// length cost that much work.
func TestQuadraticStepsAreCharged(t *testing.T) {
	for name, file := range map[string]func(n int) []byte{
		"objects of an object stream that occurs repeatedly": func(n int) []byte {
			pairs := strings.Repeat("9 0 ", n)
			holder := fmt.Sprintf("5 0 obj<</Type/ObjStm/N %d/First %d/Length %d>>stream\n%s1\nendstream endobj ",
				n, len(pairs), len(pairs)+1, pairs)
			return []byte("%PDF-1.7\n" + strings.Repeat("5 0 obj<</Type/ObjStm>>endobj ", n) + holder)
		},
		"versions of an object": func(n int) []byte {
			entry := "7 1\n9999999999 00000 n \n"
			return changed(t, entry, strings.Repeat(entry, n))
		},
		"a value that pages share": func(n int) []byte {
			var objects strings.Builder
			table := fmt.Sprintf("7 %d\n", n+1)
			at := len(written("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[<</Type/Page>>]>>"))
			for i := range n + 1 {
				table += fmt.Sprintf("%010d 00000 n \n", at+objects.Len())
				if i == 0 {
					fmt.Fprintf(&objects, "7 0 obj[%s]endobj\n", strings.Repeat("1 ", n))
				} else {
					fmt.Fprintf(&objects, "%d 0 obj<</Type/Page/Resources 7 0 R>>endobj\n", 7+i)
				}
			}
			return changed(t, table, table, objects.String())
		},
	} {
		if got := spent(file(400)) - 2*spent(file(200)); got < 200*200 {
			t.Errorf("%s: %d were spent beyond linear cost, want %d", name, got, 200*200)
		}
	}
}

// changed returns a file with one page, to which objects and two more tables are appended,
// the second table as an update.
func changed(t *testing.T, first, second string, objects ...string) []byte {
	t.Helper()
	b := written("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[<</Type/Page>>]>>")
	_, after, found := strings.Cut(string(b), "startxref\n")
	if !found {
		t.Fatal("a file without its end")
	}
	before, _, _ := strings.Cut(after, "\n")
	out := string(b) + strings.Join(objects, "")
	for _, table := range []string{first, second} {
		at := len(out)
		out += fmt.Sprintf("xref\n%strailer<</Root 1 0 R/Prev %s>>\n", table, before)
		before = fmt.Sprint(at)
	}
	return []byte(out + "startxref\n" + before + "\n%%EOF\n")
}

// TestTooMuch checks the limits for large content.
func TestTooMuch(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(make([]byte, 2<<20))
	w.Close()
	broken := stream("/Filter/FlateDecode", z.String()[:z.Len()-12]+strings.Repeat("\xff", 12))
	fonts, uses, chain := "", "", []string{"<</Type/Catalog/Pages 2 0 R>>"}
	for i := range 100 {
		fonts += fmt.Sprintf("/F%d<</ToUnicode 6 0 R>>", i)
		uses += fmt.Sprintf("/F%d 9 Tf ", i)
		chain = append(chain, fmt.Sprintf("<</Length %d 0 R>>stream\n\nendstream", i+3))
	}
	shown := func(resources, content, more string) []byte {
		return written("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>",
			"<</Type/Page/Contents 4 0 R/Resources<<"+resources+">>>>", stream("", content), "null", more)
	}
	for name, file := range map[string][]byte{
		"bytes inflated of streams that are broken": shown("/Font<<"+fonts+">>", uses, broken),
		"letters of fonts' maps": shown("/Font<<"+fonts+">>", uses,
			stream("", strings.Repeat("<00><ff>["+strings.Repeat("<>", 1_000)+"]endbfrange ", 10))),
		"bytes of a form":    shown("/XObject<</X 6 0 R>>", "/X Do", stream("/Subtype/Form", strings.Repeat("%", 5<<20))),
		"lengths of lengths": written("", chain...),
	} {
		if _, err := pdf.Open(file); !errors.Is(err, pdf.ErrTooMuch) {
			t.Errorf("%s: %v, want too much", name, err)
		}
	}
}

// TestInflatingIsCharged checks that compressed bytes cost extra work, because they may hold
// nothing but tables.
func TestInflatingIsCharged(t *testing.T) {
	of := func(n int) int {
		const block = "\x00\x00\x00\xff\xff" // an empty block
		b := page(stream("/Filter/FlateDecode", "\x78\x9c"+strings.Repeat(block, n)+"\x01\x00\x00\xff\xff"))
		if _, err := pdf.Open(b); err != nil {
			t.Fatal(err)
		}
		return spent(b)
	}
	if got := of(2_000) - of(1_000); got < 32*1_000 {
		t.Errorf("%d were spent on a thousand blocks, want %d", got, 32*1_000)
	}
}

// TestMemoryIsAllocatedForContentOnly checks that a file's declared sizes alone do not cause
// large allocations.
func TestMemoryIsAllocatedForContentOnly(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte("q"))
	w.Close()
	row := stream("/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 8/BitsPerComponent 16/Columns 65536>>", z.String())
	for name, file := range map[string][]byte{
		"a hundred rows that are wider than their streams": written("", "<</Type/Catalog/Pages 2 0 R>>",
			"<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page/Contents["+strings.Repeat("4 0 R ", 100)+"]>>", row),
		"more zeros than are read": page(stream("/Filter/ASCII85Decode", strings.Repeat("z", 8<<20)+"~>")),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pdf.Open(file)
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 20<<20 {
			t.Errorf("%s: %d bytes", name, after.TotalAlloc-before.TotalAlloc)
		}
	}
}
