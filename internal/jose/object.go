package jose

import (
	"bytes"
	"encoding/json"
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
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, ok := parseValue(dec, 0)
	if !ok {
		return nil, false
	}
	o, ok := v.(object)
	return o, ok
}

func parseValue(dec *json.Decoder, depth int) (any, bool) {
	tok, err := dec.Token()
	if err != nil {
		return nil, false
	}
	delim, nested := tok.(json.Delim)
	if !nested {
		return tok, true
	}
	if depth == maxDepth {
		return nil, false
	}
	if delim == '[' {
		list := []any{}
		for dec.More() {
			v, ok := parseValue(dec, depth+1)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err == nil
	}
	o := object{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, false
		}
		name, _ := tok.(string)
		if _, twice := o[name]; twice {
			return nil, false
		}
		v, ok := parseValue(dec, depth+1)
		if !ok {
			return nil, false
		}
		o[name] = v
	}
	_, err = dec.Token()
	return o, err == nil
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
