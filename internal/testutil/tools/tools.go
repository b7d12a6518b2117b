// Package tools finds programs that tests need and a machine may lack, and tells the tiers
// of tests apart.
package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
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

// WithoutRaceDetector skips a test of memory under the race detector, which takes several times as much.
func WithoutRaceDetector(t testing.TB) {
	t.Helper()
	info, _ := debug.ReadBuildInfo()
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector takes memory")
	}
}

// Program returns the path of a program, or calls Missing.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is not installed")
	}
	return path
}

// SharedData reads a file of external data, which is not part of the project, from the
// folder that VESTIBULE_SHARED_DATA names. Without the variable, the folder is shared/data
// beside the project, and a missing file skips the test.
func SharedData(t testing.TB, name string) []byte {
	t.Helper()
	folders := []string{"../../../shared/data", "../../../../shared/data"} // from packages at both depths
	named := os.Getenv("VESTIBULE_SHARED_DATA")
	if named != "" {
		folders = []string{named}
	}
	for _, folder := range folders {
		if raw, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
			return raw
		}
	}
	if named != "" {
		t.Fatalf("%s is not in %s", name, named)
	}
	t.Skipf("not compared with %s: the shared data are absent (set VESTIBULE_SHARED_DATA to their folder)", name)
	return nil
}
