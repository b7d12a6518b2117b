package auth

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
)

// Identifier names a report by exactly one of its two fields.
type Identifier struct {
	PublicToken string // X-PUBLIC-TOKEN, in lowercase like stored UUIDs
	ExternalID  string // X-EXTERNAL-ID
}

// IdentifierOf reads the identifier headers of a report endpoint (API reference:
// Reports). Neither or both of them is MALFORMED_HEADERS.
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
		return Identifier{}, malformed("X-PUBLIC-TOKEN", "is missing, and so is X-EXTERNAL-ID; send one of the two")
	case token != "" && external != "":
		return Identifier{}, malformed("X-EXTERNAL-ID", "is given together with X-PUBLIC-TOKEN; send one of the two")
	}
	return Identifier{PublicToken: strings.ToLower(token), ExternalID: external}, nil
}

// IsExternalID reports whether s is a valid external id of a report or a consumer: 1
// to 64 characters without control or invisible characters, and without white space at either end,
// which a header would lose.
func IsExternalID(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= contract.MaxExternalID &&
		!strings.ContainsFunc(s, unicode.IsControl) && !strings.ContainsFunc(s, prefill.IsInvisible) && strings.TrimSpace(s) == s
}
