package visits

import (
	"encoding/json"
	"errors"
	"time"

	"vestibule/internal/door"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
	"vestibule/internal/svc"
)

// checked holds an applicant's data against the rules of a product and returns
// what is kept of it, as JSON.
func (s *Service) checked(env svc.Environment, product Product, raw json.RawMessage) (json.RawMessage, error) {
	return CheckPrefill(prefill.Rules{Product: product.Kind, Environment: env, Today: today(s.Now()), AssetsOnly: product.AssetsOnly}, raw)
}

func today(now time.Time) prefill.Date { return prefill.DateOf(now.UTC().Date()) }

// CheckPrefill holds a prefill object against the rules, in the form in which it
// came. The error has the code that prefill.First names, and a detail for every
// problem. An empty raw is an object without members.
func CheckPrefill(rules prefill.Rules, raw json.RawMessage) (json.RawMessage, error) {
	object, err := prefilljson.Decode(raw)
	if err != nil {
		return nil, door.Fail(svc.CodeMalformedBody, err, door.Detail{Field: "prefill", Message: "must be an object"})
	}
	fields, problems := rules.Check(object)
	if len(problems) == 0 {
		return json.Marshal(fields)
	}
	e := door.Fail(svc.Code(prefill.First(problems)), errors.New("prefill was refused"))
	for _, p := range problems {
		e.Details = append(e.Details, door.Detail{Field: "prefill." + p.Field, Code: string(p.Code), Message: p.Words.EN})
	}
	e.Message = svc.WidgetError(e.Code).Info().Engineer
	return nil, e
}
