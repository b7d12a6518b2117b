package redirect

import (
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
)

// outcomeOf reads the outcome and redirectArgs from a verified token's claims
// (docs/tutorials/redirect.md). It refuses statuses outside the API and malformed error types;
// an unknown or null error type counts as an internal error.
func outcomeOf(t *jose.Token) (o Outcome, args string, err error) {
	claim := func(name string) string {
		v, _, e := t.Text(name)
		if e != nil && err == nil {
			err = e
		}
		return v
	}
	o = Outcome{Kind: contract.Outcome(claim("outcome")), PublicToken: strings.ToLower(claim("publicToken")),
		Status: contract.Status(claim("status"))}
	widget := claim("error")
	args = claim("redirectArgs")
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
