package app

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

//go:generate go test -vet=off -run ^TestConfigurationReference$ -update .

var update = flag.Bool("update", false, "write docs/reference/configuration.md anew")

const reference = "../../docs/reference/configuration.md"

// TestConfigurationReference compares docs/reference/configuration.md with the
// program's flags.
func TestConfigurationReference(t *testing.T) {
	got, err := configurationReference()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(reference, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(reference)
	if err != nil || string(want) != got {
		t.Errorf("docs/reference/configuration.md is stale: make generate writes it anew (%v)", err)
	}
}

// configurationReference returns the page with every command, flag and variable.
func configurationReference() (string, error) {
	parser, err := new(cli).parser()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`# Configuration

<!-- Written by make generate from the program's flags. -->

Every flag is also an environment variable; the flag wins. A command ignores variables that it does
not use, and accepts a flag that it does not use with a warning in the log. (It refuses flags of the
sandbox and ` + "`--events-url`" + `.) ` + "`vestibule COMMAND --help`" + ` lists the flags of a command.

The list after a description names the commands that use the flag. Without a list, the commands
serve, portal, provider, doctor, customer and keys use it.

## Commands

| command | does |
|---|---|
`)
	var commands func(n *kong.Node, prefix string)
	commands = func(n *kong.Node, prefix string) {
		for _, c := range n.Children {
			if len(c.Children) > 0 {
				commands(c, prefix+c.Name+" ")
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
			fmt.Fprintf(&b, "| `vestibule %s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), cell(c.Help))
		}
	}
	commands(parser.Model.Node, "")
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| flag | variable | default | |\n|---|---|---|---|\n", g.Title)
		for _, f := range parser.Model.Flags {
			if f.Group == nil || f.Group.Key != g.Key {
				continue
			}
			name := "--" + f.Name
			if f.IsBool() && f.Tag.Negatable != "" {
				name = "--[no-]" + f.Name
			}
			if f.PlaceHolder != "" {
				name += "=" + f.PlaceHolder
			}
			value := ""
			if f.HasDefault && f.Default != "" {
				value = "`" + f.Default + "`"
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s%s |\n", cell(name), strings.Join(f.Envs, "`, `"), value, cell(f.Help), usedBy(f))
		}
	}
	return b.String(), nil
}

// cell returns help as the text of a table's cell.
func cell(help string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(help) }

// usedBy names the commands that use a flag.
func usedBy(f *kong.Flag) string {
	var names []string
	for _, name := range []string{"serve", "portal", "provider", "doctor", "customer", "keys", "credentials", "report", "health"} {
		if usesFlag(name, f) {
			names = append(names, name)
		}
	}
	if slices.Equal(names, []string{"serve", "portal", "provider", "doctor", "customer", "keys"}) {
		return ""
	}
	return " *(" + strings.Join(names, ", ") + ")*"
}
