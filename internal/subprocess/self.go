package subprocess

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// RunSelf runs this program as a child process that calls the function that Serve registered
// under a name, and returns its output and errors as Run does. It needs no shell. The limit on
// memory is one of the child's writable memory.
func RunSelf(ctx context.Context, in []byte, l Limits, name string, args ...string) ([]byte, error) {
	path, err := self()
	if err != nil {
		return nil, err
	}
	return run(ctx, in, l, name, func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, path)
		cmd.Args = append([]string{name, strconv.Itoa(l.Memory), strconv.Itoa(int(l.Time.Seconds()) + 1)}, args...)
		// The collector starts early, so that garbage takes less of the limit than the data.
		cmd.Env = []string{"GOMAXPROCS=2", "GOGC=25", "GOTRACEBACK=none"}
		return cmd
	})
}

// self returns a path of the running program that continues to work after an upgrade replaced
// the file, if the system has one.
func self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	path, err := os.Executable()
	if err != nil {
		if path, err = exec.LookPath(os.Args[0]); err == nil {
			path, err = filepath.Abs(path)
		}
	}
	return path, err
}

// Serve runs a function, and ends the program, if RunSelf started this process under the name.
// It is called in an init function, before the program does anything else.
func Serve(name string, f func(args []string, in io.Reader, out io.Writer) error) {
	if len(os.Args) < 3 || os.Args[0] != name {
		return
	}
	kilobytes, err1 := strconv.ParseUint(os.Args[1], 10, 40)
	seconds, err2 := strconv.ParseUint(os.Args[2], 10, 20)
	if errors.Join(err1, err2) != nil || limitSelf(kilobytes<<10, time.Duration(seconds)*time.Second) != nil {
		os.Exit(3)
	}
	if err := f(os.Args[3:], os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}
