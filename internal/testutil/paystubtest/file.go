package paystubtest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// file holds the objects of a PDF file, to be changed and written again.
type file struct {
	bodies     map[int]string // between obj and endobj
	root, info int
}

var (
	tableEntry = regexp.MustCompile(`(?m)^(\d{10}) \d{5} n`)
	contents   = regexp.MustCompile(`/Contents (\d+) 0 R`)
	modified   = regexp.MustCompile(`/ModDate \([^)]*\)\n?`)
	created    = regexp.MustCompile(`/CreationDate \([^)]*\)`)
	producer   = regexp.MustCompile(`(?s)/Producer \((?:\\.|[^\\)])*\)`)
)

// parse reads a file's objects by its cross-reference table.
func parse(b []byte) *file {
	at, _ := strconv.Atoi(strings.Fields(string(b[bytes.LastIndex(b, []byte("startxref"))+9:]))[0])
	var offsets []int
	for _, m := range tableEntry.FindAllSubmatch(b[at:], -1) {
		n, _ := strconv.Atoi(string(m[1]))
		offsets = append(offsets, n)
	}
	slices.Sort(offsets)
	f := &file{bodies: map[int]string{}}
	for i, from := range offsets {
		to := at
		if i+1 < len(offsets) {
			to = offsets[i+1]
		}
		text := string(b[from:to])
		head := strings.Index(text, " 0 obj\n")
		num, _ := strconv.Atoi(text[:head])
		f.bodies[num] = text[head+7 : strings.LastIndex(text, "endobj")]
	}
	fmt.Sscanf(reference(b[at:], "Root"), "%d", &f.root)
	fmt.Sscanf(reference(b[at:], "Info"), "%d", &f.info)
	return f
}

func reference(b []byte, key string) string {
	i := bytes.Index(b, []byte("/"+key+" "))
	return string(b[i+len(key)+2 : i+len(key)+12])
}

// numbers returns the object numbers in ascending order.
func (f *file) numbers() []int { return slices.Sorted(maps.Keys(f.bodies)) }

// next returns an unused object number.
func (f *file) next() int { return slices.Max(f.numbers()) + 1 }

// page returns the object numbers of the first page and of its content.
func (f *file) page() (page, content int) {
	for _, n := range f.numbers() {
		if m := contents.FindStringSubmatch(f.bodies[n]); m != nil && strings.Contains(f.bodies[n], "/Type /Page\n") {
			content, _ = strconv.Atoi(m[1])
			return n, content
		}
	}
	panic("paystubtest: no page")
}

