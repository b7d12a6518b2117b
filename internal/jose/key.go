package jose

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha256" // crypto.SHA256.New
	_ "crypto/sha512" // crypto.SHA384.New, crypto.SHA512.New
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/lestrrat-go/jwx/v3/jwk"
)

// PrivateKey signs with ES256. Its ID is the RFC 7638 thumbprint, so a kid never names
// two keys.
type PrivateKey struct {
	ID  string
	key *ecdsa.PrivateKey
}

// GenerateKey generates a P-256 key.
func GenerateKey() (*PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("jose: generate key: %w", err)
	}
	return NewPrivateKey(key)
}

// NewPrivateKey returns a P-256 key for signing.
func NewPrivateKey(key *ecdsa.PrivateKey) (*PrivateKey, error) {
	if key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("%w: not a private P-256 key", ErrUnfitKey)
	}
	j, err := jwk.Import(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("jose: import key: %w", err)
	}
	sum, err := j.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("jose: thumbprint: %w", err)
	}
	return &PrivateKey{ID: base64.RawURLEncoding.EncodeToString(sum), key: key}, nil
}

// Marshal returns the key as a private JWK. The caller must encrypt it before storing
// it.
func (k *PrivateKey) Marshal() ([]byte, error) {
	j, err := jwk.Import(k.key)
	if err != nil {
		return nil, fmt.Errorf("jose: import key: %w", err)
	}
	return json.Marshal(j)
}

// ParsePrivateKey parses a key that Marshal wrote.
func ParsePrivateKey(marshalled []byte) (*PrivateKey, error) {
	j, err := jwk.ParseKey(marshalled)
	if err != nil {
		return nil, fmt.Errorf("%w: not a JWK", ErrUnfitKey) // jwx's message might quote the key
	}
	var raw any
	err = jwk.Export(j, &raw)
	key, ok := raw.(*ecdsa.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("%w: not a private P-256 key", ErrUnfitKey)
	}
	return NewPrivateKey(key)
}

// Public returns the public key.
func (k *PrivateKey) Public() *Key {
	return &Key{ID: k.ID, Alg: ES256, pub: &k.key.PublicKey}
}

// Key verifies signatures of one algorithm.
type Key struct {
	ID  string
	Alg Alg
	pub crypto.PublicKey // *ecdsa.PublicKey or *rsa.PublicKey
}

// KeySet is a fixed set of keys.
type KeySet []*Key

// Key returns the key with that id, or ErrUnknownKey.
func (s KeySet) Key(_ context.Context, id string) (*Key, error) {
	for _, k := range s {
		if k.ID == id {
			return k, nil
		}
	}
	return nil, ErrUnknownKey
}

// MarshalJSON writes the set as a JWK Set (RFC 7517) with only the public members, kid,
// alg and use of each key.
func (s KeySet) MarshalJSON() ([]byte, error) {
	set := jwk.NewSet()
	for _, k := range s {
		j, err := jwk.Import(k.pub)
		if err != nil {
			return nil, fmt.Errorf("jose: import key: %w", err)
		}
		for name, value := range map[string]any{
			jwk.KeyIDKey: k.ID, jwk.AlgorithmKey: string(k.Alg), jwk.KeyUsageKey: string(jwk.ForSignature)} {
			if err := j.Set(name, value); err != nil {
				return nil, fmt.Errorf("jose: set %s: %w", name, err)
			}
		}
		if err := set.AddKey(j); err != nil {
			return nil, fmt.Errorf("jose: add key: %w", err)
		}
	}
	return json.Marshal(set)
}

// parseKey parses one public JWK. It requires an asymmetric key without private
// members, a kid, `use` and `key_ops` that permit verification, an RSA modulus of 2048
// to 8192 bits with an odd exponent of at least 65537, and a curve that fits the
// algorithm. Without `alg`, it uses the curve's algorithm or RS256. Every error wraps
// ErrUnfitKey.
func parseKey(raw []byte) (*Key, error) {
	unfit := func(why string) (*Key, error) { return nil, fmt.Errorf("%w: %s", ErrUnfitKey, why) }
	o, ok := parseObject(raw)
	if !ok {
		return unfit("malformed")
	}
	for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
		if o.has(private) {
			return unfit("private or symmetric")
		}
	}
	id, _, ok := o.text("kid")
	if !ok || !isKeyID(id) {
		return unfit("kid")
	}
	if use, present, ok := o.text("use"); !ok || present && use != "sig" {
		return unfit("use")
	}
	if ops, present := o.Get("key_ops"); present {
		list, ok := ops.([]any)
		if !ok || !slices.Contains(list, any("verify")) {
			return unfit("key_ops")
		}
	}
	alg, named, ok := o.text("alg")
	if !ok {
		return unfit("alg")
	}
	if kty, _, _ := o.text("kty"); kty != "EC" && kty != "RSA" {
		return unfit("type")
	}
	j, err := jwk.ParseKey(raw)
	if err != nil {
		return unfit("members")
	}
	var pub any
	if err := jwk.Export(j, &pub); err != nil {
		return unfit("members")
	}
	k := &Key{ID: id, Alg: Alg(alg), pub: pub}
	switch pub := pub.(type) {
	case *ecdsa.PublicKey:
		if _, err := pub.ECDH(); err != nil {
			return unfit("point or curve")
		}
		fits := curveAlg(pub.Curve)
		if !named {
			k.Alg = fits
		}
		if fits == "" || k.Alg != fits {
			return unfit("curve")
		}
	case *rsa.PublicKey:
		if pub.N.BitLen() < 2048 || pub.N.BitLen() > 8192 || pub.N.Bit(0) == 0 {
			return unfit("modulus")
		}
		if pub.E < 65537 || pub.E%2 == 0 {
			return unfit("exponent")
		}
		if !named {
			k.Alg = RS256
		}
		if len(k.Alg) != 5 || k.Alg[:2] != "RS" && k.Alg[:2] != "PS" {
			return unfit("algorithm")
		}
	default:
		return unfit("type")
	}
	if !k.Alg.Valid() {
		return unfit("algorithm")
	}
	return k, nil
}

// curveAlg returns the one algorithm that a curve is used with (RFC 7518, 3.4).
func curveAlg(c elliptic.Curve) Alg {
	switch c {
	case elliptic.P256():
		return ES256
	case elliptic.P384():
		return ES384
	case elliptic.P521():
		return ES512
	}
	return ""
}

// hash returns the algorithm's hash function.
func (a Alg) hash() crypto.Hash {
	switch a {
	case ES256, RS256, PS256:
		return crypto.SHA256
	case ES384, RS384, PS384:
		return crypto.SHA384
	}
	return crypto.SHA512
}

// verify reports whether sig is k's signature of input. ECDSA signatures are r
// and s at the curve's full width (RFC 7518, 3.4); PSS salts are as long as the
// hash (3.5).
func (k *Key) verify(input string, sig []byte) bool {
	hash := k.Alg.hash()
	h := hash.New()
	h.Write([]byte(input))
	digest := h.Sum(nil)
	switch pub := k.pub.(type) {
	case *ecdsa.PublicKey:
		width := (pub.Curve.Params().BitSize + 7) / 8
		if len(sig) != 2*width {
			return false
		}
		r, s := new(big.Int).SetBytes(sig[:width]), new(big.Int).SetBytes(sig[width:])
		return ecdsa.Verify(pub, digest, r, s)
	case *rsa.PublicKey:
		if k.Alg[0] == 'P' {
			return rsa.VerifyPSS(pub, hash, digest, sig, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil
		}
		return rsa.VerifyPKCS1v15(pub, hash, digest, sig) == nil
	}
	return false
}
