package pdf

import (
	"bytes"
	"slices"
)

// place is the location of an object: a byte offset, or an index in an object stream.
type place struct {
	at      int // byte offset, or index in the object stream
	in      int // number of the object stream, or 0
	free    bool
	section int // index in the reader's sections
}

// section is one section of the cross-reference.
type section struct {
	at      int // byte offset
	trailer dict
	numbers []int
}

// reader reads a file.
type reader struct {
	b        []byte
	left     budget
	sections []section
	places   map[int][]place // by object, newest first
	count    int             // number of places
	objects  map[int]any
	loading  map[int]bool
	deep     int // number of objects being read, each for another
	endless  int // no stream ends at or after this byte
	trailer  dict
	repaired bool
	crypt    *crypt // nil: the file is not encrypted
	inflater inflater
	packed   map[int][]packedObject // by object stream
	out      *File
	fonts    map[int]int // index in out.Fonts, by object
	decoded  map[int]*decoder
}

// newReader returns a reader for a file that begins with the PDF header.
func newReader(b []byte) *reader {
	return &reader{
		b:       b,
		endless: len(b),
		left: budget{work: maxWork, values: maxValues, inflated: maxInflated, runs: maxRuns,
			glyphs: maxGlyphs, paints: maxPaints, forms: maxForms},
		places:  map[int][]place{},
		objects: map[int]any{},
		loading: map[int]bool{},
		packed:  map[int][]packedObject{},
		fonts:   map[int]int{},
		decoded: map[int]*decoder{},
		out:     &File{},
	}
}

func (r *reader) read() *File {
	if !r.followed() || !r.hasPages() {
		r.repair()
		if !r.hasPages() {
			panic(malformed("no pages"))
		}
	}
	r.out.Repaired = r.repaired
	r.info()
	r.pages()
	r.updates()
	return r.out
}

func (r *reader) hasPages() bool {
	return r.asDict(r.asDict(r.trailer.get("Root")).get("Pages")) != nil
}

// followed reads the cross-reference that the end of the file refers to, and reports whether
// it is valid.
func (r *reader) followed() (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			f, mine := p.(failure)
			if !mine || !f.isMalformed() {
				panic(p)
			}
			ok = false
		}
	}()
	tail := max(0, len(r.b)-2048)
	mark := bytes.LastIndex(r.b[tail:], []byte("startxref"))
	if mark < 0 {
		return false
	}
	l := r.lexer(tail + mark + len("startxref"))
	at, whole := l.next(0).(int)
	seen := map[int]bool{}
	for whole {
		if at < 0 || at >= len(r.b) || seen[at] {
			return false
		}
		if seen[at] = true; len(seen) > maxSections {
			panic(tooMuch("cross-reference sections"))
		}
		s := r.section(at)
		if r.trailer == nil {
			r.trailer = s.trailer
		}
		if beside, hybrid := s.trailer.get("XRefStm").(int); hybrid && beside > 0 && beside < len(r.b) && !seen[beside] {
			seen[beside] = true
			r.section(beside)
		}
		at, whole = s.trailer.get("Prev").(int)
		if f, real := s.trailer.get("Prev").(float64); real {
			at, whole = int(f), true
		}
	}
	r.unlock()
	return r.trailer != nil
}

func (r *reader) lexer(at int) *lexer { return &lexer{b: r.b, at: at, left: &r.left} }

// section reads the cross-reference table or stream at a byte offset.
func (r *reader) section(at int) section {
	r.sections = append(r.sections, section{at: at})
	s := &r.sections[len(r.sections)-1]
	l := r.lexer(at)
	l.skip()
	if bytes.HasPrefix(r.b[l.at:], []byte("xref")) {
		l.at += len("xref")
		r.table(l, s)
		return *s
	}
	st, ok := r.objectAt(at, -1).(*stream)
	if !ok || st.dict.get("Type") != name("XRef") {
		panic(malformed("no cross-reference where it should be"))
	}
	s.trailer = st.dict
	r.xrefStream(st, s)
	return *s
}

// table reads the entries of a cross-reference table, and the trailer.
func (r *reader) table(l *lexer, s *section) {
	for {
		first, ok := l.next(0).(int)
		if !ok { // the word "trailer"
			break
		}
		n, ok := l.next(0).(int)
		if !ok || n < 0 || first < 0 {
			panic(malformed("cross-reference"))
		}
		for i := range n {
			from := l.at
			l.skip()
			offset, ok1 := integer(l.word())
			l.skip()
			_, ok2 := integer(l.word())
			l.skip()
			kind := l.word()
			l.left.spend(max(20, l.at-from))
			if !ok1 || !ok2 || len(kind) != 1 {
				panic(malformed("cross-reference"))
			}
			r.note(first+i, place{at: offset, free: kind[0] != 'n'}, s)
		}
	}
	t, ok := l.next(0).(dict)
	if !ok {
		panic(malformed("no trailer"))
	}
	s.trailer = t
}

