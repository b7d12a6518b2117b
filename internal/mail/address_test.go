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
		"a@b": true, "nina.o'hara+x@example.com": true, "é@example.com": true,
		"": false, "x": false, "a@": false, "@b": false, "a b@c": false, "a@b\u202e.c": false, "<a@b>": false, "a,b@c": false,
		strings.Repeat("x", 250) + "@example.com": false,
	} {
		if got := IsAddress(in); got != want {
			t.Errorf("IsAddress(%q) = %v, want %v", in, got, want)
		}
	}
}
