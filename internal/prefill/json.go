package prefill

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Parse reads a JSON object into an Object, as package prefilljson does for the
// servers with encoding/json, which is too heavy for the browser; a fuzz test
// holds the two to the same answers. It reports false for anything but one
// well-formed object whose members all differ, nested no deeper than 100.
func Parse(text string) (Object, bool) {
	p := parser{text: text, ok: true}
	p.space()
	if !p.next('{') {
		return nil, false
	}
	o := make(Object, 0, len(keys))
	p.members('}', func() {
		key := p.str()
		p.space()
		if !p.next(':') {
			p.ok = false
			return
		}
		for _, m := range o {
			if m.Key == key {
				p.ok = false
			}
		}
		o = append(o, Member{key, p.value(1)})
	})
	p.space()
	return o, p.ok && p.at == len(p.text)
}

type parser struct {
	text string
	at   int
	ok   bool // false once something was not JSON
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) next(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// members reads what stands between a bracket, which has been read, and end.
func (p *parser) members(end byte, member func()) {
	p.space()
	if p.next(end) {
		return
	}
	for p.ok {
		p.space()
		member()
		p.space()
		if p.next(end) {
			return
		}
		p.ok = p.ok && p.next(',')
	}
}

func (p *parser) value(depth int) Value {
	p.space()
	if depth > 100 {
		p.ok = false
		return Value{}
	}
	switch c := p.peek(); {
	case c == '"':
		return String(p.str())
	case c == '-' || digit(c):
		return p.number()
	case c == '[':
		p.at++
		list := []Value{}
		p.members(']', func() { list = append(list, p.value(depth+1)) })
		return Value{Kind: List, List: list}
	case c == '{':
		p.at++
		p.members('}', func() {
			p.str()
			p.space()
			p.ok = p.ok && p.next(':')
			p.value(depth + 1)
		})
		return Value{Kind: Other}
	case p.word("null"):
		return Value{}
	case p.word("true"), p.word("false"):
		return Value{Kind: Other}
	}
	p.ok = false
	return Value{}
}

func (p *parser) word(w string) bool {
	if strings.HasPrefix(p.text[p.at:], w) {
		p.at += len(w)
		return true
	}
	return false
}

// number: one that no float holds is right for no key.
func (p *parser) number() Value {
	start := p.at
	p.next('-')
	if !p.next('0') {
		p.digits()
	}
	if p.next('.') {
		p.digits()
	}
	if p.next('e') || p.next('E') {
		if !p.next('+') {
			p.next('-')
		}
		p.digits()
	}
	f, err := strconv.ParseFloat(p.text[start:p.at], 64)
	if err != nil {
		return Value{Kind: Other}
	}
	return Float(f)
}

func (p *parser) digits() {
	start := p.at
	for digit(p.peek()) {
		p.at++
	}
	p.ok = p.ok && p.at > start
}

// str reads a string. Most have neither escapes nor broken UTF-8, and are taken
// as they stand.
func (p *parser) str() string {
	if !p.next('"') {
		p.ok = false
		return ""
	}
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			p.at++
			return valid(s)
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			p.ok = false
			return ""
		}
		p.at++
	}
	p.ok = false
	return ""
}

// escaped reads on from the first escape of the string that began at start.
func (p *parser) escaped(start int) string {
	out := []byte(p.text[start:p.at])
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return valid(string(out))
		case c < ' ':
			p.ok = false
			return ""
		case c != '\\':
			out = append(out, c)
			continue
		}
		e := p.peek()
		p.at++
		switch e {
		case '"', '\\', '/':
			out = append(out, e)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			out = utf8.AppendRune(out, p.unicode())
		default:
			p.ok = false
			return ""
		}
	}
	p.ok = false
	return ""
}

// valid puts U+FFFD for each byte that is not UTF-8.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// unicode reads the four digits after \u, and those of the second half of a
// pair where one follows. Half a pair is U+FFFD.
func (p *parser) unicode() rune {
	c := p.hex()
	if utf16.IsSurrogate(c) && strings.HasPrefix(p.text[p.at:], `\u`) {
		before := p.at
		p.at += 2
		if both := utf16.DecodeRune(c, p.hex()); both != utf8.RuneError {
			return both
		}
		p.at = before
	}
	if utf16.IsSurrogate(c) {
		return utf8.RuneError
	}
	return c
}

func (p *parser) hex() rune {
	var n rune
	for range 4 {
		c := p.peek()
		switch {
		case digit(c):
			n = n<<4 + rune(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 + rune(c-'a') + 10
		case c >= 'A' && c <= 'F':
			n = n<<4 + rune(c-'A') + 10
		default:
			p.ok = false
			return 0
		}
		p.at++
	}
	return n
}
