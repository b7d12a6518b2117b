package submissions

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON tokens from a stream through a window of fixed size: its memory
// does not grow with the body. The first failure is stored in err, after which every
// call returns zero values, so that loops over members end.
type scanner struct {
	src         io.Reader
	buf         []byte
	pos, len    int
	spareBuffer []byte // of a string with escapes, or on the edge of the window
	label       [maxName]byte
	err         error
}

const (
	window   = 32 << 10
	maxName  = 64   // bytes kept of a member's name; no name of the table has half of it
	maxText  = 4096 // bytes kept of a string; no string of the table has that many
	maxDepth = 32   // of what is skipped
)

// errSyntax is returned for a body that is not JSON.
var errSyntax = errors.New("submissions: not valid JSON")

func newScanner(src io.Reader) scanner {
	return scanner{src: src, buf: make([]byte, window)}
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	s.pos, s.len = 0, 0
}

// fill reads more input if the window is used up; false at the end or on failure.
func (s *scanner) fill() bool {
	for s.pos == s.len && s.err == nil {
		n, err := s.src.Read(s.buf)
		s.pos, s.len = 0, n
		if n == 0 && err != nil {
			if err != io.EOF {
				s.fail(err)
			}
			return false
		}
	}
	return s.err == nil
}

// peek skips white space and returns the next byte; 0 at the end.
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
		s.fail(errSyntax)
	}
}

// one consumes the next byte; 0 and a failure at the end.
func (s *scanner) one() byte {
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

// more moves to the next member or element after n of them and reports whether there
// is one; otherwise it consumes the closing byte.
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
	n := copy(s.label[:], s.text())
	for n > 0 && n == maxName && !utf8.Valid(s.label[:n]) {
		n-- // cut within a character
	}
	s.expect(':')
	return s.label[:n]
}

// text reads the string at the next quote. The result is valid until the next call.
// Strings longer than all limits are cut to a length that is still too long.
func (s *scanner) text() []byte {
	s.pos++
	for i := s.pos; i < s.len; i++ {
		c := s.buf[i]
		if c == '"' {
			t := s.buf[s.pos:i]
			s.pos = i + 1
			return s.utf8(t)
		}
		if c == '\\' || c < ' ' {
			break
		}
	}
	s.spareBuffer = s.spareBuffer[:0]
	for s.err == nil {
		c := s.one()
		switch {
		case c == '"':
			return s.utf8(s.spareBuffer)
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
			s.rest()
			return s.utf8(s.spareBuffer)
		}
	}
	return nil
}

// rest skips the rest of a string.
func (s *scanner) rest() {
	var char [utf8.UTFMax]byte
	for s.err == nil {
		switch c := s.one(); {
		case c == '"':
			return
		case c == '\\':
			s.escape(char[:0])
		case c < ' ':
			s.fail(errSyntax)
		}
	}
}

func (s *scanner) utf8(t []byte) []byte {
	if !utf8.Valid(t) {
		s.fail(errSyntax)
		return nil
	}
	return t
}

// escape reads the escape after a backslash. Half a surrogate pair is invalid.
func (s *scanner) escape(to []byte) []byte {
	c := s.one()
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		return append(to, "\"\\/\b\f\n\r\t"[i])
	}
	if c != 'u' {
		s.fail(errSyntax)
		return to
	}
	r := s.hex()
	if utf16.IsSurrogate(r) {
		if s.one() != '\\' || s.one() != 'u' {
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
		c := s.one()
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

// number reads a number as written; one longer than every amount is cut.
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
		if s.one() != word[i] {
			s.fail(errSyntax)
			return
		}
	}
}

// skip consumes any value.
func (s *scanner) skip(depth int) {
	switch c := s.peek(); {
	case depth > maxDepth:
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
