package app

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"vestibule/internal/testutil"
)

// resident returns the sizes in bytes of this process's resident memory and of its files' pages.
func resident(t *testing.T) (anonymous, files int) {
	t.Helper()
	raw := testutil.ReadFile(t, "/proc/self/status")
	for line := range strings.Lines(string(raw)) {
		fmt.Sscanf(line, "RssAnon: %d kB", &anonymous)
		fmt.Sscanf(line, "RssFile: %d kB", &files)
	}
	return anonymous << 10, files << 10
}

func TestReleaseStartMemory(t *testing.T) {
	const garbage = 128 << 20
	used := make([]byte, garbage)
	for i := 0; i < len(used); i += 4096 {
		used[i] = 1
	}
	runtime.KeepAlive(used)
	used = nil
	anonymous, files := resident(t)
	releaseStartMemory()
	after, filesAfter := resident(t)
	if anonymous-after < garbage/2 {
		t.Errorf("%d bytes of memory before, %d after", anonymous, after)
	}
	if filesAfter > files*3/4 {
		t.Errorf("%d bytes of the program's pages before, %d after", files, filesAfter)
	}
}
