package app

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
)

// releaseStartMemory returns to the system what only the start needed: the memory in which
// passwords of generated accounts were hashed, and pages of the program's file. The system maps up to
// 2 MB of the file for a page that is read.
func releaseStartMemory() {
	debug.FreeOSMemory()
	exe, err := os.Readlink("/proc/self/exe")
	mappings, err2 := os.ReadFile("/proc/self/smaps")
	if err != nil || err2 != nil {
		return
	}
	var from, to uintptr
	for line := range strings.Lines(string(mappings)) {
		line = strings.TrimSpace(line)
		var start, end uintptr
		var mode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &start, &end, &mode); n == 3 {
			if from, to = start, end; strings.Contains(mode, "w") || !strings.HasSuffix(line, " "+exe) {
				to = from
			}
		} else if f := strings.Fields(line); from < to && f[0] == "Anonymous:" && f[1] == "0" {
			// No page differs from the file: the system maps one again when it is used.
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED)
		}
	}
}
