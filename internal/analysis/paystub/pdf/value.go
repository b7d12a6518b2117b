package pdf

import (
	"bytes"
	"strconv"
)

// The types of a file's values are nil, bool, int, float64, text, name, array, dict, ref and
// *stream, and in content also operator.
type (
	text     string // a string's bytes
	name     string
	operator string
	array    []any
	dict     []entry
	ref      struct{ num, gen int }
	entry    struct {
		key   name
		value any
	}
	stream struct {
		dict dict
		raw  []byte
		num  int // the object's number
		gen  int // the object's generation
	}
)

// get returns the value of a key, or nil.
func (d dict) get(key name) any {
	for i := range d {
		if d[i].key == key {
			return d[i].value
		}
	}
	return nil
}

// lexer reads values from bytes. With content set, it reads operators and no references.
type lexer struct {
	b       []byte
	at      int
	content bool
	left    *budget
}

func space(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func delimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// skip skips white space and comments.
func (l *lexer) skip() {
	from := l.at
	for l.at < len(l.b) {
		switch c := l.b[l.at]; {
		case space(c):
			l.at++
		case c == '%':
			end := bytes.IndexAny(l.b[l.at:], "\r\n")
			if end < 0 {
				end = len(l.b) - l.at
			}
			l.at += end
		default:
			l.left.spend(l.at - from)
			return
		}
	}
	l.left.spend(l.at - from)
}

// end is the value that next returns at the end.
type end struct{}

// next reads a value or an operator. Values count against the budget, except in content.
func (l *lexer) next(depth int) any {
	if depth > maxDepth {
		panic(tooMuch("depth"))
	}
	l.skip()
	if l.at >= len(l.b) {
		return end{}
	}
	if !l.content {
		take(&l.left.values, 1, "values")
	}
	from := l.at
	v := l.value(l.b[l.at], depth)
	if l.at == from {
		l.at++
	}
	switch v := v.(type) {
	case array, dict: // their elements were counted
	case text:
		l.left.spend(perValue + l.at - from + 3*len(v)) // strings take extra memory
	default:
		l.left.spend(perValue + l.at - from)
	}
	return v
}

func (l *lexer) value(c byte, depth int) any {
	switch {
	case c == '/':
		return l.name()
	case c == '(':
		return l.literal()
	case c == '<':
		if l.at+1 < len(l.b) && l.b[l.at+1] == '<' {
			l.at += 2
			return l.dict(depth)
		}
		return l.hex()
	case c == '[':
		l.at++
		return l.array(depth)
	case c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.':
		return l.number()
	case c == '>' && l.at+1 < len(l.b) && l.b[l.at+1] == '>':
		l.at += 2
		return operator(">>")
	case delimiter(c):
		l.at++
		return operator(l.b[l.at-1 : l.at])
	}
	switch w := l.word(); string(w) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	default:
		return operator(w)
	}
}

// word reads the regular characters from the current position.
func (l *lexer) word() []byte {
	from := l.at
	for l.at < len(l.b) && !space(l.b[l.at]) && !delimiter(l.b[l.at]) {
		l.at++
	}
	return l.b[from:l.at]
}

func (l *lexer) name() name {
	l.at++
	w := l.word()
	if bytes.IndexByte(w, '#') < 0 {
		return name(w)
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) && digit(w[i+1]) < 16 && digit(w[i+2]) < 16 {
			out = append(out, digit(w[i+1])<<4|digit(w[i+2]))
			i += 2
		} else {
			out = append(out, w[i])
		}
	}
	return name(out)
}

// digit returns the value of a hexadecimal digit, or 255 for other bytes.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

func (l *lexer) literal() text {
	from := l.at
	l.at++
	var out []byte
	for deep := 1; l.at < len(l.b); l.at++ {
		switch c := l.b[l.at]; c {
		case '(':
			deep++
		case ')':
			if deep--; deep == 0 {
				l.at++
				return text(out)
			}
		case '\\':
			l.at++
			out = l.escape(out)
			continue
		}
		if out = append(out, l.b[l.at]); len(out) > maxString {
			panic(tooMuch("bytes of a string"))
		}
	}
	panic(l.broken(from, "a string without end"))
}

