//go:build unix

package assets

import (
	"os"
	"syscall"
)

// exclude waits until no other process has the lock, and takes it.
func exclude(lock *os.File) error { return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX) }
