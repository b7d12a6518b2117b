package paystubtest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// Hostile is a file that is expensive to read.
type Hostile struct {
	Name string
	File []byte
	Much bool // at size Large, it has more than the reader's limits allow
}

// Large is the approximate size of large hostile files, in bytes.
const Large = 20 << 20

// HostileFiles calls use with each hostile file, of at most size bytes. Only one file is
// in memory at a time.
func HostileFiles(size int, use func(Hostile)) {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)-4096/len(s)) }
	page := func(content string, more ...string) []byte { return document(content, more...) }
	add := func(name string, b []byte) { use(Hostile{name, b[:min(len(b), size)], false}) }
	much := func(name string, b []byte) { use(Hostile{name, b[:min(len(b), size)], true}) }
	add("content that inflates a thousandfold", page(bomb(size)))
	add("content that inflates to text", page(flated(strings.Repeat("(aaaaaaaaaaaa)Tj ", 200_000))))
	add("content of as many letters as are read", page(flated("BT /F 9 Tf "+strings.Repeat("(a)Tj ", 600_000))))
	add("content that is never closed", page(plainStream(fill("q [ "))))
	add("content of numbers", page(flated(strings.Repeat("0.123456789 ", 340_000))))
	add("rectangles over text", page(flated("BT /F 9 Tf "+strings.Repeat("1 0 0 1 9 9 Tm(a)Tj 0 0 9 9 re f ", 39_000))))
	add("runs on one line", page(flated("BT /F 9 Tf "+strings.Repeat("(a)Tj 30 0 Td ", 39_000))))
	add("runs upon each other", page(flated("BT /F 9 Tf "+strings.Repeat("1 0 0 1 9 9 Tm(aaa)Tj ", 39_000))))
	add("small objects", raw(fill("7 0 obj<<>>endobj ")))
	add("objects of other numbers", raw(counted(size)))
	add("arrays in arrays", raw("7 0 obj"+fill("[")))
	add("an array of dictionaries", raw("7 0 obj["+fill("<<>>")+"]endobj trailer<</Root 7 0 R>>"))
	add("an array of numbers", raw("7 0 obj["+fill("1 ")+"]endobj trailer<</Root 7 0 R>>"))
	add("a dictionary of names", raw("7 0 obj<<"+fill("/A/B")+">>endobj trailer<</Root 7 0 R>>"))
	add("a string without end", raw("7 0 obj("+fill("a")))
	add("strings of all there is", raw("7 0 obj["+fill("("+strings.Repeat("a", 60_000)+")")+"]endobj trailer<</Root 7 0 R>>"))
	add("a comment without end", raw("%"+fill("a")))
	add("the word obj", raw(fill("1 1 obj ")))
	add("the word trailer", raw(fill("trailer<</Root 1 0 R>>")))
	add("streams with a wrong length", raw(fill("7 0 obj<</Length 9>>stream\n")))
	add("a table of objects", raw("xref\n0 1000000\n"+fill("0000000015 00000 n \n")+"trailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF"))
	add("a table that goes back to itself", raw("xref\n0 0\ntrailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF"))
	add("pages that hold themselves", structured("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"))
	add("pages that hold each other", structured("<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]>>", "<</Type/Pages/Kids[2 0 R]>>"))
	add("one page a thousand times", structured("<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids["+strings.Repeat("<</Type/Page>>", 1000)+"]>>"))
	add("an object that is its own length", structured("<</Type/Catalog/Pages 2 0 R>>", "<</Length 2 0 R>>stream\n\nendstream"))
	add("an object that refers to itself", structured("<</Type/Catalog/Pages 2 0 R>>", "2 0 R"))
	add("an object stream within itself", structured("<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/ObjStm/N 1/First 4/Length 8/Extends 2 0 R>>stream\n2 0 2 0 \nendstream"))
	add("forms that draw forms", page(plainStream("/X Do /X Do"), strings.Replace(plainStream("/X Do /X Do"),
		"<<", "<</Type/XObject/Subtype/Form/Resources<</XObject<</X 6 0 R>>>>", 1)))
	add("a font's map without end", page(flated("BT /F 9 Tf (a)Tj"), "", flated(strings.Repeat("<00><ffff><0000>", 250_000)+"endbfrange")))
	add("fonts of other names", structured("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>",
		"<</Type/Page/Contents 4 0 R/Resources<</Font<<"+strings.Repeat("/AAAAAAAAAA 5 0 R", 3_900)+">>>>>>", plainStream(strange(size))))
	add("fonts with a long list of names", fonts(250, "<</Type/Font/Encoding<</Differences 7 0 R>>>>",
		"[0"+strings.Repeat("/tilde 0/ydieresis 0", 30_000)+"]"))
	add("fonts with a long list of widths", fonts(250, "<</Type/Font/Subtype/Type0/DescendantFonts[<</W 7 0 R>>]>>",
		"["+strings.Repeat("9 1 1 ", 21_000)+"]"))
	add("forty thousand streams on a page", structured("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids["+
		strings.Repeat("<</Type/Page/Contents 3 0 R>>", 40)+"]>>", "["+strings.Repeat("4 0 R ", 40_000)+"]", flated("")))
	add("an object stream of all objects", packedFull(40_000))
	add("a table of five thousand columns",
		page(flated("BT /F 9 Tf "+strings.Repeat("(Current)Tj 60 0 Td ", 5_000)+strings.Repeat("0 -9 Td (12.00)Tj ", 5_000))))
	add("rows of headers", page(flated("BT /F 9 Tf "+
		strings.Repeat("0 -9 Td (YTD)Tj 90 0 Td (Current)Tj 90 0 Td(1.00)Tj 0 -9 Td(2.00)Tj -180 0 Td ", 9_000))))
	sharedFiles(size, add, much)
	crowdedFiles(size, add, much)
	add("noise", append([]byte("%PDF-1.7\n"), noise(size-9)...))
	add("only its mark", raw(""))
}

