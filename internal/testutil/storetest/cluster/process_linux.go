package cluster

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

type credential = syscall.Credential

func asUser(of *credential) *syscall.SysProcAttr { return &syscall.SysProcAttr{Credential: of} }

func asServer(of *credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: of, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
}

// InMemory returns the folder of a file system in memory with 4 GiB to spare, or "". A
// test makes and deletes a database of 1,200 files, which takes ext4 longer each time: it
// does not use an inode again for seconds, and passes over all of these in its search.
func InMemory() string {
	const dir, spare = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if syscall.Statfs(dir, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < spare {
		return ""
	}
	return dir
}

// unlocked is the prefix of a folder until it is locked: no other process removes it.
const unlocked = "vestibule-unlocked-"

// makeDir makes a folder below parent whose name begins with prefix, and removes those that
// ended processes have made so and left. This process locks its folder until it ends.
func makeDir(parent, prefix string) (string, error) {
	parent = cmp.Or(parent, os.TempDir())
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range left {
		if fd, err := lock(dir); err == nil {
			os.RemoveAll(dir)
			syscall.Close(fd)
		}
	}
	dir, err := os.MkdirTemp(parent, unlocked)
	if err != nil {
		return "", err
	}
	if _, err := lock(dir); err != nil {
		return "", &os.PathError{Op: "lock", Path: dir, Err: err}
	}
	locked := filepath.Join(parent, prefix+strings.TrimPrefix(filepath.Base(dir), unlocked))
	return locked, os.Rename(dir, locked)
}

func lock(dir string) (fd int, err error) {
	if fd, err = syscall.Open(dir, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err != nil {
		return 0, err
	}
	if err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		syscall.Close(fd)
	}
	return fd, err
}
