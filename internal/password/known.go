package password

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"
)

// KnownLife is how long a browser stays known after a sign-in.
const KnownLife = 90 * 24 * time.Hour

// A mark is a random browser name and its expiry. The cookie holds the mark and a
// keyed hash of the mark and the email address.
const (
	nameSize = 16
	markSize = nameSize + 8
)

// Know marks the browser as known for the email address, replacing any earlier mark.
// Call it after a successful sign-in and before writing the body. The cookie grants
// no access and does not reveal the address. A thief of the cookie gains TriesHere
// tries per Window, separate from the limits of unknown browsers.
func (g *Guard) Know(w http.ResponseWriter, email string) {
	mark := make([]byte, markSize)
	rand.Read(mark[:nameSize]) // never fails
	binary.BigEndian.PutUint64(mark[nameSize:], uint64(g.now().Add(KnownLife).Unix()))
	http.SetCookie(w, &http.Cookie{Name: g.Cookie, Value: base64.RawURLEncoding.EncodeToString(append(mark, g.signed(mark, Email(email))...)),
		Path: "/", MaxAge: int(KnownLife / time.Second), Secure: g.Secure, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

func (g *Guard) signed(mark []byte, email string) []byte {
	return g.keyed("known", email, string(mark))
}

// known returns the name of the browser that sent r if it is known for the address,
// or "". If two cookies have the same name, it trusts neither.
func (g *Guard) known(r *http.Request, email string) string {
	sent := r.CookiesNamed(g.Cookie)
	if len(sent) != 1 {
		return ""
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sent[0].Value)
	if err != nil || len(raw) < markSize || !hmac.Equal(raw[markSize:], g.signed(raw[:markSize], email)) ||
		int64(binary.BigEndian.Uint64(raw[nameSize:markSize])) <= g.now().Unix() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw[:nameSize])
}