func raw(s string) []byte { return []byte("%PDF-1.7\n" + s) }

func plainStream(s string) string {
	return fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(s), s)
}

func flated(s string) string {
	d := deflate(s)
	return fmt.Sprintf("<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream", len(d), d)
}

// bomb returns a stream of nearly size bytes that inflates a thousandfold. Its compressed
// part has at most 256 KiB; the reader stops within it.
func bomb(size int) string {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, 1)
	chunk := []byte(strings.Repeat(" ", 1<<20))
	for b.Len() < size-8192 && b.Len() < 1<<18 {
		z.Write(chunk)
	}
	z.Close()
	b.Write(make([]byte, max(0, size-8192-b.Len())))
	return fmt.Sprintf("<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream", b.Len(), b.String())
}

func counted(size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size-4096; i++ {
		fmt.Fprintf(&b, "%d 0 obj 1 endobj\n", i)
	}
	return b.String()
}

// noise returns n pseudorandom bytes, the same in every run.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x)
	}
	return out
}

// document returns a file of one page with the content and the font F. more are the objects
// from 6 on: 6 is the page's XObject X, 7 the font's ToUnicode map.
func document(content string, more ...string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>", content,
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>"}
	return structured(append(objects, more...)...)
}

// structured returns a file of objects from 1 on. Object 1 is the catalog.
func structured(objects ...string) []byte {
	f := &file{bodies: map[int]string{}, root: 1, info: 1}
	for i, o := range objects {
		f.bodies[i+1] = o + "\n"
	}
	return f.bytes()
}

// Scan returns a file that shows a picture and no text.
func Scan() []byte {
	return document(plainStream("q 612 0 0 792 0 0 cm /X Do Q"), strings.Replace(plainStream("\x00"), "<<",
		"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", 1))
}

// Letter returns a file with text that is not a pay stub.
func Letter() []byte {
	return document(plainStream("BT /F 11 Tf 72 700 Td (Dear customer,) Tj 0 -14 Td (the garden is open on Sunday.) Tj ET"))
}

// fonts returns a file whose page shows a letter of each of n fonts, which share the
// objects more, from 7 on.
func fonts(n int, font string, more ...string) []byte {
	var content, names strings.Builder
	for i := range n {
		fmt.Fprintf(&content, "/F%d 9 Tf (a) Tj ", i)
		fmt.Fprintf(&names, "/F%d %s", i, font)
	}
	return structured(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>",
		"<</Type/Page/Contents 4 0 R/Resources<</Font<<" + names.String() + ">>>>>>", plainStream(content.String()), "null", "null"}, more...)...)
}

// packedFull returns a file of n objects in one stream, all of which a page refers to.
func packedFull(n int) []byte {
	f := &file{bodies: map[int]string{}, root: 1, info: 1}
	f.bodies[1], f.bodies[2] = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>"
	var all strings.Builder
	for i := range n {
		f.bodies[4+i] = "<<>>"
		fmt.Fprintf(&all, "%d 0 R ", 4+i)
	}
	f.bodies[3] = "<</Type/Page/Annots[" + all.String() + "]>>"
	return f.packed()
}

// strange returns content that selects missing fonts of different names.
func strange(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < min(size, 4<<20)-100_000; i++ {
		fmt.Fprintf(&b, "/B%09d 9 Tf ", i)
	}
	return b.String()
}
