package embed

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"vestibule/internal/door"
	"vestibule/internal/prefill"
	"vestibule/internal/svc"
)

// applicant holds the prefill of a request against the rules of the product.
func (a *API) applicant(product svc.Product, raw json.RawMessage) (*prefill.Fields, error) {
	object, ok := toObject(raw)
	if !ok {
		return nil, door.Fail(svc.CodeMalformedBody, errors.New("prefill is no object"), door.Detail{Field: "prefill", Message: "must be an object"})
	}
	rules := prefill.Rules{Product: product, Environment: a.Environment, Today: today(a.Now())}
	fields, problems := rules.Check(object)
	if len(problems) > 0 {
		return nil, refusedPrefill(problems)
	}
	return &fields, nil
}

func today(now time.Time) prefill.Date { return prefill.DateOf(now.UTC().Date()) }

// toObject reads a JSON object, which has been checked for form, as one of
// prefill's, in the order of its members.
func toObject(raw json.RawMessage) (prefill.Object, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	object := prefill.Object{}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		var value any
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, false
		}
		object = append(object, prefill.Member{Key: name, Value: toValue(value)})
	}
	return object, true
}

func toValue(v any) prefill.Value {
	switch v := v.(type) {
	case nil:
		return prefill.Value{}
	case string:
		return prefill.String(v)
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return prefill.Float(f)
		}
	case []any:
		list := make([]prefill.Value, len(v))
		for i := range v {
			list[i] = toValue(v[i])
		}
		return prefill.Value{Kind: prefill.List, List: list}
	}
	return prefill.Value{Kind: prefill.Other}
}

// refusedPrefill answers with the one code that stands for a list of problems,
// and names them all.
func refusedPrefill(problems []prefill.Problem) error {
	details := make([]door.Detail, len(problems))
	for i, p := range problems {
		details[i] = door.Detail{Field: "prefill." + p.Field, Code: string(p.Code), Message: p.Words.In(svc.English)}
	}
	return door.Fail(svc.Code(prefill.First(problems)), errors.New("prefill refused"), details...)
}
