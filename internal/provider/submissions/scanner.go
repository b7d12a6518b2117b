package submissions

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON tokens from a stream through a buffer of fixed size, so that its
// memory does not grow with the body. After the first error, which is in err, every
// call returns zero values, so that loops over members end.
type scanner struct {
	src         io.Reader
	buf         []byte
	pos, len    int
	spareBuffer []byte // for numbers, and strings with escapes or across the end of buf
	nameBuffer  [maxName]byte
	err         error
	before      int // bytes before buf
	ended       bool
	problem     string // of errSyntax: what is wrong, and where
}

const (
	bufferSize = 32 << 10
	maxName    = 64   // bytes kept of a member's name; longer than all names
	maxText    = 4096 // bytes kept of a string; longer than all limits
	maxDepth   = 32   // of skipped values
)

// errSyntax is returned for a body that is not JSON.
var errSyntax = errors.New("submissions: not valid JSON")

func newScanner(src io.Reader) scanner { return scanner{src: src, buf: make([]byte, bufferSize)} }

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
		if s.problem == "" && s.ended {
			s.problem = "ends before the JSON is complete"
		}
		s.problem = cmp.Or(s.problem, "is not valid JSON near byte "+strconv.Itoa(s.before+s.pos+1))
	}
	s.pos, s.len = 0, 0
}

// fill reads more input if the buffer is empty. It returns false at the end and after an
// error.
func (s *scanner) fill() bool {
	for s.pos == s.len && s.err == nil {
		s.before += s.len
		n, err := s.src.Read(s.buf)
		s.pos, s.len = 0, n
		if n == 0 && err != nil {
			if s.ended = err == io.EOF; !s.ended {
				s.fail(err)
			}
			return false
		}
	}
	return s.err == nil
}

// peek skips white space and returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < s.len || s.fill() {
		switch c := s.buf[s.pos]; c {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// end fails unless only white space is left.
func (s *scanner) end() {
	if s.peek() != 0 || s.pos < s.len {
		s.problem = "has something after the JSON value, at byte " + strconv.Itoa(s.before+s.pos+1)
		s.fail(errSyntax)
	}
}

// next consumes the next byte. At the end it fails and returns 0.
func (s *scanner) next() byte {
	if s.pos == s.len && !s.fill() {
		s.fail(errSyntax)
		return 0
	}
	s.pos++
	return s.buf[s.pos-1]
}

// expect skips white space and consumes the expected byte.
func (s *scanner) expect(want byte) {
	if s.peek() != want {
		s.fail(errSyntax)
		return
	}
	s.pos++
}

// more moves to the next member or element after n of them. If there is none, it
// consumes the closing byte and returns false.
func (s *scanner) more(n int, end byte) bool {
	c := s.peek()
	if c == end {
		s.pos++
		return false
	}
	if c == 0 {
		s.fail(errSyntax)
		return false
	}
	if n == 0 {
		return true
	}
	s.expect(',')
	if s.peek() == end {
		s.fail(errSyntax)
	}
	return s.err == nil
}

// name reads a member's name and the colon. The result is valid until the next name.
func (s *scanner) name() []byte {
	if s.peek() != '"' {
		s.fail(errSyntax)
		return nil
	}
	n := copy(s.nameBuffer[:], s.text())
	for n > 0 && n == maxName && !utf8.Valid(s.nameBuffer[:n]) {
		n-- // cut within a character
	}
	s.expect(':')
	return s.nameBuffer[:n]
}

// text reads the string at the next quote. The result is valid until the next call. A
// string of more than maxText bytes is cut to about maxText.
func (s *scanner) text() []byte {
	s.pos++
	for i := s.pos; i < s.len; i++ {
		c := s.buf[i]
		if c == '"' {
			t := s.buf[s.pos:i]
			s.pos = i + 1
			return s.checkUTF8(t)
		}
		if c == '\\' || c < ' ' {
			break
		}
	}
	s.spareBuffer = s.spareBuffer[:0]
	for s.err == nil {
		c := s.next()
		switch {
		case c == '"':
			return s.checkUTF8(s.spareBuffer)
		case c == '\\':
			s.spareBuffer = s.escape(s.spareBuffer)
		case c < ' ':
			s.fail(errSyntax)
		default:
			s.spareBuffer = append(s.spareBuffer, c)
		}
		if len(s.spareBuffer) > maxText+utf8.UTFMax {
			// Drop the rest of a cut character, which would be invalid.
			cut := s.spareBuffer[:maxText]
			for len(cut) > 0 && !utf8.RuneStart(s.spareBuffer[len(cut)]) {
				cut = cut[:len(cut)-1]
			}
			s.spareBuffer = cut
			s.skipString()
			return s.checkUTF8(s.spareBuffer)
		}
	}
	return nil
}

func (s *scanner) skipString() {
	var char [utf8.UTFMax]byte
	for s.err == nil {
		switch c := s.next(); {
		case c == '"':
			return
		case c == '\\':
			s.escape(char[:0])
		case c < ' ':
			s.fail(errSyntax)
		}
	}
}

func (s *scanner) checkUTF8(t []byte) []byte {
	if !utf8.Valid(t) {
		s.fail(errSyntax)
		return nil
	}
	return t
}

// escape appends the character of the escape after a backslash. Half a surrogate pair is
// invalid.
func (s *scanner) escape(to []byte) []byte {
	c := s.next()
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		return append(to, "\"\\/\b\f\n\r\t"[i])
	}
	if c != 'u' {
		s.fail(errSyntax)
		return to
	}
	r := s.hex()
	if utf16.IsSurrogate(r) {
		if s.next() != '\\' || s.next() != 'u' {
			s.fail(errSyntax)
		}
		if r = utf16.DecodeRune(r, s.hex()); r == utf8.RuneError {
			s.fail(errSyntax)
		}
	}
	return utf8.AppendRune(to, r)
}

