package auth

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/contract"
)

// Identifier is how a request names a report: exactly one of the two.
type Identifier struct {
	PublicToken string // X-PUBLIC-TOKEN, in small letters, as UUIDs are kept
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
	return Identifier{PublicToken: strings.ToLower(token), ExternalID: external}, nil
}

// IsExternalID reports whether s can be a customer's label of a report or a consumer:
// 1 to 64 characters, none of them a control character, and no white space at either
// end. The header would lose that, and two labels be one.
func IsExternalID(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= contract.MaxExternalID &&
		!strings.ContainsFunc(s, unicode.IsControl) && strings.TrimSpace(s) == s
}
