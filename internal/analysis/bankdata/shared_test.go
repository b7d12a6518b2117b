package bankdata

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedData opens a file of the data that was not written here and is no part of
// the project. Tests of it are skipped where it is absent; VESTIBULE_SHARED_DATA
// says where it is otherwise.
func sharedData(t *testing.T, name string) *os.File {
	t.Helper()
	dir := os.Getenv("VESTIBULE_SHARED_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("not compared with %s: the shared data are absent (set VESTIBULE_SHARED_DATA to their folder)", name)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}
