package redirect

import (
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/svcapi"
)

// outcomeOf reads the outcome and redirectArgs from a verified token's claims
// (docs/tutorials/redirect.md). It refuses statuses outside the API and malformed error types;
// an unknown or null error type counts as an internal error.
func outcomeOf(t *jose.Token, names map[svcapi.Claim]string) (o Outcome, args string, err error) {
	claim := func(c svcapi.Claim) string {
		v, _, e := t.Text(names[c])
		if e != nil && err == nil {
			err = e
		}
		return v
	}
	o = Outcome{Kind: contract.Outcome(claim(svcapi.ClaimOutcome)), PublicToken: strings.ToLower(claim(svcapi.ClaimPublicToken)),
		Status: contract.Status(claim(svcapi.ClaimStatus))}
	widget := claim(svcapi.ClaimError)
	args = claim(svcapi.ClaimRedirectArgs)
	switch {
	case err != nil:
		return Outcome{}, "", errOutcome
	case !o.Kind.Valid(), args == "",
		o.PublicToken != "" && !contract.IsUUID(o.PublicToken),
		o.Status != "" && !o.Status.Valid(),
		o.Kind == contract.OutcomeSuccess && (o.PublicToken == "" || o.Status == ""),
		!isWord(widget):
		return Outcome{}, "", errOutcome
	}
	if o.Error = contract.WidgetError(widget); !o.Error.Valid() || o.Kind != contract.OutcomeError {
		o.Error = ""
	}
	return o, args, nil
}

// isWord reports whether s is empty or has the form of an error type.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_') {
			return false
		}
	}
	return len(s) <= 64
}
