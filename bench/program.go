package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"vestibule/internal/testutil/program"
)

// server is a running program.
type server struct {
	program.Listeners
	cmd *exec.Cmd
}

// startServer starts a command of the program on free ports, and waits until it is ready.
func startServer(ctx context.Context, bin, dir string, args ...string) *server {
	cmd := exec.CommandContext(ctx, bin, append(args, "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0",
		"--data-dir="+filepath.Join(dir, "data"), "--log-level=error")...)
	cmd.Stderr = os.Stderr
	return &server{Listeners: must(program.StartProcess(cmd)), cmd: cmd}
}

func (p *server) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	p.cmd.Wait()
}

// memoryOf returns a size in bytes from /proc/pid/status.
func memoryOf(pid int, field string) float64 {
	for line := range strings.Lines(string(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))))) {
		var kb float64
		if n, _ := fmt.Sscanf(line, field+": %f kB", &kb); n == 1 {
			return kb * 1024
		}
	}
	panic(failure{fmt.Errorf("no %s", field)})
}
