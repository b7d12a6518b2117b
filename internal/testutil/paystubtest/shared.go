package paystubtest

import (
	"bytes"
	"fmt"
	"strings"
)

// sharedFiles makes files that are expensive to read unless the reader does repeated work
// once: unterminated items at many places, and many small objects that use a few large
// ones.
func sharedFiles(size int, add, much func(name string, file []byte)) {
	few := func(most, each int) int { return max(1, min(most, size/each)) } // each is in bytes
	pad := func(s string, used int) string { return strings.Repeat(s, max(0, size-used-4096)/len(s)) }
	large := entries(few(4_000, 40))

	var objects strings.Builder
	for i := range few(40_000, 40) {
		fmt.Fprintf(&objects, "%d 0 obj<<>>stream\n", i+1)
	}
	add("streams without end", raw(objects.String()+pad("endstrea", objects.Len())))
	openings := strings.Repeat("trailer(", few(8_000, 40))
	much("strings without end", raw(openings+pad("\\\n", len(openings))))
	much("one stream without end, often", often(few(20_000, 100), "<<>>stream\n"+pad("n", 30*few(20_000, 100))))
	much("one string without end, often", often(few(20_000, 100), "<"+pad(" ", 30*few(20_000, 100))+"x"))
	much("one number before a long word, often", often(few(20_000, 100), "1 "+pad("n", 30*few(20_000, 100))))
	much("one object of many versions", versions(few(45_000, 100)))
	much("an object stream that is named often", named(few(20_000, 100), few(45_000, 40)))
	much("lengths that are looked for in a row", chained(few(45_000, 60)))

	much("pages with the same large resources", sameResources(few(6_000, 400), size))
	much("pages with the same large notes", pagesOf(50, "/Annots 6 0 R", "["+strings.Repeat("7 0 R ", few(60_000, 20))+"]", "<<"+large+">>"))
	much("a large picture that is drawn often", pagesOf(20, "/Contents 6 0 R/Resources<</XObject<</X 7 0 R>>>>",
		plainStream(strings.Repeat("/X Do ", few(600_000, 10))), strings.Replace(plainStream(""), "<<", "<<"+large, 1)))
	much("a large graphics state that is set often", pagesOf(20, "/Contents 6 0 R/Resources<</ExtGState<</G 7 0 R>>>>",
		plainStream(strings.Repeat("/G gs ", few(600_000, 10))), "<<"+large+">>"))
	long := strings.Repeat("n", few(4_000, 2_000))
	var names, uses strings.Builder
	for i := range few(3_900, 8_000) {
		fmt.Fprintf(&names, "/%s%04d 7 0 R", long, i)
	}
	for range few(900, 8_000) {
		fmt.Fprintf(&uses, "/%sxxxx gs ", long)
	}
	much("names that are long and much alike", pagesOf(20, "/Contents 6 0 R/Resources<</ExtGState 7 0 R>>",
		plainStream(uses.String()), "<<"+names.String()+">>"))
	form := "[" + strings.Repeat("["+strings.Repeat("1 ", few(65_000, 4))+"]", few(130, 160_000)) + "]"
	much("a form of arrays in arrays", pagesOf(1, "/Contents 6 0 R/Resources<</XObject<</X 7 0 R>>>>", plainStream("/X Do"),
		strings.Replace(plainStream(form), "<<", "<</Subtype/Form", 1)))
	much("a tree of pages that divides", dividing(few(40, 4_000), "<<"+large+">>"))
	much("fonts with a name that is very long", fonts(250, "<</Type/Font/Encoding<</Differences 7 0 R>>>>",
		"["+strings.Repeat("0 8 0 R ", few(30_000, 20))+"]", "/"+pad("n", few(30_000, 20)*8+20_000)))
	much("lists of widths that are empty", fonts(250, "<</Type/Font/Subtype/Type0/DescendantFonts[<</W 7 0 R>>]>>",
		"["+strings.Repeat("9[]", few(32_000, 10))+"]"))
	mapped := "<</Type/Font/ToUnicode 7 0 R>>"
	broken := deflate(strings.Repeat("\x00", few(4_000_000, 1)))
	much("fonts' maps that break off at the end",
		fonts(250, mapped, fmt.Sprintf("<</Filter/FlateDecode/Length %d>>stream\n%s\xff\xff\xff\xff\nendstream",
			len(broken), broken[:len(broken)-8])))
	var ranges strings.Builder
	for i := 0; ranges.Len() < few(4_000_000, 2); i++ {
		fmt.Fprintf(&ranges, "<%08x><%08x>[%s]endbfrange ", i<<16, i<<16|0xffff, strings.Repeat("<>", few(65_000, 20)))
	}
	much("fonts' maps of nothing", fonts(250, mapped, plainStream(ranges.String())))

	much("a stream of blocks that hold nothing", pagesOf(1, "/Contents["+strings.Repeat("6 0 R ", 20)+"]", idle(size-8192)))
	much("a stream of zeros in ASCII85",
		document(fmt.Sprintf("<</Filter/ASCII85Decode/Length %d>>stream\n%s\nendstream", size-8192, strings.Repeat("z", max(0, size-8194))+"~>")))
	much("rows that are wider than their stream", pagesOf(50, "/Contents 6 0 R", "["+strings.Repeat("7 0 R ", few(60_000, 20))+"]",
		strings.Replace(flated("q"), "<<", "<</DecodeParms<</Predictor 15/Colors 8/BitsPerComponent 16/Columns 65536>>", 1)))
	much("a table of nothing", tabled(few(4_000_000, 2)))
	say := func(xml string) []byte {
		return structured("<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>", "<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page>>", plainStream(xml))
	}
	add("metadata that are never closed", say(strings.Repeat("pdf:Producer>", few(20_000, 20))))
	add("metadata with much behind them", say(strings.Repeat("xmp:CreatorTool>", few(8_000, 40))+strings.Repeat(" ", few(128_000, 2))+"<"))

	operators := func(op string) []byte {
		return pagesOf(50, "/Contents 6 0 R/Resources<</Font<</F 7 0 R>>>>",
			plainStream("BT /F 9 Tf "+strings.Repeat(op, few(4_100_000, 2)/len(op))), "<</Type/Font>>")
	}
	much("colors", operators("g "))
	much("names", operators("/A "))
	much("lists of nothing", operators("[]TJ "))
	much("lists of gaps", operators("["+strings.Repeat("1 ", 40)+"]TJ "))
}

