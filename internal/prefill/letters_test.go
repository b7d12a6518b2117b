package prefill

import (
	"testing"
	"unicode"
)

// TestClassOfMatchesUnicode compares the table with package unicode, which it replaces in
// the browser.
func TestClassOfMatchesUnicode(t *testing.T) {
	for c := rune(-1); c <= unicode.MaxRune+1; c++ {
		if c == 0x34000 { // skips code points without letters and marks
			c = 0xDFFF0
		} else if c == 0xE0200 {
			c = unicode.MaxRune - 10
		}
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
