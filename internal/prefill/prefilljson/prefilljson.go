// Package prefilljson reads a prefill object from JSON for the rules of package
// prefill, which must not import encoding/json because they run in the browser.
// Every type survives, so that a number where a string belongs is for the rules
// to refuse; a member that stands twice, in whatever spelling of its name, is
// refused here.
package prefilljson

import (
	"bytes"
	"encoding/json"
	"errors"

	"vestibule/internal/prefill"
	"vestibule/internal/strictjson"
)

// maxDepth bounds the nesting of a prefill, whose deepest member is a list of objects.
const maxDepth = 32

// ErrShape is what Decode answers for anything but one well-formed object whose
// members all differ.
var ErrShape = errors.New("prefill is not a JSON object")

// Decode reads an object. The JSON null, like no bytes at all, is a nil Object:
// no prefill was given.
func Decode(raw []byte) (prefill.Object, error) {
	raw = bytes.Trim(raw, " \t\r\n")
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	v, err := strictjson.ParseObject(raw, maxDepth)
	if err != nil {
		return nil, ErrShape
	}
	o := prefill.Object{}
	for _, m := range v {
		o = append(o, prefill.Member{Key: m.Name, Value: value(m.Value)})
	}
	return o, nil
}

// value converts a value of package strictjson.
func value(v any) prefill.Value {
	switch v := v.(type) {
	case nil:
		return prefill.Value{}
	case string:
		return prefill.String(v)
	case json.Number:
		return prefill.Value{Kind: prefill.Number, Text: v.String()}
	case []any:
		list := make([]prefill.Value, len(v))
		for i := range v {
			list[i] = value(v[i])
		}
		return prefill.Value{Kind: prefill.List, List: list}
	}
	return prefill.Value{Kind: prefill.Other}
}
