//go:build linux

package fleet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Self is a process of this program.
type Self struct {
	cmd *exec.Cmd
	In  io.WriteCloser
	out *bufio.Reader
}

// StartSelf starts a build of this program with arguments; "" is this one. It ends with this
// process.
func StartSelf(ctx context.Context, program string, args ...string) (*Self, error) {
	if program == "" {
		program = "/proc/self/exe"
	}
	s := &Self{cmd: exec.CommandContext(ctx, program, args...)}
	s.cmd.Stderr = os.Stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var err error
	if s.In, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.cmd.Start()
}

// Line returns the next line that the process prints.
func (s *Self) Line() (string, error) {
	line, err := s.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s ended: %w", strings.Join(s.cmd.Args[:2], " "), err)
	}
	return strings.TrimSpace(line), nil
}

// Pid returns the id of the process.
func (s *Self) Pid() int { return s.cmd.Process.Pid }

// Stop ends the process.
func (s *Self) Stop() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}
