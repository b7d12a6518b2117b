package httpx

import (
	"net/http"
	"net/url"
)

// StrictTransport has browsers keep to https for a year, once they have seen the
// service there (RFC 6797). It says nothing where the service's public address is not
// https, or is this machine, whose other ports have the same name.
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

// HostCookie returns the name of a cookie that, where the service is on https, browsers
// take from this host alone: Secure, with Path=/ and no Domain.
func HostCookie(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}
