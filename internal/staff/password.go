package staff

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

// Cost of a password: argon2id with 19 MiB and two passes. A sign-in takes tens of
// milliseconds and little memory.
const (
	argonMemory = 19 << 10 // KiB
	argonPasses = 2
	argonLanes  = 1
)

// MinPassword and MaxPassword bound a password, in bytes. Longer ones are not hashed.
const (
	MinPassword = 12
	MaxPassword = 256
)

// ValidPassword reports whether a password has an allowed length.
func ValidPassword(password string) bool {
	return len(password) >= MinPassword && len(password) <= MaxPassword
}

// hash returns the password's hash with its salt and cost. It is slow: request handlers
// call it by HashPassword.
func hash(password string) string {
	var salt [16]byte
	rand.Read(salt[:]) // never fails
	memory, passes := uint32(argonMemory), uint32(argonPasses)
	if cheap.Load() {
		memory, passes = 8, 1
	}
	sum := argon2.IDKey([]byte(password), salt[:], passes, memory, argonLanes, 32)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, passes, argonLanes,
		b64.EncodeToString(salt[:]), b64.EncodeToString(sum))
}

var cheap atomic.Bool

// UseCheapHashes makes hashes cheap for tests of whole programs. It panics outside a
// test.
func UseCheapHashes() {
	if !testing.Testing() {
		panic("staff: UseCheapHashes is for tests")
	}
	cheap.Store(true)
}

var errHash = errors.New("staff: a stored password hash is malformed")

// matches reports whether hash was made from password.
func matches(hash, password string) (bool, error) {
	part := strings.Split(hash, "$")
	if len(part) != 6 || part[1] != "argon2id" || part[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false, errHash
	}
	var memory, passes uint32
	var lanes uint8
	if _, err := fmt.Sscanf(part[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil || memory > 1<<20 || passes == 0 || lanes == 0 {
		return false, errHash
	}
	salt, err1 := base64.RawStdEncoding.Strict().DecodeString(part[4])
	sum, err2 := base64.RawStdEncoding.Strict().DecodeString(part[5])
	if err1 != nil || err2 != nil || len(sum) == 0 {
		return false, errHash
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(sum)))
	return subtle.ConstantTimeCompare(got, sum) == 1, nil
}

// hashQueue hashes one password at a time to bound memory, and rejects callers that
// would wait too long. The zero value is ready to use.
type hashQueue struct {
	hashing sync.Mutex
	waiting atomic.Int32
}

// maxQueued is the maximum number of passwords being hashed or waiting: about one
// second of work.
const maxQueued = 20

// errBusy is the error of callers that would have to wait too long.
var errBusy = &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: 2 * time.Second,
	Why: errors.New("staff: too many passwords to hash")}

// do runs f in its turn. It returns errBusy if the queue is full, or ctx's
// error.
func (q *hashQueue) do(ctx context.Context, f func()) error {
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > maxQueued {
		return errBusy
	}
	q.hashing.Lock()
	defer q.hashing.Unlock()
	if err := ctx.Err(); err != nil {
		return err // the caller gave up
	}
	f()
	return nil
}

// check reports whether hash was made from password. With an empty hash (no such
// user) it hashes the password anyway, so that the answer takes as long.
func (q *hashQueue) check(ctx context.Context, stored, password string) (right bool, err error) {
	waited := q.do(ctx, func() {
		if stored == "" {
			hash(password)
			return
		}
		right, err = matches(stored, password)
	})
	if waited != nil {
		return false, waited
	}
	return right, err
}

// HashPassword returns the hash of a password, after those that wait for theirs. If too
// many wait, its error answers 429.
func (s *Service) HashPassword(ctx context.Context, password string) (out string, err error) {
	err = s.hashes.do(ctx, func() { out = hash(password) })
	return out, err
}
