package jose

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha256" // crypto.SHA256.New
	_ "crypto/sha512" // crypto.SHA384.New, crypto.SHA512.New
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwk"

	"vestibule/internal/strictjson"
)

// PrivateKey signs with one algorithm.
type PrivateKey struct {
	ID   string // kid; default: the RFC 7638 thumbprint, which never names two keys
	Alg  Alg
	key  crypto.Signer // *ecdsa.PrivateKey, *rsa.PrivateKey, or ed25519.PrivateKey
	algs []Alg         // that the key may sign with
}

// GenerateKey generates a P-256 key.
func GenerateKey() (*PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("jose: generate key: %w", err)
	}
	return NewPrivateKey(key)
}

// NewPrivateKey returns a key for signing with the first of its algorithms: an ECDSA key
// of a NIST curve, an RSA key of 2048 to 8192 bits, or an Ed25519 key.
func NewPrivateKey(key crypto.Signer) (*PrivateKey, error) {
	if key, ok := key.(*rsa.PrivateKey); ok && key.Validate() != nil {
		return nil, fmt.Errorf("%w: not a valid RSA key", ErrUnfitKey)
	}
	algs, why := algsFor(key.Public())
	if why != "" {
		return nil, fmt.Errorf("%w: %s", ErrUnfitKey, why)
	}
	j, err := jwk.Import(key.Public())
	if err != nil {
		return nil, fmt.Errorf("jose: import key: %w", err)
	}
	sum, err := j.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("jose: thumbprint: %w", err)
	}
	return &PrivateKey{ID: base64.RawURLEncoding.EncodeToString(sum), Alg: algs[0], key: key, algs: algs}, nil
}

// Algs returns the algorithms that the key may sign with, the preferred one first.
func (k *PrivateKey) Algs() []Alg { return slices.Clone(k.algs) }

// For returns the key for another algorithm, which must be one of its Algs.
func (k *PrivateKey) For(alg Alg) *PrivateKey {
	other := *k
	other.Alg = alg
	return &other
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

// ParsePrivateKey parses a private JWK, such as Marshal wrote. Its kid and alg, if it has
// them, are the key's ID and only algorithm.
func ParsePrivateKey(marshalled []byte) (*PrivateKey, error) {
	j, err := jwk.ParseKey(marshalled)
	if err != nil {
		return nil, fmt.Errorf("%w: not a JWK", ErrUnfitKey) // jwx's message might quote the key
	}
	var raw any
	err = jwk.Export(j, &raw)
	key, ok := raw.(crypto.Signer)
	if err != nil || !ok {
		return nil, fmt.Errorf("%w: not a private key for signing", ErrUnfitKey)
	}
	k, err := NewPrivateKey(key)
	if err != nil {
		return nil, err
	}
	if id, ok := j.KeyID(); ok && id != "" {
		k.ID = id
	}
	if alg, ok := j.Algorithm(); ok {
		if k.Alg = Alg(alg.String()); !slices.Contains(k.algs, k.Alg) {
			return nil, fmt.Errorf("%w: algorithm", ErrUnfitKey)
		}
		k.algs = []Alg{k.Alg}
	}
	return k, nil
}

// Public returns the public key.
func (k *PrivateKey) Public() *Key {
	return &Key{ID: k.ID, Alg: algOf(string(k.Alg)), pub: k.key.Public()}
}

// Key verifies signatures of one algorithm.
type Key struct {
	ID       string
	Alg      Alg
	pub      crypto.PublicKey // *ecdsa.PublicKey, *rsa.PublicKey, or ed25519.PublicKey
	replaced time.Time        // when a RemoteKeySet read it in place of another key of the same id; zero for the first
}

func (k *Key) same(other *Key) bool {
	pub, ok := k.pub.(interface{ Equal(crypto.PublicKey) bool })
	return ok && pub.Equal(other.pub)
}

// KeySet is a fixed set of keys. Keys of different algorithms may have one id (RFC 7517, 4.5).
type KeySet []*Key

// Key returns the key with that id for alg, or ErrUnknownKey. With keys for other algorithms
// alone, the error is ErrAlgorithm.
func (s KeySet) Key(_ context.Context, id string, alg Alg) (*Key, error) {
	err := ErrUnknownKey
	for _, k := range s {
		if k.ID == id && k.Alg == alg {
			return k, nil
		} else if k.ID == id {
			err = ErrAlgorithm
		}
	}
	return nil, err
}

// Replacement returns ErrUnknownKey: the set does not change.
func (s KeySet) Replacement(context.Context, *Key) (*Key, error) { return nil, ErrUnknownKey }

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

// parseKey parses one public JWK by parsePublic, and returns it for each of its algorithms: that of
// `alg`, or without it those that fit. It also requires a kid. Every error wraps ErrUnfitKey.
func parseKey(raw []byte) (keys KeySet, err error) {
	o, pub, fits, err := parsePublic(raw)
	if err != nil {
		return nil, err
	}
	id, _, ok := o.text("kid")
	if !ok || !isKeyID(id) {
		return nil, unfit("kid")
	}
	alg, named, ok := o.text("alg")
	if !ok {
		return nil, unfit("alg")
	}
	for _, fit := range fits {
		if !named || fit == Alg(alg) {
			keys = append(keys, &Key{ID: id, Alg: algOf(string(fit)), pub: pub})
		}
	}
	if keys == nil {
		return nil, unfit("algorithm")
	}
	return keys, nil
}

func unfit(why string) error { return fmt.Errorf("%w: %s", ErrUnfitKey, why) }

// parsePublic parses one public JWK, and returns the algorithms that fit it. It requires an
// asymmetric key without private members, `use` and `key_ops` that permit verification, and
// what algsFor requires. Every error wraps ErrUnfitKey.
func parsePublic(raw []byte) (o object, pub crypto.PublicKey, fits []Alg, err error) {
	o, ok := parseObject(raw)
	if !ok {
		return o, nil, nil, unfit("malformed")
	}
	o.Object = slices.DeleteFunc(o.Object, func(m strictjson.Member) bool { return m.Value == nil }) // as some libraries write absent members
	for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
		if o.has(private) {
			return o, nil, nil, unfit("private or symmetric")
		}
	}
	if use, present, ok := o.text("use"); !ok || present && use != "sig" {
		return o, nil, nil, unfit("use")
	}
	if ops, present := o.Get("key_ops"); present {
		list, ok := ops.([]any)
		if !ok || !slices.Contains(list, any("verify")) {
			return o, nil, nil, unfit("key_ops")
		}
	}
	if kty, _, _ := o.text("kty"); kty != "EC" && kty != "RSA" && kty != "OKP" {
		return o, nil, nil, unfit("type")
	}
	// The members of the key alone: a certificate that cannot be parsed does not matter.
	members := map[string]string{}
	for _, name := range []string{"kty", "crv", "x", "y", "n", "e"} {
		value, present, ok := o.text(name)
		if !ok {
			return o, nil, nil, unfit("members")
		}
		if present {
			members[name] = value
		}
	}
	clean, err := json.Marshal(members)
	if err != nil {
		return o, nil, nil, unfit("members")
	}
	j, err := jwk.ParseKey(clean)
	if err != nil {
		return o, nil, nil, unfit("members")
	}
	var exported any
	if err := jwk.Export(j, &exported); err != nil {
		return o, nil, nil, unfit("members")
	}
	pub = exported
	fits, why := algsFor(pub)
	if why != "" {
		return o, nil, nil, unfit(why)
	}
	return o, pub, fits, nil
}

