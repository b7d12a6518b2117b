// Package password hashes passwords (argon2id), limits how many are hashed at once,
// and limits sign-in tries. The portal and the provider both use it, each with a
// separate sign_in_tries table.
//
// It does not know user accounts: it takes an email address and the network of the
// try, and stores keyed hashes of them.
package password

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

	"golang.org/x/crypto/argon2"
)

// Cost of a password: argon2id with 19 MiB and two passes. A sign-in takes tens of
// milliseconds and little memory.
const (
	argonMemory = 19 << 10 // KiB
	argonPasses = 2
	argonLanes  = 1
)

// Min and Max bound a password, in bytes. Longer ones are not hashed.
const (
	Min = 12
	Max = 256
)

// Hash returns the password's hash with its salt and cost. It is slow: in request
// handlers call it within Queue.Do.
func Hash(password string) string {
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

// Cheapen makes Hash cheap for tests of whole programs. It panics outside a test.
func Cheapen() {
	if !testing.Testing() {
		panic("password: Cheapen is for tests")
	}
	cheap.Store(true)
}

var errHash = errors.New("password: a kept hash is malformed")

// check reports whether hash was made from password.
func check(hash, password string) (bool, error) {
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

// Queue hashes one password at a time to bound memory, and rejects callers that would
// wait too long. The zero value is ready to use.
type Queue struct {
	hashing sync.Mutex
	waiting atomic.Int32
}

// MaxWaiting is the maximum number of passwords being hashed or waiting: about one
// second of work.
const MaxWaiting = 20

// ErrBusy is returned to callers that would have to wait too long.
var ErrBusy = errors.New("password: too many passwords to hash")

// Do runs f when its turn comes. It returns ErrBusy if the queue is full, or ctx's
// error.
func (q *Queue) Do(ctx context.Context, f func()) error {
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > MaxWaiting {
		return ErrBusy
	}
	q.hashing.Lock()
	defer q.hashing.Unlock()
	if err := ctx.Err(); err != nil {
		return err // the caller gave up
	}
	f()
	return nil
}

// Check reports whether hash was made from password. With an empty hash (no such
// user) it hashes the password anyway, so that the answer takes as long.
func (q *Queue) Check(ctx context.Context, hash, password string) (right bool, err error) {
	waited := q.Do(ctx, func() {
		if hash == "" {
			Hash(password)
			return
		}
		right, err = check(hash, password)
	})
	if waited != nil {
		return false, waited
	}
	return right, err
}
