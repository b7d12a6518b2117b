// Package app is the program: it reads the configuration, opens each party's
// database, gives each its listener, and drains on the way out. It is the only
// room that knows both parties, and it lets them meet over HTTP alone.
//
// Run is what main and the browser tests call. It refuses a configuration that
// would expose what must not be, and says which flag to change.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"vestibule/internal/provider"
)

// cli is the command line. Every flag of Config is common to the commands.
type cli struct {
	Config

	Serve    struct{}         `cmd:"" default:"withargs" help:"Run the portal with the embedded provider (the default)."`
	Portal   struct{}         `cmd:"" help:"Run the portal alone, against the provider that --provider-url names."`
	Provider struct{}         `cmd:"" help:"Run the provider alone."`
	Customer customerCommands `cmd:"" help:"Customers in the provider's database: add one, and enable features for it."`
	Keys     keyCommands      `cmd:"" help:"Keys of this installation."`
	Doctor   struct{}         `cmd:"" help:"Examine the portal's configuration against its provider, and say what is wrong; changes nothing."`
	Version  struct{}         `cmd:"" help:"Print the version."`
}

type parties struct{ portal, provider bool }

// tune has the kernel share the processors between what runs, in turns of a
// millisecond or so: Go's own scheduler lets each work for ten before the next one's
// turn, and a page would wait for a report. Where the process may use a part of the
// machine only, more at once would have it stopped as a whole. Garbage is collected
// half as often as Go would, for some megabytes. GOMAXPROCS and GOGC, where they are
// set, are as somebody wants them.
func tune() {
	if n := runtime.GOMAXPROCS(0); n == runtime.NumCPU() && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * n)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

// helpOf is a flag's help with its default, where its placeholder stands in the place
// of that, and its variable.
func helpOf(v *kong.Value) string {
	told := *v
	if v.Flag != nil && v.HasDefault && v.Default != "" && (v.Flag.PlaceHolder != "" || v.IsBool()) {
		told.Help += " Default: " + v.Default + "."
	}
	return kong.DefaultHelpValueFormatter(&told)
}

// Run runs the program with the given arguments until it ends or ctx does, and
// returns its exit code: 0, 1 for a failure, 2 for a configuration it refuses.
// It prints to stdout one line a listener and, when all serve, `ready`; the log
// goes to stderr.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	tune()
	var c cli
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("vestibule"),
		kong.Description("Takes a consumer through verification and gets a trustworthy report back: the portal for the business, and the provider it talks to."),
		kong.DefaultEnvars("VESTIBULE"),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.UsageOnError(),
		kong.Vars{"features": strings.Join(provider.Entitlements(), ", "), "entitlements": strings.Join(provider.Entitlements(), ",")},
		kong.ValueFormatter(helpOf),
	)
	if err != nil {
		fmt.Fprintln(stderr, "vestibule:", err)
		return 1
	}
	command, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if err != nil {
		fmt.Fprintln(stderr, "vestibule:", err)
		return 2
	}
	name, _, _ := strings.Cut(command.Command(), " <")
	var p parties
	switch name {
	case "version":
		fmt.Fprintln(stdout, "vestibule", Version())
		return 0
	case "portal":
		p.portal = true
	case "provider", "keys rotate":
		p.provider = true
	default:
		p = parties{true, true}
		if strings.HasPrefix(name, "customer ") {
			p.portal = false
		}
	}
	c.tidy()
	if name == "doctor" {
		// The account of another provider is the portal's alone; the generated one
		// is of both.
		if c.ClientID != "" {
			p = parties{portal: true}
		}
	}
	if err := c.check(p); err != nil {
		fmt.Fprintln(stderr, "vestibule: this configuration is refused:")
		fmt.Fprintln(stderr, err)
		return 2
	}
	log := newLog(stderr, &c.Config)
	yes, no := true, false
	if run := map[string]func() error{
		"customer add":     func() error { return addCustomer(ctx, &c.Config, c.Customer.Add, log, stdout) },
		"customer enable":  func() error { return setEntitlements(ctx, &c.Config, c.Customer.Enable, &yes, log, stdout) },
		"customer disable": func() error { return setEntitlements(ctx, &c.Config, c.Customer.Disable, &no, log, stdout) },
		"customer inherit": func() error { return setEntitlements(ctx, &c.Config, c.Customer.Inherit, nil, log, stdout) },
		"customer show":    func() error { return showCustomers(ctx, &c.Config, c.Customer.Show.Account, log, stdout) },
		"keys rotate":      func() error { return rotateKeys(ctx, &c.Config, log, stdout) },
	}[name]; run != nil {
		if err := run(); err != nil {
			fmt.Fprintln(stderr, "vestibule:", err)
			return 1
		}
		return 0
	}
	if name == "doctor" {
		healthy, err := examine(ctx, &c.Config, stdout)
		if err != nil {
			fmt.Fprintln(stderr, "vestibule:", err)
			return 2
		}
		if !healthy {
			return 1
		}
		return 0
	}
	if err := serve(ctx, &c.Config, p, log, stdout); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "vestibule:", err)
		return 1
	}
	return 0
}

func newLog(w io.Writer, c *Config) *slog.Logger {
	var level slog.Level
	level.UnmarshalText([]byte(c.LogLevel)) // the parser has checked it
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// Version is the version of the build: the module's, or the revision it was
// built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			version += " (" + s.Value[:12] + ")"
		}
	}
	return version
}

// prepareDir makes the data folder, closed to other users.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	return nil
}
