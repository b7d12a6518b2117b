package ports

import "testing"

// TestFree checks that an address is handed out once, although nothing listens there, and
// that another process could not take this process's block.
func TestFree(t *testing.T) {
	seen := map[string]bool{}
	for range blockSize + 1 {
		at := Must(t, "127.0.0.1")
		if seen[at] {
			t.Fatalf("%s was handed out twice", at)
		}
		seen[at] = true
	}
	if n := len(block.taken); n < 2 {
		t.Errorf("%d blocks for %d ports", n, len(seen))
	}
}
