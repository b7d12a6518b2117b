package httpx

import (
	"net/http"
	"net/url"
)

// StrictTransport sets Strict-Transport-Security for a year (RFC 6797). It does not
// when the public address is not https, or is loopback, whose other ports share the
// host name.
func StrictTransport(address string, next http.Handler) http.Handler {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || IsLoopback(u.Hostname()) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}

// HostCookie returns the name of a cookie. With https it adds the prefix __Host-, which
// makes browsers require Secure, Path=/ and no Domain.
func HostCookie(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}
