// Package app is the program: it reads the configuration, opens each party's database,
// gives each party its listener, and drains at the end. It is the only package that
// imports both parties; they communicate only over HTTP.
//
// Run is what main and the browser tests call. It refuses a configuration that would
// expose what must not be, and says which flag to change.
package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// parties says which of the two a command runs or checks.
type parties struct{ portal, provider bool }

// refusal is an error of the configuration: exit code 2.
type refusal struct{ error }

// errUnhealthy is returned when a check has printed what failed.
var errUnhealthy = errors.New("the check failed")

// tune doubles the threads, so that pages need not wait for reports, unless the process
// has only a part of the machine. It also halves how often garbage is collected.
// GOMAXPROCS and GOGC override both.
func tune() {
	runtime.MemProfileRate = 8 << 20 // a heap profile of each 512 KB, Go's default, takes 1% of the processor
	if n := runtime.GOMAXPROCS(0); n == runtime.NumCPU() && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * n)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

// Run runs the program with the given arguments, by default help, until it ends or ctx does, and
// returns its exit code: 0, 1 for a failure, 2 for a configuration it refuses.
// It prints a line for each listener to stdout and, when all serve, `ready`. The log goes
// to stderr.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	tune()
	if len(args) == 0 {
		args = []string{"help"}
	}
	var notes *bytes.Buffer // of --json, whose error is one value on stderr
	out := stderr
	if slices.Contains(args, "--json") {
		notes = new(bytes.Buffer)
		stderr = notes
	}
	var c cli
	in, done, err := c.parse(args, stdout, stderr)
	if err == nil && in.trusts {
		err = in.config.TLS.Trust()
	}
	if err != nil {
		err = refusal{err}
	} else if !done {
		in.command.BindTo(ctx, (*context.Context)(nil))
		err = in.command.Run(&in)
	}
	if notes != nil && (err == nil || errors.Is(err, errUnhealthy)) {
		_, _ = notes.WriteTo(out)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUnhealthy):
		return 1
	}
	code, exit := codeOf(err)
	text := in.withVariables(err.Error())
	if notes == nil {
		fmt.Fprintln(out, "vestibule:", text)
	} else {
		_ = printJSON(out, failure{code, text, strings.FieldsFunc(notes.String(), func(r rune) bool { return r == '\n' })}, nil)
	}
	return exit
}

// codeOf returns the code and the exit code of a command's error.
func codeOf(err error) (contract.Code, int) {
	switch {
	case errors.As(err, new(refusal)):
		return "INVALID_COMMAND", 2
	case errors.As(err, new(provider.Unknown)), errors.Is(err, store.ErrNotFound):
		return contract.CodeNotFound, 1
	}
	return "COMMAND_FAILED", 1
}

// failure is the error of a command with --json.
type failure struct {
	Code    contract.Code `json:"code"` // INVALID_COMMAND, NOT_FOUND or COMMAND_FAILED
	Message string        `json:"message"`
	Notes   []string      `json:"notes,omitempty"` // lines that were to precede it
}

// release is the version in CHANGELOG.md.
const release = "0.1.0"

// revision is set by the linker in a release, which is built without information of version control.
var revision string

// build describes the program that runs.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // that it was built from, if that is known
	Changed  bool   `json:"changed,omitempty"`  // since the revision
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func thisBuild() build {
	b := build{Version: release, Revision: revision, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			b.Revision = s.Value[:12]
		case s.Key == "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// Version returns the release with the revision that it was built from, if that is known:
// "0.1.0 (1f0c2a9d41be)".
func Version() string {
	switch b := thisBuild(); {
	case b.Revision == "":
		return release
	case b.Changed:
		return release + " (" + b.Revision + ", changed)"
	default:
		return release + " (" + b.Revision + ")"
	}
}

type versionCommand struct {
	JSON bool `name:"json" env:"-" help:"Print JSON."`
}

// Run prints the version.
func (c versionCommand) Run(in *invocation) error {
	if c.JSON {
		return printJSON(in.stdout, thisBuild(), nil)
	}
	_, err := fmt.Fprintln(in.stdout, versionLine())
	return err
}

type profileCommand struct{}

// Run prints the file that describes Vestibule's own provider.
func (profileCommand) Run(in *invocation) error {
	_, err := in.stdout.Write(svcapi.BuiltInProfile)
	return err
}

// versionLine returns what the command version prints.
func versionLine() string {
	return fmt.Sprintf("vestibule %s %s %s/%s", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// prepareDir creates the data folder, without access for other users.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	return nil
}