func (s *scanner) hex() rune {
	var r rune
	for range 4 {
		c := s.next()
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			s.fail(errSyntax)
		}
		r = r<<4 | rune(c)
	}
	return r
}

// number reads a number as written. A number of more than 64 bytes is cut.
func (s *scanner) number() []byte {
	s.spareBuffer = s.spareBuffer[:0]
	for s.pos < s.len || s.fill() {
		c := s.buf[s.pos]
		if c < '0' && c != '-' && c != '+' && c != '.' || c > '9' && c != 'e' && c != 'E' {
			break
		}
		s.pos++
		if len(s.spareBuffer) < 64 {
			s.spareBuffer = append(s.spareBuffer, c)
		}
	}
	if len(s.spareBuffer) < 64 && !isNumber(s.spareBuffer) {
		s.fail(errSyntax)
	}
	return s.spareBuffer
}

// isNumber reports whether t matches JSON's grammar of numbers.
func isNumber(t []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(t) && t[n] >= '0' && t[n] <= '9' {
			n++
		}
		t = t[n:]
		return n > 0
	}
	if len(t) > 0 && t[0] == '-' {
		t = t[1:]
	}
	if len(t) > 1 && t[0] == '0' && t[1] >= '0' && t[1] <= '9' || !digits() {
		return false
	}
	if len(t) > 0 && t[0] == '.' {
		if t = t[1:]; !digits() {
			return false
		}
	}
	if len(t) > 0 && (t[0] == 'e' || t[0] == 'E') {
		if t = t[1:]; len(t) > 0 && (t[0] == '+' || t[0] == '-') {
			t = t[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(t) == 0
}

// null consumes a null if it is next.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.literal("null")
	return true
}

func (s *scanner) literal(word string) {
	for i := range len(word) {
		if s.next() != word[i] {
			s.fail(errSyntax)
			return
		}
	}
}

// skip consumes any value.
func (s *scanner) skip(depth int) {
	switch c := s.peek(); {
	case depth > maxDepth:
		s.problem = "is nested too deeply"
		s.fail(errSyntax)
	case c == '"':
		s.text()
	case c == '{':
		s.pos++
		for n := 0; s.more(n, '}'); n++ {
			s.name()
			s.skip(depth + 1)
		}
	case c == '[':
		s.pos++
		for n := 0; s.more(n, ']'); n++ {
			s.skip(depth + 1)
		}
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == 'n':
		s.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		s.number()
	default:
		s.fail(errSyntax)
	}
}
