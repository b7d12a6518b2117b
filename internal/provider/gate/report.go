package gate

import "net/http"

// Identifier is how a request names a report: exactly one of the two.
type Identifier struct {
	PublicToken string // X-PUBLIC-TOKEN
	ExternalID  string // X-EXTERNAL-ID
}

// IdentifierOf reads the identifier headers of a report endpoint (document 1,
// Endpoints). Neither, or both at once, is MALFORMED_HEADERS.
func IdentifierOf(r *http.Request) (Identifier, error) {
	token, err := header(r, "X-Public-Token")
	if err != nil {
		return Identifier{}, err
	}
	external, err := header(r, "X-External-Id")
	if err != nil {
		return Identifier{}, err
	}
	switch {
	case token == "" && external == "":
		return Identifier{}, malformed("X-PUBLIC-TOKEN", "is missing, and so is X-EXTERNAL-ID")
	case token != "" && external != "":
		return Identifier{}, malformed("X-EXTERNAL-ID", "is given together with X-PUBLIC-TOKEN")
	}
	return Identifier{PublicToken: token, ExternalID: external}, nil
}
