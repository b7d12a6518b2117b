package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// rememberFor is how long a verified token is not verified again, and so the longest
	// that a key deleted from the database is still trusted.
	rememberFor = 10 * time.Second
	// maxVerified is the maximum number of cached tokens; about 150 bytes each.
	maxVerified = 4096
)

// verified is an access token whose signature, type, and times are valid.
type verified struct {
	credentialID string
	from, until  time.Time
}

// verifiedTokens caches verified tokens by their SHA-256 for rememberFor, since
// verification takes longer than the rest of a small request. It caches only the
// signature check and the credential's id; every request still reads the credential.
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
		return "" // a clock that was moved back finds nothing either
	}
	return got.credentialID
}

// store caches a token that was verified at now and expires at expires.
func (v *verifiedTokens) store(token []byte, credentialID string, now, expires time.Time) {
	until := now.Add(rememberFor)
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
