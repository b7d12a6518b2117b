package jose

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a header, of claims and of a key.
const maxDepth = 8

// object is a JSON object that was read strictly. Its values are string,
// json.Number, bool, nil, []any and object.
type object map[string]any

// parseObject reads raw as one JSON object: valid UTF-8, nothing after it, no
// member named twice at any depth, no deeper than maxDepth.
func parseObject(raw []byte) (object, bool) {
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return nil, false
	}
	r := reader{raw: raw}
	v, ok := r.value(0)
	o, isObject := v.(object)
	return o, ok && isObject
}

// reader walks over bytes that encoding/json has found to be one valid value. It
// exists because the standard decoders either pass doubled members or, token by
// token, take longer over a header and claims than a tenth of the signature.
type reader struct {
	raw []byte
	at  int
}

// value reads the next value. It fails for doubled members and deep nesting; by
// then raw is known to be valid, so nothing else can.
func (r *reader) value(depth int) (any, bool) {
	switch r.next() {
	case '{':
		if depth == maxDepth {
			return nil, false
		}
		r.at++
		o := object{}
		for r.more('}') {
			name := r.text()
			r.next()
			r.at++ // the colon
			v, ok := r.value(depth + 1)
			if _, twice := o[name]; twice || !ok {
				return nil, false
			}
			o[name] = v
		}
		return o, true
	case '[':
		if depth == maxDepth {
			return nil, false
		}
		r.at++
		list := []any{}
		for r.more(']') {
			v, ok := r.value(depth + 1)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case '"':
		return r.text(), true
	case 't':
		r.at += len("true")
		return true, true
	case 'f':
		r.at += len("false")
		return false, true
	case 'n':
		r.at += len("null")
		return nil, true
	}
	from := r.at
	for r.at < len(r.raw) && (r.raw[r.at] >= '0' && r.raw[r.at] <= '9' || strings.IndexByte("+-.eE", r.raw[r.at]) >= 0) {
		r.at++
	}
	return json.Number(r.raw[from:r.at]), true
}

// next skips white space and returns the byte after it without taking it.
func (r *reader) next() byte {
	for r.raw[r.at] == ' ' || r.raw[r.at] == '\t' || r.raw[r.at] == '\n' || r.raw[r.at] == '\r' {
		r.at++
	}
	return r.raw[r.at]
}

// more reports whether an element follows, and takes the comma before it or the
// end after the last.
func (r *reader) more(end byte) bool {
	switch r.next() {
	case end:
		r.at++
		return false
	case ',':
		r.at++
	}
	return true
}

// text reads the string that begins at the next byte.
func (r *reader) text() string {
	r.next()
	from, escaped := r.at, false
	for r.at++; r.raw[r.at] != '"'; r.at++ {
		if r.raw[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	if !escaped {
		return string(r.raw[from+1 : r.at-1])
	}
	var s string
	json.Unmarshal(r.raw[from:r.at], &s) // a valid string always decodes
	return s
}

// text returns the member name: whether it is there and, if so, a string.
func (o object) text(name string) (value string, there, ok bool) {
	v, there := o[name]
	if !there {
		return "", false, true
	}
	value, ok = v.(string)
	return value, true, ok
}

// seconds returns the member name as a time in whole seconds of Unix time. A
// string, a fraction, an exponent, a sign, or more than eleven digits (which
// milliseconds would have) is not one.
func (o object) seconds(name string) (int64, bool) {
	n, ok := o[name].(json.Number)
	if !ok || len(n) > 11 {
		return 0, false
	}
	var v int64
	for i := 0; i < len(n); i++ {
		if n[i] < '0' || n[i] > '9' {
			return 0, false
		}
		v = v*10 + int64(n[i]-'0')
	}
	return v, true
}
