package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	verifiedFor = 10 * time.Second // how long a token is cached, also after its key was deleted
	maxVerified = 4096             // maximum number of cached tokens, of about 150 bytes
)

// verified is an access token whose signature, type, and times are valid.
type verified struct {
	credentialID string
	from, until  time.Time
}

// verifiedTokens caches verified tokens by their SHA-256, because verification takes
// longer than the rest of a small request. It caches only the signature check and the
// credential's id; every request still reads the credential.
type verifiedTokens struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]verified
}

// find returns the credential id of a recently verified token, or "".
func (v *verifiedTokens) find(token []byte, now time.Time) string {
	key := sha256.Sum256(token)
	v.mu.Lock()
	defer v.mu.Unlock()
	got, ok := v.all[key]
	if !ok || now.Before(got.from) || !now.Before(got.until) {
		return "" // expired, or cached before the clock was moved back
	}
	return got.credentialID
}

// store caches a token that was verified at now and expires at expires.
func (v *verifiedTokens) store(token []byte, credentialID string, now, expires time.Time) {
	until := now.Add(verifiedFor)
	if expires.Before(until) {
		until = expires
	}
	key := sha256.Sum256(token)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all == nil || len(v.all) >= maxVerified {
		v.all = map[[sha256.Size]byte]verified{}
	}
	v.all[key] = verified{credentialID, now, until}
}
