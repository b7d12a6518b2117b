package jose

import (
	"context"
	"crypto"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
)

// IssuerKeys is the key set that verifies an OpenID issuer's ID tokens. It implements
// oidc.KeySet; that package's own set fails as a whole by one key that it cannot read.
// Signatures are compared with every key, because some issuers send no kid.
type IssuerKeys struct {
	Fetch func(ctx context.Context) ([]crypto.PublicKey, error) // retrieves the set; see PublicKeys

	mu   sync.Mutex
	keys []crypto.PublicKey // as last retrieved
}

// VerifySignature returns the payload of a token whose signature fits. The caller has
// checked the algorithm. If no key fits, it retrieves the set once more.
func (s *IssuerKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) > 0 {
		if payload, err := (&oidc.StaticKeySet{PublicKeys: s.keys}).VerifySignature(ctx, token); err == nil {
			return payload, nil
		}
	}
	keys, err := s.Fetch(ctx)
	if err != nil {
		return nil, err
	}
	s.keys = keys
	return (&oidc.StaticKeySet{PublicKeys: keys}).VerifySignature(ctx, token)
}
