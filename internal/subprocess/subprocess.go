// Package subprocess runs local programs that read untrusted files. A program gets its input
// by a pipe or a file in memory, has an environment without the process's secrets, cannot write files, and is
// limited in time, memory and output. The program can be this one itself.
package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"
)

var (
	// ErrOutput means that a program wrote more than its limit.
	ErrOutput = errors.New("subprocess: the output is too long")
	// ErrNoLimits means that this system cannot limit a program, which was therefore not run.
	ErrNoLimits = errors.New("subprocess: on Windows other programs cannot be limited, so they are not run")
)

// AtOnce is how many documents each party reads at the same time. Two fit into the memory of the
// shipped files (docs/deploy), however many processors the machine has.
var AtOnce = min(2, max(1, runtime.NumCPU()-1))

// Memory is the limit of a local program, in kilobytes of address space. A page of a pay stub needs
// at most three quarters of it.
const Memory = 200_000

// Input is an argument in place of the name of a program's input. With a file in memory, which a program reads faster
// than a pipe, the program gets inputPath instead.
const (
	Input     = "-"
	inputPath = "/proc/self/fd/0"
)

// memoryFile returns a file in memory with these bytes, on Linux.
var memoryFile = func([]byte) (*os.File, error) { return nil, errors.ErrUnsupported }

// Limits of one run. Each is required.
type Limits struct {
	Time   time.Duration
	Memory int // kilobytes of address space
	Output int // bytes
}

// Run runs a program, given by its path, and returns its output. It returns ErrOutput or an
// error of the context if a limit on output or time ended it, and on Windows ErrNoLimits. Errors
// do not have the program's messages, because these may quote the file.
func Run(ctx context.Context, in []byte, l Limits, program string, args ...string) ([]byte, error) {
	if !LimitsPrograms {
		return nil, ErrNoLimits
	}
	return run(ctx, in, l, filepath.Base(program), func(ctx context.Context) *exec.Cmd {
		const limited = `ulimit -v "$1" && ulimit -t "$2" && ulimit -f 0 && ulimit -c 0 && shift 2 && exec "$@"`
		shell := append([]string{"-c", limited, "subprocess", strconv.Itoa(l.Memory), strconv.Itoa(int(l.Time.Seconds()) + 1), program}, args...)
		cmd := exec.CommandContext(ctx, "/bin/sh", shell...)
		cmd.Env = []string{"OMP_THREAD_LIMIT=1", "PATH=/usr/bin:/bin", "LC_ALL=C"}
		return cmd
	})
}

func run(ctx context.Context, in []byte, l Limits, name string, command func(context.Context) *exec.Cmd) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	cmd := command(ctx)
	cmd.Dir = "/"
	out := &bounded{out: make([]byte, 0, l.Output), cancel: cancel}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(in), out
	if f, err := memoryFile(in); err == nil {
		defer f.Close()
		cmd.Stdin = f
		if i := slices.Index(cmd.Args, Input); i > 0 {
			cmd.Args[i] = inputPath
		}
	}
	cmd.WaitDelay = time.Second
	killGroup(cmd)
	err := cmd.Run()
	switch {
	case out.over:
		return nil, ErrOutput
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("subprocess: %s: %w", name, err)
	}
	return out.out, nil
}

// bounded keeps the output of a program, and ends it at the limit.
type bounded struct {
	out    []byte // with the capacity of the limit, so that it is not copied while it grows
	over   bool
	cancel context.CancelFunc
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.out)+len(p) > cap(b.out) {
		b.over = true
		b.cancel()
		return 0, ErrOutput
	}
	b.out = append(b.out, p...)
	return len(p), nil
}
