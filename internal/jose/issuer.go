package jose

import (
	"context"
	"crypto"
	"encoding/base64"
	"slices"
	"sync"
)

// IssuerKeys is the key set that verifies an OpenID issuer's ID tokens. It implements
// oidc.KeySet; that package's own set fails as a whole by one key that it cannot read.
// Signatures are compared with every key, because some issuers send no kid.
type IssuerKeys struct {
	Fetch func(ctx context.Context) ([]crypto.PublicKey, error) // retrieves the set; see PublicKeys

	mu   sync.Mutex
	keys []crypto.PublicKey // as last retrieved
}

// Supported returns those of an issuer's algorithms whose signatures IssuerKeys verifies.
func Supported(algs []string) (out []string) {
	for _, name := range algs {
		if alg := algOf(name); alg.Valid() {
			out = append(out, name)
			if alg == EdDSA {
				out = append(out, ed25519Alg)
			}
		}
	}
	return out
}

// FitsHash reports whether hash is the at_hash or c_hash of value in a verified ID token: the left
// half of the hash of its algorithm (OpenID Connect Core, 3.1.3.6), which may be Ed25519.
func FitsHash(token, value, hash string) bool {
	p, err := parse(token)
	name, _, _ := p.header.text("alg")
	h := algOf(name).hash().New()
	h.Write([]byte(value))
	return err == nil && base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:h.Size()/2]) == hash
}

// VerifySignature returns the payload of a token whose signature fits. The caller has
// checked the algorithm. If no key fits, it retrieves the set once more.
func (s *IssuerKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	p, err := parse(token)
	if err != nil {
		return nil, err
	}
	if p.header.has("crit") { // we support no extension
		return nil, ErrHeader
	}
	name, _, _ := p.header.text("alg")
	fits := func(pub crypto.PublicKey) bool {
		algs, _ := algsFor(pub)
		key := Key{Alg: algOf(name), pub: pub}
		return slices.Contains(algs, key.Alg) && key.verify(p.input, p.signature)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.keys, fits) {
		return p.payload, nil
	}
	if s.keys, err = s.Fetch(ctx); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.keys, fits) {
		return nil, ErrSignature
	}
	return p.payload, nil
}
