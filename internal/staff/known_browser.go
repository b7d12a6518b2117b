package staff

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"

	"vestibule/internal/mail"
)

// knownLife is how long a browser stays known after a sign-in.
const knownLife = 90 * 24 * time.Hour

// A mark is a random browser name and its expiry. The cookie holds the mark and a
// keyed hash of the mark and the email address.
const (
	nameSize = 16
	markSize = nameSize + 8
)

// markKnown marks the browser as known for the email address, in place of an earlier mark.
// Call it after a sign-in and before writing the body. The cookie grants no access; a thief
// of it gains MaxTries tries per TriesWindow, separate from those of unknown browsers.
func (l *tryLimits) markKnown(w http.ResponseWriter, email string) {
	mark := make([]byte, markSize)
	rand.Read(mark[:nameSize]) // never fails
	binary.BigEndian.PutUint64(mark[nameSize:], uint64(l.now().Add(knownLife).Unix()))
	value := append(mark, l.signed(mark, mail.NormalizeAddress(email))...)
	http.SetCookie(w, &http.Cookie{Name: l.cookie, Value: base64.RawURLEncoding.EncodeToString(value), Path: "/",
		MaxAge: int(knownLife / time.Second), Secure: l.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

func (l *tryLimits) signed(mark []byte, email string) []byte {
	return l.keyed("known", email, string(mark))
}

// knownBrowser returns the name of the browser that sent r if it is known for the address,
// or "". If two cookies have the same name, it trusts neither.
func (l *tryLimits) knownBrowser(r *http.Request, email string) string {
	sent := r.CookiesNamed(l.cookie)
	if len(sent) != 1 {
		return ""
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sent[0].Value)
	if err != nil || len(raw) < markSize || !hmac.Equal(raw[markSize:], l.signed(raw[:markSize], email)) ||
		int64(binary.BigEndian.Uint64(raw[nameSize:markSize])) <= l.now().Unix() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw[:nameSize])
}
