//go:build linux

package fleet

import (
	"context"
	"syscall"
	"time"
	"unsafe"
)

// limit holds a process to a share of one processor, as a container's quota does: it stops
// the process when it has used its share, and continues it later. The process continues
// when limit returns, at the end of ctx.
func limit(ctx context.Context, pid int, share float64) {
	const most = 50 * time.Millisecond // that it can save up
	defer syscall.Kill(pid, syscall.SIGCONT)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	stopped, last, used := false, time.Now(), processTime(pid)
	var left time.Duration
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, total := time.Now(), processTime(pid)
		left = min(most, left+time.Duration(share*float64(now.Sub(last)))-(total-used))
		last, used = now, total
		if stop := left < 0; stop != stopped {
			stopped = stop
			syscall.Kill(pid, map[bool]syscall.Signal{true: syscall.SIGSTOP, false: syscall.SIGCONT}[stop])
		}
	}
}

// processTime returns the processor time of a process in nanoseconds, by Linux's clock of the
// process, whose number derives from the process id.
func processTime(pid int) time.Duration {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(int32(^pid<<3|2)), uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
