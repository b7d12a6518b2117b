package mail

import (
	"strings"
	"testing"
)

func TestNormalizeAddress(t *testing.T) {
	for in, want := range map[string]string{" Ana@Example.COM ": "ana@example.com", "": "", strings.Repeat("a", 255): ""} {
		if got := NormalizeAddress(in); got != want {
			t.Errorf("NormalizeAddress(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestIsAddress(t *testing.T) {
	for in, want := range map[string]bool{
		"a@b": true, "nina.o'hara+x@example.com": true, "é@example.com": false,
		"": false, "x": false, "a@": false, "@b": false, "a b@c": false, "a@b\u202e.c": false, "<a@b>": false, "a,b@c": false,
		strings.Repeat("x", 250) + "@example.com": false,
	} {
		if got := IsAddress(in); got != want {
			t.Errorf("IsAddress(%q) = %v, want %v", in, got, want)
		}
	}
}

// TestOnlyASCIILettersFold checks that characters whose lower case is an ASCII letter do not
// make two addresses equal.
func TestOnlyASCIILettersFold(t *testing.T) {
	for in, want := range map[string]string{
		" Kim@Example.COM ":     "kim@example.com",
		"\u212Aim@example.com":  "\u212Aim@example.com",  // the Kelvin sign
		"\u0130van@example.com": "\u0130van@example.com", // I with a dot
	} {
		if got := NormalizeAddress(in); got != want {
			t.Errorf("NormalizeAddress(%q) = %q, want %q", in, got, want)
		}
		if got := IsAddress(NormalizeAddress(in)); got != (want == "kim@example.com") {
			t.Errorf("IsAddress(%q) = %v", want, got)
		}
	}
}
