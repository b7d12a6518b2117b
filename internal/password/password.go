// Package password keeps the passwords of people who sign in: how they are
// hashed (argon2id), how many are hashed at once, and how often one may be
// tried. Both parties use it, each with a table sign_in_tries of its own.
//
// It knows nothing of who signs in: it takes an e-mail address and where somebody
// tries it, and keeps keyed hashes of them.
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

// Cost of a password: argon2id with 19 MiB and two passes, so that a sign-in
// takes some tens of milliseconds and little memory.
const (
	argonMemory = 19 << 10 // KiB
	argonPasses = 2
	argonLanes  = 1
)

// Bounds of a password, in bytes: what may be chosen, and what is hashed at all.
const (
	Min = 12
	Max = 256
)

// Hash returns what is kept of a password, with its salt and its cost. It takes
// its time: where many may ask, ask within Queue.Do.
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

// Cheapen has Hash cost next to nothing, for tests of whole programs. It panics
// outside of a test.
func Cheapen() {
	if !testing.Testing() {
		panic("password: Cheapen is for tests")
	}
	cheap.Store(true)
}

var errHash = errors.New("password: a kept hash is malformed")

// check reports whether password is the one that hash was made of.
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

// Queue hashes one password at a time, so that tries by the dozen do not take
// the memory of the process, and turns away what would wait for long. The zero
// value is ready.
type Queue struct {
	hashing sync.Mutex
	waiting atomic.Int32
}

// MaxWaiting is how many passwords are hashed or wait for it: about a second's
// worth.
const MaxWaiting = 20

// ErrBusy is returned for what would have to wait too long.
var ErrBusy = errors.New("password: too many passwords to hash")

// Do runs f when its turn has come.
func (q *Queue) Do(ctx context.Context, f func()) error {
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > MaxWaiting {
		return ErrBusy
	}
	q.hashing.Lock()
	defer q.hashing.Unlock()
	if err := ctx.Err(); err != nil {
		return err // nobody waits for it any more
	}
	f()
	return nil
}

// Check reports whether password is the one that hash was made of. With an empty
// hash, of nobody, it hashes in vain: the answer takes as long.
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
