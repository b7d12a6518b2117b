// Package tools finds programs that tests need and a machine may lack, and tells the tiers
// of tests apart.
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

// Full reports whether make test-full runs. Tests then try every combination; otherwise
// they try a choice of them that is the same in each run.
func Full() bool { return os.Getenv("VESTIBULE_TEST_FULL") != "" }

// FullOnly skips a test that only make test-full runs.
func FullOnly(t testing.TB) {
	t.Helper()
	if !Full() {
		t.Skip("only make test-full runs this test")
	}
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
