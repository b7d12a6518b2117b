package jose

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jws"
)

// Claims are a token's claims besides its times.
type Claims map[string]any

// Signer signs tokens of one type with one key.
type Signer struct {
	Key  *PrivateKey
	Type string // the header's typ, such as outcome+jwt; required
}

// Sign returns a compact token with claims, issued at iat and expiring at exp.
// Both are written as numbers of whole seconds, rounded down.
func (s Signer) Sign(iat, exp time.Time, claims Claims) (string, error) {
	if s.Type == "" || s.Key == nil {
		return "", errors.New("jose: a signer needs a key and a type")
	}
	all := make(map[string]any, len(claims)+2)
	for name, v := range claims {
		all[name] = v
	}
	all["iat"] = iat.Unix()
	all["exp"] = exp.Unix()
	payload, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("jose: claims: %w", err)
	}
	header := jws.NewHeaders()
	for name, v := range map[string]any{jws.KeyIDKey: s.Key.ID, jws.TypeKey: s.Type} {
		if err := header.Set(name, v); err != nil {
			return "", fmt.Errorf("jose: header %s: %w", name, err)
		}
	}
	alg, ok := jwa.LookupSignatureAlgorithm(string(s.Key.Alg))
	if !ok {
		return "", ErrAlgorithm
	}
	token, err := jws.Sign(payload, jws.WithKey(alg, s.Key.key, jws.WithProtectedHeaders(header)))
	if err != nil {
		return "", fmt.Errorf("jose: sign: %w", err)
	}
	if len(token) > MaxToken {
		return "", ErrTooLong
	}
	return string(token), nil
}
