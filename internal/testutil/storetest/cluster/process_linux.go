package cluster

import "syscall"

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
