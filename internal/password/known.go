package password

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"
)

// KnownLife is how long a browser is known after a sign-in there.
const KnownLife = 90 * 24 * time.Hour

// A mark is a browser's name, at random, and until when it is known. The cookie is
// the mark with its keyed hash and the address's.
const (
	nameSize = 16
	markSize = nameSize + 8
)

// Know has the browser known as one in which somebody has signed in by an address:
// the one that did so last. Call it after a success and before the body. The cookie
// opens nothing, and does not tell the address; whoever steals it may guess on where
// strangers may not, TriesHere in a Window.
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

// known names the browser that sent r, if it is known of the address. Of two cookies
// neither is trusted.
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
