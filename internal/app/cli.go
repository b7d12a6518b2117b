package app

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"vestibule/internal/provider"
)

// cli is the command line. Flags and variables of config may be given to every command;
// used says which ones a command uses.
type cli struct {
	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`

	config Config // not exported, for kong would validate groups that a command does not use

	Serve       struct{}           `cmd:"" default:"withargs" help:"Run the portal with the embedded provider (the default)."`
	Portal      struct{}           `cmd:"" help:"Run the portal alone, against the provider at --provider-url."`
	Provider    struct{}           `cmd:"" help:"Run the provider alone."`
	Customer    customerCommands   `cmd:"" help:"Manage customers in the provider's database."`
	Keys        keyCommands        `cmd:"" help:"Manage keys of this installation."`
	Connector   connectorCommands  `cmd:"" help:"Check connectors to payroll providers and bureaus."`
	Doctor      struct{}           `cmd:"" help:"Check the configuration, the provider, banks and connectors; changes nothing."`
	Credentials credentialsCommand `cmd:"" help:"Print the generated credentials, as shell exports or JSON."`
	Report      reportCommand      `cmd:"" help:"Compute a cashflow report from account statements, on this machine, as JSON or as a page."`
	Health      struct{}           `cmd:"" help:"Ask the admin listener of a running program whether it is ready; exit code 1 if not."`
	Version     struct{}           `cmd:"" help:"Print the version."`
}

// groups are the groups of Config with their headings in help.
var groups = []kong.Group{
	{Key: "listen", Title: "Listeners and addresses"},
	{Key: "tls", Title: "TLS"},
	{Key: "process", Title: "Process"},
	{Key: "store", Title: "State and keys"},
	{Key: "account", Title: "Account at the provider"},
	{Key: "pages", Title: "Applicants' pages"},
	{Key: "api", Title: "The portal's API"},
	{Key: "events", Title: "Events to the onboarding app"},
	{Key: "review", Title: "Decisions and retention"},
	{Key: "signin", Title: "Sign-in to the review dashboard"},
	{Key: "data", Title: "Banks, payroll providers, and bureaus"},
	{Key: "operator", Title: "The verification service, as applicants see it"},
	{Key: "documents", Title: "Documents of the provider"},
	{Key: "limits", Title: "Limits of the provider"},
	{Key: "sandbox", Title: "Sandbox"},
	{Key: "mail", Title: "Email"},
	{Key: "telemetry", Title: "Traces"},
	{Key: "log", Title: "Log"},
}

var (
	portalUses = []string{"portal-addr", "admin-addr", "portal-url", "provider-url", "admin-url", "tls", "process", "store",
		"account", "pages", "api", "events", "review", "signin", "mail", "telemetry", "log"}
	databaseUses = []string{"environment", "store", "log"}
)

// used lists the groups and single flags that each command uses. A command that is not
// listed uses all.
var used = map[string][]string{
	"portal": portalUses,
	"provider": {"provider-addr", "admin-addr", "provider-url", "admin-url", "tls", "process", "store", "return-mode", "data",
		"operator", "documents", "limits", "sandbox", "mail", "telemetry", "log"},
	"customer":    databaseUses,
	"keys":        databaseUses,
	"doctor":      append(slices.Clip(portalUses), "provider-addr", "data", "documents"),
	"credentials": {"data-dir"},
	"report":      {"environment", "provider-addr", "provider-url", "data-dir", "public-id", "client-id", "secret-key", "products"},
	"connector":   {},
	"health":      {"admin-addr", "admin-url"},
	"version":     {},
}

// command is what the command line asks for.
type command struct {
	name     string          // with its subcommand, as "customer add"
	groups   map[string]bool // of which it uses a flag
	flags    map[string]bool // of Config
	warnings []string
}

// usesFlag reports whether a command uses a flag of Config.
func usesFlag(command string, f *kong.Flag) bool {
	names, some := used[command]
	return !some || slices.Contains(names, f.Group.Key) || slices.Contains(names, f.Name)
}

// parser returns the parser of the command line with further options.
func (c *cli) parser(more ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(more,
		kong.Name("vestibule"),
		kong.Description("Verifies a consumer's bank, payroll and document data and makes a report. "+
			"The portal is the business's side, the provider is the service's side."),
		kong.Embed(&c.config),
		kong.ExplicitGroups(groups),
		kong.DefaultEnvars("VESTIBULE"),
		kong.Vars{"version": versionLine(), "features": strings.Join(provider.Entitlements(), ", "),
			"entitlements": strings.Join(provider.Entitlements(), ",")},
		kong.ValueFormatter(helpOf),
		kong.Help(printHelp),
	)...)
}

// parse reads arguments and environment. It reports done when it has printed help.
func (c *cli) parse(args []string, stdout, stderr io.Writer) (out command, done bool, err error) {
	args, out.warnings = renameArgs(args)
	parser, err := c.parser(kong.Resolvers(renamedVariables(&out.warnings)),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { done = true }))
	if err != nil {
		return out, false, err
	}
	parsed, err := parser.Parse(args)
	if done { // kong continues after its exit
		return out, true, nil
	}
	if err != nil {
		return out, false, rephrase(err)
	}
	out.name, _, _ = strings.Cut(parsed.Command(), " <")
	first, _, _ := strings.Cut(out.name, " ")
	out.groups, out.flags = map[string]bool{}, map[string]bool{}
	for _, f := range parsed.Model.Flags {
		if f.Group != nil {
			out.flags[f.Name] = true
			out.groups[f.Group.Key] = out.groups[f.Group.Key] || usesFlag(first, f)
		}
	}
	for _, p := range parsed.Path {
		switch f := p.Flag; {
		case f == nil || p.Resolved || f.Group == nil || usesFlag(first, f):
		case f.Group.Key == "sandbox" || f.Name == "events-url":
			return out, false, fmt.Errorf("--%s: the command %s does not use it", f.Name, first)
		default:
			out.warnings = append(out.warnings, fmt.Sprintf("--%s: the command %s does not use it", f.Name, first))
		}
	}
	return out, false, nil
}

// parserWords are words of the parser's errors, and plain ones in their place.
var parserWords = []struct {
	parser *regexp.Regexp
	plain  string
}{
	{regexp.MustCompile(`expected a valid 64 bit u?int but got`), "must be a whole number, not"},
	{regexp.MustCompile(`expected a float but got (".*?") \(string\)`), "must be a number, not $1"},
	{regexp.MustCompile(`expected duration but got (".*?"): time: .*? "[^"]*"`), "must be a duration such as 30s or 5m, not $1"},
	{regexp.MustCompile(`expected "<key>=<value>" but got`), "must be NAME=VALUE, not"},
	{regexp.MustCompile(`bool value must be true, 1, yes, false, 0 or no but got`), "must be true or false, not"},
	{regexp.MustCompile(` \(from envar (\w+)=.*\)$`), " (variable $1)"},
	{regexp.MustCompile(`^expected "(<.*)"$`), "missing arguments: $1"},
	{regexp.MustCompile(`^expected (?:one of )?"`), `missing command: "`},
	{regexp.MustCompile(`^(?:unknown flag|unexpected argument) .*`), "$0; `vestibule --help` lists commands and flags"},
}

