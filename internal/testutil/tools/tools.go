// Package tools finds programs that tests need and a machine may lack.
package tools

import (
	"os"
	"os/exec"
	"testing"
)

// Missing skips a test that needs a missing program. It fails the test instead if make
// test or CI declares the machine complete.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("VESTIBULE_TEST_COMPLETE") != "" || os.Getenv("CI") != "" {
		t.Fatalf("%s; e2e/setup.sh installs it", what)
	}
	t.Skipf("%s; e2e/setup.sh installs it, and make test runs that before every test", what)
}

// Node returns the path of Node, or skips the test.
func Node(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		Missing(t, "node is not installed")
	}
	return path
}
