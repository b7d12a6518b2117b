// Package prefilljson parses a prefill object from JSON for package prefill, which must
// not import encoding/json because it runs in the browser. Values keep their JSON types,
// so that the rules can refuse a wrong one. A duplicate member is refused here, also if
// its name is escaped differently.
package prefilljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/strictjson"
	"vestibule/internal/suggest"
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

// Details returns the details of an error about problems of a prefill: for developers what the API
// accepts, and for applicants what to enter. No value is quoted.
func Details(rules prefill.Rules, object prefill.Object, problems []prefill.Problem) []httpx.Detail {
	details := make([]httpx.Detail, len(problems))
	for i, p := range problems {
		d := httpx.Detail{Field: "prefill." + p.Field, Code: string(p.Code), Applicant: i18n.T(i18n.English, p.Text)}
		switch {
		case p.Code == contract.WidgetPrefillKey:
			d.Message, d.Applicant = "is not a key of this prefill"+suggest.Hint(p.Field, prefill.Keys(rules.Product)), ""
		case p.Code == contract.WidgetPIIMissing:
			if d.Message = "is required"; !rules.Requires(p.Field) {
				d.Message += ": give dob, or address, city, state and zip"
			}
		case p.Field == prefill.StatedEmployerName: // which has no error type of its own
			d.Message = "must be a string of 1 to 255 characters"
		default:
			d.Message = strings.TrimSuffix(strings.TrimPrefix(p.Code.Info().Engineer, p.Field+" "), ".")
		}
		empty := func(m prefill.Member) bool {
			return m.Key == p.Field && (m.Value.Kind == prefill.Text || m.Value.Kind == prefill.List) && m.Value.Text == "" && len(m.Value.List) == 0
		}
		if slices.ContainsFunc(object, empty) && strings.HasPrefix(d.Message, "must ") {
			d.Message = "is empty; it " + d.Message
		}
		details[i] = d
	}
	return details
}
