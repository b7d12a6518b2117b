package mail

import (
	"strings"
	"unicode"
)

// maxAddress is the maximum size of an email address in bytes (RFC 5321, section
// 4.5.3.1).
const maxAddress = 254

// NormalizeAddress normalizes an email address for comparison: it trims spaces and folds ASCII
// letters. It returns "" if the address is too long.
func NormalizeAddress(s string) string {
	s = strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}, strings.TrimSpace(s))
	if len(s) > maxAddress {
		return ""
	}
	return s
}

// IsAddress reports whether s has the form of an email address. It has ASCII characters only,
// because different characters of Unicode look alike.
func IsAddress(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && len(s) <= maxAddress &&
		!strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("<>\"(),;:\\", c) })
}

// OneLine returns a name for a header line of an email: one line, without control
// characters.
func OneLine(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " ")
}
