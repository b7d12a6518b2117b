package redirect

import (
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
)

// outcomeOf reads a verified token's claims (document 2, Events): the outcome and
// the redirectArgs that came back with it. A status that is not the contract's, or
// an error that is not even shaped like one, is refused; an error that we do not
// know is an internal one, as a null errorType is.
func outcomeOf(t *jose.Token) (o Outcome, args string, err error) {
	claim := func(name string) string {
		v, _, e := t.Text(name)
		if e != nil && err == nil {
			err = e
		}
		return v
	}
	o = Outcome{Kind: contract.Outcome(claim("outcome")), PublicToken: strings.ToLower(claim("publicToken")), Status: contract.Status(claim("status"))}
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

// isWord reports whether s is empty or shaped like an error type.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_') {
			return false
		}
	}
	return len(s) <= 64
}
