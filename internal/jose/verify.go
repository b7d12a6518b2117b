package jose

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"
)

// KeySource finds the key that a header's kid and alg name: a KeySet or a RemoteKeySet.
// It returns ErrUnknownKey, ErrAlgorithm, ErrKeysUnavailable or the context's error.
type KeySource interface {
	Key(ctx context.Context, id string, alg Alg) (*Key, error)
	// Replacement returns another key that the kid of old names by now, for the same algorithm.
	Replacement(ctx context.Context, old *Key) (*Key, error)
}

// Verifier verifies tokens of one kind. It is safe for concurrent use.
type Verifier struct {
	Keys  KeySource
	Types []string         // accepted typ values; "" accepts a missing typ; an empty list refuses every token
	Algs  []Alg            // nil: DefaultAlgs
	Now   func() time.Time // nil: time.Now
}

// Token is a verified token.
type Token struct {
	KeyID   string
	Issued  time.Time // iat
	Expires time.Time // exp
	claims  object
}

// Verify verifies a token: its form, header, key, signature and claims, in this order.
// It reads the claims only after the signature has been verified, so ErrExpired means a
// token that was once valid.
func (v *Verifier) Verify(ctx context.Context, raw string) (*Token, error) {
	p, err := parse(raw)
	if err != nil {
		return nil, err
	}
	key, err := v.key(ctx, p.header)
	if err != nil {
		return nil, err
	}
	if !key.verify(p.input, p.signature) {
		// An issuer may give a new key the kid of an old one.
		next, err := v.Keys.Replacement(ctx, key)
		if ctx.Err() != nil || errors.Is(err, ErrKeysUnavailable) { // or the key was replaced a moment ago, and may be again
			return nil, cmp.Or(ctx.Err(), err)
		}
		if err != nil || !next.verify(p.input, p.signature) {
			return nil, ErrSignature
		}
	}
	claims, ok := parseObject(p.payload)
	if !ok {
		return nil, ErrMalformed
	}
	return v.checkTimes(key.ID, claims)
}

// parts is a compact token split into its segments. Only the header is parsed.
type parts struct {
	header    object
	payload   []byte
	signature []byte
	input     string // the signed text
}

// parse splits a compact token: at most MaxToken bytes, three segments, each base64url
// without padding, line breaks or stray bits (RFC 7515, 7.1).
func parse(raw string) (parts, error) {
	if len(raw) > MaxToken {
		return parts{}, ErrTooLong
	}
	head, rest, ok := strings.Cut(raw, ".")
	if !ok {
		return parts{}, ErrMalformed
	}
	body, sig, ok := strings.Cut(rest, ".")
	if !ok || head == "" || sig == "" {
		return parts{}, ErrMalformed
	}
	// The decoder skips CR and LF even in strict mode. It refuses a further dot.
	if strings.ContainsAny(raw, "\r\n") {
		return parts{}, ErrMalformed
	}
	p := parts{input: raw[:len(head)+1+len(body)]}
	enc := base64.RawURLEncoding.Strict()
	header, err := enc.DecodeString(head)
	if err != nil {
		return parts{}, ErrMalformed
	}
	if p.payload, err = enc.DecodeString(body); err != nil {
		return parts{}, ErrMalformed
	}
	if p.signature, err = enc.DecodeString(sig); err != nil {
		return parts{}, ErrMalformed
	}
	if p.header, ok = parseObject(header); !ok {
		return parts{}, ErrMalformed
	}
	return p, nil
}

// key checks a header and returns the key that it names.
func (v *Verifier) key(ctx context.Context, header object) (*Key, error) {
	// Refuse members that change the signed content or the source of the key. An
	// unknown extension in crit must be refused (RFC 7515, 4.1.11), and we support
	// none.
	for _, name := range []string{"crit", "jku", "jwk", "x5u", "x5c", "b64", "zip", "enc"} {
		if header.has(name) {
			return nil, ErrHeader
		}
	}
	name, _, ok := header.text("alg")
	alg := algOf(name)
	allowed := v.Algs
	if allowed == nil {
		allowed = DefaultAlgs()
	}
	if !ok || !alg.Valid() || !slices.Contains(allowed, alg) {
		return nil, ErrAlgorithm
	}
	typ, present, ok := header.text("typ")
	typ = mediaType(typ)
	if !ok || present && typ == "" || !slices.ContainsFunc(v.Types, func(t string) bool { return mediaType(t) == typ }) {
		return nil, ErrType
	}
	id, _, ok := header.text("kid")
	if !ok || !isKeyID(id) {
		return nil, ErrKeyID
	}
	return v.Keys.Key(ctx, id, alg)
}

// mediaType returns a typ as it is compared: in lower case, without application/ (RFC 7515, 4.1.9).
func mediaType(typ string) string { return strings.TrimPrefix(strings.ToLower(typ), "application/") }

// checkTimes checks the times of verified claims.
func (v *Verifier) checkTimes(keyID string, claims object) (*Token, error) {
	iat, ok := claims.seconds("iat")
	if !ok {
		return nil, ErrClaims
	}
	exp, ok := claims.seconds("exp")
	if !ok {
		return nil, ErrClaims
	}
	t := &Token{KeyID: keyID, Issued: time.Unix(iat, 0).UTC(), Expires: time.Unix(exp, 0).UTC(), claims: claims}
	now := time.Now()
	if v.Now != nil {
		now = v.Now()
	}
	if life := t.Expires.Sub(t.Issued); life <= 0 || life > MaxLifetime {
		return nil, ErrLifetime
	}
	if now.Sub(t.Expires) >= Skew {
		return nil, ErrExpired
	}
	if t.Issued.Sub(now) > Skew {
		return nil, ErrNotYet
	}
	if now.Sub(t.Issued) > MaxLifetime {
		return nil, ErrTooOld
	}
	if claims.has("nbf") {
		nbf, ok := claims.seconds("nbf")
		if !ok {
			return nil, ErrClaims
		}
		if time.Unix(nbf, 0).Sub(now) > Skew {
			return nil, ErrNotYet
		}
	}
	return t, nil
}

// Text returns a claim that must be a string if it is present. there is false for an
// absent or null claim; the error is ErrClaims for any other type.
func (t *Token) Text(name string) (value string, there bool, err error) {
	v, there := t.claims.Get(name)
	if !there || v == nil {
		return "", false, nil
	}
	value, ok := v.(string)
	if !ok {
		return "", true, ErrClaims
	}
	return value, true, nil
}

// IssuedBy reports whether the token's iss is issuer or absent.
func (t *Token) IssuedBy(issuer string) bool {
	iss, present := t.claims.Get("iss")
	return !present || iss == issuer
}

// For reports whether the token is meant for audience: its aud is audience, alone or in
// a list, or is missing and absent is true.
func (t *Token) For(audience string, absent bool) bool {
	named, present := t.claims.Get("aud")
	switch aud := named.(type) {
	case string:
		return aud == audience
	case []any:
		return slices.Contains(aud, any(audience))
	}
	return !present && absent
}

// IssuedSince returns ErrTooOld if the token was issued before the second of at, and so
// before its subject existed.
func (t *Token) IssuedSince(at time.Time) error {
	if t.Issued.Before(at.Truncate(time.Second)) {
		return ErrTooOld
	}
	return nil
}
