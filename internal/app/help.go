package app

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"vestibule/internal/suggest"
)

// topics are the headings of the overview, by the tag topic of the commands in cli.
var topics = []struct{ key, title string }{
	{"run", "Run"}, {"develop", "Develop and try"}, {"manage", "Manage the provider"}, {"about", "About this program"},
}

//go:embed help
var helpFiles embed.FS

// example returns the line of help/examples.txt that begins with the words of a command, or "".
func example(path string) string {
	raw, _ := helpFiles.ReadFile("help/examples.txt") // is embedded
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line == path || strings.HasPrefix(line, path+" ") {
			return line
		}
	}
	return ""
}

// document adds the examples to the help of commands. A command with subcommands shows the
// example of its first one.
func document(n *kong.Node) {
	for _, child := range n.Children {
		document(child)
	}
	first := n
	for len(first.Children) > 0 {
		first = first.Children[0]
	}
	if line := example(commandPath(first)); line != "" && n.Parent != nil {
		n.Detail = "Example:\n\n    vestibule " + line
	}
}

// commandPath returns the words of a command, without the program's name.
func commandPath(n *kong.Node) string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimSpace(commandPath(n.Parent) + " " + n.Name)
}

// find returns the command that the words name, beginning below n, and the words that follow.
func find(n *kong.Node, words []string) (*kong.Node, []string) {
	for i, word := range words {
		at := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == word })
		if at < 0 {
			return n, words[i:]
		}
		n = n.Children[at]
	}
	return n, nil
}

// overview returns help in few lines: the commands by topic.
func overview(program *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s COMMAND [FLAGS]\n\n", program.Name)
	for _, topic := range topics {
		fmt.Fprintln(&b, topic.title)
		for _, c := range program.Children {
			if c.Tag.Get("topic") == topic.key {
				fmt.Fprintf(&b, "  %-17s %s\n", c.Name, c.Help)
			}
		}
	}
	b.WriteString("\n`vestibule help COMMAND` shows its flags, `vestibule --help` those of all.\n")
	return b.String()
}

type helpCommand struct {
	Words []string `arg:"" optional:"" name:"command" help:"The command, such as customer add. Default: an overview."`
}

// Run prints the overview, or the help of a command.
func (c helpCommand) Run(in *invocation) error {
	if len(c.Words) == 0 {
		_, err := fmt.Fprint(in.stdout, overview(in.command.Model))
		return err
	}
	if _, rest := find(in.command.Model.Node, c.Words); len(rest) > 0 {
		return refusal{cmp.Or(mistyped(in.command.Model.Node, c.Words), fmt.Errorf("%s is not a command", strings.Join(c.Words, " ")))}
	}
	_, _, err := new(cli).parse(append(slices.Clone(c.Words), "--help"), in.stdout, in.stderr)
	return err
}

// mistyped returns the error of a command that is misspelled, if the words have one. kong takes such a word for an argument
// of a default command.
func mistyped(program *kong.Node, words []string) error {
	command, rest := find(program, withoutFlags(words))
	if len(rest) == 0 || len(command.Children) == 0 {
		return nil
	}
	var names []string
	for _, c := range command.Children {
		names = append(names, c.Name)
	}
	if closest := suggest.Closest(rest[0], names); closest != "" {
		return fmt.Errorf("unexpected argument %s; did you mean %q?", rest[0], closest)
	}
	return nil
}

func withoutFlags(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
}

// flagsFirst moves the flags of a command that takes any number of arguments before these, which the parser wants in
// one piece.
func flagsFirst(program *kong.Node, args []string) []string {
	command, _ := find(program, withoutFlags(args))
	last, names := len(command.Positional)-1, len(strings.Fields(commandPath(command)))
	if last < 0 || !command.Positional[last].IsCumulative() || slices.Contains(args, "--") {
		return args
	}
	takes := map[string]bool{} // a value
	for _, f := range slices.Concat(command.AllFlags(false)...) {
		takes["--"+f.Name] = !f.IsBool()
	}
	var flags, rest []string
	for i, arg := range args {
		if arg != "-" && strings.HasPrefix(arg, "-") || i > 0 && takes[args[i-1]] {
			flags = append(flags, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	return slices.Concat(rest[:min(names, len(rest))], flags, rest[min(names, len(rest)):])
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script that completes commands and flags in a shell. The script asks the hidden
// command complete for candidates.
func (c completionCommand) Run(in *invocation) error {
	script, err := helpFiles.ReadFile("help/completion." + c.Shell)
	if err == nil {
		_, err = in.stdout.Write(script)
	}
	return err
}

// completeCommand prints what can stand for the last word of a command line.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

// Run prints a candidate on each line.
func (c completeCommand) Run(in *invocation) error {
	// bash makes three words of --name=value.
	words := slices.DeleteFunc(slices.Clone(c.Words), func(word string) bool { return word == "=" })
	if n := len(c.Words); n == 0 || c.Words[n-1] == "=" {
		words = append(words, "")
	}
	last := words[len(words)-1]
	for _, found := range candidates(in.command.Model.Node, words[:len(words)-1], last) {
		if found != "" && strings.HasPrefix(found, last) {
			fmt.Fprintln(in.stdout, found)
		}
	}
	return nil
}

// candidates returns the values of the flag before the last word or in it, or else the flags, or the
// subcommands and values of arguments, of the command that the words name.
func candidates(program *kong.Node, words []string, last string) (out []string) {
	command, rest := find(program, withoutFlags(words))
	name, _, assigned := strings.Cut(last, "=")
	for _, level := range command.AllFlags(false) {
		for _, f := range level {
			switch {
			case f.Hidden || f.Group != nil && command != program && !usesFlag(command, f):
			case assigned && name == "--"+f.Name:
				for _, value := range f.EnumSlice() {
					out = append(out, name+"="+value)
				}
				return out
			case len(words) > 0 && words[len(words)-1] == "--"+f.Name && !f.IsBool():
				return f.EnumSlice()
			case strings.HasPrefix(last, "-"):
				out = append(out, "--"+f.Name)
			}
		}
	}
	if strings.HasPrefix(last, "-") {
		return out
	}
	for _, c := range command.Children {
		if !c.Hidden && len(rest) == 0 {
			out = append(out, c.Name)
		}
	}
	if n := len(command.Positional); n > 0 {
		arg := command.Positional[min(len(rest), n-1)]
		out = append(out, arg.EnumSlice()...)
	}
	if c, ok := command.Target.Addr().Interface().(interface{ candidates() []string }); ok && len(rest) == 0 {
		out = append(out, c.candidates()...)
	}
	if commandPath(command) == "help" { // takes the words of a command
		return candidates(program, rest, last)
	}
	return out
}
