package app

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/golden"

	"github.com/alecthomas/kong"
)

//go:generate go test -vet=off -run ^TestConfigurationReference$ -update .

// TestConfigurationReference compares docs/reference/configuration.md with the
// program's flags.
func TestConfigurationReference(t *testing.T) {
	got, err := configurationReference()
	testutil.Must(t, err)
	golden.Compare(t, "../../docs/reference/configuration.md", got)
}

// configurationReference returns the page with every command, flag and variable.
func configurationReference() (string, error) {
	parser, err := new(cli).parser()
	if err != nil {
		return "", err
	}
	usual := ""
	for _, f := range parser.Model.Flags {
		if f.Name == "log-level" { // which every command uses that logs
			usual = usedBy(parser.Model, f)
		}
	}
	var b strings.Builder
	b.WriteString(`# Configuration

<!-- Written by make generate from the program's flags. -->

Every flag is also an environment variable; the flag wins. A command ignores variables that it does
not use, and accepts a flag that it does not use with a warning in the log. (It refuses flags of the
sandbox and ` + "`--events-url`" + `.) ` + "`vestibule COMMAND --help`" + ` lists the flags of a command.

JSON that a command prints is one value with names in camel case, such as ` + "`publicId`" + `; lists are arrays. What went wrong is
text on standard error, with exit code 2 for a command that is not accepted and 1 for another failure; standard output then
stays empty. With ` + "`--json`" + ` it is one JSON value on standard error, such as
` + "`{\"code\": \"NOT_FOUND\", \"message\": \"the account has no user with this email address\"}`" + `. The code is
` + "`INVALID_COMMAND`" + ` with exit code 2, and ` + "`NOT_FOUND`" + ` or ` + "`COMMAND_FAILED`" + ` with 1. ` + "`notes`" + `
has the lines that precede the text, such as the database in use. ` + "`operator health`" + ` alone prints its JSON with exit code 1, too.

The list after a description names the commands that use the flag. Without a list, the commands
` + usual[:strings.LastIndex(usual, ", ")] + " and" + usual[strings.LastIndex(usual, ",")+1:] + ` use it.

## Commands

| command | does |
|---|---|
`)
	writeCommands(&b, parser.Model.Node, "")
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| flag | variable | default | |\n|---|---|---|---|\n", g.Title)
		for _, f := range parser.Model.Flags {
			if f.Group == nil || f.Group.Key != g.Key {
				continue
			}
			by := usedBy(parser.Model, f)
			switch by {
			case "":
				return "", fmt.Errorf("no command uses --%s", f.Name)
			case usual:
				by = ""
			default:
				by = " *(" + by + ")*"
			}
			name, value := nameAndDefault(f)
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s%s |\n", cell(name), strings.Join(f.Envs, "`, `"), value, cell(f.Help), by)
		}
	}
	return b.String(), nil
}

// writeCommands writes the rows of the commands below a node.
func writeCommands(b *strings.Builder, n *kong.Node, prefix string) {
	for _, c := range n.Children {
		if c.Hidden {
			continue
		}
		if len(c.Children) > 0 {
			writeCommands(b, c, prefix+c.Name+" ")
			continue
		}
		name := prefix + c.Name
		for _, p := range c.Positional {
			name += " " + p.Summary()
		}
		for _, f := range c.Flags {
			switch {
			case f.Name == "help":
			case f.Required:
				name += " " + f.Summary()
			default:
				name += " [" + f.Summary() + "]"
			}
		}
		fmt.Fprintf(b, "| `vestibule %s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), cell(c.Help))
	}
}

// nameAndDefault returns the texts of the first and third cell of a flag's row.
func nameAndDefault(f *kong.Flag) (name, value string) {
	name = "--" + f.Name
	if f.IsBool() && f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	if f.PlaceHolder != "" {
		name += "=" + f.PlaceHolder
	}
	if f.HasDefault && f.Default != "" {
		value = "`" + f.Default + "`"
	}
	return name, value
}

// cell returns help as the text of a table's cell.
func cell(help string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(help) }

// usedBy names the commands that use a flag.
func usedBy(program *kong.Application, f *kong.Flag) string {
	var names []string
	for _, command := range program.Children {
		if usesFlag(command, f) {
			names = append(names, command.Name)
		}
	}
	return strings.Join(names, ", ")
}

// TestHelpShowsEveryDefault reads the variables and defaults of Config in the help.
func TestHelpShowsEveryDefault(t *testing.T) {
	var out, errs bytes.Buffer
	if exit := Run(t.Context(), []string{"--help"}, &out, &errs); exit != 0 {
		t.Fatalf("exit code %d:\n%s", exit, &errs)
	}
	_, flags, _ := strings.Cut(out.String(), "\nCommands:")
	shown := map[string]string{} // by variable, which ends the help of a flag
	for text := strings.Join(strings.Fields(flags), " "); ; {
		before, after, ok := strings.Cut(text, "($")
		if !ok {
			break
		}
		name, rest, _ := strings.Cut(after, ")")
		shown[name], text = before, rest
	}
	parser, err := new(cli).parser()
	testutil.Must(t, err)
	defaults := 0
	for _, f := range parser.Model.Flags {
		if f.Group == nil {
			continue
		}
		help, ok := shown[variableOf(f.Name)]
		if !ok {
			t.Errorf("--%s is not in the help", f.Name)
		}
		if f.Default != "" {
			defaults++
			if !strings.Contains(help, " Default: "+f.Default) && !strings.Contains(help, "="+strconv.Quote(f.Default)) {
				t.Errorf("the default of --%s, %s, is not in: %s", f.Name, f.Default, help)
			}
		}
	}
	if defaults < 15 {
		t.Errorf("only %d defaults were found", defaults)
	}
}

// TestDocumentedVariables checks that the guides name only flags of commands, and
// variables that are configuration or that vestibule credentials exports.
func TestDocumentedVariables(t *testing.T) {
	exported := regexp.MustCompile(`^VESTIBULE_(TEST|E2E|PRODUCT|CHILD|THIRD_PARTY|REVIEWER|DASHBOARD)_`)
	parser, err := new(cli).parser()
	testutil.Must(t, err)
	flags, variables := map[string]bool{}, map[string]bool{}
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if f, ok := node.(*kong.Flag); ok {
			flags[f.Name] = true
			if f.Group != nil {
				variables[variableOf(f.Name)] = true
			}
		}
		return next(nil)
	})
	testutil.Must(t, err)
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range append(pages, "../../README.md", "../../SECURITY.md") {
		text := testutil.ReadFile(t, page)
		for _, name := range regexp.MustCompile(`VESTIBULE_[A-Z0-9]+(?:_[A-Z0-9]+)*`).FindAllString(string(text), -1) {
			if !variables[name] && !exported.MatchString(name) {
				t.Errorf("%s names %s, which nothing reads", page, name)
			}
		}
		for _, m := range regexp.MustCompile("`--(?:no-)?([a-z]+(?:-[a-z]+)*)[`= ]").FindAllStringSubmatch(string(text), -1) {
			if !flags[m[1]] {
				t.Errorf("%s names --%s, which no command takes", page, m[1])
			}
		}
	}
}
