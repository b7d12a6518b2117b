// Package jose makes and checks signed tokens (RFC 7515, compact form only) and
// the key sets they are checked with: the outcome tokens of secure redirect
// (document 2, Secure redirect and Events) and the service's access tokens.
//
// It refuses whatever is not exactly that: other serialisations, lenient
// base64url, doubled members, algorithms and types that were not asked for,
// headers that point at keys, keys that are weak or meant for something else,
// times that are missing, odd or out of bounds. No error of it holds any part of
// a token.
//
// Keys are jwx's (jwk: parsing, thumbprints, marshalling) and so is signing
// (jws). Checking a signature is crypto/ecdsa and crypto/rsa on the bytes that
// were judged here: jws.Verify would parse the header a second time with more
// lenient eyes, and adds 8 µs to the 70 of the curve.
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
)

// Algs lists every algorithm that can be allowed. All are asymmetric: there is
// no way to allow an HMAC or none.
func Algs() []Alg {
	return []Alg{ES256, ES384, ES512, RS256, RS384, RS512, PS256, PS384, PS512}
}

// DefaultAlgs is what is allowed where nothing is configured: ours, and the two
// that other providers commonly sign with.
func DefaultAlgs() []Alg { return []Alg{ES256, RS256, PS256} }

// Valid reports whether a is one of Algs.
func (a Alg) Valid() bool { return slices.Contains(Algs(), a) }

// Bounds of a token.
const (
	MaxToken    = 16 << 10         // bytes of a whole token
	MaxLifetime = 10 * time.Minute // from iat to exp, and from iat to now
	Skew        = 30 * time.Second // how far the two clocks may be apart
)

// Why a token, or a key, was refused. They are for the log: a client is told
// only that its token is not valid (and, of an access token, that it expired).
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
	ErrLifetime        = errors.New("jose: token lives too long, or ends before it begins")
	ErrUnfitKey        = errors.New("jose: key is not fit for checking signatures")
)

// isKeyID reports whether s can be a kid: 1 to 128 of A-Z a-z 0-9 . _ -
func isKeyID(s string) bool {
	if len(s) < 1 || len(s) > 128 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
