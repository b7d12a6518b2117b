package embed

import (
	"encoding/json"
	"errors"

	"vestibule/internal/door"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
	"vestibule/internal/svc"
)

// applicant holds the prefill of a request against the rules of the product; nil
// when there is none.
func (a *API) applicant(product svc.Product, raw json.RawMessage) (*prefill.Fields, error) {
	object, err := prefilljson.Decode(raw)
	if err != nil {
		return nil, door.Fail(svc.CodeMalformedBody, err, door.Detail{Field: "prefill", Message: "must be an object"})
	}
	if object == nil {
		return nil, nil
	}
	rules := prefill.Rules{Product: product, Environment: a.Environment, Today: prefill.DateOf(a.Now().UTC().Date()), AssetsOnly: a.AssetsOnly}
	fields, problems := rules.Check(object)
	if len(problems) > 0 {
		return nil, refusedPrefill(problems)
	}
	return &fields, nil
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