// rephrase rephrases an error of the parser.
func rephrase(err error) error {
	text := err.Error()
	for _, w := range parserWords {
		text = w.parser.ReplaceAllString(text, w.plain)
	}
	return errors.New(text)
}

// flagLine matches a line of an error about one flag.
var flagLine = regexp.MustCompile(`(?m)^(?:portal: |provider: )?--(?:no-)?([a-z-]+)(?:(?: "[^\n]*"| [^ "\n]+)?: | is ).*$`)

// withVariables adds to each line of an error about one flag the variable of the flag.
func (c command) withVariables(text string) string {
	return flagLine.ReplaceAllStringFunc(text, func(line string) string {
		if flag := flagLine.FindStringSubmatch(line)[1]; c.flags[flag] {
			line += " (variable " + variableOf(flag) + ")"
		}
		return line
	})
}

// printHelp prints help with the flags that the command uses.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if n := ctx.Selected(); n != nil {
		for n.Parent != nil && n.Parent.Type == kong.CommandNode {
			n = n.Parent
		}
		for _, f := range ctx.Model.Flags {
			f.Hidden = f.Group != nil && !usesFlag(n.Name, f)
		}
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// helpOf returns a flag's help with its variable, and its default where help shows a
// placeholder instead.
func helpOf(v *kong.Value) string {
	shown := *v
	if v.Flag != nil && v.HasDefault && v.Default != "" && (v.Flag.PlaceHolder != "" || v.IsBool()) {
		shown.Help += " Default: " + v.Default + "."
	}
	if slices.Equal(v.Tag.Envs, []string{"-"}) { // no variable
		tag := *v.Tag
		tag.Envs, shown.Tag = nil, &tag
	}
	return kong.DefaultHelpValueFormatter(&shown)
}
