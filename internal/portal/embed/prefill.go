package embed

import (
	"encoding/json"
	"errors"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
)

// applicant holds the prefill of a request against the rules of the product; nil
// when there is none.
func (a *API) applicant(product contract.Product, raw json.RawMessage) (*prefill.Fields, error) {
	object, err := prefilljson.Decode(raw)
	if err != nil {
		return nil, httpx.Fail(contract.CodeMalformedBody, err, httpx.Detail{Field: "prefill", Message: "must be an object"})
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
	details := make([]httpx.Detail, len(problems))
	for i, p := range problems {
		details[i] = httpx.Detail{Field: "prefill." + p.Field, Code: string(p.Code), Message: p.Words.In(contract.English)}
	}
	return httpx.Fail(contract.Code(prefill.First(problems)), errors.New("prefill refused"), details...)
}