// entries returns n unused entries of a dictionary.
func entries(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "/%c%c 0", 'a'+i/26%26, 'a'+i%26)
	}
	return b.String()
}

// pagesOf returns a file of n equal pages, with further objects from 6 on.
func pagesOf(n int, page string, more ...string) []byte {
	return structured(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[" +
		strings.Repeat("<</Type/Page"+page+">>", n) + "]>>", "null", "null", "null"}, more...)...)
}

// updated returns a file of one page with an update. with returns, for the offset after the
// page, the bytes between the two and the entries of both tables.
func updated(with func(at int) (between, first, second string)) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	table := "1 3\n"
	for i, o := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page>>"} {
		table += line(b.Len())
		fmt.Fprintf(&b, "%d 0 obj%s endobj\n", i+1, o)
	}
	between, first, second := with(b.Len())
	b.WriteString(between)
	before := b.Len()
	fmt.Fprintf(&b, "xref\n%s%strailer<</Root 1 0 R>>\n", table, first)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n%strailer<</Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", second, before, start)
	return b.Bytes()
}

// line returns an entry of a cross-reference table.
func line(at int) string { return fmt.Sprintf("%010d 00000 n \n", at) }

// often returns a file whose update names object 7 n times.
func often(n int, body string) []byte {
	return updated(func(at int) (string, string, string) {
		one := "7 1\n" + line(at)
		return "7 0 obj " + body, one, strings.Repeat(one, n)
	})
}

// versions returns a file whose update names a missing object n times.
func versions(n int) []byte {
	return updated(func(int) (string, string, string) {
		one := "7 1\n" + line(9_999_999_999)
		return "", one, strings.Repeat(one, n)
	})
}

// sameResources returns a file whose update adds n pages with the same large resources.
func sameResources(n, size int) []byte {
	return updated(func(at int) (string, string, string) {
		var b, table strings.Builder
		fmt.Fprintf(&table, "10 %d\n", n+1)
		for i := range n + 1 {
			table.WriteString(line(at + b.Len()))
			if i == 0 {
				fmt.Fprintf(&b, "10 0 obj<</A[%s]>> endobj\n", strings.Repeat("<<"+entries(250)+">>", max(1, min(110, size/20_000))))
			} else {
				fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Resources 10 0 R>> endobj\n", 10+i)
			}
		}
		return b.String(), table.String(), table.String()
	})
}

// named returns a file without a table, with n empty object streams and a last one of many
// objects, all under the same number.
func named(n, objects int) []byte {
	const head = "5 0 obj<</Type/ObjStm>>endobj\n"
	body := strings.Repeat("9 0 ", objects)
	return raw("1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 " +
		"R]>>endobj 3 0 obj<</Type/Page>>endobj\n" + strings.Repeat(head, n) +
		fmt.Sprintf("5 0 obj<</Type/ObjStm/N %d/First %d/Length %d>>stream\n%s1\nendstream endobj trailer<</Root 1 0 R>>",
			objects, len(body), len(body)+1, body))
}

// chained returns a file without a table, with n streams whose length refers to the next
// object.
func chained(n int) []byte {
	var b strings.Builder
	b.WriteString("1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n")
	for i := range n {
		fmt.Fprintf(&b, "%d 0 obj<</Length %d 0 R>>stream\nendstream\n", i+2, i+3)
	}
	return raw(b.String() + "trailer<</Root 1 0 R>>")
}

