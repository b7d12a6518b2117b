// Package jose signs and verifies tokens (RFC 7515, compact form only) and reads the
// key sets that verify them: the signed results of secure redirects (docs/tutorials/redirect.md)
// and the verification service's access tokens.
//
// It refuses every other form: other serializations, lenient base64url, repeated
// members, algorithms and types that were not requested, headers that refer to keys,
// keys that are weak or meant for another use, and times that are missing, malformed or
// out of bounds. Its errors contain no part of a token.
//
// Keys (parsing, thumbprints, marshaling) and signing use jwx's jwk and jws.
// Verification uses crypto/ecdsa, crypto/rsa, and crypto/ed25519 on the bytes checked
// here: jws.Verify would parse the header a second time, more leniently, and adds 8 µs to
// the 70 µs of the curve.
package jose

import (
	"errors"
	"slices"
	"time"
)

// Alg is a signature algorithm by its JWA name.
type Alg string

const (
	ES256 Alg = "ES256"
	ES384 Alg = "ES384"
	ES512 Alg = "ES512"
	RS256 Alg = "RS256"
	RS384 Alg = "RS384"
	RS512 Alg = "RS512"
	PS256 Alg = "PS256"
	PS384 Alg = "PS384"
	PS512 Alg = "PS512"
	EdDSA Alg = "EdDSA" // Ed25519 only
)

// ed25519Alg is the other name of EdDSA with Ed25519 (RFC 9864), for signing.
const ed25519Alg = "Ed25519"

// algOf returns the algorithm of a name in a key or a token.
func algOf(name string) Alg {
	if name == ed25519Alg {
		return EdDSA
	}
	return Alg(name)
}

// UnmarshalText reads an algorithm by either of its names.
func (a *Alg) UnmarshalText(name []byte) error {
	*a = algOf(string(name))
	return nil
}

// Algs lists every algorithm that can be allowed. All are asymmetric: HMAC and none
// cannot be allowed.
func Algs() []Alg { return []Alg{ES256, ES384, ES512, RS256, RS384, RS512, PS256, PS384, PS512, EdDSA} }

// DefaultAlgs returns the algorithms allowed by default: ES256, which we sign with, and
// the two that other providers commonly use.
func DefaultAlgs() []Alg { return []Alg{ES256, RS256, PS256} }

// Valid reports whether a is one of Algs.
func (a Alg) Valid() bool { return slices.Contains(Algs(), a) }

// Bounds of a token.
const (
	MaxToken    = 16 << 10         // bytes of a whole token
	MaxLifetime = 10 * time.Minute // from iat to exp, and from iat to now
	Skew        = 30 * time.Second // maximum difference of the two clocks
)

// Reasons for refusing a token or a key, for the log. Clients learn only that their
// token is invalid, or that an access token has expired.
var (
	ErrTooLong         = errors.New("jose: token is too long")
	ErrMalformed       = errors.New("jose: not a compact signed token")
	ErrHeader          = errors.New("jose: header has a member that is not allowed")
	ErrAlgorithm       = errors.New("jose: algorithm is not allowed, or not the key's")
	ErrType            = errors.New("jose: token is of another type")
	ErrKeyID           = errors.New("jose: kid is missing or malformed")
	ErrUnknownKey      = errors.New("jose: no usable key has this kid")
	ErrKeysUnavailable = errors.New("jose: key set cannot be read at present")
	ErrSignature       = errors.New("jose: signature does not fit")
	ErrClaims          = errors.New("jose: claim is missing or of the wrong type")
	ErrExpired         = errors.New("jose: token has expired")
	ErrNotYet          = errors.New("jose: token is from the future")
	ErrTooOld          = errors.New("jose: token was issued too long ago")
	ErrLifetime        = errors.New("jose: token is valid for too long, or expires before it is valid")
	ErrNoUsableKey     = errors.New("has no usable key")
	ErrUnfitKey        = errors.New("jose: key is not fit for checking signatures")
)

// isKeyID reports whether s is a valid kid: 1 to 256 printable ASCII characters.
func isKeyID(s string) bool {
	if len(s) < 1 || len(s) > 256 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
