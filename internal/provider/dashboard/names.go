package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

// Reference encrypts the identifier of a report or a sharing token as one block, for
// addresses and the audit trail. It is not an authorization: handlers check the owner.
func (s *Service) Reference(token string) string {
	id, err := uuid.Parse(token)
	if err != nil {
		return ""
	}
	s.block.Encrypt(id[:], id[:])
	return id.String()
}

// token decrypts a reference, or returns "" for invalid text. Any other UUID decrypts
// to an unused identifier.
func (s *Service) token(reference string) string {
	id, err := uuid.Parse(reference)
	if err != nil || len(reference) != 36 {
		return ""
	}
	s.block.Decrypt(id[:], id[:])
	return id.String()
}

// once returns a nonce for a form that only this session can send, and only once.
func (s *Pages) once(sessionID string) string {
	nonce := make([]byte, 16, 32)
	rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(append(nonce, s.stamp(sessionID, nonce)...))
}

// nonce returns the nonce in a form field, or "" if it is not valid for the session.
func (s *Pages) nonce(sessionID, field string) string {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(field)
	if err != nil || len(raw) != 32 || !hmac.Equal(raw[16:], s.stamp(sessionID, raw[:16])) {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw[:16])
}

func (s *Pages) stamp(sessionID string, nonce []byte) []byte {
	mac := hmac.New(sha256.New, s.forms)
	mac.Write(nonce)
	mac.Write([]byte(sessionID))
	return mac.Sum(nil)[:16]
}
