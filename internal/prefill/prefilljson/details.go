package prefilljson

import (
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/suggest"
)

// Details returns the details of an error about problems of a prefill: for developers what the API
// accepts, and for applicants what to enter. No value is quoted.
func Details(rules prefill.Rules, problems []prefill.Problem) []httpx.Detail {
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
		details[i] = d
	}
	return details
}
