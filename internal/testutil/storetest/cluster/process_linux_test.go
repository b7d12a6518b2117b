package cluster

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFoldersOfEndedProcessesAreRemoved makes a folder beside one whose process has ended, and
// beside one that is in use.
func TestFoldersOfEndedProcessesAreRemoved(t *testing.T) {
	parent := t.TempDir()
	left := filepath.Join(parent, "vestibule-pg-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	used, err := makeDir(parent, "vestibule-pg-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the folder of an ended process is there: %v", err)
	}
	if _, err := makeDir(parent, "vestibule-pg-"); err != nil {
		t.Fatal(err)
	}
	fd, err := lock(used)
	if err != syscall.EWOULDBLOCK {
		t.Errorf("the folder %s in use is not there, or not locked: %d, %v", used, fd, err)
	}
}