// note stores a place of an object.
func (r *reader) note(num int, p place, s *section) {
	if r.count++; r.count > maxObjects {
		panic(tooMuch("objects"))
	}
	p.section = len(r.sections) - 1
	r.places[num] = append(r.places[num], p)
	if !p.free {
		s.numbers = append(s.numbers, num)
	}
}

func (r *reader) xrefStream(st *stream, s *section) {
	data := r.data(st)
	w := make([]int, 3)
	for i, v := range r.asArray(st.dict.get("W")) {
		n, _ := v.(int)
		if i >= len(w) || n < 0 || n > 8 {
			panic(malformed("cross-reference stream"))
		}
		w[i] = n
	}
	size := w[0] + w[1] + w[2]
	if size == 0 {
		panic(malformed("cross-reference stream"))
	}
	index := r.asArray(st.dict.get("Index"))
	if index == nil {
		index = array{0, st.dict.get("Size")}
	}
	field := func(width, otherwise int) int {
		if width == 0 {
			return otherwise
		}
		n := 0
		for _, c := range data[:width] {
			n = n<<8 | int(c)
		}
		data = data[width:]
		return n
	}
	for ; len(index) >= 2; index = index[2:] {
		first, ok1 := index[0].(int)
		n, ok2 := index[1].(int)
		if !ok1 || !ok2 || first < 0 || n < 0 {
			panic(malformed("cross-reference stream"))
		}
		for i := range n {
			if len(data) < size {
				return
			}
			r.left.spend(8)
			kind, at, more := field(w[0], 1), field(w[1], 0), field(w[2], 0)
			switch kind {
			case 0:
				r.note(first+i, place{free: true}, s)
			case 1:
				r.note(first+i, place{at: at}, s)
			case 2:
				r.note(first+i, place{at: more, in: at}, s)
			}
		}
	}
}

// repair finds the objects of a file whose cross-reference is not valid. Of several objects
// with the same number, the last one counts.
func (r *reader) repair() {
	r.repaired, r.trailer, r.count = true, nil, 0
	r.sections, r.places, r.objects = []section{{}}, map[int][]place{}, map[int]any{}
	r.loading, r.deep, r.packed, r.crypt = map[int]bool{}, 0, map[int][]packedObject{}, nil
	s := &r.sections[0]
	r.left.spend(len(r.b))
	var holders []int
	for at := 0; ; {
		i := bytes.Index(r.b[at:], []byte("obj"))
		if i < 0 {
			break
		}
		i += at
		at = i + 3
		if i >= 3 && bytes.Equal(r.b[i-3:i], []byte("end")) {
			continue
		}
		num, from, ok := numbersBefore(r.b, i)
		if !ok {
			continue
		}
		r.places[num] = nil
		r.note(num, place{at: from}, s)
		if bytes.Contains(r.b[at:min(at+200, len(r.b))], []byte("/ObjStm")) {
			holders = append(holders, num)
		}
	}
	for at := 0; ; {
		i := bytes.Index(r.b[at:], []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		if t, ok := r.try(func() any { return r.lexer(at).next(0) }).(dict); ok && (t.get("Root") != nil || t.get("Encrypt") != nil) {
			r.trailer = t
		}
	}
	if r.trailer == nil { // a cross-reference stream has its entries
		for _, num := range s.numbers {
			if st, ok := r.try(func() any { return r.object(num) }).(*stream); ok && st.dict.get("Root") != nil {
				r.trailer = st.dict
			}
		}
	}
	r.unlock()
	for _, num := range holders {
		for i, o := range r.unpack(num) {
			r.left.spend(8) // the same stream may be in holders repeatedly
			if _, direct := r.places[o.num]; !direct {
				r.note(o.num, place{at: i, in: num}, s)
			}
		}
	}
	for _, num := range s.numbers {
		if r.trailer != nil {
			return
		}
		if o, ok := r.try(func() any { return r.object(num) }).(dict); ok && o.get("Type") == name("Catalog") {
			r.trailer = dict{{"Root", ref{num, 0}}}
		}
	}
}

// try calls f and returns its result, or nil if f failed because the file is malformed.
func (r *reader) try(f func() any) (v any) {
	deep := r.deep
	defer func() {
		if p := recover(); p != nil {
			if bad, mine := p.(failure); !mine || !bad.isMalformed() {
				panic(p)
			}
			v, r.deep = nil, deep
		}
	}()
	return f()
}

// numbersBefore reads the two numbers before an "obj" at i, and returns where they begin.
func numbersBefore(b []byte, i int) (num, from int, ok bool) {
	back := func() (n int) {
		for i > 0 && space(b[i-1]) {
			i--
		}
		end := i
		for i > 0 && b[i-1] >= '0' && b[i-1] <= '9' && end-i < 10 {
			i--
		}
		n, ok = integer(b[i:end])
		return n
	}
	if gen := back(); !ok || gen > 1<<16 || i == 0 || !space(b[i-1]) {
		return 0, 0, false
	}
	num = back()
	return num, i, ok && slices.IndexFunc(b[i:], space) > 0
}
