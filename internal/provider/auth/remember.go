package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// rememberFor is how long a token that was verified is not verified again. A key
	// that is taken out of the database is trusted no longer than that.
	rememberFor = 10 * time.Second
	// maxVerified bounds what is remembered; about 150 bytes each.
	maxVerified = 4096
)

// verified is an access token whose signature, type and times were right.
type verified struct {
	credentialID string
	from, until  time.Time
}

// verifiedTokens remembers tokens by their SHA-256 for a moment, since to verify
// one takes longer than all else of a small request. What is remembered is only
// that we signed it and for which credential: that the credential is still good is
// asked for every request.
type verifiedTokens struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]verified
}

// find returns the credential of a token that was verified a moment ago, or "".
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

// keep remembers a token that was verified at now and expires then.
func (v *verifiedTokens) keep(token []byte, credentialID string, now, expires time.Time) {
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
