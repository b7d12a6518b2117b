package customers

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
)

// RefusedPrefill is the error of a prefill object that breaks the rules.
type RefusedPrefill struct {
	err      *httpx.Error
	problems []prefill.Problem
}

func (e *RefusedPrefill) Error() string { return e.err.Error() }
func (e *RefusedPrefill) Unwrap() error { return e.err }

// Applicant returns a text for the applicant: the names of the missing fields, or the
// text of the code.
func (e *RefusedPrefill) Applicant(l i18n.Lang) string {
	if code := contract.WidgetError(e.err.Code); code != contract.WidgetPIIMissing {
		return i18n.T(l, code.Applicant())
	}
	out := i18n.T(l, "visit.refused_prefill")
	for _, p := range e.problems {
		if p.Code == contract.WidgetPIIMissing {
			out += " " + i18n.T(l, p.Text)
		}
	}
	return out
}

// CheckPrefill validates a raw prefill object against the rules and returns its
// normalized form. The error is a *RefusedPrefill with the code that prefill.First
// selects and a detail for every problem, or MALFORMED_BODY for another type than an
// object. An empty raw is an object without members.
func CheckPrefill(rules prefill.Rules, raw json.RawMessage) (json.RawMessage, error) {
	object, err := prefilljson.Decode(raw)
	if err != nil {
		return nil, httpx.NewError(contract.CodeMalformedBody, err, httpx.Detail{Field: "prefill", Message: "must be an object"})
	}
	fields, problems := rules.Check(object)
	if len(problems) == 0 {
		return json.Marshal(fields)
	}
	e := httpx.NewError(contract.Code(prefill.First(problems)), errors.New("prefill was refused"))
	var missing []string
	for _, p := range problems {
		switch {
		case p.Code != contract.WidgetPIIMissing:
		case p.Field == prefill.DOB && rules.Product != contract.Eligibility:
			missing = append(missing, "dob or a full address")
		default:
			missing = append(missing, p.Field)
		}
	}
	e.Details = prefilljson.Details(rules, object, problems)
	e.Message = contract.WidgetError(e.Code).Info().Engineer
	i := slices.IndexFunc(e.Details, func(d httpx.Detail) bool { return d.Code == string(e.Code) })
	if d := e.Details[i]; strings.HasPrefix(d.Message, "is empty") {
		e.Message = strings.TrimPrefix(d.Field, "prefill.") + " " + d.Message + "."
	}
	if e.Code == contract.Code(contract.WidgetPIIMissing) {
		e.Message = "Required prefills are missing: " + strings.Join(missing, ", ") + "."
	}
	return nil, &RefusedPrefill{e, problems}
}
