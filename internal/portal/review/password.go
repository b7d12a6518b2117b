package review

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Cost of a password: argon2id with 19 MiB and two passes, so that a sign-in
// takes some tens of milliseconds and little memory.
const (
	argonMemory = 19 << 10 // KiB
	argonPasses = 2
	argonLanes  = 1
)

// maxPassword bounds what is hashed, in bytes.
const maxPassword = 256

// hashPassword returns what is kept of a password, with its salt and its cost.
func hashPassword(password string) string {
	var salt [16]byte
	rand.Read(salt[:]) // never fails
	sum := argon2.IDKey([]byte(password), salt[:], argonPasses, argonMemory, argonLanes, 32)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonLanes,
		b64.EncodeToString(salt[:]), b64.EncodeToString(sum))
}

var errHash = errors.New("review: a kept password hash is malformed")

// checkPassword reports whether password is the one that hash was made of.
func checkPassword(hash, password string) (bool, error) {
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
