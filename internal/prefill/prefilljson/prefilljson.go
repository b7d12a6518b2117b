// Package prefilljson parses a prefill object from JSON for package prefill, which must
// not import encoding/json because it runs in the browser. Values keep their JSON types,
// so that the rules can refuse a wrong one. A duplicate member is refused here, also if
// its name is escaped differently.
package prefilljson

import (
	"bytes"
	"encoding/json"
	"errors"

	"vestibule/internal/prefill"
	"vestibule/internal/strictjson"
)

// maxDepth is the maximum nesting, far more than a valid prefill has.
const maxDepth = 32

// ErrShape is Decode's error for input that is not one well-formed object with distinct
// members.
var ErrShape = errors.New("prefill is not a JSON object")

// Decode parses an object. JSON's null and empty input give a nil Object: no prefill was
// sent.
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
