//go:build unix

package subprocess

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

// TestInput checks that a program reads its input by its name and from the start, and cannot change it.
func TestInput(t *testing.T) {
	in := bytes.Repeat([]byte("page\n"), 100_000)
	limits := Limits{Time: 10 * time.Second, Memory: Memory, Output: len(in)}
	for name, c := range map[string]struct {
		script string
		want   []byte
	}{
		"by name":   {`cat "$1"`, in},
		"by stream": {"cat", in},
		"written":   {`echo changed >"$1"; cat <"$1"`, nil},
		"appended":  {`echo more >>"$1" && cat "$1"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == nil && runtime.GOOS != "linux" {
				t.Skip("on this system, the input is a pipe, which has no name to write to")
			}
			out, err := Run(t.Context(), in, limits, "/bin/sh", "-c", c.script, "sh", Input)
			if !bytes.Equal(out, c.want) || (err == nil) != (c.want != nil) {
				t.Errorf("%d bytes, %v", len(out), err)
			}
		})
	}
}
