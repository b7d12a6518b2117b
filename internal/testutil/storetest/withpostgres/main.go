//go:build linux

// Command withpostgres runs a command with one temporary PostgreSQL that all its tests
// share, and with temporary files in memory where there is room:
//
//	go run ./internal/testutil/storetest/withpostgres go test ./...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"vestibule/internal/testutil/storetest/cluster"
)

func main() { os.Exit(run(os.Args[1:])) }

// executable reports whether programs can be run from a folder.
func executable(dir string) bool {
	const noExec = 8 // ST_NOEXEC
	var fs syscall.Statfs_t
	return syscall.Statfs(dir, &fs) == nil && fs.Flags&noExec == 0
}

func run(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres COMMAND [ARG ...]")
		return 2
	}
	c, err := cluster.Start(context.Background(), "autovacuum=off")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer c.Stop()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), cluster.Env+"="+c.URL)
	if dir := cluster.InMemory(); dir != "" && executable(dir) {
		// Some disks take half a second for an fsync while tests run, and SQLite waits for each.
		cmd.Env = append(cmd.Env, "TMPDIR="+dir, "GOTMPDIR="+os.TempDir())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
