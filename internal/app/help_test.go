package app

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// run runs the program and returns its exit code and what it prints.
func run(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = Run(t.Context(), args, &out, &errs)
	return exit, out.String(), errs.String()
}

func TestOverview(t *testing.T) {
	_, help, _ := run(t, "help")
	exit, out, errs := run(t)
	if exit != 0 || out != help || errs != "" {
		t.Errorf("without arguments: exit code %d, %s%s", exit, out, errs)
	}
	lines := strings.Split(out, "\n")
	if len(lines) > 41 {
		t.Errorf("%d lines", len(lines)-1)
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	parser, err := new(cli).parser()
	testutil.Must(t, err)
	for _, c := range parser.Model.Children {
		if listed := strings.Contains(out, "\n  "+c.Name+" "); listed == c.Hidden {
			t.Errorf("%s: listed is %v", c.Name, listed)
		}
	}
}

// TestExamples checks that each command has an example in its help, which the program accepts.
func TestExamples(t *testing.T) {
	parser, err := new(cli).parser()
	testutil.Must(t, err)
	used := 0
	for _, c := range parser.Model.Leaves(true) {
		path := commandPath(c)
		line := example(path)
		if line == "" {
			t.Errorf("%s has no example", path)
			continue
		}
		used++
		if len(line) > 110 || !strings.HasPrefix(line, path+" ") && line != path {
			t.Errorf("%s: %s", path, line)
		}
		var args []string
		command, _, _ := strings.Cut(line, " >")
		for _, m := range regexp.MustCompile(`(?:"[^"]*"|[^" ])+`).FindAllString(command, -1) {
			args = append(args, strings.ReplaceAll(m, `"`, ""))
		}
		if _, _, err := new(cli).parse(args, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		exit, out, errs := run(t, append([]string{"help"}, strings.Fields(path)...)...)
		if exit != 0 || !strings.Contains(out, "vestibule "+line) || !strings.HasPrefix(out, "Usage: vestibule "+path) {
			t.Errorf("help %s: exit code %d, %s%s", path, exit, out, errs)
		}
	}
	if raw, _ := helpFiles.ReadFile("help/examples.txt"); used != strings.Count(string(raw), "\n") {
		t.Errorf("%d examples are of commands, of\n%s", used, raw)
	}
}

func TestSuggestions(t *testing.T) {
	for line, want := range map[string]string{
		"srve":                       `unexpected argument srve; did you mean "serve"?`,
		"custmoer list":              `unexpected argument custmoer; did you mean "customer"?`,
		"customer lsit":              `unexpected argument lsit; did you mean "list"?`,
		"product creat":              `unexpected argument creat; did you mean "create"?`,
		"help conf cretae":           `unexpected argument conf; did you mean "configuration"?`,
		"help customer ad":           `unexpected argument ad; did you mean "add"?`,
		"customer limit a b":         `<per-minute>: must be a whole number, not "b"`,
		"srve --help":                `unexpected argument srve; did you mean "serve"?`,
		"help dance":                 "dance is not a command",
		"serve --portl-addr=x":       `unknown flag --portl-addr; did you mean "--portal-addr"?`,
		"dance":                      "unexpected argument dance; `vestibule --help` lists commands and flags",
		"credentials --yaml":         "unknown flag --yaml; `vestibule help credentials` lists the flags",
		"trigger":                    "missing arguments: <event>; `vestibule help trigger` explains them",
		"completion tcsh":            `<shell> must be one of "bash","zsh","fish" but got "tcsh"`,
		"--data-dir=./x configratin": `unexpected argument configratin; did you mean "configuration"?`,
	} {
		if exit, _, errs := run(t, strings.Fields(line)...); exit != 2 || !strings.HasPrefix(errs, "vestibule: "+want) {
			t.Errorf("%s: exit code %d, %s\nwant %s", line, exit, errs, want)
		}
	}
}

// asProgram returns a folder with a program vestibule: this test, which answers shells as the program.
func asProgram(t *testing.T) string {
	t.Helper()
	test, err := os.Executable()
	testutil.Must(t, err)
	dir := t.TempDir()
	script := "#!/bin/sh\nexec " + test + " -test.run='^TestCompleteAsProgram$' -- \"$@\"\n"
	testutil.Must(t, os.WriteFile(filepath.Join(dir, "vestibule"), []byte(script), 0o700))
	return dir
}

// TestCompletion sources the script in bash and completes command lines as a user's Tab does.
func TestCompletion(t *testing.T) {
	dir := asProgram(t)
	_, source, _ := run(t, "completion", "bash")
	for line, want := range map[string]string{
		"vestibule cu":                            "customer",
		"vestibule customer re":                   "rename resume reset-password reset-factor",
		"vestibule customer enable svc-1 re":      "relay-tokens refresh",
		"vestibule --data-dir=./x oper":           "operator",
		"vestibule completion ":                   "bash zsh fish",
		"vestibule serve --portal-":               "--portal-addr --portal-url --portal-api-key",
		"vestibule provider --portal-":            "",
		"vestibule credentials --format ":         "shell json",
		"vestibule credentials --format j":        "json",
		"vestibule credentials --format = j":      "json",
		"vestibule help customer tr":              "transfer",
		"vestibule report ":                       "",
		"vestibule trigger application.f":         "application.failed",
		"vestibule trigger TEST ":                 "",
		"vestibule health --admin-addr ":          "",
		"vestibule complet":                       "completion",
		"vestibule serve --environment = sandbox": "sandbox",
	} {
		words := strings.Split(line, " ")
		quoted := "'" + strings.Join(words, "' '") + "'"
		ask := "COMP_WORDS=(" + quoted + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_vestibule\necho \"${COMPREPLY[*]}\"\n"
		cmd := exec.Command("bash", "-c", source+ask)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "VESTIBULE_TEST_COMPLETE_AS_PROGRAM=1")
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q completes to %q, %v; want %q", line, got, err, want)
		}
	}
}

// TestCompletionInFish asks fish itself.
func TestCompletionInFish(t *testing.T) {
	fish := tools.Program(t, "fish")
	dir := asProgram(t)
	_, source, _ := run(t, "completion", "fish")
	for line, want := range map[string]string{"vestibule cu": "customer", "vestibule completion ": "bash fish zsh",
		"vestibule trigger application.f": "application.failed",
		"vestibule serve --log-format=":   "--log-format=json --log-format=text"} {
		cmd := exec.Command(fish, "--no-config", "-c", source+"complete -C '"+line+"'")
		cmd.Env = append(os.Environ(), "HOME="+dir, "PATH="+dir+":"+os.Getenv("PATH"), "VESTIBULE_TEST_COMPLETE_AS_PROGRAM=1")
		out, err := cmd.Output()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("%q completes to %q, %v; want %q", line, got, err, want)
		}
	}
}

// TestCompleteAsProgram runs the program in a process of TestCompletion.
func TestCompleteAsProgram(t *testing.T) {
	if os.Getenv("VESTIBULE_TEST_COMPLETE_AS_PROGRAM") == "" {
		return
	}
	for i, arg := range os.Args {
		if arg == "--" {
			os.Exit(Run(t.Context(), os.Args[i+1:], os.Stdout, os.Stderr))
		}
	}
}

// TestCompletionScripts checks that each script asks the hidden command.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		exit, out, _ := run(t, "completion", shell)
		if exit != 0 || !strings.Contains(out, " complete -- ") {
			t.Errorf("%s: exit code %d, %s", shell, exit, out)
		}
	}
}
