// Package banks is the catalogue of mock banks for the sandbox's widget and the list
// of banks (API reference: Reports). All names are invented, and all domains are under
// the top-level domain reserved for examples. Every bank accepts the same user names;
// online-only banks issue tokenized account numbers.
package banks

import (
	_ "embed"
	"strings"
)

// Bank is one mock bank.
type Bank struct {
	ID       string   // as in a form's value
	Name     string   // institution_name of the report
	Place    string   // to tell banks apart: city and state, or Online
	OAuth    []string // domains that a sign-in by OAuth may lead to
	Homepage []string
	Tokens   bool // account numbers are given as TANs
	FDX      bool // reached by FDX, with sign-in at the pages of package fdxbank, not by a form
	Large    bool // shown before the others
}

// banks.txt describes its format in its header.
//
//go:embed banks.txt
var catalogue string

// All returns the catalogue in alphabetical order.
func All() []Bank {
	var out []Bank
	for line := range strings.Lines(catalogue) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "|")
		place, rest, _ := strings.Cut(rest, "|")
		domains, large := strings.CutSuffix(rest, "|large")
		b := Bank{ID: slug(name), Name: name, Place: place, OAuth: []string{}, Homepage: []string{}, Tokens: place == "Online", Large: large}
		host := strings.ReplaceAll(b.ID, "-", "") + ".example"
		b.FDX = domains == "fdx"
		if domains == "" || b.FDX {
			b.OAuth = []string{"login." + host}
		}
		if domains != "none" {
			b.Homepage = []string{"www." + host}
		}
		out = append(out, b)
	}
	return out
}

// slug converts a name to lowercase letters, digits, and single hyphens.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
