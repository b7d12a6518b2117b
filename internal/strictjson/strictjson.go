// Package strictjson parses JSON for signed tokens, webhooks and requests. Unlike
// encoding/json, which keeps the last of two members with one name, it refuses repeated
// members, so that two readers of a document cannot disagree (RFC 8259, section 4). It
// is also faster than encoding/json's tokens.
package strictjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Object is a JSON object with its members in the order of the document.
type Object []Member

// Member is one member of an Object. Value is a string, json.Number, bool, nil,
// []any or Object.
type Member struct {
	Name  string
	Value any
}

// Get returns the value of the first member with that name.
func (o Object) Get(name string) (value any, ok bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Error is an error in a document. Path is like accounts[2].name, and empty for the
// document itself; it may contain input.
type Error struct{ Path, Message string }

func (e *Error) Error() string { return "JSON document " + e.Message }

// Parse parses one JSON value: valid UTF-8, nothing after it, arrays and objects nested
// at most maxDepth deep, and no repeated members. Errors are of type *Error.
func Parse(raw []byte, maxDepth int) (any, error) { return parse(raw, maxDepth, false) }

// ParseObject is Parse for a document that must be an object.
func ParseObject(raw []byte, maxDepth int) (Object, error) {
	v, err := Parse(raw, maxDepth)
	if err != nil {
		return nil, err
	}
	o, ok := v.(Object)
	if !ok {
		return nil, &Error{Message: "must be an object"}
	}
	return o, nil
}

// ParseAll is Parse for callers that report every error: it keeps repeated members, and
// with an error returns what precedes it.
func ParseAll(raw []byte, maxDepth int) (any, error) { return parse(raw, maxDepth, true) }

func parse(raw []byte, maxDepth int, duplicates bool) (any, error) {
	if !utf8.Valid(raw) {
		return nil, &Error{Message: "is not valid UTF-8"}
	}
	p := parser{raw: raw, depth: maxDepth, duplicates: duplicates}
	v := p.value()
	if p.err == nil && p.next() != 0 {
		p.fail("has something after the JSON value" + p.position())
	}
	if p.err != nil {
		return v, p.err
	}
	return v, nil
}

type parser struct {
	raw        []byte
	at         int
	depth      int // remaining levels of nesting
	duplicates bool
	path       []step
	err        *Error
}

// step is a member of an object or, with an empty name, an element of an array.
type step struct {
	name   string
	index  int
	member bool
}

// fail records the first error, which ends the parsing.
func (p *parser) fail(message string) {
	if p.err != nil {
		return
	}
	var path strings.Builder
	for i, s := range p.path {
		switch {
		case !s.member:
			path.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			path.WriteString("." + s.name)
		default:
			path.WriteString(s.name)
		}
	}
	p.err = &Error{Path: path.String(), Message: message}
}

// invalid records that the document is not JSON, and where.
func (p *parser) invalid() {
	switch {
	case p.at < len(p.raw):
		p.fail("is not valid JSON" + p.position())
	case len(bytes.TrimSpace(p.raw)) == 0:
		p.fail("is empty")
	default:
		p.fail("ends before the JSON is complete")
	}
}

// position returns where the parser is, for an error.
func (p *parser) position() string {
	before := p.raw[:p.at]
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return " near line " + strconv.Itoa(bytes.Count(before, []byte("\n"))+1) + ", column " + strconv.Itoa(column)
}

// next skips white space and returns the next byte without consuming it; 0 at the end.
func (p *parser) next() byte {
	for ; p.at < len(p.raw); p.at++ {
		switch c := p.raw[p.at]; c {
		case ' ', '\t', '\n', '\r':
		case 0:
			return 1 // no value begins with this byte
		default:
			return c
		}
	}
	return 0
}

func (p *parser) value() any {
	switch c := p.next(); c {
	case '{':
		if p.open() {
			return p.object()
		}
	case '[':
		if p.open() {
			return p.array()
		}
	case '"':
		return p.text()
	case 't':
		return p.literal("true", true)
	case 'f':
		return p.literal("false", false)
	case 'n':
		return p.literal("null", nil)
	default:
		return p.number()
	}
	return nil
}

// open consumes the bracket that begins an object or an array.
func (p *parser) open() bool {
	if p.depth == 0 {
		p.fail("is nested too deeply")
		return false
	}
	p.depth--
	p.at++
	return true
}

// more reports whether another element follows, and consumes the comma before it or the
// closing bracket.
func (p *parser) more(first bool, end byte) bool {
	if p.err != nil {
		return false
	}
	switch c := p.next(); {
	case c == end:
		p.at++
		p.depth++
		return false
	case first:
		return true
	case c == ',':
		p.at++
		return true
	}
	p.invalid()
	return false
}

func (p *parser) object() Object {
	o := Object{}
	var seen map[string]bool // of large objects
	for p.more(len(o) == 0, '}') {
		if p.next() != '"' {
			p.invalid()
			break
		}
		name := p.text()
		p.path = append(p.path, step{name: name, member: true})
		if p.next() != ':' {
			p.invalid()
			break
		}
		p.at++
		if !p.duplicates {
			if seen == nil && len(o) == 16 {
				seen = map[string]bool{}
				for _, m := range o {
					seen[m.Name] = true
				}
			}
			twice := seen[name]
			if seen == nil {
				_, twice = o.Get(name)
			} else {
				seen[name] = true
			}
			if twice {
				p.fail("is given twice")
				break
			}
		}
		o = append(o, Member{name, nil})
		o[len(o)-1].Value = p.value()
		p.path = p.path[:len(p.path)-1]
	}
	return o
}

func (p *parser) array() []any {
	list := []any{}
	for p.more(len(list) == 0, ']') {
		p.path = append(p.path, step{index: len(list)})
		list = append(list, p.value())
		p.path = p.path[:len(p.path)-1]
	}
	return list
}

// text parses a string. encoding/json decodes one with escapes.
func (p *parser) text() string {
	from, escaped := p.at, false
	for p.at++; p.at < len(p.raw); p.at++ {
		switch c := p.raw[p.at]; {
		case c == '"':
			p.at++
			if !escaped {
				return string(p.raw[from+1 : p.at-1])
			}
			var s string
			if json.Unmarshal(p.raw[from:p.at], &s) != nil {
				p.invalid()
			}
			return s
		case c == '\\':
			escaped = true
			p.at++
		case c < ' ':
			p.invalid()
			return ""
		}
	}
	p.invalid()
	return ""
}

func (p *parser) literal(word string, v any) any {
	if !strings.HasPrefix(string(p.raw[p.at:min(len(p.raw), p.at+len(word))]), word) {
		p.invalid()
		return nil
	}
	p.at += len(word)
	return v
}

func (p *parser) number() any {
	from := p.at
	for p.at < len(p.raw) && (p.raw[p.at] >= '0' && p.raw[p.at] <= '9' || strings.IndexByte("+-.eE", p.raw[p.at]) >= 0) {
		p.at++
	}
	if !json.Valid(p.raw[from:p.at]) {
		p.invalid()
		return nil
	}
	return json.Number(p.raw[from:p.at])
}
