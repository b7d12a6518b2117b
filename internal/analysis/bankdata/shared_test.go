package bankdata

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedData opens a file of external data, which is not part of the project. Tests of
// it are skipped without the file; VESTIBULE_SHARED_DATA overrides its folder.
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
