package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// topics are the headings of the overview, by the tag topic of the commands in cli.
var topics = []struct{ key, title string }{
	{"run", "Run"}, {"develop", "Develop and try"}, {"manage", "Manage the provider"}, {"about", "About this program"},
}

// examples has a command line of each command, which help shows.
var examples = map[string]string{
	"serve":                   "serve --data-dir=./data --sandbox-control-addr=127.0.0.1:8082",
	"portal":                  "portal --provider-url=https://service.example.com --portal-url=https://apply.example.com --behind-proxy",
	"provider":                "provider --environment=production --tls-cert=cert.pem --tls-key=key.pem --provider-addr=0.0.0.0:443",
	"customer add":            `customer add "Harbor Bank" --staff=ops@harbor.example --data-dir=./data`,
	"customer list":           "customer list --data-dir=./data",
	"customer show":           "customer show svc-harbor --data-dir=./data",
	"customer rename":         `customer rename svc-harbor "Harbor Bank" --display-name=Harbor`,
	"customer suspend":        "customer suspend svc-harbor",
	"customer resume":         "customer resume svc-harbor",
	"customer limit":          "customer limit svc-harbor 120",
	"customer enable":         "customer enable svc-harbor refresh relay-tokens",
	"customer disable":        "customer disable svc-harbor refresh",
	"customer inherit":        "customer inherit svc-harbor-auto refresh",
	"customer reset-password": "customer reset-password svc-harbor ana@harbor.example",
	"customer reset-factor":   "customer reset-factor svc-harbor ana@harbor.example",
	"customer transfer":       "customer transfer svc-harbor ben@harbor.example",
	"configuration create":    `configuration create svc-harbor "Two banks" --kind=cashflow --banks=2`,
	"configuration copy":      `configuration copy svc-harbor "Two banks" "Three banks" --banks=3`,
	"configuration retire":    `configuration retire svc-harbor "Two banks"`,
	"configuration list":      "configuration list svc-harbor",
	"product create":          `product create svc-harbor "Auto loans" --configuration="Two banks"`,
	"product rename":          `product rename svc-harbor "Auto loans" "Car loans"`,
	"product configure":       `product configure svc-harbor "Car loans" "Three banks"`,
	"product list":            "product list svc-harbor",
	"prepared add":            "prepared add --account=svc-harbor --file=report.json",
	"prepared list":           "prepared list --account=svc-harbor",
	"consumer link":           "consumer link dana@example.com",
	"operator add":            "operator add ops@service.example",
	"operator list":           "operator list",
	"operator remove":         "operator remove ops@service.example",
	"operator health":         "operator health",
	"operator backup-done":    `operator backup-done "s3, nightly"`,
	"keys rotate":             "keys rotate --data-dir=./data",
	"connector check":         "connector check https://payroll.example.com/ --secret-file=secret.txt",
	"connector institutions":  "connector institutions https://payroll.example.com/ --secret-file=secret.txt",
	"doctor":                  "doctor --data-dir=./data",
	"credentials":             "credentials --format=json",
	"provider-profile":        "provider-profile >provider.yaml",
	"report":                  "report checking.ofx --page=report.html",
	"health":                  "health --admin-addr=127.0.0.1:9090",
	"version":                 "version --json",
	"help":                    "help customer add",
	"completion":              "completion bash >/etc/bash_completion.d/vestibule",
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
	if line := examples[commandPath(first)]; line != "" && n.Parent != nil {
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
	if n, rest := find(in.command.Model.Node, c.Words); len(rest) > 0 {
		return refusal{fmt.Errorf("%s is not a command%s", strings.Join(c.Words, " "), suggestion(n, rest))}
	}
	_, _, err := new(cli).parse(append(slices.Clone(c.Words), "--help"), in.stdout, in.stderr)
	return err
}

// suggestion names the commands below n that are spelled almost like the first word that is not a
// flag: `, did you mean "customer list"?`. It is empty if there is none.
func suggestion(n *kong.Node, args []string) string {
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	n, rest := find(n, words)
	var near []string
	least := 2
	for _, c := range n.Children {
		if len(rest) == 0 || c.Hidden {
			continue
		}
		d := distance(c.Name, rest[0])
		if d > least && len(rest[0]) > 2 && strings.HasPrefix(c.Name, rest[0]) {
			d = least
		}
		if d < least {
			near, least = nil, d
		}
		if d == least {
			near = append(near, fmt.Sprintf("%q", commandPath(c)))
		}
	}
	if len(near) == 0 {
		return ""
	}
	return ", did you mean " + strings.Join(near, " or ") + "?"
}

// distance counts the characters to insert, delete, replace or swap with the next one to turn a into b.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// completionScripts ask the hidden command complete for candidates.
var completionScripts = map[string]string{
	"bash": `_vestibule() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _vestibule vestibule
`,
	"zsh": `#compdef vestibule
_vestibule() {
  local -a found
  found=(${(f)"$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _vestibule vestibule
`,
	"fish": `function _vestibule
  set -l words (commandline -opc)
  $words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c vestibule -a '(_vestibule)'
`,
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script that completes commands and flags in a shell.
func (c completionCommand) Run(in *invocation) error {
	_, err := fmt.Fprint(in.stdout, completionScripts[c.Shell])
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
	command, rest := find(program, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") }))
	name, _, assigned := strings.Cut(last, "=")
	for _, level := range command.AllFlags(false) {
		for _, f := range level {
			switch {
			case f.Hidden || f.Group != nil && command != program && !usesFlag(command, f):
			case assigned && name == "--"+f.Name:
				return prefixed(name+"=", f.EnumSlice())
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
	if commandPath(command) == "help" { // takes the words of a command
		return candidates(program, rest, last)
	}
	return out
}

// prefixed returns the texts with a prefix.
func prefixed(prefix string, texts []string) (out []string) {
	for _, text := range texts {
		out = append(out, prefix+text)
	}
	return out
}
