// Package subtest runs the named parts of a test whose server keeps the test's T.
package subtest

import "testing"

// Run runs a part of a test with *t set to the part's T. A part that fails ends the test,
// because later parts build on it.
func Run(t **testing.T, name string, part func(t *testing.T)) {
	whole := *t
	whole.Helper()
	defer func() { *t = whole }()
	if !whole.Run(name, func(sub *testing.T) { *t = sub; part(sub) }) {
		whole.FailNow()
	}
}
