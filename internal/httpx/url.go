package httpx

import (
	"net/url"
	"strings"
)

// ParseURL parses an absolute http or https URL with a host and without credentials. It
// returns false for anything else.
func ParseURL(raw string) (u *url.URL, ok bool) {
	u, err := url.Parse(raw)
	return u, err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
}

// IsBaseURL reports whether s is an absolute http or https URL without user, query and
// fragment, to which a path can be appended.
func IsBaseURL(s string) bool {
	u, ok := ParseURL(s)
	return ok && u.RawQuery == "" && u.Fragment == ""
}

// IsHTTPS reports whether s is an absolute https URL without user.
func IsHTTPS(s string) bool {
	u, ok := ParseURL(s)
	return ok && u.Scheme == "https"
}

// IsSecure reports whether u is https, or http on loopback, which no network can read.
func IsSecure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}

// Origin returns the scheme, host and port of a URL.
func Origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// OriginOf returns the origin of an address, whose path may be secret, or "" if it has none.
func OriginOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return Origin(u)
}

// IsVisible reports whether s has only visible ASCII characters, as URLs and the values of
// headers have.
func IsVisible(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}
