package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/suggest"
)

// cli is the command line. A command is a struct with a Run method and a field here. Flags
// and variables of config may be given to every command; a method uses says which groups and
// single flags of it a command and its subcommands use.
type cli struct {
	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`

	config  Config        // not exported, for kong would validate groups that a command does not use
	refused *refusedValue // what a mapper refused last, which kong's errors do not wrap
	// by flag, in place of the environment's variables; nil: those of the environment
	settings map[string]string

	Serve    serveCommand    `cmd:"" topic:"run" default:"withargs" help:"Run the portal with the embedded provider."`
	Portal   portalCommand   `cmd:"" topic:"run" help:"Run the portal alone, against another provider."`
	Provider providerCommand `cmd:"" topic:"run" help:"Run the provider alone."`
	Doctor   doctorCommand   `cmd:"" topic:"run" help:"Check the configuration and all it names; changes nothing."`
	Health   healthCommand   `cmd:"" topic:"run" help:"Ask a running program if it is ready; exit code 1 if not."`

	Credentials credentialsCommand `cmd:"" topic:"develop" help:"Print the generated credentials, as shell exports or JSON."`
	Listen      listenCommand      `cmd:"" topic:"develop" help:"Print events of a sandbox, and forward them to your server."`
	Trigger     triggerCommand     `cmd:"" topic:"develop" help:"Make an event in a sandbox."`
	Emails      emailsCommand      `cmd:"" topic:"develop" help:"Print the emails to applicants that a sandbox keeps."`
	Seed        seedCommand        `cmd:"" topic:"develop" help:"Fill a sandbox with applications, for demonstrations."`
	Report      reportCommand      `cmd:"" topic:"develop" help:"Compute a cashflow report from account statements."`
	Connector   connectorCommands  `cmd:"" topic:"develop" help:"Check connectors to payroll providers and bureaus."`

	Customer      customerCommands      `cmd:"" topic:"manage" help:"Manage customers in the provider's database."`
	Configuration configurationCommands `cmd:"" topic:"manage" help:"Manage configurations of products."`
	Product       productCommands       `cmd:"" topic:"manage" help:"Manage products of customers."`
	Prepared      preparedCommands      `cmd:"" topic:"manage" help:"Manage prepared reports of a sandbox."`
	Consumer      consumerCommands      `cmd:"" topic:"manage" help:"Help consumers to see and freeze their files."`
	Operator      operatorCommands      `cmd:"" topic:"manage" help:"Manage the operators of the provider, and see its health."`
	Keys          keyCommands           `cmd:"" topic:"manage" help:"Manage keys of this installation."`

	Profile    profileCommand    `cmd:"" topic:"about" name:"provider-profile" help:"Print the built-in file of --provider-profile."`
	Completion completionCommand `cmd:"" topic:"about" help:"Print the script that completes commands in a shell."`
	Version    versionCommand    `cmd:"" topic:"about" help:"Print the version."`
	Help       helpCommand       `cmd:"" topic:"about" help:"Print an overview, or the help of a command."`

	Complete completeCommand `cmd:"" hidden:"" help:"Print what completes a command line."`
}

// groups are the groups of Config with their headings in help.
var groups = []kong.Group{
	{Key: "listen", Title: "Listeners and addresses"},
	{Key: "tls", Title: "TLS"},
	{Key: "process", Title: "Process"},
	{Key: "both", Title: "Production and a sandbox in one process"},
	{Key: "store", Title: "State and keys"},
	{Key: "account", Title: "Account at the provider"},
	{Key: "pages", Title: "Applicants' pages"},
	{Key: "api", Title: "The portal's API"},
	{Key: "events", Title: "Events to the onboarding app"},
	{Key: "review", Title: "Decisions and retention"},
	{Key: "signin", Title: "Sign-in to the dashboards"},
	{Key: "data", Title: "Banks, payroll providers, and bureaus"},
	{Key: "operator", Title: "The verification service, as applicants see it"},
	{Key: "documents", Title: "Documents of the provider"},
	{Key: "limits", Title: "Limits of the provider"},
	{Key: "sandbox", Title: "Sandbox"},
	{Key: "mail", Title: "Email"},
	{Key: "telemetry", Title: "Traces"},
	{Key: "log", Title: "Log"},
}

// What several commands use of Config.
const (
	portalUses = "portal-addr admin-addr portal-url provider-url admin-url tls process store " +
		"account pages api events review signin mail telemetry log"
	providerUses = "provider-addr operator-addr operator-url admin-addr provider-url admin-url tls process store " +
		"return-mode require-second-factor data operator documents limits sandbox mail telemetry log"
	databaseUses = "environment ca-file both store log"
	operatorUses = databaseUses + " webhook-networks provider-addr provider-url operator-addr operator-url" // commands print links
)

// usesFlag reports whether a command uses a flag of Config.
func usesFlag(command *kong.Node, f *kong.Flag) bool {
	for ; command != nil; command = command.Parent {
		if c, ok := command.Target.Addr().Interface().(interface{ uses() string }); ok {
			names := strings.Fields(c.uses())
			return slices.Contains(names, f.Group.Key) || slices.Contains(names, f.Name)
		}
	}
	return false
}

// invocation is what a command runs with.
type invocation struct {
	config         *Config
	stdout, stderr io.Writer

	create   bool        // a database that does not exist
	json     bool        // print JSON
	sandbox  *invocation // of --sandbox-settings, for commands that serve or check both environments
	command  *kong.Context
	groups   map[string]bool // of which the command uses a flag
	flags    map[string]bool // of Config
	trusts   bool            // the authorities of --ca-file
	warnings []string        // to log
}

// checked checks the configuration for a command that runs or examines parties, and
// returns a log with the warnings of the command line.
func (in *invocation) checked(p parties) (*slog.Logger, error) {
	err := in.config.check(in.groups, p)
	if in.sandbox != nil {
		err = errors.Join(err, in.sandbox.config.checkAsSandbox(in.sandbox.groups), in.config.checkBoth(in.sandbox.config))
	}
	if err != nil {
		return nil, refusal{fmt.Errorf("this configuration is refused:\n%w", err)}
	}
	log := in.config.Log.logger(in.stderr)
	for _, warning := range in.warnings {
		log.Warn(warning)
	}
	return log, nil
}

// parser returns the parser of the command line with further options.
func (c *cli) parser(more ...kong.Option) (*kong.Kong, error) {
	features := provider.Entitlements()
	values := kong.DefaultEnvars("VESTIBULE")
	if c.settings != nil {
		values = kong.Resolvers(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
			if value, given := c.settings[f.Name]; given && f.Group != nil {
				return value, nil
			}
			return nil, nil
		}))
	}
	parser, err := kong.New(c, append(append(more, c.mappers()...),
		kong.Name("vestibule"),
		kong.Description("Verifies a consumer's bank, payroll and document data and makes a report. "+
			"The portal is the business's side, the provider is the service's side."),
		kong.Embed(&c.config),
		kong.ExplicitGroups(groups),
		values,
		kong.Vars{"version": versionLine(), "features": strings.Join(features, ", "), "feature": strings.Join(features, ","),
			"events":       strings.Join(triggerCommand{}.candidates(), ", "),
			"inquiryTypes": strings.Join(contract.InquiryTypes(), ", "), "maxBanks": strconv.Itoa(contract.MaxBanks),
			"days": strconv.Itoa(customers.DefaultRefreshDays), "maxDays": strconv.Itoa(customers.MaxRefreshDays)},
		kong.ValueFormatter(helpOf),
		kong.Help(printHelp),
	)...)
	if err == nil {
		document(parser.Model.Node)
	}
	return parser, err
}

// parse reads arguments and environment. It reports done when it has printed help.
func (c *cli) parse(args []string, stdout, stderr io.Writer) (in invocation, done bool, err error) {
	in = invocation{config: &c.config, stdout: stdout, stderr: stderr, groups: map[string]bool{}, flags: map[string]bool{}}
	parser, err := c.parser(kong.Writers(stdout, stderr), kong.Exit(func(int) { done = true }))
	if err != nil {
		return in, false, err
	}
	in.command, err = parser.Parse(flagsFirst(parser.Model.Node, args))
	if done { // kong continues after its exit
		return in, true, nil
	}
	if err != nil {
		return in, false, c.explain(err, args)
	}
	in.create, in.json = c.Customer.Create || c.Operator.Create, c.Customer.JSON || c.Configuration.JSON || c.Product.JSON || c.Prepared.JSON
	command := in.command.Selected()
	for _, f := range in.command.Model.Flags {
		if f.Group != nil {
			in.flags[f.Name] = true
			in.trusts = in.trusts || f.Name == "ca-file" && usesFlag(command, f)
			in.groups[f.Group.Key] = in.groups[f.Group.Key] || usesFlag(command, f)
		}
	}
	for _, p := range in.command.Path {
		if p.Flag == nil || p.Resolved || p.Flag.Group == nil || usesFlag(command, p.Flag) {
			continue
		}
		unused := fmt.Sprintf("--%s: the command %s does not use it", p.Flag.Name, strings.Fields(in.command.Command())[0])
		if p.Flag.Group.Key == "sandbox" || p.Flag.Group.Key == "both" || p.Flag.Name == "events-url" {
			return in, false, errors.New(unused)
		}
		in.warnings = append(in.warnings, unused)
	}
	if c.config.Both.SandboxSettings == "" || !in.groups["both"] || c.settings != nil {
		return in, false, nil
	}
	switch name := strings.Fields(in.command.Command())[0]; {
	case name == "provider" || name == "doctor" && c.config.Process.Environment == contract.Production:
		sandbox, err := c.parseSandbox([]string{"provider"}, in)
		in.sandbox = &sandbox
		return in, false, err
	case c.config.Process.Environment == contract.Sandbox: // chosen by --environment
		in, err = c.parseSandbox(args, in)
	}
	return in, false, err
}

func variableOf(flag string) string {
	return "VESTIBULE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// refusedValue is a flag whose value was refused.
type refusedValue struct {
	flag *kong.Flag
	why  string
}

// mappers returns kong's mappers of types that can refuse a value; they set c.refused.
func (c *cli) mappers() (out []kong.Option) {
	defaults := kong.NewRegistry().RegisterDefaults()
	for _, m := range []struct {
		example any
		must    string
	}{
		{0, "a whole number"}, {uint64(0), "a whole number"}, {0.0, "a number"}, {false, "true or false"},
		{map[string]string{}, "NAME=VALUE"}, {time.Duration(0), "a duration such as 30s or 5m"},
	} {
		t := reflect.TypeOf(m.example)
		decode := defaults.ForType(t).Decode
		mapper := kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
			given := ctx.Scan.Peek()
			err := decode(ctx, target)
			switch f := ctx.Value.Flag; {
			case err == nil || !given.IsValue():
			case f == nil:
				err = fmt.Errorf("must be %s, not %q", m.must, given)
			default:
				c.refused = &refusedValue{f, fmt.Sprintf("--%s: must be %s, not %q", f.Name, m.must, given)}
			}
			return err
		})
		if t.PkgPath() != "" {
			out = append(out, kong.TypeMapper(t, mapper))
		} else {
			out = append(out, kong.KindMapper(t.Kind(), mapper))
		}
	}
	return out
}

// explain says in plain words why the parser refused the command line.
func (c *cli) explain(err error, args []string) error {
	var parsing *kong.ParseError
	if !errors.As(err, &parsing) {
		return err
	}
	program, text := parsing.Context.Model.Node, err.Error()
	likely := mistyped(program, args)
	inArgs := parsing.Context.Error != nil // rather than in a variable, or missing
	switch refused := c.refused != nil && slices.Contains(parsing.Context.Flags(), c.refused.flag); {
	case refused && inArgs:
		return errors.New(c.refused.why)
	case refused:
		return errors.New(c.refused.why + " (variable " + variableOf(c.refused.flag.Name) + ")")
	case likely != nil:
		return likely
	case strings.HasPrefix(text, "unknown flag "):
		text, _, _ = strings.Cut(text, ", did you mean")
		known := candidates(program, args, "-")
		if closest := suggest.Closest(strings.TrimPrefix(text, "unknown flag "), known); closest != "" {
			return fmt.Errorf("%s; did you mean %q?", text, closest)
		}
		command, _ := find(program, withoutFlags(args))
		if command != program {
			return fmt.Errorf("%s; `vestibule help %s` lists the flags", text, commandPath(command))
		}
		return fmt.Errorf("%s; `vestibule --help` lists commands and flags", text)
	case inArgs:
		return fmt.Errorf("%w; `vestibule --help` lists commands and flags", err)
	}
	var commands, arguments []string
	command := parsing.Context.Selected()
	for _, sub := range command.Children {
		commands = append(commands, strconv.Quote(sub.Name))
	}
	for _, arg := range command.Positional {
		if arg.Required && !arg.Set {
			arguments = append(arguments, arg.Summary())
		}
	}
	switch {
	case len(commands) > 0:
		return errors.New("missing command: " + strings.Join(commands, ", "))
	case len(arguments) > 0:
		return fmt.Errorf("missing arguments: %s; `vestibule help %s` explains them", strings.Join(arguments, " "), commandPath(command))
	}
	return err
}

// flagLine matches a line of an error about one flag.
var flagLine = regexp.MustCompile(`(?m)^(?:portal: |provider: |sandbox: )?--(?:no-)?([a-z-]+)(?:(?: "[^\n]*"| [^ "\n]+)?: | is ).*$`)

// withVariables adds to each line of an error about one flag the variable of the flag.
func (in *invocation) withVariables(text string) string {
	return flagLine.ReplaceAllStringFunc(text, func(line string) string {
		if flag := flagLine.FindStringSubmatch(line)[1]; in.flags[flag] {
			line += " (variable " + variableOf(flag) + ")"
		}
		return line
	})
}

// printHelp prints help with the flags that the command uses, after a list of commands if there is one.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	options.FlagsLast = true
	if command := ctx.Selected(); command != nil {
		for _, f := range ctx.Model.Flags {
			f.Hidden = f.Group != nil && !usesFlag(command, f)
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
