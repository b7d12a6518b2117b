// Package proptest runs property tests. The random inputs are the same in every run, so
// a result depends on the change alone. `make test-properties` uses other inputs.
package proptest

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

func init() {
	// The command line overrides this: -rapid.seed=0 draws other inputs.
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// Check checks a property with random inputs and fails the test with the smallest
// counterexample.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, property)
}
