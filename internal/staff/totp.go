package staff

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"
)

// totpPeriod is how long a code of an authenticator app is shown. Codes of the periods before and
// after are accepted too, because clocks differ.
const totpPeriod = 30 * time.Second

// totp returns the code of a period (RFC 6238 with SHA-1 and 6 digits).
func totp(secret []byte, period int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, period) // never fails
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&0x7fffffff%1e6)
}

// periodOf returns the period around now that has a code.
func periodOf(secret []byte, code string, now time.Time) (period int64, ok bool) {
	current := now.Unix() / int64(totpPeriod/time.Second)
	for p := current - 1; p <= current+1; p++ {
		if subtle.ConstantTimeCompare([]byte(totp(secret, p)), []byte(code)) == 1 {
			period, ok = p, true
		}
	}
	return period, ok
}

// newTOTPSecret returns a secret of the length that RFC 4226 recommends.
func newTOTPSecret() []byte {
	secret := make([]byte, 20)
	rand.Read(secret) // never fails
	return secret
}

// totpText returns a secret as people type it into an app.
func totpText(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// totpURI returns the address that apps read from a QR code.
func totpURI(site, email string, secret []byte) string {
	return "otpauth://totp/" + url.PathEscape(site) + ":" + url.PathEscape(email) + "?secret=" + totpText(secret) +
		"&issuer=" + url.PathEscape(site) // some apps show a plus as it is
}
