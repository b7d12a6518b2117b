package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/program"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vestibule": func() {
		if err := assets.Inherit(); err != nil {
			log.Fatal(err)
		}
		main()
	}})
}

func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	assets.Need(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"start": start, "end": end, "mode": mode,
		},
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, assets.Inherited())
			env.Values[running{}] = map[string]*exec.Cmd{}
			return nil
		},
	})
}

// running is the key of the programs that a script has started, by name.
type running struct{}

// start NAME ARGS... runs the program in the background until it is ready, and
// sets NAME_portal, NAME_provider and so on to the addresses it listens at.
func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: start name args...")
	}
	name := args[0]
	cmd := exec.Command("vestibule", args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "VESTIBULE_DATA_DIR="+ts.MkAbs("data"))
	log, err := os.Create(ts.MkAbs(name + ".log"))
	ts.Check(err)
	cmd.Stderr = log
	at, err := program.StartProcess(cmd)
	ts.Value(running{}).(map[string]*exec.Cmd)[name] = cmd
	ts.Defer(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
		log.Close()
	})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		ts.Fatalf("%s: %v\n%s", name, err, said)
	}
	for which, url := range map[string]string{"portal": at.Portal, "provider": at.Provider, "sandbox": at.Control, "admin": at.Admin} {
		ts.Setenv(name+"_"+which, strings.TrimPrefix(strings.TrimPrefix(url, "http://"), "https://"))
	}
}

// end NAME sends SIGTERM and wants the program to end with exit code 0.
func end(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: end name")
	}
	cmd := ts.Value(running{}).(map[string]*exec.Cmd)[args[0]]
	ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) || err != nil {
			ts.Fatalf("%s ended with %v", args[0], err)
		}
	case <-time.After(2 * time.Minute):
		ts.Fatalf("%s does not end", args[0])
	}
}

// mode PERM FILE... wants files of exactly these permissions, in octal.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mode perm file...")
	}
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := info.Mode().Perm(); got != os.FileMode(want) {
			ts.Fatalf("%s has mode %s, want %s", name, fmt.Sprintf("%o", got), args[0])
		}
	}
}