// data returns a stream's content, decompressed.
func (f *file) data(num int) string {
	head, rest, _ := strings.Cut(f.bodies[num], "stream\n")
	raw := rest[:strings.LastIndex(rest, "\nendstream")]
	if !strings.Contains(head, "FlateDecode") {
		return raw
	}
	z, err := zlib.NewReader(strings.NewReader(raw))
	if err != nil {
		panic(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// streamOf returns the body of a stream, compressed if before is.
func streamOf(before, data string) string {
	extra := ""
	if strings.Contains(before, "FlateDecode") {
		data, extra = deflate(data), "/Filter /FlateDecode "
	}
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream\n", extra, len(data), data)
}

func deflate(data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	io.WriteString(z, data)
	z.Close()
	return b.String()
}

func (f *file) setData(num int, data string) { f.bodies[num] = streamOf(f.bodies[num], data) }

// bytes writes the file with a table at its end.
func (f *file) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	at := map[int]int{}
	for _, n := range f.numbers() {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%sendobj\n", n, f.bodies[n])
	}
	f.table(&b, at, "")
	return b.Bytes()
}

// table writes the cross-reference table of objects at given offsets, and a trailer.
func (f *file) table(b *bytes.Buffer, at map[int]int, more string) {
	start := b.Len()
	b.WriteString("xref\n")
	if more == "" {
		b.WriteString("0 1\n0000000000 65535 f \n")
	}
	for _, n := range slices.Sorted(maps.Keys(at)) {
		fmt.Fprintf(b, "%d 1\n%010d 00000 n \n", n, at[n])
	}
	fmt.Fprintf(b, "trailer\n<</Size %d/Root %d 0 R/Info %d 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", f.next(), f.root, f.info, more, start)
}

// appended returns the original file with an update that changes objects.
func (f *file) appended(original []byte, changed map[int]string) []byte {
	var b bytes.Buffer
	b.Write(original)
	before := strings.Fields(string(original[bytes.LastIndex(original, []byte("startxref"))+9:]))[0]
	at := map[int]int{}
	for _, n := range slices.Sorted(maps.Keys(changed)) {
		f.bodies[n] = changed[n]
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%sendobj\n", n, changed[n])
	}
	f.table(&b, at, "/Prev "+before)
	return b.Bytes()
}

// packed writes the file with an object stream and a cross-reference stream, as PDF 1.5
// allows.
func (f *file) packed() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
	holder, table := f.next(), f.next()+1
	type where struct{ kind, a, b int }
	at := map[int]where{0: {0, 0, 65535}}
	var head, body strings.Builder
	n := 0
	for _, num := range f.numbers() {
		if strings.Contains(f.bodies[num], "stream\n") {
			at[num] = where{1, b.Len(), 0}
			fmt.Fprintf(&b, "%d 0 obj\n%sendobj\n", num, f.bodies[num])
			continue
		}
		fmt.Fprintf(&head, "%d %d ", num, body.Len())
		body.WriteString(f.bodies[num] + "\n")
		at[num] = where{2, holder, n}
		n++
	}
	data := deflate(head.String() + body.String())
	at[holder] = where{1, b.Len(), 0}
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n",
		holder, n, head.Len(), len(data), data)
	at[table] = where{1, b.Len(), 0}
	var rows []byte
	above := make([]byte, 5)
	for i := range table + 1 {
		w := at[i]
		row := []byte{byte(w.kind), byte(w.a >> 16), byte(w.a >> 8), byte(w.a), byte(w.b)}
		rows = append(rows, 2) // the predictor "up"
		for k := range row {
			rows = append(rows, row[k]-above[k])
		}
		above = row
	}
	data = deflate(string(rows))
	start := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/Size %d/W[1 3 1]/DecodeParms<</Predictor 12/Columns 5>>/Root %d 0 R/Info "+
		"%d 0 R/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		table, table+1, f.root, f.info, len(data), data, start)
	return b.Bytes()
}

// linearized writes the file for reading over a network: with two tables, the first of
// them at its beginning.
func (f *file) linearized() []byte {
	first := f.next()
	order := f.numbers()
	write := func(l, main int, at map[int]int) []byte {
		var b bytes.Buffer
		b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
		at[first] = b.Len()
		page, _ := f.page()
		fmt.Fprintf(&b, "%d 0 obj\n<</Linearized 1/L %010d/H [0 0]/O %d/E %010d/N 1/T %010d>>\nendobj\n", first, l, page, main, main)
		top := b.Len()
		fmt.Fprintf(&b, "xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size %d/Root %d 0 R/Info %d 0 R/Prev "+
			"%010d>>\nstartxref\n0\n%%%%EOF\n", first, at[first], first+1, f.root, f.info, main)
		for _, n := range order {
			at[n] = b.Len()
			fmt.Fprintf(&b, "%d 0 obj\n%sendobj\n", n, f.bodies[n])
		}
		at[-1] = b.Len()
		b.WriteString("xref\n0 1\n0000000000 65535 f \n")
		for _, n := range order {
			fmt.Fprintf(&b, "%d 1\n%010d 00000 n \n", n, at[n])
		}
		fmt.Fprintf(&b, "trailer\n<</Size %d>>\nstartxref\n%d\n%%%%EOF\n", first, top)
		return b.Bytes()
	}
	at := map[int]int{}
	b := write(0, 0, at)
	return write(len(b), at[-1], at)
}
