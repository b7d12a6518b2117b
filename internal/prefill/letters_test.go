package prefill

import (
	"testing"
	"unicode"
)

// TestLetters holds the table to package unicode, which it stands in for.
func TestLetters(t *testing.T) {
	for c := rune(-1); c <= unicode.MaxRune+1; c++ {
		want := other
		if unicode.IsLetter(c) {
			want = letter
		} else if unicode.IsMark(c) {
			want = mark
		}
		if got := classOf(c); got != want {
			t.Fatalf("classOf(%U) = %d, want %d; run go generate", c, got, want)
		}
		if got := space(c); got != unicode.IsSpace(c) {
			t.Fatalf("space(%U) = %v", c, got)
		}
	}
}
