package pdf

import (
	"bytes"
	"errors"
)

func (f failure) isMalformed() bool { return errors.Is(f.error, ErrMalformed) }

// object returns the newest object with a number, or nil if none exists or it refers to
// itself.
func (r *reader) object(num int) any {
	if v, known := r.objects[num]; known {
		return v
	}
	places := r.places[num]
	if len(places) == 0 || places[0].free || r.loading[num] {
		return nil
	}
	if r.deep++; r.deep > maxDepth {
		panic(tooMuch("objects that need others"))
	}
	r.loading[num] = true
	v := r.at(num, places[0])
	delete(r.loading, num)
	r.deep--
	r.objects[num] = v
	return v
}

// at returns the object with a number at a place.
func (r *reader) at(num int, p place) any {
	if p.in == 0 {
		return r.objectAt(p.at, num)
	}
	if all := r.unpack(p.in); p.at < len(all) && all[p.at].num == num {
		return all[p.at].value
	}
	return nil
}

// resolve follows references.
func (r *reader) resolve(v any) any {
	for range maxDepth {
		to, is := v.(ref)
		if !is {
			return v
		}
		r.left.spend(16)
		v = r.object(to.num)
	}
	return nil
}

func (r *reader) asDict(v any) dict {
	switch v := r.resolve(v).(type) {
	case dict:
		return r.used(v)
	case *stream:
		return r.used(v.dict)
	}
	return nil
}

// asStream returns a stream, or nil for other values.
func (r *reader) asStream(v any) *stream {
	st, ok := r.resolve(v).(*stream)
	if !ok {
		return nil
	}
	r.used(st.dict)
	return st
}

// used counts the use of a dictionary as work, because many objects may share a large one.
func (r *reader) used(d dict) dict {
	r.left.spend(2 * len(d))
	return d
}

func (r *reader) asArray(v any) array { a, _ := r.resolve(v).(array); return a }
func (r *reader) asInt(v any) int     { n, _ := r.asNumber(v); return int(n) }

func (r *reader) asNumber(v any) (float64, bool) {
	switch v := r.resolve(v).(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// objectAt reads the object at a byte offset, which must have the given number unless that is
// negative.
func (r *reader) objectAt(at, num int) any {
	if at < 0 || at >= len(r.b) {
		panic(malformed("an object outside of the file"))
	}
	l := r.lexer(at)
	n, ok1 := l.next(0).(int)
	gen, ok2 := l.next(0).(int)
	if !ok1 || !ok2 || l.next(0) != operator("obj") || num >= 0 && n != num {
		panic(malformed("another object than the cross-reference says"))
	}
	v := l.next(0)
	switch v.(type) {
	case end, operator:
		return nil
	}
	d, ok := v.(dict)
	if r.crypt != nil && d.get("Type") != name("XRef") {
		v = r.decryptStrings(v, n, gen)
	}
	if !ok {
		return v
	}
	l.skip()
	if !bytes.HasPrefix(r.b[l.at:], []byte("stream")) {
		return d
	}
	l.at += len("stream")
	if l.at < len(r.b) && r.b[l.at] == '\r' {
		l.at++
	}
	if l.at < len(r.b) && r.b[l.at] == '\n' {
		l.at++
	}
	return &stream{dict: d, raw: r.raw(d, l.at), num: n, gen: gen}
}

var endstream = []byte("endstream")

// raw returns the bytes of a stream. If its length is wrong, they end at the next
// "endstream".
func (r *reader) raw(d dict, at int) []byte {
	if n, ok := r.asNumber(d.get("Length")); ok && n >= 0 && n <= float64(len(r.b)-at) {
		after := r.b[at+int(n):]
		if i := bytes.Index(after[:min(len(after), 16)], endstream); i >= 0 {
			return r.b[at : at+int(n)]
		}
	}
	end := r.ending(at)
	if end < 0 {
		panic(malformed("a stream without end"))
	}
	r.repaired = true // the length is wrong
	return bytes.TrimRight(r.b[at:end], "\r\n")
}

// ending returns the position of the next "endstream", or -1. It does not search the same
// bytes again if none exists.
func (r *reader) ending(at int) int {
	if at >= r.endless {
		return -1
	}
	i := bytes.Index(r.b[at:min(r.endless+len(endstream)-1, len(r.b))], endstream)
	if i < 0 {
		r.left.spend((r.endless - at) / 4)
		r.endless = at
		return -1
	}
	r.left.spend(i / 4)
	return at + i
}

// packedObject is an object of an object stream.
type packedObject struct {
	num   int
	value any
}

// unpack returns the objects of an object stream, or nil if the object is not a stream.
func (r *reader) unpack(num int) []packedObject {
	if known, ok := r.packed[num]; ok {
		return known
	}
	r.packed[num] = nil // in case it depends on itself
	places := r.places[num]
	if len(places) == 0 || places[0].free || places[0].in != 0 {
		return nil
	}
	st := r.asStream(r.object(num))
	if st == nil {
		return nil
	}
	data := r.data(st)
	first, n := r.asInt(st.dict.get("First")), r.asInt(st.dict.get("N"))
	if first < 0 || first > len(data) || n < 0 || n > maxObjects {
		panic(malformed("object stream"))
	}
	head := lexer{b: data[:first], left: &r.left}
	var out []packedObject
	for range n {
		num, ok1 := head.next(0).(int)
		at, ok2 := head.next(0).(int)
		if !ok1 || !ok2 || at < 0 || first+at > len(data) {
			panic(malformed("object stream"))
		}
		body := lexer{b: data, at: first + at, left: &r.left}
		v := body.next(0)
		switch v.(type) {
		case end, operator:
			v = nil
		}
		out = append(out, packedObject{num, v})
	}
	r.packed[num] = out
	return out
}