// PublicKeys reads the keys of a JWK Set that can verify signatures, for verifiers that need
// neither kid nor alg of a key. Other keys are left out. A set without a usable key is an
// error.
func PublicKeys(r io.Reader) (keys []crypto.PublicKey, err error) {
	err = eachKey(io.LimitReader(r, maxSetBytes), func(raw json.RawMessage) bool {
		if _, pub, _, err := parsePublic(raw); err == nil {
			keys = append(keys, pub)
		}
		return len(keys) < maxSetKeys
	})
	if err != nil {
		return nil, errors.New("is not a key set")
	}
	if len(keys) == 0 {
		return nil, errors.New("has no usable key")
	}
	return keys, nil
}

// algsFor returns the algorithms that a public key can be used with, the preferred one
// first, or why the key cannot be used. It requires a point of a curve that JWA names, or an
// RSA modulus of 2048 to 8192 bits with an odd exponent of at least 65537.
func algsFor(pub crypto.PublicKey) (algs []Alg, why string) {
	switch pub := pub.(type) {
	case *ecdsa.PublicKey:
		alg := curveAlg(pub.Curve)
		if alg == "" {
			return nil, "curve"
		}
		if _, err := pub.ECDH(); err != nil {
			return nil, "point"
		}
		return []Alg{alg}, ""
	case *rsa.PublicKey:
		if pub.N.BitLen() < 2048 || pub.N.BitLen() > 8192 || pub.N.Bit(0) == 0 {
			return nil, "modulus"
		}
		if pub.E < 65537 || pub.E%2 == 0 {
			return nil, "exponent"
		}
		return []Alg{PS256, RS256, PS384, RS384, PS512, RS512}, ""
	case ed25519.PublicKey:
		if len(pub) != ed25519.PublicKeySize {
			return nil, "members"
		}
		return []Alg{EdDSA, ed25519Alg}, ""
	}
	return nil, "type"
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
	if pub, ok := k.pub.(ed25519.PublicKey); ok {
		return ed25519.Verify(pub, []byte(input), sig)
	}
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
