package assets

import (
	"os"

	"golang.org/x/sys/windows"
)

// exclude waits until no other process has the lock, and takes it.
func exclude(lock *os.File) error {
	return windows.LockFileEx(windows.Handle(lock.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}
