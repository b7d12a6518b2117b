package e2e

import "syscall"

// ownGroup starts a program in a process group, which killGroup ends: it may be a script that starts the browser.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
