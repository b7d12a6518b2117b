package app

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// renamed maps the flags of the version before to those of this one. Old flags and
// variables are accepted with a warning; the next version empties the table.
var renamed = map[string]string{
	"jobs":            "workers",
	"sandbox-awkward": "sandbox-faults",
}

// renameArgs puts new flags in the place of old ones, and returns warnings to log.
func renameArgs(args []string) (out, warnings []string) {
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...), warnings
		}
		flag, _, _ := strings.Cut(arg, "=")
		no, name := "--", strings.TrimPrefix(flag, "--")
		if base, negated := strings.CutPrefix(name, "no-"); negated {
			no, name = "--no-", base
		}
		if to, ok := renamed[name]; ok && strings.HasPrefix(flag, "--") {
			warnings = append(warnings, renaming(flag, no+to))
			arg = no + to + strings.TrimPrefix(arg, flag)
		}
		out = append(out, arg)
	}
	return out, warnings
}

// renamedVariables resolves a flag by its old variable where the new one is not set.
func renamedVariables(warnings *[]string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for old, to := range renamed {
			value, set := os.LookupEnv(variableOf(old))
			if _, newer := os.LookupEnv(variableOf(to)); to == flag.Name && set && !newer {
				*warnings = append(*warnings, renaming(variableOf(old), variableOf(to)))
				return value, nil
			}
		}
		return nil, nil
	})
}

// variableOf returns the variable of a flag.
func variableOf(flag string) string {
	return "VESTIBULE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func renaming(old, to string) string {
	return fmt.Sprintf("%s is now %s; the old name is accepted in this version only", old, to)
}
