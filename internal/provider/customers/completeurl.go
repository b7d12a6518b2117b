package customers

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"vestibule/internal/httpx"
)

// placeholder marks the position of the signed result in a redirect URL. It may be
// percent-encoded.
const (
	placeholder        = "[token]"
	encodedPlaceholder = "%5Btoken%5D"
)

// maxURL is the maximum length of a redirect URL in bytes. Servers and browsers accept
// it also with the token in it.
const maxURL = 2000

// CompleteURL is a parsed redirect URL.
type CompleteURL struct {
	Origin string // scheme, host in lower case, and a port that is not the scheme's default
	path   string // escaped; at least "/"
	raw    string
}

// ParseCompleteURL parses an absolute http or https URL. It returns ErrCompleteURL for
// anything that browsers and servers may read differently: user info, fragments,
// backslashes, control and non-ASCII characters, hosts with characters that have a
// meaning in a content security policy, dot segments, double slashes, and encoded
// slashes, backslashes, dots, percent signs, and zero bytes. The path must fulfill this
// also after its placeholders are removed. The host may not contain a placeholder.
func ParseCompleteURL(raw string) (CompleteURL, error) {
	if raw == "" || len(raw) > maxURL || strings.ContainsAny(raw, "\\#") || !httpx.IsVisible(raw) {
		return CompleteURL{}, ErrCompleteURL
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || u.Opaque != "" || u.Host == "" || strings.Contains(u.Host, "@") {
		return CompleteURL{}, ErrCompleteURL
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme != "https" && scheme != "http" || host == "" ||
		strings.HasPrefix(u.Host, "[") && !strings.Contains(host, ":") ||
		strings.ContainsAny(host, "[]%*;,'\"()!$&+=<>") || strings.HasSuffix(u.Host, ":") {
		return CompleteURL{}, ErrCompleteURL
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && !(scheme == "https" && port == "443") && !(scheme == "http" && port == "80") {
		host += ":" + port
	}
	path := cmp.Or(rawPath(raw), "/")
	if !unambiguous(path) || !unambiguous(withoutPlaceholders(path)) {
		return CompleteURL{}, ErrCompleteURL
	}
	return CompleteURL{Origin: scheme + "://" + host, path: path, raw: raw}, nil
}

// unambiguous reports whether all parsers read a path in the same way.
func unambiguous(path string) bool {
	lower := strings.ToLower(path)
	for _, ambiguous := range []string{"%2f", "%5c", "%2e", "%25", "%00", "//"} {
		if strings.Contains(lower, ambiguous) {
			return false
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// rawPath returns the path as written, between authority and query.
func rawPath(raw string) string {
	_, rest, _ := strings.Cut(raw, "://")
	rest, _, _ = strings.Cut(rest, "?")
	_, path, found := strings.Cut(rest, "/")
	if !found {
		return ""
	}
	return "/" + path
}

// isWithin reports whether c has the origin of a registered URL, and its path or
// one below it.
func (c CompleteURL) isWithin(registered string) bool {
	base, _, _ := strings.Cut(registered, "?")
	r, err := ParseCompleteURL(base)
	if err != nil || r.Origin != c.Origin {
		return false
	}
	prefix := strings.TrimSuffix(r.path, "/")
	return c.path == r.path || strings.HasPrefix(c.path, prefix+"/")
}

// MatchCompleteURL parses a URL. It returns ErrCompleteURL unless the URL has the
// origin of a registered one, and its path or one below it.
func MatchCompleteURL(raw string, registered []string) (CompleteURL, error) {
	c, err := ParseCompleteURL(raw)
	if err != nil {
		return c, err
	}
	for _, r := range registered {
		if c.isWithin(r) {
			return c, nil
		}
	}
	return CompleteURL{}, ErrCompleteURL
}

// WithToken returns the URL with the token in place of the first placeholder. Without a
// placeholder, it appends the token to the query as jwt.
func (c CompleteURL) WithToken(token string) string {
	at, length := strings.Index(c.raw, placeholder), len(placeholder)
	if i := strings.Index(strings.ToLower(c.raw), strings.ToLower(encodedPlaceholder)); i >= 0 && (at < 0 || i < at) {
		at, length = i, len(encodedPlaceholder)
	}
	if at >= 0 {
		return c.raw[:at] + token + c.raw[at+length:]
	}
	switch {
	case !strings.Contains(c.raw, "?"):
		return c.raw + "?jwt=" + token
	case strings.HasSuffix(c.raw, "?"), strings.HasSuffix(c.raw, "&"):
		return c.raw + "jwt=" + token
	}
	return c.raw + "&jwt=" + token
}

// placeholders matches both forms of the placeholder.
var placeholders = regexp.MustCompile(`\[token\]|(?i:%5btoken%5d)`)

// WithoutToken returns the URL for a form that posts the token in its body: without
// placeholders, and without the query parameters that contain one.
func (c CompleteURL) WithoutToken() string {
	base, query, found := strings.Cut(c.raw, "?")
	if path := rawPath(c.raw); path != "" {
		base = strings.TrimSuffix(base, path) + withoutPlaceholders(path)
	}
	if !found {
		return base
	}
	var rest []string
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" && !placeholders.MatchString(pair) {
			rest = append(rest, pair)
		}
	}
	if len(rest) == 0 {
		return base
	}
	return base + "?" + strings.Join(rest, "&")
}

// withoutPlaceholders removes the placeholders from a path, and the segments that
// consist of one. The last segment leaves its slash.
func withoutPlaceholders(path string) string {
	segments := strings.Split(path, "/")
	kept := segments[:0]
	for i, segment := range segments {
		rest := placeholders.ReplaceAllString(segment, "")
		if rest != "" || segment == "" || i == len(segments)-1 {
			kept = append(kept, rest)
		}
	}
	return strings.Join(kept, "/")
}
