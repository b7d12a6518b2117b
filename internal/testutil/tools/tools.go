// Package tools is how tests ask for programs that a machine may lack.
package tools

import (
	"os"
	"os/exec"
	"testing"
)

// Missing skips a test that needs what this machine lacks, with the reason. It
// fails instead where make test or CI says that everything is installed.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("VESTIBULE_TEST_COMPLETE") != "" || os.Getenv("CI") != "" {
		t.Fatalf("%s; e2e/setup.sh installs it", what)
	}
	t.Skipf("%s; e2e/setup.sh installs it, and make test runs that before every test", what)
}

// Node is the path of Node, which a test needs.
func Node(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		Missing(t, "node is not installed")
	}
	return path
}
