package pdf

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
)

// inflater holds a decoder and buffers that all streams share.
type inflater struct {
	src paid
	z   io.ReadCloser
	out bytes.Buffer
}

// paid reads the bytes to inflate. Each byte that is read costs work, because thirty bytes
// may hold only tables of codes.
type paid struct {
	bytes.Reader
	left *budget
	out  *bytes.Buffer // the output so far
	read int
}

// maxIdle is the number of bytes that may be read in addition to twice the output. The
// decoder holds back up to 32 KiB of output. A block without output makes it allocate new
// tables.
const maxIdle = 64 << 10

func (p *paid) ReadByte() (byte, error) {
	p.left.spend(perInflated)
	if p.read++; p.read > maxIdle+2*p.out.Len() {
		panic(tooMuch("bytes that inflate to nothing"))
	}
	return p.Reader.ReadByte()
}

// data returns the content of a stream, of at most maxStream bytes.
func (r *reader) data(st *stream) []byte {
	data := r.inflate(st)
	if len(data) > maxStream { // without a filter
		panic(tooMuch("bytes of a stream"))
	}
	return data
}

// inflate returns the content of a stream. It panics with a failure if a filter is not
// supported or the content exceeds a limit.
func (r *reader) inflate(st *stream) []byte {
	r.left.spend(len(st.raw)/2 + 256)
	r.used(st.dict)
	data := st.raw
	if r.crypt != nil {
		data = r.decryptStream(st)
	}
	filters := r.list(firstOf(st.dict, "Filter", "F"))
	parms := r.list(firstOf(st.dict, "DecodeParms", "DP"))
	if len(filters) > 4 {
		panic(tooMuch("filters"))
	}
	for i, f := range filters {
		switch r.resolve(f) {
		case name("FlateDecode"), name("Fl"):
			data = r.flate(data)
			if i < len(parms) {
				data = r.unpredict(data, r.asDict(parms[i]))
			}
		case name("Crypt"): // decryptStream applies it
		case name("ASCII85Decode"), name("A85"):
			data = ascii85(data, min(maxStream, r.left.inflated))
			take(&r.left.inflated, len(data), "bytes inflated")
		case name("ASCIIHexDecode"), name("AHx"):
			if i := bytes.IndexByte(data, '>'); i >= 0 {
				data = data[:i]
			}
			l := lexer{b: append(append([]byte{'<'}, data...), '>'), left: &r.left}
			out, _ := l.next(0).(text)
			data = []byte(out)
		default:
			panic(malformed("a filter that is not read"))
		}
	}
	return data
}

func firstOf(d dict, keys ...name) any {
	for _, k := range keys {
		if v := d.get(k); v != nil {
			return v
		}
	}
	return nil
}

// list returns an array, or a single value as an array.
func (r *reader) list(v any) array {
	switch v := r.resolve(v).(type) {
	case nil:
		return nil
	case array:
		return v
	default:
		return array{v}
	}
}

func (r *reader) flate(data []byte) []byte {
	if len(data) < 2 || data[0]&0x0f != 8 {
		panic(malformed("a stream that is not what its filter says"))
	}
	most := min(maxStream, r.left.inflated)
	z := &r.inflater
	z.src.Reset(data[2:])
	z.src.left, z.src.out, z.src.read = &r.left, &z.out, 0
	z.out.Reset()
	if z.z == nil {
		z.z = flate.NewReader(&z.src)
	} else if err := z.z.(flate.Resetter).Reset(&z.src, nil); err != nil {
		panic(malformed("a stream that cannot be inflated"))
	}
	n, err := z.out.ReadFrom(io.LimitReader(z.z, int64(most)+1))
	if n > int64(most) {
		panic(tooMuch("bytes inflated"))
	}
	take(&r.left.inflated, int(n), "bytes inflated")
	if err != nil && !(errors.Is(err, io.ErrUnexpectedEOF) && n > 0) { // truncated data is used
		panic(malformed("a stream that cannot be inflated"))
	}
	return bytes.Clone(z.out.Bytes())
}

// unpredict reverses a PNG predictor.
func (r *reader) unpredict(data []byte, parms dict) []byte {
	p := r.asInt(parms.get("Predictor"))
	if p < 2 {
		return data
	}
	colors, bits, columns := r.asInt(parms.get("Colors")), r.asInt(parms.get("BitsPerComponent")), r.asInt(parms.get("Columns"))
	colors, columns = max(colors, 1), max(columns, 1)
	if bits == 0 {
		bits = 8
	}
	if p < 10 || colors > 8 || bits > 16 || bits < 1 || columns > 1<<16 {
		panic(malformed("a predictor that is not read"))
	}
	step := max(1, colors*bits/8)
	row := (colors*bits*columns + 7) / 8
	if len(data) <= row {
		return nil
	}
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > row {
		kind, line := data[0], data[1:1+row]
		data = data[1+row:]
		from := len(out)
		out = append(out, line...)
		now := out[from:]
		for i := range now {
			var left, corner byte
			if i >= step {
				left, corner = now[i-step], above[i-step]
			}
			switch kind {
			case 1:
				now[i] += left
			case 2:
				now[i] += above[i]
			case 3:
				now[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				now[i] += paeth(left, above[i], corner)
			}
		}
		above = now
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	da, db, dc := distance(p, a), distance(p, b), distance(p, c)
	switch {
	case da <= db && da <= dc:
		return a
	case db <= dc:
		return b
	}
	return c
}

func distance(p int, x byte) int { return max(p-int(x), int(x)-p) }

// ascii85 decodes ASCII85 data. It panics with a failure if the result is much larger than
// most.
func ascii85(data []byte, most int) []byte {
	out := make([]byte, 0, min(len(data)*4/5+4, most))
	var n uint32
	k := 0
	for _, c := range data {
		if len(out) > most {
			panic(tooMuch("bytes inflated"))
		}
		switch {
		case space(c):
			continue
		case c == '~':
			if k == 1 {
				panic(malformed("ASCII85"))
			}
			if k > 1 {
				for i := k; i < 5; i++ {
					n = n*85 + 84
				}
				for i := range k - 1 {
					out = append(out, byte(n>>(24-8*i)))
				}
			}
			return out
		case c == 'z' && k == 0:
			out = append(out, 0, 0, 0, 0)
			continue
		case c < '!' || c > 'u':
			panic(malformed("ASCII85"))
		}
		n = n*85 + uint32(c-'!')
		if k++; k == 5 {
			out = append(out, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
			n, k = 0, 0
		}
	}
	return out
}
