// Package app is the program: it reads the configuration, opens each party's database,
// gives each party its listener, and drains at the end. It is the only package that
// imports both parties; they communicate only over HTTP.
//
// Run is what main and the browser tests call. It refuses a configuration that would
// expose what must not be, and says which flag to change.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
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
	if n := runtime.GOMAXPROCS(0); n == runtime.NumCPU() && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * n)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

// Run runs the program with the given arguments until it ends or ctx does, and
// returns its exit code: 0, 1 for a failure, 2 for a configuration it refuses.
// It prints a line for each listener to stdout and, when all serve, `ready`. The log goes
// to stderr.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	tune()
	var c cli
	command, done, err := c.parse(args, stdout, stderr)
	if err != nil {
		err = refusal{err}
	} else if !done {
		err = c.run(ctx, command, stdout, stderr)
	}
	var refused refusal
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUnhealthy):
		return 1
	}
	fmt.Fprintln(stderr, "vestibule:", command.withVariables(err.Error()))
	if errors.As(err, &refused) {
		return 2
	}
	return 1
}

// run runs the command that was parsed.
func (c *cli) run(ctx context.Context, command command, stdout, stderr io.Writer) error {
	config := &c.config
	var p parties
	switch command.name {
	case "version":
		fmt.Fprintln(stdout, versionLine())
		return nil
	case "health":
		return checkHealth(ctx, config, stdout)
	case "report":
		config.dropGeneratedAccount()
		return c.Report.make(ctx, config, stdout, stderr)
	case "connector check":
		return c.Connector.Check.run(ctx, stdout)
	case "connector institutions":
		return c.Connector.Institutions.run(ctx, stdout)
	case "credentials":
		return c.Credentials.print(config.Store.Dir, stdout)
	case "portal":
		p.portal = true
	case "provider":
		p.provider = true
	case "serve", "doctor":
		config.dropGeneratedAccount()
		p = parties{true, command.name == "serve" || config.Account.ClientID == ""}
	}
	if err := config.check(command.groups, p); err != nil {
		return refusal{fmt.Errorf("this configuration is refused:\n%w", err)}
	}
	log := config.Log.logger(stderr)
	for _, warning := range command.warnings {
		log.Warn(warning)
	}
	yes, no := true, false
	switch command.name {
	case "doctor":
		return runDoctor(ctx, config, stdout)
	case "keys rotate":
		return rotateKeys(ctx, config, log, stdout)
	case "customer add":
		return addCustomer(ctx, config, c.Customer.Add, log, stdout)
	case "customer enable":
		return setEntitlements(ctx, config, c.Customer.Enable, &yes, log, stdout)
	case "customer disable":
		return setEntitlements(ctx, config, c.Customer.Disable, &no, log, stdout)
	case "customer inherit":
		return setEntitlements(ctx, config, c.Customer.Inherit, nil, log, stdout)
	case "customer show":
		return showCustomers(ctx, config, c.Customer.Show.Account, log, stdout)
	}
	if err := serve(ctx, config, p, log, stdout); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// release is the version in CHANGELOG.md.
const release = "0.1.0"

// Version returns the release with the revision that it was built from, if that is known:
// "0.1.0 (1f0c2a9d41be)".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", changed"
		}
	}
	if revision == "" {
		return release
	}
	return release + " (" + revision + changed + ")"
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
