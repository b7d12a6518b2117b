package store

import (
	"slices"
	"testing"
)

func TestWordsAreConstants(t *testing.T) {
	var c Conditions
	for word, want := range map[string]string{"moreAsked": "'moreAsked'", "a_b": "'a_b'", "": "''"} {
		if got := c.Word(word); got != want || len(c.Args) > 0 {
			t.Errorf("the word %q is %s with arguments %v, want %s", word, got, c.Args, want)
		}
	}
	for _, other := range []string{"x' OR '1'='1", `a\`, "Ada Lovelace", "3f0c", "naïve", "\x00", "Kelvin\u212A"} {
		c := Conditions{Args: []any{1}}
		if got := c.Word(other); got != "$2" || !slices.Equal(c.Args, []any{1, other}) {
			t.Errorf("%q is %s with arguments %v, want an argument", other, got, c.Args)
		}
	}
	c.EqualWord("state", "ready")
	c.EqualWord("product", "")
	if want := []string{"state = 'ready'"}; !slices.Equal(c.All, want) {
		t.Errorf("the conditions are %q, want %q", c.All, want)
	}
}
