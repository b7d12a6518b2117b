package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"vestibule/internal/store"
)

// reference is how an address names a report or a relay token, whose own
// identifiers have no place in one: the identifier as one encrypted block. It says
// nothing without the key, and whose it is, is asked when it is followed.
func (s *Service) reference(token string) string {
	id, err := uuid.Parse(token)
	if err != nil {
		return ""
	}
	s.block.Encrypt(id[:], id[:])
	return id.String()
}

// token is the identifier behind a reference; empty for what is none. Any other
// UUID gives an identifier that nobody has.
func (s *Service) token(reference string) string {
	id, err := uuid.Parse(reference)
	if err != nil || len(reference) != 36 {
		return ""
	}
	s.block.Decrypt(id[:], id[:])
	return id.String()
}

// once makes what each form carries: a nonce that only this session can send, and
// once.
func (s *Service) once(sessionID string) string {
	nonce := make([]byte, 16, 32)
	rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(append(nonce, s.stamp(sessionID, nonce)...))
}

// nonce is that of a form which the session sends; empty for what is none.
func (s *Service) nonce(sessionID, field string) string {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(field)
	if err != nil || len(raw) != 32 || !hmac.Equal(raw[16:], s.stamp(sessionID, raw[:16])) {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw[:16])
}

func (s *Service) stamp(sessionID string, nonce []byte) []byte {
	mac := hmac.New(sha256.New, s.forms)
	mac.Write(nonce)
	mac.Write([]byte(sessionID))
	return mac.Sum(nil)[:16]
}

// cursorText is a cursor in an address; empty for the zero one. The id must be one
// that may be in an address.
func cursorText(c store.Cursor) string {
	if c.At.IsZero() {
		return ""
	}
	return strconv.FormatInt(c.Micros(), 10) + "." + c.ID
}

var errCursor = errors.New("dashboard: no cursor")

// parseCursor reads one from an address; empty is the zero one.
func parseCursor(s string) (store.Cursor, error) {
	if s == "" {
		return store.Cursor{}, nil
	}
	at, id, ok := strings.Cut(s, ".")
	n, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || n <= 0 || n > 1<<53 || len(id) != 36 || uuid.Validate(id) != nil {
		return store.Cursor{}, errCursor
	}
	return store.Cursor{At: store.Time(n), ID: id}, nil
}
