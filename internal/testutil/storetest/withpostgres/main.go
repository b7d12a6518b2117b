// Command withpostgres runs a command with one temporary PostgreSQL that all its tests
// share:
//
//	go run ./internal/testutil/storetest/withpostgres go test ./...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"vestibule/internal/testutil/storetest/cluster"
)

func main() { os.Exit(run(os.Args[1:])) }

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