// dividing returns a file whose page tree has four levels. All nodes of a level share the
// same n children; the last level has 10, with the given content.
func dividing(n int, last string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Kids 3 0 R>>"}
	for i := range 3 {
		objects = append(objects, "["+strings.Repeat(fmt.Sprintf("<</Kids %d 0 R>>", i+4), n)+"]")
	}
	return structured(append(objects, "["+strings.Repeat(strings.Replace(last, "<<", "<</Kids[]", 1), 10)+"]")...)
}

// tabled returns a file whose cross-reference streams lie within one another and have
// entries of an unknown kind.
func tabled(n int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	const head = "4 0 obj<</Type/XRef/W[1 0 0]/Index[0 99999999]/Root 1 0 R/Prev %010d/Length %010d>>stream\n"
	const each = len(head) - 2*len("%010d") + 2*10
	const streams = 60
	for i := range streams {
		fmt.Fprintf(&b, head, 9+each*(i+1), n+each*(streams-1-i))
	}
	b.WriteString(strings.Repeat("\x03", n) + "\nendstream\nstartxref\n9\n%%EOF\n")
	return b.Bytes()
}

// idle returns a compressed stream of about size bytes: blocks that each define a long
// list of codes, use none of them, and end at a byte boundary.
func idle(size int) string {
	const block = "\x5c\xe0\x83\xb2\x28\x88\xa2\x6d\x5b\xa6\x6d\xdb\xb6\x6d\xdb" +
		"\xb6\x6d\xfe\x7e\xeb\x63\xae\xdc\xe7\xbe\xaa\x00\x00\x00\xff\xff"
	data := "\x78\x9c" + strings.Repeat(block, size/len(block)) + "\x01\x00\x00\xff\xff"
	return fmt.Sprintf("<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream", len(data), data)
}

// crowdedFiles makes files with as many pieces of text as the reader accepts, placed so
// that each could concern every other.
func crowdedFiles(size int, add, much func(name string, file []byte)) {
	few := func(most, each int) int { return max(1, min(most, size/each)) }
	half := few(2_900, 100)
	text := func(content string) string { return flated("BT /F 3 Tf " + content) }
	over := func(above, below string) []byte { // alternates two texts, because equal texts at one place are read once
		return document(text(strings.Repeat(drawn(9, 86, above)+drawn(9, 86, above+":"), half/2+1) +
			strings.Repeat(drawn(9, 80, below)+drawn(9, 80, below+"*"), half/2+1)))
	}
	much("labels over amounts", over("something", "12.00"))
	much("labels over what they are not of", over("Employee", "a name 1"))
	much("labels of dates over texts", over("Pay Period", "January 1 and so on"))
	much("addresses over texts with commas", over("Address", strings.Repeat("a,", 40)))
	much("periods over amounts", over("Current", "12.00"))

	letters := few(340_000, 2)
	wide := flated("1 beginbfchar <71> <" + strings.Repeat("0065", 8) + "> endbfchar")
	long := "[" + strings.Repeat("("+strings.Repeat("q", letters/6)+")", 6)
	var row strings.Builder
	for i := range 2 * half {
		row.WriteString(drawn(9+30*i, 80, "1.00"))
	}
	much("a long label over amounts", document(text(drawn(9, 86, "")+long+"]TJ "+row.String()), "null", wide))
	much("a long label among labels",
		document(text(drawn(9, 80, "")+long+"]TJ "+strings.Repeat(drawn(9, 86, "Employee"), 2*half)), "null", wide))
	much("amounts behind a long text",
		document(text(drawn(9, 990, "Net Pay: 1.00")+drawn(9, 86, "")+long+"("+strings.Repeat("  1.00", 2*half)+")]TJ ")))
	var gaps strings.Builder
	gaps.WriteString("BT /F 9 Tf ")
	for range few(13, 300_000) {
		gaps.WriteString("[(1)" + strings.Repeat("-200 ", 60_000) + "]TJ ")
	}
	add("texts that are mostly gaps", document(flated(gaps.String())))

	row.Reset()
	row.WriteString(drawn(9, 990, "Net Pay: 1.00") + drawn(9, 80, "Pay"))
	for i := range 2*half - 1 {
		row.WriteString(drawn(100+11*i, 80, "1.00"))
	}
	much("a column of amounts", document(text(row.String())))
	many := few(1_950, 2_000)
	add("pages with as many shapes as texts", pagesOf(20, "/Contents 6 0 R/Resources<</Font<</F 7 0 R>>>>",
		text(strings.Repeat("( )Tj ", many)+strings.Repeat("0 0 1 1 re f ", many)), "<</Type/Font>>"))
	row.Reset()
	for i := range 2 * half {
		row.WriteString(drawn(9, 9+9*i, "Newark, NJ 07102"))
	}
	add("towns below one another", document(text(row.String())))
}

// drawn returns the operators that draw a text at a place.
func drawn(x, y int, s string) string { return fmt.Sprintf("1 0 0 1 %d %d Tm(%s)Tj ", x, y, s) }
