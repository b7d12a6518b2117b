// Package proptest checks what holds for every input: a property, with inputs that
// are drawn at random and yet the same in every run, so that a change passes
// or fails by itself alone. `make test-properties` draws others.
package proptest

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

func init() {
	// The command line is read after this: -rapid.seed=0 draws other inputs.
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// Check draws inputs for a law and fails the test with the least of those for
// which it does not hold.
func Check(t *testing.T, law func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, law)
}
