//go:build unix

package subprocess

import (
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// LimitsPrograms reports whether Run works: on Windows only RunSelf does.
const LimitsPrograms = true

// killGroup ends a program together with its children when its context ends.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// limitSelf limits this process's memory, in bytes, and processor time, and forbids that it writes files.
func limitSelf(memory uint64, limit time.Duration) error {
	var errs []error
	limits := map[int]uint64{syscall.RLIMIT_CPU: uint64(limit.Seconds()), syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0}
	if !raceDetector {
		limits[syscall.RLIMIT_DATA] = memory
	}
	for which, limit := range limits {
		errs = append(errs, syscall.Setrlimit(which, &syscall.Rlimit{Cur: limit, Max: limit}))
	}
	return errors.Join(errs...)
}