// broken returns a failure, and counts the scanned bytes as work because they may be scanned
// again.
func (l *lexer) broken(from int, why string) failure {
	l.left.spend(l.at - from)
	return malformed(why)
}

// escape reads an escape sequence after the backslash, and stops at its last byte.
func (l *lexer) escape(out []byte) []byte {
	if l.at >= len(l.b) {
		return out
	}
	switch c := l.b[l.at]; c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.at+1 < len(l.b) && l.b[l.at+1] == '\n' {
			l.at++
		}
		return out
	default:
		if c < '0' || c > '7' {
			return append(out, c)
		}
		n := 0
		for i := 0; i < 3 && l.at < len(l.b) && l.b[l.at] >= '0' && l.b[l.at] <= '7'; i++ {
			n = n<<3 | int(l.b[l.at]-'0')
			l.at++
		}
		l.at--
		return append(out, byte(n))
	}
}

func (l *lexer) hex() text {
	from := l.at
	l.at++
	var out []byte
	half, odd := byte(0), false
	for ; l.at < len(l.b); l.at++ {
		c := l.b[l.at]
		if c == '>' {
			l.at++
			if odd {
				out = append(out, half<<4)
			}
			return text(out)
		}
		d := digit(c)
		if d == 255 {
			if space(c) {
				continue
			}
			panic(l.broken(from, "a hexadecimal string with something else in it"))
		}
		if odd {
			if out = append(out, half<<4|d); len(out) > maxString {
				panic(tooMuch("bytes of a string"))
			}
		}
		half, odd = d, !odd
	}
	panic(l.broken(from, "a string without end"))
}

// number reads an integer or a real number, or in objects also a reference, which begins with
// an integer.
func (l *lexer) number() any {
	w := l.word()
	n, whole := integer(w)
	if !whole {
		if len(w) > 32 {
			w = w[:32]
		}
		f, err := strconv.ParseFloat(string(w), 64)
		if err != nil || f != f || f > 1e12 || f < -1e12 {
			return 0.0 // like other readers
		}
		return f
	}
	if l.content || n < 0 || w[0] == '+' {
		return n
	}
	after := l.at
	l.skip()
	w = l.word()
	l.left.spend(len(w)) // the word is read again if this is not a reference
	gen, ok := integer(w)
	if ok && gen >= 0 && gen < 1<<16 {
		l.skip()
		if l.at < len(l.b) && l.b[l.at] == 'R' && (l.at+1 == len(l.b) || space(l.b[l.at+1]) || delimiter(l.b[l.at+1])) {
			l.at++
			return ref{n, gen}
		}
	}
	l.at = after
	return n
}

// integer parses up to ten digits, which a sign may precede.
func integer(w []byte) (n int, ok bool) {
	digits := w
	if len(w) > 0 && (w[0] == '-' || w[0] == '+') {
		digits = w[1:]
	}
	if len(digits) == 0 || len(digits) > 10 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if w[0] == '-' {
		n = -n
	}
	return n, true
}

func (l *lexer) array(depth int) array {
	out := array{}
	for {
		switch v := l.next(depth + 1).(type) {
		case end:
			panic(malformed("an array without end"))
		case operator:
			if v == "]" {
				return out
			}
			panic(malformed("an array with something else in it"))
		default:
			if out = append(out, v); len(out) > 1<<16 {
				panic(tooMuch("values of an array"))
			}
		}
	}
}

func (l *lexer) dict(depth int) dict {
	out := dict{}
	for {
		switch k := l.next(depth + 1).(type) {
		case name:
			v := l.next(depth + 1)
			if op, bad := v.(operator); bad {
				if op == ">>" { // a key without a value
					return out
				}
				panic(malformed("a dictionary with something else in it"))
			}
			if _, over := v.(end); over {
				panic(malformed("a dictionary without end"))
			}
			if out = append(out, entry{k, v}); len(out) > 1<<12 {
				panic(tooMuch("entries of a dictionary"))
			}
		case operator:
			if k == ">>" {
				return out
			}
			panic(malformed("a dictionary with something else in it"))
		default:
			panic(malformed("a dictionary without names"))
		}
	}
}
