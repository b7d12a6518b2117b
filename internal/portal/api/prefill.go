package api

import (
	"encoding/json"
	"errors"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
)

// applicant decodes and validates the prefill of a request; nil without prefill.
func (a *API) applicant(product contract.Product, raw json.RawMessage) (prefill.Object, error) {
	object, err := prefilljson.Decode(raw)
	if err != nil {
		return nil, httpx.NewError(contract.CodeMalformedBody, err, httpx.Detail{Field: "prefill", Message: "must be an object"})
	}
	if object == nil {
		return nil, nil
	}
	if problems := a.Applications.CheckPrefill(product, object); len(problems) > 0 {
		return nil, refusedPrefill(product, object, problems)
	}
	return object, nil
}

// refusedPrefill returns the error code for a list of problems, with all problems in
// its details.
func refusedPrefill(product contract.Product, object prefill.Object, problems []prefill.Problem) error {
	return httpx.NewError(contract.Code(prefill.First(problems)), errors.New("prefill refused"),
		prefilljson.Details(prefill.Rules{Product: product}, object, problems)...)
}
